/* SPDX-License-Identifier: Apache-2.0 */
/* The constant statement: constant memory that is filled from an argument. */
#include "gen/parse/parse.h"

#include <string.h>

static int source_of(hone_cursor *c, hone_template_constant *constant)
{
    hone_parser *p = c->p;
    const hone_name *known;
    const hone_template_arg *arg;
    hone_suggestion s;
    hone_slice word;
    char hint[96];

    if (!hone__cursor_accept_word(c, "from"))
        return hone__complain(p, hone__cursor_here(c),
                              "say which argument fills it: from ARGUMENT");
    if (!hone__cursor_need_word(c, "the name of an argument", &word))
        return 0;
    known =
        hone__name_find_buffer(p, p->bare + word.begin, word.end - word.begin);
    if (!known || known->kind != HONE_NAME_ARG) {
        hone__suggest_start(&s, p->bare + word.begin, word.end - word.begin);
        for (size_t i = 0; i < p->tmpl->n_args; ++i)
            hone__suggest_offer(&s, p->parts.args[i].name);
        return hone__complain(p, word, "no argument is called '%.*s'%s",
                              (int)(word.end - word.begin),
                              p->bare + word.begin,
                              hone__suggest_text(&s, hint));
    }
    arg = &p->parts.args[known->index];
    constant->arg = (int)known->index;
    if (arg->mode != HONE_ARG_IN)
        return hone__complain(p, word,
                              "constant memory is filled before the "
                              "launches from an array that does not change: "
                              "'%s' must be an 'in' array",
                              arg->name);
    /* .expr NULL: the argument had a mistake of its own. */
    if (arg->type.expr && constant->type.expr &&
        strcmp(hone__expr_text(arg->type.expr),
               hone__expr_text(constant->type.expr)) != 0)
        return hone__complain(p, word,
                              "'%s' holds elements of %s, and the "
                              "constant '%s' of %s; they must be the same",
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
    size_t n;

    if (!hone__cursor_need_word(c, "the name of a __constant__ array", &name))
        return 0;
    if (p->tmpl->n_constants == HONE_MAX_CONSTANTS)
        return hone__complain(p, name, "an op has at most %d constants",
                              HONE_MAX_CONSTANTS);
    constant = HONE_PUSH(p, p->parts.constants, p->tmpl->n_constants);
    if (!constant)
        return 0;
    *constant = (hone_template_constant){.name = ""};
    if (!hone__name_declare(p, name, HONE_NAME_CONSTANT,
                            p->tmpl->n_constants - 1, &constant->name) ||
        !hone__cursor_expect(c, ':', "after the constant's name") ||
        !hone__cursor_need_word(c, "an element type", &word) ||
        !hone__compile_type(p, word, &constant->type) ||
        !hone__compile_count(c, &constant->count, NULL) ||
        !source_of(c, constant))
        return 0;
    if (hone__cursor_accept_word(c, "if") &&
        !hone__compile_list(c, "if", 1, HONE_SCOPE_ANY, &constant->condition,
                            &n))
        return 0;
    if (!hone__cursor_finish(c))
        return 0;
    /* An included header may declare it. */
    if (!p->has_local_includes &&
        (!hone__code_has(p, constant->name, name.end - name.begin) ||
         !hone__code_has(p, "__constant__", strlen("__constant__"))))
        return hone__complain(p, name,
                              "there is no '__constant__ .. %s[..]' "
                              "in this file; declare it at file scope",
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
                          p->parts.constants[i].name);
}

static int add_require(hone_parser *p, const hone_text *bytes,
                       const hone_text *condition, const hone_text *message)
{
    const hone_template_expr *at = &p->parts.constants[0].count;
    hone_template_require *require;

    if (hone__text_check(bytes, NULL) || hone__text_check(condition, NULL) ||
        hone__text_check(message, NULL))
        return hone__no_memory(p);
    require = HONE_PUSH(p, p->parts.requires_, p->tmpl->n_requires);
    if (!require)
        return 0;
    *require = (hone_template_require){.message = ""};
    require->message =
        hone__arena_strndup(&p->tmpl->arena, message->data, message->length);
    if (!require->message)
        return hone__no_memory(p);
    return hone__compile_text(p, bytes->data, at, &require->bytes) &&
           hone__compile_text(p, condition->data, at, &require->condition);
}

int hone__constants_complete(hone_parser *p)
{
    hone_text bytes = {0};
    hone_text condition = {0};
    hone_text message = {0};
    int ok;

    if (!p->tmpl->n_constants)
        return 1;
    for (size_t i = 0; i < p->tmpl->n_constants; ++i) {
        const hone_template_constant *constant = &p->parts.constants[i];
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
    name_all(p, &message);
    hone__text_printf(&message, " must fit the %d bytes of constant memory",
                      HONE_CONSTANT_BYTES);
    ok = add_require(p, &bytes, &condition, &message);
    hone__text_free(&bytes);
    hone__text_free(&condition);
    hone__text_free(&message);
    return ok;
}
