/* SPDX-License-Identifier: Apache-2.0 */
/* A regression forest over vectors of value indexes: extremely randomised
 * trees (Geurts, Ernst, Wehenkel 2006), which are smooth with few points and
 * so cheap that one is grown anew for every answer. Cuts are made through
 * single parameters, and through sums and differences of two: what kernels
 * care about is often a product of powers of two, such as the threads of a
 * block. */
#ifndef HONE_TUNER_SEARCH_TREES_H
#define HONE_TUNER_SEARCH_TREES_H

#include "runtime/base/alloc.h"
#include "runtime/base/error.h"
#include "tuner/search/chance.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hone_trees hone_trees;

/* Points are rows of `n_params` value indexes; a tree is grown from at most
 * `n_points` of them. It lives in the arena. HONE_ERR_NO_MEMORY. */
hone_status hone__trees_create(hone_arena *arena, size_t n_params,
                               size_t n_trees, size_t n_points,
                               hone_trees **out, hone_error *err);

/* Grow a tree in place of the oldest one: from rows[points[i] * n_params ..]
 * and their values y[i]. `n` is 1 .. n_points. */
void hone__trees_grow(hone_trees *trees, const int *rows, const int64_t *points,
                      const double *y, size_t n, hone_chance *chance);
/* For each row the mean over the trees, and how far they and the points of
 * their leaves disagree. There must be a tree. */
void hone__trees_predict(const hone_trees *trees, const int *rows,
                         size_t n_rows, double *out_mean,
                         double *out_deviation);

#endif
