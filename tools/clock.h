/* SPDX-License-Identifier: Apache-2.0 */
/* Seconds of a clock that only goes forward. */
#ifndef HONE_TOOLS_CLOCK_H
#define HONE_TOOLS_CLOCK_H

#include <time.h>

static inline double hone__clock_s(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
