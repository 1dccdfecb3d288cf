/* SPDX-License-Identifier: Apache-2.0 */
/* What members cost by their templates, for a chooser, and what trials teach
 * beside: see portfolio_parts.h. */
#include "gen/expand/estimate.h"
#include "gen/parse/parse.h"
#include "gen/space.h"
#include "tuner/portfolio/lessons.h"
#include "tuner/portfolio/portfolio_parts.h"

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

/* Of all members at one problem. `row`: room for features. */
static hone_status set_beside_at(const hone_portfolio_run *run,
                                 hone_chooser *out, size_t problem, float *row,
                                 hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    const hone_template *tmpl = m->impls[m->likely_impl];
    int64_t dims[HONE_MAX_DIMS] = {0};
    int64_t config[HONE_MAX_PARAMS];
    hone_features *features = NULL;
    const hone_lesson *lesson;

    memcpy(dims, &out->dims[problem * out->n_dims], out->n_dims * sizeof *dims);
    lesson = hone__lessons_at(m->lessons, dims);
    HONE_TRY(hone__features_create(tmpl, dims, m->properties, &features, err));
    for (size_t i = 0; i < out->n_members; ++i) {
        const hone_matrix_candidate *c = &m->candidates[run->members[i]];

        if (c->impl != m->likely_impl || !out->members[i].cost ||
            run->always[run->members[i]] ||
            hone__config_parse(tmpl, c->config, config, NULL) != HONE_OK)
            continue;
        hone__features_get(features, config, row);
        out->beside[problem * out->n_members + i] = hone__lesson(lesson, row);
    }
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
