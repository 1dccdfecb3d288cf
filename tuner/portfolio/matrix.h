/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of one operation, one device, one mode and the same types, with what
 * is known of some variants at each of them. */
#ifndef HONE_TUNER_PORTFOLIO_MATRIX_H
#define HONE_TUNER_PORTFOLIO_MATRIX_H

#include "runtime/base/alloc.h"
#include "runtime/launch/launch_spec.h"
#include "tuner/portfolio/portfolio_cover.h"
#include "tuner/session/tune.h"

typedef struct hone_lessons hone_lessons; /* lessons.h */

typedef struct hone_matrix_problem {
    int64_t problem_id;
    int64_t dims[HONE_MAX_DIMS];
    const char *label;
} hone_matrix_problem;

typedef struct hone_matrix_candidate {
    size_t impl;        /* place among the request's */
    const char *config; /* as the database spells it */
    int64_t variant_id; /* the last one of that configuration that has code; a
                           library's: of any problem; 0: none */
    int is_default;
    int is_vendor;
    int is_wrong;  /* at some problem, or it crashed or hung there */
    int is_proved; /* right on edge shapes */
    int is_asked;  /* this time, whatever came of it */
} hone_matrix_candidate;

typedef struct hone_matrix {
    const hone_tune_request *tune;
    int64_t device_id;
    const hone_properties *properties;
    const char *types;
    const hone_template *const *impls;
    size_t n_impls;
    int64_t template_ids[HONE_MAX_IMPLS]; /* of their texts; 0: not stored */
    hone_arena arena;                     /* of the texts and tables below */
    hone_matrix_problem *problems;
    size_t n_problems; /* at most HONE_CHOOSER_PROBLEMS */
    size_t n_left_out; /* tuned before these */
    /* Tuned problems of other types, as they would be of these: programs ask
     * for sizes whatever the types. None is among `problems`. */
    int64_t (*others)[HONE_MAX_DIMS];
    size_t n_others;
    hone_matrix_candidate *candidates;
    size_t n_candidates;
    double *time_ns; /* n_problems x n_candidates: cells of portfolio_cover.h */
    double *best_ns; /* n_problems: of any variant, candidate or not */
    double *distance; /* n_problems x n_problems */
    /* Problems between these, which nobody tunes (likely.h): what candidates
     * of one implementation cost there by its template, in any unit. */
    size_t likely_impl;
    hone_lessons *lessons; /* of it; NULL: costs alone */
    size_t n_likely;
    int64_t (*likely)[HONE_MAX_DIMS];
    double *likely_cost;   /* n_likely x n_candidates: cells */
    double *likely_beside; /* log of what lessons add to these */
    double *likely_best; /* n_likely: of any configuration that was looked at */
} hone_matrix;

/* Of which types problems with a winner are: each text once, one a line. */
hone_status hone__matrix_types(const hone_tune_request *tune, int64_t device_id,
                               hone_text *out, hone_error *err);

/* Problems and candidates, without times. Free it, also after a failure. */
hone_status hone__matrix_open(const hone_tune_request *tune, int64_t device_id,
                              const hone_properties *properties,
                              const char *types, hone_matrix *out,
                              hone_error *err);
void hone__matrix_free(hone_matrix *matrix);

/* matrix.c: one more candidate, if it is none yet. */
hone_status hone__matrix_add(hone_matrix *matrix, size_t impl,
                             const char *config, int is_default,
                             hone_error *err);
/* matrix_others.c: one more, `dims` being of other types; when all problems are
 * known they are made to be of these types. */
hone_status hone__matrix_add_other(hone_matrix *matrix, const int64_t *dims,
                                   hone_error *err);
void hone__matrix_settle_others(hone_matrix *matrix);
/* Problems and others: the i-th of n_problems + n_others. */
const int64_t *hone__matrix_sizes(const hone_matrix *matrix, size_t i);

/* matrix_likely.c: draw them, learn, and add what is the cheapest there. None
 * where no template says what it costs, or nothing lies between. */
hone_status hone__matrix_add_likely(hone_matrix *matrix, hone_error *err);
/* Learn again, from what was tried since, and what candidates cost then. */
hone_status hone__matrix_learn_likely(hone_matrix *matrix, hone_error *err);
/* Ctrl-C, which waits for no more than what has begun: HONE_ERR_INTERRUPTED. */
hone_status hone__matrix_check_stop(const hone_matrix *matrix, hone_error *err);

/* The place of a stored template; n_impls: it is none of them. */
size_t hone__matrix_impl(const hone_matrix *matrix, int64_t template_id);
/* SIZE_MAX: it is no candidate. */
size_t hone__matrix_find(const hone_matrix *matrix, size_t impl,
                         const char *config);

/* matrix_spaces.c: mark cells of candidates that are no configuration of the
 * problem. */
hone_status hone__matrix_check(hone_matrix *matrix, hone_error *err);

/* Does it say that the variant is no good anywhere: wrong, crashed, hung? What
 * could not be timed may be right. */
static inline int hone__matrix_refutes(hone_outcome outcome, int is_error_above)
{
    return outcome == HONE_OUTCOME_WRONG || outcome == HONE_OUTCOME_FAULT ||
           outcome == HONE_OUTCOME_TIMEOUT ||
           (outcome == HONE_OUTCOME_UNSTABLE && is_error_above);
}

/* matrix_times.c: times, outcomes and proofs as the database has them now; what
 * hone__matrix_check() found stays. */
hone_status hone__matrix_read(hone_matrix *matrix, hone_error *err);

/* members.c: how a candidate is launched, as its template says, whether it is
 * stored or not. */
hone_status hone__matrix_launch_spec(const hone_matrix *matrix,
                                     size_t candidate, hone_launch_spec **out,
                                     hone_error *err);
/* The hash of what the runtime launches of a candidate. For the
 * function of a library a variant is stored that is for any problem: the
 * library is asked again for each. "" : there is none. */
hone_status hone__matrix_launch_hash(hone_matrix *matrix, size_t candidate,
                                     char out_sha256[HONE_SHA256_HEX],
                                     hone_error *err);

#endif
