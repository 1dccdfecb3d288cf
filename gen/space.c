/* SPDX-License-Identifier: Apache-2.0 */
/* What all search spaces share: solving, and configurations by number. */
#include "gen/space.h"

#include "gen/space_parts.h"

#include <string.h>

static hone_status no_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

hone_status hone__space_prepare(hone_space *space, size_t n_params,
                                hone_error *err)
{
    space->choices = hone__arena_alloc(&space->arena,
                                       (n_params + 1) * sizeof *space->choices);
    space->n_values = hone__arena_alloc(
        &space->arena, (n_params + 1) * sizeof *space->n_values);
    if (!space->choices || !space->n_values)
        return no_memory(err);
    space->csp =
        (hone_csp){.graph = space->t1 ? &space->t1->graph : &space->graph,
                   .n_vars = n_params,
                   .vars = space->choices,
                   .name = space->t1 ? space->t1->path : space->tmpl->path};
    return HONE_OK;
}

/* ---- constraints ------------------------------------------------------- */

static void take_piece(void *user, hone_node piece)
{
    hone_space *space = user;

    if (space->n_roots == space->room) {
        const size_t room = space->room ? 2 * space->room : 32;
        hone_node *roots =
            hone__arena_alloc(&space->arena, room * sizeof *roots);
        size_t *owner = hone__arena_alloc(&space->arena, room * sizeof *owner);

        if (!roots || !owner) {
            space->csp.graph->failed = 1;
            return;
        }
        if (space->n_roots) {
            memcpy(roots, space->roots, space->n_roots * sizeof *roots);
            memcpy(owner, space->owner, space->n_roots * sizeof *owner);
        }
        space->roots = roots;
        space->owner = owner;
        space->room = room;
    }
    space->roots[space->n_roots] = piece;
    space->owner[space->n_roots++] = space->n_constraints;
}

hone_status hone__space_add(hone_space *space, hone_node root, hone_error *err)
{
    hone__graph_split(space->csp.graph, root, take_piece, space);
    ++space->n_constraints;
    return space->csp.graph->failed ? no_memory(err) : HONE_OK;
}

static void count_raw(hone_space *space)
{
    space->raw = 1;
    for (size_t i = 0; i < space->csp.n_vars; ++i) {
        space->n_values[i] = (int)space->choices[i].n;
        if (__builtin_mul_overflow(space->raw, (int64_t)space->choices[i].n,
                                   &space->raw))
            space->raw = INT64_MAX;
    }
}

hone_status hone__space_solve(hone_space *space, size_t *out_constraint,
                              int *value_indexes, hone_error *err)
{
    size_t at;

    count_raw(space);
    *out_constraint = space->n_constraints;
    HONE_TRY(hone__csp_find_fault(&space->csp, space->roots, space->n_roots,
                                  &at, value_indexes, err));
    if (at < space->n_roots) {
        *out_constraint = space->owner[at];
        return HONE_OK;
    }
    HONE_TRY(hone__csp_solve(&space->csp, space->roots, space->n_roots,
                             &space->diagram, err));
    if (space->diagram->count < INT64_MAX)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "%s: more than 9.2e18 configurations are valid; give "
                      "the parameters fewer values or more constraints",
                      space->csp.name);
}

void hone__space_free(hone_space *space)
{
    if (!space)
        return;
    hone__diagram_free(space->diagram);
    hone__graph_free(&space->graph);
    hone__arena_free(&space->arena);
    hone__free(space);
}

/* ---- configurations ---------------------------------------------------- */

int64_t hone__space_raw_count(const hone_space *space)
{
    return space->raw;
}

int64_t hone__space_count(const hone_space *space)
{
    return space->diagram->count;
}

size_t hone__space_n_params(const hone_space *space)
{
    return space->csp.n_vars;
}

const int *hone__space_n_values(const hone_space *space)
{
    return space->n_values;
}

size_t hone__space_n_constraints(const hone_space *space)
{
    return space->n_constraints;
}

void hone__space_get_indexes(const hone_space *space, int64_t index,
                             int *out_value_indexes)
{
    hone__diagram_get(space->diagram, index, out_value_indexes);
}

int64_t hone__space_find_indexes(const hone_space *space,
                                 const int *value_indexes)
{
    return hone__diagram_find(space->diagram, value_indexes);
}

hone_status hone__space_list(const hone_space *space, uint64_t *out_ranks,
                             hone_error *err)
{
    uint64_t weights[HONE_GRAPH_VARS];
    uint64_t weight = 1;

    if (space->raw == INT64_MAX)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "%s: the parameters have more than 2^63 "
                          "combinations: a number of 64 bits cannot name "
                          "them",
                          space->csp.name);
    for (size_t i = space->csp.n_vars; i-- > 0;) {
        weights[i] = weight;
        weight *= space->choices[i].n;
    }
    return hone__diagram_list(space->diagram, weights, out_ranks, err);
}

void hone__space_rows(const hone_space *space, int64_t first, int64_t n,
                      uint16_t *out)
{
    hone__diagram_rows(space->diagram, first, n, out);
}

int64_t hone__space_sample(const hone_space *space, uint64_t random)
{
    const uint64_t count = (uint64_t)space->diagram->count;
    const uint64_t low = (random & UINT32_MAX) * (count & UINT32_MAX);
    const uint64_t a = (random >> 32) * (count & UINT32_MAX) + (low >> 32);
    const uint64_t b = (random & UINT32_MAX) * (count >> 32) + (a & UINT32_MAX);

    /* The upper half of the 128-bit product. */
    return (int64_t)((random >> 32) * (count >> 32) + (a >> 32) + (b >> 32));
}

/* ---- neighbours -------------------------------------------------------- */

typedef struct neighbour_list {
    const hone_space *space;
    int64_t *out;
    size_t capacity;
    size_t n;
} neighbour_list;

static void offer(neighbour_list *list, int *values, size_t param, int value)
{
    const int old = values[param];
    int64_t index;

    if (value < 0 || value >= list->space->n_values[param] ||
        list->n == list->capacity)
        return;
    values[param] = value;
    index = hone__diagram_find(list->space->diagram, values);
    values[param] = old;
    if (index >= 0)
        list->out[list->n++] = index;
}

/* The values next to `value` that occur in the space, and itself. */
static size_t near_values(const hone_space *space, uint32_t param, int value,
                          uint16_t out[3])
{
    const hone_diagram_level *level =
        hone__diagram_level_of(space->diagram, param);
    size_t n = 0;
    int below = value - 1;
    int above = value + 1;

    while (below >= 0 && !level->used[below])
        --below;
    while (above < space->n_values[param] && !level->used[above])
        ++above;
    if (below >= 0)
        out[n++] = (uint16_t)below;
    out[n++] = (uint16_t)value;
    if (above < space->n_values[param])
        out[n++] = (uint16_t)above;
    return n;
}

static size_t adjacent(const hone_space *space, const int *values,
                       int64_t index, int64_t *out, size_t capacity)
{
    uint16_t near[HONE_GRAPH_VARS][3];
    const uint16_t *allowed[HONE_GRAPH_VARS];
    size_t n_allowed[HONE_GRAPH_VARS];

    for (uint32_t i = 0; i < space->csp.n_vars; ++i) {
        n_allowed[i] = near_values(space, i, values[i], near[i]);
        allowed[i] = near[i];
    }
    return hone__diagram_among(space->diagram, allowed, n_allowed, index, out,
                               capacity);
}

size_t hone__space_neighbours(const hone_space *space, hone_neighbours kind,
                              int64_t index, int64_t *out, size_t capacity)
{
    neighbour_list list = {space, out, capacity, 0};
    int values[HONE_GRAPH_VARS];

    hone__diagram_get(space->diagram, index, values);
    if (kind == HONE_NEIGHBOURS_ADJACENT)
        return adjacent(space, values, index, out, capacity);
    for (size_t i = 0; i < space->csp.n_vars; ++i) {
        if (kind == HONE_NEIGHBOURS_STRICT) {
            offer(&list, values, i, values[i] - 1);
            offer(&list, values, i, values[i] + 1);
            continue;
        }
        for (int v = 0; v < space->n_values[i]; ++v) {
            if (v != values[i])
                offer(&list, values, i, v);
        }
    }
    return list.n;
}
