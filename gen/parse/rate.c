/* SPDX-License-Identifier: Apache-2.0 */
/* The statements about judging a variant: work, check, baseline, inputs, and
 * the compiler options. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

#include <ctype.h>
#include <string.h>

int hone__statement_work(hone_parser *p, hone_cursor *c)
{
    hone_slice word;

    do {
        hone_template_expr *expr;

        if (!hone__cursor_need_word(c, "flops(..) or bytes(..)", &word))
            return 0;
        if (hone__slice_is(p, word, "flops"))
            expr = &p->tmpl->work_flops;
        else if (hone__slice_is(p, word, "bytes"))
            expr = &p->tmpl->work_bytes;
        else
            return hone__complain(
                p, word, "work is given as flops(..) and bytes(..), not '%.*s'",
                HONE_SLICE(p, word));
        if (expr->line)
            return hone__complain(p, word,
                                  "this is given twice, first on line %d%s%s",
                                  HONE_LINE_OF(p->tmpl, expr->line));
        if (!hone__compile_value(c, "flops or bytes", HONE_SCOPE_ANY, expr))
            return 0;
    } while (hone__cursor_peek(c) != '\0');
    return hone__cursor_finish(c);
}

/* NAME = E [per E]. Nothing else reads them, so their names are their own. */
int hone__statement_feature(hone_parser *p, hone_cursor *c)
{
    static const char *const per[] = {"per", NULL};
    hone_template_feature *feature;
    hone_slice word;
    const char *name;

    if (!hone__cursor_need_word(c, "a name", &word) ||
        !(name = hone__slice_copy(p, word)))
        return 0;
    for (size_t i = 0; i < p->tmpl->n_features; ++i) {
        if (strcmp(p->tmpl->features[i].name, name) == 0)
            return hone__complain(p, word, "there is a feature '%s' already",
                                  name);
    }
    feature = HONE_PUSH(p, p->tmpl->features, p->tmpl->n_features);
    if (!feature)
        return 0;
    *feature = (hone_template_feature){.name = name};
    if (!hone__cursor_expect(c, '=', "after the name"))
        return 0;
    if (strcmp(name, "COST") == 0)
        p->tmpl->cost = p->tmpl->n_features;
    if (!hone__compile(p, hone__cursor_until(c, "\"", per), HONE_SCOPE_ANY,
                       &feature->value))
        return 0;
    if (hone__cursor_accept_word(c, "per") &&
        !hone__compile(p, hone__cursor_until(c, "\"", NULL), HONE_SCOPE_ANY,
                       &feature->per))
        return 0;
    return hone__cursor_finish(c);
}

static int is_template(const char *name)
{
    return strncmp(name, HONE_TEMPLATE_PREFIX,
                   sizeof HONE_TEMPLATE_PREFIX - 1) == 0;
}

/* "template" belongs to other templates, and their names have no dots. */
static int template_name(hone_parser *p, hone_slice where, const char *name)
{
    if (strcmp(name, "template") == 0 ||
        (is_template(name) &&
         strchr(name + sizeof HONE_TEMPLATE_PREFIX - 1, '.')))
        return hone__complain(p, where,
                              "another template is written as template.NAME, "
                              "where NAME.cu is its file");
    return 1;
}

/* Words with dots: "cublas.gemm". */
int hone__dotted_name(hone_cursor *c, const char *what, const char **out)
{
    hone_slice word;

    if (!hone__cursor_need_word(c, what, &word))
        return 0;
    while (c->at + 1 < c->end && c->p->bare[c->at] == '.' &&
           isalnum((unsigned char)c->p->bare[c->at + 1])) {
        ++c->at;
        while (c->at < c->end && hone__code_is_name(c->p->bare[c->at]))
            ++c->at;
    }
    word.end = c->at;
    *out = hone__slice_copy(c->p, word);
    return *out && template_name(c->p, word, *out);
}

const char *const hone__bound_names[HONE_N_BOUNDS] = {
    [HONE_BOUND_TOLERANCE] = "tolerance",
    [HONE_BOUND_ABSOLUTE] = "abs",
    [HONE_BOUND_RELATIVE] = "rel",
    [HONE_BOUND_NORM] = "norm",
    [HONE_BOUND_EXACT] = "exact"};

static int given_twice(hone_parser *p, hone_slice word)
{
    return hone__complain(p, word, "'%.*s' is given twice",
                          HONE_SLICE(p, word));
}

/* `magnitude template.NAME`. */
static int check_magnitude(hone_cursor *c, hone_slice word,
                           hone_template_check *check)
{
    const hone_slice name = hone__cursor_here(c);

    if (check->magnitude)
        return given_twice(c->p, word);
    if (!hone__dotted_name(c, "template.NAME", &check->magnitude))
        return 0;
    if (!is_template(check->magnitude))
        return hone__complain(
            c->p, name,
            "a magnitude is computed by another template: template.NAME");
    if (!is_template(check->reference))
        return hone__complain(c->p, word,
                              "%s brings magnitudes of its own; they are given "
                              "to a check by template.NAME",
                              check->reference);
    return 1;
}

static int check_clause(hone_cursor *c, hone_template_check *check)
{
    static const char wanted[] =
        "tolerance(..), abs(..), rel(..), norm(..), exact(..), magnitude "
        "template.NAME or for ARRAY";
    hone_template_bound *bound = &check->bounds[check->n_bounds - 1];
    hone_parser *p = c->p;
    hone_slice word;

    if (!hone__cursor_need_word(c, wanted, &word))
        return 0;
    if (hone__slice_is(p, word, "magnitude"))
        return check_magnitude(c, word, check);
    for (int i = 0; i < HONE_N_BOUNDS; ++i) {
        hone_template_number *number = &bound->number[i];

        if (!hone__slice_is(p, word, hone__bound_names[i]))
            continue;
        if (number->expr.expr)
            return given_twice(p, word);
        return i == HONE_BOUND_EXACT
                   ? hone__compile_value(c, hone__bound_names[i],
                                         HONE_SCOPE_ANY, &number->expr)
                   : hone__compile_number(c, hone__bound_names[i], number);
    }
    return hone__complain(p, word, "a check takes %s, not '%.*s'", wanted,
                          HONE_SLICE(p, word));
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
        if (hone__slice_is(p, word, p->tmpl->args[i].name))
            arg = (int)i;
    }
    if (arg < 0 || (p->tmpl->args[arg].mode != HONE_ARG_OUT &&
                    p->tmpl->args[arg].mode != HONE_ARG_INOUT))
        return hone__complain(p, word,
                              "'%.*s' is not an array that is written: declare "
                              "it out or inout above this line",
                              HONE_SLICE(p, word));
    for (size_t i = 1; i < check->n_bounds; ++i) {
        if (check->bounds[i].arg == arg)
            return hone__complain(p, word, "'%.*s' has bounds already",
                                  HONE_SLICE(p, word));
    }
    if (check->n_bounds == HONE_MAX_BOUNDS)
        return hone__complain(
            p, word, "a check gives at most %d arrays bounds of their own",
            HONE_MAX_BOUNDS - 1);
    check->bounds[check->n_bounds++] = (hone_template_bound){.arg = arg};
    return 1;
}

int hone__statement_check(hone_parser *p, hone_cursor *c)
{
    hone_template_check *check;

    if (hone__cursor_accept_word(c, "none"))
        return hone__cursor_finish(c);
    check = HONE_PUSH(p, p->tmpl->checks, p->tmpl->n_checks);
    if (!check)
        return 0;
    *check = (hone_template_check){
        .reference = "",
        .n_bounds = 1,
        .bounds = {{.arg = -1}},
        .line = hone__line_of(p, hone__cursor_here(c).begin)};
    if (!hone__dotted_name(c, "the name of a reference, e.g. cpu.sum, or none",
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
            HONE_PUSH(p, p->tmpl->baselines, p->tmpl->n_baselines);

        if (!baseline)
            return 0;
        *baseline = (hone_template_baseline){
            "", hone__line_of(p, hone__cursor_here(c).begin)};
        if (!hone__dotted_name(c, "the name of a baseline, e.g. cublaslt",
                               &baseline->name))
            return 0;
    } while (hone__cursor_accept(c, ','));
    return hone__cursor_finish(c);
}

int hone__statement_inputs(hone_parser *p, hone_cursor *c)
{
    const hone_slice where = hone__cursor_here(c);

    if (p->tmpl->inputs[0])
        return hone__complain(
            p, where,
            "a template has one inputs line; the first is line %d%s%s",
            HONE_LINE_OF(p->tmpl, p->tmpl->inputs_line));
    p->tmpl->inputs_line = hone__line_of(p, where.begin);
    if (!hone__dotted_name(c, "template.NAME", &p->tmpl->inputs))
        return 0;
    if (!is_template(p->tmpl->inputs))
        return hone__complain(p, where,
                              "inputs are written by another template: "
                              "template.NAME, where NAME.cu is its file");
    return hone__cursor_finish(c);
}

const hone_compiler_option hone__compiler_options[HONE_N_COMPILER_OPTIONS] = {
    {"extra_device_vectorization", "--extra-device-vectorization",
     HONE_COMPILER_FLAG, "true: more aggressive vectorization of device code"},
    {"fmad", "--fmad", HONE_COMPILER_CHOICE,
     "true: a product and a sum may become one fused multiply-add"},
    {"ftz", "--ftz", HONE_COMPILER_CHOICE,
     "true: subnormal f32 numbers are flushed to zero"},
    {"maxrregcount", "--maxrregcount", HONE_COMPILER_COUNT,
     "most registers of a thread; 0 leaves it to the compiler"},
    {"prec_div", "--prec-div", HONE_COMPILER_CHOICE,
     "false: f32 division is approximate"},
    {"prec_sqrt", "--prec-sqrt", HONE_COMPILER_CHOICE,
     "false: the f32 square root is approximate"},
    {"use_fast_math", "--use_fast_math", HONE_COMPILER_FLAG,
     "true: ftz, approximate division and roots, fast intrinsics"},
};

/* NULL after a complaint. */
static const hone_compiler_option *find_option(hone_parser *p, hone_slice word)
{
    hone_suggestion s =
        hone__suggest(p->bare + word.begin, word.end - word.begin);

    for (size_t i = 0; i < HONE_N_COMPILER_OPTIONS; ++i) {
        if (hone__slice_is(p, word, hone__compiler_options[i].name))
            return &hone__compiler_options[i];
        hone__suggest_offer(&s, hone__compiler_options[i].name);
    }
    (void)hone__complain(p, word,
                         "unknown compiler option '%.*s'%s known are "
                         "extra_device_vectorization, fmad, ftz, maxrregcount, "
                         "prec_div, prec_sqrt and use_fast_math",
                         HONE_SLICE(p, word),
                         s.best ? hone__suggest_text(&s) : ";");
    return NULL;
}

int hone__statement_option(hone_parser *p, hone_cursor *c)
{
    do {
        const hone_compiler_option *row;
        hone_template_option *option;
        hone_slice word;

        if (!hone__cursor_need_word(c, "the name of a compiler option", &word))
            return 0;
        row = find_option(p, word);
        if (!row)
            return 0;
        for (size_t i = 0; i < p->tmpl->n_options; ++i) {
            if (p->tmpl->options[i].row == row)
                return hone__complain(p, word, "'%s' is given twice",
                                      row->name);
        }
        option = HONE_PUSH(p, p->tmpl->options, p->tmpl->n_options);
        if (!option)
            return 0;
        option->row = row;
        if (!hone__compile_value(c, row->name, HONE_SCOPE_VARIANT,
                                 &option->value))
            return 0;
    } while (hone__cursor_peek(c) != '\0');
    return hone__cursor_finish(c);
}
