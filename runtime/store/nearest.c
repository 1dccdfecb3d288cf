/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted list of a bounded length: see nearest.h. */
#include "runtime/store/nearest.h"

#include "runtime/base/grow.h"

int hone__nearest_add(hone_nearest *near, double distance, int64_t id)
{
    size_t at;

    if (near->n == near->most) {
        near->has_more = 1;
        if (near->list[near->n - 1].distance <= distance)
            return 1;
        --near->n; /* the farthest gives way */
    } else if (!HONE_GROW(near->list, near->n)) {
        return 0;
    }
    at = near->n++;
    /* Where all are taken, the order is made later. */
    for (;
         near->most != SIZE_MAX && at && near->list[at - 1].distance > distance;
         --at)
        near->list[at] = near->list[at - 1];
    near->list[at] = (hone_near){distance, id};
    return 1;
}
