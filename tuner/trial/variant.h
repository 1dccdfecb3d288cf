/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled variant, loaded on the device and ready to launch, and whatever
 * else can be enqueued and timed in its place. */
#ifndef HONE_TUNER_VARIANT_H
#define HONE_TUNER_VARIANT_H

#include "runtime/execute/pipeline.h"
#include "runtime/launch/launch_spec.h"
#include "tuner/device/device.h"
#include "tuner/judge/outcome.h"

/* Anything that runs the operation once on a stream. */
typedef struct hone_subject {
    hone_status (*enqueue)(void *user, void *const *args, hone_stream stream,
                           hone_error *err);
    void *user;
    const hone_block *blocks; /* its own guarded workspaces (may be none) */
    size_t n_blocks;
} hone_subject;

/* Where small workspaces lie in the level 2 cache moves a kernel of 4 us by
 * 5 %, differently for every allocation. A variant that is timed therefore
 * has several places for them, which its executions take in turn: what is
 * measured is the mean over places, not luck. Those above one MB are everywhere
 * anyway, and stay where they are, as in the runtime: rejected are four places
 * in turn, which are read from memory instead of the cache. A library's
 * function has one place, too, as it has as a baseline. */
enum { HONE_PLACES = 16 };

typedef struct hone_variant {
    hone_device *device;
    hone_resolved resolved;
    hone_cu_module module;
    hone_program *program;
    /* Constant memory is copied when an execution gets another pointer than
     * the last one. The arrays are not rotated (problem_sets.c), so that no
     * copy is timed, as none happens in a program that keeps them. */
    hone_bank bank;
    hone_lane lane; /* of copies of arrays in host memory */
    /* Workspace i of the program at place p is [p * n_parts + i]. */
    hone_block workspaces[HONE_PLACES * HONE_MAX_WORKSPACES];
    size_t n_places;
    size_t turn; /* the next execution's place */
} hone_variant;

/* Load; `spec` is borrowed, `cubin` may lie at any address and is not read
 * where the plan is a function of a vendor's library. */
hone_status hone__variant_load(hone_device *device,
                               const hone_launch_spec *spec, const void *cubin,
                               size_t cubin_bytes, const int64_t *dims,
                               size_t n_dims, hone_variant *out,
                               hone_error *err);
void hone__variant_unload(hone_variant *variant);

/* Before it is timed: up to `most` places for its workspaces, if it has any
 * and they are small. Fewer where memory is short. */
hone_status hone__variant_spread(hone_variant *variant, size_t most,
                                 hone_error *err);
/* With the workspaces that it has now. */
hone_subject hone__variant_subject(hone_variant *variant);

/* Which outcome a failed driver call, or loading, is. */
hone_outcome hone__outcome_of(const hone_error *err);

#endif
