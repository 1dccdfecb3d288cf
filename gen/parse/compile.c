/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of a template: which names they may read where, and what is
 * wrong with them at which place. */
#include "gen/parse/parse.h"
#include "runtime/base/type.h"

#include <stdio.h>
#include <string.h>

static hone_symbol slot(size_t number)
{
    return (hone_symbol){HONE_SYMBOL_SLOT, (int64_t)number};
}

static hone_symbol refuse(hone_parser *p, const char *name, size_t length,
                          const char *why)
{
    (void)snprintf(p->note, sizeof p->note, "'%.*s' %s", (int)length, name,
                   why);
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}

/* Of a parameter or a let, where the default of a dimension reads it. */
static const char not_of_callers[] =
    "is no dimension; the default of a dimension reads dimensions before it, "
    "for callers know nothing else";

/* The line on which a let or parameter of this name is declared; 0: none. */
static int declared_on(hone_parser *p, const char *name, size_t length)
{
    for (size_t i = 0; i < p->n_statements; ++i) {
        hone_cursor c = hone__cursor_at(p, i);
        hone_slice word;

        if (!hone__cursor_accept_word(&c, "let") &&
            !hone__cursor_accept_word(&c, "param"))
            continue;
        word = hone__cursor_word(&c);
        if (word.end - word.begin == length &&
            !memcmp(p->bare + word.begin, name, length))
            return hone__line_of(p, word.begin);
    }
    return 0;
}

/* A dimension of the op, whose defaults are being compiled, that is not
 * declared yet. */
static int is_later_dim(hone_parser *p, const char *name, size_t length)
{
    for (size_t i = 0; i < p->n_statements; ++i) {
        hone_cursor c = hone__cursor_at(p, i);
        hone_slice word;

        if (!hone__cursor_accept_word(&c, "op"))
            continue;
        (void)hone__cursor_word(&c);
        (void)hone__cursor_accept(&c, '(');
        do {
            word = hone__cursor_word(&c);
            if (word.end - word.begin == length &&
                !memcmp(p->bare + word.begin, name, length))
                return 1;
            (void)hone__cursor_until(&c, ",", NULL);
        } while (hone__cursor_accept(&c, ','));
    }
    return 0;
}

/* What stands below is not known yet: lets cannot go in circles. */
static int unknown_yet(hone_parser *p, const char *name, size_t length)
{
    const int line = declared_on(p, name, length);

    if (p->scope == HONE_SCOPE_DIM && is_later_dim(p, name, length)) {
        (void)snprintf(p->note, sizeof p->note,
                       "'%.*s' is a dimension that follows; the default of a "
                       "dimension reads those before it",
                       (int)length, name);
        return 1;
    }
    if (!line)
        return 0;
    if (p->scope == HONE_SCOPE_DIM) {
        (void)refuse(p, name, length, not_of_callers);
        return 1;
    }
    if (line == hone__line_of(p, (size_t)(name - p->bare)))
        (void)snprintf(p->note, sizeof p->note, "'%.*s' cannot read itself",
                       (int)length, name);
    else
        (void)snprintf(
            p->note, sizeof p->note,
            "'%.*s' is declared below, on line %d; a name is declared above "
            "its first use, so that lets cannot go in circles",
            (int)length, name, line);
    return 1;
}

static hone_symbol unknown(hone_parser *p, const char *name, size_t length)
{
    hone_suggestion s = hone__suggest(name, length);

    if (unknown_yet(p, name, length))
        return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
    for (size_t i = 0; i < p->n_names; ++i)
        hone__suggest_offer(&s, p->names[i].name);
    if (length == 2 && !memcmp(name, "sm", 2))
        s.best = "device.sm";
    (void)snprintf(p->note, sizeof p->note, "unknown name '%.*s'%s",
                   (int)length, name, hone__suggest_text(&s));
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}

/* `name` is what follows "device." */
static hone_symbol fact(hone_parser *p, const char *name, size_t length)
{
    hone_suggestion s = hone__suggest(name, length);

    for (size_t i = 0; i < HONE_N_PROPERTIES; ++i) {
        if (strlen(hone__property_names[i]) == length &&
            !memcmp(hone__property_names[i], name, length)) {
            p->reads_properties = 1;
            if (p->scope == HONE_SCOPE_ANY || p->scope == HONE_SCOPE_EXISTS ||
                p->scope == HONE_SCOPE_DEVICE ||
                (p->scope == HONE_SCOPE_ARCH && i == HONE_PROPERTY_sm))
                return slot(i);
            return refuse(p, name - 7, length + 7,
                          p->scope == HONE_SCOPE_ARCH
                              ? "cannot be asked here; 'arch' reads sm only"
                          : p->scope == HONE_SCOPE_DIM
                              ? "is a property of the device; the default of a "
                                "dimension reads dimensions before it"
                              : "is a device property, known only at run time; "
                                "this place takes parameters");
        }
        hone__suggest_offer(&s, hone__property_names[i]);
    }
    (void)snprintf(p->note, sizeof p->note, "unknown device property '%.*s'%s",
                   (int)length, name, hone__suggest_text(&s));
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}

static int is_real(const hone_parser *p, const hone_name *name)
{
    return name->kind == HONE_NAME_PARAM &&
           p->tmpl->params[name->index].kind == HONE_PARAM_REAL;
}

/* Why the expression that is read may not have this name; NULL: it may. */
static const char *out_of_scope(const hone_parser *p, const hone_name *known)
{
    if (is_real(p, known) && !p->takes_reals)
        return "is a floating-point number, and expressions are of integers; "
               "the code reads it, and kernels get it as f32(NAME) or "
               "f64(NAME)";
    if (p->scope >= HONE_SCOPE_ARCH)
        return p->scope == HONE_SCOPE_ARCH
                   ? "cannot be read here; 'arch' reads sm only"
               : p->scope == HONE_SCOPE_DEVICE
                   ? "cannot be read here; 'for device' reads "
                     "properties of the device, such as sm"
                   : "cannot be read here; the values of a parameter "
                     "are constants";
    if (p->scope == HONE_SCOPE_DIM &&
        (known->kind == HONE_NAME_PARAM || known->kind == HONE_NAME_LET))
        return not_of_callers;
    if (p->scope == HONE_SCOPE_DIM && known->index + 1 == p->tmpl->n_dims)
        return "cannot read itself";
    if (known->kind == HONE_NAME_REPEAT &&
        (p->scope != HONE_SCOPE_ANY || p->repeat != (int)known->index + 1))
        return "is the number of a repetition; the 'if', 'grid' and "
               "'args' behind its repeat(..) read it, and nothing else";
    return NULL;
}

static int is_of_dims(const hone_name *known)
{
    return known->kind == HONE_NAME_DIM || known->kind == HONE_NAME_REPEAT ||
           known->reads_dims;
}

/* Why its place may not have what is known only at run time; NULL: it may. */
static const char *known_too_late(const hone_parser *p, const hone_name *known)
{
    if (p->scope == HONE_SCOPE_EXISTS && is_of_dims(known))
        return "depends on a problem dimension that is known only at run "
               "time; whether a parameter exists may depend on parameters, "
               "dimensions that list their values, and the device";
    if (p->scope != HONE_SCOPE_VARIANT)
        return NULL;
    if (known->kind == HONE_NAME_DIM)
        return "is a problem dimension, known only at run time; this place "
               "takes parameters";
    if (is_of_dims(known))
        return "reads a problem dimension, known only at run time; this place "
               "takes parameters";
    return known->reads_properties
               ? "reads a device property, known only at run time; this place "
                 "takes parameters"
               : NULL;
}

static hone_symbol declared(hone_parser *p, const hone_name *known,
                            const char *name, size_t length)
{
    const hone_slots *slots = &p->tmpl->slots;
    const char *why;

    if (known->kind == HONE_NAME_VALUE)
        return (hone_symbol){HONE_SYMBOL_CONSTANT, known->value};
    why = out_of_scope(p, known);
    if (!why) {
        p->reads_dims |= is_of_dims(known);
        p->reads_properties |= known->reads_properties;
        why = known_too_late(p, known);
    }
    if (why)
        return refuse(p, name, length, why);
    return slot(known->index + (known->kind == HONE_NAME_PARAM  ? slots->params
                                : known->kind == HONE_NAME_LET  ? slots->lets
                                : known->kind == HONE_NAME_LOOP ? 0
                                : known->kind == HONE_NAME_REPEAT
                                    ? slots->total
                                    : slots->dims));
}

static hone_symbol lookup(void *user, const char *name, size_t length)
{
    hone_parser *p = user;
    const hone_name *known;

    if (length > 7 && !memcmp(name, "device.", 7))
        return fact(p, name + 7, length - 7);
    if (p->scope == HONE_SCOPE_ARCH && length == 2 && !memcmp(name, "sm", 2))
        return slot(HONE_PROPERTY_sm);
    known = hone__name_find(p, name, length, 0);
    if (known)
        return declared(p, known, name, length);
    known = hone__name_find(p, name, length, 1);
    if (known)
        return refuse(p, name, length,
                      known->kind == HONE_NAME_MAP
                          ? "is a tensor map; expressions read dimensions, "
                            "parameters and lets"
                          : "is an argument or workspace; expressions read "
                            "dimensions, parameters and lets");
    if (p->scope == HONE_SCOPE_DEVICE)
        return fact(p, name, length);
    if (!hone__type_find(name, length))
        return unknown(p, name, length);
    return (hone_symbol){HONE_SYMBOL_UNKNOWN, 0};
}

/* Say more than expr.c can, which knows no floating-point numbers. */
static void note_real(hone_parser *p, hone_slice where)
{
    while (where.begin < where.end && p->bare[where.begin] != '.' &&
           !hone__real_starts(p, where))
        ++where.begin;
    if (!p->note[0] && hone__real_starts(p, where))
        (void)snprintf(
            p->note, sizeof p->note,
            "expressions are of integers; a floating-point number is a value "
            "of a parameter, or stands alone in f32(..) and f64(..) of a "
            "launch's args(..) and in the bounds of a check");
}

/* Compile for the place that `out` has; what fails is in `span` and `err`. */
static hone_status compile(hone_parser *p, const char *text, size_t length,
                           hone_scope scope, hone_template_expr *out,
                           hone_span *span, hone_error *err)
{
    hone_expr **kept;
    hone_status status;

    p->scope = scope;
    p->reads_dims = p->reads_properties = 0;
    p->note[0] = '\0';
    status = hone__expr_compile(text, length, lookup, p, &out->expr, span, err);
    if (status == HONE_ERR_NO_MEMORY)
        (void)hone__no_memory(p);
    if (status)
        return status;
    kept = HONE_PUSH(p, p->body->exprs, p->body->n_exprs);
    if (!kept) {
        hone__expr_free(out->expr);
        out->expr = NULL;
        return HONE_ERR_NO_MEMORY;
    }
    *kept = out->expr;
    out->reads_dims = p->reads_dims;
    out->reads_properties = p->reads_properties;
    return HONE_OK;
}

int hone__compile(hone_parser *p, hone_slice where, hone_scope scope,
                  hone_template_expr *out)
{
    const size_t length = where.end - where.begin;
    hone_span span;
    hone_error err = {0};
    hone_status status;
    int64_t value;

    *out = hone__place(p, where);
    if (length > HONE_MAX_EXPR_BYTES)
        return hone__complain(
            p, where,
            "the expression is longer than %d characters; split it with 'let'",
            HONE_MAX_EXPR_BYTES);
    status = compile(p, p->bare + where.begin, length, scope, out, &span, &err);
    if (status == HONE_ERR_NO_MEMORY)
        return 0;
    if (status) {
        const size_t begin = where.begin + span.offset;

        note_real(p, (hone_slice){begin, where.end});
        return hone__complain(p, (hone_slice){begin, begin + span.length}, "%s",
                              p->note[0] ? p->note : err.text);
    }
    if (hone__expr_slot_count(out->expr) == 0 &&
        hone__expr_eval(out->expr, NULL, &value, &err))
        return hone__complain(p, where, "%s", err.text);
    return 1;
}

int hone__compile_known(const hone_template_expr *expr, int64_t *out)
{
    return expr->expr && hone__expr_slot_count(expr->expr) == 0 &&
           hone__expr_eval(expr->expr, NULL, out, NULL) == HONE_OK;
}

int hone__compile_constant(hone_parser *p, hone_slice where, int64_t *out)
{
    hone_template_expr expr;

    return hone__compile(p, where, HONE_SCOPE_CONSTANT, &expr) &&
           hone__compile_known(&expr, out);
}

int hone__compile_text(hone_parser *p, const char *text,
                       const hone_template_expr *at, hone_template_expr *out)
{
    hone_error err = {0};
    hone_status status;

    *out = (hone_template_expr){.line = at->line, .column = at->column};
    p->takes_reals = 1; /* their bits are compared */
    status = compile(p, text, strlen(text), HONE_SCOPE_ANY, out, NULL, &err);
    p->takes_reals = 0;
    if (status && status != HONE_ERR_NO_MEMORY)
        (void)hone__complain(p, (hone_slice){0, 1}, "line %d: %s", at->line,
                             err.text);
    return status == HONE_OK;
}

int hone__compile_real(hone_parser *p, hone_slice where,
                       hone_template_number *out)
{
    const hone_name *known = hone__name_of(p, where);
    const hone_template_expr at = hone__place(p, where);
    char bits[24];
    double number;
    int ok;

    out->is_real = 1;
    if (hone__real_is(p, where)) {
        if (!hone__real_read(p, where, &number))
            return 0;
        (void)snprintf(bits, sizeof bits, "%lld",
                       (long long)hone__real_bits(number));
        return hone__compile_text(p, bits, &at, &out->expr);
    }
    out->is_real = known && is_real(p, known);
    if (!out->is_real)
        return 1;
    p->takes_reals = 1;
    ok = hone__compile(p, where, HONE_SCOPE_VARIANT, &out->expr);
    p->takes_reals = 0;
    return ok;
}

int hone__compile_number(hone_cursor *c, const char *what,
                         hone_template_number *out)
{
    hone_cursor ahead = *c;

    (void)hone__cursor_accept(&ahead, '(');
    if (!hone__compile_real(c->p, hone__cursor_until(&ahead, ",)", NULL), out))
        return 0;
    if (!out->is_real)
        return hone__compile_value(c, what, HONE_SCOPE_ANY, &out->expr);
    *c = ahead;
    return hone__cursor_expect(c, ')', "after the value");
}

static int names_a_type(const hone_parser *p, const hone_name *name)
{
    return name->kind == HONE_NAME_DIM_TYPE ||
           (name->kind == HONE_NAME_PARAM &&
            p->tmpl->params[name->index].kind == HONE_PARAM_TYPE);
}

int hone__compile_type(hone_parser *p, hone_slice where,
                       hone_template_expr *out)
{
    const hone_name *known = hone__name_of(p, where);

    if (known ? names_a_type(p, known)
              : hone__type_find(p->bare + where.begin,
                                where.end - where.begin) != 0)
        return hone__compile(p, where, HONE_SCOPE_VARIANT, out);
    return hone__complain(p, where,
                          "'%.*s' is not an element type; known are f16, bf16, "
                          "tf32, f32, f64, i8, i32, c32, u8, u32, i64, u64, "
                          "c64 and dimensions or parameters that are types",
                          HONE_SLICE(p, where));
}

int hone__compile_list(hone_cursor *c, const char *what, size_t most,
                       hone_scope scope, hone_template_expr *out, size_t *out_n)
{
    const hone_slice start = hone__cursor_here(c);
    size_t n = 0;

    if (!hone__cursor_expect(c, '(', "before the value"))
        return 0;
    do {
        const hone_slice slice = hone__cursor_until(c, ",)", NULL);

        if (n == most)
            return hone__complain(c->p, slice, "%s takes at most %zu value%s",
                                  what, most, most == 1 ? "" : "s");
        if (!hone__compile(c->p, slice, scope, &out[n++]))
            return 0;
    } while (hone__cursor_accept(c, ','));
    *out_n = n;
    if (hone__cursor_accept(c, ')'))
        return 1;
    return hone__complain(c->p, start, "this '(' is never closed");
}

int hone__compile_value(hone_cursor *c, const char *what, hone_scope scope,
                        hone_template_expr *out)
{
    return hone__compile_list(c, what, 1, scope, out, &(size_t){0});
}
