/* SPDX-License-Identifier: Apache-2.0 */
/* Gates before and after compiling: see gate.h. */
#include "tuner/compile/gate.h"

#include "runtime/launch/launch_body.h"
#include "tuner/compile/compile_log.h"
#include "tuner/compile/plan_need.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t hone__gate_block_registers(int64_t threads, int64_t registers)
{
    const int64_t warps = (threads + 31) / 32;
    const int64_t warps_of_partition = (warps + 3) / 4;
    const int64_t of_warp = (registers * 32 + 255) / 256 * 256;

    return registers > 0 ? 4 * warps_of_partition * of_warp : 0;
}

/* Known before the sizes are; the rest is launch_resolve.c's. */
static hone_gate check_cluster(const hone_launch_need *launch,
                               const hone_properties *properties,
                               const hone_gate_sentence *to)
{
    if (launch->cluster > HONE_MAX_CLUSTER)
        return hone__gate_say(
            to, HONE_GATE_LIMITS,
            "a cluster of kernel '%s' has %" PRId64 " blocks; CUDA allows %d",
            launch->kernel, launch->cluster, HONE_MAX_CLUSTER);
    if (launch->cluster > 1 && properties->value[HONE_PROPERTY_sm] < 90)
        return hone__gate_say(
            to, HONE_GATE_LIMITS,
            "kernel '%s' is launched in clusters of %" PRId64
            " blocks; they need sm_90 or newer, this device is "
            "sm_%" PRId64,
            launch->kernel, launch->cluster,
            properties->value[HONE_PROPERTY_sm]);
    return HONE_GATE_PASS;
}

/* Blocks that run at the same time if they need nothing but threads; how many
 * it really is, the driver says when the variant is loaded. */
static hone_gate check_together(const hone_launch_need *launch,
                                const hone_properties *properties,
                                const hone_gate_sentence *to)
{
    int64_t of_each = properties->value[HONE_PROPERTY_blocks_sm];
    int64_t most;

    if (launch->threads > 0 &&
        properties->value[HONE_PROPERTY_threads_sm] / launch->threads < of_each)
        of_each = properties->value[HONE_PROPERTY_threads_sm] / launch->threads;
    most = of_each * properties->value[HONE_PROPERTY_sm_count];
    if (launch->together <= most)
        return HONE_GATE_PASS;
    return hone__gate_say(to, HONE_GATE_LIMITS,
                          "kernel '%s' is a cooperative launch of %" PRId64
                          " blocks, but at most %" PRId64
                          " of them run at the same time on this device",
                          launch->kernel, launch->together, most);
}

static hone_gate check_launch(const hone_launch_need *launch,
                              const hone_properties *properties,
                              const hone_gate_sentence *to)
{
    const int64_t most_threads = properties->value[HONE_PROPERTY_threads_block];
    const int64_t most_shared = properties->value[HONE_PROPERTY_smem_optin];

    if (launch->threads > most_threads)
        return hone__gate_say(to, HONE_GATE_LIMITS,
                              "a block of kernel '%s' has %" PRId64
                              " threads; this device allows %" PRId64,
                              launch->kernel, launch->threads, most_threads);
    if (launch->shared_bytes > most_shared)
        return hone__gate_say(
            to, HONE_GATE_LIMITS,
            "kernel '%s' wants %" PRId64
            " bytes of shared memory; this device allows %" PRId64,
            launch->kernel, launch->shared_bytes, most_shared);
    return check_cluster(launch, properties, to) == HONE_GATE_PASS
               ? check_together(launch, properties, to)
               : HONE_GATE_LIMITS;
}

/* The value of --maxrregcount, 0 if it is not given. */
static int register_cap(const char *options)
{
    static const char name[] = "--maxrregcount=";
    const char *at = options ? strstr(options, name) : NULL;

    return at ? atoi(at + sizeof name - 1) : 0;
}

static hone_gate check_cap(const hone_plan_need *plan, const char *options,
                           const hone_properties *properties,
                           const hone_gate_sentence *to)
{
    const int64_t file = properties->value[HONE_PROPERTY_regs_sm];
    const int cap = register_cap(options);

    for (size_t i = 0; i < plan->n_launches; ++i) {
        const hone_launch_need *launch = &plan->launches[i];

        if (launch->threads > 0 &&
            hone__gate_block_registers(launch->threads, cap) > file)
            return hone__gate_say(
                to, HONE_GATE_DEFER,
                "kernel '%s' may take %d registers for each of "
                "%" PRId64 " threads; a block of this device has "
                "%" PRId64,
                launch->kernel, cap, launch->threads, file);
    }
    return HONE_GATE_PASS;
}

hone_gate hone__gate_launch(const hone_launch_case *plan, const char *options,
                            char *message, size_t size)
{
    const hone_gate_sentence to = {message, size};
    const hone_properties *properties = plan->properties;
    const int64_t memory = properties->value[HONE_PROPERTY_memory];
    hone_plan_need need;
    hone_gate gate = hone__gate_say(&to, HONE_GATE_PASS, "%s", "");

    gate = hone__plan_need_read(plan, &need, &to);
    for (size_t i = 0; gate == HONE_GATE_PASS && i < need.n_launches; ++i)
        gate = check_launch(&need.launches[i], properties, &to);
    if (gate == HONE_GATE_PASS && need.memory_bytes > memory)
        gate = hone__gate_say(&to, HONE_GATE_LIMITS,
                              "arrays and workspaces of %s take %" PRId64
                              " bytes; this device has %" PRId64,
                              plan->spec->op, need.memory_bytes, memory);
    if (gate == HONE_GATE_PASS)
        gate = check_cap(&need, options, properties, &to);
    return gate;
}

/* ---- the cpu device -------------------------------------------------- */

hone_gate hone__gate_host(const hone_launch_case *plan, const char *options,
                          char *message, size_t size)
{
    const hone_gate_sentence to = {message, size};
    hone_resolved resolved;

    (void)options;
    (void)hone__gate_say(&to, HONE_GATE_PASS, "%s", "");
    /* What does not resolve is somebody else's to say. */
    if (hone__launch_spec_resolve(plan, &resolved, NULL) != HONE_OK)
        return HONE_GATE_PASS;
    for (size_t i = 0; i < resolved.n_launches; ++i) {
        const hone_resolved_launch *launch = &resolved.launches[i];

        if (hone__launch_is_together(&launch->shape))
            return hone__gate_say(
                &to, HONE_GATE_LIMITS,
                "kernel '%s' is launched %s, which the cpu device does not "
                "support; it is for CUDA devices only",
                launch->kernel,
                launch->shape.cooperative ? "cooperatively" : "in clusters");
    }
    return HONE_GATE_PASS;
}

/* ---- after compiling ------------------------------------------------- */

static hone_gate check_use(const hone_launch_need *launch,
                           const hone_kernel_use *use,
                           const hone_properties *properties,
                           const hone_gate_sentence *to)
{
    const int64_t file = properties->value[HONE_PROPERTY_regs_sm];
    const int64_t most_shared = properties->value[HONE_PROPERTY_smem_optin];

    if (launch->threads > 0 &&
        hone__gate_block_registers(launch->threads, use->registers) > file)
        return hone__gate_say(
            to, HONE_GATE_LIMITS,
            "kernel '%s' takes %d registers for each of %" PRId64
            " threads; a block of this device has %" PRId64,
            launch->kernel, use->registers, launch->threads, file);
    if (launch->shared_bytes >= 0 &&
        launch->shared_bytes + use->static_shared_bytes > most_shared)
        return hone__gate_say(
            to, HONE_GATE_LIMITS,
            "kernel '%s' needs %" PRId64
            " + %d bytes of shared memory; this device allows "
            "%" PRId64,
            launch->kernel, launch->shared_bytes, use->static_shared_bytes,
            most_shared);
    return HONE_GATE_PASS;
}

/* LIMITS of any kernel before REJECT, that before DEFER of another. */
static hone_gate gate_kernels(const hone_plan_need *plan,
                              const hone_properties *properties,
                              const hone_compile_output *compiled,
                              const hone_gate_sentence *to)
{
    const char *log = hone__text_str(&compiled->log);
    hone_gate gate = HONE_GATE_PASS;
    char said[160];

    for (size_t i = 0; i < plan->n_launches; ++i) {
        const hone_launch_need *launch = &plan->launches[i];
        hone_kernel_use use;

        if (!hone__compile_log_kernel(log, launch->kernel, &use))
            continue;
        if (check_use(launch, &use, properties, to) == HONE_GATE_LIMITS)
            return HONE_GATE_LIMITS;
        if (gate == HONE_GATE_PASS && use.spill_bytes)
            gate = hone__gate_say(to, HONE_GATE_DEFER,
                                  "kernel '%s' spills %d bytes of registers",
                                  launch->kernel, use.spill_bytes);
    }
    if (compiled->warnings[0]) {
        hone__compile_log_sentence(log, compiled->warnings, said, sizeof said);
        return hone__gate_say(
            to, HONE_GATE_REJECT,
            "the compiler gave up on wgmma or setmaxnreg (%s)%s%s",
            compiled->warnings, *said ? ": " : "", said);
    }
    return gate;
}

hone_gate hone__gate_compiled(const hone_launch_case *plan,
                              const hone_compile_output *compiled,
                              char *message, size_t size)
{
    const hone_gate_sentence to = {message, size};
    hone_gate gate = HONE_GATE_PASS;
    hone_plan_need need;

    (void)hone__gate_say(&to, gate, "%s", "");
    if (!compiled->ok)
        return gate;
    gate = hone__plan_need_read(plan, &need, &to);
    return gate == HONE_GATE_PASS
               ? gate_kernels(&need, plan->properties, compiled, &to)
               : gate;
}
