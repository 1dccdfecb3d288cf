/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows may answer a problem, and in what order. */
#include "runtime/store/match.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A neighbour's integer dims differ by at most this factor, either way. */
static const double most_ratio = 4.0;

/* How well a size is aligned: the largest of 16, 8, 4, 2, 1 dividing it. */
static int64_t alignment(int64_t size)
{
    const int64_t lowest_bit = size & -size;

    return lowest_bit < 16 ? lowest_bit : 16;
}

unsigned hone__match_followers(const hone_launch_spec *spec,
                               const int64_t *dims)
{
    unsigned derived = 0;

    for (size_t i = 0; i < spec->n_dims; ++i)
        derived |= (spec->dims[i].default_expr ? 1u : 0u) << i;
    return derived ? derived & hone__launch_spec_defaults(spec, dims) : 0;
}

/* The larger of the two is so many times the other. */
static double times(int64_t a, int64_t b)
{
    return a > b ? (double)a / (double)b : (double)b / (double)a;
}

/* Distance of a tuned shape; negative if it must not stand in. */
static double shape_distance(const void *user, const int64_t *tuned)
{
    const hone_match_source *s = user;
    double product = 1; /* of the ratios: the sum of their logarithms */
    unsigned both;

    /* Most are too far, which takes no logarithm to see. */
    for (size_t i = 0; i < s->n_dims; ++i) {
        if (hone__dim_is_fixed(&s->spec->dims[i])) {
            if (tuned[i] != s->dims[i])
                return -1;
        } else if (tuned[i] < 1 ||
                   alignment(s->dims[i]) < alignment(tuned[i])) {
            return -1;
        }
    }
    both =
        s->followers ? s->followers & hone__match_followers(s->spec, tuned) : 0;
    for (size_t i = 0; i < s->n_dims; ++i) {
        double ratio;

        if (hone__dim_is_fixed(&s->spec->dims[i]) || both >> i & 1)
            continue;
        ratio = times(s->dims[i], tuned[i]);
        if (ratio > most_ratio)
            return -1;
        product *= ratio;
    }
    return log(product);
}

static int same_types(const hone_match_source *s, const hone_store_row *row)
{
    return row->n_dims == s->n_dims && strcmp(row->types, s->types) == 0;
}

/* As a default: only the variant itself counts, not where it was measured. */
static int judge_default(const hone_matcher *m, hone_candidate *c)
{
    const hone_store_row *row = c->row;

    if (!c->source->is_nothing &&
        (!row->is_default || strcmp(row->types, c->source->types) != 0))
        return 0;
    c->kind =
        row->preference > HONE_PREFERENCE_OF_OTHERS && !c->source->is_nothing
            ? HONE_MATCH_REFERENCE
            : HONE_MATCH_DEFAULT;
    c->is_preferred = 1;
    c->distance = row->preference;
    c->mismatch = row->rank != 0;
    c->n_older = hone__arch_age(row->compile_arch, m->arch);
    return 1;
}

/* Where one configuration is wanted, every row of it will do; which it is says
 * what is known of it. */
static int judge_configured(hone_candidate *c)
{
    if (strcmp(c->row->types, c->source->types) != 0)
        return 0;
    c->kind = c->row->rank ? HONE_MATCH_NEIGHBOUR : HONE_MATCH_DEFAULT;
    c->distance = 0;
    return 1;
}

static int is_same_shape(const hone_candidate *c)
{
    return memcmp(c->row->dims, c->source->dims,
                  c->row->n_dims * sizeof *c->row->dims) == 0;
}

int hone__match_mismatches(const hone_matcher *m, const char *device_name,
                           int is_cold, const char *driver_version)
{
    const hone_target *target = m->target;

    return (strcmp(device_name, target->name) != 0) * 4 + !is_cold * 2 +
           (strcmp(driver_version, target->driver_version) != 0);
}

static int count_mismatches(const hone_matcher *m, const hone_store_row *row)
{
    return hone__match_mismatches(m, row->device_name, row->is_cold,
                                  row->driver_version);
}

/* Measured on a device like this one. */
static int judge_tuned(const hone_matcher *m, hone_candidate *c)
{
    c->mismatch = count_mismatches(m, c->row);
    c->kind = HONE_MATCH_EXACT;
    if (is_same_shape(c))
        return 1;
    if (m->query->config)
        return judge_configured(c);
    c->kind = HONE_MATCH_NEIGHBOUR;
    c->distance = shape_distance(c->source, c->row->dims);
    return c->distance >= 0;
}

/* Measured on another device: its shape is as far as that of a neighbour, and
 * half as many multiprocessors are as far as half the size. */
static int judge_foreign(const hone_matcher *m, hone_candidate *c)
{
    const hone_store_row *row = c->row;
    const int64_t n_here = m->target->properties.value[HONE_PROPERTY_sm_count];

    if (m->query->config || c->source->is_nothing || row->sm_count < 1 ||
        n_here < 1)
        return 0;
    c->distance =
        is_same_shape(c) ? 0 : shape_distance(c->source, c->row->dims);
    if (c->distance < 0)
        return 0;
    c->distance += fabs(log((double)n_here / (double)row->sm_count));
    c->mismatch = count_mismatches(m, row);
    return 1;
}

static int judge_family(const hone_matcher *m, hone_candidate *c)
{
    c->kind = HONE_MATCH_FAMILY;
    c->n_older = hone__arch_family_distance(c->row->arch, m->arch);
    return c->n_older >= 0 && judge_foreign(m, c);
}

/* What is still to be compiled for this device comes behind what is, whatever
 * it was measured on; of the reference implementation behind all. */
static int judge_compiled(const hone_matcher *m, hone_candidate *c)
{
    c->form = hone__code_form(c->row->compile_arch);
    if (m->query->config)
        return judge_configured(c);
    c->kind = HONE_MATCH_PTX;
    if (c->row->rank && same_types(c->source, c->row) && judge_foreign(m, c))
        return 1;
    if (!judge_default(m, c))
        return 0;
    if (c->kind == HONE_MATCH_DEFAULT && !c->source->is_nothing)
        c->kind = HONE_MATCH_PTX;
    return 1;
}

int hone__match_runs_here(const hone_matcher *m, const hone_store_row *row)
{
    const hone_target *target = m->target;

    return target->is_host || !row->cubin_sha256[0]
               ? strcmp(row->compile_arch, m->arch) == 0
               : hone__arch_runs_on(row->compile_arch,
                                    target->properties.value[HONE_PROPERTY_sm]);
}

/* Its kind is the best that it may answer as. */
static int judge(const hone_matcher *m, hone_candidate *c)
{
    const hone_store_row *row = c->row;

    if (!hone__match_runs_here(m, row))
        return 0;
    if (hone__code_form(row->compile_arch) != HONE_CODE_CUBIN)
        return judge_compiled(m, c);
    if (row->rank && same_types(c->source, row)) {
        const int is_alike =
            strcmp(row->arch, m->arch) == 0 &&
            row->sm_count ==
                m->target->properties.value[HONE_PROPERTY_sm_count];

        if (is_alike ? judge_tuned(m, c) : judge_family(m, c))
            return 1;
    }
    return m->query->config ? judge_configured(c) : judge_default(m, c);
}

/* What is compared, the first number first. Code that is there comes before
 * code that is to be compiled, what was measured before defaults. Then, of
 * exact rows the source counts most, of neighbours the distance, of other
 * devices' the architecture; of defaults of one source the preferred
 * implementation comes first, the closest older architecture, rows of defaults
 * before winners that are defaults. */
enum { N_ORDER = 8 };

static void order_of(const hone_candidate *c, double out[N_ORDER])
{
    const int is_default = c->is_preferred;

    out[0] = c->form;
    out[1] = is_default;
    out[2] = is_default ? 0 : c->n_older;
    out[3] = is_default ? (double)c->source->place : c->distance;
    out[4] = is_default ? c->distance : (double)c->source->place;
    out[5] = is_default ? c->mismatch + 2 * c->n_older : c->mismatch;
    out[6] = (double)c->row->rank;
    out[7] = c->row->time_ns;
}

static int compare(const void *left, const void *right)
{
    const hone_candidate *a = left;
    const hone_candidate *b = right;
    double of_a[N_ORDER], of_b[N_ORDER];
    int order;

    order_of(a, of_a);
    order_of(b, of_b);
    for (size_t i = 0; i < N_ORDER; ++i) {
        if (of_a[i] < of_b[i] || of_a[i] > of_b[i])
            return of_a[i] < of_b[i] ? -1 : 1;
    }
    /* By what they are: where they lie in memory is not the same twice. */
    order = strcmp(a->row->config, b->row->config);
    if (order)
        return order;
    order = strcmp(a->row->cubin_sha256, b->row->cubin_sha256);
    return order ? order
                 : (a->row->id > b->row->id) - (a->row->id < b->row->id);
}

static hone_status gather(const hone_matcher *m, const hone_match_source *s,
                          hone_match_kind kind, hone_error *err)
{
    return hone__store_gather(
        s->store, s->op,
        &(hone_wanted){.kind = kind,
                       .is_any = s->is_nothing,
                       .arch = m->arch,
                       .sm_count =
                           m->target->properties.value[HONE_PROPERTY_sm_count],
                       .types = s->types,
                       .dims = s->dims,
                       .n_dims = s->n_dims,
                       .distance = shape_distance,
                       .user = s,
                       .most = m->most},
        err);
}

hone_status hone__match_candidates(const hone_matcher *m, hone_match_kind kind,
                                   hone_candidate **out, size_t *out_n,
                                   hone_error *err)
{
    hone_candidate *list = NULL;
    size_t n = 0;

    *out = NULL;
    *out_n = 0;
    for (size_t i = 0; i < m->n_sources; ++i) {
        const hone_match_source *s = &m->sources[i];

        if (!s->spec)
            continue;
        HONE_TRY(gather(m, s, kind, err));
        n += s->op->n_rows;
    }
    if (!n)
        return HONE_OK;
    list = hone__alloc(n * sizeof *list);
    if (!list)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory while looking for a kernel of %s",
                          m->query->op);
    for (size_t i = 0; i < m->n_sources; ++i) {
        const hone_match_source *s = &m->sources[i];

        for (size_t j = 0; s->spec && j < s->op->n_rows; ++j) {
            hone_candidate *c = &list[*out_n];

            *c = (hone_candidate){.source = s, .row = s->op->rows[j]};
            *out_n += judge(m, c) && c->kind == kind;
        }
    }
    qsort(list, *out_n, sizeof *list, compare);
    *out = list;
    return HONE_OK;
}
