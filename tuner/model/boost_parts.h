/* SPDX-License-Identifier: Apache-2.0 */
/* Trees as boost.c grows them and boost_use.c asks and writes them. */
#ifndef HONE_TUNER_MODEL_BOOST_PARTS_H
#define HONE_TUNER_MODEL_BOOST_PARTS_H

#include "tuner/model/boost.h"

/* A cut, whose children lie side by side, or a leaf. */
typedef struct hone_boost_node {
    int feature; /* -1: a leaf */
    int child;   /* in the tree; the next one is for values from `below` up */
    float below;
    float value;
} hone_boost_node;

struct hone_boost {
    size_t n_features;
    int n_trees;
    int nodes_of_tree; /* room for each */
    double mean;
    hone_boost_node *nodes; /* of all trees */
};

/* Without cuts. HONE_ERR_NO_MEMORY. */
hone_status hone__boost_create(size_t n_features, int n_trees, int depth,
                               hone_boost **out, hone_error *err);
float hone__boost_value_of(const hone_boost_node *tree, const float *row);

#endif
