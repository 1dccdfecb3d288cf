/* SPDX-License-Identifier: Apache-2.0 */
/* A diagram of configurations that are known: sorted, those that begin alike
 * share their first nodes. See solve.h. */
#include "gen/solve/solve.h"

#include "runtime/base/alloc.h"

#include <string.h>

typedef struct listed {
    size_t n_vars;
    const hone_choices *vars;
    const uint16_t *rows;
    size_t n;
    uint32_t *order, *other; /* places of rows, sorted; scratch */
    uint32_t *node;          /* of the row at each place of `order` */
    uint32_t *starts;        /* scratch of the sort */
} listed;

static uint16_t value_of(const listed *list, uint32_t row, size_t var)
{
    return list->rows[row * list->n_vars + var];
}

/* By one variable; those that are equal stay as they are. */
static void sort_by(listed *list, size_t var)
{
    const size_t n_values = list->vars[var].n;
    uint32_t *const sorted = list->other;

    memset(list->starts, 0, (n_values + 1) * sizeof *list->starts);
    for (size_t i = 0; i < list->n; ++i)
        ++list->starts[value_of(list, (uint32_t)i, var) + 1];
    for (size_t v = 0; v < n_values; ++v)
        list->starts[v + 1] += list->starts[v];
    for (size_t i = 0; i < list->n; ++i)
        sorted[list->starts[value_of(list, list->order[i], var)]++] =
            list->order[i];
    list->other = list->order;
    list->order = sorted;
}

/* A node for each edge of the level before, an edge for each value that
 * follows; `*n_nodes` is that of the next level then. */
static hone_status add_level(listed *list, size_t var, uint32_t *n_nodes,
                             hone_diagram_level *out, hone_error *err)
{
    const int is_last = var + 1 == list->n_vars;
    uint32_t n = 0, before = 0, n_begun = 0;

    *out = (hone_diagram_level){.var = (uint32_t)var,
                                .n_values = (uint32_t)list->vars[var].n,
                                .n_nodes = *n_nodes};
    out->begin = hone__alloc((*n_nodes + (size_t)1) * sizeof *out->begin);
    out->child = hone__alloc((list->n + 1) * sizeof *out->child);
    out->value = hone__alloc((list->n + 1) * sizeof *out->value);
    if (!out->begin || !out->child || !out->value)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < list->n; ++i) {
        const uint16_t value = value_of(list, list->order[i], var);
        const int begins = !n_begun || list->node[i] != before;

        before = list->node[i];
        if (begins)
            out->begin[n_begun++] = n;
        if (begins || out->value[n - 1] != value) {
            out->child[n] = is_last ? 0 : n;
            out->value[n++] = value;
        }
        list->node[i] = n - 1;
    }
    while (n_begun <= *n_nodes)
        out->begin[n_begun++] = n;
    *n_nodes = n;
    return HONE_OK;
}

static hone_status build(listed *list, hone_diagram *out, hone_error *err)
{
    uint32_t n_nodes = 1;

    for (size_t i = 0; i < list->n; ++i) {
        list->order[i] = (uint32_t)i;
        list->node[i] = 0;
    }
    for (size_t var = list->n_vars; var-- > 0;)
        sort_by(list, var);
    for (size_t var = 0; var < list->n_vars; ++var)
        HONE_TRY(add_level(list, var, &n_nodes, &out->levels[var], err));
    HONE_TRY(hone__diagram_finish(out, err));
    if (!list->n) /* without variables it counts the empty one */
        out->count = 0;
    return HONE_OK;
}

hone_status hone__diagram_list(const hone_choices *vars, size_t n_vars,
                               const uint16_t *rows, size_t n,
                               hone_diagram **out, hone_error *err)
{
    listed list = {.n_vars = n_vars, .vars = vars, .rows = rows, .n = n};
    size_t most = 0;
    hone_status status = HONE_ERR_NO_MEMORY;

    for (size_t i = 0; i < n_vars; ++i)
        most = vars[i].n > most ? vars[i].n : most;
    HONE_TRY(hone__diagram_create(n_vars, out, err));
    list.order = hone__alloc((n + 1) * sizeof *list.order);
    list.other = hone__alloc((n + 1) * sizeof *list.other);
    list.node = hone__alloc((n + 1) * sizeof *list.node);
    list.starts = hone__alloc((most + 2) * sizeof *list.starts);
    if (list.order && list.other && list.node && list.starts)
        status = build(&list, *out, err);
    else
        (void)hone__fail(err, status, "out of memory");
    hone__free(list.order);
    hone__free(list.other);
    hone__free(list.node);
    hone__free(list.starts);
    if (status) {
        hone__diagram_free(*out);
        *out = NULL;
    }
    return status;
}
