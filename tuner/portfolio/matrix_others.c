/* SPDX-License-Identifier: Apache-2.0 */
/* Tuned problems of other types, as they would be of a matrix's: see matrix.h.
 */
#include "tuner/portfolio/matrix.h"

#include "gen/parse/parse.h"
#include "runtime/base/grow.h"
#include "runtime/choose/chooser.h"

#include <string.h>

hone_status hone__matrix_add_other(hone_matrix *m, const int64_t *dims,
                                   hone_error *err)
{
    if (m->n_others == HONE_CHOOSER_PROBLEMS)
        return HONE_OK; /* what was tuned last comes first */
    if (!HONE_GROW(m->others, m->n_others))
        return hone__out_of_memory(err, " for a portfolio");
    memcpy(m->others[m->n_others++], dims, sizeof *m->others);
    return HONE_OK;
}

const int64_t *hone__matrix_sizes(const hone_matrix *m, size_t i)
{
    return i < m->n_problems ? m->problems[i].dims
                             : m->others[i - m->n_problems];
}

/* With the types of `like`; 0: it has a default that it differs from, such as
 * rows with room between them, or is no problem of these types. */
static int make_alike(const hone_template *tmpl, const int64_t *like,
                      const int64_t *other, int64_t *out)
{
    int64_t dims[HONE_MAX_DIMS];

    for (size_t d = 0; d < tmpl->n_dims; ++d) {
        const int is_default = tmpl->dims[d].default_expr.expr != NULL;

        if (is_default && !hone__template_dim_follows(tmpl, d, other))
            return 0;
        dims[d] = is_default              ? HONE_DIM_DEFAULT
                  : tmpl->dims[d].n_types ? like[d]
                                          : other[d];
    }
    memset(out, 0, HONE_MAX_DIMS * sizeof *out);
    return hone__template_complete_dims(tmpl, dims, tmpl->n_dims, out, NULL) ==
           HONE_OK;
}

void hone__matrix_settle_others(hone_matrix *m)
{
    const hone_template *tmpl = m->tune->tmpl;
    const size_t n = m->n_others, bytes = tmpl->n_dims * sizeof(int64_t);

    m->n_others = 0;
    for (size_t i = 0; i < n && m->n_problems; ++i) {
        int64_t dims[HONE_MAX_DIMS];
        int is_known =
            !make_alike(tmpl, m->problems[0].dims, m->others[i], dims);

        for (size_t k = 0; k < m->n_problems + m->n_others && !is_known; ++k)
            is_known = memcmp(hone__matrix_sizes(m, k), dims, bytes) == 0;
        if (!is_known)
            memcpy(m->others[m->n_others++], dims, sizeof *m->others);
    }
}
