/* SPDX-License-Identifier: Apache-2.0 */
/* Python lists of values: displays, ranges, sums and products of lists, and
 * comprehensions. Values are found as the text is read; what a loop goes over
 * again is read again. A trial run of a loop, of one turn and without values,
 * comes first: it finds mistakes and the end, however often the loop turns. */
#include "gen/t1/python.h"
#include "runtime/base/grow.h"

#include <stdlib.h>
#include <string.h>

typedef hone_python_parser parser;

#define FAIL hone__python_fail

/* Values as they are found. */
typedef struct values {
    hone_datum *items;
    size_t n;
} values;

static int read_list(parser *p, values *out);

enum { TURN_BYTES = 64 }; /* of text, that a turn reads for one unit of work */

/* ---- values ------------------------------------------------------------- */

static int fail_here(parser *p, const char *sentence)
{
    return (int)FAIL(p, p->list_at, p->at - p->list_at, "%s", sentence);
}

static int add_work(parser *p, size_t n)
{
    p->work += (int64_t)n;
    return p->work <= HONE_PYTHON_WORK ||
           fail_here(p, "the loops of this list turn too often");
}

static int push(parser *p, values *to, hone_datum value)
{
    if (p->is_trial)
        return 1;
    if (!add_work(p, 1))
        return 0;
    if (to->n == HONE_PYTHON_ITEMS)
        return fail_here(p, "the list has more than 65536 values");
    if (!HONE_GROW(to->items, to->n))
        return (int)hone__python_no_memory(p);
    to->items[to->n++] = value;
    return 1;
}

/* What was read: without names but those of loops, it is a constant. */
static int value_of(parser *p, hone_node node, hone_datum *out)
{
    if (!node)
        return 0;
    *out = p->graph->nodes[node].value;
    if (p->graph->n > 1024) /* no node of the turns before is read again */
        hone__graph_free(p->graph);
    return p->is_trial || out->kind != HONE_DATUM_FAULT ||
           fail_here(p, hone__datum_fault_text(*out));
}

static int read_integer(parser *p, int64_t *out)
{
    hone_datum value;

    if (!value_of(p, hone__python_scalar(p), &value))
        return 0;
    *out = value.i;
    return p->is_trial || value.kind == HONE_DATUM_INT ||
           fail_here(p, "this takes integers only");
}

/* ---- comprehensions ----------------------------------------------------- */

/* Where `for` stands in the bracket that opens before `at`; 0: it is no
 * comprehension. */
static size_t find_loop(const parser *p, size_t at)
{
    int depth = 0;

    while (at < p->end && depth >= 0) {
        const char c = p->text[at];
        const size_t n = hone__python_word_length(p, at);

        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (depth == 0 && hone__python_word_at(p, at, "for"))
            return at;
        if (c == '\'' || c == '"')
            at = hone__python_skip_text(p, at);
        else
            at += n ? n : 1;
    }
    return 0;
}

static int read_clauses(parser *p, size_t element, values *out);

static int read_for(parser *p, size_t element, values *out)
{
    const size_t start = (hone__python_peek(p), p->at);
    const size_t length = hone__python_word_length(p, start);
    hone_python_loop *loop = &p->loops[p->n_loops];
    values over = {0};
    size_t body;
    int ok;

    if (!length)
        return (int)hone__python_unexpected(p, "a name behind 'for'");
    if (p->n_loops == HONE_PYTHON_LOOPS)
        return (int)FAIL(p, start, length, "more than %d loops",
                         HONE_PYTHON_LOOPS);
    p->at += length;
    if (!hone__python_word(p, "in"))
        return (int)hone__python_unexpected(p, "'in'");
    ok = read_list(p, &over); /* does not see the new name */
    body = p->at;
    *loop = (hone_python_loop){.name = p->text + start, .length = length};
    ++p->n_loops;
    if (ok && p->is_trial)
        ok = read_clauses(p, element, out);
    for (size_t i = 0; ok && i < over.n; ++i) {
        p->at = body;
        loop->value = over.items[i];
        /* What is read again is paid for. */
        ok = read_clauses(p, element, out) &&
             add_work(p, 1 + (body - element) / TURN_BYTES);
    }
    --p->n_loops;
    hone__free(over.items);
    return ok;
}

/* The clauses from here on and, where they let through, the element. */
static int read_clauses(parser *p, size_t element, values *out)
{
    hone_datum value;
    size_t end;

    while (hone__python_word(p, "if")) {
        if (!value_of(p, hone__python_simple(p), &value))
            return 0;
        if (!p->is_trial && !hone__datum_truth(value))
            return 1;
    }
    if (hone__python_word(p, "for"))
        return read_for(p, element, out);
    end = p->at;
    p->at = element;
    if (!value_of(p, hone__python_scalar(p), &value) || !push(p, out, value))
        return 0;
    (void)hone__python_peek(p);
    if (!hone__python_word_at(p, p->at, "for"))
        return (int)hone__python_unexpected(p, "'for'");
    p->at = end;
    return 1;
}

/* The element comes first and is read last: it needs the names. */
static int read_loop(parser *p, size_t at_for, values *out)
{
    const size_t element = p->at;
    const int is_trial = p->is_trial;
    size_t end;
    int ok;

    p->at = at_for;
    p->is_trial = 1;
    ok = read_clauses(p, element, out);
    end = p->at;
    p->is_trial = is_trial;
    if (ok && !is_trial) {
        p->at = at_for;
        ok = read_clauses(p, element, out);
    }
    if (ok)
        p->at = end;
    return ok;
}

/* ---- lists -------------------------------------------------------------- */

/* Values up to `closer`; `as_nodes`: expressions, by their numbers. */
static int read_items(parser *p, char closer, int as_nodes, values *out)
{
    while (hone__python_peek(p) != closer) {
        const hone_node item = hone__python_scalar(p);
        hone_datum value = hone__datum_int(item);

        if (!item || (!as_nodes && !value_of(p, item, &value)) ||
            !push(p, out, value))
            return 0;
        if (!hone__python_accept(p, ','))
            break;
    }
    return hone__python_expect(p, closer, "behind the values");
}

static int read_range(parser *p, values *out)
{
    int64_t bounds[3] = {0, 0, 1}; /* begin, end, step */
    int64_t at;
    int n = 0;

    do {
        if (!read_integer(p, &at))
            return 0;
        bounds[n < 3 ? n : 0] = at;
        ++n;
    } while (hone__python_accept(p, ','));
    if (!hone__python_expect(p, ')', "at the end of the range"))
        return 0;
    if (n > 3)
        return fail_here(p, "range takes one to three values");
    if (n == 1) {
        bounds[1] = bounds[0];
        bounds[0] = 0;
    }
    if (p->is_trial)
        return 1;
    if (bounds[2] == 0)
        return fail_here(p, "the step of a range cannot be 0");
    at = bounds[0];
    while (bounds[2] > 0 ? at < bounds[1] : at > bounds[1]) {
        if (!push(p, out, hone__datum_int(at)))
            return 0;
        if (__builtin_add_overflow(at, bounds[2], &at))
            break;
    }
    return 1;
}

/* range(..), or list(..), tuple(..), sorted(..) of a list or of a loop. */
static int read_named(parser *p, values *out)
{
    static const char *const names[] = {"range", "list", "tuple", "sorted"};
    const size_t first = out->n;
    size_t at_for;
    size_t i = 0;

    while (i < 4 && !hone__python_word(p, names[i]))
        ++i;
    if (i == 4)
        return (int)hone__python_unexpected(
            p, "a list: [..], range(..), list(..)");
    if (!hone__python_expect(p, '(', "behind the name"))
        return 0;
    if (i == 0)
        return read_range(p, out);
    at_for = find_loop(p, p->at);
    if (!(at_for ? read_loop(p, at_for, out) : read_list(p, out)) ||
        !hone__python_expect(p, ')', "at the end of the call"))
        return 0;
    if (i == 3 && out->n > first)
        qsort(out->items + first, out->n - first, sizeof *out->items,
              hone__datum_order);
    return 1;
}

/* What closes a display that opens so; 0: none does. */
static char closer_of(char c)
{
    return c == '[' ? ']' : c == '(' ? ')' : c == '{' ? '}' : '\0';
}

static int read_product(parser *p, values *out)
{
    const size_t outer = p->list_at;
    const size_t first = out->n;
    const char closer = closer_of(hone__python_peek(p));
    int ok;

    p->list_at = p->at;
    if (closer) {
        const size_t at_for = find_loop(p, ++p->at);

        ok = at_for ? read_loop(p, at_for, out) &&
                          hone__python_expect(p, closer, "behind the loop")
                    : read_items(p, closer, 0, out);
    } else {
        ok = read_named(p, out);
    }
    while (ok && hone__python_accept(p, '*')) {
        const size_t n = out->n - first;
        int64_t times;

        ok = read_integer(p, &times);
        if (ok && times < 1)
            out->n = first;
        for (; ok && n && times > 1; --times) {
            for (size_t i = 0; ok && i < n; ++i)
                ok = push(p, out, out->items[first + i]);
        }
    }
    p->list_at = outer;
    return ok;
}

/* Append the values of the list that comes next. */
static int read_list(parser *p, values *out)
{
    int ok = hone__python_enter(p) && read_product(p, out);

    while (ok && hone__python_accept(p, '+'))
        ok = read_product(p, out);
    --p->nesting;
    return ok;
}

/* A list of constants, in a graph of its own. */
static int constant_list(parser *p, values *out)
{
    hone_graph own = {0};
    hone_graph *graph = p->graph;
    const hone_python *python = p->python;
    const hone_python nameless = {.arena = python->arena,
                                  .texts = python->texts};
    int ok;

    p->graph = &own;
    p->python = &nameless;
    ok = read_list(p, out);
    p->graph = graph;
    p->python = python;
    hone__graph_free(&own);
    return ok;
}

/* ---- entries ------------------------------------------------------------ */

/* `x` is one of the values. Python evaluates a whole list before it looks into
 * it: MAX does not leave out a fault behind the value that is found. */
static hone_node any_of(parser *p, hone_node x, int are_nodes,
                        const hone_datum *items, size_t n)
{
    if (n == 0)
        return hone__python_constant(p, hone__datum_int(0));
    if (n == 1)
        return hone__graph_op(p->graph, HONE_OP_EQ, x,
                              are_nodes ? (hone_node)items->i
                                        : hone__python_constant(p, *items),
                              0);
    return hone__graph_op(p->graph, HONE_OP_MAX,
                          any_of(p, x, are_nodes, items, n / 2),
                          any_of(p, x, are_nodes, items + n / 2, n - n / 2), 0);
}

hone_node hone__python_in(parser *p, hone_node x)
{
    const char closer = closer_of(hone__python_peek(p));
    const int are_nodes = closer && !find_loop(p, p->at + 1);
    values found = {0};
    hone_node any = 0;

    if (p->graph->n > HONE_PYTHON_NODES)
        return FAIL(p, p->at, 1, "the conditions have more than %d terms",
                    HONE_PYTHON_NODES);
    p->at += are_nodes ? 1 : 0;
    if (are_nodes ? read_items(p, closer, 1, &found)
                  : constant_list(p, &found)) {
        any = any_of(p, x, are_nodes, found.items, found.n);
        if (!any)
            any = hone__python_no_memory(p);
    }
    hone__free(found.items);
    return any;
}

hone_status hone__python_list(const hone_python *python, const char *text,
                              size_t length, hone_datum **out, size_t *out_n,
                              hone_span *out_where, hone_error *err)
{
    parser p = {.python = python, .text = text, .end = length, .err = err};
    values found = {0};

    if (constant_list(&p, &found) && (hone__python_peek(&p), p.at < p.end))
        (void)hone__python_unexpected(&p, "the end of the list");
    if (p.status) {
        hone__free(found.items);
        found = (values){0};
    }
    *out_where = p.where;
    *out = found.items;
    *out_n = found.n;
    return p.status;
}
