/* SPDX-License-Identifier: Apache-2.0 */
/* Launches with attributes: cooperative ones, whose blocks all run at the
 * same time, and those in clusters. What the driver would answer with a bare
 * "invalid value" is asked before and said in a sentence. */
#ifndef HONE_RUNTIME_DRIVER_LAUNCH_H
#define HONE_RUNTIME_DRIVER_LAUNCH_H

#include "runtime/driver/driver.h"
#include "runtime/launch/launch_spec.h"

/* How a kernel is launched. */
typedef struct hone_cu_shape {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    unsigned cluster[3]; /* 1, 1, 1: none */
    int cooperative;
} hone_cu_shape;

hone_cu_shape hone__launch_shape(const hone_resolved_launch *launch);
/* Does it need more than cuLaunchKernel? */
int hone__launch_is_special(const hone_resolved_launch *launch);
unsigned hone__launch_n_cluster(const hone_cu_shape *shape); /* blocks */

/* Make the kernel `name` ready for such launches, and see whether the device
 * can hold them. HONE_ERR_INPUT: more threads or shared memory than a block
 * of this kernel can have, blocks of a cooperative launch that would have to
 * wait for others to end, a cluster that does not fit. HONE_ERR_UNSUPPORTED:
 * the driver has no launches of this kind. */
hone_status hone__driver_prepare(const hone_driver *driver, hone_cu_function f,
                                 const char *name, const hone_cu_shape *shape,
                                 const hone_properties *properties,
                                 hone_error *err);

hone_cu_result hone__driver_launch(const hone_driver *driver,
                                   hone_cu_function f,
                                   const hone_cu_shape *shape,
                                   hone_stream stream, void **params);

#endif
