/* SPDX-License-Identifier: Apache-2.0 */
/* The constant statement: constant memory that is filled from an argument. */
#include "gen/parse/parse.h"

#include <string.h>

static int source_of(hone_cursor *c, hone_template_constant *constant)
{
    hone_parser *p = c->p;
    const hone_name *known;
    const hone_template_arg *arg;
    hone_slice word;

    if (!hone__cursor_accept_word(c, "from"))
        return hone__complain(p, hone__cursor_here(c),
                              "say which argument fills it: from ARGUMENT");
    if (!hone__cursor_need_word(c, "the name of an argument", &word))
        return 0;
    known = hone__buffer_need(p, word, 1u << HONE_NAME_ARG, "argument");
    if (!known)
        return 0;
    arg = &p->tmpl->args[known->index];
    constant->arg = (int)known->index;
    if (arg->mode != HONE_ARG_IN)
        return hone__complain(
            p, word,
            "constant memory is filled before the launches from an array that "
            "does not change: '%s' must be an 'in' array",
            arg->name);
    /* .expr NULL: the argument had a mistake of its own. */
    if (arg->type.expr && constant->type.expr &&
        strcmp(hone__expr_text(arg->type.expr),
               hone__expr_text(constant->type.expr)) != 0)
        return hone__complain(p, word,
                              "'%s' holds elements of %s, and the constant "
                              "'%s' of %s; they must be the same",
                              arg->name, hone__expr_text(arg->type.expr),
                              constant->name,
                              hone__expr_text(constant->type.expr));
    return 1;
}

/* `constant taps: f32[K] from h if(E)` */
int hone__statement_constant(hone_parser *p, hone_cursor *c)
{
    hone_template_constant *constant;
    hone_slice name;
    hone_slice word;

    constant = HONE_DECLARE(c, HONE_NAME_CONSTANT, p->tmpl->constants,
                            p->tmpl->n_constants, &name);
    if (!constant ||
        !hone__cursor_expect(c, ':', "after the constant's name") ||
        !hone__cursor_need_word(c, "an element type", &word) ||
        !hone__compile_type(p, word, &constant->type) ||
        !hone__compile_count(c, &constant->count, NULL) ||
        !source_of(c, constant))
        return 0;
    if (hone__cursor_accept_word(c, "if") &&
        !hone__compile_value(c, "if", HONE_SCOPE_ANY, &constant->condition))
        return 0;
    if (!hone__cursor_finish(c))
        return 0;
    /* An included header may declare it. */
    if (!p->has_local_includes &&
        (!hone__code_has(p, constant->name, name.end - name.begin) ||
         !hone__code_has(p, "__constant__", strlen("__constant__"))))
        return hone__complain(p, name,
                              "there is no '__constant__ .. %s[..]' in this "
                              "file; declare it at file scope",
                              constant->name);
    return 1;
}

/* "taps and bias": for the sentence of the require. */
static void name_all(const hone_parser *p, hone_text *out)
{
    const size_t n = p->tmpl->n_constants;

    for (size_t i = 0; i < n; ++i)
        hone__text_printf(out, "%s%s",
                          !i           ? ""
                          : i + 1 == n ? " and "
                                       : ", ",
                          p->tmpl->constants[i].name);
}

int hone__constants_complete(hone_parser *p)
{
    const hone_template_expr *at = &p->tmpl->constants[0].count;
    hone_text bytes = {0};
    hone_text condition = {0};
    hone_text message = {0};
    hone_template_require *require;
    const char *sentence;
    int ok;

    if (!p->tmpl->n_constants)
        return 1;
    for (size_t i = 0; i < p->tmpl->n_constants; ++i) {
        const hone_template_constant *constant = &p->tmpl->constants[i];
        const hone_expr *when = constant->condition.expr;

        hone__text_puts(&bytes, i ? " + " : "");
        if (when)
            hone__text_printf(&bytes, "((%s) ? ", hone__expr_text(when));
        hone__text_printf(&bytes, "(%s)*sizeof(%s)",
                          hone__expr_text(constant->count.expr),
                          hone__expr_text(constant->type.expr));
        hone__text_puts(&bytes, when ? " : 0)" : "");
    }
    hone__text_printf(&condition, "%s <= %d", hone__text_str(&bytes),
                      HONE_CONSTANT_BYTES);
    condition.failed |= bytes.failed;
    name_all(p, &message);
    hone__text_printf(&message, " must fit the %d bytes of constant memory",
                      HONE_CONSTANT_BYTES);
    sentence = hone__text_keep(p, &message);
    require = hone__require_add(p, at, &condition, NULL, sentence);
    ok = require &&
         hone__compile_text(p, hone__text_str(&bytes), at, &require->bytes);
    hone__text_free(&bytes);
    return ok;
}
