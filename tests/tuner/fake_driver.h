/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA driver of host memory for tests of baselines: device pointers are
 * host addresses, work is done at once, every allocation is counted. */
#ifndef HONE_TESTS_FAKE_DRIVER_H
#define HONE_TESTS_FAKE_DRIVER_H

#include "runtime/driver/driver.h"

extern const hone_driver fake_driver;

extern int fake_driver_live;       /* allocations that are not freed */
extern int fake_driver_fail_alloc; /* 1: out of memory */
extern int fake_driver_l2_bytes;
extern hone_cu_ptr fake_driver_copy_from; /* of the last copy */
extern hone_cu_ptr fake_driver_copy_to;
extern size_t fake_driver_copy_bytes;

#endif
