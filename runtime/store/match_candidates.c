/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows may answer a problem, and in what order. */
#include "runtime/store/match.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A neighbour's integer dims differ by at most this factor, either way. */
static const double most_log2_ratio = 2.0;

int hone__arch_runs_on(const char *compile_arch, int64_t sm)
{
    char *end = NULL;
    long built;

    if (strncmp(compile_arch, "sm_", 3) != 0)
        return 0;
    built = strtol(compile_arch + 3, &end, 10);
    if (end == compile_arch + 3)
        return 0;
    /* Architecture-specific code runs on that very one; other cubins on the
     * same major version from their minor version up. */
    if (strcmp(end, "a") == 0)
        return built == sm;
    return (*end == '\0' || strcmp(end, "f") == 0) && built / 10 == sm / 10 &&
           built <= sm;
}

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

/* Distance of a tuned shape of the same types; negative if it must not stand
 * in. */
static double shape_distance(const void *user, const int64_t *tuned)
{
    const hone_match_source *s = user;
    double sum = 0;
    unsigned both;

    /* Most are too far, which takes no logarithm to see. */
    for (size_t i = 0; i < s->n_dims; ++i)
        if (!hone__dim_is_fixed(&s->spec->dims[i]) &&
            (tuned[i] < 1 || alignment(s->dims[i]) < alignment(tuned[i])))
            return -1;
    both =
        s->followers ? s->followers & hone__match_followers(s->spec, tuned) : 0;
    for (size_t i = 0; i < s->n_dims; ++i) {
        double ratio;

        if (hone__dim_is_fixed(&s->spec->dims[i]) || both >> i & 1)
            continue;
        ratio = fabs(log2((double)s->dims[i] / (double)tuned[i]));
        if (ratio > most_log2_ratio)
            return -1;
        sum += ratio;
    }
    return sum;
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
    c->kind = HONE_MATCH_DEFAULT;
    c->distance = row->preference;
    c->mismatch = row->rank != 0;
    if (!m->target->is_host)
        c->mismatch += (int)(m->target->properties.value[HONE_PROPERTY_sm] -
                             strtol(row->compile_arch + 3, NULL, 10)) *
                       2;
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

/* Its kind is the best that it may answer as. */
static int judge(const hone_matcher *m, hone_candidate *c)
{
    const hone_target *target = m->target;
    const hone_store_row *row = c->row;

    if (target->is_host || !row->cubin_sha256[0]
            ? strcmp(row->compile_arch, m->arch) != 0
            : !hone__arch_runs_on(row->compile_arch,
                                  target->properties.value[HONE_PROPERTY_sm]))
        return 0;
    if (row->rank && strcmp(row->arch, m->arch) == 0 &&
        row->sm_count == target->properties.value[HONE_PROPERTY_sm_count] &&
        same_types(c->source, row)) {
        c->mismatch =
            (strcmp(row->device_name, target->name) != 0) * 4 +
            !row->is_cold * 2 +
            (strcmp(row->driver_version, target->driver_version) != 0);
        c->kind = HONE_MATCH_EXACT;
        if (memcmp(row->dims, c->source->dims,
                   row->n_dims * sizeof *row->dims) == 0)
            return 1;
        if (m->query->config)
            return judge_configured(c);
        c->kind = HONE_MATCH_NEIGHBOUR;
        c->distance = shape_distance(c->source, row->dims);
        if (c->distance >= 0)
            return 1;
    }
    return m->query->config ? judge_configured(c) : judge_default(m, c);
}

/* What is compared, the first number first: of exact rows the source counts
 * most, of neighbours the distance. Among defaults the reference comes last; of
 * one source the preferred implementation first, rows of defaults before
 * winners that are defaults, then the closest older architecture. */
enum { N_ORDER = 6 };

static void order_of(const hone_candidate *c, double out[N_ORDER])
{
    const int is_default = c->kind == HONE_MATCH_DEFAULT;

    out[0] = is_default ? c->distance > HONE_PREFERENCE_OF_OTHERS : c->distance;
    out[1] = (double)c->source->place;
    out[2] = is_default ? c->distance : 0;
    out[3] = c->mismatch;
    out[4] = (double)c->row->rank;
    out[5] = c->row->time_ns;
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
