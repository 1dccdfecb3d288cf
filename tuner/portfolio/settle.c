/* SPDX-License-Identifier: Apache-2.0 */
/* Who is measured everywhere, and who of these is a member: see
 * portfolio_parts.h. */
#include "tuner/portfolio/portfolio_parts.h"

#include "runtime/base/alloc.h"

#include <string.h>

/* Measured everywhere are so many for each member that is wanted: times at
 * problems where nobody tried them are guesses, and some turn out wrong. */
enum { CANDIDATES_FOR_ONE = 2 };

/* The default variant of an implementation that is right at most problems;
 * SIZE_MAX: none is right anywhere. */
static size_t default_of(const hone_matrix *m, size_t impl)
{
    size_t best = SIZE_MAX, most = 0;

    for (size_t i = 0; i < m->n_candidates; ++i) {
        size_t n = 0;

        if (m->candidates[i].impl != impl || !m->candidates[i].is_default ||
            m->candidates[i].is_wrong)
            continue;
        for (size_t p = 0; p < m->n_problems; ++p)
            n += m->time_ns[p * m->n_candidates + i] > 0;
        if (n > most) {
            most = n;
            best = i;
        }
    }
    return best;
}

/* What is launched where nothing was tuned is always there: vendors'
 * functions, and the default variant of our first implementation that has
 * one. */
static void mark(hone_portfolio_run *run)
{
    const hone_matrix *m = &run->matrix;
    int is_found = 0;

    memset(run->always, 0, m->n_candidates);
    for (size_t i = 0; i < m->n_impls; ++i) {
        const size_t usual = default_of(m, i);
        const int is_vendor = m->impls[i]->call != NULL;
        const int is_reference =
            strcmp(hone__template_kind(m->impls[i]), "reference") == 0;

        if (usual == SIZE_MAX || is_reference || (!is_vendor && is_found))
            continue;
        run->always[usual] = 1;
        is_found |= !is_vendor;
    }
    for (size_t i = 0; i < m->n_candidates; ++i)
        run->never[i] = (unsigned char)m->candidates[i].is_wrong;
}

/* At how many problems it has a time, or might. */
static size_t count_cells(const hone_matrix *m, const double *time_ns,
                          size_t candidate, int is_measured)
{
    size_t n = 0;

    for (size_t p = 0; p < m->n_problems; ++p) {
        const double cell = time_ns[p * m->n_candidates + candidate];

        n += is_measured ? cell > 0 : cell >= HONE_CELL_UNKNOWN;
    }
    return n;
}

/* Costs at likely problems: of those alone that a chooser can predict. */
static void add_likely(const hone_portfolio_run *run, const double *time_ns,
                       int is_measured)
{
    const hone_matrix *m = &run->matrix;
    double *costs = run->cover_ns + m->n_problems * m->n_candidates;

    for (size_t c = 0; c < m->n_candidates; ++c) {
        const int counts =
            count_cells(m, time_ns, c, is_measured) >= HONE_CHOOSER_LEAST_TIMES;

        for (size_t p = 0; p < m->n_likely; ++p) {
            const size_t at = p * m->n_candidates + c;

            costs[at] = counts ? m->likely_cost[at] : HONE_CELL_INVALID;
        }
    }
}

/* Times at the problems, and costs at likely ones, which count as much
 * together as the others do, and each at most as much as one of these. */
static hone_cover_request cover_of(const hone_portfolio_run *run,
                                   const double *time_ns, int is_measured,
                                   size_t most)
{
    const hone_matrix *m = &run->matrix;
    const size_t n_rows = m->n_problems + m->n_likely;
    const double weight = m->n_likely > m->n_problems
                              ? (double)m->n_problems / (double)m->n_likely
                              : 1;

    memcpy(run->cover_ns, time_ns,
           m->n_problems * m->n_candidates * sizeof *time_ns);
    add_likely(run, time_ns, is_measured);
    for (size_t p = 0; p < n_rows; ++p) {
        const int is_likely = p >= m->n_problems;

        run->cover_weight[p] = is_likely ? weight : 1;
        run->cover_best_ns[p] =
            is_likely ? m->likely_best[p - m->n_problems] : m->best_ns[p];
    }
    return (hone_cover_request){.n_problems = n_rows,
                                .n_candidates = m->n_candidates,
                                .time_ns = run->cover_ns,
                                .best_ns = run->cover_best_ns,
                                .weight = run->cover_weight,
                                .always = run->always,
                                .never = run->never,
                                .least =
                                    is_measured ? HONE_PORTFOLIO_LEAST : most,
                                .most = most,
                                .gain = is_measured ? HONE_PORTFOLIO_GAIN : 0};
}

/* By what is known so far, twice as many as are wanted. */
hone_status hone__portfolio_choose_candidates(hone_portfolio_run *run,
                                              hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    const size_t most = CANDIDATES_FOR_ONE * HONE_PORTFOLIO_MOST;
    const size_t bytes = (m->n_problems * m->n_candidates + 1) * sizeof(double);
    double *times = hone__alloc(bytes);
    hone_status status = HONE_OK;

    if (!times)
        return hone__out_of_memory(err, " for a portfolio");
    memcpy(times, m->time_ns, bytes - sizeof(double));
    hone__cover_estimate(m->n_problems, m->n_candidates, m->distance,
                         m->best_ns, times);
    mark(run);
    for (size_t i = 0; i < m->n_candidates; ++i) /* it could not be measured */
        run->never[i] |= !count_cells(m, m->time_ns, i, 0);
    {
        const hone_cover_request cover = cover_of(run, times, 0, most);

        status = hone__cover_choose(&cover, run->set, &run->n_set, err);
    }
    hone__free(times);
    return status;
}

/* Nobody has seen that it is right on edge shapes, after that was asked. */
static int is_in_doubt(const hone_matrix_candidate *c)
{
    return c->is_wrong || (c->is_asked && !c->is_proved && !c->is_vendor);
}

/* By what was measured. */
static hone_status choose_members(hone_portfolio_run *run, hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    const hone_cover_request cover =
        cover_of(run, m->time_ns, 1, HONE_PORTFOLIO_MOST);

    mark(run);
    for (size_t i = 0; i < m->n_candidates; ++i) {
        const hone_matrix_candidate *c = &m->candidates[i];

        /* Nor what could not be launched, since its code is not there any more,
         * or was right nowhere. */
        run->never[i] |= !run->is_measured[i] || is_in_doubt(c) ||
                         !count_cells(m, m->time_ns, i, 1) ||
                         (!c->is_vendor && !c->variant_id);
    }
    return hone__cover_choose(&cover, run->members, &run->n_members, err);
}

/* Those members stay of whom that is known. How many went. */
static size_t keep_proved(hone_portfolio_run *run)
{
    size_t kept = 0, n = run->n_members;

    for (size_t i = 0; i < n; ++i) {
        hone_matrix_candidate *c = &run->matrix.candidates[run->members[i]];

        c->is_asked = 1; /* even where no problem could be set up for it */
        if (!is_in_doubt(c))
            run->members[kept++] = run->members[i];
    }
    run->n_members = kept;
    return n - kept;
}

/* Members, all of them right on edge shapes: whoever is not is replaced, and in
 * the last round left out. */
static hone_status settle_members(hone_portfolio_run *run, hone_error *err)
{
    enum { MOST_ROUNDS = 6 };
    size_t n_gone = 1;

    for (int round = 0; n_gone && round < MOST_ROUNDS; ++round) {
        HONE_TRY(choose_members(run, err));
        HONE_TRY(hone__portfolio_measure(run, run->members, run->n_members,
                                         NULL, 1, err));
        n_gone = keep_proved(run);
    }
    return HONE_OK;
}

/* How many of those that were chosen are wrong somewhere; without them. */
static size_t drop_wrong(hone_portfolio_run *run)
{
    const size_t n_members = run->n_members;
    const size_t n = n_members + run->n_specialists;
    size_t kept = 0;

    for (size_t i = 0; i < n; ++i) {
        if (!run->matrix.candidates[run->members[i]].is_wrong)
            run->members[kept++] = run->members[i];
        else
            --*(i < n_members ? &run->n_members : &run->n_specialists);
    }
    return n - kept;
}

/* And specialists, and how far all of these may be launched; who turns out to
 * be wrong there is replaced, too. */
hone_status hone__portfolio_settle(hone_portfolio_run *run, hone_error *err)
{
    enum { MOST_ROUNDS = 3 };
    size_t n_wrong = 1;

    for (int round = 0; n_wrong && round < MOST_ROUNDS; ++round) {
        hone__portfolio_begin_step(run, HONE_STEP_edges);
        HONE_TRY(settle_members(run, err));
        hone__portfolio_begin_step(run, HONE_STEP_specialists);
        HONE_TRY(hone__portfolio_add_specialists(run, err));
        hone__portfolio_begin_step(run, HONE_STEP_reach);
        HONE_TRY(hone__portfolio_reach(run, err));
        n_wrong = drop_wrong(run);
    }
    return n_wrong ? hone__portfolio_read_trials(run, err) : HONE_OK;
}
