/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of a portfolio share. */
#ifndef HONE_TUNER_PORTFOLIO_PARTS_H
#define HONE_TUNER_PORTFOLIO_PARTS_H

#include "tuner/dispatch/dispatch.h"
#include "tuner/portfolio/matrix.h"
#include "tuner/portfolio/portfolio.h"

/* Beside the matrix, problems at which members or specialists were timed that
 * are good near there. */
enum { HONE_PORTFOLIO_MOST_EXTRA = 96 };
typedef struct hone_portfolio_extra {
    int64_t dims[HONE_MAX_DIMS];
    double time_ns[HONE_PORTFOLIO_WITH_SPECIALISTS]; /* 0: none */
} hone_portfolio_extra;

typedef struct hone_portfolio_run {
    const hone_portfolio_request *request;
    hone_matrix matrix;
    hone_portfolio_result result;
    hone_portfolio_step step; /* that takes the time since step_start_s */
    double step_start_s;
    unsigned char *always, *never, *is_measured; /* of each candidate */
    /* What members cover: rows of problems, then of likely ones. */
    double *cover_ns, *cover_best_ns, *cover_weight;
    size_t set[2 * HONE_PORTFOLIO_MOST]; /* measured everywhere */
    size_t n_set;
    /* Members, and behind them specialists. */
    size_t members[HONE_PORTFOLIO_WITH_SPECIALISTS];
    size_t n_members, n_specialists;
    /* Of each of these the largest that it was right at, each size for
     * itself. */
    int64_t reach[HONE_PORTFOLIO_WITH_SPECIALISTS][HONE_MAX_DIMS];
    hone_portfolio_extra extra[HONE_PORTFOLIO_MOST_EXTRA];
    size_t n_extra;
    /* That measure together, of the request, without those that fell off. */
    int ordinals[HONE_DISPATCH_MOST_DEVICES];
    size_t n_devices;
    int n_lost; /* devices, at further problems, one after the other */
} hone_portfolio_run;

/* The time of a candidate at a problem, or what else is known of it. */
static inline double hone__portfolio_cell(const hone_portfolio_run *run,
                                          size_t problem, size_t candidate)
{
    return run->matrix.time_ns[problem * run->matrix.n_candidates + candidate];
}

typedef enum hone_portfolio_list_kind {
    HONE_LIST_TIMES,
    HONE_LIST_EDGES,  /* they are verified on edge shapes */
    HONE_LIST_FURTHER /* timed, and nobody is ranked */
} hone_portfolio_list_kind;

/* What is to be done with some variants at one problem. */
typedef struct hone_portfolio_list {
    const int64_t *dims;
    const char *label;
    const hone_tune_entry *entries;
    size_t n;
    hone_portfolio_list_kind kind;
    int is_further; /* the problem is not tuned */
    int is_done;
} hone_portfolio_list;

/* Is it launched in doubt, as programs see it: a library's function, a default?
 */
static inline int hone__portfolio_is_safe(const hone_portfolio_run *run,
                                          size_t candidate)
{
    const hone_matrix_candidate *c = &run->matrix.candidates[candidate];

    return c->is_vendor || c->is_default;
}

/* portfolio.c: from now on time is spent on this step. */
void hone__portfolio_begin_step(hone_portfolio_run *run,
                                hone_portfolio_step step);

/* settle.c: by what is known so far, those that are to be measured everywhere,
 * in `set`. */
hone_status hone__portfolio_choose_candidates(hone_portfolio_run *run,
                                              hone_error *err);
/* By what was measured the members and, for a chooser, specialists, all of them
 * right on edge shapes and as far as they may be launched: whoever is not is
 * replaced. */
hone_status hone__portfolio_settle(hone_portfolio_run *run, hone_error *err);

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

/* Several lists, on all devices that there are. */
hone_status hone__portfolio_measure_lists(hone_portfolio_run *run,
                                          hone_portfolio_list *lists, size_t n,
                                          hone_error *err);
/* portfolio_devices.c: more than one, longest first. */
hone_status hone__portfolio_measure_together(hone_portfolio_run *run,
                                             hone_portfolio_list *lists,
                                             size_t n, hone_error *err);

/* specialists.c: those that are cheaper than all members at some likely
 * problems, verified, and measured at a few problems. */
hone_status hone__portfolio_add_specialists(hone_portfolio_run *run,
                                            hone_error *err);
/* The problem, tuned or likely, at which a candidate is the nearest to the
 * best: its dims. */
const int64_t *hone__portfolio_home(const hone_portfolio_run *run,
                                    size_t candidate);
/* Where a chooser looks for whom: the tuned problems and the likely ones. */
hone_status hone__portfolio_set_places(const hone_portfolio_run *run,
                                       hone_chooser *out, hone_error *err);

/* known.c: what is known of all these by now, at any problem; and at how many
 * one of them has a time. */
hone_status hone__portfolio_read_trials(hone_portfolio_run *run,
                                        hone_error *err);
size_t hone__portfolio_count_times(const hone_portfolio_run *run,
                                   size_t member);

/* homes.c: specialists that are valid at few tuned problems are timed at likely
 * ones, near to where they are good. */
hone_status hone__portfolio_measure_homes(hone_portfolio_run *run,
                                          hone_error *err);

/* further.c: some of the members and specialists at problems that are not
 * tuned. `is_wanted` has a flag for each of them at each problem. */
hone_status hone__portfolio_measure_further(
    hone_portfolio_run *run, const int64_t (*dims)[HONE_MAX_DIMS],
    size_t n_problems, const unsigned char *is_wanted,
    hone_portfolio_list_kind kind, hone_error *err);

/* reach.c: how far members and specialists may be launched, and verified at
 * further problems where that is less than the tuned ones are large. Whoever is
 * wrong there is `is_wrong`. */
hone_status hone__portfolio_reach(hone_portfolio_run *run, hone_error *err);

/* costs.c: what a member costs by its template, as predictions read it; of one
 * whose template does not say so, or a library's, nothing is set. */
hone_status hone__portfolio_set_cost(const hone_portfolio_run *run,
                                     size_t member, hone_chooser *out,
                                     hone_error *err);

/* What lessons add to that, of each member, beside the cheapest there: at a
 * likely problem; and at each of the chooser's problems, in its `beside`. */
void hone__portfolio_likely_beside(const hone_portfolio_run *run,
                                   const hone_chooser *out, size_t likely,
                                   double *beside);
hone_status hone__portfolio_set_beside(const hone_portfolio_run *run,
                                       hone_chooser *out, hone_error *err);

/* learn.c: the chooser, trained and stored, or why there is none, in the
 * result. */
hone_status hone__portfolio_learn(hone_portfolio_run *run, hone_error *err);

/* conclude.c: members and what they are worth, in the result. */
void hone__portfolio_conclude(hone_portfolio_run *run);

#endif
