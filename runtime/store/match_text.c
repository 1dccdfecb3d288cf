/* SPDX-License-Identifier: Apache-2.0 */
/* Why a row answers a problem, or none does, as sentences. See match.h. */
#include "runtime/store/match_text.h"

#include "runtime/expr/expr.h"

#include <inttypes.h>
#include <stdio.h>

/* " (3 winners of an older template are left out)", or nothing. */
static void describe_outdated(const hone_matcher *m, char *out,
                              size_t size_bytes)
{
    out[0] = '\0';
    if (m->op->n_outdated)
        (void)snprintf(out, size_bytes,
                       " (%zu winners of an older template are left out)",
                       m->op->n_outdated);
}

/* "sm_90 with 132 multiprocessors" */
static void describe_device(const hone_matcher *m, char *out, size_t size_bytes)
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

/* What everybody should know comes first: the rest may be cut. */
static size_t begin_reason(const hone_matcher *m, char *out, size_t size_bytes)
{
    int n = 0;

    if (m->n_damaged)
        n = snprintf(out, size_bytes,
                     "%zu better left out: damaged in the database (hone tune "
                     "stores good ones); ",
                     m->n_damaged);
    return n > 0 ? (size_t)n : 0;
}

void hone__match_explain(const hone_matcher *m, const hone_candidate_row *c,
                         hone_match *out)
{
    const hone_store_row *row = c->row;
    char device[64];
    char outdated[80];
    const size_t used = begin_reason(m, out->reason, sizeof out->reason);
    char *const reason = out->reason + used;
    const size_t room = sizeof out->reason - used;

    out->kind = c->kind;
    out->tuned_time_ns = (int64_t)(row->time_ns + 0.5);
    if (c->kind == HONE_MATCH_DEFAULT)
        out->tuned_time_ns = 0; /* of another shape, if of any */
    (void)snprintf(out->config, sizeof out->config, "%s", row->config);
    describe_device(m, device, sizeof device);
    describe_outdated(m, outdated, sizeof outdated);
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
                       "the template's default variant, compiled for %.16s",
                       device, outdated, row->compile_arch);
        break;
    }
}

/* "64,64,f32" for the command line of hone tune. */
static void format_dims(const hone_matcher *m, char *out, size_t size_bytes)
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

hone_status hone__match_nothing_runs(const hone_matcher *m,
                                     const hone_error *why, hone_error *err)
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

hone_status hone__match_unknown_op(const hone_matcher *m, hone_error *err)
{
    const hone_target *target = m->target;
    const hone_store_op *op = m->op;
    hone_store *store = m->store;
    const char *const device = target->is_host ? " for the cpu device" : "";
    hone_text ops = {0};
    hone_status status;

    if (op->n_outdated)
        return hone__fail(err, HONE_ERR_NOT_FOUND,
                          "database '%s' has%s only winners of an older "
                          "template of '%s'; run: hone tune %s%s",
                          hone__store_path(store), device, op->name, op->name,
                          tune_option(target));
    if (op->n_unreadable)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "database '%s' is damaged: the dims of the winners "
                          "of '%s' cannot be read; run: hone tune %s%s",
                          hone__store_path(store), op->name, op->name,
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
