/* SPDX-License-Identifier: Apache-2.0 */
/* The adaptive limit of compile time: see compile_limit.h.
 *
 * 15 s is the lower end of the times that, by reports on other tuners, no
 * winner has ever taken. The factor lets a space of slow compiles have its
 * tail: in the spaces we ship the slowest compile takes 1.2 to 1.3 times the
 * 95th percentile, so four only ever ends what is out of proportion. */
#include "tuner/compile/compile_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double least_s = 15;
static const double factor = 4;

void hone__limit_start(hone_compile_limit *limit, double at_most_s)
{
    *limit = (hone_compile_limit){.at_most_s = at_most_s};
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

void hone__limit_add(hone_compile_limit *limit, double seconds)
{
    double sorted[HONE_LIMIT_WINDOW];
    size_t n;

    limit->seconds[limit->n_seen++ % HONE_LIMIT_WINDOW] = seconds;
    n = limit->n_seen < HONE_LIMIT_WINDOW ? limit->n_seen : HONE_LIMIT_WINDOW;
    memcpy(sorted, limit->seconds, n * sizeof sorted[0]);
    qsort(sorted, n, sizeof sorted[0], by_size);
    limit->common_s = sorted[(95 * n + 99) / 100 - 1];
}

double hone__limit_s(const hone_compile_limit *limit)
{
    double s = factor * limit->common_s;

    if (limit->n_seen < HONE_LIMIT_LEARNS)
        return limit->at_most_s;
    if (s < least_s)
        s = least_s;
    return s < limit->at_most_s ? s : limit->at_most_s;
}

void hone__limit_text(const hone_compile_limit *limit, char *out, size_t size)
{
    if (hone__limit_s(limit) >= limit->at_most_s)
        (void)snprintf(out, size, "the most any compile may take");
    else
        (void)snprintf(out, size,
                       "%.0f times what 95 %% of the last %zu compiles took "
                       "(%.1f s), but at least %.0f s",
                       factor,
                       limit->n_seen < HONE_LIMIT_WINDOW
                           ? limit->n_seen
                           : (size_t)HONE_LIMIT_WINDOW,
                       limit->common_s, least_s);
}
