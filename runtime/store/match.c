/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates for a problem are ranked once, exact before neighbour before
 * default, and the first whose launch plan resolves for the dimensions
 * wins. See match.h. */
#include "runtime/store/match.h"

#include "runtime/expr/expr.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A neighbour's integer dims differ by at most this factor, either way. */
static const double most_log2_ratio = 2.0;

/* A row that may answer; better ones compare lower. */
typedef struct candidate {
    const hone_store_row *row;
    hone_match_kind kind;
    double distance; /* of neighbours: sum of |log2 ratio| over the dims */
    int strangeness; /* other device name, mode, driver, architecture */
} candidate;

/* Room for every dim as a number, sign and comma included. */
enum { DIMS_TEXT_BYTES = HONE_MAX_DIMS * 21 + 1 };

/* What every step reads. */
typedef struct matcher {
    const hone_target *target;
    const hone_store_op *op;
    const hone_launch_spec *spec; /* of any row: all have the same dims */
    char arch[16];                /* of the device: "sm_90", "cpu" */
    int64_t dims[HONE_MAX_DIMS];  /* completed */
    size_t n_dims;
    char types[DIMS_TEXT_BYTES]; /* codes of the type dims, as the database
                                    spells it */
} matcher;

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
static double shape_distance(const matcher *m, const hone_store_row *row)
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

static int same_dims(const matcher *m, const hone_store_row *row)
{
    return row->n_dims == m->n_dims &&
           memcmp(row->dims, m->dims, m->n_dims * sizeof *m->dims) == 0;
}

/* As a default: only the variant itself counts, not where it was measured.
 * Rows of default_v1 come first, then the closest older architecture. */
static int judge_default(const matcher *m, const hone_store_row *row,
                         candidate *out)
{
    if (!row->is_default || strcmp(row->types, m->types) != 0)
        return 0;
    out->kind = HONE_MATCH_DEFAULT;
    out->strangeness = row->is_winner;
    if (!m->target->is_host)
        out->strangeness +=
            (int)(m->target->properties.value[HONE_PROPERTY_sm] -
                  strtol(row->compile_arch + 3, NULL, 10)) *
            2;
    return 1;
}

static int judge(const matcher *m, const hone_store_row *row, candidate *out)
{
    const hone_target *target = m->target;

    *out = (candidate){.row = row};
    if (target->is_host
            ? strcmp(row->compile_arch, m->arch) != 0
            : !hone__arch_runs_on(row->compile_arch,
                                  target->properties.value[HONE_PROPERTY_sm]))
        return 0;
    if (row->is_winner && strcmp(row->arch, m->arch) == 0 &&
        row->sm_count == target->properties.value[HONE_PROPERTY_sm_count]) {
        out->strangeness =
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

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance ? -1 : 1;
    if (a->strangeness != b->strangeness)
        return a->strangeness < b->strangeness ? -1 : 1;
    if (a->row->time_ns < b->row->time_ns || a->row->time_ns > b->row->time_ns)
        return a->row->time_ns < b->row->time_ns ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* " (3 winners of an older template are left out)", or nothing. */
static void describe_outdated(const matcher *m, char *out, size_t size_bytes)
{
    out[0] = '\0';
    if (m->op->n_outdated)
        (void)snprintf(out, size_bytes,
                       " (%zu winners of an older template are left out)",
                       m->op->n_outdated);
}

/* "sm_90 with 132 multiprocessors" */
static void describe_device(const matcher *m, char *out, size_t size_bytes)
{
    (void)snprintf(out, size_bytes, "%s with %" PRId64 " %s", m->arch,
                   m->target->properties.value[HONE_PROPERTY_sm_count],
                   m->target->is_host ? "cores" : "multiprocessors");
}

/* What hone tune needs besides the operation to tune for this device. */
static const char *tune_option(const hone_target *target)
{
    return target->is_host ? " --device cpu" : "";
}

static void explain(const matcher *m, const candidate *c, hone_match *out)
{
    const hone_store_row *row = c->row;
    char device[64];
    char outdated[80];

    out->kind = c->kind;
    out->tuned_time_ns = (int64_t)(row->time_ns + 0.5);
    if (c->kind == HONE_MATCH_DEFAULT)
        out->tuned_time_ns = 0; /* of another shape, if of any */
    (void)snprintf(out->config, sizeof out->config, "%s", row->config);
    describe_device(m, device, sizeof device);
    describe_outdated(m, outdated, sizeof outdated);
    switch (c->kind) {
    case HONE_MATCH_EXACT:
        (void)snprintf(out->reason, sizeof out->reason,
                       "tuned for these dimensions on %.100s%s",
                       row->device_name, row->is_cold ? "" : " (hot mode)");
        break;
    case HONE_MATCH_NEIGHBOUR:
        (void)snprintf(out->reason, sizeof out->reason,
                       "tuned on %.60s for the nearest shape, %.100s; its "
                       "constraints hold for this one",
                       row->device_name, row->label);
        break;
    case HONE_MATCH_DEFAULT:
        (void)snprintf(out->reason, sizeof out->reason,
                       "no shape near this one is tuned on %s%s; this is "
                       "the template's default variant, compiled for %.16s",
                       device, outdated, row->compile_arch);
        break;
    }
}

/* "64,64,f32" for the command line of hone tune. */
static void format_dims(const matcher *m, char *out, size_t size_bytes)
{
    size_t used = 0;

    for (size_t i = 0; i < m->n_dims && used < size_bytes; ++i) {
        char number[24];
        int n;

        (void)snprintf(number, sizeof number, "%" PRId64, m->dims[i]);
        n = snprintf(out + used, size_bytes - used, "%s%s", i ? "," : "",
                     hone__launch_spec_dim_is_type(m->spec, i)
                         ? hone__type_name((hone_type)m->dims[i])
                         : number);
        used += n > 0 ? (size_t)n : 0;
    }
}

static hone_status nothing_runs(const matcher *m, const hone_error *why,
                                hone_error *err)
{
    char device[64];
    char dims[DIMS_TEXT_BYTES] = "";
    char outdated[80];
    const hone_store_row *any = &m->op->rows[0];

    describe_device(m, device, sizeof device);
    format_dims(m, dims, sizeof dims);
    describe_outdated(m, outdated, sizeof outdated);
    if (why->status != HONE_OK)
        return hone__fail(err, HONE_ERR_NOT_FOUND,
                          "no kernel of %s can run dims %s on %s%s: %.400s; "
                          "run: hone tune %s --dims %s%s",
                          m->op->name, dims, device, outdated, why->text,
                          m->op->name, dims, tune_option(m->target));
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "nothing tuned for %s on %s%s; the database has it "
                      "for %s; run: hone tune %s --dims %s%s",
                      m->op->name, device, outdated, any->compile_arch,
                      m->op->name, dims, tune_option(m->target));
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

static hone_status choose(const matcher *m, const candidate *list, size_t n,
                          hone_answer *out, hone_error *err)
{
    hone_error why = {0}; /* the best candidate that did not resolve */

    for (size_t i = 0; i < n; ++i) {
        const hone_launch_spec *spec = NULL;
        hone_error reason = {0};
        hone_status status = hone__store_spec(list[i].row, &spec, &reason);

        if (status == HONE_OK)
            status = hone__launch_spec_resolve(spec, m->dims, m->n_dims,
                                               &m->target->properties,
                                               &out->resolved, &reason);
        if (status == HONE_OK) {
            out->row = list[i].row;
            explain(m, &list[i], &out->match);
            return HONE_OK;
        }
        if (status == HONE_ERR_NO_MEMORY)
            return hone__fail(err, status, "%s", reason.text);
        if (why.status == HONE_OK)
            why = reason;
    }
    return nothing_runs(m, &why, err);
}

/* A launch plan that can be read tells the dims of the operation. */
static hone_status read_dims(matcher *m, const int64_t *dims, size_t n_dims,
                             hone_error *err)
{
    hone_status status = HONE_ERR_INTERNAL;
    size_t used = 0;

    for (size_t i = 0; i < m->op->n_rows && status != HONE_OK; ++i) {
        status = hone__store_spec(&m->op->rows[i], &m->spec, err);
        if (status == HONE_ERR_NO_MEMORY)
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

static hone_status unknown_op(hone_store *store, const hone_target *target,
                              const hone_store_op *op, hone_error *err)
{
    const char *const device = target->is_host ? " for the cpu device" : "";
    hone_text ops = {0};
    hone_status status;

    if (op->n_outdated)
        return hone__fail(err, HONE_ERR_NOT_FOUND,
                          "database '%s' has%s only winners of an older "
                          "template of '%s'; run: hone tune %s%s",
                          hone__store_path(store), device, op->name, op->name,
                          tune_option(target));
    status = hone__store_list_ops(store, &ops, err);
    if (status == HONE_OK)
        status = hone__fail(err, HONE_ERR_NOT_FOUND,
                            "operation '%s' is not in database '%s', which "
                            "has %s%s; run: hone tune %s%s",
                            op->name, hone__store_path(store),
                            ops.length ? hone__text_str(&ops) : "none", device,
                            op->name, tune_option(target));
    hone__text_free(&ops);
    return status;
}

hone_status hone__match_find(hone_store *store, const hone_target *target,
                             const char *op, const int64_t *dims, size_t n_dims,
                             hone_answer *out, hone_error *err)
{
    matcher m = {.target = target};
    hone_store_op *rows = NULL;
    candidate *list;
    hone_status status;
    size_t n = 0;

    memset(out, 0, sizeof *out);
    HONE_TRY(hone__store_op(store, op, &rows, err));
    if (!rows->n_rows)
        return unknown_op(store, target, rows, err);
    m.op = rows;
    if (target->is_host)
        (void)snprintf(m.arch, sizeof m.arch, "%s", HONE_ARCH_CPU);
    else
        (void)snprintf(m.arch, sizeof m.arch, "sm_%d",
                       (int)target->properties.value[HONE_PROPERTY_sm]);
    HONE_TRY(read_dims(&m, dims, n_dims, err));
    list = collect(&m, &n);
    if (!list)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory while looking for a kernel of %s", op);
    status = choose(&m, list, n, out, err);
    hone__free(list);
    return status;
}
