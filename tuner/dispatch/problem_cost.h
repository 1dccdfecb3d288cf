/* SPDX-License-Identifier: Apache-2.0 */
/* Seconds that tuning a problem is expected to take: what similar ones took. It
 * decides only who begins with what, so that a rough figure is enough. */
#ifndef HONE_TUNER_PROBLEM_COST_H
#define HONE_TUNER_PROBLEM_COST_H

#include "db/db.h"
#include "gen/parse/template.h"

/* How long one took. */
typedef struct hone_problem_sample {
    char op[64];
    int64_t dims[HONE_MAX_DIMS];
    size_t n_dims;
    double seconds;
    int64_t n_trials; /* in these seconds */
} hone_problem_sample;

typedef struct hone_problem_costs {
    hone_problem_sample *items;
    size_t n;
} hone_problem_costs;

/* What is asked about. */
typedef struct hone_problem_size {
    const char *op;
    const int64_t *dims;
    size_t n_dims;
    int64_t budget_trials; /* 0: no such limit */
    double budget_s;       /* 0: no such limit */
} hone_problem_size;

/* The latest tunes of a database that came to their end, on devices of a kind
 * ("cuda"). Free in any case. */
hone_status hone__problem_costs_read(hone_db *db, const char *kind,
                                     hone_problem_costs *out, hone_error *err);
void hone__problem_costs_free(hone_problem_costs *costs);
/* One that has just come to its end. */
hone_status hone__problem_costs_add(hone_problem_costs *costs,
                                    const hone_problem_sample *sample,
                                    hone_error *err);
/* Of the same operation the four nearest by the logarithms of their sizes; of
 * none, the mean of all, the more the larger. */
double hone__problem_cost_s(const hone_problem_costs *costs,
                            const hone_problem_size *problem);

#endif
