/* SPDX-License-Identifier: Apache-2.0 */
/* The statements that declare an operation, but op itself: arch, arg, let,
 * require and workspace. */
#include "gen/parse/parse.h"

#include <stdio.h>

int hone__statement_arch(hone_parser *p, hone_cursor *c)
{
    const hone_slice start = hone__cursor_here(c);
    const hone_slice where =
        hone__cursor_until(c, "", (const char *const[]){"features", NULL});

    if (p->tmpl->arch.expr)
        return hone__complain(
            p, start, "a template has one arch line; the first is line %d%s%s",
            HONE_LINE_OF(p->tmpl, p->tmpl->arch.line));
    if (!hone__compile(p, where, HONE_SCOPE_ARCH, &p->tmpl->arch))
        return 0;
    p->tmpl->needs_arch_features = hone__cursor_accept_word(c, "features");
    return hone__cursor_finish(c);
}

int hone__statement_device(hone_parser *p, hone_cursor *c)
{
    const hone_slice start = hone__cursor_here(c);

    if (p->tmpl->cuda_only)
        return hone__complain(p, start, "a template has one device line");
    if (!hone__cursor_accept_word(c, "cuda"))
        return hone__complain(p, start,
                              "the only device a template can be restricted to "
                              "is cuda: device cuda \"why\"");
    return hone__cursor_string(c, &p->tmpl->cuda_only) &&
           hone__cursor_finish(c);
}

/* 0: a scalar, which has none. */
static int arg_mode(hone_cursor *c, hone_arg_mode *out)
{
    static const char *const modes[] = {[HONE_ARG_IN] = "in",
                                        [HONE_ARG_OUT] = "out",
                                        [HONE_ARG_INOUT] = "inout"};

    for (int i = HONE_ARG_IN; i <= HONE_ARG_INOUT; ++i) {
        if (!hone__cursor_accept_word(c, modes[i]))
            continue;
        *out = (hone_arg_mode)i;
        return 1;
    }
    return 0;
}

static int extent(hone_cursor *c, hone_template_expr *out)
{
    const hone_slice where = hone__cursor_until(c, "]", NULL);

    return hone__compile(c->p, where, HONE_SCOPE_ANY, out) &&
           hone__cursor_expect(c, ']', "after the number of elements");
}

/* "(E)*(E)" */
static int product(hone_parser *p, hone_slice where,
                   const hone_template_shape *shape, hone_template_expr *out)
{
    hone_text text = {0};
    int ok = 1;

    for (size_t i = 0; i < shape->rank; ++i)
        hone__text_printf(&text, "%s(%s)", i ? "*" : "",
                          hone__expr_text(shape->extents[i].expr));
    if (text.failed)
        ok = hone__no_memory(p);
    else if (text.length > HONE_MAX_EXPR_BYTES)
        ok = hone__complain(p, where,
                            "the extents are longer than %d characters "
                            "together; shorten them with 'let'",
                            HONE_MAX_EXPR_BYTES);
    else
        ok = hone__compile_text(p, text.data, &shape->extents[0], out);
    hone__text_free(&text);
    return ok;
}

int hone__compile_count(hone_cursor *c, hone_template_expr *out,
                        hone_template_shape *out_shape)
{
    const hone_slice where = hone__cursor_here(c);
    hone_template_shape shape = {0};

    if (!hone__cursor_expect(c, '[', "before the number of elements"))
        return 0;
    do {
        if (shape.rank == HONE_MAX_RANK)
            return hone__complain(
                c->p, where, "an array has at most %d extents", HONE_MAX_RANK);
        if (!extent(c, &shape.extents[shape.rank++]))
            return 0;
    } while (hone__cursor_accept(c, '['));
    *out = shape.extents[0];
    if (out_shape)
        *out_shape = shape;
    return shape.rank == 1 || product(c->p, where, &shape, out);
}

/* Callers pass arguments, and do not know what was tuned. */
static int arg_type(hone_parser *p, hone_slice word, hone_template_expr *out)
{
    const hone_name *known = hone__name_of(p, word);

    if (known && known->kind == HONE_NAME_PARAM)
        return hone__complain(
            p, word,
            "callers do not know the value of the parameter '%s'; make it a "
            "dimension of the op, or convert in the kernel",
            known->name);
    return hone__compile_type(p, word, out);
}

int hone__compile_of_callers(hone_cursor *c, const char *what,
                             const char *otherwise, hone_template_expr *out)
{
    const hone_slice here = hone__cursor_here(c);
    const hone_slots *slots = &c->p->tmpl->slots;
    int reads_tuned = 0;

    if (!hone__compile_value(c, what, HONE_SCOPE_VARIANT, out))
        return 0;
    for (size_t i = slots->params; i < slots->total; ++i)
        reads_tuned |= hone__expr_reads(out->expr, i);
    if (!reads_tuned && hone__expr_slot_count(out->expr))
        return 1;
    return hone__complain(c->p, here, "%s", otherwise);
}

/* `optional(HAS_BIAS)`: callers say by a dimension whether they pass it. */
static int optional(hone_cursor *c, hone_template_arg *arg)
{
    hone_parser *p = c->p;
    const hone_slice here = hone__cursor_here(c);
    char otherwise[256];

    if (hone__cursor_peek(c) != '(')
        return hone__complain(
            p, here,
            "say when the array is given, by a dimension that callers choose: "
            "op ..(.., HAS in {0, 1}), %s: in optional(HAS) ..",
            arg->name);
    (void)snprintf(otherwise, sizeof otherwise,
                   "whether '%.60s' is given is up to callers, who know "
                   "nothing of parameters and lets: read a dimension that "
                   "lists its values, such as HAS in {0, 1}",
                   arg->name);
    return hone__compile_of_callers(c, "optional", otherwise, &arg->given);
}

static int one_arg(hone_cursor *c)
{
    hone_parser *p = c->p;
    hone_template_arg *arg;
    hone_slice word;
    int has_mode;

    arg = HONE_DECLARE(c, HONE_NAME_ARG, p->tmpl->args, p->tmpl->n_args, &word);
    if (!arg || !hone__cursor_expect(c, ':', "after the argument's name"))
        return 0;
    has_mode = arg_mode(c, &arg->mode);
    if (has_mode && hone__cursor_accept_word(c, "optional") &&
        !optional(c, arg))
        return 0;
    if (has_mode && hone__cursor_accept_word(c, "host") &&
        !hone__host_word(c, arg))
        return 0;
    if (!hone__cursor_need_word(c, "in, out, inout or an element type",
                                &word) ||
        !arg_type(p, word, &arg->type))
        return 0;
    if (has_mode)
        return hone__compile_count(c, &arg->count, &arg->shape) &&
               hone__draw_words(c, arg);
    if (hone__cursor_peek(c) == '[')
        return hone__complain(
            p, hone__cursor_here(c),
            "an array needs a mode: write '%s: in %.*s[..]', out or inout",
            arg->name, HONE_SLICE(p, word));
    return hone__draw_words(c, arg);
}

int hone__statement_arg(hone_parser *p, hone_cursor *c)
{
    (void)p;
    do {
        if (!one_arg(c))
            return 0;
    } while (hone__cursor_accept(c, ','));
    return hone__cursor_finish(c);
}

int hone__statement_let(hone_parser *p, hone_cursor *c)
{
    hone_template_let *let;
    hone_slice word;
    hone_name *name;
    int is_good;

    if (!hone__cursor_need_word(c, "a name", &word))
        return 0;
    if (p->tmpl->n_lets == HONE_MAX_LETS)
        return hone__complain(p, word, "a template has at most %d lets",
                              HONE_MAX_LETS);
    let = HONE_PUSH(p, p->tmpl->lets, p->tmpl->n_lets);
    if (!let || !hone__cursor_expect(c, '=', "after the name"))
        return 0;
    /* Compiled first: a let cannot read itself. Declared if that fails, too, or
     * every use would be an error. */
    is_good = hone__compile(p, hone__cursor_until(c, "\"", NULL),
                            HONE_SCOPE_ANY, &let->value);
    if (!hone__name_declare(p, word, HONE_NAME_LET, p->tmpl->n_lets - 1,
                            &let->name) ||
        !is_good)
        return 0;
    name = &p->names[p->n_names - 1];
    name->reads_dims = let->value.reads_dims;
    name->reads_properties = let->value.reads_properties;
    return hone__cursor_finish(c);
}

hone_template_require *hone__require_add(hone_parser *p,
                                         const hone_template_expr *at,
                                         hone_text *condition,
                                         const char *shown, const char *message)
{
    hone_template_require *require = NULL;

    if (condition->failed)
        (void)hone__no_memory(p);
    if (!p->no_memory)
        require = HONE_PUSH(p, p->tmpl->requires_, p->tmpl->n_requires);
    if (require) {
        *require = (hone_template_require){.message = message, .shown = shown};
        if (!hone__compile_text(p, hone__text_str(condition), at,
                                &require->condition))
            require = NULL;
    }
    hone__text_free(condition);
    return require;
}

const char *hone__require_text(const hone_template_require *require)
{
    return require->shown ? require->shown
                          : hone__expr_text(require->condition.expr);
}

static int parse_require(hone_parser *p, hone_cursor *c, int is_preference)
{
    const hone_slice where = hone__cursor_until(c, "\"", NULL);
    hone_template_require *require =
        HONE_PUSH(p, p->tmpl->requires_, p->tmpl->n_requires);

    if (!require)
        return 0;
    *require =
        (hone_template_require){.message = "", .is_preference = is_preference};
    return hone__compile(p, where, HONE_SCOPE_ANY, &require->condition) &&
           (hone__cursor_peek(c) != '"' ||
            hone__cursor_string(c, &require->message)) &&
           hone__cursor_finish(c);
}

int hone__statement_require(hone_parser *p, hone_cursor *c)
{
    return parse_require(p, c, 0);
}

int hone__statement_prefer(hone_parser *p, hone_cursor *c)
{
    return parse_require(p, c, 1);
}

int hone__statement_workspace(hone_parser *p, hone_cursor *c)
{
    hone_template_workspace *workspace;
    hone_slice word;

    workspace = HONE_DECLARE(c, HONE_NAME_WORKSPACE, p->tmpl->workspaces,
                             p->tmpl->n_workspaces, &word);
    if (!workspace ||
        !hone__cursor_expect(c, ':', "after the workspace's name") ||
        !hone__cursor_need_word(c, "an element type", &word) ||
        !hone__compile_type(p, word, &workspace->type) ||
        !hone__compile_count(c, &workspace->count, &workspace->shape))
        return 0;
    if (hone__cursor_accept_word(c, "zero"))
        workspace->zero = hone__cursor_accept_word(c, "each") ? HONE_ZERO_EACH
                                                              : HONE_ZERO_ONCE;
    return hone__cursor_finish(c);
}
