/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of a template, and what is wrong with them at which place. */
#include "gen/parse/parse.h"
#include "runtime/base/type.h"

#include <stdio.h>
#include <string.h>

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
    status = hone__expr_compile(text, length, hone__symbol, p, &out->expr, span,
                                err);
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
    if (status && status != HONE_ERR_NO_MEMORY) {
        const size_t begin =
            p->line_starts[at->line - 1] + (size_t)at->column - 1;

        (void)hone__complain(p, (hone_slice){begin, begin + 1}, "%s", err.text);
    }
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
    out->is_real = known && hone__name_is_real(p, known);
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
                          "c64, e4m3, e5m2 and dimensions or parameters that "
                          "are types",
                          HONE_SLICE(p, where));
}

int hone__compile_list(hone_cursor *c, const char *what, size_t most,
                       hone_scope scope, hone_template_expr *out, size_t *out_n)
{
    const hone_slice start = hone__cursor_here(c);
    size_t n = 0;
    size_t length = 0;

    if (!hone__cursor_expect(c, '(', "before the value"))
        return 0;
    do {
        const hone_slice slice = hone__cursor_until(c, ",)", NULL);

        if (n == most)
            return hone__complain(c->p, slice, "%s takes at most %zu value%s",
                                  what, most, most == 1 ? "" : "s");
        if (!hone__compile(c->p, slice, scope, &out[n]))
            return 0;
        length += strlen(hone__expr_text(out[n++].expr)) + 3;
    } while (hone__cursor_accept(c, ','));
    if (length > HONE_MAX_LIST_BYTES)
        return hone__complain(c->p, start,
                              "the expressions of %s are longer than %d "
                              "characters together; shorten them with 'let'",
                              what, HONE_MAX_LIST_BYTES);
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
