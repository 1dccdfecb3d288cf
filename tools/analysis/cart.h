/* SPDX-License-Identifier: Apache-2.0 */
/* A regression tree on trials: each node parts the values of one parameter. */
#ifndef HONE_TOOLS_CART_H
#define HONE_TOOLS_CART_H

#include "tools/analysis/trials.h"
#include "tuner/search/chance.h"

typedef struct hone_tree_node {
    int param;     /* negative: a leaf */
    uint64_t left; /* levels that go to `child`; the others to `child` + 1 */
    size_t child;
    double value; /* of a leaf: the mean of its trials */
} hone_tree_node;

typedef struct hone_tree {
    hone_tree_node *nodes; /* the first is the root */
    size_t n;
} hone_tree;

/* Grow a tree on `n` of the trials, of which `sample` has the indices and is
 * put in another order. `chance` says which parameters a node may part, so
 * that trees differ. Free with hone__tree_free(), also after a failure. */
hone_status hone__tree_grow(const hone_trials *trials, uint32_t *sample,
                            size_t n, hone_chance *chance, hone_tree *out,
                            hone_error *err);
void hone__tree_free(hone_tree *tree);

/* What it says of a trial. */
double hone__tree_ask(const hone_tree *tree, const hone_trials_row *row);

#endif
