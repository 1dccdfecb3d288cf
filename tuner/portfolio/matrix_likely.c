/* SPDX-License-Identifier: Apache-2.0 */
/* Problems between the tuned ones, and what candidates cost there: see
 * matrix.h. */
#include "gen/parse/parse.h"
#include "tuner/portfolio/between.h"
#include "tuner/portfolio/likely.h"
#include "tuner/portfolio/matrix.h"

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
        if (m->impls[i]->cost && n > most) {
            most = n;
            best = i;
        }
    }
    return best;
}

static hone_status draw(hone_matrix *m, hone_error *err)
{
    int64_t(*dims)[HONE_MAX_DIMS] =
        hone__arena_alloc(&m->arena, (m->n_problems + 1) * sizeof *dims);

    m->likely =
        hone__arena_alloc(&m->arena, HONE_LIKELY_MOST * sizeof *m->likely);
    m->likely_best =
        hone__arena_alloc(&m->arena, HONE_LIKELY_MOST * sizeof(double));
    if (!dims || !m->likely || !m->likely_best)
        return no_memory(err);
    for (size_t i = 0; i < m->n_problems; ++i)
        memcpy(dims[i], m->problems[i].dims, sizeof *dims);
    return hone__between_draw(
        &(hone_between_request){.tmpl = m->tune->tmpl,
                                .dims = (const int64_t(*)[HONE_MAX_DIMS])dims,
                                .n_problems = m->n_problems,
                                .n_wanted = HONE_LIKELY_MOST,
                                .seed = SEED},
        m->likely, &m->n_likely, err);
}

/* What is the cheapest at each becomes a candidate; problems where nothing is
 * valid are left out. `open` has room for all. */
static hone_status add_cheapest(hone_matrix *m, hone_likely *open,
                                hone_error *err)
{
    const hone_template *tmpl = m->impls[m->likely_impl];
    const size_t n_drawn = m->n_likely;

    m->n_likely = 0;
    for (size_t i = 0; i < n_drawn; ++i) {
        hone_likely *likely = &open[m->n_likely];
        int64_t config[HONE_MAX_PARAMS];
        hone_error why = {0};
        hone_text text = {0};
        double cost = 0;
        hone_status status =
            hone__likely_open(tmpl, m->likely[i], m->properties, likely, &why);

        if (status == HONE_OK)
            status = hone__likely_cheapest(likely, config, &cost, &why);
        if (status != HONE_OK) {
            hone__likely_close(likely);
            if (status == HONE_ERR_NO_MEMORY)
                return no_memory(err);
            continue;
        }
        memcpy(m->likely[m->n_likely], m->likely[i], sizeof *m->likely);
        m->likely_best[m->n_likely++] = exp(cost);
        hone__space_format(likely->space, config, &text); /* as it is stored */
        status = hone__text_check(&text, err);
        if (status == HONE_OK)
            status = hone__matrix_add(m, m->likely_impl, hone__text_str(&text),
                                      0, err);
        hone__text_free(&text);
        HONE_TRY(status);
    }
    return HONE_OK;
}

/* A row of cells: what each candidate costs at one of them. */
static void find_costs(hone_matrix *m, size_t at, const hone_likely *likely)
{
    double *cells = &m->likely_cost[at * m->n_candidates];

    for (size_t c = 0; c < m->n_candidates; ++c) {
        int64_t config[HONE_MAX_PARAMS];
        double cost;

        cells[c] = HONE_CELL_INVALID;
        if (m->candidates[c].impl != m->likely_impl ||
            hone__config_parse(likely->tmpl, m->candidates[c].config, config,
                               NULL) != HONE_OK)
            continue;
        cost = hone__likely_cost(likely, config);
        if (!isfinite(cost))
            continue;
        cells[c] = exp(cost);
        m->likely_best[at] = fmin(m->likely_best[at], cells[c]);
    }
}

hone_status hone__matrix_add_likely(hone_matrix *m, hone_error *err)
{
    hone_likely open[HONE_LIKELY_MOST] = {{0}};
    hone_status status;

    m->likely_impl = find_impl(m);
    if (m->likely_impl == m->n_impls)
        return HONE_OK;
    HONE_TRY(draw(m, err));
    status = add_cheapest(m, open, err);
    if (status == HONE_OK) {
        m->likely_cost = hone__arena_alloc(
            &m->arena, (m->n_likely * m->n_candidates + 1) * sizeof(double));
        status = m->likely_cost ? HONE_OK : no_memory(err);
    }
    for (size_t i = 0; i < m->n_likely && status == HONE_OK; ++i)
        find_costs(m, i, &open[i]);
    for (size_t i = 0; i < HONE_LIKELY_MOST; ++i)
        hone__likely_close(&open[i]);
    return status;
}
