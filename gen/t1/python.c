/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar Python expressions to nodes: recursive descent with precedence
 * climbing for the operators that associate to the left. */
#include "gen/t1/python.h"

#include <ctype.h>
#include <string.h>

typedef hone_python_parser parser;

#define FAIL hone__python_fail

/* ---- names and calls ---------------------------------------------------- */

static hone_node apply(parser *p, int op, hone_node a, hone_node b, hone_node c)
{
    hone_node node;

    if (p->status)
        return 0;
    node = hone__graph_op(p->graph, op, a, b, c);
    return node ? node : hone__python_no_memory(p);
}

static const struct {
    const char *name;
    int op;
    int n_args; /* -1: two or more */
} functions[] = {
    {"abs", HONE_OP_ABS, 1},     {"min", HONE_OP_MIN, -1},
    {"max", HONE_OP_MAX, -1},    {"int", HONE_OP_INT, 1},
    {"float", HONE_OP_FLOAT, 1}, {"bool", HONE_OP_BOOL, 1},
    {"pow", HONE_OP_POWER, 2},
};

enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static hone_node call(parser *p, size_t start, size_t length)
{
    hone_node result = 0;
    size_t f = 0;
    int n = 0;

    while (f < N_FUNCTIONS &&
           !hone__python_word_at(p, start, functions[f].name))
        ++f;
    if (f == N_FUNCTIONS)
        return FAIL(p, start, length,
                    "unknown function '%.*s'; known are abs, min, max, int, "
                    "float, bool and pow",
                    (int)length, p->text + start);
    do {
        hone_node arg;

        ++p->at; /* over '(' or ',' */
        arg = hone__python_scalar(p);
        if (n++ && arg)
            result = apply(p, functions[f].op, result, arg, 0);
        else
            result = arg;
    } while (!p->status && hone__python_peek(p) == ',');
    if (p->status || !hone__python_expect(p, ')', "at the end of the call"))
        return 0;
    if (functions[f].n_args > 0 ? n != functions[f].n_args : n < 2)
        return FAIL(p, start, length, "%s takes %s", functions[f].name,
                    functions[f].n_args == 1   ? "one value"
                    : functions[f].n_args == 2 ? "two values"
                                               : "two values or more");
    return n == 1 ? apply(p, functions[f].op, result, 0, 0) : result;
}

static hone_node name(parser *p)
{
    const size_t start = p->at;
    const size_t length = hone__python_word_length(p, start);
    const char *word = p->text + start;
    char note[256] = "";
    hone_node node = 0;

    if (hone__python_word(p, "True"))
        return hone__python_constant(p, hone__datum_int(1));
    if (hone__python_word(p, "False"))
        return hone__python_constant(p, hone__datum_int(0));
    p->at += length;
    if (hone__python_peek(p) == '(')
        return call(p, start, length);
    for (size_t i = p->n_loops; i-- > 0 && !node;) {
        if (p->loops[i].length == length &&
            memcmp(p->loops[i].name, word, length) == 0)
            node = hone__python_constant(p, p->loops[i].value);
    }
    if (!node && p->python->lookup)
        node = p->python->lookup(p->python->user, word, length, note);
    if (node)
        return node;
    if (p->graph->failed)
        return hone__python_no_memory(p);
    return note[0] ? FAIL(p, start, length, "%s", note)
                   : FAIL(p, start, length, "unknown name '%.*s'", (int)length,
                          word);
}

static hone_node atom(parser *p)
{
    const char c = hone__python_peek(p);
    hone_node node;

    if (isdigit((unsigned char)c) ||
        (c == '.' && p->at + 1 < p->end &&
         isdigit((unsigned char)p->text[p->at + 1])))
        return hone__python_number(p);
    if (c == '\'' || c == '"')
        return hone__python_text(p);
    if (isalpha((unsigned char)c) || c == '_')
        return name(p);
    if (c != '(')
        return hone__python_unexpected(p, "a value");
    ++p->at;
    node = hone__python_scalar(p);
    return node && hone__python_expect(p, ')', "to close the parenthesis")
               ? node
               : 0;
}

/* ---- operators ---------------------------------------------------------- */

static hone_node factor(parser *p);

/* ** binds tighter than a sign before it and looser than one behind it. */
static hone_node power(parser *p)
{
    const hone_node base = atom(p);

    (void)hone__python_peek(p);
    if (!base || p->end - p->at < 2 || p->text[p->at] != '*' ||
        p->text[p->at + 1] != '*')
        return base;
    p->at += 2;
    return apply(p, HONE_OP_POWER, base, factor(p), 0);
}

static hone_node factor(parser *p)
{
    const char c = hone__python_peek(p);
    hone_node node;

    if (!hone__python_enter(p))
        return 0;
    if (c == '-' || c == '+' || c == '~') {
        ++p->at;
        node = factor(p);
        if (node && c == '+') /* only to refuse a text */
            node = apply(p, HONE_OP_ADD,
                         hone__python_constant(p, hone__datum_int(0)), node, 0);
        else if (node)
            node =
                apply(p, c == '-' ? HONE_OP_NEG : HONE_OP_INVERT, node, 0, 0);
    } else {
        node = power(p);
    }
    --p->nesting;
    return node;
}

/* Longer spellings first. */
static const struct operator_row {
    const char *text;
    int precedence; /* higher binds tighter */
    int op;
} operators[] = {
    {"//", 6, HONE_OP_FLOOR_DIV},
    {"<<", 4, HONE_OP_SHIFT_LEFT},
    {">>", 4, HONE_OP_SHIFT_RIGHT},
    {"**", 0, 0},
    {"||", 0, 0},
    {"&&", 0, 0},
    {"|", 1, HONE_OP_OR},
    {"^", 2, HONE_OP_XOR},
    {"&", 3, HONE_OP_AND},
    {"+", 5, HONE_OP_ADD},
    {"-", 5, HONE_OP_SUB},
    {"*", 6, HONE_OP_MUL},
    {"/", 6, HONE_OP_TRUE_DIV},
    {"%", 6, HONE_OP_FLOOR_MOD},
};

/* << and >> are taken by what stands to the left. */
static const struct operator_row comparisons[] = {
    {"==", 0, HONE_OP_EQ}, {"!=", 0, HONE_OP_NE}, {"<=", 0, HONE_OP_LE},
    {">=", 0, HONE_OP_GE}, {"<", 0, HONE_OP_LT},  {">", 0, HONE_OP_GT}};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct operator_row *
next_of(parser *p, const struct operator_row *rows, size_t n_rows)
{
    (void)hone__python_peek(p);
    for (size_t i = 0; i < n_rows; ++i) {
        const size_t n = strlen(rows[i].text);

        if (p->end - p->at >= n &&
            memcmp(p->text + p->at, rows[i].text, n) == 0)
            return &rows[i];
    }
    return NULL;
}

static hone_node binary(parser *p, int lowest)
{
    hone_node left = factor(p);
    const struct operator_row *row;

    while (left && (row = next_of(p, operators, N_OF(operators))) &&
           row->precedence >= lowest) {
        p->at += strlen(row->text);
        left = apply(p, row->op, left, binary(p, row->precedence + 1), 0);
    }
    return left;
}

/* `in` or `not in`: 1 or -1, else 0. */
static int membership(parser *p)
{
    const size_t start = p->at;

    if (hone__python_word(p, "in"))
        return 1;
    if (hone__python_word(p, "not")) {
        if (hone__python_word(p, "in"))
            return -1;
        p->at = start;
    }
    return 0;
}

/* a < b <= c is a < b and b <= c; a list ends the chain. */
static hone_node compare(parser *p)
{
    hone_node left = binary(p, 1);
    hone_node result = 0;

    while (left) {
        const int in = membership(p);
        const struct operator_row *row =
            in ? NULL : next_of(p, comparisons, N_OF(comparisons));
        hone_node right = 0;
        hone_node link;

        if (!in && !row)
            return result ? result : left;
        if (row) {
            p->at += strlen(row->text);
            right = binary(p, 1);
            link = right ? apply(p, row->op, left, right, 0) : 0;
        } else {
            link = hone__python_in(p, left);
            if (link && in < 0)
                link = apply(p, HONE_OP_NOT, link, 0, 0);
        }
        if (link && result)
            link = apply(p, HONE_OP_AND_THEN, result, link, 0);
        result = link;
        left = in || !link ? 0 : right;
    }
    return result;
}

static hone_node negation(parser *p)
{
    hone_node node;

    if (!hone__python_word(p, "not"))
        return compare(p);
    if (!hone__python_enter(p))
        return 0;
    node = negation(p);
    --p->nesting;
    return node ? apply(p, HONE_OP_NOT, hone__graph_truth(p->graph, node), 0, 0)
                : 0;
}

static int is_truth(const parser *p, hone_node node)
{
    return hone__op_is_truth(p->graph->nodes[node].op);
}

/* The value of `a and b` is that of an operand: a ? b : a. */
static hone_node junction(parser *p, int op, hone_node a, hone_node b)
{
    if (!a || !b)
        return 0;
    if (is_truth(p, a) && is_truth(p, b))
        return apply(p, op, a, b, 0);
    return op == HONE_OP_AND_THEN ? apply(p, HONE_OP_SELECT, a, b, a)
                                  : apply(p, HONE_OP_SELECT, a, a, b);
}

static hone_node conjunction(parser *p)
{
    hone_node left = negation(p);

    while (left && hone__python_word(p, "and"))
        left = junction(p, HONE_OP_AND_THEN, left, negation(p));
    return left;
}

hone_node hone__python_simple(parser *p)
{
    hone_node left = conjunction(p);

    while (left && hone__python_word(p, "or"))
        left = junction(p, HONE_OP_OR_ELSE, left, conjunction(p));
    return left;
}

hone_node hone__python_scalar(parser *p)
{
    hone_node first;

    if (!hone__python_enter(p))
        return 0;
    first = hone__python_simple(p);
    if (first && hone__python_word(p, "if")) {
        const hone_node condition = hone__python_simple(p);
        hone_node second;

        if (condition && !hone__python_word(p, "else"))
            (void)hone__python_unexpected(p, "'else'");
        second = p->status ? 0 : hone__python_scalar(p);
        first = second ? apply(p, HONE_OP_SELECT, condition, first, second) : 0;
    }
    --p->nesting;
    return first;
}

hone_status hone__python_condition(const hone_python *python, hone_graph *graph,
                                   const char *text, size_t length,
                                   hone_node *out, hone_span *out_where,
                                   hone_error *err)
{
    parser p = {.python = python,
                .text = text,
                .end = length,
                .graph = graph,
                .err = err};

    *out = hone__python_scalar(&p);
    if (*out && hone__python_peek(&p) == '=')
        (void)FAIL(&p, p.at, 1, "'=' is no operator; equality is '=='");
    else if (*out && p.at < p.end)
        (void)hone__python_unexpected(&p, "an operator");
    *out_where = p.where;
    return p.status;
}
