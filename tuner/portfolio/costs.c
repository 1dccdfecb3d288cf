/* SPDX-License-Identifier: Apache-2.0 */
/* What members cost by their templates, for a chooser, and what trials teach
 * beside: see portfolio_parts.h. */
#include "gen/expand/estimate.h"
#include "gen/parse/parse.h"
#include "gen/space.h"
#include "tuner/portfolio/lessons.h"
#include "tuner/portfolio/portfolio_parts.h"

#include <math.h>
#include <string.h>

/* Members share what their costs have in common. */
static hone_status add(void *user, const char *text, size_t *out,
                       hone_error *err)
{
    hone_chooser *chooser = user;

    for (size_t i = 0; i < chooser->n_estimates; ++i)
        if (strcmp(hone__expr_text(chooser->estimates[i].expr), text) == 0) {
            *out = i;
            return HONE_OK;
        }
    *out = chooser->n_estimates;
    return hone__chooser_add_estimate(chooser, text, strlen(text), err);
}

hone_status hone__portfolio_set_cost(const hone_portfolio_run *run,
                                     size_t member, hone_chooser *out,
                                     hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    const hone_matrix_candidate *c = &m->candidates[run->members[member]];
    const hone_template *tmpl = m->impls[c->impl];
    int64_t config[HONE_MAX_PARAMS];
    hone_text text = {0};
    hone_status status;
    size_t estimate = 0;
    const size_t n_before = out->n_estimates;

    if (!tmpl->cost ||
        hone__config_parse(tmpl, c->config, config, NULL) != HONE_OK)
        return HONE_OK;
    status = hone__expand_estimate(tmpl, config, m->problems[0].dims,
                                   m->properties, add, out, &text, err);
    if (status == HONE_OK)
        status = add(out, hone__text_str(&text), &estimate, err);
    if (status == HONE_OK)
        out->members[member].cost = estimate + 1;
    hone__text_free(&text);
    if (status == HONE_OK || status == HONE_ERR_NO_MEMORY)
        return status;
    hone__error_clear(err); /* it is predicted like one without */
    hone__chooser_keep_estimates(out, n_before);
    return HONE_OK;
}

/* ---- beside costs ---------------------------------------------------------
 */

enum { CHEAPEST = 4 };

/* Members that places may have: what lessons add is said there. */
static int is_taught(const hone_portfolio_run *run, const hone_chooser *out,
                     size_t member)
{
    const size_t candidate = run->members[member];

    return run->matrix.candidates[candidate].impl == run->matrix.likely_impl &&
           out->members[member].cost &&
           !hone__portfolio_is_safe(run, candidate);
}

/* What lessons add has a level of its own at each problem, which says nothing
 * to libraries and others that have none: it is taken off, as the mean of those
 * that are the cheapest there by costs and lessons together. `cost`: 0 of those
 * that are not valid there. */
static void centre(const hone_portfolio_run *run, const hone_chooser *out,
                   const double *cost, double *beside)
{
    unsigned char is_taken[HONE_PORTFOLIO_WITH_SPECIALISTS] = {0};
    double sum = 0;
    size_t n = 0;

    for (; n < CHEAPEST; ++n) {
        size_t best = SIZE_MAX;

        for (size_t i = 0; i < out->n_members; ++i)
            if (cost[i] > 0 && !is_taken[i] && is_taught(run, out, i) &&
                (best == SIZE_MAX || cost[i] < cost[best]))
                best = i;
        if (best == SIZE_MAX)
            break;
        is_taken[best] = 1;
        sum += beside[best];
    }
    for (size_t i = 0; i < out->n_members && n; ++i)
        if (is_taught(run, out, i))
            beside[i] -= sum / (double)n;
}

void hone__portfolio_likely_beside(const hone_portfolio_run *run,
                                   const hone_chooser *out, size_t likely,
                                   double *beside)
{
    const hone_matrix *m = &run->matrix;
    double cost[HONE_PORTFOLIO_WITH_SPECIALISTS];

    for (size_t i = 0; i < out->n_members; ++i) {
        const size_t at = likely * m->n_candidates + run->members[i];

        cost[i] = m->likely_cost[at];
        beside[i] = is_taught(run, out, i) ? m->likely_beside[at] : 0;
    }
    centre(run, out, cost, beside);
}

/* Of all members at one problem of the chooser. `row`: room for features. */
static hone_status set_beside_at(const hone_portfolio_run *run,
                                 hone_chooser *out, size_t problem, float *row,
                                 hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    const hone_template *tmpl = m->impls[m->likely_impl];
    double *beside = &out->beside[problem * out->n_members];
    double cost[HONE_PORTFOLIO_WITH_SPECIALISTS] = {0};
    int64_t dims[HONE_MAX_DIMS] = {0};
    int64_t config[HONE_MAX_PARAMS];
    hone_features *features = NULL;
    const hone_lesson *lesson;

    memcpy(dims, &out->dims[problem * out->n_dims], out->n_dims * sizeof *dims);
    lesson = hone__lessons_at(m->lessons, dims);
    HONE_TRY(hone__features_create(tmpl, dims, m->properties, &features, err));
    for (size_t i = 0; i < out->n_members; ++i) {
        const size_t c = run->members[i];
        double own;

        if (!is_taught(run, out, i) ||
            hone__config_parse(tmpl, m->candidates[c].config, config, NULL) !=
                HONE_OK)
            continue;
        hone__features_get(features, config, row);
        beside[i] = hone__lesson(lesson, row);
        own = hone__features_row_cost(features, row);
        if (own > 0 && /* of a further problem: who is valid there? */
            (problem >= m->n_problems ||
             hone__portfolio_cell(run, problem, c) >= HONE_CELL_UNKNOWN))
            cost[i] = exp(own + beside[i]);
    }
    centre(run, out, cost, beside);
    hone__features_free(features);
    return HONE_OK;
}

hone_status hone__portfolio_set_beside(const hone_portfolio_run *run,
                                       hone_chooser *out, hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    hone_features *any = NULL;
    hone_status status;
    float *row;

    out->beside =
        hone__arena_alloc(&out->arena, (out->n_problems * out->n_members + 1) *
                                           sizeof *out->beside);
    if (!out->beside)
        return hone__out_of_memory(err, " for a portfolio");
    if (!m->lessons || !run->n_specialists)
        return HONE_OK; /* there are no places that would say it */
    HONE_TRY(hone__features_create(m->impls[m->likely_impl],
                                   m->problems[0].dims, m->properties, &any,
                                   err));
    row = hone__alloc((hone__features_count(any) + 1) * sizeof *row);
    status = row ? HONE_OK : hone__out_of_memory(err, " for a portfolio");
    for (size_t p = 0; p < out->n_problems && status == HONE_OK; ++p)
        status = set_beside_at(run, out, p, row, err);
    hone__free(row);
    hone__features_free(any);
    return status;
}
