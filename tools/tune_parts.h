/* SPDX-License-Identifier: Apache-2.0 */
/* The work of one `hone tune`: which templates at which shapes, from the
 * order of the arguments and from a --shapes file, or the problems of a
 * recording. */
#ifndef HONE_TOOLS_TUNE_PARTS_H
#define HONE_TOOLS_TUNE_PARTS_H

#include "db/db_shards.h"
#include "gen/parse/template.h"
#include "tools/base/arguments.h"
#include "tools/inputs/inputs.h"
#include "tools/base/output.h"
#include "tools/cluster/shard.h"
#include "tuner/tuner.h"

typedef struct hone_shape {
    const hone_template *tmpl; /* the first of `op` */
    size_t op;                 /* place in hone_shapes */
    int64_t dims[HONE_MAX_DIMS];
    uint64_t n_launches; /* as --shapes says; 0: it does not */
    double recorded_ns;  /* all launches together, of a record; 0: unknown */
    int part, n_parts;   /* of its configurations (tune_shard.c); 0: all */
    int is_tuned;        /* a database has a winner (tune_missing.c) */
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
    size_t *table; /* places + 1 by operation and dimensions; 0: free */
    size_t table_size;
    int is_counted; /* --shapes says how often shapes are launched */
    size_t n_torn;  /* lines of a record that were not written to their end */
    size_t n_left_out; /* shapes that cannot be tuned here; a note says why */
} hone_shapes;

/* Read everything and check every problem before any work starts. A problem
 * that is named twice is kept once. HONE_ERR_ARGUMENT: a template without
 * problem, or neither. A problem of a line with a count is left out if it
 * cannot be tuned. Free with hone__shapes_free(), also on failure. */
hone_status hone__shapes_read(const hone_options *options, hone_shapes *out,
                              hone_error *err);
void hone__shapes_free(hone_shapes *shapes);
/* The shape of an operation with these dimensions; NULL: there is none. */
hone_shape *hone__shapes_find(const hone_shapes *shapes, size_t op,
                              const int64_t *dims);

/* ---- problems that nobody named (tune_between.c) --------------------------
 */

/* More are refused: each is tuned. */
enum { HONE_BETWEEN_MOST = 10000 };

/* Add `n_each` problems between those of each operation, up to
 * HONE_BETWEEN_MOST, -1: as many as it has, up to 64; a note says so, and where
 * some were asked for and there are none. */
hone_status hone__shapes_add_between(hone_shapes *shapes, int64_t n_each,
                                     uint64_t seed, hone_error *err);

/* ---- what both end with (cmd_tune.c) ------------------------------------- */

typedef struct hone_tune_end {
    hone_output *output; /* NULL: nothing was begun */
    const char *db_path;
    const char *go_on; /* how, after an interruption: ": run ..", or "" */
    const char *none;  /* "problems have no winner; .." */
    int n_without_winner, n;
    const hone_options *options;
    json_t *portfolios; /* an array; NULL: none were asked for */
    json_t *devices;    /* of several; NULL: there was one */
    json_t *compile;    /* the processes that compiled for them */
} hone_tune_end;

hone_exit hone__tune_finish(const hone_tune_end *end, hone_status status,
                            const hone_error *err);

/* ---- portfolios (tune_portfolio.c) ----------------------------------------
 */

/* Rows of portfolios, and as text the members of each. */
hone_exit hone__tune_portfolio_print(const hone_options *options,
                                     const char *db_path, json_t *rows,
                                     int interrupted);
/* A shape's result; takes `label`. NULL: no memory. (tune_row.c) */
json_t *hone__tune_row(const hone_shape *shape, hone_text *label,
                       const hone_tune_request *request,
                       const hone_tune_result *result);

/* ---- one budget for all shapes (tune_share.c) ---------------------------- */

/* What is known of a shape when the budget is shared out. */
typedef struct hone_tune_share {
    uint64_t n_launches;
    double recorded_ns; /* what all took in a program; 0: unknown */
    int is_reached;     /* the budget was not over before it */
    int is_refused;     /* it cannot be tuned */
    int is_done;        /* its part is spent */
    double time_ns;     /* of the best so far; 0: none is right */
    double baseline_ns; /* the fastest; 0: there is none */
    double weight_ns;   /* launches x time that may be saved */
    double part;        /* of the budget, behind the first look */
    char why[160];
} hone_tune_share;

/* Trials, those of before included, or seconds; 0 and 0: no end. */
typedef struct hone_tune_budget {
    int64_t trials;
    double seconds;
    int is_look; /* others follow */
} hone_tune_budget;

/* Of a problem between those that have `listed` (tune_between.c). */
hone_tune_budget hone__tune_between_budget(const hone_tune_budget *listed);

/* A shape on one model of device, and what it may spend. */
typedef struct hone_tune_piece {
    size_t place; /* model x number of shapes + shape */
    hone_tune_budget budget;
} hone_tune_piece;

typedef struct hone_tune_spending {
    hone_tune_share *shares; /* with `n_launches`, else 0; model by model */
    size_t n;                /* shapes */
    size_t n_models;         /* of devices: each has a budget of its own */
    hone_tune_budget whole;
    /* Tune these, in this order or another, and say in the share of each what
     * came of it. */
    hone_status (*tune)(void *user, const hone_tune_piece *pieces, size_t n,
                        hone_error *err);
    void *user;
    /* The clock that ends a budget in seconds, on one device of one model.
     * NULL: seconds count what searches take, however long all else does. */
    double (*now_s)(void);
} hone_tune_spending;

/* A first look at all shapes, where most time was recorded first, then what is
 * left where launches lose most. By the clock, looks end with half of the time,
 * and of the rest at least half is for trials: what set-ups and finals take is
 * what it was in the looks. One shape is reached at least. Sets what the shares
 * have of it, also on failure. */
hone_status hone__tune_spend(const hone_tune_spending *spending,
                             hone_error *err);

/* ---- a part of the list, and what is not tuned yet (tune_shard.c) ---------
 */

typedef struct hone_tune_shard {
    hone_shard shard;
    char id[HONE_SHARD_LIST_ID];    /* of the list */
    hone_text list;                 /* for hone__db_shards_put() */
    char (*marks)[HONE_SHARD_MARK]; /* of each shape that is left */
    double part;                    /* of the expected cost */
    size_t n_all;                   /* problems of all shards */
} hone_tune_shard;

/* Leave the shapes of --shard, the longest first; without it, all as they are
 * and n shards 0. HONE_ERR_ARGUMENT. */
hone_status hone__tune_shard(const hone_options *options, hone_shapes *shapes,
                             hone_tune_shard *out, hone_error *err);
void hone__tune_shard_free(hone_tune_shard *shard);
/* What one of many shards has most of. */
typedef struct hone_tune_load {
    size_t n_problems;
    double part;    /* of all that is expected */
    double trial_s; /* of a trial of each of its problems, together */
} hone_tune_load;

/* Of the shards that `shapes` would be dealt to; `split`: the problems that
 * several have, as lines for --shapes. */
hone_status hone__tune_load(const hone_options *options,
                            const hone_shapes *shapes, int n_shards,
                            hone_tune_load *out, hone_text *split,
                            hone_error *err);
/* --missing-from: the whole command (tune_missing.c). */
hone_exit hone__tune_missing(const hone_options *options);

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
