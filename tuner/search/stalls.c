/* SPDX-License-Identifier: Apache-2.0 */
/* When a search has stalled, and where it starts next: see parts.h. */
#include "tuner/search/parts.h"

/* Of the scatter of the times; 0 to 0.15 score the same on recorded spaces,
 * but with 0 a parameter that hardly matters never lets go. */
static const double least_gain = 0.05;

/* A valley reaches this many parameters from where it was left: two, or one
 * where there are only three or fewer. */
static size_t radius_of(const hone_search *search)
{
    return search->n_free > 3 ? 2 : 1;
}

int hone__search_is_gain(const hone_search *search, double from_ns,
                         double to_ns)
{
    return from_ns <= 0 ||
           log(from_ns / to_ns) > least_gain * hone__search_scatter(search);
}

int hone__stall_grows(const hone_search *search, hone_stall *stall)
{
    const int64_t under_way = search->n_trials - search->n_told;

    ++stall->n;
    /* A start that was asked for and does not come, although all that were
     * under way could have: what spills is tried at the end of all. Another is
     * wanted. */
    if (stall->start == HONE_START_ASKED &&
        stall->n > search->patience + under_way) {
        stall->start = HONE_START_WANTED;
        stall->n = 0;
    }
    return stall->n > search->patience && stall->start == HONE_START_NONE;
}

void hone__stall_learn(const hone_search *search, hone_stall *stall,
                       int64_t slot)
{
    const double time_ns = search->trials[slot].time_ns;

    if (!hone__search_is_gain(search, stall->anchor_ns, time_ns))
        return;
    stall->anchor_ns = time_ns;
    stall->n = 0;
}

static int is_left(const hone_search *search, const hone_stall *stall,
                   int64_t slot)
{
    for (int64_t i = 0; i < stall->n_left && i < HONE_LEFT_MOST; ++i)
        if (hone__search_distance(search, slot, stall->left[i]) <=
            radius_of(search))
            return 1;
    return 0;
}

int64_t hone__stall_leave(const hone_search *search, hone_stall *stall,
                          int64_t at)
{
    const hone_search_trial *const trials = search->trials;
    int64_t best = -1;

    stall->n = 0;
    if (at >= 0)
        stall->left[stall->n_left++ % HONE_LEFT_MOST] = at;
    for (int64_t i = 0; i < search->n_told; ++i) {
        const int64_t slot = search->told[i];

        if (isinf(trials[slot].time_ns) ||
            (best >= 0 && trials[slot].time_ns >= trials[best].time_ns) ||
            is_left(search, stall, slot))
            continue;
        best = slot;
    }
    if (best >= 0)
        stall->anchor_ns = trials[best].time_ns;
    else
        stall->start = HONE_START_WANTED;
    return best;
}

int64_t hone__stall_propose(hone_search *search, hone_stall *stall)
{
    int64_t index;

    if (stall->start != HONE_START_WANTED)
        return -1;
    index = hone__search_far(search);
    if (index < 0)
        return -1; /* it is wanted still */
    stall->start = HONE_START_ASKED;
    search->tag = HONE_TAG_START;
    return index;
}

int hone__stall_starts(const hone_search *search, hone_stall *stall,
                       int64_t slot)
{
    const hone_search_trial *trial = &search->trials[slot];

    if (trial->tag != HONE_TAG_START || stall->start != HONE_START_ASKED)
        return 0;
    if (isinf(trial->time_ns)) {
        stall->start = HONE_START_WANTED;
        return 0;
    }
    stall->start = HONE_START_NONE;
    stall->anchor_ns = trial->time_ns;
    stall->n = 0;
    return 1;
}
