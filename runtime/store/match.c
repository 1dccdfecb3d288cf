/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates for a problem are sorted, exact before neighbour before default,
 * and the first that is whole and whose launch plan resolves for the
 * dimensions wins. See store.h. */
#include "runtime/store/store.h"

#include "runtime/launch/launch_body.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row that may answer; better ones compare lower. */
typedef struct candidate {
    hone_store_row *row;
    hone_match_kind kind;
    double distance; /* of neighbours: sum of |log2 ratio| over the dims */
    int mismatch;    /* other device name, mode, driver, architecture */
} candidate;

/* Room for every dim as a number, sign and comma included. */
enum { DIMS_TEXT_BYTES = HONE_MAX_DIMS * 21 + 1 };

/* What every step reads. */
typedef struct matcher {
    const hone_query *query;
    const hone_target *target; /* these two are the query's */
    hone_store *store;
    hone_store_op *op;
    const hone_launch_spec *spec; /* of any row: all have the same dims */
    char arch[16];                /* of the device: "sm_90", "cpu" */
    int64_t dims[HONE_MAX_DIMS];  /* completed */
    size_t n_dims;
    int is_nothing;              /* any row will do: none is launched */
    unsigned followers;          /* see followers() */
    char types[DIMS_TEXT_BYTES]; /* codes of the type dims, as the database
                                    spells it */
    char device[64];             /* "sm_90 with 132 multiprocessors" */
    char outdated[80];  /* " (3 winners of an older template are left out)",
                           or nothing */
    size_t n_damaged;   /* better ones that were left out for that */
    size_t n_refused;   /* better functions of vendors that cannot be used */
    hone_error refusal; /* why the best of them */
} matcher;

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

/* The dims whose default is an expression, and that have it: such a leading
 * dimension says nothing about a shape that the others do not. */
static unsigned followers(const hone_launch_spec *spec, const int64_t *dims)
{
    unsigned derived = 0;

    for (size_t i = 0; i < spec->n_dims; ++i)
        derived |= (spec->dims[i].default_expr ? 1u : 0u) << i;
    return derived ? derived & hone__launch_spec_defaults(spec, dims) : 0;
}

/* Distance of a tuned shape; negative if it must not stand in. */
static double shape_distance(const matcher *m, const hone_store_row *row)
{
    double sum = 0;
    unsigned both;

    if (row->n_dims != m->n_dims || strcmp(row->types, m->types) != 0)
        return -1;
    both = m->followers ? m->followers & followers(m->spec, row->dims) : 0;
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

static int same_dims(const matcher *m, const hone_store_row *row)
{
    return row->n_dims == m->n_dims && strcmp(row->types, m->types) == 0 &&
           memcmp(row->dims, m->dims, m->n_dims * sizeof *m->dims) == 0;
}

/* As a default: only the variant itself counts, not where it was measured. The
 * preferred implementation comes first, the reference last; of one the rows of
 * default_v2, then the closest older architecture. */
static int judge_default(const matcher *m, hone_store_row *row, candidate *out)
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

static int judge(const matcher *m, hone_store_row *row, candidate *out)
{
    const hone_target *target = m->target;

    *out = (candidate){.row = row};
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
    const candidate *a = left;
    const candidate *b = right;
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

/* Candidates, best first; NULL when memory ran out. */
static candidate *collect(const matcher *m, size_t *out_n)
{
    candidate *list = hone__alloc(m->op->n_rows * sizeof *list);

    *out_n = 0;
    for (size_t i = 0; list && i < m->op->n_rows; ++i)
        *out_n += (size_t)judge(m, &m->op->rows[i], &list[*out_n]);
    if (list)
        qsort(list, *out_n, sizeof *list, compare);
    return list;
}

/* ---- why, as sentences --------------------------------------------------- */

static void explain(const matcher *m, const candidate *c, const char *note,
                    hone_match *out)
{
    const hone_store_row *row = c->row;
    char *reason = out->reason;
    size_t room = sizeof out->reason;

    out->kind = c->kind;
    out->tuned_time_ns = (int64_t)(row->time_ns + 0.5);
    if (c->kind == HONE_MATCH_DEFAULT)
        out->tuned_time_ns = 0; /* of another shape, if of any */
    (void)snprintf(out->config, sizeof out->config, "%s", row->config);
    (void)snprintf(out->implementation, sizeof out->implementation, "%s",
                   row->implementation);
    /* What everybody should know comes first: the rest may be cut. */
    if (m->n_damaged) {
        (void)snprintf(reason, room,
                       "%zu better left out: damaged in the database (hone "
                       "tune stores good ones); ",
                       m->n_damaged);
        room -= strlen(reason);
        reason += strlen(reason);
    }
    if (m->n_refused) {
        (void)snprintf(reason, room, "%zu better left out: %.100s; ",
                       m->n_refused, m->refusal.text);
        room -= strlen(reason);
        reason += strlen(reason);
    }
    if (note[0]) {
        (void)snprintf(reason, room, "%s (hone tune finds it anew); ", note);
        room -= strlen(reason);
        reason += strlen(reason);
    }
    if (m->is_nothing) {
        (void)snprintf(reason, room,
                       "a size is 0, nothing is to be written: no launch");
        return;
    }
    switch (c->kind) {
    case HONE_MATCH_EXACT:
        (void)snprintf(reason, room, "tuned for these dimensions on %.100s%s",
                       row->device_name, row->is_cold ? "" : " (hot mode)");
        break;
    case HONE_MATCH_NEIGHBOUR:
        (void)snprintf(reason, room,
                       "tuned on %.60s for the nearest shape, %.100s; its "
                       "constraints hold for this one",
                       row->device_name, row->label);
        break;
    case HONE_MATCH_DEFAULT:
        (void)snprintf(reason, room,
                       "no shape near this one is tuned on %s%s; this is "
                       "the default variant of %.64s, for %.16s",
                       m->device, m->outdated, row->implementation,
                       row->compile_arch);
        break;
    }
}

/* "64,64,f32". Without a launch plan nothing tells which dims are types: they
 * are codes then, which --dims takes too. */
static void put_dims(const matcher *m, hone_text *out)
{
    for (size_t i = 0; i < m->n_dims; ++i)
        if (m->dims[i] == HONE_DIM_DEFAULT)
            hone__text_puts(out, i ? "," : "");
        else if (m->spec && m->spec->dims[i].is_type)
            hone__text_printf(out, "%s%s", i ? "," : "",
                              hone__type_name((hone_type)m->dims[i]));
        else
            hone__text_printf(out, "%s%" PRId64, i ? "," : "", m->dims[i]);
}

/* "hone tune gemm --dims 64,64,f32": what a shell runs as it stands. */
static hone_status tune_command(const matcher *m, hone_text *out,
                                hone_error *err)
{
    const char *path = m->store->file.path;
    hone_text usual = {0};

    hone__text_puts(out, "hone tune ");
    hone__shell_word(m->op->name, out);
    hone__text_puts(out, m->n_dims ? " --dims " : " --dims ''");
    put_dims(m, out);
    if (m->target->is_host)
        hone__text_puts(out, " --device cpu");
    if (hone__default_database(&usual, NULL) != HONE_OK ||
        strcmp(hone__text_str(&usual), path) != 0) {
        hone__text_puts(out, " --db ");
        hone__shell_word(path, out);
    }
    hone__text_free(&usual);
    return hone__text_check(out, err);
}

/* `why`, and what to run. */
static hone_status refuse(const matcher *m, hone_status status,
                          const hone_text *why, hone_error *err)
{
    hone_text command = {0};
    hone_status made = hone__text_check(why, err);

    if (made == HONE_OK)
        made = tune_command(m, &command, err);
    if (made == HONE_OK)
        made = hone__fail(err, status, "%.600s; run: %s", hone__text_str(why),
                          hone__text_str(&command));
    hone__text_free(&command);
    return made;
}

static hone_status nothing_runs(const matcher *m, const hone_error *why,
                                hone_error *err)
{
    hone_text text = {0};
    hone_status status;

    if (why->status != HONE_OK) {
        hone__text_printf(&text, "no kernel of %s can run dims ", m->op->name);
        put_dims(m, &text);
        hone__text_printf(&text, " on %s%s: %.400s", m->device, m->outdated,
                          why->text);
    } else {
        hone__text_printf(
            &text, "nothing tuned for %s on %s%s; the database has it for %s",
            m->op->name, m->device, m->outdated, m->op->rows[0].compile_arch);
    }
    status = refuse(m, HONE_ERR_NOT_FOUND, &text, err);
    hone__text_free(&text);
    return status;
}

static hone_status unknown_op(const matcher *m, hone_error *err)
{
    const char *path = m->store->file.path;
    const hone_store_op *op = m->op;
    const char *const device = m->target->is_host ? " for the cpu device" : "";
    hone_text text = {0}, ops = {0};
    hone_status status = HONE_OK;

    if (op->n_outdated) {
        hone__text_printf(&text,
                          "database '%s' has%s only winners of an older "
                          "template of '%s'",
                          path, device, op->name);
    } else if (op->n_unreadable) {
        hone__text_printf(&text,
                          "database '%s' is damaged: the dims of the winners "
                          "of '%s' cannot be read",
                          path, op->name);
    } else {
        status = hone__store_list_ops(m->store, &ops, err);
        hone__text_printf(&text,
                          "operation '%s' is not in database '%s', which has "
                          "%s%s",
                          op->name, path,
                          ops.length ? hone__text_str(&ops) : "none", device);
    }
    if (status == HONE_OK)
        status =
            refuse(m,
                   !op->n_outdated && op->n_unreadable ? HONE_ERR_DATABASE
                                                       : HONE_ERR_NOT_FOUND,
                   &text, err);
    hone__text_free(&text);
    hone__text_free(&ops);
    return status;
}

/* ---- the answer ---------------------------------------------------------- */

/* A vendor's function that cannot be used here: the next best will do, also
 * where memory was short. */
static hone_status refuse_row(matcher *m, hone_store_row *row,
                              hone_error *reason)
{
    row->is_refused = 1;
    reason->status = HONE_ERR_UNSUPPORTED;
    if (!m->n_refused++)
        m->refusal = *reason;
    return HONE_ERR_UNSUPPORTED;
}

/* HONE_OK: this row answers, and is in use. */
/* A library's algorithm is for one shape: at another one the library says what
 * it would take itself. */
static void ask_library(hone_answer *out)
{
    out->library =
        (hone_vendor_choice){.function = out->resolved.vendor->function};
    out->resolved.vendor = &out->library;
}

static hone_status take(matcher *m, const candidate *c, hone_answer *out,
                        int *out_failed, hone_error *err)
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
static hone_status choose(matcher *m, const candidate *list, size_t n,
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
            explain(m, &list[i], out->note, &out->match);
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
    return nothing_runs(m, &why, err);
}

static hone_status find(matcher *m, hone_answer *out, hone_error *err)
{
    hone_status status;
    int again;

    do {
        size_t n = 0;
        candidate *list = collect(m, &n);

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
static hone_status find_spec(matcher *m, hone_error *err)
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
static hone_status read_dims(matcher *m, const int64_t *dims, size_t n_dims,
                             hone_error *err)
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
    m->followers = followers(m->spec, m->dims);
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
    matcher m = {.query = query,
                 .target = target,
                 .store = query->store,
                 .arch = HONE_ARCH_CPU};

    memset(out, 0, sizeof *out);
    HONE_TRY(hone__store_op(m.store, query->op, &m.op, err));
    if (!m.op->n_rows) {
        m.n_dims = n_dims < HONE_MAX_DIMS ? n_dims : HONE_MAX_DIMS;
        if (m.n_dims)
            memcpy(m.dims, query->dims, m.n_dims * sizeof *query->dims);
        return unknown_op(&m, err);
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
