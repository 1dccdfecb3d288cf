/* SPDX-License-Identifier: Apache-2.0 */
/* Between match.c (which row answers) and match_text.c (saying why). */
#ifndef HONE_RUNTIME_MATCH_TEXT_H
#define HONE_RUNTIME_MATCH_TEXT_H

#include "runtime/store/match.h"

/* A row that may answer; better ones compare lower. */
typedef struct hone_candidate_row {
    hone_store_row *row;
    hone_match_kind kind;
    double distance; /* of neighbours: sum of |log2 ratio| over the dims */
    int mismatch;    /* other device name, mode, driver, architecture */
} hone_candidate_row;

/* Room for every dim as a number, sign and comma included. */
enum { DIMS_TEXT_BYTES = HONE_MAX_DIMS * 21 + 1 };

/* What every step reads. */
typedef struct hone_matcher {
    const hone_target *target;
    hone_store *store;
    hone_store_op *op;
    const hone_launch_spec *spec; /* of any row: all have the same dims */
    char arch[16];                /* of the device: "sm_90", "cpu" */
    int64_t dims[HONE_MAX_DIMS];  /* completed */
    size_t n_dims;
    char types[DIMS_TEXT_BYTES]; /* codes of the type dims, as the database
                                    spells it */
    size_t n_damaged;            /* better ones that were left out for that */
} hone_matcher;

/* Fill in why this candidate answers. */
void hone__match_explain(const hone_matcher *m, const hone_candidate_row *c,
                         hone_match *out);
/* HONE_ERR_NOT_FOUND: no row answers. `why`: what is wrong with the best. */
hone_status hone__match_nothing_runs(const hone_matcher *m,
                                     const hone_error *why, hone_error *err);
/* HONE_ERR_NOT_FOUND: there is no row at all. */
hone_status hone__match_unknown_op(const hone_matcher *m, hone_error *err);

#endif
