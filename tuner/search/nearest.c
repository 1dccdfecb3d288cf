/* SPDX-License-Identifier: Apache-2.0 */
/* k nearest neighbours. */
#include "tuner/search/nearest.h"

#include "runtime/base/alloc.h"

#include <stdlib.h>

/* Measured on the recorded spaces: 3 neighbours and 500 trials of history do
 * as well, one neighbour does not. A longer history costs time for every
 * guess. */
enum { N_NEAREST = 5, HISTORY = 128 };

/* Distances are whole numbers of 1 / UNIT: this loop is what a guess costs.
 */
enum { UNIT = 1 << 16 };

hone_status hone__nearest_open(hone_search *search, hone_nearest *nearest,
                               hone_error *err)
{
    const size_t n = search->space.n_params;

    *nearest = (hone_nearest){.step = hone__alloc((n + 1) * sizeof(int))};
    if (!nearest->step)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory in the search");
    for (size_t i = 0; i < n; ++i)
        nearest->step[i] = UNIT / search->space.n_values[i];
    return HONE_OK;
}

void hone__nearest_close(hone_nearest *nearest)
{
    hone__free(nearest->step);
}

void hone__nearest_learn(const hone_search *search, hone_nearest *nearest,
                         int64_t slot)
{
    const double time_ns = search->trials[slot].time_ns;

    if (isinf(time_ns))
        return;
    if (!nearest->has_worst || log(time_ns) > nearest->worst)
        nearest->worst = log(time_ns);
    nearest->has_worst = 1;
}

/* The nearest so far, in ascending order of distance. */
typedef struct found {
    int distance[N_NEAREST];
    int64_t slot[N_NEAREST];
    int n;
} found;

/* A parameter that differs counts 1, and up to 1 more by how far:
 * neighbouring values of a number are alike, while names have no order. Over
 * all parameters (those with one value never differ) and to the end: a loop
 * that stops at a limit, in floating point, took three times as long. */
static int distance_of(const hone_search *search, const hone_nearest *nearest,
                       const int *a, const int *b)
{
    int distance = 0;

    for (size_t i = 0; i < search->space.n_params; ++i) {
        const int steps = abs(a[i] - b[i]);

        distance += (steps > 0) * UNIT + steps * nearest->step[i];
    }
    return distance;
}

static void look_at(const hone_search *search, const hone_nearest *nearest,
                    const int *values, int64_t slot, found *f)
{
    const int distance =
        distance_of(search, nearest, values, hone__search_values(search, slot));
    int at;

    if (f->n == N_NEAREST && distance >= f->distance[N_NEAREST - 1])
        return;
    if (f->n < N_NEAREST)
        ++f->n;
    for (at = f->n - 1; at > 0 && f->distance[at - 1] > distance; --at) {
        f->distance[at] = f->distance[at - 1];
        f->slot[at] = f->slot[at - 1];
    }
    f->distance[at] = distance;
    f->slot[at] = slot;
}

double hone__nearest_guess(const hone_search *search,
                           const hone_nearest *nearest, const hone_elite *elite,
                           const int *values)
{
    const int64_t first =
        search->n_told > HISTORY ? search->n_told - HISTORY : 0;
    found f = {.n = 0};
    double sum = 0;
    double weights = 0;

    for (int64_t i = first; i < search->n_told; ++i)
        look_at(search, nearest, values, search->told[i], &f);
    /* One that is in both counts twice, which does no harm. */
    for (size_t i = 0; first > 0 && i < elite->n; ++i)
        look_at(search, nearest, values, elite->slots[i], &f);
    for (int i = 0; i < f.n; ++i) {
        const double time_ns = search->trials[f.slot[i]].time_ns;
        const double weight = 1 / (double)(f.distance[i] + UNIT / 100);

        sum += weight * (isinf(time_ns) ? nearest->worst : log(time_ns));
        weights += weight;
    }
    return f.n ? sum / weights : 0;
}
