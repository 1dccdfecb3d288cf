/* SPDX-License-Identifier: Apache-2.0 */
/* Variants that a chooser knows beside a portfolio's members: each is the
 * cheapest at a few likely problems, by its template. Times at all problems
 * would say little of them and take most of a tuning; what they cost says
 * enough, once a few times say how much that is on this device. */
#include "tuner/portfolio/portfolio_parts.h"
#include "tuner/portfolio/problem_sizes.h"
#include "tuner/portfolio/train.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <string.h>

enum { PROBLEMS_OF_ONE = 2, AT_PLACE = 4 };

static hone_status no_memory(hone_error *err)
{
    return hone__out_of_memory(err, " for a portfolio");
}

static int may_run(const hone_portfolio_run *run, size_t problem,
                   size_t candidate)
{
    return hone__portfolio_cell(run, problem, candidate) >= HONE_CELL_UNKNOWN;
}

/* ---- who --------------------------------------------------------------------
 */

static void mark(const hone_portfolio_run *run, unsigned char *always,
                 unsigned char *never)
{
    const hone_matrix *m = &run->matrix;

    for (size_t c = 0; c < m->n_candidates; ++c) {
        never[c] = m->candidates[c].is_wrong != 0;
        always[c] = 0;
    }
    for (size_t i = 0; i < run->n_members; ++i)
        always[run->members[i]] = 1;
}

/* A cover leaves out members that have no cost at likely problems, such as a
 * library's functions; they have their places all the same. */
static hone_status choose(hone_portfolio_run *run, hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    unsigned char *flags = hone__alloc(2 * m->n_candidates + 1);
    size_t chosen[HONE_PORTFOLIO_WITH_SPECIALISTS];
    size_t n = 0;
    hone_status status;

    if (!flags)
        return no_memory(err);
    mark(run, flags, flags + m->n_candidates);
    status = hone__cover_choose(
        &(hone_cover_request){.n_problems = m->n_likely,
                              .n_candidates = m->n_candidates,
                              .time_ns = m->likely_cost,
                              .best_ns = m->likely_best,
                              .always = flags,
                              .never = flags + m->n_candidates,
                              .least = 0,
                              .most = HONE_PORTFOLIO_WITH_SPECIALISTS,
                              .gain = HONE_PORTFOLIO_SPECIALIST_GAIN},
        chosen, &n, err);
    for (size_t i = 0; i < n && status == HONE_OK; ++i)
        if (!flags[chosen[i]] && run->n_members + run->n_specialists <
                                     HONE_PORTFOLIO_WITH_SPECIALISTS)
            run->members[run->n_members + run->n_specialists++] = chosen[i];
    hone__free(flags);
    return status;
}

/* ---- where ------------------------------------------------------------------
 */

/* Of the rows of a table that one at which a candidate's cell is the least
 * beside the best; NULL: it has none. */
static const double *nearest_row(const hone_matrix *m, const double *cells,
                                 const double *best_ns, size_t n_rows,
                                 size_t candidate)
{
    const double *nearest = NULL;
    double least = INFINITY;

    for (size_t i = 0; i < n_rows; ++i) {
        const double *row = &cells[i * m->n_candidates];

        if (row[candidate] > 0 && best_ns[i] > 0 &&
            row[candidate] / best_ns[i] < least) {
            least = row[candidate] / best_ns[i];
            nearest = row;
        }
    }
    return nearest;
}

const int64_t *hone__portfolio_home(const hone_portfolio_run *run,
                                    size_t candidate)
{
    const hone_matrix *m = &run->matrix;
    const double *row =
        nearest_row(m, m->likely_cost, m->likely_best, m->n_likely, candidate);

    if (row)
        return m->likely[(size_t)(row - m->likely_cost) / m->n_candidates];
    row = nearest_row(m, m->time_ns, m->best_ns, m->n_problems, candidate);
    return m->problems[row ? (size_t)(row - m->time_ns) / m->n_candidates : 0]
        .dims;
}

/* Those at which it can run that are the nearest to its home say how fast it is
 * there. */
static void choose_problems(const hone_portfolio_run *run, size_t candidate,
                            unsigned char *wanted)
{
    const hone_matrix *m = &run->matrix;
    const int64_t *home = hone__portfolio_home(run, candidate);
    unsigned char *const flags = wanted + candidate;

    for (int i = 0; i < PROBLEMS_OF_ONE; ++i) {
        size_t nearest = SIZE_MAX;
        double least = INFINITY;

        for (size_t p = 0; p < m->n_problems; ++p) {
            const double far =
                hone__sizes_distance(m->tune->tmpl, m->problems[p].dims, home);

            if (far < least && !flags[p * m->n_candidates] &&
                may_run(run, p, candidate)) {
                least = far;
                nearest = p;
            }
        }
        if (nearest == SIZE_MAX)
            return;
        flags[nearest * m->n_candidates] = 1;
    }
}

/* ---- measured ---------------------------------------------------------------
 */

/* Whoever turned out to be wrong, or was not seen to be right, goes. */
static void drop(hone_portfolio_run *run)
{
    const hone_matrix *m = &run->matrix;
    const size_t end = run->n_members + run->n_specialists;

    run->n_specialists = 0;
    for (size_t i = run->n_members; i < end; ++i) {
        const hone_matrix_candidate *c = &m->candidates[run->members[i]];

        if (hone__portfolio_count_times(run, i) && c->is_proved &&
            !c->is_wrong && c->variant_id)
            run->members[run->n_members + run->n_specialists++] =
                run->members[i];
    }
}

hone_status hone__portfolio_add_specialists(hone_portfolio_run *run,
                                            hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    const size_t *set = run->members + run->n_members;
    unsigned char *wanted;
    hone_status status;

    run->n_specialists = 0;
    if (!m->n_likely || m->n_problems < HONE_TRAIN_LEAST_PROBLEMS ||
        run->n_members < 2)
        return HONE_OK; /* there will be no chooser, or it can ask all */
    HONE_TRY(choose(run, err));
    wanted = hone__alloc(m->n_problems * m->n_candidates + 1);
    if (!wanted)
        return no_memory(err);
    for (size_t i = 0; i < run->n_specialists; ++i)
        choose_problems(run, set[i], wanted);
    status =
        hone__portfolio_measure(run, set, run->n_specialists, wanted, 0, err);
    if (status == HONE_OK)
        status =
            hone__portfolio_measure(run, set, run->n_specialists, NULL, 1, err);
    hone__free(wanted);
    if (status == HONE_OK)
        status = hone__portfolio_measure_homes(run, err);
    if (status == HONE_OK)
        drop(run);
    return status;
}

/* ---- places -----------------------------------------------------------------
 */

/* The members with the least of `cells` there, of those that say what they cost
 * and are not launched in doubt: the others are always asked. */
static size_t find_best(const hone_portfolio_run *run,
                        const hone_chooser *chooser, const double *cells,
                        size_t *out)
{
    size_t n = 0;

    for (size_t i = 0; i < chooser->n_members; ++i) {
        const size_t c = run->members[i];
        size_t at = n < AT_PLACE ? n : AT_PLACE - 1;

        if (!(cells[c] > 0) || !chooser->members[i].cost ||
            hone__portfolio_is_safe(run, c) ||
            (n == AT_PLACE && cells[c] >= cells[run->members[out[at]]]))
            continue;
        for (; at && cells[run->members[out[at - 1]]] > cells[c]; --at)
            out[at] = out[at - 1];
        out[at] = i;
        n += n < AT_PLACE;
    }
    return n;
}

/* `beside`: of each member there. */
static hone_status add_place(const hone_portfolio_run *run, hone_chooser *out,
                             const int64_t *dims, const double *cells,
                             const double *beside, hone_error *err)
{
    size_t best[AT_PLACE];
    float of_best[AT_PLACE];
    const size_t n = find_best(run, out, cells, best);

    for (size_t i = 0; i < n; ++i)
        of_best[i] = (float)beside[best[i]];
    return n ? hone__chooser_add_place(out, dims, best, of_best, n, err)
             : HONE_OK;
}

hone_status hone__portfolio_set_places(const hone_portfolio_run *run,
                                       hone_chooser *out, hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    double beside[HONE_PORTFOLIO_WITH_SPECIALISTS] = {0};

    if (!run->n_specialists)
        return HONE_OK;
    for (size_t p = 0; p < m->n_problems; ++p)
        HONE_TRY(add_place(run, out, m->problems[p].dims,
                           &m->time_ns[p * m->n_candidates],
                           &out->beside[p * out->n_members], err));
    for (size_t i = 0; i < m->n_likely; ++i) {
        const size_t at = i * m->n_candidates;

        hone__portfolio_likely_beside(run, out, i, beside);
        HONE_TRY(add_place(run, out, m->likely[i], &m->likely_cost[at], beside,
                           err));
    }
    return HONE_OK;
}
