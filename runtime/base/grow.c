/* SPDX-License-Identifier: Apache-2.0 */
/* See grow.h. */
#include "runtime/base/grow.h"

#include "runtime/base/alloc.h"

#include <string.h>

enum { FIRST = 8 }; /* the room is this, and then doubles */

int hone__grow(void *items, size_t n, size_t item_bytes)
{
    void *block;

    if (n && (n < FIRST || (n & (n - 1))))
        return 1;
    memcpy(&block, items, sizeof block);
    block = hone__realloc(block, (n ? 2 * n : FIRST) * item_bytes);
    if (!block)
        return 0;
    memcpy(items, &block, sizeof block);
    return 1;
}
