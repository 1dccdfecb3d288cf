/* SPDX-License-Identifier: Apache-2.0 */
/* The first candidate that is whole and whose launch plan resolves for the
 * dimensions answers. */
#include "runtime/store/match.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A vendor's function that cannot be used here: the next best will do, also
 * where memory was short. */
static hone_status refuse_row(hone_matcher *m, hone_store_row *row,
                              hone_error *reason)
{
    row->is_refused = 1;
    reason->status = HONE_ERR_UNSUPPORTED;
    if (!m->n_refused++)
        m->refusal = *reason;
    return HONE_ERR_UNSUPPORTED;
}

/* A library's algorithm is for one shape: at another one the library says what
 * it would take itself. */
static void ask_library(hone_answer *out)
{
    out->library =
        (hone_vendor_choice){.function = out->resolved.vendor->function};
    out->resolved.vendor = &out->library;
}

/* HONE_OK: this row answers, and is in use. */
static hone_status take(hone_matcher *m, const hone_candidate *c,
                        hone_answer *out, int *out_failed, hone_error *err)
{
    const hone_launch_spec *spec = NULL;
    hone_store_row *row = c->row;
    hone_status status = HONE_OK;

    HONE_TRY(hone__store_spec(m->store, m->op, row, &spec, err));
    HONE_TRY(hone__launch_spec_resolve(
        &(hone_launch_case){spec, m->dims, m->n_dims, &m->target->properties},
        &out->resolved, err));
    HONE_TRY(hone__store_check_cubin(m->store, m->op, row, err));
    if (c->kind != HONE_MATCH_EXACT && out->resolved.vendor)
        ask_library(out);
    out->row = row;
    out->note[0] = '\0';
    if (m->query->use)
        status = m->query->use(m->query->user, out, err);
    if (status != HONE_OK && spec->vendor.line)
        return refuse_row(m, row, err);
    *out_failed = status != HONE_OK;
    return status;
}

/* Not of the row alone: the next one would fail the same way. */
static int is_of_all(hone_status status)
{
    return status == HONE_ERR_NO_MEMORY || status == HONE_ERR_IO ||
           status == HONE_ERR_BUSY;
}

/* The places behind a winner that does not answer may not be read yet. */
static int lacks_runners_up(const hone_store_row *row)
{
    return (row->damage || row->is_refused) && row->rank == 1 &&
           !row->has_runners_up;
}

/* `*out_again`: the places behind a damaged winner are rows now, and all have
 * to be sorted again. */
static hone_status choose(hone_matcher *m, const hone_candidate *list, size_t n,
                          hone_answer *out, int *out_again, hone_error *err)
{
    hone_error why = m->refusal; /* of the best one that does not answer */

    m->n_damaged = 0;
    for (size_t i = 0; i < n; ++i) {
        hone_store_row *row = list[i].row;
        hone_error reason = {0};
        int failed = 0;
        hone_status status;

        if (row->is_refused)
            continue;
        status = take(m, &list[i], out, &failed, &reason);
        if (status == HONE_OK) {
            hone__match_explain(m, &list[i], out->note, &out->match);
            return HONE_OK;
        }
        if (failed || is_of_all(status))
            return hone__fail_native(err, status, reason.domain, reason.native,
                                     "%s", reason.text);
        m->n_damaged += row->damage != NULL;
        if (lacks_runners_up(row)) {
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
        hone_candidate *list = hone__match_candidates(m, &n);

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

/* The first launch plan that can be read, of the rows there are. */
static hone_status find_spec(hone_matcher *m, hone_error *err)
{
    hone_status status = HONE_ERR_INTERNAL;

    for (size_t i = 0; i < m->op->n_rows && status != HONE_OK; ++i) {
        status =
            hone__store_spec(m->store, m->op, &m->op->rows[i], &m->spec, err);
        if (is_of_all(status))
            return status;
    }
    return status;
}

/* A launch plan tells the dims of the operation. Where all are damaged, those
 * behind the winners may do. */
static hone_status read_dims(hone_matcher *m, const int64_t *dims,
                             size_t n_dims, hone_error *err)
{
    const size_t n_rows = m->op->n_rows;
    hone_status status = find_spec(m, err);
    size_t used = 0;

    for (size_t i = 0; i < n_rows && status == HONE_ERR_DATABASE; ++i)
        if (lacks_runners_up(&m->op->rows[i]))
            HONE_TRY(hone__store_runners_up(m->store, m->op, i, err));
    if (m->op->n_rows > n_rows)
        status = find_spec(m, err);
    if (status != HONE_OK)
        return status;
    HONE_TRY(
        hone__launch_spec_complete_dims(m->spec, dims, n_dims, m->dims, err));
    m->n_dims = m->spec->n_dims;
    HONE_TRY(hone__launch_case_check_sizes(
        &(hone_launch_case){m->spec, m->dims, m->n_dims,
                            &m->target->properties},
        &m->is_nothing, err));
    m->followers = hone__match_followers(m->spec, m->dims);
    for (size_t i = 0; i < m->n_dims; ++i) {
        if (hone__dim_is_fixed(&m->spec->dims[i]))
            used += (size_t)snprintf(m->types + used, sizeof m->types - used,
                                     "%s%" PRId64, used ? "," : "", m->dims[i]);
    }
    return HONE_OK;
}

hone_status hone__match_find(const hone_query *query, hone_answer *out,
                             hone_error *err)
{
    const hone_target *target = query->target;
    const size_t n_dims = query->n_dims;
    hone_matcher m = {.query = query,
                      .target = target,
                      .store = query->store,
                      .arch = HONE_ARCH_CPU};

    memset(out, 0, sizeof *out);
    HONE_TRY(hone__store_op(m.store, query->op, &m.op, err));
    if (!m.op->n_rows) {
        m.n_dims = n_dims < HONE_MAX_DIMS ? n_dims : HONE_MAX_DIMS;
        if (m.n_dims)
            memcpy(m.dims, query->dims, m.n_dims * sizeof *query->dims);
        return hone__match_unknown_op(&m, err);
    }
    for (size_t i = 0; i < m.op->n_rows; ++i)
        m.op->rows[i].is_refused = 0;
    if (!target->is_host)
        (void)snprintf(m.arch, sizeof m.arch, "sm_%d",
                       (int)target->properties.value[HONE_PROPERTY_sm]);
    (void)snprintf(m.device, sizeof m.device, "%s with %" PRId64 " %s", m.arch,
                   target->properties.value[HONE_PROPERTY_sm_count],
                   target->is_host ? "cores" : "multiprocessors");
    if (m.op->n_outdated)
        (void)snprintf(m.outdated, sizeof m.outdated,
                       " (%zu winners of an older template are left out)",
                       m.op->n_outdated);
    HONE_TRY(read_dims(&m, query->dims, n_dims, err));
    return find(&m, out, err);
}
