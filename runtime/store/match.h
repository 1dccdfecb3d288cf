/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of hone__match_find(), see store.h: candidates for a problem, the
 * answer that is chosen of them, and why, as sentences. */
#ifndef HONE_RUNTIME_MATCH_H
#define HONE_RUNTIME_MATCH_H

#include "runtime/launch/launch_body.h"
#include "runtime/store/store.h"

/* A row that may answer; better ones compare lower. */
typedef struct hone_candidate {
    hone_store_row *row;
    hone_match_kind kind;
    double distance; /* of neighbours: sum of |log2 ratio| over the dims */
    int mismatch;    /* other device name, mode, driver, architecture */
} hone_candidate;

/* Room for every dim as a number, sign and comma included. */
enum { HONE_DIMS_TEXT_BYTES = HONE_MAX_DIMS * 21 + 1 };

/* What every step reads. */
typedef struct hone_matcher {
    const hone_query *query;
    const hone_target *target; /* these two are the query's */
    hone_store *store;
    hone_store_op *op;
    const hone_launch_spec *spec; /* of any row: all have the same dims */
    char arch[16];                /* of the device: "sm_90", "cpu" */
    int64_t dims[HONE_MAX_DIMS];  /* completed */
    size_t n_dims;
    int is_nothing;                   /* any row will do: none is launched */
    unsigned followers;               /* see hone__match_followers() */
    char types[HONE_DIMS_TEXT_BYTES]; /* codes of the type dims, as the database
                                    spells it */
    char device[64];                  /* "sm_90 with 132 multiprocessors" */
    char outdated[80];  /* " (3 winners of an older template are left out)",
                           or nothing */
    size_t n_damaged;   /* better ones that were left out for that */
    size_t n_refused;   /* better functions of vendors that cannot be used */
    hone_error refusal; /* why the best of them */
} hone_matcher;

/* The dims whose default is an expression, and that have it: such a leading
 * dimension says nothing about a shape that the others do not. */
unsigned hone__match_followers(const hone_launch_spec *spec,
                               const int64_t *dims);
/* Candidates, best first: exact before neighbour before default; NULL when
 * memory ran out. */
hone_candidate *hone__match_candidates(const hone_matcher *m, size_t *out_n);

/* Which row answers, and why. */
void hone__match_explain(const hone_matcher *m, const hone_candidate *c,
                         const char *note, hone_match *out);
/* Errors that say what to run: no candidate answers, `why` the best one does
 * not; the database has no such operation. */
hone_status hone__match_nothing_runs(const hone_matcher *m,
                                     const hone_error *why, hone_error *err);
hone_status hone__match_unknown_op(const hone_matcher *m, hone_error *err);

#endif
