/* SPDX-License-Identifier: Apache-2.0 */
/* Python lists of values: displays, ranges, sums and products of lists, and
 * comprehensions. A list is read into a small tree first, because what stands
 * before `for` is evaluated once for each turn of the loop. */
#include "gen/t1/python_parser.h"

#include <string.h>

typedef hone_python_parser parser;
typedef hone_list list;
typedef hone_list_clause clause;
typedef hone_list_values values;

#define FAIL hone__python_fail

static list *new_list(parser *p, hone_list_kind kind, size_t begin)
{
    list *made = hone__arena_alloc(p->python->arena, sizeof *made);

    if (!made) {
        (void)hone__python_no_memory(p);
        return NULL;
    }
    made->kind = kind;
    made->begin = begin;
    made->end = begin + 1;
    return made;
}

/* ---- reading ----------------------------------------------------------- */

static int add_item(parser *p, list *to, hone_node item)
{
    if (!item)
        return 0;
    if ((to->n_items & (to->n_items - 1)) == 0) { /* 0, 1, 2, 4, .. */
        hone_node *items = hone__arena_alloc(
            p->python->arena, (2 * to->n_items + 1) * sizeof *items);

        if (!items)
            return (int)hone__python_no_memory(p);
        if (to->n_items)
            memcpy(items, to->items, to->n_items * sizeof *items);
        to->items = items;
    }
    to->items[to->n_items++] = item;
    return 1;
}

/* Where `for` stands in the bracket that opens before `at`; 0: it is no
 * comprehension. */
static size_t find_loop(const parser *p, size_t at)
{
    int depth = 0;

    while (at < p->end && depth >= 0) {
        const char c = p->text[at];

        if (c == '\'' || c == '"') {
            at = hone__python_skip_text(p, at);
            continue;
        }
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (depth == 0 && hone__python_word_at(p, at, "for"))
            return at;
        {
            const size_t n = hone__python_word_length(p, at);

            at += n ? n : 1;
        }
    }
    return 0;
}

static clause *add_clause(parser *p, list *loop)
{
    clause *clauses = hone__arena_alloc(
        p->python->arena, (loop->n_clauses + 1) * sizeof *clauses);

    if (!clauses) {
        (void)hone__python_no_memory(p);
        return NULL;
    }
    if (loop->n_clauses)
        memcpy(clauses, loop->clauses, loop->n_clauses * sizeof *clauses);
    loop->clauses = clauses;
    return &clauses[loop->n_clauses++];
}

static int parse_for(parser *p, list *loop)
{
    list *over;
    clause *made;
    size_t start;
    size_t length;

    (void)hone__python_peek(p);
    start = p->at;
    length = hone__python_word_length(p, start);
    if (!length)
        return (int)hone__python_unexpected(p, "a name behind 'for'");
    if (p->n_loops == HONE_PYTHON_LOOPS)
        return (int)FAIL(p, start, length, "more than %d loops",
                         HONE_PYTHON_LOOPS);
    p->at += length;
    if (!hone__python_word(p, "in"))
        return (int)hone__python_unexpected(p, "'in'");
    over = hone__python_read_list(p); /* does not see the new name */
    made = over ? add_clause(p, loop) : NULL;
    if (!made)
        return 0;
    made->var = (uint32_t)p->n_loops;
    made->list = over;
    p->loops[p->n_loops++] = (hone_python_loop){p->text + start, length};
    return 1;
}

static int parse_if(parser *p, list *loop)
{
    const hone_node condition = hone__python_simple(p);
    clause *made = condition ? add_clause(p, loop) : NULL;

    if (made)
        made->condition = condition;
    return made != NULL;
}

/* The element comes first and is read last: it needs the names. */
static list *parse_loop(parser *p, size_t at_for, size_t begin)
{
    const size_t element = p->at;
    const size_t n_loops = p->n_loops;
    list *loop = new_list(p, HONE_LIST_LOOP, begin);
    size_t end;
    int ok = loop != NULL;

    p->at = at_for;
    while (ok) {
        if (hone__python_word(p, "for"))
            ok = parse_for(p, loop);
        else if (hone__python_word(p, "if"))
            ok = parse_if(p, loop);
        else
            break;
    }
    end = p->at;
    p->at = element;
    ok = ok && add_item(p, loop, hone__python_scalar(p));
    (void)hone__python_peek(p);
    if (ok && p->at != at_for)
        ok = (int)hone__python_unexpected(p, "'for'");
    p->at = end;
    p->n_loops = n_loops;
    return ok ? loop : NULL;
}

/* What stands between brackets; the opening one has been read. */
static list *parse_display(parser *p, char closer)
{
    const size_t begin = p->at - 1;
    const size_t at_for = find_loop(p, p->at);
    list *made;

    if (at_for) {
        made = parse_loop(p, at_for, begin);
        if (!made || !hone__python_expect(p, closer, "behind the loop"))
            return NULL;
        made->end = p->at;
        return made;
    }
    made = new_list(p, HONE_LIST_ITEMS, begin);
    while (made && hone__python_peek(p) != closer) {
        if (!add_item(p, made, hone__python_scalar(p)))
            return NULL;
        if (!hone__python_accept(p, ','))
            break;
    }
    if (!made || !hone__python_expect(p, closer, "behind the values"))
        return NULL;
    made->end = p->at;
    return made;
}

static list *parse_range(parser *p, size_t begin)
{
    list *made = new_list(p, HONE_LIST_RANGE, begin);

    do {
        if (!made || !add_item(p, made, hone__python_scalar(p)))
            return NULL;
    } while (hone__python_accept(p, ','));
    if (!hone__python_expect(p, ')', "at the end of the range"))
        return NULL;
    made->end = p->at;
    if (made->n_items <= 3)
        return made;
    (void)FAIL(p, begin, p->at - begin, "range takes one to three values");
    return NULL;
}

/* list(..), tuple(..), sorted(..): of a list or of a loop. */
static list *parse_wrapped(parser *p, int is_sorted, size_t begin)
{
    const size_t at_for = find_loop(p, p->at);
    list *inner =
        at_for ? parse_loop(p, at_for, begin) : hone__python_read_list(p);
    list *made;

    if (!inner || !hone__python_expect(p, ')', "at the end of the call"))
        return NULL;
    if (!is_sorted)
        return inner;
    made = new_list(p, HONE_LIST_SORTED, begin);
    if (made) {
        made->left = inner;
        made->end = p->at;
    }
    return made;
}

static list *parse_named(parser *p)
{
    static const char *const names[] = {"range", "list", "tuple", "sorted"};
    const size_t begin = p->at;
    size_t i = 0;

    while (i < 4 && !hone__python_word(p, names[i]))
        ++i;
    if (i == 4) {
        (void)hone__python_unexpected(p, "a list: [..], range(..), list(..)");
        return NULL;
    }
    if (!hone__python_expect(p, '(', "behind the name"))
        return NULL;
    return i == 0 ? parse_range(p, begin) : parse_wrapped(p, i == 3, begin);
}

static list *parse_atom(parser *p)
{
    const char c = hone__python_peek(p);

    if (c == '[' || c == '(' || c == '{') {
        ++p->at;
        return parse_display(p, c == '[' ? ']' : c == '(' ? ')' : '}');
    }
    return parse_named(p);
}

static list *parse_product(parser *p)
{
    list *left = parse_atom(p);

    while (left && hone__python_accept(p, '*')) {
        list *made = new_list(p, HONE_LIST_PRODUCT, left->begin);

        if (!made || !add_item(p, made, hone__python_scalar(p)))
            return NULL;
        made->left = left;
        made->end = p->at;
        left = made;
    }
    return left;
}

list *hone__python_read_list(parser *p)
{
    list *left;

    if (p->nesting == HONE_PYTHON_NESTING) {
        (void)FAIL(p, p->at, 1, "the expression is nested deeper than %d",
                   HONE_PYTHON_NESTING);
        return NULL;
    }
    ++p->nesting;
    left = parse_product(p);
    while (left && hone__python_accept(p, '+')) {
        list *made = new_list(p, HONE_LIST_SUM, left->begin);

        if (!made)
            return NULL;
        made->left = left;
        made->right = parse_product(p);
        made->end = p->at;
        left = made->right ? made : NULL;
    }
    --p->nesting;
    return left;
}

/* ---- entries ----------------------------------------------------------- */

/* Python evaluates a whole list before it looks into it: MAX does not leave
 * out a fault behind the value that is found. */
static hone_node any_of(parser *p, const hone_node *nodes, size_t n)
{
    if (n == 0)
        return hone__python_constant(p, hone__datum_int(0));
    if (n == 1)
        return nodes[0];
    return hone__graph_op(p->graph, HONE_OP_MAX, any_of(p, nodes, n / 2),
                          any_of(p, nodes + n / 2, n - n / 2), 0);
}

/* A list of constants: loops have variables of their own, so it is read into
 * a graph of its own. */
static int constant_list(parser *p, values *out)
{
    hone_graph own = {0};
    hone_graph *graph = p->graph;
    hone_python without_names = {p->python->arena, p->python->texts, NULL,
                                 NULL};
    const hone_python *python = p->python;
    list *of;
    int ok;

    p->graph = &own;
    p->python = &without_names;
    of = hone__python_read_list(p);
    ok = of && hone__python_evaluate(p, of, out);
    p->graph = graph;
    p->python = python;
    hone__graph_free(&own);
    return ok;
}

/* A display may hold expressions; everything else is constants. */
static int read_members(parser *p, list *members)
{
    values found = {0};
    const char c = hone__python_peek(p);
    int ok;

    if ((c == '[' || c == '(' || c == '{') && !find_loop(p, p->at + 1)) {
        list *display = parse_atom(p);

        if (display)
            *members = *display;
        return display != NULL;
    }
    ok = constant_list(p, &found);
    for (size_t i = 0; ok && i < found.n; ++i)
        ok = add_item(p, members, hone__python_constant(p, found.items[i]));
    hone__free(found.items);
    return ok;
}

hone_node hone__python_in(parser *p, hone_node x)
{
    list members = {0};
    hone_node any;

    if (!read_members(p, &members))
        return 0;
    for (size_t i = 0; i < members.n_items; ++i) {
        members.items[i] =
            hone__graph_op(p->graph, HONE_OP_EQ, x, members.items[i], 0);
    }
    any = any_of(p, members.items, members.n_items);
    return any ? any : hone__python_no_memory(p);
}

hone_status hone__python_list(const hone_python *python, const char *text,
                              size_t length, hone_datum **out, size_t *out_n,
                              hone_span *out_where, hone_error *err)
{
    parser p = {.python = python, .text = text, .end = length, .err = err};
    values found = {0};

    *out = NULL;
    *out_n = 0;
    if (constant_list(&p, &found) && (hone__python_peek(&p), p.at < p.end))
        (void)hone__python_unexpected(&p, "the end of the list");
    *out_where = p.where;
    if (p.status) {
        hone__free(found.items);
        return p.status;
    }
    *out = found.items;
    *out_n = found.n;
    return HONE_OK;
}
