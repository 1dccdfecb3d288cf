/* SPDX-License-Identifier: Apache-2.0 */
/* Why a row answers, and what to run where none does. */
#include "runtime/store/match.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void hone__match_explain(const hone_matcher *m, const hone_candidate *c,
                         const char *note, hone_match *out)
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
static void put_dims(const hone_matcher *m, hone_text *out)
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
static hone_status tune_command(const hone_matcher *m, hone_text *out,
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
static hone_status refuse(const hone_matcher *m, hone_status status,
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

hone_status hone__match_nothing_runs(const hone_matcher *m,
                                     const hone_error *why, hone_error *err)
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

hone_status hone__match_unknown_op(const hone_matcher *m, hone_error *err)
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
