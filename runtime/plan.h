/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: a program with what it was found by and what it needs of a stream's
 * memory. It owns no memory of the device, so that it may go at any time when
 * no thread is in it: whatever is queued or captured stays as it is. */
#ifndef HONE_RUNTIME_PLAN_H
#define HONE_RUNTIME_PLAN_H

#include "runtime/context.h"
#include "runtime/execute/program.h"
#include "runtime/memory.h"

#include <string.h>

/* What a plan is found by: the CUDA context (its id), the operation and the
 * dims, trailing ones that have their default left out or not. */
typedef struct hone_plan_key {
    unsigned long long context_id;
    const char *op;
    const int64_t *dims;
    size_t n_dims;
} hone_plan_key;

enum { HONE_PLAN_LINES = 4 }; /* a plan of one launch with five parameters */

struct hone_plan {
    hone_program program; /* first: its block is the plan's; op of the key */
    unsigned long long context_id; /* as `dims`: see hone_plan_key */
    hone_context *context;
    uint8_t n_dims;
    uint8_t n_least;           /* the dims behind these have their defaults */
    uint8_t has_memory;        /* uses that of streams: `need` */
    uint8_t takes_turns;       /* and one run at a time may */
    _Atomic(uint8_t) was_used; /* again, since eviction looked at it */
    hone_need need;
    hone_plan *next; /* of those that are retired */
    int64_t dims[];
};

/* Make a plan of `op` for an answer; the lock of the ctx is held. */
hone_status hone__plan_build(hone_context *context, const char *op,
                             const hone_answer *answer, hone_plan **out,
                             hone_error *err);
/* One that was not run, or when all is freed; NULL is a no-op. */
void hone__plan_free(hone_plan *plan);
/* Any other: others may have its part of streams' memory. Lock held. */
void hone__plan_leave(hone_plan *plan);

/* A plan that is not in the cache arrives as a whole, instead of line by line
 * as the pointers in it are followed. */
static inline void hone__plan_prefetch(const hone_plan *plan)
{
    for (int i = 0; i < HONE_PLAN_LINES; ++i)
        __builtin_prefetch((const char *)plan + i * HONE_LINE_BYTES);
}

static inline int hone__plan_matches(const hone_plan *plan,
                                     const hone_plan_key *key)
{
    if (plan->context_id != key->context_id || key->n_dims > plan->n_dims ||
        key->n_dims < plan->n_least)
        return 0;
    for (size_t i = 0; i < key->n_dims; ++i) {
        if (plan->dims[i] != key->dims[i])
            return 0;
    }
    /* The text decides, not the address: the caller may reuse a buffer. */
    return strcmp(plan->program.op, key->op) == 0;
}

#endif
