/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program of random calls: the host's, or managed memory of
 * CUDA's first device, which both read and write. What fails ends the program.
 */
#ifndef HONE_TESTS_CALLS_MEMORY_H
#define HONE_TESTS_CALLS_MEMORY_H

#include <stddef.h>

/* From now on it is managed memory. Once, before all else. */
void calls_memory_on_gpu(void);
void *calls_memory_take(size_t bytes); /* NULL: none */
void calls_memory_give(void *p);
/* What cudaDeviceReset() does: all memory is gone. 0, or how it failed. */
int calls_memory_reset(void);
/* Waits until all that was queued is done. Not 0: the device has stopped. */
int calls_memory_settle(void);

#endif
