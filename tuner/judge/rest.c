/* SPDX-License-Identifier: Apache-2.0 */
/* See rest.h. */
#include "tuner/judge/rest.h"

#include "tuner/judge/statistics.h"

#include <string.h>

int hone__time_follows_load(double alone_ns, double loaded_ns)
{
    const double least_gain = loaded_ns > HONE_LONG_EXECUTION_NS ? 0.01 : 0.02;

    return alone_ns > 0 && alone_ns < (1 - least_gain) * loaded_ns;
}

double hone__rounds_median(const hone_finalist *item)
{
    double rounds_ns[HONE_RACE_MOST];

    memcpy(rounds_ns, item->rounds_ns, sizeof rounds_ns);
    return item->n_samples > 0
               ? hone__median(rounds_ns, (size_t)item->n_samples)
               : 0;
}

/* The median of all, since the fastest trial of many is one that was lucky. */
hone_rest hone__rest_choose(const hone_final_request *request,
                            const hone_final_report *report)
{
    double ratios[HONE_MAX_FINALISTS], fastest_ns = 0;
    int n = 0, n_trials = 0;

    for (int i = 0; i < request->n_entries; ++i) {
        const hone_final_entry *entry = &request->entries[i];
        const double loaded_ns = hone__rounds_median(&report->items[i]);

        if (entry->time_ns <= 0 || loaded_ns <= 0)
            continue;
        ratios[n++] = entry->time_ns / loaded_ns;
        n_trials += entry->is_trial;
        if (fastest_ns <= 0 || loaded_ns < fastest_ns)
            fastest_ns = loaded_ns;
    }
    if (n && hone__time_follows_load(
                 fastest_ns * hone__median(ratios, (size_t)n), fastest_ns))
        return HONE_REST_LONG;
    return n_trials ? HONE_REST_SHORT : HONE_REST_UNKNOWN;
}
