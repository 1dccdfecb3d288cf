/* SPDX-License-Identifier: Apache-2.0 */
/* Annealed acceptance. */
#include "tuner/search/acceptance.h"

void hone__scatter_learn(const hone_search *search, hone_scatter *scatter,
                         int64_t slot)
{
    const double time_ns = search->trials[slot].time_ns;
    double distance;

    if (isinf(time_ns))
        return;
    distance = log(time_ns) - scatter->mean;
    ++scatter->n;
    scatter->mean += distance / (double)scatter->n;
    scatter->squares += distance * (log(time_ns) - scatter->mean);
}

double hone__scatter_of(const hone_scatter *scatter)
{
    const double least = 1e-6;
    const double variance =
        scatter->n > 1 ? scatter->squares / (double)(scatter->n - 1) : 0;

    return variance > least * least ? sqrt(variance) : least;
}

int hone__accept(hone_search *search, double from_ns, double to_ns,
                 double temperature)
{
    if (to_ns <= from_ns)
        return 1;
    if (temperature <= 0)
        return 0;
    return hone__chance_unit(&search->chance) <
           exp(-log(to_ns / from_ns) / temperature);
}
