/* SPDX-License-Identifier: Apache-2.0 */
/* Regression trees: see cart.h. As CART (Breiman et al., 1984) does for
 * categories: levels are put in the order of their means, and the best of the
 * cuts between them is the best of all partitions. */
#include "tools/analysis/cart.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEWEST = 2,  /* trials of a leaf */
    DEEPEST = 24 /* levels of a tree */
};

/* ---- the best cut of a node ---------------------------------------------- */

typedef struct level_sum {
    size_t level;
    size_t n;
    double sum;
} level_sum;

typedef struct tree_cut {
    int param; /* negative: none is better than no cut */
    uint64_t left;
    double gain;
} tree_cut;

static int by_mean(const void *a, const void *b)
{
    const level_sum *one = a, *other = b;
    const double x = one->sum / (double)one->n;
    const double y = other->sum / (double)other->n;

    if (x != y)
        return x < y ? -1 : 1;
    return (one->level > other->level) - (one->level < other->level);
}

/* The cut that takes most from the sum of squares. */
static void cut_param(const hone_trials *trials, const uint32_t *sample,
                      size_t n, size_t param, tree_cut *best)
{
    level_sum sums[HONE_TRIALS_MOST_LEVELS] = {{0, 0, 0}};
    size_t n_levels = 0, n_left = 0;
    double all = 0, left = 0;
    uint64_t mask = 0;

    for (size_t i = 0; i < n; ++i) {
        const hone_trials_row *row = &trials->rows[sample[i]];

        sums[row->level[param]].sum += row->log_time;
        ++sums[row->level[param]].n;
        all += row->log_time;
    }
    for (size_t l = 0; l < trials->params[param].n_levels; ++l)
        if (sums[l].n) {
            sums[n_levels] = sums[l];
            sums[n_levels++].level = l;
        }
    qsort(sums, n_levels, sizeof sums[0], by_mean);
    for (size_t l = 0; l + 1 < n_levels; ++l) {
        const double a = (double)(n_left += sums[l].n);
        const double b = (double)(n - n_left);
        double gain;

        left += sums[l].sum;
        mask |= UINT64_C(1) << sums[l].level;
        if (n_left < FEWEST || n - n_left < FEWEST)
            continue;
        gain = left * left / a + (all - left) * (all - left) / b -
               all * all / (double)n;
        if (gain > best->gain * (1 + 1e-12))
            *best = (tree_cut){(int)param, mask, gain};
    }
}

/* Most of the parameters each time, so that trees differ; with two thirds what
 * one explains went to others. */
static tree_cut find_cut(const hone_trials *trials, const uint32_t *sample,
                         size_t n, hone_chance *chance)
{
    tree_cut best = {-1, 0, 1e-12};

    for (size_t p = 0; p < trials->n_params; ++p)
        if (trials->n_params == 1 || hone__chance_below(chance, 8) != 0)
            cut_param(trials, sample, n, p, &best);
    return best;
}

/* ---- a tree ----------------------------------------------------------------
 */

/* Those that go left first. Returns how many they are. */
static size_t part(const hone_trials *trials, uint32_t *sample, size_t n,
                   const tree_cut *cut)
{
    size_t n_left = 0;

    for (size_t i = 0; i < n; ++i) {
        const uint32_t row = sample[i];

        if (cut->left >> trials->rows[row].level[cut->param] & 1) {
            sample[i] = sample[n_left];
            sample[n_left++] = row;
        }
    }
    return n_left;
}

static hone_status add_node(hone_tree *tree, hone_error *err)
{
    if (!HONE_GROW(tree->nodes, tree->n))
        return hone__out_of_memory(err, "");
    tree->nodes[tree->n++] = (hone_tree_node){-1, 0, 0, 0};
    return HONE_OK;
}

static hone_status grow(const hone_trials *trials, uint32_t *sample, size_t n,
                        int depth, size_t node, hone_chance *chance,
                        hone_tree *out, hone_error *err)
{
    tree_cut cut = {-1, 0, 0};
    size_t n_left, child;
    double sum = 0;

    for (size_t i = 0; i < n; ++i)
        sum += trials->rows[sample[i]].log_time;
    out->nodes[node].value = n ? sum / (double)n : 0;
    if (depth < DEEPEST && n >= 2 * FEWEST)
        cut = find_cut(trials, sample, n, chance);
    if (cut.param < 0)
        return HONE_OK;
    child = out->n;
    HONE_TRY(add_node(out, err));
    HONE_TRY(add_node(out, err));
    out->nodes[node].param = cut.param;
    out->nodes[node].left = cut.left;
    out->nodes[node].child = child;
    n_left = part(trials, sample, n, &cut);
    HONE_TRY(grow(trials, sample, n_left, depth + 1, child, chance, out, err));
    return grow(trials, sample + n_left, n - n_left, depth + 1, child + 1,
                chance, out, err);
}

hone_status hone__tree_grow(const hone_trials *trials, uint32_t *sample,
                            size_t n, hone_chance *chance, hone_tree *out,
                            hone_error *err)
{
    *out = (hone_tree){NULL, 0};
    HONE_TRY(add_node(out, err));
    return grow(trials, sample, n, 0, 0, chance, out, err);
}

void hone__tree_free(hone_tree *tree)
{
    hone__free(tree->nodes);
    *tree = (hone_tree){NULL, 0};
}

double hone__tree_ask(const hone_tree *tree, const hone_trials_row *row)
{
    const hone_tree_node *node = tree->nodes;

    while (node->param >= 0)
        node = &tree->nodes[node->child +
                            !(node->left >> row->level[node->param] & 1)];
    return node->value;
}
