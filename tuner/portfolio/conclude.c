/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a portfolio: what its members are worth. */
#include "tuner/portfolio/portfolio_parts.h"
#include "tuner/portfolio/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The best member at a problem; 0: none is right there. */
static double best_member(const hone_portfolio_run *run, size_t problem,
                          size_t *out_member)
{
    double best = 0;

    for (size_t i = 0; i < run->n_members; ++i) {
        const double time = hone__portfolio_cell(run, problem, run->members[i]);

        if (time > 0 && (best <= 0 || time < best)) {
            best = time;
            *out_member = i;
        }
    }
    return best;
}

/* ---- the result -------------------------------------------------------------
 */

static void list_members(hone_portfolio_run *run)
{
    const hone_matrix *m = &run->matrix;
    hone_portfolio_result *result = &run->result;

    result->n_members = run->n_members;
    result->n_specialists = run->n_specialists;
    for (size_t i = 0; i < run->n_members; ++i) {
        const hone_matrix_candidate *c = &m->candidates[run->members[i]];
        hone_portfolio_member *out = &result->members[i];

        *out = (hone_portfolio_member){.is_vendor = c->is_vendor,
                                       .is_default = c->is_default};
        (void)snprintf(out->implementation, sizeof out->implementation, "%s",
                       hone__template_name(m->impls[c->impl]));
        (void)snprintf(out->config, sizeof out->config, "%.255s", c->config);
        for (size_t p = 0; p < m->n_problems; ++p)
            out->n_right += hone__portfolio_cell(run, p, run->members[i]) > 0;
    }
    for (size_t p = 0; p < m->n_problems; ++p) {
        size_t member = 0;

        if (best_member(run, p, &member) > 0)
            ++result->members[member].n_best;
    }
}

static void measure_worth(hone_portfolio_run *run)
{
    const hone_matrix *m = &run->matrix;
    const hone_cover_request cover = {.n_problems = m->n_problems,
                                      .n_candidates = m->n_candidates,
                                      .time_ns = m->time_ns,
                                      .best_ns = m->best_ns};
    hone_portfolio_result *result = &run->result;

    result->mean = hone__cover_mean(&cover, run->members, run->n_members);
    for (size_t i = 0; i < run->n_members; ++i) {
        const double mean = hone__cover_mean(&cover, &run->members[i], 1);

        if (result->single <= 0 || mean < result->single)
            result->single = mean;
    }
    for (size_t p = 0; p < m->n_problems; ++p) {
        size_t member;
        const double best = best_member(run, p, &member);
        const double ratio = best > 0 && m->best_ns[p] > 0
                                 ? best / m->best_ns[p]
                                 : HONE_COVER_NOBODY;

        result->worst = ratio > result->worst ? ratio : result->worst;
    }
}

/* ---- the rule without a chooser ---------------------------------------------
 */

/* The fastest at `problem` of all that were measured everywhere and are right
 * at `there`, too; 0: none. */
static double time_of_winner(const hone_portfolio_run *run, size_t problem,
                             size_t there)
{
    double best = 0, time = 0;

    for (size_t i = 0; i < run->n_set; ++i) {
        const double here = hone__portfolio_cell(run, problem, run->set[i]);

        if (here > 0 && (best <= 0 || here < best) &&
            !run->matrix.candidates[run->set[i]].is_wrong) {
            best = here;
            time = hone__portfolio_cell(run, there, run->set[i]);
        }
    }
    return time > 0 ? time : 0;
}

/* What is launched where the winner of the nearest problem is valid, else that
 * of the next. */
static double time_of_nearest(const hone_portfolio_run *run, size_t problem)
{
    const hone_matrix *m = &run->matrix;
    double best = INFINITY, time = 0;

    for (size_t q = 0; q < m->n_problems; ++q) {
        const double far = m->distance[problem * m->n_problems + q];
        double there;

        if (q == problem || far >= best)
            continue;
        there = time_of_winner(run, q, problem);
        if (there > 0) {
            best = far;
            time = there;
        }
    }
    return time;
}

static hone_portfolio_loss loss_of_nearest(const hone_portfolio_run *run)
{
    hone_loss_sum sum = {0};

    for (size_t p = 0; p < run->matrix.n_problems; ++p) {
        size_t member;
        const double best = best_member(run, p, &member);
        const double time = time_of_nearest(run, p);

        if (best > 0 && time > 0)
            hone__loss_add(&sum, time, best);
    }
    return hone__loss_of(&sum);
}

void hone__portfolio_conclude(hone_portfolio_run *run)
{
    list_members(run);
    measure_worth(run);
    run->result.nearest = loss_of_nearest(run);
}
