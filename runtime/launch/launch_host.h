/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in host memory, of one problem: see launch_spec.h for what they are
 * in a plan's text. */
#ifndef HONE_RUNTIME_LAUNCH_HOST_H
#define HONE_RUNTIME_LAUNCH_HOST_H

#include "runtime/launch/launch_resolver.h"

/* Fill in out->pipeline, but for its launches, and what the args have about
 * host memory; everything else about them is there. HONE_ERR_INPUT: a chunk or
 * a number of streams that cannot be; HONE_ERR_OVERFLOW. */
hone_status hone__launch_host_resolve(hone_resolver *r, hone_resolved *out);
/* Then the launches: of a pipeline those of a chunk, behind them those of the
 * last one where it is shorter. */
hone_status hone__launch_host_launches(hone_resolver *r, hone_resolved *out);

#endif
