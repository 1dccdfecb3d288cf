/* SPDX-License-Identifier: Apache-2.0 */
/* Problems between the tuned ones, and what candidates cost there: see
 * matrix.h. */
#include "gen/parse/parse.h"
#include "gen/solve/solve.h"
#include "tuner/compile/allowance.h"
#include "tuner/portfolio/between.h"
#include "tuner/portfolio/likely.h"
#include "tuner/portfolio/matrix.h"
#include "tuner/process/parallel.h"

#include <math.h>
#include <string.h>

enum { SEED = 1 };

static hone_status no_memory(hone_error *err)
{
    return hone__out_of_memory(err, " for a portfolio");
}

/* The one that says what it costs and that most candidates are of: costs of two
 * templates cannot be compared. n_impls: there is none. */
static size_t find_impl(const hone_matrix *m)
{
    size_t best = m->n_impls, most = 0;

    for (size_t i = 0; i < m->n_impls; ++i) {
        size_t n = 0;

        for (size_t c = 0; c < m->n_candidates; ++c)
            n += m->candidates[c].impl == i;
        if (m->impls[i]->cost && !m->impls[i]->call && n > most) {
            most = n;
            best = i;
        }
    }
    return best;
}

static hone_status draw(hone_matrix *m, hone_error *err)
{
    const size_t n = m->n_problems + m->n_others;
    int64_t(*dims)[HONE_MAX_DIMS] =
        hone__arena_alloc(&m->arena, (n + 1) * sizeof *dims);

    m->likely =
        hone__arena_alloc(&m->arena, HONE_LIKELY_MOST * sizeof *m->likely);
    m->likely_best =
        hone__arena_alloc(&m->arena, HONE_LIKELY_MOST * sizeof(double));
    if (!dims || !m->likely || !m->likely_best)
        return no_memory(err);
    for (size_t i = 0; i < n; ++i)
        memcpy(dims[i], hone__matrix_sizes(m, i), sizeof *dims);
    return hone__between_draw(
        &(hone_between_request){.tmpl = m->tune->tmpl,
                                .dims = (const int64_t(*)[HONE_MAX_DIMS])dims,
                                .n_problems = n,
                                .n_wanted = HONE_LIKELY_MOST,
                                .seed = SEED},
        m->likely, &m->n_likely, err);
}

/* ---- each for itself ------------------------------------------------------
 */

typedef struct likely_work {
    hone_matrix *matrix;
    char *configs[HONE_LIKELY_MOST]; /* the cheapest; NULL: nothing is valid */
} likely_work;

hone_status hone__matrix_check_stop(const hone_matrix *m, hone_error *err)
{
    const volatile sig_atomic_t *stop = m->tune->farm.stop;

    return stop && *stop ? hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted")
                         : HONE_OK;
}

static hone_status find_cheapest(void *user, int64_t i, hone_error *err)
{
    likely_work *work = user;
    hone_matrix *m = work->matrix;
    int64_t config[HONE_MAX_PARAMS];
    hone_error why = {0};
    hone_text text = {0};
    hone_likely likely;
    double cost = 0;
    hone_status status = hone__likely_open(
        m->impls[m->likely_impl], m->likely[i], m->properties,
        hone__lessons_at(m->lessons, m->likely[i]), &likely, &why);

    if (status == HONE_OK)
        status = hone__likely_cheapest(&likely, config, &cost, &why);
    if (status == HONE_OK) {
        hone__space_format(likely.space, config, &text); /* as it is stored */
        m->likely_best[i] = exp(cost);
        work->configs[i] = hone__strdup(hone__text_str(&text));
        if (text.failed || !work->configs[i])
            status = HONE_ERR_NO_MEMORY;
    }
    hone__text_free(&text);
    hone__likely_close(&likely);
    return status == HONE_ERR_NO_MEMORY ? no_memory(err)
                                        : hone__matrix_check_stop(m, err);
}

/* A row of cells: what each candidate costs there. */
static hone_status find_costs(void *user, int64_t i, hone_error *err)
{
    hone_matrix *m = ((likely_work *)user)->matrix;
    const size_t n = m->n_candidates;
    double *cells = &m->likely_cost[(size_t)i * n];
    hone_error why = {0};
    hone_likely likely;
    const hone_status status = hone__likely_open_unsolved(
        m->impls[m->likely_impl], m->likely[i], m->properties,
        hone__lessons_at(m->lessons, m->likely[i]), &likely, &why);

    for (size_t c = 0; c < n; ++c) {
        int64_t config[HONE_MAX_PARAMS];
        double cost;

        cells[c] = HONE_CELL_INVALID; /* all, if it took too long this time */
        if (status != HONE_OK || m->candidates[c].impl != m->likely_impl ||
            hone__config_parse(likely.tmpl, m->candidates[c].config, config,
                               NULL) != HONE_OK)
            continue;
        cost = hone__likely_cost(&likely, config,
                                 &m->likely_beside[(size_t)i * n + c]);
        if (!isfinite(cost))
            continue;
        cells[c] = exp(cost);
        m->likely_best[i] = fmin(m->likely_best[i], cells[c]);
    }
    hone__likely_close(&likely);
    return status == HONE_ERR_NO_MEMORY ? no_memory(err)
                                        : hone__matrix_check_stop(m, err);
}

/* ---- all of them ----------------------------------------------------------
 */

/* What is the cheapest at each becomes a candidate; problems where nothing is
 * valid are left out. */
static hone_status add_cheapest(likely_work *work, hone_error *err)
{
    hone_matrix *m = work->matrix;
    const size_t n_drawn = m->n_likely;

    m->n_likely = 0;
    for (size_t i = 0; i < n_drawn; ++i) {
        const size_t to = m->n_likely;

        if (!work->configs[i])
            continue;
        memmove(m->likely[to], m->likely[i], sizeof *m->likely);
        m->likely_best[to] = m->likely_best[i];
        ++m->n_likely;
        HONE_TRY(hone__matrix_add(m, m->likely_impl, work->configs[i], 0, err));
    }
    m->likely_cost = hone__arena_alloc(
        &m->arena, (2 * m->n_likely * m->n_candidates + 1) * sizeof(double));
    if (!m->likely_cost)
        return no_memory(err);
    m->likely_beside = m->likely_cost + m->n_likely * m->n_candidates;
    return HONE_OK;
}

/* A core each, and the memory that a space may take. */
static int count_threads(void)
{
    enum { MOST = 32 };
    hone_allowance allowance = {.n_cores = 1};
    int64_t n;

    hone__allowance_read(&allowance);
    n = allowance.memory_bytes / ((int64_t)HONE_SPACE_MEMORY_MIB << 20);
    n = n < allowance.n_cores ? n : allowance.n_cores;
    n = n < MOST ? n : MOST;
    return n < 1 ? 1 : (int)n;
}

/* Each takes a tenth of a second where a template has millions of
 * configurations, and some megabytes while it is looked at. */
hone_status hone__matrix_add_likely(hone_matrix *m, hone_error *err)
{
    const int n_threads = count_threads();
    likely_work work = {.matrix = m};
    hone_status status;

    m->likely_impl = find_impl(m);
    if (m->likely_impl == m->n_impls || !m->n_problems)
        return HONE_OK;
    HONE_TRY(draw(m, err));
    HONE_TRY(hone__lessons_learn(m, m->likely_impl, &m->lessons, err));
    status = hone__parallel_for((int64_t)m->n_likely, n_threads, find_cheapest,
                                &work, err);
    if (status == HONE_OK)
        status = add_cheapest(&work, err);
    if (status == HONE_OK)
        status = hone__parallel_for((int64_t)m->n_likely, n_threads, find_costs,
                                    &work, err);
    for (size_t i = 0; i < HONE_LIKELY_MOST; ++i)
        hone__free(work.configs[i]);
    return status;
}

hone_status hone__matrix_learn_likely(hone_matrix *m, hone_error *err)
{
    likely_work work = {.matrix = m};

    if (!m->n_likely)
        return HONE_OK;
    hone__lessons_free(m->lessons);
    HONE_TRY(hone__lessons_learn(m, m->likely_impl, &m->lessons, err));
    for (size_t i = 0; i < m->n_likely; ++i)
        m->likely_best[i] = INFINITY; /* of candidates alone, from now on */
    return hone__parallel_for((int64_t)m->n_likely, count_threads(), find_costs,
                              &work, err);
}
