/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `hone explain` share: the problem, and the sections, each
 * an array of objects. NULL: no memory, or `err` says what else. */
#ifndef HONE_TOOLS_EXPLAIN_H
#define HONE_TOOLS_EXPLAIN_H

#include "db/db.h"
#include "runtime/launch/launch_spec.h"
#include "tools/base/arguments.h"
#include "tools/base/json.h"

typedef struct hone_explained {
    hone_db *db;
    const char *path; /* of the database */
    const char *op;   /* borrowed */
    char label[256];
    char mode[8];
    char device[128];
    char device_kind[16];
    char driver_version[16];
    int64_t problem_id;
    int64_t device_id;
    int64_t dims[HONE_MAX_DIMS];
    size_t n_dims;
    hone_properties properties;
    double winner_ns;        /* 0: there is no ranking */
    int64_t session_id;      /* that of the ranking */
    int64_t flops, bytes;    /* of the problem; 0: not declared */
    unsigned types;          /* of its arrays: bit HONE_TYPE_X */
    double winner_clock_mhz; /* while it was measured; 0: not recorded */
} hone_explained;

/* The last problem that was tuned of those that `op` and `dims` ("": any; a
 * beginning will do) and `mode` (NULL: any) say. HONE_ERR_NOT_FOUND. */
hone_status hone__explain_find(hone_explained *about, const char *dims,
                               const char *mode, hone_error *err);

/* Places of the ranking and the best of each implementation; sets all from
 * winner_ns on. */
json_t *hone__explain_finalists(hone_explained *about, int64_t most,
                                hone_error *err);
/* The winner's bytes and operations a second beside what a copy reaches and
 * what the device can do at the clock that was measured. */
json_t *hone__explain_roofline(const hone_explained *about, hone_error *err);
/* Baselines, the vendor's libraries and copies. */
json_t *hone__explain_baselines(const hone_explained *about, hone_error *err);
/* Parameters of each implementation that has enough trials. */
json_t *hone__explain_importance(const hone_explained *about, hone_error *err);
/* How trials ended, with the first line of a compiler's log. */
json_t *hone__explain_outcomes(const hone_explained *about, hone_error *err);
/* What the final decided. */
json_t *hone__explain_decisions(const hone_explained *about, hone_error *err);
/* Append the winner's instructions, by cuobjdump or objdump, or its PTX, which
 * NVRTC makes of the template. HONE_ERR_NOT_FOUND (no winner, or the program
 * is not here), HONE_ERR_UNSUPPORTED (there is none), HONE_ERR_IO. */
hone_status hone__explain_code(const hone_explained *about,
                               const hone_options *options, int is_ptx,
                               hone_text *out, hone_error *err);
/* Whose counters they are to be. */
typedef struct hone_ncu_winner {
    int64_t trial_id;
    hone_text implementation, config, card; /* by its name */
} hone_ncu_winner;

/* Does what ncu and `hone run` printed say that the winner ran, on its device?
 * `why` is what it says instead. */
int hone__explain_ncu_is_of(const hone_ncu_winner *winner, const char *text,
                            char why[200]);
/* Store its counters; of several launches of a kernel the last one stays, and
 * what is no number was not counted. Cuts `text` up. */
hone_status hone__explain_ncu_store(hone_db *db, int64_t trial_id, char *text,
                                    int64_t *n_stored, hone_error *err);
/* Run ncu on `hone run` of the winner and store its counters. The exact command
 * is appended; `why` is "" if there are counters now, else what ncu said last,
 * or that it is not here. */
hone_status hone__explain_profile(const hone_explained *about,
                                  hone_text *out_command, char why[200],
                                  hone_error *err);
/* Those that are stored. */
json_t *hone__explain_counters(const hone_explained *about, hone_error *err);
/* What the runtime answers for this shape and for one that nobody tuned. */
json_t *hone__explain_answers(const hone_options *options,
                              const hone_explained *about, hone_error *err);

#endif
