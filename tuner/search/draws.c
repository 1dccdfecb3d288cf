/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations by chance: any, spread evenly, far from what is known; and
 * trials by chance. */
#include "tuner/search/strategy.h"

#include <stdlib.h>

int64_t hone__search_any(hone_search *search)
{
    return hone__chance_below(&search->chance, search->space.count);
}

int64_t hone__search_any_new(hone_search *search)
{
    while (search->n_drawn < search->space.count) {
        const int64_t index =
            hone__permutation_at(&search->permutation, search->n_drawn++);

        if (hone__search_is_new(search, index))
            return index;
    }
    return -1;
}

/* How often the values of a configuration were spread already, each relative
 * to the share that is due to it. */
static double crowding(const hone_search *search, const int *values)
{
    double sum = 0;

    for (size_t i = 0; i < search->space.n_params; ++i) {
        const int n = search->space.n_values[i];

        if (n > 1)
            sum += search->uses[search->use_base[i] + (size_t)values[i]] *
                   (double)n;
    }
    return sum;
}

/* Latin-hypercube sampling wants every value of every parameter used equally
 * often. Constraints forbid to write such a sample down; choosing the least
 * crowded of random valid configurations comes as close as they allow. */
enum { SPREAD_CHOICES = 24 };

int64_t hone__search_spread(hone_search *search)
{
    int64_t best = -1;
    double best_crowding = INFINITY;

    for (int i = 0; i < SPREAD_CHOICES; ++i) {
        const int64_t index = hone__search_any(search);
        double crowd;

        if (!hone__search_is_new(search, index))
            continue;
        search->space.get(search->space.user, index, search->row);
        crowd = crowding(search, search->row);
        if (crowd < best_crowding) {
            best_crowding = crowd;
            best = index;
        }
    }
    if (best < 0)
        best = hone__search_any_new(search);
    if (best < 0)
        return -1;
    search->space.get(search->space.user, best, search->row);
    for (size_t i = 0; i < search->space.n_params; ++i)
        ++search->uses[search->use_base[i] + (size_t)search->row[i]];
    return best;
}

/* A parameter that differs counts 1, and up to 1 more by how far. */
static double distance(const hone_search *search, const int *a, const int *b)
{
    double sum = 0;

    for (size_t i = 0; i < search->space.n_params; ++i)
        if (a[i] != b[i])
            sum += 1 + (double)abs(a[i] - b[i]) / search->space.n_values[i];
    return sum;
}

/* To the nearest of the trials, or of so many of them, evenly taken. */
static double distance_to_known(const hone_search *search, const int *values)
{
    enum { MOST = 256 };
    const int64_t n = search->n_told < MOST ? search->n_told : MOST;
    double least = INFINITY;

    for (int64_t i = 0; i < n; ++i) {
        const int64_t slot = search->told[i * search->n_told / n];

        least = fmin(
            least, distance(search, values, hone__search_values(search, slot)));
    }
    return least;
}

/* Of more, the farthest are always the corners of the space. */
enum { FAR_CHOICES = 8 };

int64_t hone__search_far(hone_search *search)
{
    int64_t best = -1;
    double farthest = -1;

    for (int i = 0; i < FAR_CHOICES; ++i) {
        const int64_t index = hone__search_any(search);
        double d;

        if (!hone__search_is_new(search, index))
            continue;
        search->space.get(search->space.user, index, search->row);
        d = distance_to_known(search, search->row);
        if (d > farthest) {
            farthest = d;
            best = index;
        }
    }
    return best;
}

int64_t hone__search_pick(hone_search *search, int n)
{
    const hone_search_trial *const trials = search->trials;
    int64_t best = -1;

    for (int i = 0; i < n && search->n_told > 0; ++i) {
        const int64_t slot =
            search->told[hone__chance_below(&search->chance, search->n_told)];

        if (!isinf(trials[slot].time_ns) &&
            (best < 0 || trials[slot].time_ns < trials[best].time_ns))
            best = slot;
    }
    return best;
}
