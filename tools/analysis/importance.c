/* SPDX-License-Identifier: Apache-2.0 */
/* Functional analysis of variance by trees: see importance.h. A tree is a sum
 * of boxes, products of sets of levels, with a value each; its mean over all
 * parameters but one or two is a sum over the boxes. */
#include "tools/analysis/importance.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "tools/analysis/cart.h"

#include <stdlib.h>
#include <string.h>

enum { N_TREES = 24, MOST_TRIALS = 6000 };

typedef struct box {
    double value;
    double volume; /* share of all configurations */
    uint64_t levels[HONE_TRIALS_MOST_PARAMS];
} box;

typedef struct variance_work {
    const hone_trials *trials;
    box *boxes;
    size_t n_boxes;
    double mean, total;                    /* of the tree */
    double alone[HONE_TRIALS_MOST_PARAMS]; /* of the tree */
    double level_means[HONE_TRIALS_MOST_PARAMS][HONE_TRIALS_MOST_LEVELS];
    double shares[HONE_TRIALS_MOST_PARAMS][HONE_TRIALS_MOST_PARAMS];
    double n_trees; /* with any variance */
} variance_work;

static double part_of(const variance_work *work, const box *b, size_t param)
{
    return (double)__builtin_popcountll(b->levels[param]) /
           (double)work->trials->params[param].n_levels;
}

/* ---- the boxes of a tree ----------------------------------------------------
 */

static hone_status add_boxes(variance_work *work, const hone_tree *tree,
                             size_t at, box whole, hone_error *err)
{
    const hone_tree_node *node = &tree->nodes[at];
    box other = whole;

    if (node->param >= 0) {
        whole.levels[node->param] &= node->left;
        other.levels[node->param] &= ~node->left;
        HONE_TRY(add_boxes(work, tree, node->child, whole, err));
        return add_boxes(work, tree, node->child + 1, other, err);
    }
    if (!HONE_GROW(work->boxes, work->n_boxes))
        return hone__out_of_memory(err, "");
    whole.value = node->value;
    whole.volume = 1;
    for (size_t p = 0; p < work->trials->n_params; ++p)
        whole.volume *= part_of(work, &whole, p);
    if (whole.volume > 0)
        work->boxes[work->n_boxes++] = whole;
    return HONE_OK;
}

static hone_status take_boxes(variance_work *work, const hone_tree *tree,
                              hone_error *err)
{
    box whole = {.value = 0};

    for (size_t p = 0; p < work->trials->n_params; ++p) {
        const size_t n = work->trials->params[p].n_levels;

        whole.levels[p] = n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
    }
    hone__free(work->boxes);
    work->boxes = NULL;
    work->n_boxes = 0;
    return add_boxes(work, tree, 0, whole, err);
}

/* ---- variances -------------------------------------------------------------
 */

static void take_total(variance_work *work)
{
    double square = 0;

    work->mean = 0;
    for (size_t i = 0; i < work->n_boxes; ++i) {
        const box *b = &work->boxes[i];

        work->mean += b->value * b->volume;
        square += b->value * b->value * b->volume;
    }
    work->total = square - work->mean * work->mean;
}

static double alone(variance_work *work, size_t p)
{
    const size_t n = work->trials->params[p].n_levels;
    double mean[HONE_TRIALS_MOST_LEVELS] = {0}, sum = 0;

    for (size_t i = 0; i < work->n_boxes; ++i) {
        const box *b = &work->boxes[i];
        const double part = b->value * b->volume / part_of(work, b, p);

        for (size_t l = 0; l < n; ++l)
            if (b->levels[p] >> l & 1)
                mean[l] += part;
    }
    for (size_t l = 0; l < n; ++l) {
        const double off = mean[l] - work->mean;

        work->level_means[p][l] += mean[l];
        sum += off * off / (double)n;
    }
    return sum;
}

static double together(const variance_work *work, size_t p, size_t q)
{
    static const size_t wide = HONE_TRIALS_MOST_LEVELS;
    const size_t n_p = work->trials->params[p].n_levels;
    const size_t n_q = work->trials->params[q].n_levels;
    double mean[HONE_TRIALS_MOST_LEVELS * HONE_TRIALS_MOST_LEVELS];
    double sum = 0;

    for (size_t l = 0; l < n_p; ++l)
        memset(mean + l * wide, 0, n_q * sizeof mean[0]);
    for (size_t i = 0; i < work->n_boxes; ++i) {
        const box *b = &work->boxes[i];
        const double part =
            b->value * b->volume / part_of(work, b, p) / part_of(work, b, q);

        for (size_t l = 0; l < n_p; ++l)
            for (size_t m = 0; m < n_q && b->levels[p] >> l & 1; ++m)
                if (b->levels[q] >> m & 1)
                    mean[l * wide + m] += part;
    }
    for (size_t l = 0; l < n_p; ++l)
        for (size_t m = 0; m < n_q; ++m) {
            const double off = mean[l * wide + m] - work->mean;

            sum += off * off / (double)(n_p * n_q);
        }
    return sum - work->alone[p] - work->alone[q];
}

static void take_shares(variance_work *work)
{
    const size_t n = work->trials->n_params;

    take_total(work);
    if (!(work->total > 0))
        return;
    work->n_trees += 1;
    for (size_t p = 0; p < n; ++p) {
        work->alone[p] = alone(work, p);
        work->shares[p][p] += work->alone[p] / work->total;
    }
    for (size_t p = 0; p < n; ++p)
        for (size_t q = p + 1; q < n; ++q)
            work->shares[p][q] += together(work, p, q) / work->total;
}

/* ---- the forest ------------------------------------------------------------
 */

typedef struct unseen { /* of a trial: what trees say that have not seen it */
    double sum;
    int n;
    int is_seen;
} unseen;

static double fit_of(const hone_trials *trials, const unseen *asked,
                     const uint32_t *chosen, size_t n)
{
    double error = 0, square = 0;

    for (size_t i = 0; i < n; ++i) {
        const double y = trials->rows[chosen[i]].log_time;
        const double off = y - asked[i].sum / (asked[i].n ? asked[i].n : 1);

        if (asked[i].n) {
            error += off * off;
            square += y * y;
        }
    }
    return square > 0 ? 1 - error / square : 0;
}

static hone_status one_tree(variance_work *work, const uint32_t *chosen,
                            uint32_t *sample, unseen *asked, size_t n,
                            hone_chance *chance, hone_error *err)
{
    hone_tree tree = {NULL, 0};
    hone_status status;

    for (size_t i = 0; i < n; ++i)
        asked[i].is_seen = 0;
    for (size_t i = 0; i < n; ++i) {
        const size_t at = (size_t)hone__chance_below(chance, (int64_t)n);

        sample[i] = chosen[at];
        asked[at].is_seen = 1;
    }
    status = hone__tree_grow(work->trials, sample, n, chance, &tree, err);
    if (status == HONE_OK)
        status = take_boxes(work, &tree, err);
    if (status == HONE_OK) {
        take_shares(work);
        for (size_t i = 0; i < n; ++i)
            if (!asked[i].is_seen) {
                asked[i].sum +=
                    hone__tree_ask(&tree, &work->trials->rows[chosen[i]]);
                ++asked[i].n;
            }
    }
    hone__tree_free(&tree);
    return status;
}

static int by_share(const void *a, const void *b)
{
    const hone_importance_share *one = a, *other = b;

    return (one->share < other->share) - (one->share > other->share);
}

static void list_shares(const variance_work *work, hone_importance *out)
{
    const size_t n = work->trials->n_params;
    const double n_trees = work->n_trees > 0 ? work->n_trees : 1;

    for (size_t p = 0; p < n; ++p)
        for (size_t q = p; q < n; ++q) {
            hone_importance_share *to = &out->shares[out->n++];

            *to = (hone_importance_share){
                {p, q}, work->shares[p][q] / n_trees, 0};
            for (size_t l = 1; p == q && l < work->trials->params[p].n_levels;
                 ++l)
                if (work->level_means[p][l] < work->level_means[p][to->best])
                    to->best = l;
        }
    qsort(out->shares, out->n, sizeof out->shares[0], by_share);
}

hone_status hone__importance(const hone_trials *trials, hone_importance *out,
                             hone_error *err)
{
    const size_t n = trials->n < MOST_TRIALS ? trials->n : MOST_TRIALS;
    variance_work *work;
    uint32_t *chosen, *sample;
    unseen *asked;
    hone_chance chance = hone__chance(1);
    hone_status status = HONE_OK;

    memset(out, 0, sizeof *out);
    if (trials->n < HONE_IMPORTANCE_FEWEST || !trials->n_params)
        return HONE_OK;
    work = hone__alloc(sizeof *work);
    chosen = hone__alloc(n * sizeof *chosen);
    sample = hone__alloc(n * sizeof *sample);
    asked = hone__alloc(n * sizeof *asked);
    if (!work || !chosen || !sample || !asked)
        status = hone__out_of_memory(err, "");
    for (size_t i = 0; i < n && status == HONE_OK; ++i)
        chosen[i] = (uint32_t)(i * trials->n / n);
    if (status == HONE_OK)
        work->trials = trials;
    for (int i = 0; i < N_TREES && status == HONE_OK; ++i)
        status = one_tree(work, chosen, sample, asked, n, &chance, err);
    if (status == HONE_OK) {
        out->n_trials = trials->n;
        out->n_seen = n;
        out->fit = fit_of(trials, asked, chosen, n);
        list_shares(work, out);
    }
    if (work)
        hone__free(work->boxes);
    hone__free(work);
    hone__free(chosen);
    hone__free(sample);
    hone__free(asked);
    return status;
}
