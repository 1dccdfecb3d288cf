/* SPDX-License-Identifier: Apache-2.0 */
/* Growing and asking regression trees: see trees.h. */
#include "tuner/search/trees.h"

#include <math.h>

/* What a walk from the root reads is small: a tree of two thousand points
 * stays in the first level of cache. */
typedef struct node {
    int16_t first;  /* parameter; -1: a leaf */
    int16_t second; /* another, times `sign` added to it */
    int32_t sign;   /* 1, -1; 0: there is no second */
    int32_t below;  /* sums below this go to `child`, others to child + 1 */
    int32_t child;
} node;

/* Of every node: what it says if it is a leaf. */
typedef struct leaf {
    float mean;
    float square; /* mean of the squares */
} leaf;

typedef struct tree {
    node *nodes; /* [0] is the root */
    leaf *leaves;
    size_t n_nodes;
} tree;

struct hone_trees {
    size_t n_params;
    size_t n_trees; /* wanted */
    size_t n_grown;
    size_t oldest;
    tree *trees;
    size_t *order; /* of points: those of a node are next to each other */
};

hone_status hone__trees_create(hone_arena *arena, size_t n_params,
                               size_t n_trees, size_t n_points,
                               hone_trees **out, hone_error *err)
{
    hone_trees *all = hone__arena_alloc(arena, sizeof *all);
    tree *trees = hone__arena_alloc(arena, n_trees * sizeof *trees);
    size_t *order = hone__arena_alloc(arena, n_points * sizeof *order);
    int is_whole = all && trees && order;

    for (size_t i = 0; is_whole && i < n_trees; ++i) {
        trees[i].nodes = hone__arena_alloc(arena, 2 * n_points * sizeof(node));
        trees[i].leaves = hone__arena_alloc(arena, 2 * n_points * sizeof(leaf));
        is_whole = trees[i].nodes && trees[i].leaves;
    }
    if (!is_whole)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory in the model of the search");
    all->n_params = n_params;
    all->n_trees = n_trees;
    all->trees = trees;
    all->order = order;
    *out = all;
    return HONE_OK;
}

/* ---- growing ------------------------------------------------------------ */

typedef struct growth {
    hone_trees *all;
    tree *tree;
    const int *rows;
    const int64_t *points;
    const double *y;
    hone_chance *chance;
} growth;

typedef struct split {
    node cut;
    double gain;
} split;

static int sum_of(const int *row, const node *cut)
{
    return row[cut->first] + cut->sign * row[cut->second];
}

static int point_sum(const growth *g, size_t point, const node *cut)
{
    return sum_of(g->rows + (size_t)g->points[point] * g->all->n_params, cut);
}

/* A random cut between the sums that occur. Gain: how much of the squared
 * error it takes away, but for what all cuts have in common. */
static void try_cut(growth *g, node cut, size_t from, size_t to, split *best)
{
    const size_t *order = g->all->order;
    int low = point_sum(g, order[from], &cut);
    int high = low;
    double sum[2] = {0, 0};
    double n[2] = {0, 0};
    double gain;

    for (size_t i = from + 1; i < to; ++i) {
        const int s = point_sum(g, order[i], &cut);

        low = s < low ? s : low;
        high = s > high ? s : high;
    }
    if (low == high)
        return;
    cut.below = low + 1 + (int)hone__chance_below(g->chance, high - low);
    for (size_t i = from; i < to; ++i) {
        const int side = point_sum(g, order[i], &cut) >= cut.below;

        sum[side] += g->y[order[i]];
        n[side] += 1;
    }
    gain = sum[0] * sum[0] / n[0] + sum[1] * sum[1] / n[1];
    if (best->cut.first < 0 || gain > best->gain)
        *best = (split){cut, gain};
}

/* Every parameter, and half as many pairs. */
static split choose_split(growth *g, size_t from, size_t to)
{
    const int n_params = (int)g->all->n_params;
    split best = {{-1, 0, 0, 0, 0}, 0};

    for (int i = 0; i < n_params; ++i)
        try_cut(g, (node){(int16_t)i, 0, 0, 0, 0}, from, to, &best);
    for (int i = 0; i < n_params / 2; ++i) {
        const int a = (int)hone__chance_below(g->chance, n_params);
        const int b = (int)hone__chance_below(g->chance, n_params);
        const int sign = (hone__chance_bits(g->chance) & 1) ? 1 : -1;

        if (a != b)
            try_cut(g, (node){(int16_t)a, (int16_t)b, sign, 0, 0}, from, to,
                    &best);
    }
    return best;
}

static size_t partition(growth *g, const node *cut, size_t from, size_t to)
{
    size_t *order = g->all->order;

    while (from < to) {
        if (point_sum(g, order[from], cut) < cut->below) {
            ++from;
        } else {
            const size_t last = order[--to];

            order[to] = order[from];
            order[from] = last;
        }
    }
    return from;
}

/* Returns whether its points differ. */
static int fill_leaf(const growth *g, leaf *out, size_t from, size_t to)
{
    const size_t *order = g->all->order;
    const double n = (double)(to - from);
    double sum = 0;
    double square = 0;
    double low = INFINITY;
    double high = -INFINITY;

    for (size_t i = from; i < to; ++i) {
        const double y = g->y[order[i]];

        sum += y;
        square += y * y;
        low = fmin(low, y);
        high = fmax(high, y);
    }
    out->mean = (float)(sum / n);
    out->square = (float)(square / n);
    return high > low;
}

/* Down to points that are equal: times are exact enough for that. */
static void grow_node(growth *g, size_t at, size_t from, size_t to)
{
    tree *t = g->tree;
    split s = {{-1, 0, 0, 0, 0}, 0};
    size_t child;
    size_t middle;

    if (fill_leaf(g, &t->leaves[at], from, to))
        s = choose_split(g, from, to);
    t->nodes[at] = s.cut;
    if (s.cut.first < 0)
        return;
    child = t->n_nodes;
    t->nodes[at].child = (int32_t)child;
    t->n_nodes += 2;
    middle = partition(g, &s.cut, from, to);
    grow_node(g, child, from, middle);
    grow_node(g, child + 1, middle, to);
}

void hone__trees_grow(hone_trees *all, const int *rows, const int64_t *points,
                      const double *y, size_t n, hone_chance *chance)
{
    growth g = {all, &all->trees[all->oldest], rows, points, y, chance};

    for (size_t i = 0; i < n; ++i)
        all->order[i] = i;
    g.tree->n_nodes = 1;
    grow_node(&g, 0, 0, n);
    all->oldest = (all->oldest + 1) % all->n_trees;
    if (all->n_grown < all->n_trees)
        ++all->n_grown;
}

/* ---- asking ------------------------------------------------------------- */

static const leaf *find_leaf(const tree *t, const int *row)
{
    const node *nodes = t->nodes;
    size_t at = 0;

    while (nodes[at].first >= 0)
        at = (size_t)(nodes[at].child +
                      (sum_of(row, &nodes[at]) >= nodes[at].below));
    return &t->leaves[at];
}

void hone__trees_predict(const hone_trees *all, const int *rows, size_t n_rows,
                         double *out_mean, double *out_deviation)
{
    const double n = (double)all->n_grown;

    for (size_t i = 0; i < n_rows; ++i)
        out_mean[i] = out_deviation[i] = 0;
    for (size_t k = 0; k < all->n_grown; ++k) {
        for (size_t i = 0; i < n_rows; ++i) {
            const leaf *found =
                find_leaf(&all->trees[k], rows + i * all->n_params);

            out_mean[i] += (double)found->mean;
            out_deviation[i] += (double)found->square;
        }
    }
    for (size_t i = 0; i < n_rows; ++i) {
        out_mean[i] /= n;
        out_deviation[i] =
            sqrt(fmax(0, out_deviation[i] / n - out_mean[i] * out_mean[i]));
    }
}
