/* SPDX-License-Identifier: Apache-2.0 */
/* The statements about judging a variant: work, check, baseline, inputs, and
 * the compiler options. */
#include "gen/parse/option_table.h"
#include "gen/parse/parse.h"

#include <ctype.h>
#include <string.h>

int hone__statement_work(hone_parser *p, hone_cursor *c)
{
    hone_slice word;
    size_t n;

    do {
        hone_template_expr *expr;

        if (!hone__cursor_need_word(c, "flops(..) or bytes(..)", &word))
            return 0;
        if (hone__slice_is(p, word, "flops"))
            expr = &p->tmpl->work_flops;
        else if (hone__slice_is(p, word, "bytes"))
            expr = &p->tmpl->work_bytes;
        else
            return hone__complain(p, word,
                                  "work is given as flops(..) and "
                                  "bytes(..), not '%.*s'",
                                  (int)(word.end - word.begin),
                                  p->bare + word.begin);
        if (expr->line)
            return hone__complain(p, word,
                                  "this is given twice, first on "
                                  "line %d",
                                  expr->line);
        if (!hone__compile_list(c, "flops or bytes", 1, HONE_SCOPE_ANY, expr,
                                &n))
            return 0;
    } while (hone__cursor_peek(c) != '\0');
    return hone__cursor_finish(c);
}

/* "template" belongs to other templates, and their names have no dots. */
static int template_name(hone_parser *p, hone_slice where, const char *name)
{
    const size_t length = sizeof HONE_TEMPLATE_PREFIX - 1;

    if (strcmp(name, "template") == 0 ||
        (strncmp(name, HONE_TEMPLATE_PREFIX, length) == 0 &&
         strchr(name + length, '.')))
        return hone__complain(p, where,
                              "another template is written as template.NAME, "
                              "where NAME.cu is its file");
    return 1;
}

/* Words with dots: "cublas.gemm". */
static int dotted_name(hone_cursor *c, const char *what, const char **out)
{
    hone_slice word;

    if (!hone__cursor_need_word(c, what, &word))
        return 0;
    while (c->at + 1 < c->end && c->p->bare[c->at] == '.' &&
           isalnum((unsigned char)c->p->bare[c->at + 1])) {
        ++c->at;
        while (c->at < c->end && (isalnum((unsigned char)c->p->bare[c->at]) ||
                                  c->p->bare[c->at] == '_'))
            ++c->at;
    }
    word.end = c->at;
    *out = hone__slice_copy(c->p, word);
    return *out && template_name(c->p, word, *out);
}

const char *const hone__bound_names[HONE_N_BOUNDS] = {
#define BOUND_NAME(name, word) word,
    HONE_BOUND_MAP(BOUND_NAME)
#undef BOUND_NAME
};

static int given_twice(hone_parser *p, hone_slice word)
{
    return hone__complain(p, word, "'%.*s' is given twice",
                          (int)(word.end - word.begin), p->bare + word.begin);
}

/* `magnitude template.NAME`. */
static int check_magnitude(hone_cursor *c, hone_slice word,
                           hone_template_check *check)
{
    const size_t length = sizeof HONE_TEMPLATE_PREFIX - 1;
    hone_slice name = hone__cursor_here(c);

    if (check->magnitude)
        return given_twice(c->p, word);
    if (!dotted_name(c, "template.NAME", &check->magnitude))
        return 0;
    if (strncmp(check->magnitude, HONE_TEMPLATE_PREFIX, length) != 0)
        return hone__complain(c->p, name,
                              "a magnitude is computed by another template: "
                              "template.NAME");
    if (strncmp(check->reference, HONE_TEMPLATE_PREFIX, length) != 0)
        return hone__complain(c->p, word,
                              "%s brings magnitudes of its own; they are "
                              "given to a check by template.NAME",
                              check->reference);
    return 1;
}

static int check_clause(hone_cursor *c, hone_template_check *check)
{
    static const char wanted[] = "tolerance(..), abs(..), rel(..), norm(..), "
                                 "exact(..), magnitude template.NAME or for "
                                 "ARRAY";
    hone_template_bound *bound = &check->bounds[check->n_bounds - 1];
    hone_parser *p = c->p;
    hone_slice word;

    if (!hone__cursor_need_word(c, wanted, &word))
        return 0;
    if (hone__slice_is(p, word, "magnitude"))
        return check_magnitude(c, word, check);
    for (int i = 0; i < HONE_N_BOUNDS; ++i) {
        hone_bound_number *number = &bound->number[i];

        if (!hone__slice_is(p, word, hone__bound_names[i]))
            continue;
        if (number->value.expr)
            return given_twice(p, word);
        if (i != HONE_BOUND_EXACT)
            return hone__compile_number(c, hone__bound_names[i], &number->value,
                                        &number->is_real);
        return hone__compile_list(c, hone__bound_names[i], 1, HONE_SCOPE_ANY,
                                  &number->value, &(size_t){0});
    }
    return hone__complain(p, word, "a check takes %s, not '%.*s'", wanted,
                          (int)(word.end - word.begin), p->bare + word.begin);
}

/* `for ARRAY`: what follows is about this array alone. */
static int check_array(hone_cursor *c, hone_template_check *check)
{
    hone_parser *p = c->p;
    hone_slice word;
    int arg = -1;

    if (!hone__cursor_need_word(c, "the name of an array", &word))
        return 0;
    for (size_t i = 0; i < p->tmpl->n_args; ++i) {
        if (hone__slice_is(p, word, p->parts.args[i].name))
            arg = (int)i;
    }
    if (arg < 0 || (p->parts.args[arg].mode != HONE_ARG_OUT &&
                    p->parts.args[arg].mode != HONE_ARG_INOUT))
        return hone__complain(p, word,
                              "'%.*s' is not an array that is written: "
                              "declare it out or inout above this line",
                              (int)(word.end - word.begin),
                              p->bare + word.begin);
    for (size_t i = 1; i < check->n_bounds; ++i) {
        if (check->bounds[i].arg == arg)
            return hone__complain(p, word, "'%.*s' has bounds already",
                                  (int)(word.end - word.begin),
                                  p->bare + word.begin);
    }
    if (check->n_bounds == HONE_MAX_BOUNDS)
        return hone__complain(p, word,
                              "a check gives at most %d arrays bounds of "
                              "their own",
                              HONE_MAX_BOUNDS - 1);
    check->bounds[check->n_bounds++] = (hone_template_bound){.arg = arg};
    return 1;
}

int hone__statement_check(hone_parser *p, hone_cursor *c)
{
    hone_template_check *check;

    if (hone__cursor_accept_word(c, "none"))
        return hone__cursor_finish(c);
    check = HONE_PUSH(p, p->parts.checks, p->tmpl->n_checks);
    if (!check)
        return 0;
    *check = (hone_template_check){
        .reference = "",
        .n_bounds = 1,
        .bounds = {{.arg = -1}},
        .line = hone__line_of(p, hone__cursor_here(c).begin)};
    if (!dotted_name(c, "the name of a reference, e.g. cpu.sum, or none",
                     &check->reference))
        return 0;
    while (hone__cursor_peek(c) != '\0') {
        if (!(hone__cursor_accept_word(c, "for") ? check_array(c, check)
                                                 : check_clause(c, check)))
            return 0;
    }
    return hone__cursor_finish(c);
}

int hone__statement_baseline(hone_parser *p, hone_cursor *c)
{
    do {
        hone_template_baseline *baseline =
            HONE_PUSH(p, p->parts.baselines, p->tmpl->n_baselines);

        if (!baseline)
            return 0;
        *baseline = (hone_template_baseline){
            "", hone__line_of(p, hone__cursor_here(c).begin)};
        if (!dotted_name(c, "the name of a baseline, e.g. cublaslt",
                         &baseline->name))
            return 0;
    } while (hone__cursor_accept(c, ','));
    return hone__cursor_finish(c);
}

int hone__statement_inputs(hone_parser *p, hone_cursor *c)
{
    const hone_slice where = hone__cursor_here(c);

    if (p->tmpl->inputs[0])
        return hone__complain(p, where,
                              "a template has one inputs line; the first is "
                              "line %d",
                              p->tmpl->inputs_line);
    p->tmpl->inputs_line = hone__line_of(p, where.begin);
    if (!dotted_name(c, "template.NAME", &p->tmpl->inputs))
        return 0;
    if (strncmp(p->tmpl->inputs, HONE_TEMPLATE_PREFIX,
                sizeof HONE_TEMPLATE_PREFIX - 1) != 0)
        return hone__complain(p, where,
                              "inputs are written by another template: "
                              "template.NAME, where NAME.cu is its file");
    return hone__cursor_finish(c);
}

static int unknown_option(hone_parser *p, hone_slice word)
{
    hone_suggestion s;
    char hint[96];

    hone__suggest_start(&s, p->bare + word.begin, word.end - word.begin);
    for (size_t i = 0; i < HONE_N_NVRTC_OPTIONS; ++i)
        hone__suggest_offer(&s, hone__nvrtc_options[i].name);
    return hone__complain(p, word,
                          "unknown compiler option '%.*s'%s known "
                          "are extra_device_vectorization, fmad, ftz, "
                          "maxrregcount, prec_div, prec_sqrt and "
                          "use_fast_math",
                          (int)(word.end - word.begin), p->bare + word.begin,
                          s.best ? hone__suggest_text(&s, hint) : ";");
}

int hone__statement_option(hone_parser *p, hone_cursor *c)
{
    do {
        const hone_option_row *row;
        hone_template_option *option;
        hone_slice word;
        size_t n;

        if (!hone__cursor_need_word(c, "the name of a compiler option", &word))
            return 0;
        row = hone__option_find(p->bare + word.begin, word.end - word.begin);
        if (!row)
            return unknown_option(p, word);
        for (size_t i = 0; i < p->tmpl->n_options; ++i) {
            if (p->parts.options[i].name == row->name)
                return hone__complain(p, word, "'%s' is given twice",
                                      row->name);
        }
        option = HONE_PUSH(p, p->parts.options, p->tmpl->n_options);
        if (!option)
            return 0;
        *option = (hone_template_option){.name = row->name};
        if (!hone__compile_list(c, row->name, 1, HONE_SCOPE_VARIANT,
                                &option->value, &n))
            return 0;
    } while (hone__cursor_peek(c) != '\0');
    return hone__cursor_finish(c);
}
