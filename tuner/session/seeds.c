/* SPDX-License-Identifier: Apache-2.0 */
/* See seeds.h. The nearest first, but some of every kind: what is best on a
 * neighbouring shape is usually good here, yet where that shape has a special
 * case of its own (one row, a size that divides nothing) another device knows
 * better. Ten cost little and are enough to start from: more would have to be
 * tried before the search has a say. The best of one GPU reaches 60-97 % of
 * the optimum on another, its top 50 89-100 % (published, three GPUs). */
#include "tuner/session/seeds.h"

#include <math.h>
#include <stdlib.h>

/* At most so many of each kind, and only these places of a ranking: two
 * shapes tell more than four places of one. */
static const struct {
    size_t most;
    int64_t last_rank;
} quotas[HONE_N_SEED_FROM] = {
    [HONE_SEED_HERE] = {4, 4},
    [HONE_SEED_SHAPE] = {4, 2},
    [HONE_SEED_DEVICE] = {4, 2},
    [HONE_SEED_FAR] = {2, 1},
};

double hone__seed_shape_distance(const int64_t *a, const int64_t *b,
                                 const int *is_type, size_t n_dims)
{
    double sum = 0;

    for (size_t i = 0; i < n_dims; ++i) {
        if (is_type[i] && a[i] != b[i])
            return -1;
        if (a[i] != b[i]) /* a dimension may be 0 */
            sum += fabs(log((double)(a[i] > 0 ? a[i] : 1) /
                            (double)(b[i] > 0 ? b[i] : 1)));
    }
    return sum;
}

static int nearest_first(const void *a, const void *b)
{
    const hone_seed *x = a;
    const hone_seed *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->distance < y->distance || x->distance > y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int is_chosen(const hone_seed *seeds, size_t n, int64_t index)
{
    for (size_t i = 0; i < n; ++i) {
        if (seeds[i].index == index)
            return 1;
    }
    return 0;
}

size_t hone__seeds_choose(hone_seed *seeds, size_t n)
{
    size_t n_from[HONE_N_SEED_FROM] = {0};
    size_t n_chosen = 0;

    if (!n)
        return 0;
    qsort(seeds, n, sizeof *seeds, nearest_first);
    for (size_t i = 0; i < n && n_chosen < HONE_MOST_SEEDS; ++i) {
        const hone_seed_from from = seeds[i].from;

        if (n_from[from] == quotas[from].most ||
            seeds[i].rank > quotas[from].last_rank ||
            is_chosen(seeds, n_chosen, seeds[i].index))
            continue;
        ++n_from[from];
        seeds[n_chosen++] = seeds[i];
    }
    return n_chosen;
}
