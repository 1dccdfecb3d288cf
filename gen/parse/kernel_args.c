/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel gets as its parameters: args(..) of a launch. */
#include "gen/parse/parse.h"

/* What an item of args(..) is, by its name. */
static int pass_name(hone_parser *p, hone_slice word, hone_template_choice *out)
{
    const hone_name *known = hone__buffer_of(p, word);

    if (known && known->kind == HONE_NAME_CONSTANT)
        return hone__complain(p, word,
                              "the kernel sees constant memory by its name; "
                              "'%s' is no parameter of it",
                              known->name);
    if (!known && (known = hone__name_of(p, word)))
        return hone__complain(p, word,
                              "'%s' is a value; pass it as i32(%s) or i64(%s), "
                              "or as f32(..) or f64(..)",
                              known->name, known->name, known->name);
    known = hone__buffer_need(p, word,
                              1u << HONE_NAME_ARG | 1u << HONE_NAME_WORKSPACE |
                                  1u << HONE_NAME_MAP,
                              "argument, workspace or tensor map");
    if (!known)
        return 0;
    out->kind = known->kind == HONE_NAME_ARG   ? HONE_PASS_ARG
                : known->kind == HONE_NAME_MAP ? HONE_PASS_MAP
                                               : HONE_PASS_WORKSPACE;
    out->index = (int)known->index;
    return 1;
}

const char *const hone__pass_words[] = {[HONE_PASS_I32] = "i32",
                                        [HONE_PASS_I64] = "i64",
                                        [HONE_PASS_F32] = "f32",
                                        [HONE_PASS_F64] = "f64"};

/* What one parameter may be: arrays and workspaces, or tensor maps. */
static int check_choice(hone_parser *p, hone_slice word,
                        const hone_template_pass *out)
{
    const hone_template_choice *first = &out->choices[0];
    const hone_template_choice *last = &out->choices[out->n_choices - 1];

    if (last->kind == HONE_PASS_ARG &&
        p->tmpl->args[last->index].mode == HONE_ARG_SCALAR)
        return hone__complain(p, word,
                              "'%.*s' is a scalar; pick(..) is of arrays, "
                              "workspaces and tensor maps",
                              HONE_SLICE(p, word));
    if ((first->kind == HONE_PASS_MAP) != (last->kind == HONE_PASS_MAP))
        return hone__complain(p, word,
                              "a parameter is a pointer or a tensor map; "
                              "pick(..) takes one or the other");
    if (out->n_choices > HONE_MAX_PICKED)
        return hone__complain(p, word, "pick(..) is of at most %d arrays",
                              HONE_MAX_PICKED);
    return 1;
}

/* Behind `pick`: (E, NAME, ..). */
static int pass_pick(hone_cursor *c, hone_template_pass *out)
{
    hone_parser *p = c->p;
    hone_slice word;

    if (!hone__cursor_expect(c, '(', "after pick") ||
        !hone__compile(p, hone__cursor_until(c, ",)", NULL), HONE_SCOPE_ANY,
                       &out->value.expr) ||
        !hone__cursor_expect(c, ',',
                             "and the arrays of which the first is picked "
                             "where the number is 0"))
        return 0;
    do {
        hone_template_choice *choice =
            HONE_PUSH(p, out->choices, out->n_choices);

        if (!choice ||
            !hone__cursor_need_word(c, "an array or a workspace", &word) ||
            !pass_name(p, word, choice) || !check_choice(p, word, out))
            return 0;
    } while (hone__cursor_accept(c, ','));
    out->kind = out->choices[0].kind;
    out->index = out->choices[0].index;
    return hone__cursor_expect(c, ')', "after the arrays of pick");
}

static int pass_item(hone_cursor *c, hone_template_pass *out)
{
    hone_parser *p = c->p;
    hone_slice word;
    hone_template_choice one;
    int kind = HONE_PASS_F64;

    if (!hone__cursor_need_word(c,
                                "an argument, a workspace, a tensor map, "
                                "i32(..), i64(..), f32(..), f64(..) or "
                                "pick(..)",
                                &word))
        return 0;
    if (hone__cursor_peek(c) != '(') {
        if (!pass_name(p, word, &one))
            return 0;
        out->kind = one.kind;
        out->index = one.index;
        return 1;
    }
    if (hone__slice_is(p, word, "pick"))
        return pass_pick(c, out);
    while (kind > 0 && !(hone__pass_words[kind] &&
                         hone__slice_is(p, word, hone__pass_words[kind])))
        --kind;
    if (!kind)
        return hone__complain(p, word,
                              "arrays are picked by pick(..), values passed "
                              "as i32(..), i64(..), f32(..) or f64(..), not "
                              "'%.*s(..)'",
                              HONE_SLICE(p, word));
    out->kind = (hone_pass_kind)kind;
    return kind == HONE_PASS_F32 || kind == HONE_PASS_F64
               ? hone__compile_number(c, hone__pass_words[kind], &out->value)
               : hone__compile_value(c, hone__pass_words[kind], HONE_SCOPE_ANY,
                                     &out->value.expr);
}

int hone__args_clause(hone_cursor *c, hone_template_launch *launch)
{
    hone_parser *p = c->p;
    const hone_slice here = hone__cursor_here(c);

    if (!hone__cursor_expect(c, '(', "after args"))
        return 0;
    do {
        hone_template_pass *item =
            HONE_PUSH(p, launch->passed, launch->n_passed);

        if (!item || !pass_item(c, item))
            return 0;
    } while (hone__cursor_accept(c, ','));
    if (launch->n_passed > HONE_MAX_PASSED)
        return hone__complain(p, here, "a kernel gets at most %d parameters",
                              HONE_MAX_PASSED);
    return hone__cursor_expect(c, ')', "after the kernel's parameters");
}

static hone_template_pass *pass(hone_parser *p, hone_template_launch *launch,
                                hone_pass_kind kind, size_t index)
{
    hone_template_pass *item = HONE_PUSH(p, launch->passed, launch->n_passed);

    if (item)
        *item = (hone_template_pass){.kind = kind, .index = (int)index};
    return item;
}

void hone__args_standard(hone_parser *p, hone_template_launch *launch)
{
    const hone_template_expr at = {.line = 1, .column = 1};
    const hone_template *tmpl = p->tmpl;

    for (size_t i = 0; i < tmpl->n_args && !p->no_memory; ++i)
        (void)pass(p, launch, HONE_PASS_ARG, i);
    for (size_t i = 0; i < tmpl->n_dims && !p->no_memory; ++i) {
        hone_template_pass *item = NULL;

        if (!tmpl->dims[i].n_types)
            item = pass(p, launch, HONE_PASS_I64, 0);
        if (item)
            (void)hone__compile_text(p, tmpl->dims[i].name, &at,
                                     &item->value.expr);
    }
    for (size_t i = 0; i < tmpl->n_workspaces && !p->no_memory; ++i)
        (void)pass(p, launch, HONE_PASS_WORKSPACE, i);
}
