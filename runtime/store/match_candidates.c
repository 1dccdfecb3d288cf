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

/* Distance of a tuned shape; negative if it must not stand in. */
static double shape_distance(const hone_matcher *m, const hone_store_row *row)
{
    double sum = 0;
    unsigned both;

    if (row->n_dims != m->n_dims || strcmp(row->types, m->types) != 0)
        return -1;
    both = m->followers
               ? m->followers & hone__match_followers(m->spec, row->dims)
               : 0;
    for (size_t i = 0; i < m->n_dims; ++i) {
        double ratio;

        if (hone__dim_is_fixed(&m->spec->dims[i]))
            continue;
        if (row->dims[i] < 1 || alignment(m->dims[i]) < alignment(row->dims[i]))
            return -1;
        if (both >> i & 1)
            continue;
        ratio = fabs(log2((double)m->dims[i] / (double)row->dims[i]));
        if (ratio > most_log2_ratio)
            return -1;
        sum += ratio;
    }
    return sum;
}

static int same_dims(const hone_matcher *m, const hone_store_row *row)
{
    return row->n_dims == m->n_dims && strcmp(row->types, m->types) == 0 &&
           memcmp(row->dims, m->dims, m->n_dims * sizeof *m->dims) == 0;
}

/* As a default: only the variant itself counts, not where it was measured. The
 * preferred implementation comes first, the reference last; of one the rows of
 * default_v2, then the closest older architecture. */
static int judge_default(const hone_matcher *m, hone_store_row *row,
                         hone_candidate *out)
{
    if (!m->is_nothing &&
        (!row->is_default || strcmp(row->types, m->types) != 0))
        return 0;
    out->kind = HONE_MATCH_DEFAULT;
    out->distance = row->preference;
    out->mismatch = row->rank != 0;
    if (!m->target->is_host)
        out->mismatch += (int)(m->target->properties.value[HONE_PROPERTY_sm] -
                               strtol(row->compile_arch + 3, NULL, 10)) *
                         2;
    return 1;
}

static int judge(const hone_matcher *m, hone_store_row *row,
                 hone_candidate *out)
{
    const hone_target *target = m->target;

    *out = (hone_candidate){.row = row};
    if (target->is_host || !row->cubin_sha256[0]
            ? strcmp(row->compile_arch, m->arch) != 0
            : !hone__arch_runs_on(row->compile_arch,
                                  target->properties.value[HONE_PROPERTY_sm]))
        return 0;
    if (row->rank && strcmp(row->arch, m->arch) == 0 &&
        row->sm_count == target->properties.value[HONE_PROPERTY_sm_count]) {
        out->mismatch =
            (strcmp(row->device_name, target->name) != 0) * 4 +
            !row->is_cold * 2 +
            (strcmp(row->driver_version, target->driver_version) != 0);
        out->kind = HONE_MATCH_EXACT;
        if (same_dims(m, row))
            return 1;
        out->kind = HONE_MATCH_NEIGHBOUR;
        out->distance = shape_distance(m, row);
        if (out->distance >= 0)
            return 1;
        out->distance = 0;
    }
    return judge_default(m, row, out);
}

static int compare(const void *left, const void *right)
{
    const hone_candidate *a = left;
    const hone_candidate *b = right;
    const double of_a[] = {a->kind, a->distance, a->mismatch,
                           (double)a->row->rank, a->row->time_ns};
    const double of_b[] = {b->kind, b->distance, b->mismatch,
                           (double)b->row->rank, b->row->time_ns};

    for (size_t i = 0; i < sizeof of_a / sizeof of_a[0]; ++i) {
        if (of_a[i] < of_b[i] || of_a[i] > of_b[i])
            return of_a[i] < of_b[i] ? -1 : 1;
    }
    return (a->row > b->row) - (a->row < b->row);
}

hone_candidate *hone__match_candidates(const hone_matcher *m, size_t *out_n)
{
    hone_candidate *list = hone__alloc(m->op->n_rows * sizeof *list);

    *out_n = 0;
    for (size_t i = 0; list && i < m->op->n_rows; ++i)
        *out_n += (size_t)judge(m, &m->op->rows[i], &list[*out_n]);
    if (list)
        qsort(list, *out_n, sizeof *list, compare);
    return list;
}
