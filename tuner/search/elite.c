/* SPDX-License-Identifier: Apache-2.0 */
/* A short sorted list. */
#include "tuner/search/elite.h"

int hone__elite_learn(const hone_search *search, hone_elite *elite,
                      int64_t slot)
{
    const double time_ns = search->trials[slot].time_ns;
    size_t at = elite->n;

    if (isinf(time_ns))
        return 0;
    for (size_t i = 0; i < elite->n; ++i)
        if (elite->slots[i] == slot)
            return 0;
    while (at > 0 && search->trials[elite->slots[at - 1]].time_ns > time_ns)
        --at;
    if (at >= elite->capacity)
        return 0;
    if (elite->n < elite->capacity)
        ++elite->n;
    for (size_t i = elite->n - 1; i > at; --i)
        elite->slots[i] = elite->slots[i - 1];
    elite->slots[at] = slot;
    return 1;
}

int64_t hone__elite_pick(hone_search *search, const hone_elite *elite, int n)
{
    int64_t best = (int64_t)elite->n;

    for (int i = 0; i < n; ++i) {
        const int64_t pick =
            hone__chance_below(&search->chance, (int64_t)elite->n);

        if (pick < best)
            best = pick;
    }
    return elite->slots[best];
}

int64_t hone__trial_pick(hone_search *search, int n)
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
