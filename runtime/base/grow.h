/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors that grow by one item at a time and know only how many they have. */
#ifndef HONE_RUNTIME_GROW_H
#define HONE_RUNTIME_GROW_H

#include <stddef.h>

/* Room for one more behind the `n` items, not zeroed; 0 without memory, and
 * all is as it was. `items` is a pointer that begins as NULL, may move, and is
 * freed by hone__free(); `n` tells how much room there is, so nothing else may
 * grow it. */
#define HONE_GROW(items, n) hone__grow(&(items), (n), sizeof *(items))
int hone__grow(void *items, size_t n, size_t item_bytes);

#endif
