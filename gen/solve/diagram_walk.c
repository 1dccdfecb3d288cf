/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over a diagram: writing out a stretch of it, the cheapest. */
#include "gen/solve/diagram.h"

#include "runtime/base/alloc.h"

#include <string.h>

/* ---- a stretch of it --------------------------------------------------- */

/* Edge by edge: only what differs from the row before is looked up. */
typedef struct cursor {
    uint32_t edge;
    uint32_t end;
} cursor;

static void descend(const hone_diagram *diagram, cursor *path, size_t depth,
                    uint32_t node, uint16_t *row)
{
    for (; depth < diagram->n_levels; ++depth) {
        const hone_diagram_level *level = &diagram->levels[depth];

        path[depth] = (cursor){level->begin[node], level->begin[node + 1]};
        row[level->var] = level->value[path[depth].edge];
        node = level->child[path[depth].edge];
    }
}

static void seek(const hone_diagram *diagram, int64_t index, cursor *path,
                 uint16_t *row)
{
    uint32_t node = 0;

    for (size_t i = 0; i < diagram->n_levels; ++i) {
        const hone_diagram_level *level = &diagram->levels[i];
        uint32_t e = level->begin[node];

        while (e + 1 < level->begin[node + 1] && level->before[e + 1] <= index)
            ++e;
        path[i] = (cursor){e, level->begin[node + 1]};
        row[level->var] = level->value[e];
        index -= level->before[e];
        node = level->child[e];
    }
}

void hone__diagram_rows(const hone_diagram *diagram, int64_t first, int64_t n,
                        uint16_t *out)
{
    const size_t width = diagram->n_levels;
    cursor path[64];

    if (n < 1)
        return;
    seek(diagram, first, path, out);
    for (int64_t i = 1; i < n; ++i) {
        uint16_t *row = out + width;
        size_t depth = width;

        memcpy(row, out, width * sizeof *row);
        out = row;
        while (depth-- > 0) {
            const hone_diagram_level *level = &diagram->levels[depth];

            if (++path[depth].edge == path[depth].end)
                continue;
            row[level->var] = level->value[path[depth].edge];
            descend(diagram, path, depth + 1, level->child[path[depth].edge],
                    row);
            break;
        }
    }
}

/* ---- the cheapest ------------------------------------------------------ */

static const int64_t no_cost = INT64_MAX;

/* The least cost below each node, from the last level up. */
static hone_status least_costs(const hone_diagram *diagram,
                               int64_t *const *costs, int64_t **least)
{
    for (size_t i = diagram->n_levels; i-- > 0;) {
        const hone_diagram_level *level = &diagram->levels[i];
        const int64_t *own = costs[level->var];

        least[i] = hone__alloc((level->n_nodes + 1) * sizeof **least);
        if (!least[i])
            return HONE_ERR_NO_MEMORY;
        for (uint32_t node = 0; node < level->n_nodes; ++node) {
            int64_t best = no_cost;

            for (uint32_t e = level->begin[node]; e < level->begin[node + 1];
                 ++e) {
                const int64_t below = i + 1 < diagram->n_levels
                                          ? least[i + 1][level->child[e]]
                                          : 0;

                if (own[level->value[e]] + below < best)
                    best = own[level->value[e]] + below;
            }
            least[i][node] = best;
        }
    }
    return HONE_OK;
}

static void follow_least(const hone_diagram *diagram, int64_t *const *costs,
                         int64_t *const *least, int *out_values)
{
    uint32_t node = 0;

    for (size_t i = 0; i < diagram->n_levels; ++i) {
        const hone_diagram_level *level = &diagram->levels[i];
        const int64_t *own = costs[level->var];
        uint32_t e = level->begin[node];

        while (own[level->value[e]] + (i + 1 < diagram->n_levels
                                           ? least[i + 1][level->child[e]]
                                           : 0) !=
               least[i][node])
            ++e;
        out_values[level->var] = level->value[e];
        node = level->child[e];
    }
}

hone_status hone__diagram_cheapest(const hone_diagram *diagram,
                                   int64_t *const *costs, int *out_values,
                                   hone_error *err)
{
    int64_t **least = hone__alloc((diagram->n_levels + 1) * sizeof *least);
    hone_status status = HONE_ERR_NO_MEMORY;

    if (!diagram->count) {
        hone__free(least);
        return hone__fail(err, HONE_ERR_NOT_FOUND, "there is none");
    }
    if (least)
        status = least_costs(diagram, costs, least);
    if (status == HONE_OK)
        follow_least(diagram, costs, least, out_values);
    for (size_t i = 0; least && i < diagram->n_levels; ++i)
        hone__free(least[i]);
    hone__free(least);
    return status ? hone__fail(err, status, "out of memory") : HONE_OK;
}
