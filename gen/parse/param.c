/* SPDX-License-Identifier: Apache-2.0 */
/* The param statement: a parameter, its values and its default. */
#include "gen/parse/parse.h"
#include "runtime/base/real.h"

#include <ctype.h>

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
    if (where.begin == where.end ||
        isdigit((unsigned char)p->bare[where.begin]))
        return 0;
    for (size_t i = where.begin; i < where.end; ++i) {
        if (!isalnum((unsigned char)p->bare[i]) && p->bare[i] != '_')
            return 0;
    }
    return 1;
}

static int read_name(hone_parser *p, hone_slice where, value *out)
{
    const char *text = p->bare + where.begin;
    const size_t length = where.end - where.begin;
    const hone_name *known = hone__name_find(p, text, length);
    const char *reason;

    out->kind = HONE_PARAM_ENUM;
    if (known && known->kind == HONE_NAME_VALUE) {
        out->number = known->value;
        return 1;
    }
    if (known)
        return hone__complain(p, where,
                              "'%s' is declared on line %d and "
                              "cannot be a value: values are constants or "
                              "new names",
                              known->name, known->line);
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

    if (hone__real_starts(text, length)) {
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

/* Values grow here and are const in the param. */
typedef struct domain {
    hone_param *param;
    int64_t *values;
} domain;

static int add(hone_parser *p, domain *d, hone_slice where, value v)
{
    hone_param *param = d->param;
    int64_t *slot;

    if (param->n_values == 0)
        param->kind = v.kind;
    if (param->kind != v.kind)
        return hone__complain(
            p, where,
            "the values of a parameter are all "
            "of one kind; this is %s, the first is %s%s",
            kind_names[v.kind], kind_names[param->kind],
            (v.kind == HONE_PARAM_REAL && param->kind == HONE_PARAM_INT) ||
                    (v.kind == HONE_PARAM_INT && param->kind == HONE_PARAM_REAL)
                ? " (write 1.0, not 1)"
                : "");
    if (param->n_values == HONE_MAX_VALUES)
        return hone__complain(p, where, "a parameter has at most %d values",
                              HONE_MAX_VALUES);
    slot = HONE_PUSH(p, d->values, param->n_values);
    if (!slot)
        return 0;
    *slot = v.number;
    param->values = d->values;
    return 1;
}

/* Enumeration names become known to expressions behind the statement. */
static int declare_value(hone_parser *p, hone_slice where, value v)
{
    hone_name *name;

    if (hone__name_find(p, p->bare + where.begin, where.end - where.begin))
        return 1;
    name = HONE_PUSH(p, p->names, p->n_names);
    if (!name)
        return 0;
    *name = (hone_name){.name = p->parts.symbols[v.number - 1000],
                        .kind = HONE_NAME_VALUE,
                        .value = v.number,
                        .line = hone__line_of(p, where.begin)};
    return 1;
}

static int list(hone_cursor *c, domain *d)
{
    hone_parser *p = c->p;
    const hone_slice open = hone__cursor_here(c);

    (void)hone__cursor_accept(c, '{');
    if (hone__cursor_accept(c, '}'))
        return hone__complain(p, open,
                              "the list of values is empty; a "
                              "parameter has at least one");
    do {
        const hone_slice where = hone__cursor_until(c, ",}", NULL);
        value v;

        if (!read_value(p, where, &v))
            return 0;
        /* Twice in a list only: a range cannot repeat itself. */
        for (size_t i = 0; i < d->param->n_values; ++i) {
            if (d->values[i] == v.number && d->param->kind == v.kind)
                return hone__complain(p, where, "'%.*s' is listed twice",
                                      (int)(where.end - where.begin),
                                      p->bare + where.begin);
        }
        if (!add(p, d, where, v) ||
            (v.kind == HONE_PARAM_ENUM && !declare_value(p, where, v)))
            return 0;
    } while (hone__cursor_accept(c, ','));
    return hone__cursor_expect(c, '}', "after the values");
}

static int range(hone_cursor *c, domain *d)
{
    const size_t n_before = d->param->n_values;
    hone_range r;

    if (!hone__range_read(c, ".", &r))
        return 0;
    do {
        for (size_t i = 0; i < n_before; ++i) {
            if (d->values[i] == r.low && d->param->kind == HONE_PARAM_INT)
                return hone__complain(c->p, r.where, "%lld is listed twice",
                                      (long long)r.low);
        }
        if (!add(c->p, d, r.where, (value){HONE_PARAM_INT, r.low}))
            return 0;
    } while (hone__range_next(&r));
    return 1;
}

static int domain_of(hone_cursor *c, domain *d)
{
    if (hone__cursor_accept(c, ':')) {
        const hone_slice here = hone__cursor_here(c);

        if (!hone__cursor_accept_word(c, "bool"))
            return hone__complain(c->p, here,
                                  "after ':' only 'bool' can "
                                  "stand; other values are given with 'in'");
        return add(c->p, d, here, (value){HONE_PARAM_BOOL, 0}) &&
               add(c->p, d, here, (value){HONE_PARAM_BOOL, 1});
    }
    if (!hone__cursor_accept_word(c, "in"))
        return hone__complain(c->p, hone__cursor_here(c),
                              "expected 'in' and the values, or ': bool'");
    return hone__cursor_peek(c) == '{' ? list(c, d) : range(c, d);
}

static int read_default(hone_cursor *c, hone_param *param)
{
    const hone_slice where = hone__range_bound(c, ".");
    hone_text values = {0};
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
        if (param->kind == HONE_PARAM_ENUM)
            hone__text_puts(&values,
                            c->p->parts.symbols[param->values[i] - 1000]);
        else
            hone__template_value_text(c->p->tmpl, param, param->values[i],
                                      &values);
    }
    if (values.failed)
        (void)hone__no_memory(c->p);
    else
        (void)hone__complain(
            c->p, where, "the default is not one of the values (%s%s)",
            hone__text_str(&values), param->n_values > 12 ? ", .." : "");
    hone__text_free(&values);
    return 0;
}

/* `for device E in {8, 16}`: values that only such devices have. */
static int more_values(hone_cursor *c, domain *d, size_t index)
{
    const size_t first = d->param->n_values;
    hone_slice where;

    if (!hone__cursor_accept_word(c, "device"))
        return hone__complain(c->p, hone__cursor_here(c),
                              "expected 'device' and a condition on it: for "
                              "device sm >= 90 in {8, 16}");
    where = hone__cursor_until(c, "{", "in");
    if (hone__cursor_peek(c) == '{' ? !list(c, d) : !domain_of(c, d))
        return 0;
    return hone__param_for_device(c->p, where, index, first);
}

int hone__statement_param(hone_parser *p, hone_cursor *c)
{
    const size_t index = p->tmpl->n_params;
    hone_param *param;
    hone_slice word;
    domain d;

    if (!hone__cursor_need_word(c, "the name of a parameter", &word))
        return 0;
    if (index == HONE_MAX_PARAMS)
        return hone__complain(p, word, "a template has at most %d parameters",
                              HONE_MAX_PARAMS);
    param = HONE_PUSH(p, p->parts.params, p->tmpl->n_params);
    if (!param)
        return 0;
    *param = (hone_param){.name = "", .line = hone__line_of(p, word.begin)};
    if (!hone__name_declare(p, word, HONE_NAME_PARAM, index, &param->name))
        return 0;
    d = (domain){param, NULL};
    if (!domain_of(c, &d))
        return 0;
    if (hone__cursor_accept_word(c, "default") && !read_default(c, param))
        return 0;
    while (hone__cursor_accept_word(c, "for")) {
        if (!more_values(c, &d, index))
            return 0;
    }
    if (hone__cursor_accept_word(c, "when"))
        return hone__param_when(p, hone__cursor_until(c, "", NULL), index);
    return hone__cursor_finish(c);
}
