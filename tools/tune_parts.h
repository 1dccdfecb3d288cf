/* SPDX-License-Identifier: Apache-2.0 */
/* The work of one `hone tune`: which templates at which shapes, from the
 * order of the arguments and from a --shapes file, or the problems of a
 * recording. */
#ifndef HONE_TOOLS_TUNE_PARTS_H
#define HONE_TOOLS_TUNE_PARTS_H

#include "gen/parse/template.h"
#include "tools/base/arguments.h"
#include "tools/inputs.h"
#include "tools/base/output.h"
#include "tuner/tuner.h"

typedef struct hone_shape {
    const hone_template *tmpl; /* the first of `op` */
    size_t op;                 /* place in hone_shapes */
    int64_t dims[HONE_MAX_DIMS];
} hone_shape;

/* An operation, or one implementation of it. */
typedef struct hone_tuned_op {
    char *name; /* as it was given */
    hone_implementations impls;
} hone_tuned_op;

typedef struct hone_shapes {
    hone_tuned_op *ops;
    size_t n_ops;
    hone_shape *items;
    size_t n;
} hone_shapes;

/* Read everything and check every problem before any work starts. A problem
 * that is named twice is kept once. HONE_ERR_ARGUMENT: a template without
 * problem, or neither. Free with hone__shapes_free(), also on failure. */
hone_status hone__shapes_read(const hone_options *options, hone_shapes *out,
                              hone_error *err);
void hone__shapes_free(hone_shapes *shapes);

/* ---- what both end with (cmd_tune.c) ------------------------------------- */

typedef struct hone_tune_end {
    hone_output *output; /* NULL: nothing was begun */
    const char *db_path;
    const char *go_on; /* how, after an interruption: ": run ..", or "" */
    const char *none;  /* "problems have no winner; .." */
    int n_without_winner, n;
} hone_tune_end;

hone_exit hone__tune_finish(const hone_tune_end *end, hone_status status,
                            const hone_error *err);

/* ---- who was out of the final (tune_out.c) ------------------------------- */

/* As JSON, and a note of each. */
json_t *hone__tune_out_json(const hone_tune_result *result);
void hone__tune_out_say(const char *title, const hone_tune_result *result);

/* ---- --device replay:FILE (tune_replay.c) -------------------------------- */

/* Does --device name a recording? */
int hone__device_is_replay(const hone_options *options);

/* The whole command for such a device: every recording of the file in turn,
 * or those of the operations that are named. */
hone_exit hone__tune_replay(const hone_options *options,
                            void (*on_progress)(void *user,
                                                const hone_tune_progress *p));

#endif
