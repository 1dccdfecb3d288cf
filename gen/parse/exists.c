/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of a param statement: where the parameter exists, and which of
 * its values only some devices have. Both become requires, in the place of
 * the statement: where it does not exist it has its default value, and a
 * value that the device does not have is not valid. So everything that knows
 * requires knows them. */
#include "gen/parse/parse.h"

#include <ctype.h>
#include <string.h>

typedef struct rule {
    hone_text text;  /* the condition */
    hone_text shown; /* what people see */
    const char *message;
} rule;

static void append_slice(const hone_parser *p, hone_slice where, hone_text *out)
{
    hone__text_append(out, p->bare + where.begin, where.end - where.begin);
}

static int add_rule(hone_parser *p, hone_slice where, rule *r)
{
    const hone_template_expr at = {.line = hone__line_of(p, where.begin),
                                   .column = hone__column_of(p, where.begin)};
    hone_template_require *require;
    int ok;

    if (r->text.failed || r->shown.failed)
        return hone__no_memory(p);
    if (r->text.length > HONE_MAX_EXPR_BYTES)
        return hone__complain(p, where,
                              "the condition, with all values that it is "
                              "about, is longer than %d characters; shorten "
                              "it with 'let', or write a 'require'",
                              HONE_MAX_EXPR_BYTES);
    require = HONE_PUSH(p, p->parts.requires_, p->tmpl->n_requires);
    if (!require)
        return 0;
    *require = (hone_template_require){.message = r->message};
    require->shown =
        hone__arena_strndup(&p->tmpl->arena, r->shown.data, r->shown.length);
    if (!require->shown)
        return hone__no_memory(p);
    p->takes_reals = 1; /* the bits of the default are compared */
    ok = hone__compile_text(p, hone__text_str(&r->text), &at,
                            &require->condition);
    p->takes_reals = 0;
    return ok;
}

static int finish_rule(hone_parser *p, hone_slice where, rule *r)
{
    const int ok = add_rule(p, where, r);

    hone__text_free(&r->text);
    hone__text_free(&r->shown);
    return ok;
}

int hone__param_when(hone_parser *p, hone_slice where, size_t param)
{
    hone_template_expr exists;
    rule r = {.message = "elsewhere the parameter does not exist; "
                         "leave it out"};

    if (!hone__compile(p, where, HONE_SCOPE_EXISTS, &exists))
        return 0;
    if (hone__expr_reads(exists.expr, p->tmpl->slots.params + param))
        return hone__complain(p, where,
                              "whether '%s' exists cannot depend on its own "
                              "value",
                              p->parts.params[param].name);
    p->parts.params[param].exists = exists;
    hone__text_puts(&r.text, "(");
    append_slice(p, where, &r.text);
    hone__text_printf(&r.text, ") || %s == %lld", p->parts.params[param].name,
                      (long long)p->parts.params[param]
                          .values[p->parts.params[param].default_index]);
    hone__text_printf(&r.shown, "%s when ", p->parts.params[param].name);
    append_slice(p, where, &r.shown);
    return finish_rule(p, where, &r);
}

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static int is_property(const char *word, size_t length)
{
    for (size_t i = 0; i < HONE_N_PROPERTIES; ++i) {
        if (strlen(hone__property_names[i]) == length &&
            !memcmp(hone__property_names[i], word, length))
            return 1;
    }
    return 0;
}

/* `sm >= 90` as `device.sm >= 90`. */
static void device_text(const hone_parser *p, hone_slice where, hone_text *out)
{
    size_t at = where.begin;

    while (at < where.end) {
        size_t end = at;

        while (end < where.end &&
               (is_word(p->bare[end]) || p->bare[end] == '.'))
            ++end;
        if (is_property(p->bare + at, end - at))
            hone__text_puts(out, "device.");
        end += end == at;
        hone__text_append(out, p->bare + at, end - at);
        at = end;
    }
}

int hone__param_for_device(hone_parser *p, hone_slice where, size_t param,
                           size_t first)
{
    const hone_param *of = &p->parts.params[param];
    hone_template_expr condition;
    rule r = {.message = "this device does not have that value"};

    if (!hone__compile(p, where, HONE_SCOPE_DEVICE, &condition))
        return 0;
    hone__text_puts(&r.text, "(");
    device_text(p, where, &r.text);
    hone__text_puts(&r.text, ") || (");
    hone__text_printf(&r.shown, "%s for device ", of->name);
    append_slice(p, where, &r.shown);
    hone__text_puts(&r.shown, " in {");
    for (size_t i = first; i < of->n_values; ++i) {
        hone__text_printf(&r.text, "%s%s != %lld", i > first ? " && " : "",
                          of->name, (long long)of->values[i]);
        hone__text_puts(&r.shown, i > first ? ", " : "");
        if (of->kind == HONE_PARAM_ENUM)
            hone__text_puts(&r.shown, p->parts.symbols[of->values[i] - 1000]);
        else
            hone__template_value_text(p->tmpl, of, of->values[i], &r.shown);
    }
    hone__text_puts(&r.text, ")");
    hone__text_puts(&r.shown, "}");
    return finish_rule(p, where, &r);
}

const char *hone__require_text(const hone_template_require *require)
{
    return require->shown ? require->shown
                          : hone__expr_text(require->condition.expr);
}
