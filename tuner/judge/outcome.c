/* SPDX-License-Identifier: Apache-2.0 */
/* Spellings of outcomes, modes and timings. */
#include "tuner/judge/outcome.h"

#include "tuner/judge/timing.h"

#include <string.h>

static const char *const names[HONE_N_OUTCOMES] = {
#define OUTCOME_NAME(name, value, spelling, meaning) [value] = spelling,
    HONE_OUTCOME_MAP(OUTCOME_NAME)
#undef OUTCOME_NAME
};

const char *hone__outcome_name(hone_outcome outcome)
{
    return outcome < HONE_N_OUTCOMES ? names[outcome] : "?";
}

hone_outcome hone__outcome_find(const char *name)
{
    int i = 0;

    while (i < HONE_N_OUTCOMES && strcmp(names[i], name) != 0)
        ++i;
    return (hone_outcome)i;
}

const char *hone__mode_name(hone_mode mode)
{
    return mode == HONE_MODE_HOT ? "hot" : "cold";
}

const char *hone__timing_name(hone_timing timing)
{
    switch (timing) {
    case HONE_TIMING_EVENT:
        return "event";
    case HONE_TIMING_GRAPH:
        return "graph";
    default:
        return "auto";
    }
}
