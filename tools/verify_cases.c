/* SPDX-License-Identifier: Apache-2.0 */
/* Which types, values and configurations are verified: see verify_parts.h. */
#include "tools/verify_parts.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "tools/base/option_value.h"

#include <stdio.h>
#include <string.h>

/* Every configuration is tried with the first types and values; with each of
 * the others so many, and of all others together about as many as a small
 * space has. */
enum { MOST_OF_A_CASE = 8, OF_ALL_OTHERS = 64 };

/* Where a value stands in the list of its dimension. */
static size_t place_of(const hone_template_dim *dim, int64_t value)
{
    size_t i = 0;

    while (i + 1 < dim->n_types && dim->types[i] != value)
        ++i;
    return i;
}

/* The problem that --dims gives, or the defaults; which dimensions are free. */
static hone_status read_dims(const hone_options *options,
                             hone_verify_cases *cases, hone_error *err)
{
    const hone_template *tmpl = cases->tmpl;
    const char *text = options->text[HONE_OPT_DIMS];
    int64_t given[HONE_MAX_DIMS];
    size_t n_given = 0;

    hone__template_usual_dims(tmpl, 0, cases->base);
    if (text) {
        HONE_TRY(hone__template_read_dims(tmpl, text, given, &n_given, err));
        HONE_TRY(hone__template_complete_dims(tmpl, given, n_given, cases->base,
                                              err));
        cases->has_sizes = 1;
    }
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const hone_template_dim *dim = &tmpl->dims[i];

        if (dim->n_types && (i >= n_given || given[i] == HONE_DIM_DEFAULT))
            cases->free[cases->n_free++] = i;
    }
    return HONE_OK;
}

static hone_status open_cover(const hone_verify_cases *cases, uint64_t seed,
                              hone_cover **out, hone_error *err)
{
    size_t n_values[HONE_MAX_DIMS], first[HONE_MAX_DIMS];

    for (size_t i = 0; i < cases->n_free; ++i) {
        const size_t at = cases->free[i];
        const hone_template_dim *dim = &cases->tmpl->dims[at];

        n_values[i] = dim->n_types;
        first[i] = place_of(dim, cases->base[at]);
    }
    return hone__cover_open(cases->n_free, n_values, first, seed, out, err);
}

static hone_status count_planned(hone_verify_cases *cases, hone_error *err)
{
    size_t choice[HONE_MAX_DIMS];
    int more = 1;

    while (more) {
        HONE_TRY(hone__cover_next(cases->cover, choice, &more, err));
        cases->n_planned += more;
    }
    return HONE_OK;
}

hone_status hone__verify_cases_open(const hone_options *options,
                                    const hone_template *tmpl,
                                    hone_verify_cases *out, hone_error *err)
{
    const uint64_t seed = hone__option_seed(options);

    *out =
        (hone_verify_cases){.tmpl = tmpl,
                            .limit = options->number[HONE_OPT_LIMIT],
                            .is_one = options->text[HONE_OPT_CONFIG] != NULL};
    HONE_TRY(read_dims(options, out, err));
    HONE_TRY(open_cover(out, seed, &out->cover, err));
    HONE_TRY(count_planned(out, err));
    hone__cover_close(out->cover);
    return open_cover(out, seed, &out->cover, err);
}

void hone__verify_cases_close(hone_verify_cases *cases)
{
    hone__cover_close(cases->cover);
    hone__free(cases->items);
    *cases = (hone_verify_cases){0};
}

/* Configurations of the case that comes next; -1: --limit is used up. */
static int64_t share(const hone_verify_cases *cases)
{
    const int64_t n_others = cases->n_planned - 1;
    int64_t n_done = 0, each;

    for (size_t i = 0; i < cases->n; ++i)
        n_done += !cases->items[i].is_refused;
    if (!cases->limit) {
        if (n_done == 0 || cases->is_one)
            return 0;
        each = OF_ALL_OTHERS / (n_others > 0 ? n_others : 1);
        return each < 1 ? 1 : each > MOST_OF_A_CASE ? MOST_OF_A_CASE : each;
    }
    if (n_done >= cases->limit)
        return -1;
    each = cases->limit / cases->n_planned;
    each = each < 1 ? 1 : each;
    if (n_done)
        return each;
    return each * n_others < cases->limit ? cases->limit - each * n_others
                                          : each;
}

hone_status hone__verify_cases_next(hone_verify_cases *cases,
                                    hone_verify_case **out, hone_error *err)
{
    const int64_t limit = share(cases);
    hone_verify_case *item;
    int more = 0;

    *out = NULL;
    if (limit < 0)
        return HONE_OK;
    if (!HONE_GROW(cases->items, cases->n))
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    item = &cases->items[cases->n];
    *item = (hone_verify_case){.limit = limit};
    HONE_TRY(hone__cover_next(cases->cover, item->choice, &more, err));
    if (!more)
        return HONE_OK;
    memcpy(item->dims, cases->base, sizeof item->dims);
    for (size_t i = 0; i < cases->n_free; ++i) {
        const size_t at = cases->free[i];

        item->dims[at] = cases->tmpl->dims[at].types[item->choice[i]];
    }
    ++cases->n;
    *out = item;
    return HONE_OK;
}

void hone__verify_cases_refuse(hone_verify_cases *cases, const char *why)
{
    hone_verify_case *item = &cases->items[cases->n - 1];

    item->is_refused = 1;
    (void)snprintf(item->why, sizeof item->why, "%.250s", why);
    hone__cover_refuse(cases->cover);
}

void hone__verify_case_label(const hone_template *tmpl, const int64_t *dims,
                             hone_text *out)
{
    const size_t start = out->length;

    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        if (!tmpl->dims[i].n_types)
            continue;
        hone__text_printf(out, "%s%s=", out->length > start ? " " : "",
                          tmpl->dims[i].name);
        hone__template_dim_text(&tmpl->dims[i], dims[i], out);
    }
}
