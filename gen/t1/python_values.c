/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a Python list: see python_list.c. */
#include "gen/t1/python_parser.h"

#include <stdlib.h>
#include <string.h>

typedef hone_python_parser parser;
typedef hone_list list;
typedef hone_list_clause clause;
typedef hone_list_values values;

#define FAIL hone__python_fail

typedef struct evaluation {
    parser *p;
    hone_datum loops[HONE_PYTHON_LOOPS];
    hone_datum *scratch;
    const list *at; /* what is being evaluated, for messages */
} evaluation;

static int evaluate(evaluation *e, const list *of, values *out);

static int fail_here(evaluation *e, const char *sentence)
{
    return (int)FAIL(e->p, e->at->begin, e->at->end - e->at->begin, "%s",
                     sentence);
}

static int scalar(evaluation *e, hone_node node, hone_datum *out)
{
    *out = hone__graph_eval(e->p->graph, node, e->loops, e->scratch);
    return out->kind == HONE_DATUM_FAULT
               ? fail_here(e, hone__datum_fault_text(*out))
               : 1;
}

static int integer(evaluation *e, hone_node node, int64_t *out)
{
    hone_datum value;

    if (!scalar(e, node, &value))
        return 0;
    *out = value.i;
    return value.kind == HONE_DATUM_INT ||
           fail_here(e, "this takes integers only");
}

static int push(evaluation *e, values *to, hone_datum value)
{
    if (to->n == HONE_PYTHON_ITEMS)
        return fail_here(e, "the list has more than 65536 values");
    if (to->n == to->capacity) {
        const size_t capacity = to->capacity ? 2 * to->capacity : 64;
        hone_datum *items = hone__realloc(to->items, capacity * sizeof *items);

        if (!items)
            return (int)hone__python_no_memory(e->p);
        to->items = items;
        to->capacity = capacity;
    }
    to->items[to->n++] = value;
    return 1;
}

static int evaluate_range(evaluation *e, const list *of, values *out)
{
    int64_t bounds[3] = {0, 0, 1}; /* begin, end, step */
    int64_t at;

    for (size_t i = 0; i < of->n_items; ++i) {
        if (!integer(e, of->items[i], &bounds[of->n_items == 1 ? 1 : i]))
            return 0;
    }
    if (bounds[2] == 0)
        return fail_here(e, "the step of a range cannot be 0");
    at = bounds[0];
    while (bounds[2] > 0 ? at < bounds[1] : at > bounds[1]) {
        if (!push(e, out, hone__datum_int(at)))
            return 0;
        if (__builtin_add_overflow(at, bounds[2], &at))
            break;
    }
    return 1;
}

static int evaluate_loop(evaluation *e, const list *of, size_t clause_index,
                         values *out)
{
    const clause *next = &of->clauses[clause_index];
    values over = {0};
    hone_datum value;
    int ok;

    if (clause_index == of->n_clauses) {
        e->at = of;
        return scalar(e, of->items[0], &value) && push(e, out, value);
    }
    if (!next->list) {
        e->at = of;
        return scalar(e, next->condition, &value) &&
               (!hone__datum_truth(value) ||
                evaluate_loop(e, of, clause_index + 1, out));
    }
    ok = evaluate(e, next->list, &over);
    for (size_t i = 0; ok && i < over.n; ++i) {
        e->loops[next->var] = over.items[i];
        ok = evaluate_loop(e, of, clause_index + 1, out);
    }
    hone__free(over.items);
    return ok;
}

static int by_value(const void *a, const void *b)
{
    hone_datum x;
    hone_datum y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    if (hone__datum_truth(hone__datum_apply(HONE_OP_LT, x, y, x)))
        return -1;
    return hone__datum_truth(hone__datum_apply(HONE_OP_GT, x, y, x));
}

static int evaluate_product(evaluation *e, const list *of, values *out)
{
    const size_t first = out->n;
    int64_t times;
    size_t n;

    if (!evaluate(e, of->left, out))
        return 0;
    n = out->n - first;
    e->at = of;
    if (!integer(e, of->items[0], &times))
        return 0;
    if (times < 1)
        out->n = first;
    for (int64_t t = 1; t < times && n; ++t) {
        for (size_t i = 0; i < n; ++i) {
            if (!push(e, out, out->items[first + i]))
                return 0;
        }
    }
    return 1;
}

static int evaluate(evaluation *e, const list *of, values *out)
{
    const size_t first = out->n;
    hone_datum value;

    e->at = of;
    switch (of->kind) {
    case HONE_LIST_ITEMS:
        for (size_t i = 0; i < of->n_items; ++i) {
            if (!scalar(e, of->items[i], &value) || !push(e, out, value))
                return 0;
        }
        return 1;
    case HONE_LIST_RANGE:
        return evaluate_range(e, of, out);
    case HONE_LIST_SUM:
        return evaluate(e, of->left, out) && evaluate(e, of->right, out);
    case HONE_LIST_PRODUCT:
        return evaluate_product(e, of, out);
    case HONE_LIST_LOOP:
        return evaluate_loop(e, of, 0, out);
    case HONE_LIST_SORTED:
        if (!evaluate(e, of->left, out))
            return 0;
        if (out->n > first)
            qsort(out->items + first, out->n - first, sizeof *out->items,
                  by_value);
        return 1;
    }
    return 0;
}

int hone__python_evaluate(parser *p, const list *of, values *out)
{
    evaluation e = {.p = p};
    int ok;

    e.scratch = hone__alloc(p->graph->n * sizeof *e.scratch + 1);
    if (!e.scratch)
        return (int)hone__python_no_memory(p);
    ok = evaluate(&e, of, out);
    hone__free(e.scratch);
    return ok;
}
