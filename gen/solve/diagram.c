/* SPDX-License-Identifier: Apache-2.0 */
/* Counting a diagram, going from a configuration to its number and back, and
 * walks over it: see solve.h. */
#include "gen/solve/solve.h"

#include "runtime/base/alloc.h"

#include <string.h>

hone_status hone__diagram_create(size_t n_vars, hone_diagram **out,
                                 hone_error *err)
{
    hone_diagram *diagram =
        hone__alloc(sizeof *diagram + n_vars * sizeof *diagram->levels);

    *out = diagram;
    if (!diagram)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    diagram->n_levels = n_vars;
    return HONE_OK;
}

void hone__diagram_free(hone_diagram *diagram)
{
    if (!diagram)
        return;
    for (size_t i = 0; i < diagram->n_levels; ++i) {
        hone__free(diagram->levels[i].begin);
        hone__free(diagram->levels[i].child);
        hone__free(diagram->levels[i].value);
        hone__free(diagram->levels[i].before);
        hone__free(diagram->levels[i].count);
        hone__free(diagram->levels[i].used);
    }
    hone__free(diagram);
}

/* ---- counting ----------------------------------------------------------- */

/* From the last level to the first; edges that lead nowhere are left out.
 * `below` is NULL for the last level, whose edges are one each. */
static hone_status count_level(hone_diagram_level *level,
                               const hone_diagram_level *below, hone_error *err)
{
    const uint32_t n_edges = level->begin[level->n_nodes];
    uint32_t n = 0;

    level->before = hone__alloc((n_edges + 1) * sizeof *level->before);
    level->count = hone__alloc((level->n_nodes + 1) * sizeof *level->count);
    level->used = hone__alloc(level->n_values);
    if (!level->before || !level->count || !level->used)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (uint32_t node = 0; node < level->n_nodes; ++node) {
        const uint32_t end = level->begin[node + 1];
        int64_t sum = 0;
        uint32_t e = level->begin[node];

        level->begin[node] = n;
        for (; e < end; ++e) {
            const int64_t count = below ? below->count[level->child[e]] : 1;

            if (!count)
                continue;
            level->child[n] = level->child[e];
            level->value[n] = level->value[e];
            level->used[level->value[e]] = 1;
            level->before[n++] = sum;
            if (__builtin_add_overflow(sum, count, &sum))
                sum = INT64_MAX;
        }
        level->count[node] = sum;
    }
    level->begin[level->n_nodes] = n;
    return HONE_OK;
}

hone_status hone__diagram_finish(hone_diagram *diagram, hone_error *err)
{
    for (size_t i = diagram->n_levels; i-- > 0;)
        HONE_TRY(count_level(
            &diagram->levels[i],
            i + 1 < diagram->n_levels ? &diagram->levels[i + 1] : NULL, err));
    diagram->count = diagram->n_levels ? diagram->levels[0].count[0] : 1;
    return HONE_OK;
}

/* ---- one configuration -------------------------------------------------- */

/* The edge of `node` that configuration `index` of it goes through. */
static uint32_t edge_at(const hone_diagram_level *level, uint32_t node,
                        int64_t index)
{
    uint32_t low = level->begin[node];
    uint32_t high = level->begin[node + 1];

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (level->before[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void hone__diagram_get(const hone_diagram *diagram, int64_t index,
                       int *out_values)
{
    uint32_t node = 0;

    for (size_t i = 0; i < diagram->n_levels; ++i) {
        const hone_diagram_level *level = &diagram->levels[i];
        const uint32_t e = edge_at(level, node, index);

        out_values[level->var] = level->value[e];
        index -= level->before[e];
        node = level->child[e];
    }
}

/* The edge of `node` with this value; `end` if it has none. */
static uint32_t edge_of(const hone_diagram_level *level, uint32_t node,
                        int value)
{
    uint32_t low = level->begin[node];
    const uint32_t end = level->begin[node + 1];
    uint32_t high = end;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (level->value[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && level->value[low] == value ? low : end;
}

int64_t hone__diagram_find(const hone_diagram *diagram, const int *values)
{
    uint32_t node = 0;
    int64_t index = 0;

    for (size_t i = 0; i < diagram->n_levels; ++i) {
        const hone_diagram_level *level = &diagram->levels[i];
        const uint32_t e = edge_of(level, node, values[level->var]);

        if (e == level->begin[node + 1])
            return -1;
        index += level->before[e];
        node = level->child[e];
    }
    return diagram->count ? index : -1;
}

/* ---- a stretch of it ---------------------------------------------------- */

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
        const uint32_t e = edge_at(level, node, index);

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

/* ---- the cheapest ------------------------------------------------------- */

/* The least that a configuration through edge `e` of level `i` costs. */
static int64_t cost_of(const hone_diagram *diagram, int64_t *const *costs,
                       int64_t *const *least, size_t i, uint32_t e)
{
    const hone_diagram_level *level = &diagram->levels[i];

    return costs[level->var][level->value[e]] +
           (i + 1 < diagram->n_levels ? least[i + 1][level->child[e]] : 0);
}

/* The least cost below each node, from the last level up. */
static hone_status least_costs(const hone_diagram *diagram,
                               int64_t *const *costs, int64_t **least)
{
    for (size_t i = diagram->n_levels; i-- > 0;) {
        const hone_diagram_level *level = &diagram->levels[i];

        least[i] = hone__alloc((level->n_nodes + 1) * sizeof **least);
        if (!least[i])
            return HONE_ERR_NO_MEMORY;
        for (uint32_t node = 0; node < level->n_nodes; ++node) {
            int64_t best = INT64_MAX;

            for (uint32_t e = level->begin[node]; e < level->begin[node + 1];
                 ++e) {
                const int64_t cost = cost_of(diagram, costs, least, i, e);

                best = cost < best ? cost : best;
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
        uint32_t e = level->begin[node];

        while (cost_of(diagram, costs, least, i, e) != least[i][node])
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
