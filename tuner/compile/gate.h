/* SPDX-License-Identifier: Apache-2.0 */
/* Which variants are not worth the next step: what the device cannot launch
 * is not compiled, and not tried; what the compiler had trouble with is tried
 * last. Pure functions of the launch plan, the device's properties and what
 * the compiler said. What they cannot decide passes: the device's worker asks
 * the driver. */
#ifndef HONE_TUNER_GATE_H
#define HONE_TUNER_GATE_H

#include "runtime/base/device_properties.h"
#include "tuner/compile/compiler.h"

#include <stddef.h>
#include <stdint.h>

typedef enum hone_gate {
    HONE_GATE_PASS,
    HONE_GATE_LIMITS, /* cannot run on this device */
    HONE_GATE_REJECT, /* could run, but the compiler says it is a poor one */
    HONE_GATE_DEFER   /* tried when nothing better is left */
} hone_gate;

/* Before compiling. In the plan's dims a size of 0, or NULL for all of them,
 * is not known yet, and only what does not depend on it is decided.
 *
 * LIMITS: a condition of the plan, grid, block, cluster, threads or dynamic
 * shared memory outside the device's limits, a tensor map that CUDA does not
 * allow, a value that does not fit its kernel parameter, arrays and
 * workspaces larger than the device's memory. DEFER: `options` (those of the
 * compile, one per line) let the compiler take more registers than a block of
 * so many threads can have. It may take fewer, so that is no proof.
 *
 * `message` gets one sentence with the kernel and the numbers, "" for PASS.
 */
typedef hone_gate hone_gate_rule(const hone_launch_case *plan,
                                 const char *options, char *message,
                                 size_t size);
hone_gate_rule hone__gate_launch;

/* The same for the cpu device, which has no limits but lacks clusters and
 * cooperative launches: LIMITS. */
hone_gate_rule hone__gate_host;

/* After compiling, with what ptxas reports per kernel.
 * LIMITS: registers x threads over the register file, static and dynamic
 * shared memory together over the limit of a block.
 * REJECT: the compiler warned that it gave up on wgmma or setmaxnreg
 * (`compiled->warnings`); the sentence is the compiler's.
 * DEFER: a kernel that is launched spills.
 * A failed compile passes: it has an outcome of its own. */
hone_gate hone__gate_compiled(const hone_launch_case *plan,
                              const hone_compile_output *compiled,
                              char *message, size_t size);

/* Registers that a block takes: allocated per warp in units of 256, warps
 * spread over four partitions of a multiprocessor. Returns 0 for unknown
 * registers. */
int64_t hone__gate_block_registers(int64_t threads, int64_t registers);

#endif
