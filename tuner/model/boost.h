/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient-boosted regression trees on rows of numbers (Friedman 2001), grown
 * on histograms as LightGBM does (Ke et al. 2017): a few hundred small trees,
 * each fitted to what those before it left. They take features as they are,
 * on any scale, with interactions; 10,000 rows take about a second. */
#ifndef HONE_TUNER_MODEL_BOOST_H
#define HONE_TUNER_MODEL_BOOST_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hone_boost hone_boost;

/* How it is grown. The values of HONE_BOOST_USUAL come from
 * docs/results/model-2026-11-25.md. */
typedef struct hone_boost_options {
    int n_trees;
    int depth; /* of a tree, at most HONE_BOOST_MOST_DEPTH */
    double rate;
    double feature_share; /* of the features, drawn for each tree */
    double row_share;     /* of the rows, drawn for each tree */
    double least_weight;  /* of the rows of a leaf */
    double shrink;        /* leaves are drawn to 0 as by so many rows there */
    uint64_t seed;
} hone_boost_options;

enum { HONE_BOOST_MOST_DEPTH = 8 };
#define HONE_BOOST_USUAL                                                       \
    ((hone_boost_options){.n_trees = 240,                                      \
                          .depth = 6,                                          \
                          .rate = 0.08,                                        \
                          .feature_share = 0.4,                                \
                          .row_share = 0.8,                                    \
                          .least_weight = 4,                                   \
                          .shrink = 2,                                         \
                          .seed = 1})

/* rows[n_rows * n_features], their values y[] and weights[] (NULL: 1 each).
 * The same input gives the same trees. HONE_ERR_NO_MEMORY,
 * HONE_ERR_ARGUMENT (no rows or features, bad options). */
hone_status hone__boost_grow(const float *rows, const double *y,
                             const double *weights, size_t n_rows,
                             size_t n_features,
                             const hone_boost_options *options,
                             hone_boost **out, hone_error *err);
void hone__boost_free(hone_boost *boost);

/* The value of one row. Thread-safe. */
double hone__boost_predict(const hone_boost *boost, const float *row);

/* As text, a line for each tree; and back. HONE_ERR_INPUT: it is none. The
 * cursor moves behind what was read. */
void hone__boost_write(const hone_boost *boost, hone_text *out);
hone_status hone__boost_read(const char **cursor, size_t n_features,
                             hone_boost **out, hone_error *err);

#endif
