/* SPDX-License-Identifier: Apache-2.0 */
/* See until.h. It waits for two thirds of all answers: a search that has
 * gained lately is given time again, and the longer it took to get where it
 * is, the longer. With at least 300 of them 2 to 6 % of the runs on recorded
 * spaces would have gained as much in four times the evaluations; with 100,
 * 9 to 20 %, with 400 only 1.5 to 4 %, for 110 evaluations more
 * (docs/results/search-stopping-2026-11-20.md). Rejected: a fixed number of
 * them (500 trials of exhaustive search in a row may be one corner of the
 * space), a model of what is left (which is what tells the search, too). */
#include "tuner/session/until.h"

static const int64_t least_wait = 300;
static const double wait_share = 2.0 / 3;

void hone__until_add(hone_until *until, double time_ns)
{
    ++until->n_told;
    if (!(time_ns > 0))
        return;
    if (until->last_gain && time_ns >= until->anchor_ns * (1 - until->gain))
        return;
    until->anchor_ns = time_ns;
    until->last_gain = until->n_told;
}

int hone__until_is_reached(const hone_until *until)
{
    const int64_t waited = until->n_told - until->last_gain;

    return until->gain > 0 && until->last_gain && waited >= least_wait &&
           (double)waited >= wait_share * (double)until->n_told;
}
