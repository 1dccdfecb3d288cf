/* SPDX-License-Identifier: Apache-2.0 */
/* What members cost by their templates, for a chooser: see
 * portfolio_parts.h. */
#include "gen/expand/estimate.h"
#include "gen/parse/parse.h"
#include "gen/space.h"
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
