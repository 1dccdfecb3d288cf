/* SPDX-License-Identifier: Apache-2.0 */
/* Why a row answers, and what to run where none does. */
#include "runtime/store/match.h"

#include "runtime/store/database.h"
#include "runtime/store/store_kind.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A sentence that is built in parts; what does not fit is cut. */
typedef struct reason_text {
    char *at;
    size_t room;
} reason_text;

__attribute__((format(printf, 2, 3))) static void put(reason_text *reason,
                                                      const char *format, ...)
{
    va_list list;

    va_start(list, format);
    (void)vsnprintf(reason->at, reason->room, format, list);
    va_end(list);
    reason->room -= strlen(reason->at);
    reason->at += strlen(reason->at);
}

/* What everybody should know comes first: the rest may be cut. */
static void put_left_out(const hone_matcher *m, const char *note,
                         reason_text *reason)
{
    if (m->n_damaged)
        put(reason, "%zu better left out: damaged in the %s (%s); ",
            m->n_damaged, m->damaged_in->kind->noun,
            m->damaged_in->kind->remedy);
    if (m->n_refused)
        put(reason, "%zu better left out: %.100s; ", m->n_refused,
            m->refusal.text);
    if (m->no_chooser)
        put(reason, "the chooser is not used: %.120s; ", m->no_chooser);
    if (note[0])
        put(reason, "%s (hone tune finds it anew); ", note);
}

/* Nothing was measured on a device whose code runs here. */
static void put_unmeasured(const hone_matcher *m, const hone_candidate *c,
                           int64_t compile_ns, reason_text *reason)
{
    const hone_store_row *row = c->row;

    put(reason, "no shape near this one is tuned on %s%s; this is ", m->device,
        m->outdated);
    if (c->form == HONE_CODE_PTX)
        put(reason, "PTX, compiled by the driver in %.0f ms, of ",
            (double)compile_ns / 1e6);
    if (m->n_waiting && c->form == HONE_CODE_CUBIN)
        put(reason, m->query->compile == HONE_COMPILE_LATER
                        ? "(until PTX is compiled) "
                        : "(PTX is not to be compiled) ");
    if (c->is_preferred)
        put(reason, "the %s of %.64s, for %.16s",
            c->kind == HONE_MATCH_REFERENCE ? "reference implementation"
                                            : "default variant",
            row->implementation, row->compile_arch);
    else
        put(reason, "what was tuned on %.60s for %.60s, for %.16s",
            row->device_name, row->label, row->compile_arch);
}

static void put_chosen(const hone_matcher *m, const hone_candidate *c,
                       reason_text *reason)
{
    const hone_store_chooser *by = c->chosen->by;
    const hone_chooser_decision *d = &c->chosen->decision;
    const int is_best = d->member == d->best;
    const hone_store_row *other;

    if (c->kind == HONE_MATCH_FAMILY)
        put(reason, "nothing is tuned on %s; ", m->device);
    put(reason, "predicted %.4g us (doubt %.3g %%) from %zu problems on %.48s",
        d->time_ns / 1e3, d->doubt * 100, by->chooser->n_problems,
        by->device_name);
    if (d->safe < 0)
        return;
    other = by->rows[is_best ? d->safe : d->best];
    put(reason, "; %.24s %.40s may take %.3g %% %s (doubt %.3g %%)",
        other->implementation, other->config,
        is_best ? d->gain / (1 - d->gain) * 100 : d->gain * 100,
        is_best ? "more" : "less", d->gain_doubt * 100);
}

static void put_why(const hone_matcher *m, const hone_candidate *c,
                    int64_t compile_ns, reason_text *reason)
{
    const hone_store_row *row = c->row;

    if (m->query->config && c->kind != HONE_MATCH_EXACT) {
        put(reason, "asked for by its configuration; ");
        if (row->rank)
            put(reason, "measured on %.60s for %.100s", row->device_name,
                row->label);
        else
            put(reason, "the default variant of %.64s", row->implementation);
        return;
    }
    if (c->chosen) {
        put_chosen(m, c, reason);
        return;
    }
    switch (c->kind) {
    case HONE_MATCH_CHOSEN: /* was one of the above */
        break;
    case HONE_MATCH_EXACT:
        put(reason, "tuned for these dimensions on %.100s%s", row->device_name,
            row->is_cold ? "" : " (hot mode)");
        break;
    case HONE_MATCH_NEIGHBOUR:
        put(reason,
            "tuned on %.60s for the nearest shape, %.100s; its "
            "constraints hold for this one",
            row->device_name, row->label);
        break;
    case HONE_MATCH_FAMILY:
        put(reason,
            "nothing is tuned on %s; tuned on %.60s (%.16s with %" PRId64
            ") for %.80s; its constraints hold here",
            m->device, row->device_name, row->arch, row->sm_count, row->label);
        break;
    case HONE_MATCH_DEFAULT:
    case HONE_MATCH_PTX:
    case HONE_MATCH_REFERENCE:
        put_unmeasured(m, c, compile_ns, reason);
        break;
    }
}

/* What is stored may be any number; this is 30 years, and an int64_t. */
#define MOST_TIME_NS 1e18

void hone__match_explain(const hone_matcher *m, const hone_candidate *c,
                         hone_answer *answer)
{
    const hone_store_row *row = c->row;
    hone_match *out = &answer->match;
    reason_text reason = {out->reason, sizeof out->reason};

    out->reason[0] = '\0';
    out->kind = c->kind;
    out->compile_time_ns = answer->compile_ns;
    out->tuned_time_ns = 0;
    out->predicted_time_ns = 0;
    out->doubt = 0;
    if (c->chosen && c->chosen->decision.time_ns < MOST_TIME_NS) {
        out->predicted_time_ns = (int64_t)(c->chosen->decision.time_ns + 0.5);
        out->predicted_time_ns += !out->predicted_time_ns; /* 0: none */
        out->doubt = c->chosen->decision.doubt;
    }
    if (!c->is_preferred && /* that is of another shape */
        row->time_ns > 0 && row->time_ns < MOST_TIME_NS)
        out->tuned_time_ns = (int64_t)(row->time_ns + 0.5);
    (void)snprintf(out->config, sizeof out->config, "%s", row->config);
    (void)snprintf(out->implementation, sizeof out->implementation, "%s",
                   row->implementation);
    put_left_out(m, answer->note, &reason);
    if (c->source->is_nothing)
        put(&reason, "a size is 0, nothing is to be written: no launch");
    else
        put_why(m, c, answer->compile_ns, &reason);
    if (m->n_sources > 1)
        put(&reason, "; from %s", c->source->store->path);
}

/* "64,64,f32". Without a launch plan nothing tells which dims are types: they
 * are codes then, which --dims takes too. */
static void put_dims(const hone_match_source *s, hone_text *out)
{
    for (size_t i = 0; i < s->n_dims; ++i)
        if (s->dims[i] == HONE_DIM_DEFAULT)
            hone__text_puts(out, i ? "," : "");
        else if (s->spec && s->spec->dims[i].is_type)
            hone__text_printf(out, "%s%s", i ? "," : "",
                              hone__type_name((hone_type)s->dims[i]));
        else
            hone__text_printf(out, "%s%" PRId64, i ? "," : "", s->dims[i]);
}

/* The first that tuning can add to; NULL: there are only packs. */
static const hone_store *database_of(const hone_matcher *m)
{
    for (size_t i = 0; i < m->n_sources; ++i)
        if (m->sources[i].store->kind->refresh)
            return m->sources[i].store;
    return NULL;
}

/* "hone tune gemm --dims 64,64,f32": what a shell runs as it stands. */
static hone_status tune_command(const hone_matcher *m, hone_text *out,
                                hone_error *err)
{
    const hone_store *database = database_of(m);
    hone_text usual = {0};

    hone__text_puts(out, "hone tune ");
    hone__shell_word(m->query->op, out);
    hone__text_puts(out, m->about->n_dims ? " --dims " : " --dims ''");
    put_dims(m->about, out);
    if (m->query->config && *m->query->config) {
        hone__text_puts(out, " --config ");
        hone__shell_word(m->query->config, out);
    }
    if (m->target->is_host)
        hone__text_puts(out, " --device cpu");
    if (database && (hone__default_database(&usual, NULL) != HONE_OK ||
                     strcmp(hone__text_str(&usual), database->path) != 0)) {
        hone__text_puts(out, " --db ");
        hone__shell_word(database->path, out);
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

hone_status hone__match_nothing_runs(const hone_matcher *m, hone_error *err)
{
    const hone_match_source *s = m->about;
    hone_text text = {0};
    hone_status status;

    if (m->why.status != HONE_OK) {
        hone__text_printf(&text, "no kernel of %s can run dims ", m->query->op);
        put_dims(s, &text);
        hone__text_printf(&text, " on %s%s: %.400s", m->device, m->outdated,
                          m->why.text);
    } else if (m->query->config) {
        hone__text_printf(&text,
                          "%s with the configuration %.300s is not there for "
                          "these dims on %s; the %s has it for %s",
                          m->query->op, m->query->config, m->device,
                          s->store->kind->noun, s->sample->compile_arch);
    } else {
        hone__text_printf(&text,
                          "nothing tuned for %s on %s%s; the %s has it "
                          "for %s %.100s",
                          m->query->op, m->device, m->outdated,
                          s->store->kind->noun, s->sample->compile_arch,
                          s->sample->label);
    }
    status = refuse(m, HONE_ERR_NOT_FOUND, &text, err);
    hone__text_free(&text);
    return status;
}

/* What one source has instead of the operation. */
static hone_status describe_lack(const hone_matcher *m,
                                 const hone_match_source *s, hone_text *text,
                                 hone_error *err)
{
    const char *const noun = s->store->kind->noun;
    const char *const path = s->store->path;
    const char *const device = m->target->is_host ? " for the cpu device" : "";
    hone_text ops = {0};
    hone_status status = HONE_OK;

    if (s->op->n_outdated) {
        hone__text_printf(text,
                          "%s '%s' has%s only kernels of an older template "
                          "of '%s'",
                          noun, path, device, m->query->op);
    } else if (s->op->n_unreadable) {
        hone__text_printf(text,
                          "%s '%s' is damaged: the dims of the winners of "
                          "'%s' cannot be read",
                          noun, path, m->query->op);
    } else if (m->query->config) {
        hone__text_printf(text,
                          "%s '%s' has%s no kernel of '%s' with the "
                          "configuration '%.300s'",
                          noun, path, device, m->query->op, m->query->config);
    } else {
        status = hone__store_list_ops(s->store, &ops, err);
        hone__text_printf(text,
                          "operation '%s' is not in %s '%s', which has %s%s",
                          m->query->op, noun, path,
                          ops.length ? hone__text_str(&ops) : "none", device);
    }
    hone__text_free(&ops);
    return status;
}

hone_status hone__match_unknown_op(const hone_matcher *m, hone_error *err)
{
    hone_text text = {0};
    hone_status status = HONE_OK;
    int is_damage = 0;

    for (size_t i = 0; i < m->n_sources && status == HONE_OK; ++i) {
        const hone_store_op *op = m->sources[i].op;

        is_damage |= !op->n_outdated && op->n_unreadable;
        if (i)
            hone__text_puts(&text, "; ");
        status = describe_lack(m, &m->sources[i], &text, err);
    }
    if (status == HONE_OK)
        status = refuse(m, is_damage ? HONE_ERR_DATABASE : HONE_ERR_NOT_FOUND,
                        &text, err);
    hone__text_free(&text);
    return status;
}
