/* SPDX-License-Identifier: Apache-2.0 */
#include "tuner/model/boost.h"

#include "runtime/base/alloc.h"
#include "tuner/model/boost_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bins ---------------------------------------------------------------- */

/* Of each feature at most BINS groups of values with about as many rows, with
 * a border between each two; a row is then one byte a feature. */
enum { BINS = 64 };

typedef struct growth {
    const hone_boost_options *options;
    size_t n_rows;
    size_t n_features;
    hone_arena arena;
    uint8_t *bins;  /* n_features columns of n_rows */
    float *borders; /* BINS - 1 for each feature: upper ends */
    int *n_bins;
    double *residual;
    double *weight; /* of this tree; 0: not drawn */
    const double *all_weights;
    int *node_of; /* the node of its level that a row is in, -1: none */
    double *sums; /* of the level: [node][bin] of one feature, with weights */
    uint64_t chance;
} growth;

/* xorshift64* (Vigna 2016). */
static uint64_t draw(growth *g)
{
    g->chance ^= g->chance >> 12;
    g->chance ^= g->chance << 25;
    g->chance ^= g->chance >> 27;
    return g->chance * 2685821657736338717u;
}

static double draw_unit(growth *g)
{
    return (double)(draw(g) >> 11) * 0x1p-53;
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a;
    const float y = *(const float *)b;

    return (x > y) - (x < y);
}

/* Borders lie in the middle between values that are there. */
static int borders_of(float *sorted, size_t n, float *out)
{
    int n_borders = 0;
    size_t due = n / BINS + 1;

    qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t i = 1, taken = 1; i < n; ++i, ++taken) {
        if (sorted[i] > sorted[i - 1] && taken >= due && n_borders < BINS - 1) {
            out[n_borders++] = sorted[i - 1] + (sorted[i] - sorted[i - 1]) / 2;
            taken = 0;
        }
    }
    return n_borders;
}

static uint8_t bin_of(const float *borders, int n_bins, float value)
{
    int low = 0, high = n_bins - 1;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (value < borders[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (uint8_t)low;
}

static void make_bins(growth *g, const float *rows, float *column)
{
    for (size_t f = 0; f < g->n_features; ++f) {
        float *const borders = g->borders + f * BINS;

        for (size_t i = 0; i < g->n_rows; ++i)
            column[i] = rows[i * g->n_features + f];
        g->n_bins[f] = 1 + borders_of(column, g->n_rows, borders);
        for (size_t i = 0; i < g->n_rows; ++i)
            g->bins[f * g->n_rows + i] =
                bin_of(borders, g->n_bins[f], rows[i * g->n_features + f]);
    }
}

/* ---- one tree ------------------------------------------------------------ */

typedef struct cut {
    double gain; /* 0: none */
    int feature;
    int bin; /* rows up to it go left */
} cut;

typedef struct level {
    int n_nodes;
    int first; /* the tree's number of its first node */
    cut best[1 << HONE_BOOST_MOST_DEPTH];
    double sum[1 << HONE_BOOST_MOST_DEPTH];
    double weight[1 << HONE_BOOST_MOST_DEPTH];
} level;

static void sum_nodes(const growth *g, level *l)
{
    memset(l->sum, 0, sizeof l->sum);
    memset(l->weight, 0, sizeof l->weight);
    for (size_t i = 0; i < g->n_rows; ++i) {
        const int node = g->node_of[i];

        if (node >= 0) {
            l->sum[node] += g->weight[i] * g->residual[i];
            l->weight[node] += g->weight[i];
        }
    }
}

static double score(const growth *g, double sum, double weight)
{
    return sum * sum / (weight + g->options->shrink);
}

/* The best cut of every node through one feature. */
static void try_feature(growth *g, level *l, size_t f)
{
    const int n_bins = g->n_bins[f];
    const uint8_t *const bins = g->bins + f * g->n_rows;
    const double least = g->options->least_weight;

    if (n_bins < 2)
        return;
    memset(g->sums, 0, (size_t)l->n_nodes * BINS * 2 * sizeof *g->sums);
    for (size_t i = 0; i < g->n_rows; ++i) {
        if (g->node_of[i] >= 0) {
            double *const at = g->sums + 2 * (g->node_of[i] * BINS + bins[i]);

            at[0] += g->weight[i] * g->residual[i];
            at[1] += g->weight[i];
        }
    }
    for (int node = 0; node < l->n_nodes; ++node) {
        const double *at = g->sums + 2 * node * BINS;
        const double whole = score(g, l->sum[node], l->weight[node]);
        double sum = 0, weight = 0;

        for (int bin = 0; bin + 1 < n_bins; ++bin, at += 2) {
            double gain;

            sum += at[0];
            weight += at[1];
            if (weight < least || l->weight[node] - weight < least)
                continue;
            gain = score(g, sum, weight) +
                   score(g, l->sum[node] - sum, l->weight[node] - weight) -
                   whole;
            if (gain > l->best[node].gain)
                l->best[node] = (cut){gain, (int)f, bin};
        }
    }
}

/* Nodes of this level get their cut or value, rows go on to the next. */
static void part_level(growth *g, hone_boost_node *nodes, level *l, int is_last)
{
    int next[1 << HONE_BOOST_MOST_DEPTH];
    int n_next = 0;

    for (int i = 0; i < l->n_nodes; ++i) {
        hone_boost_node *const node = &nodes[l->first + i];
        const cut *const best = &l->best[i];

        if (is_last || best->gain <= 1e-12) {
            *node =
                (hone_boost_node){-1, 0, 0,
                                  (float)(g->options->rate * l->sum[i] /
                                          (l->weight[i] + g->options->shrink))};
            next[i] = -1;
            continue;
        }
        *node =
            (hone_boost_node){best->feature, l->first + l->n_nodes + n_next,
                              g->borders[best->feature * BINS + best->bin], 0};
        next[i] = n_next;
        n_next += 2;
    }
    for (size_t i = 0; i < g->n_rows; ++i) {
        const int node = g->node_of[i];

        if (node < 0)
            continue;
        g->node_of[i] =
            next[node] < 0
                ? -1
                : next[node] +
                      (g->bins[(size_t)l->best[node].feature * g->n_rows + i] >
                       l->best[node].bin);
    }
    l->first += l->n_nodes;
    l->n_nodes = n_next;
}

static void grow_tree(growth *g, hone_boost_node *nodes)
{
    level l = {.n_nodes = 1};

    for (size_t i = 0; i < g->n_rows; ++i) {
        const int taken = draw_unit(g) < g->options->row_share;

        g->weight[i] = taken ? g->all_weights ? g->all_weights[i] : 1 : 0;
        g->node_of[i] = taken ? 0 : -1;
    }
    for (int depth = 0; l.n_nodes > 0; ++depth) {
        const int is_last = depth == g->options->depth;

        memset(l.best, 0, sizeof l.best);
        sum_nodes(g, &l);
        for (size_t f = 0; !is_last && f < g->n_features; ++f) {
            if (draw_unit(g) < g->options->feature_share)
                try_feature(g, &l, f);
        }
        part_level(g, nodes, &l, is_last);
    }
}

/* ---- all of them --------------------------------------------------------- */

static int prepare(growth *g)
{
    const size_t n = g->n_rows;

    g->bins = hone__arena_alloc(&g->arena, n * g->n_features);
    g->borders =
        hone__arena_alloc(&g->arena, g->n_features * BINS * sizeof *g->borders);
    g->n_bins = hone__arena_alloc(&g->arena, g->n_features * sizeof *g->n_bins);
    g->residual = hone__arena_alloc(&g->arena, n * sizeof *g->residual);
    g->weight = hone__arena_alloc(&g->arena, n * sizeof *g->weight);
    g->node_of = hone__arena_alloc(&g->arena, n * sizeof *g->node_of);
    g->sums =
        hone__arena_alloc(&g->arena, (size_t)(1 << HONE_BOOST_MOST_DEPTH) *
                                         BINS * 2 * sizeof *g->sums);
    return g->bins && g->borders && g->n_bins && g->residual && g->weight &&
           g->node_of && g->sums;
}

/* What the trees do not explain begins with the mean. */
static void start_at_mean(growth *g, hone_boost *boost, const double *y)
{
    double sum = 0, weight = 0;

    for (size_t i = 0; i < g->n_rows; ++i) {
        const double w = g->all_weights ? g->all_weights[i] : 1;

        sum += w * y[i];
        weight += w;
    }
    boost->mean = weight > 0 ? sum / weight : 0;
    for (size_t i = 0; i < g->n_rows; ++i)
        g->residual[i] = y[i] - boost->mean;
}

static void grow_all(growth *g, hone_boost *boost, const float *rows)
{
    for (int t = 0; t < boost->n_trees; ++t) {
        hone_boost_node *const nodes =
            boost->nodes + (size_t)t * (size_t)boost->nodes_of_tree;

        grow_tree(g, nodes);
        for (size_t i = 0; i < g->n_rows; ++i)
            g->residual[i] -=
                (double)hone__boost_value_of(nodes, rows + i * g->n_features);
    }
}

hone_status hone__boost_grow(const float *rows, const double *y,
                             const double *weights, size_t n_rows,
                             size_t n_features,
                             const hone_boost_options *options,
                             hone_boost **out, hone_error *err)
{
    growth g = {.options = options,
                .n_rows = n_rows,
                .n_features = n_features,
                .all_weights = weights,
                .chance = options->seed * 0x9e3779b97f4a7c15u + 1};
    float *column = NULL;
    hone_status status;

    *out = NULL;
    if (!n_rows || !n_features || options->n_trees < 1 || options->depth < 1 ||
        options->depth > HONE_BOOST_MOST_DEPTH)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "trees need rows, features and a depth of 1 to %d",
                          HONE_BOOST_MOST_DEPTH);
    status = hone__boost_create(n_features, options->n_trees, options->depth,
                                out, err);
    column = status ? NULL : hone__alloc(n_rows * sizeof *column);
    if (status == HONE_OK && (!column || !prepare(&g)))
        status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (status == HONE_OK) {
        make_bins(&g, rows, column);
        start_at_mean(&g, *out, y);
        grow_all(&g, *out, rows);
    }
    hone__free(column);
    hone__arena_free(&g.arena);
    if (status != HONE_OK) {
        hone__boost_free(*out);
        *out = NULL;
    }
    return status;
}
