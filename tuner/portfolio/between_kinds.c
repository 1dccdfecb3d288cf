/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of problems of a list and between them. See between_kinds.h. */
#include "tuner/portfolio/between_kinds.h"

#include "runtime/base/alloc.h"

#include <string.h>

int hone__between_is_alike(const hone_template *tmpl, const int64_t *a,
                           const int64_t *b)
{
    for (size_t d = 0; d < tmpl->n_dims; ++d)
        if (tmpl->dims[d].n_types && a[d] != b[d])
            return 0;
    return 1;
}

int hone__between_is_special(const hone_template *tmpl, const int64_t *dims)
{
    for (size_t d = 0; d < tmpl->n_dims; ++d)
        if (tmpl->dims[d].default_expr.expr &&
            !hone__template_dim_follows(tmpl, d, dims))
            return 1;
    return 0;
}

hone_between_kind *hone__between_kinds_of(const hone_between_kinds *kinds,
                                          const hone_template *tmpl,
                                          const int64_t *dims)
{
    for (size_t i = 0; i < kinds->n; ++i)
        if (hone__between_is_alike(tmpl, kinds->items[i].dims, dims))
            return &kinds->items[i];
    return NULL;
}

hone_between_kind *hone__between_kinds_neediest(hone_between_kinds *kinds)
{
    hone_between_kind *out = NULL;

    for (size_t i = 0; i < kinds->n; ++i) {
        hone_between_kind *kind = &kinds->items[i];

        if (!kind->is_full && kind->n < HONE_BETWEEN_LEAST_PROBLEMS &&
            (!out || kind->n < out->n))
            out = kind;
    }
    return out;
}

/* Of these types and choices, unless there is one or no room for it. */
static void add(hone_between_kinds *kinds, const hone_template *tmpl,
                const int64_t *dims, size_t from)
{
    hone_between_kind *kind;

    if (kinds->n == HONE_BETWEEN_MOST_KINDS ||
        hone__between_kinds_of(kinds, tmpl, dims))
        return;
    kind = &kinds->items[kinds->n++];
    *kind = (hone_between_kind){.from = from};
    for (size_t d = 0; d < tmpl->n_dims; ++d)
        kind->dims[d] = tmpl->dims[d].n_types ? dims[d] : 0;
}

/* What the list has of a scale beside these other types and choices. */
static void find_range(const hone_between_request *r, const int64_t *beside,
                       size_t scale, int64_t *least, int64_t *most)
{
    *least = *most = beside[scale];
    for (size_t i = 0; i < r->n_problems; ++i) {
        int64_t dims[HONE_MAX_DIMS];

        memcpy(dims, r->dims[i], sizeof dims);
        dims[scale] = beside[scale];
        if (!hone__between_is_alike(r->tmpl, dims, beside) ||
            hone__between_is_special(r->tmpl, r->dims[i]))
            continue;
        *least = r->dims[i][scale] < *least ? r->dims[i][scale] : *least;
        *most = r->dims[i][scale] > *most ? r->dims[i][scale] : *most;
    }
}

static void add_between(const hone_between_request *r,
                        hone_between_kinds *kinds, size_t scale)
{
    const hone_template_dim *dim = &r->tmpl->dims[scale];

    for (size_t i = 0; i < r->n_problems; ++i) {
        int64_t dims[HONE_MAX_DIMS];
        int64_t least, most;

        if (hone__between_is_special(r->tmpl, r->dims[i]))
            continue;
        find_range(r, r->dims[i], scale, &least, &most);
        memcpy(dims, r->dims[i], sizeof dims);
        for (size_t v = 0; v < dim->n_types; ++v) {
            dims[scale] = dim->types[v];
            if (dims[scale] > least && dims[scale] < most)
                add(kinds, r->tmpl, dims, i);
        }
    }
}

hone_status hone__between_kinds_find(const hone_between_request *r,
                                     hone_between_kinds *out, hone_error *err)
{
    *out = (hone_between_kinds){
        .items = hone__alloc(HONE_BETWEEN_MOST_KINDS * sizeof *out->items)};
    if (!out->items)
        return hone__out_of_memory(err, " for kinds of problems");
    for (size_t i = 0; i < r->n_problems; ++i)
        if (!hone__between_is_special(r->tmpl, r->dims[i])) {
            hone_between_kind *kind;

            add(out, r->tmpl, r->dims[i], i);
            kind = hone__between_kinds_of(out, r->tmpl, r->dims[i]);
            if (kind)
                ++kind->n;
        }
    for (size_t d = 0; d < r->tmpl->n_dims; ++d)
        if (hone__template_dim_is_scale(&r->tmpl->dims[d]))
            add_between(r, out, d);
    return HONE_OK;
}

void hone__between_kinds_free(hone_between_kinds *kinds)
{
    hone__free(kinds->items);
    *kinds = (hone_between_kinds){.items = NULL};
}
