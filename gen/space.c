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
                      "%s: more than 9.2e18 configurations are valid; give the "
                      "parameters fewer values or more constraints",
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

void hone__space_rows(const hone_space *space, int64_t first, int64_t n,
                      uint16_t *out)
{
    hone__diagram_rows(space->diagram, first, n, out);
}
