/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints as text of Python or C: see space_spell.h. Everything is in
 * brackets, so that no precedence differs. */
#include "gen/space_spell.h"

#include "gen/space_parts.h"
#include "gen/space_spell_cases.h"

#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_DEPTH = 200 };

typedef struct speller {
    const hone_space *space;
    const hone_graph *graph;
    hone_language language;
    hone_text *out;
    hone_datum *scratch;
    int depth;
    hone_error *err;
} speller;

static hone_status spell(speller *s, hone_node node, int is_truth);

/* ---- parameters -------------------------------------------------------------
 */

const char *hone__space_param_name(const hone_space *space, size_t param)
{
    return space->tmpl ? space->tmpl->params[param].name
                       : space->t1->params[param].name;
}

size_t hone__space_default_value(const hone_space *space, size_t param)
{
    return space->tmpl ? space->tmpl->params[param].default_index : 0;
}

hone_datum hone__space_value(const hone_space *space, size_t param,
                             size_t value)
{
    return space->tmpl
               ? hone__datum_int(space->tmpl->params[param].values[value])
               : space->t1->params[param].values[value];
}

static void quote(const char *text, hone_text *out)
{
    hone__text_puts(out, "'");
    for (; *text; ++text) {
        if (*text == '\'' || *text == '\\')
            hone__text_puts(out, "\\");
        hone__text_append(out, text, 1);
    }
    hone__text_puts(out, "'");
}

static void spell_template_value(const hone_template *tmpl,
                                 const hone_param *param, int64_t value,
                                 hone_language language, hone_text *out)
{
    hone_text text = {0};

    hone__template_value_text(tmpl, param, value, &text);
    if (language == HONE_C || param->kind == HONE_PARAM_INT ||
        param->kind == HONE_PARAM_REAL)
        hone__text_puts(out, hone__text_str(&text));
    else if (param->kind == HONE_PARAM_BOOL)
        hone__text_puts(out, value ? "True" : "False");
    else
        quote(hone__text_str(&text), out);
    out->failed |= text.failed;
    hone__text_free(&text);
}

void hone__space_spell_value(const hone_space *space, size_t param,
                             size_t value, hone_language language,
                             hone_text *out)
{
    const char *text;

    if (space->tmpl) {
        spell_template_value(space->tmpl, &space->tmpl->params[param],
                             space->tmpl->params[param].values[value], language,
                             out);
        return;
    }
    text = space->t1->params[param].texts[value];
    if (language == HONE_PYTHON &&
        space->t1->params[param].values[value].kind == HONE_DATUM_TEXT)
        quote(text, out);
    else if (language == HONE_C && strcmp(text, "True") == 0)
        hone__text_puts(out, "true");
    else if (language == HONE_C && strcmp(text, "False") == 0)
        hone__text_puts(out, "false");
    else
        hone__text_puts(out, text);
}

/* Is the parameter's name a number in the language? */
static int is_numeric(const speller *s, size_t param)
{
    const hone_space *space = s->space;

    if (space->tmpl)
        return s->language == HONE_C ||
               space->tmpl->params[param].kind == HONE_PARAM_INT ||
               space->tmpl->params[param].kind == HONE_PARAM_BOOL;
    for (int i = 0; i < space->n_values[param]; ++i)
        if (hone__space_value(space, param, (size_t)i).kind != HONE_DATUM_INT)
            return 0;
    return 1;
}

/* ---- value by value
 * ----------------------------------------------------------- */

/* Which parameter alone a node reads; n_params: none or several. */
static size_t only_param(const speller *s, hone_node node)
{
    const hone_vars vars = s->graph->nodes[node].vars;

    for (size_t i = 0; i < s->space->n_params; ++i)
        if (vars == (hone_vars)1 << i)
            return i;
    return s->space->n_params;
}

static hone_datum value_at(const speller *s, hone_node node, size_t param,
                           size_t value)
{
    hone_datum vars[HONE_GRAPH_VARS] = {{0}};

    vars[param] = hone__space_value(s->space, param, value);
    return hone__graph_eval(s->graph, node, vars, s->scratch);
}

static hone_status fail(const speller *s, const char *what)
{
    return hone__fail(s->err, HONE_ERR_UNSUPPORTED,
                      "a constraint has %s, which has no place in %s", what,
                      s->language == HONE_PYTHON ? "a T1 file" : "a template");
}

static void spell_is(const speller *s, size_t param, size_t value)
{
    hone__text_printf(s->out,
                      "%s == ", hone__space_param_name(s->space, param));
    hone__space_spell_value(s->space, param, value, s->language, s->out);
}

/* "(P == 1 or P == 2)". */
static hone_status spell_where(const speller *s, hone_node node, size_t param)
{
    size_t n = 0;

    hone__text_puts(s->out, "(");
    for (int i = 0; i < s->space->n_values[param]; ++i) {
        if (!hone__datum_truth(value_at(s, node, param, (size_t)i)))
            continue;
        hone__text_puts(s->out, !n++                         ? ""
                                : s->language == HONE_PYTHON ? " or "
                                                             : " || ");
        spell_is(s, param, (size_t)i);
    }
    hone__text_puts(s->out, n ? ")" : "0 == 1)");
    return HONE_OK;
}

/* "(1 if P == 'a' else 2)". */
static hone_status spell_table(const speller *s, hone_node node, size_t param)
{
    const int n = s->space->n_values[param];

    hone__text_puts(s->out, "(");
    for (int i = 0; i < n; ++i) {
        const hone_datum value = value_at(s, node, param, (size_t)i);
        const int is_int = value.kind == HONE_DATUM_INT;

        /* What cannot be evaluated there is not, whatever stands here. */
        if (!is_int && value.kind != HONE_DATUM_FAULT)
            return fail(s, "a number that is not an integer");
        if (i == n - 1) {
            hone__text_printf(s->out, "%lld",
                              is_int ? (long long)value.i : 0LL);
        } else if (s->language == HONE_PYTHON) {
            hone__text_printf(s->out, "%lld if ",
                              is_int ? (long long)value.i : 0LL);
            spell_is(s, param, (size_t)i);
            hone__text_puts(s->out, " else ");
        } else {
            spell_is(s, param, (size_t)i);
            hone__text_printf(s->out,
                              " ? %lld : ", is_int ? (long long)value.i : 0LL);
        }
    }
    hone__text_puts(s->out, ")");
    return HONE_OK;
}

/* ---- signs
 * --------------------------------------------------------------------- */

/* Is it never negative? Then divisions that round down and those that round to
 * zero are the same. */
static int is_from_zero(const speller *s, hone_node node, int depth)
{
    const hone_graph_node *n = &s->graph->nodes[node];

    if (depth > MOST_DEPTH)
        return 0;
    if (hone__op_is_truth(n->op))
        return 1;
    switch (n->op) {
    case HONE_OP_CONST:
        return n->value.kind == HONE_DATUM_INT && n->value.i >= 0;
    case HONE_OP_SLOT:
        for (int i = 0; i < s->space->n_values[n->var]; ++i) {
            const hone_datum v = hone__space_value(s->space, n->var, (size_t)i);

            if (v.kind != HONE_DATUM_INT || v.i < 0)
                return 0;
        }
        return 1;
    case HONE_OP_ABS:
    case HONE_OP_LOG2:
    case HONE_OP_SIZEOF:
    case HONE_OP_GCD:
        return 1;
    case HONE_OP_SELECT:
        return is_from_zero(s, n->args[1], depth + 1) &&
               is_from_zero(s, n->args[2], depth + 1);
    case HONE_OP_SUB:
    case HONE_OP_NEG:
    case HONE_OP_INVERT:
    case HONE_OP_TRUE_DIV:
    case HONE_OP_FLOAT:
        return 0;
    default:
        return is_from_zero(s, n->args[0], depth + 1) &&
               (n->n_args < 2 || is_from_zero(s, n->args[1], depth + 1));
    }
}

/* ---- operations
 * ------------------------------------------------------------------ */

/* $0 and $1 are the operands. NULL: there is none. */
static const struct {
    int op;
    const char *texts[2]; /* Python, C */
    int is_from_zero;     /* only where 1: no operand, 2: not the second one is
                             ever negative */
} rows[] = {
    {HONE_OP_NEG, {"(-$0)", "(-$0)"}, 0},
    {HONE_OP_INVERT, {"(-$0 - 1)", "(~$0)"}, 0},
    {HONE_OP_ABS, {"abs($0)", "abs($0)"}, 0},
    {HONE_OP_ISPOW2, {"($0 > 0 and ($0 & ($0 - 1)) == 0)", "ispow2($0)"}, 0},
    {HONE_OP_LOG2, {NULL, "log2($0)"}, 0},
    {HONE_OP_INT, {"int($0)", "$0"}, 0},
    {HONE_OP_ADD, {"($0 + $1)", "($0 + $1)"}, 0},
    {HONE_OP_SUB, {"($0 - $1)", "($0 - $1)"}, 0},
    {HONE_OP_MUL, {"($0 * $1)", "($0 * $1)"}, 0},
    {HONE_OP_DIV, {"($0 // $1)", "($0 / $1)"}, 1},
    {HONE_OP_DIV,
     {"(abs($0) // abs($1) * (1 if ($0 < 0) == ($1 < 0) else -1))",
      "($0 / $1)"},
     0},
    {HONE_OP_MOD, {"($0 % $1)", "($0 % $1)"}, 1},
    {HONE_OP_MOD,
     {"(abs($0) % abs($1) * (1 if $0 >= 0 else -1))", "($0 % $1)"},
     0},
    {HONE_OP_SHL, {"($0 << $1)", "($0 << $1)"}, 0},
    {HONE_OP_SHR, {"($0 >> $1)", "($0 >> $1)"}, 0},
    {HONE_OP_SHIFT_LEFT, {"($0 << $1)", "($0 << $1)"}, 0},
    {HONE_OP_SHIFT_RIGHT, {"($0 >> $1)", "($0 >> $1)"}, 0},
    {HONE_OP_AND, {"($0 & $1)", "($0 & $1)"}, 0},
    {HONE_OP_OR, {"($0 | $1)", "($0 | $1)"}, 0},
    {HONE_OP_XOR, {"($0 ^ $1)", "($0 ^ $1)"}, 0},
    {HONE_OP_EQ, {"($0 == $1)", "($0 == $1)"}, 0},
    {HONE_OP_NE, {"($0 != $1)", "($0 != $1)"}, 0},
    {HONE_OP_LT, {"($0 < $1)", "($0 < $1)"}, 0},
    {HONE_OP_LE, {"($0 <= $1)", "($0 <= $1)"}, 0},
    {HONE_OP_GT, {"($0 > $1)", "($0 > $1)"}, 0},
    {HONE_OP_GE, {"($0 >= $1)", "($0 >= $1)"}, 0},
    {HONE_OP_MIN, {"min($0, $1)", "min($0, $1)"}, 0},
    {HONE_OP_MAX, {"max($0, $1)", "max($0, $1)"}, 0},
    {HONE_OP_CEILDIV, {"(-(-$0 // $1))", "ceildiv($0, $1)"}, 1},
    {HONE_OP_ALIGN, {"(-(-$0 // $1) * $1)", "align($0, $1)"}, 1},
    {HONE_OP_GCD, {NULL, "gcd($0, $1)"}, 0},
    {HONE_OP_FLOOR_DIV, {"($0 // $1)", "($0 / $1)"}, 1},
    {HONE_OP_FLOOR_MOD, {"($0 % $1)", "($0 % $1)"}, 1},
    {HONE_OP_FLOOR_DIV,
     {"($0 // $1)", "($0 >= 0 ? $0 / $1 : -((-$0 + $1 - 1) / $1))"},
     2},
    {HONE_OP_FLOOR_MOD, {"($0 % $1)", "(($0 % $1 + $1) % $1)"}, 2},
    {HONE_OP_FLOOR_DIV, {"($0 // $1)", NULL}, 0},
    {HONE_OP_FLOOR_MOD, {"($0 % $1)", NULL}, 0},
    {HONE_OP_TRUE_DIV, {"($0 / $1)", NULL}, 0},
    {HONE_OP_POWER, {"($0 ** $1)", NULL}, 0},
    {HONE_OP_FLOAT, {"float($0)", NULL}, 0},
};

static const char *text_of(const speller *s, hone_node node)
{
    const hone_graph_node *n = &s->graph->nodes[node];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (rows[i].op != n->op ||
            (rows[i].is_from_zero == 1 && !is_from_zero(s, n->args[0], 0)) ||
            (rows[i].is_from_zero && n->n_args > 1 &&
             !is_from_zero(s, n->args[1], 0)))
            continue;
        return rows[i].texts[s->language];
    }
    return NULL;
}

static hone_status spell_row(speller *s, const char *text, hone_node node)
{
    const hone_graph_node *n = &s->graph->nodes[node];

    while (*text) {
        const size_t plain = strcspn(text, "$");

        hone__text_append(s->out, text, plain);
        text += plain;
        if (!*text)
            break;
        HONE_TRY(spell(s, n->args[text[1] - '0'], 0));
        text += 2;
    }
    return HONE_OK;
}

/* A text among the parameter's values, in EQ or NE with it. */
static hone_status spell_constant(speller *s, hone_datum value)
{
    if (value.kind == HONE_DATUM_INT)
        hone__text_printf(s->out, value.i < 0 ? "(%lld)" : "%lld",
                          (long long)value.i);
    else if (value.kind == HONE_DATUM_FLOAT && s->language == HONE_PYTHON)
        hone__real_text(value.d, s->out);
    else
        return fail(s, "a number or a text that is no integer");
    return HONE_OK;
}

static hone_status spell_logic(speller *s, const hone_graph_node *n,
                               int is_truth)
{
    const int is_python = s->language == HONE_PYTHON;

    hone__text_puts(s->out, is_python && !is_truth ? "(1 if (" : "(");
    if (n->op == HONE_OP_NOT)
        hone__text_puts(s->out, is_python ? "not " : "!");
    HONE_TRY(spell(s, n->args[0], 1));
    if (n->op == HONE_OP_BOOL)
        hone__text_puts(s->out, " != 0");
    if (n->n_args == 2) {
        if (n->op == HONE_OP_AND_THEN)
            hone__text_puts(s->out, is_python ? " and " : " && ");
        else
            hone__text_puts(s->out, is_python ? " or " : " || ");
        HONE_TRY(spell(s, n->args[1], 1));
    }
    hone__text_puts(s->out, is_python && !is_truth ? ") else 0)" : ")");
    return HONE_OK;
}

static hone_status spell_select(speller *s, const hone_graph_node *n)
{
    const int is_python = s->language == HONE_PYTHON;

    hone__text_puts(s->out, "(");
    HONE_TRY(spell(s, n->args[is_python ? 1 : 0], !is_python));
    hone__text_puts(s->out, is_python ? " if " : " ? ");
    HONE_TRY(spell(s, n->args[is_python ? 0 : 1], is_python));
    hone__text_puts(s->out, is_python ? " else " : " : ");
    HONE_TRY(spell(s, n->args[2], 0));
    hone__text_puts(s->out, ")");
    return HONE_OK;
}

/* What has no text, or what it is of. */
static hone_status fail_operation(const speller *s, const hone_graph_node *n)
{
    int has_fraction = n->op == HONE_OP_TRUE_DIV || n->op == HONE_OP_FLOAT;

    for (int i = 0; i < n->n_args; ++i) {
        const int op = s->graph->nodes[n->args[i]].op;

        has_fraction |= op == HONE_OP_TRUE_DIV || op == HONE_OP_FLOAT;
    }
    return fail(s, has_fraction ? "a division or a number with a fraction"
                                : "an operation of several parameters");
}

/* `is_truth`: only whether it is zero counts. */
static hone_status spell_node(speller *s, hone_node node, int is_truth)
{
    const hone_graph_node *n = &s->graph->nodes[node];
    const size_t param = only_param(s, node);
    const char *text;

    if (n->op == HONE_OP_CONST)
        return spell_constant(s, n->value);
    if (n->op == HONE_OP_SLOT && is_numeric(s, n->var)) {
        hone__text_puts(s->out, hone__space_param_name(s->space, n->var));
        return HONE_OK;
    }
    /* One that reads texts or floating-point numbers, or has no operator. */
    text = text_of(s, node);
    if (param < s->space->n_params &&
        (!is_numeric(s, param) || n->op == HONE_OP_SIZEOF ||
         (!text && n->op >= HONE_OP_LOG2 && n->op != HONE_OP_SELECT &&
          n->op != HONE_OP_AND_THEN && n->op != HONE_OP_OR_ELSE)))
        return is_truth || hone__op_is_truth(n->op)
                   ? spell_where(s, node, param)
                   : spell_table(s, node, param);
    if (n->op == HONE_OP_NOT || n->op == HONE_OP_BOOL ||
        n->op == HONE_OP_AND_THEN || n->op == HONE_OP_OR_ELSE)
        return spell_logic(s, n, is_truth);
    if (n->op == HONE_OP_SELECT)
        return spell_select(s, n);
    return text ? spell_row(s, text, node) : fail_operation(s, n);
}

/* What failed on the way, behind `length`, as its combinations. */
static hone_status spell_cases(speller *s, hone_node node, int depth,
                               size_t length, hone_status status)
{
    s->depth = depth;
    if (s->out->data)
        s->out->data[length] = '\0';
    s->out->length = length;
    if (!hone__space_spell_cases(s->space, s->graph, node, s->scratch,
                                 s->language, s->out))
        return status;
    hone__error_clear(s->err);
    return HONE_OK;
}

static hone_status spell(speller *s, hone_node node, int is_truth)
{
    const size_t length = s->out->length;
    const int depth = s->depth;
    hone_status status;

    if (++s->depth > MOST_DEPTH || s->out->length > MOST_BYTES)
        return fail(s, "an expression that is too long");
    status = spell_node(s, node, is_truth);
    --s->depth;
    if (status == HONE_ERR_UNSUPPORTED &&
        (is_truth || hone__op_is_truth(s->graph->nodes[node].op)))
        status = spell_cases(s, node, depth, length, status);
    return status;
}

/* ---- constraints
 * ------------------------------------------------------------------ */

hone_status hone__space_spell(const hone_space *space, size_t constraint,
                              hone_language language, hone_text *out,
                              hone_vars *out_vars, hone_error *err)
{
    const hone_graph *graph = space->t1 ? &space->t1->graph : &space->graph;
    speller s = {.space = space,
                 .graph = graph,
                 .language = language,
                 .out = out,
                 .err = err};
    hone_status status = HONE_OK;
    size_t n = 0;

    *out_vars = 0;
    s.scratch = hone__alloc((graph->n + 1) * sizeof *s.scratch);
    if (!s.scratch)
        return hone__out_of_memory(err, "");
    for (size_t i = 0; i < space->n_roots && status == HONE_OK; ++i) {
        const hone_graph_node *root = &graph->nodes[space->roots[i]];

        if (space->owner[i] != constraint ||
            (root->op == HONE_OP_CONST && hone__datum_truth(root->value)))
            continue;
        hone__text_puts(out, !n++                      ? ""
                             : language == HONE_PYTHON ? " and "
                                                       : " && ");
        *out_vars |= root->vars;
        status = spell(&s, space->roots[i], 1);
    }
    hone__free(s.scratch);
    return status == HONE_OK ? hone__text_check(out, err) : status;
}
