/* SPDX-License-Identifier: Apache-2.0 */
/* The first candidate that is whole and whose launch plan resolves for the
 * dimensions answers: kind by kind, in each of them from all sources. */
#include "runtime/store/match.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Neighbours of a pack that are read before all are. */
enum { NEIGHBOURS_AT_ONCE = 64 };

/* A vendor's function that cannot be used here, or code that cannot be
 * compiled: the next best will do. */
static hone_status refuse_row(hone_matcher *m, const hone_store *store,
                              hone_store_row *row, hone_error *reason)
{
    row->refused_by = store->n_queries;
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
        (hone_vendor_algorithm){.function = out->resolved.vendor->function};
    out->resolved.vendor = &out->library;
}

/* Not of the row alone: the next one would fail the same way. */
static int is_of_all(hone_status status)
{
    return status == HONE_ERR_NO_MEMORY || status == HONE_ERR_IO ||
           status == HONE_ERR_BUSY;
}

/* HONE_OK: this row answers, and is in use. A library may fail for lack of
 * memory, too. */
static hone_status take(hone_matcher *m, const hone_candidate *c,
                        hone_answer *out, int *out_failed, hone_error *err)
{
    const hone_match_source *s = c->source;
    const hone_launch_spec *spec = NULL;
    hone_store_row *row = c->row;
    hone_status status = HONE_OK;

    HONE_TRY(hone__store_spec(s->store, s->op, row, &spec, err));
    HONE_TRY(hone__launch_spec_resolve(
        &(hone_launch_case){spec, s->dims, s->n_dims, &m->target->properties},
        &out->resolved, err));
    HONE_TRY(hone__store_check_cubin(s->store, s->op, row, err));
    if (c->kind != HONE_MATCH_EXACT && out->resolved.vendor)
        ask_library(out);
    out->store = s->store;
    out->row = row;
    out->match.kind = c->kind;
    out->note[0] = '\0';
    out->compile_ns = 0;
    if (m->query->use)
        status = m->query->use(m->query->user, out, err);
    if (status == HONE_ERR_DATABASE) /* its code is not what the plan is for */
        return hone__store_blame(s->op, row, err);
    if (status != HONE_OK &&
        (spec->vendor.line ||
         (c->form != HONE_CODE_CUBIN && !is_of_all(status))))
        return refuse_row(m, s->store, row, err);
    *out_failed = status != HONE_OK;
    return status;
}

/* The query that is answered has met the row, and its library does not work. */
static int is_refused(const hone_store *store, const hone_store_row *row)
{
    return row->refused_by == store->n_queries;
}

/* The places behind a winner that does not answer may not be read yet. */
static int lacks_runners_up(const hone_store *store, const hone_store_row *row)
{
    return (row->damage || is_refused(store, row)) && row->rank == 1 &&
           !row->has_runners_up;
}

hone_status hone__match_try(hone_matcher *m, const hone_candidate *c,
                            hone_answer *out, hone_outcome *result,
                            hone_error *err)
{
    hone_store *store = c->source->store;
    hone_error reason = {0};
    int failed = 0;
    const hone_status status = take(m, c, out, &failed, &reason);

    if (status == HONE_OK) {
        hone__match_explain(m, c, out);
        out->n_left_out = m->n_damaged + m->n_refused + (m->no_chooser != NULL);
        *result = HONE_OUTCOME_FOUND;
        return HONE_OK;
    }
    if (failed || is_of_all(status))
        return hone__fail_native(err, status, reason.domain, reason.native,
                                 "%s", reason.text);
    if (c->row->damage) {
        ++m->n_damaged;
        m->damaged_in = store;
    }
    if (m->why.status == HONE_OK)
        m->why = reason;
    if (!lacks_runners_up(store, c->row))
        return HONE_OK;
    *result = HONE_OUTCOME_AGAIN;
    return hone__store_runners_up(store, c->source->op, c->row, err);
}

/* There is code for it now. */
static int is_ready(const hone_matcher *m, const hone_candidate *c)
{
    return c->form == HONE_CODE_CUBIN ||
           m->query->is_compiled(m->query->user, c->row);
}

/* `is_ready_only`: what is to be compiled is left out, and counted. */
/* Of the rows that were looked at. */
static void count_outdated(hone_matcher *m)
{
    m->n_outdated = 0;
    for (size_t i = 0; i < m->n_sources; ++i)
        m->n_outdated += m->sources[i].op->n_outdated;
    if (m->n_outdated)
        (void)snprintf(m->outdated, sizeof m->outdated,
                       " (%zu kernels of an older template are left out)",
                       m->n_outdated);
}

static hone_status choose(hone_matcher *m, hone_match_kind kind,
                          int is_ready_only, hone_answer *out,
                          hone_outcome *result, hone_error *err)
{
    hone_candidate *list = NULL;
    hone_status status;
    size_t n = 0;

    *result = HONE_OUTCOME_NOBODY;
    status = hone__match_candidates(m, kind, &list, &n, err);
    count_outdated(m);
    for (size_t i = 0;
         i < n && status == HONE_OK && *result == HONE_OUTCOME_NOBODY; ++i) {
        if (is_refused(list[i].source->store, list[i].row))
            continue;
        if (is_ready_only && !is_ready(m, &list[i]))
            ++m->n_waiting;
        else
            status = hone__match_try(m, &list[i], out, result, err);
    }
    hone__free(list);
    return status;
}

/* All rows of a kind are looked at where none of the first answers: of
 * neighbours the nearest, of a database's defaults those that it lists. */
static int look_further(hone_matcher *m)
{
    for (size_t i = 0; i < m->n_sources; ++i) {
        if (m->sources[i].spec && m->sources[i].op->has_more) {
            m->most = SIZE_MAX;
            return 1;
        }
    }
    return 0;
}

/* One kind of answers, from all sources. */
static hone_status find_kind(hone_matcher *m, hone_match_kind kind,
                             int is_ready_only, hone_answer *out,
                             hone_outcome *result, hone_error *err)
{
    const size_t n_damaged = m->n_damaged;

    do {
        m->n_damaged = n_damaged;
        HONE_TRY(choose(m, kind, is_ready_only, out, result, err));
        if (*result == HONE_OUTCOME_FOUND)
            return HONE_OK;
    } while (*result == HONE_OUTCOME_AGAIN || look_further(m));
    return HONE_OK;
}

/* Best first: the values of kinds are not in order. */
static const struct step {
    hone_match_kind kind;
    int is_by_chooser;
} steps[] = {{HONE_MATCH_EXACT, 0},     {HONE_MATCH_CHOSEN, 1},
             {HONE_MATCH_NEIGHBOUR, 0}, {HONE_MATCH_FAMILY, 1},
             {HONE_MATCH_FAMILY, 0},    {HONE_MATCH_DEFAULT, 0},
             {HONE_MATCH_PTX, 0},       {HONE_MATCH_REFERENCE, 0}};

/* What would have to be compiled is looked at in a second round, where it is
 * not to be now. Choosers' members are all compiled. */
static hone_status find(hone_matcher *m, hone_answer *out, hone_error *err)
{
    enum { N_STEPS = sizeof steps / sizeof steps[0] };
    const hone_compile_when when = m->query->compile;
    const size_t n_rounds = when == HONE_COMPILE_LATER ? 2 : 1;

    for (size_t i = 0; i < n_rounds * N_STEPS; ++i) {
        const struct step *step = &steps[i % N_STEPS];
        const int is_ready_only = when != HONE_COMPILE_NOW && i < N_STEPS;
        hone_outcome result = HONE_OUTCOME_NOBODY;

        if (!step->is_by_chooser)
            HONE_TRY(
                find_kind(m, step->kind, is_ready_only, out, &result, err));
        else if (i < N_STEPS)
            HONE_TRY(hone__match_choose(m, step->kind, out, &result, err));
        if (result == HONE_OUTCOME_FOUND) {
            out->is_waiting = is_ready_only && m->n_waiting;
            return HONE_OK;
        }
    }
    return hone__match_nothing_runs(m, err);
}

/* ---- the problem, as each source understands it ---------------------------
 */

/* The first launch plan that can be read, of the rows there are. */
static hone_status find_spec(hone_match_source *s, hone_error *err)
{
    hone_status status = HONE_ERR_INTERNAL;

    for (size_t i = 0; i < s->op->n_rows && status != HONE_OK; ++i) {
        s->sample = s->op->rows[i];
        status =
            hone__store_spec(s->store, s->op, s->op->rows[i], &s->spec, err);
        if (is_of_all(status))
            return status;
    }
    return status;
}

/* A launch plan tells the dims of the operation. Where all are damaged, those
 * behind the winners may do. */
static hone_status read_dims(const hone_matcher *m, hone_match_source *s,
                             hone_error *err)
{
    const hone_query *query = m->query;
    hone_status status = find_spec(s, err);
    size_t n_rows, used = 0;

    if (status != HONE_OK && !is_of_all(status)) {
        HONE_TRY(hone__store_widen(s->store, s->op, err));
        status = find_spec(s, err);
    }
    n_rows = s->op->n_rows;
    for (size_t i = 0; i < n_rows && status == HONE_ERR_DATABASE; ++i)
        if (lacks_runners_up(s->store, s->op->rows[i]))
            HONE_TRY(
                hone__store_runners_up(s->store, s->op, s->op->rows[i], err));
    if (s->op->n_rows > n_rows)
        status = find_spec(s, err);
    if (status != HONE_OK)
        return status;
    HONE_TRY(hone__launch_spec_complete_dims(s->spec, query->dims,
                                             query->n_dims, s->dims, err));
    s->n_dims = s->spec->n_dims;
    HONE_TRY(hone__launch_case_check_sizes(
        &(hone_launch_case){s->spec, s->dims, s->n_dims,
                            &m->target->properties},
        &s->is_nothing, err));
    s->followers = hone__match_followers(s->spec, s->dims);
    for (size_t i = 0; i < s->n_dims; ++i) {
        if (hone__dim_is_fixed(&s->spec->dims[i]))
            used += (size_t)snprintf(s->types + used, sizeof s->types - used,
                                     "%s%" PRId64, used ? "," : "", s->dims[i]);
    }
    return HONE_OK;
}

/* A source that has the operation for other dims, or all of it damaged, is
 * left out if there is one that can answer; else its error is the answer. */
static hone_status read_problem(hone_matcher *m, hone_error *err)
{
    hone_error first = {0};
    int known = 0;

    for (size_t i = 0; i < m->n_sources; ++i) {
        hone_match_source *s = &m->sources[i];
        hone_error why = {0};
        hone_status status;

        if (!s->op->n_rows)
            continue;
        ++s->store->n_queries;
        status = read_dims(m, s, &why);
        if (status == HONE_OK) {
            m->about = known ? m->about : s;
            known = 1;
            continue;
        }
        s->spec = NULL;
        if (is_of_all(status) || first.status == HONE_OK)
            first = why;
        if (is_of_all(status))
            break;
    }
    if (first.status == HONE_OK || (known && !is_of_all(first.status)))
        return HONE_OK;
    if (err)
        *err = first;
    return first.status;
}

static void describe_device(hone_matcher *m)
{
    const hone_target *target = m->target;

    if (!target->is_host)
        (void)snprintf(m->arch, sizeof m->arch, "sm_%d",
                       (int)target->properties.value[HONE_PROPERTY_sm]);
    (void)snprintf(m->device, sizeof m->device, "%s with %" PRId64 " %s",
                   m->arch, target->properties.value[HONE_PROPERTY_sm_count],
                   target->is_host ? "cores" : "multiprocessors");
}

/* Whether any source has the operation. */
static hone_status ask_sources(hone_matcher *m, int *out_any, hone_error *err)
{
    const hone_query *query = m->query;

    *out_any = 0;
    for (size_t i = 0; i < m->n_sources; ++i) {
        hone_match_source *s = &m->sources[i];

        s->store = query->stores[i];
        s->place = i;
        HONE_TRY(query->config
                     ? hone__store_op_configured(s->store, query->op,
                                                 query->implementation,
                                                 query->config, &s->op, err)
                     : hone__store_op(s->store, query->op, &s->op, err));
        *out_any |= s->op->n_rows != 0;
        s->n_dims =
            query->n_dims < HONE_MAX_DIMS ? query->n_dims : HONE_MAX_DIMS;
        if (s->n_dims)
            memcpy(s->dims, query->dims, s->n_dims * sizeof *query->dims);
    }
    return HONE_OK;
}

static hone_status match(hone_matcher *m, hone_answer *out, hone_error *err)
{
    int any = 0;

    HONE_TRY(ask_sources(m, &any, err));
    describe_device(m);
    count_outdated(m);
    if (!any)
        return hone__match_unknown_op(m, err);
    HONE_TRY(read_problem(m, err));
    return find(m, out, err);
}

hone_status hone__match_find(const hone_query *query, hone_answer *out,
                             hone_error *err)
{
    hone_matcher m = {.query = query,
                      .target = query->target,
                      .arch = HONE_ARCH_CPU,
                      .most = NEIGHBOURS_AT_ONCE,
                      .n_sources = query->n_stores};
    hone_status status;

    memset(out, 0, sizeof *out);
    m.sources = hone__alloc(query->n_stores * sizeof *m.sources);
    if (!m.sources)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory while looking for a kernel of %s",
                          query->op);
    m.about = m.sources;
    status = match(&m, out, err);
    hone__free(m.sources);
    return status;
}
