/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of a portfolio share. */
#ifndef HONE_TUNER_PORTFOLIO_PARTS_H
#define HONE_TUNER_PORTFOLIO_PARTS_H

#include "tuner/dispatch/dispatch.h"
#include "tuner/portfolio/matrix.h"
#include "tuner/portfolio/portfolio.h"

typedef struct hone_portfolio_run {
    const hone_portfolio_request *request;
    hone_matrix matrix;
    hone_portfolio_result result;
    unsigned char *always, *never, *is_measured; /* of each candidate */
    /* What members cover: rows of problems, then of likely ones. */
    double *cover_ns, *cover_best_ns, *cover_weight;
    size_t set[2 * HONE_PORTFOLIO_MOST]; /* measured everywhere */
    size_t n_set;
    /* Members, and behind them specialists. */
    size_t members[HONE_PORTFOLIO_WITH_SPECIALISTS];
    size_t n_members, n_specialists;
    /* That measure together, of the request, without those that fell off. */
    int ordinals[HONE_DISPATCH_MOST_DEVICES];
    size_t n_devices;
} hone_portfolio_run;

/* The time of a candidate at a problem, or what else is known of it. */
static inline double hone__portfolio_cell(const hone_portfolio_run *run,
                                          size_t problem, size_t candidate)
{
    return run->matrix.time_ns[problem * run->matrix.n_candidates + candidate];
}

/* What is to be measured, or verified on edge shapes, at one problem. */
typedef struct hone_portfolio_list {
    size_t problem;
    const hone_tune_entry *entries;
    size_t n;
    int is_edges;
    int is_done;
} hone_portfolio_list;

/* portfolio_measure.c: what of the set is missing, problem by problem; or,
 * those that no final has verified on edge shapes are verified there. `wanted`
 * has a flag for each cell of the matrix that counts; NULL: all of them do.
 * Then the matrix is read again. */
hone_status hone__portfolio_measure(hone_portfolio_run *run, const size_t *set,
                                    size_t n, const unsigned char *wanted,
                                    int is_edges, hone_error *err);

/* The run of a list, and what became of it: counted and said. The status of
 * what concerns this problem alone is OK. */
void hone__portfolio_list_request(const hone_portfolio_run *run,
                                  const hone_portfolio_list *list,
                                  hone_tune_request *out);
hone_status hone__portfolio_list_done(hone_portfolio_run *run,
                                      hone_portfolio_list *list,
                                      const hone_tune_result *result,
                                      hone_status status, hone_error *err);

/* portfolio_devices.c: lists, longest first, on all devices of the model. */
hone_status hone__portfolio_measure_together(hone_portfolio_run *run,
                                             hone_portfolio_list *lists,
                                             size_t n, hone_error *err);

/* specialists.c: those that are cheaper than all members at some likely
 * problems, verified, and measured at a few problems. */
hone_status hone__portfolio_add_specialists(hone_portfolio_run *run,
                                            hone_error *err);
/* Where a chooser looks for whom: the tuned problems and the likely ones. */
hone_status hone__portfolio_set_places(const hone_portfolio_run *run,
                                       hone_chooser *out, hone_error *err);

/* costs.c: what a member costs by its template, as predictions read it; of one
 * whose template does not say so, or a library's, nothing is set. */
hone_status hone__portfolio_set_cost(const hone_portfolio_run *run,
                                     size_t member, hone_chooser *out,
                                     hone_error *err);

/* learn.c: the chooser, trained and stored, or why there is none, in the
 * result. */
hone_status hone__portfolio_learn(hone_portfolio_run *run, hone_error *err);

/* conclude.c: members and what they are worth, in the result. */
void hone__portfolio_conclude(hone_portfolio_run *run);

#endif
