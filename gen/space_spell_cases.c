/* SPDX-License-Identifier: Apache-2.0 */
/* A condition as the combinations of values at which it holds: for what a
 * language has no operator for. See space_spell_cases.h. */
#include "gen/space_spell_cases.h"

#include <string.h>

/* Values of the parameters that a condition reads, as the digits of a number.
 */
typedef struct cases {
    const hone_space *space;
    size_t params[HONE_GRAPH_VARS];
    size_t n_params;
    int values[HONE_GRAPH_VARS]; /* of params[i] */
} cases;

static int64_t list_params(cases *c, hone_vars vars)
{
    int64_t n = 1;

    for (size_t i = 0; i < c->space->n_params; ++i) {
        if (!(vars >> i & 1))
            continue;
        c->params[c->n_params++] = i;
        n *= c->space->n_values[i];
        if (n > HONE_SPELL_MOST_CASES)
            break;
    }
    return n;
}

/* 0: that was the last one. */
static int step(cases *c)
{
    for (size_t i = c->n_params; i > 0; --i) {
        if (++c->values[i - 1] < c->space->n_values[c->params[i - 1]])
            return 1;
        c->values[i - 1] = 0;
    }
    return 0;
}

static int holds(const cases *c, const hone_graph *graph, hone_node node,
                 hone_datum *scratch)
{
    hone_datum vars[HONE_GRAPH_VARS] = {{0}};

    for (size_t i = 0; i < c->n_params; ++i)
        vars[c->params[i]] =
            hone__space_value(c->space, c->params[i], (size_t)c->values[i]);
    return hone__datum_truth(hone__graph_eval(graph, node, vars, scratch));
}

/* ---- as text ----------------------------------------------------------------
 */

typedef struct case_writer {
    const cases *c;
    hone_language language;
    hone_text *out;
} case_writer;

static const char *either(const case_writer *w)
{
    return w->language == HONE_PYTHON ? " or " : " || ";
}

static int is_all(const unsigned char *table, size_t n, unsigned char value)
{
    for (size_t i = 0; i < n; ++i)
        if (table[i] != value)
            return 0;
    return 1;
}

/* Is the value's part of the table that of an earlier value? */
static int is_known(const unsigned char *table, size_t size, int value)
{
    for (int i = 0; i < value; ++i)
        if (memcmp(table + (size_t)i * size, table + (size_t)value * size,
                   size) == 0)
            return 1;
    return 0;
}

/* "(P == 1 || P == 2)": all whose part is that of `value`; nothing if that are
 * all. */
static int spell_alike(const case_writer *w, size_t level,
                       const unsigned char *table, size_t size, int value)
{
    const size_t param = w->c->params[level];
    const int n_values = w->c->space->n_values[param];
    int n = 0;

    if (is_all(table, size * (size_t)n_values, table[0]) ||
        (value == 0 && n_values == 1))
        return 0;
    for (int i = value; i < n_values; ++i) {
        if (memcmp(table + (size_t)i * size, table + (size_t)value * size,
                   size) != 0)
            continue;
        hone__text_printf(w->out, "%s%s == ", n++ ? either(w) : "(",
                          hone__space_param_name(w->c->space, param));
        hone__space_spell_value(w->c->space, param, (size_t)i, w->language,
                                w->out);
    }
    hone__text_puts(w->out, ")");
    return 1;
}

/* A table that is not the same everywhere: parameter `level` and those behind
 * it. Values with the same part are written once. */
static void spell_level(const case_writer *w, size_t level,
                        const unsigned char *table, size_t n)
{
    const int n_values = w->c->space->n_values[w->c->params[level]];
    const size_t size = n / (size_t)n_values;
    int n_written = 0;

    hone__text_puts(w->out, "(");
    for (int i = 0; i < n_values; ++i) {
        const unsigned char *part = table + (size_t)i * size;

        if (is_all(part, size, 0) || is_known(table, size, i))
            continue;
        hone__text_puts(w->out, n_written++ ? either(w) : "");
        if (is_all(part, size, 1)) {
            (void)spell_alike(w, level, table, size, i);
            continue;
        }
        if (spell_alike(w, level, table, size, i))
            hone__text_puts(w->out,
                            w->language == HONE_PYTHON ? " and " : " && ");
        spell_level(w, level + 1, part, size);
    }
    hone__text_puts(w->out, ")");
}

int hone__space_spell_cases(const hone_space *space, const hone_graph *graph,
                            hone_node node, hone_datum *scratch,
                            hone_language language, hone_text *out)
{
    cases c = {.space = space};
    unsigned char table[HONE_SPELL_MOST_CASES];
    size_t n = 0;

    if (list_params(&c, graph->nodes[node].vars) > HONE_SPELL_MOST_CASES)
        return 0;
    do {
        table[n++] = (unsigned char)holds(&c, graph, node, scratch);
    } while (step(&c));
    if (is_all(table, n, table[0]))
        hone__text_puts(out, table[0] ? "(0 == 0)" : "(0 == 1)");
    else
        spell_level(&(case_writer){&c, language, out}, 0, table, n);
    return 1;
}
