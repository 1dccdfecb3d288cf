/* SPDX-License-Identifier: Apache-2.0 */
/* How many blocks of a kernel a multiprocessor holds at once, and why not
 * more. */
#ifndef HONE_TOOLS_OCCUPANCY_H
#define HONE_TOOLS_OCCUPANCY_H

#include "runtime/base/device_properties.h"

typedef struct hone_occupancy {
    int64_t blocks;         /* on a multiprocessor; 0: none fits */
    double share;           /* of the threads that it could hold, 0 to 1 */
    const char *limited_by; /* "registers", "shared memory", "threads",
                               "blocks" */
} hone_occupancy;

/* By the rules of NVIDIA's occupancy calculator (CUDA C++ Programming Guide,
 * "Multiprocessor Level" and table "Technical Specifications per Compute
 * Capability"): registers are given to warps in lots of 256, shared memory to
 * blocks in lots of 128 bytes (256 before compute capability 8.0; 1 KB of each
 * block is the system's from 8.0 on). Clusters may leave less. `registers` of a
 * thread, `shared_bytes` static and dynamic. */
hone_occupancy hone__occupancy(const hone_properties *device, int64_t threads,
                               int64_t registers, int64_t shared_bytes);

#endif
