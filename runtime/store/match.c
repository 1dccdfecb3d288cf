/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates for a problem are sorted, exact before neighbour before default,
 * and the first that is whole and whose launch plan resolves for the
 * dimensions wins. See match.h. */
#include "runtime/store/match_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

/* Distance of a tuned shape; negative if it must not stand in. */
static double shape_distance(const hone_matcher *m, const hone_store_row *row)
{
    double sum = 0;

    if (row->n_dims != m->n_dims || strcmp(row->types, m->types) != 0)
        return -1;
    for (size_t i = 0; i < m->n_dims; ++i) {
        double ratio;

        if (hone__launch_spec_dim_is_fixed(m->spec, i))
            continue;
        if (row->dims[i] < 1 || alignment(m->dims[i]) < alignment(row->dims[i]))
            return -1;
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

/* As a default: only the variant itself counts, not where it was measured.
 * Rows of default_v1 come first, then the closest older architecture. */
static int judge_default(const hone_matcher *m, hone_store_row *row,
                         hone_candidate_row *out)
{
    if (!row->is_default || strcmp(row->types, m->types) != 0)
        return 0;
    out->kind = HONE_MATCH_DEFAULT;
    out->mismatch = row->rank != 0;
    if (!m->target->is_host)
        out->mismatch += (int)(m->target->properties.value[HONE_PROPERTY_sm] -
                               strtol(row->compile_arch + 3, NULL, 10)) *
                         2;
    return 1;
}

static int judge(const hone_matcher *m, hone_store_row *row,
                 hone_candidate_row *out)
{
    const hone_target *target = m->target;

    *out = (hone_candidate_row){.row = row};
    if (target->is_host
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
    const hone_candidate_row *a = left;
    const hone_candidate_row *b = right;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance ? -1 : 1;
    if (a->mismatch != b->mismatch)
        return a->mismatch < b->mismatch ? -1 : 1;
    if (a->row->rank != b->row->rank)
        return a->row->rank < b->row->rank ? -1 : 1;
    if (a->row->time_ns < b->row->time_ns || a->row->time_ns > b->row->time_ns)
        return a->row->time_ns < b->row->time_ns ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Candidates, best first; NULL when memory ran out. */
static hone_candidate_row *collect(const hone_matcher *m, size_t *out_n)
{
    hone_candidate_row *list = hone__alloc(m->op->n_rows * sizeof *list);

    *out_n = 0;
    for (size_t i = 0; list && i < m->op->n_rows; ++i)
        *out_n += (size_t)judge(m, &m->op->rows[i], &list[*out_n]);
    if (list)
        qsort(list, *out_n, sizeof *list, compare);
    return list;
}

/* HONE_OK: this row answers. */
static hone_status take(hone_matcher *m, hone_store_row *row, hone_answer *out,
                        hone_error *err)
{
    const hone_launch_spec *spec = NULL;

    HONE_TRY(hone__store_spec(m->store, m->op, row, &spec, err));
    HONE_TRY(hone__launch_spec_resolve(
        &(hone_launch_case){spec, m->dims, m->n_dims, &m->target->properties},
        &out->resolved, err));
    HONE_TRY(hone__store_check_cubin(m->store, m->op, row, err));
    out->row = row;
    return HONE_OK;
}

/* Not of the row alone: the next one would fail the same way. */
static int is_of_all(hone_status status)
{
    return status == HONE_ERR_NO_MEMORY || status == HONE_ERR_IO ||
           status == HONE_ERR_BUSY;
}

/* `*out_again`: the places behind a damaged winner are rows now, and all have
 * to be sorted again. */
static hone_status choose(hone_matcher *m, const hone_candidate_row *list,
                          size_t n, hone_answer *out, int *out_again,
                          hone_error *err)
{
    hone_error why = {0}; /* of the best candidate that does not answer */

    m->n_damaged = 0;
    for (size_t i = 0; i < n; ++i) {
        hone_store_row *row = list[i].row;
        hone_error reason = {0};
        const hone_status status = take(m, row, out, &reason);

        if (status == HONE_OK) {
            hone__match_explain(m, &list[i], &out->match);
            return HONE_OK;
        }
        if (is_of_all(status))
            return hone__fail(err, status, "%s", reason.text);
        m->n_damaged += row->damage != NULL;
        if (row->damage && row->rank == 1 && !row->has_runners_up) {
            *out_again = 1;
            return hone__store_runners_up(m->store, m->op,
                                          (size_t)(row - m->op->rows), err);
        }
        if (why.status == HONE_OK)
            why = reason;
    }
    return hone__match_nothing_runs(m, &why, err);
}

static hone_status find(hone_matcher *m, hone_answer *out, hone_error *err)
{
    hone_status status;
    int again;

    do {
        size_t n = 0;
        hone_candidate_row *list = collect(m, &n);

        again = 0;
        status = list ? choose(m, list, n, out, &again, err)
                      : hone__fail(err, HONE_ERR_NO_MEMORY,
                                   "out of memory while looking for a kernel "
                                   "of %s",
                                   m->op->name);
        hone__free(list);
    } while (status == HONE_OK && again);
    return status;
}

/* A launch plan that can be read tells the dims of the operation. */
static hone_status read_dims(hone_matcher *m, const int64_t *dims,
                             size_t n_dims, hone_error *err)
{
    hone_status status = HONE_ERR_INTERNAL;
    size_t used = 0;

    for (size_t i = 0; i < m->op->n_rows && status != HONE_OK; ++i) {
        status =
            hone__store_spec(m->store, m->op, &m->op->rows[i], &m->spec, err);
        if (is_of_all(status))
            return status;
    }
    if (status != HONE_OK)
        return status;
    HONE_TRY(
        hone__launch_spec_complete_dims(m->spec, dims, n_dims, m->dims, err));
    m->n_dims = hone__launch_spec_n_dims(m->spec);
    for (size_t i = 0; i < m->n_dims; ++i) {
        if (hone__launch_spec_dim_is_fixed(m->spec, i))
            used += (size_t)snprintf(m->types + used, sizeof m->types - used,
                                     "%s%" PRId64, used ? "," : "", m->dims[i]);
    }
    return HONE_OK;
}

hone_status hone__match_find(hone_store *store, const hone_target *target,
                             const char *op, const int64_t *dims, size_t n_dims,
                             hone_answer *out, hone_error *err)
{
    hone_matcher m = {.target = target, .store = store};

    memset(out, 0, sizeof *out);
    HONE_TRY(hone__store_op(store, op, &m.op, err));
    if (!m.op->n_rows) {
        m.n_dims = n_dims < HONE_MAX_DIMS ? n_dims : HONE_MAX_DIMS;
        if (m.n_dims)
            memcpy(m.dims, dims, m.n_dims * sizeof *dims);
        return hone__match_unknown_op(&m, err);
    }
    if (target->is_host)
        (void)snprintf(m.arch, sizeof m.arch, "%s", HONE_ARCH_CPU);
    else
        (void)snprintf(m.arch, sizeof m.arch, "sm_%d",
                       (int)target->properties.value[HONE_PROPERTY_sm]);
    HONE_TRY(read_dims(&m, dims, n_dims, err));
    return find(&m, out, err);
}
