/* SPDX-License-Identifier: Apache-2.0 */
/* The param statement: a parameter, its values and its default; where it
 * exists, and which of its values only some devices have. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"
#include "runtime/base/type.h"

#include <ctype.h>
#include <string.h>

/* A value and what it looks like. */
typedef struct value {
    hone_param_kind kind;
    int64_t number;
} value;

static const char *const kind_names[] = {"an integer", "true or false",
                                         "a name", "an element type",
                                         "a floating-point number"};

static int is_identifier(const hone_parser *p, hone_slice where)
{
    size_t at = where.begin;

    while (at < where.end && hone__code_is_name(p->bare[at]))
        ++at;
    return at == where.end && at > where.begin &&
           !isdigit((unsigned char)p->bare[where.begin]);
}

static int read_name(hone_parser *p, hone_slice where, value *out)
{
    const char *text = p->bare + where.begin;
    const size_t length = where.end - where.begin;
    const hone_name *known = hone__name_of(p, where);
    const char *reason;

    out->kind = HONE_PARAM_ENUM;
    if (known && known->kind == HONE_NAME_VALUE) {
        out->number = known->value;
        return 1;
    }
    if (known)
        return hone__complain(p, where,
                              "'%s' is declared on line %d%s%s and cannot be a "
                              "value: values are constants or new names",
                              known->name, HONE_LINE_OF(p->tmpl, known->line));
    reason = hone__name_reserved(text, length);
    if (reason)
        return hone__complain(p, where, "'%.*s' cannot be a value, it %s",
                              (int)length, text, reason);
    out->number = hone__symbol_intern(p, text, length);
    return out->number != 0;
}

static int read_value(hone_parser *p, hone_slice where, value *out)
{
    const char *text = p->bare + where.begin;
    const size_t length = where.end - where.begin;

    if (hone__real_starts(p, where)) {
        double number;

        out->kind = HONE_PARAM_REAL;
        if (!hone__real_read(p, where, &number))
            return 0;
        out->number = hone__real_bits(number);
        return 1;
    }
    if (!is_identifier(p, where)) {
        out->kind = HONE_PARAM_INT;
        return hone__compile_constant(p, where, &out->number);
    }
    if (hone__slice_is(p, where, "true") || hone__slice_is(p, where, "false"))
        *out = (value){HONE_PARAM_BOOL, text[0] == 't'};
    else if (hone__type_find(text, length))
        *out = (value){HONE_PARAM_TYPE, hone__type_find(text, length)};
    else
        return read_name(p, where, out);
    return 1;
}

static int add(hone_parser *p, hone_param *param, hone_slice where, value v)
{
    int64_t *slot;

    if (param->n_values == 0)
        param->kind = v.kind;
    if (param->kind != v.kind)
        return hone__complain(
            p, where,
            "the values of a parameter are all of one kind; this is %s, the "
            "first is %s%s",
            kind_names[v.kind], kind_names[param->kind],
            (v.kind == HONE_PARAM_REAL && param->kind == HONE_PARAM_INT) ||
                    (v.kind == HONE_PARAM_INT && param->kind == HONE_PARAM_REAL)
                ? " (write 1.0, not 1)"
                : "");
    if (param->n_values == HONE_MAX_VALUES)
        return hone__complain(p, where, "a parameter has at most %d values",
                              HONE_MAX_VALUES);
    slot = HONE_PUSH(p, param->values, param->n_values);
    if (slot)
        *slot = v.number;
    return slot != NULL;
}

/* Enumeration names become known to expressions behind the statement. */
static int declare_value(hone_parser *p, hone_slice where, value v)
{
    hone_name *name;

    if (hone__name_of(p, where))
        return 1;
    name = HONE_PUSH(p, p->names, p->n_names);
    if (name)
        *name = (hone_name){.name = p->tmpl->symbols[v.number - 1000],
                            .kind = HONE_NAME_VALUE,
                            .value = v.number,
                            .line = hone__line_of(p, where.begin)};
    return name != NULL;
}

static int list(hone_cursor *c, hone_param *param)
{
    hone_parser *p = c->p;
    const hone_slice open = hone__cursor_here(c);

    (void)hone__cursor_accept(c, '{');
    if (hone__cursor_accept(c, '}'))
        return hone__complain(
            p, open,
            "the list of values is empty; a parameter has at least one");
    do {
        const hone_slice where = hone__cursor_until(c, ",}", NULL);
        value v;

        if (!read_value(p, where, &v))
            return 0;
        /* Twice in a list only: a range cannot repeat itself. */
        for (size_t i = 0; i < param->n_values; ++i) {
            if (param->values[i] == v.number && param->kind == v.kind)
                return hone__complain(p, where, "'%.*s' is listed twice",
                                      HONE_SLICE(p, where));
        }
        if (!add(p, param, where, v) ||
            (v.kind == HONE_PARAM_ENUM && !declare_value(p, where, v)))
            return 0;
    } while (hone__cursor_accept(c, ','));
    return hone__cursor_expect(c, '}', "after the values");
}

static int range(hone_cursor *c, hone_param *param)
{
    const size_t n_before = param->n_values;
    hone_range r;

    if (!hone__range_read(c, ".", &r))
        return 0;
    do {
        for (size_t i = 0; i < n_before; ++i) {
            if (param->values[i] == r.low && param->kind == HONE_PARAM_INT)
                return hone__complain(c->p, r.where, "%lld is listed twice",
                                      (long long)r.low);
        }
        if (!add(c->p, param, r.where, (value){HONE_PARAM_INT, r.low}))
            return 0;
    } while (hone__range_next(&r));
    return 1;
}

static int domain_of(hone_cursor *c, hone_param *param)
{
    if (hone__cursor_accept(c, ':')) {
        const hone_slice here = hone__cursor_here(c);

        if (!hone__cursor_accept_word(c, "bool"))
            return hone__complain(c->p, here,
                                  "after ':' only 'bool' can stand; other "
                                  "values are given with 'in'");
        return add(c->p, param, here, (value){HONE_PARAM_BOOL, 0}) &&
               add(c->p, param, here, (value){HONE_PARAM_BOOL, 1});
    }
    if (!hone__cursor_accept_word(c, "in"))
        return hone__complain(c->p, hone__cursor_here(c),
                              "expected 'in' and the values, or ': bool'");
    return hone__cursor_peek(c) == '{' ? list(c, param) : range(c, param);
}

static int read_default(hone_cursor *c, hone_param *param)
{
    const hone_slice where = hone__range_bound(c, ".");
    hone_text values = {0};
    const char *text;
    value v = {0};

    if (!read_value(c->p, where, &v))
        return 0;
    for (size_t i = 0; i < param->n_values && v.kind == param->kind; ++i) {
        if (param->values[i] == v.number) {
            param->default_index = i;
            return 1;
        }
    }
    for (size_t i = 0; i < param->n_values && i < 12; ++i) {
        hone__text_puts(&values, i ? ", " : "");
        hone__template_value_text(c->p->tmpl, param, param->values[i], &values);
    }
    text = hone__text_keep(c->p, &values);
    if (text)
        (void)hone__complain(c->p, where,
                             "the default is not one of the values (%s%s)",
                             text, param->n_values > 12 ? ", .." : "");
    return 0;
}

/* ---- conditions ----------------------------------------------------------
 * They become requires in the place of the statement: where the parameter does
 * not exist it has its default value, and a value that the device does not
 * have is not valid. So everything that knows requires knows them. */

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
    const hone_template_expr at = hone__place(p, where);
    const char *shown = hone__text_keep(p, &r->shown);

    if (r->text.length <= HONE_MAX_EXPR_BYTES)
        return hone__require_add(p, &at, &r->text, shown, r->message) != NULL;
    hone__text_free(&r->text);
    return hone__complain(
        p, where,
        "the condition, with all values that it is about, is longer than %d "
        "characters; shorten it with 'let', or write a 'require'",
        HONE_MAX_EXPR_BYTES);
}

/* As expressions have it: the least number is no number with a sign there. */
static void put_number(hone_text *out, int64_t number)
{
    if (number == INT64_MIN)
        hone__text_puts(out, "(-9223372036854775807-1)");
    else
        hone__text_printf(out, "%lld", (long long)number);
}

/* `when E`: the parameter exists only where E holds. */
static int exists_when(hone_parser *p, hone_slice where, hone_param *param)
{
    const size_t slot =
        p->tmpl->slots.params + (size_t)(param - p->tmpl->params);
    hone_template_expr exists;
    rule r = {.message =
                  "elsewhere the parameter does not exist; leave it out"};

    if (!hone__compile(p, where, HONE_SCOPE_EXISTS, &exists))
        return 0;
    if (hone__expr_reads(exists.expr, slot))
        return hone__complain(
            p, where, "whether '%s' exists cannot depend on its own value",
            param->name);
    param->exists = exists;
    hone__text_puts(&r.text, "(");
    append_slice(p, where, &r.text);
    hone__text_printf(&r.text, ") || %s == ", param->name);
    put_number(&r.text, param->values[param->default_index]);
    hone__text_printf(&r.shown, "%s when ", param->name);
    append_slice(p, where, &r.shown);
    return add_rule(p, where, &r);
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
               (hone__code_is_name(p->bare[end]) || p->bare[end] == '.'))
            ++end;
        if (is_property(p->bare + at, end - at))
            hone__text_puts(out, "device.");
        end += end == at;
        hone__text_append(out, p->bare + at, end - at);
        at = end;
    }
}

/* `for device E in {8, 16}`: values that only such devices have. */
static int more_values(hone_cursor *c, hone_param *param)
{
    const size_t first = param->n_values;
    hone_parser *p = c->p;
    hone_template_expr condition;
    hone_slice where;
    rule r = {.message = "this device does not have that value"};

    if (!hone__cursor_accept_word(c, "device"))
        return hone__complain(p, hone__cursor_here(c),
                              "expected 'device' and a condition on it: for "
                              "device sm >= 90 in {8, 16}");
    where = hone__cursor_until(c, "{", (const char *const[]){"in", NULL});
    if (!(hone__cursor_peek(c) == '{' ? list(c, param) : domain_of(c, param)) ||
        !hone__compile(p, where, HONE_SCOPE_DEVICE, &condition))
        return 0;
    hone__text_puts(&r.text, "(");
    device_text(p, where, &r.text);
    hone__text_puts(&r.text, ") || (");
    hone__text_printf(&r.shown, "%s for device ", param->name);
    append_slice(p, where, &r.shown);
    hone__text_puts(&r.shown, " in {");
    for (size_t i = first; i < param->n_values; ++i) {
        hone__text_printf(&r.text, "%s%s != ", i > first ? " && " : "",
                          param->name);
        put_number(&r.text, param->values[i]);
        hone__text_puts(&r.shown, i > first ? ", " : "");
        hone__template_value_text(p->tmpl, param, param->values[i], &r.shown);
    }
    hone__text_puts(&r.text, ")");
    hone__text_puts(&r.shown, "}");
    return add_rule(p, where, &r);
}

int hone__statement_param(hone_parser *p, hone_cursor *c)
{
    hone_param *param;
    hone_slice word;

    param = HONE_DECLARE(c, HONE_NAME_PARAM, p->tmpl->params, p->tmpl->n_params,
                         &word);
    if (!param)
        return 0;
    param->line = hone__line_of(p, word.begin);
    if (!domain_of(c, param) ||
        (hone__cursor_accept_word(c, "default") && !read_default(c, param)))
        return 0;
    while (hone__cursor_accept_word(c, "for")) {
        if (!more_values(c, param))
            return 0;
    }
    if (hone__cursor_accept_word(c, "when"))
        return exists_when(p, hone__cursor_until(c, "", NULL), param);
    return hone__cursor_finish(c);
}
