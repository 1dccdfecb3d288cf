/* SPDX-License-Identifier: Apache-2.0 */
/* What the cpu device cannot run: see gate.h. */
#include "tuner/compile/gate.h"

#include "runtime/driver/driver_launch.h"

#include <stdio.h>

static hone_gate check(const hone_resolved *resolved, char *message,
                       size_t size)
{
    for (size_t i = 0; i < resolved->n_launches; ++i) {
        const hone_resolved_launch *launch = &resolved->launches[i];

        if (!hone__launch_is_special(launch))
            continue;
        (void)snprintf(message, size,
                       "kernel '%s' is launched %s, which the cpu device "
                       "does not support; it is for CUDA devices only",
                       launch->kernel,
                       launch->cooperative ? "cooperatively" : "in clusters");
        return HONE_GATE_LIMITS;
    }
    return HONE_GATE_PASS;
}

hone_gate hone__gate_host(const hone_launch_case *plan, const char *options,
                          char *message, size_t size)
{
    hone_resolved resolved;

    (void)options;
    if (size)
        message[0] = '\0';
    /* What does not resolve is somebody else's to say. */
    return hone__launch_spec_resolve(plan, &resolved, NULL) == HONE_OK
               ? check(&resolved, message, size)
               : HONE_GATE_PASS;
}
