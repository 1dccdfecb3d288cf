/* SPDX-License-Identifier: Apache-2.0 */
/* A regression tree on trials: each node parts the values of one parameter. */
#ifndef HONE_TOOLS_FOREST_H
#define HONE_TOOLS_FOREST_H

#include "tools/analysis/trials.h"

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
 * put in another order. `random` chooses which parameters a node may part, so
 * that trees differ. Free with hone__tree_free(), also after a failure. */
hone_status hone__tree_grow(const hone_trials *trials, uint32_t *sample,
                            size_t n, uint64_t *random, hone_tree *out,
                            hone_error *err);
void hone__tree_free(hone_tree *tree);

/* What it says of a trial. */
double hone__tree_ask(const hone_tree *tree, const hone_trials_row *row);

/* The next number of a generator (splitmix64: Steele, Lea and Flood, 2014). */
uint64_t hone__forest_random(uint64_t *state);

#endif
