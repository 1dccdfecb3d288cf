/* SPDX-License-Identifier: Apache-2.0 */
/* The plans of hone_launch(), found without a lock: an open-addressing table
 * that only grows. Readers load entries atomically; writers hold the lock of
 * their hone_ctx. A table that was outgrown is kept until close, because a
 * reader may still be in it. */
#ifndef HONE_RUNTIME_PLAN_CACHE_H
#define HONE_RUNTIME_PLAN_CACHE_H

#include "runtime/base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct hone_plan_table;

/* Starts as {0}. */
typedef struct hone_plan_cache {
    _Atomic(struct hone_plan_table *) table; /* NULL while empty */
    size_t n_plans;                          /* of writers */
} hone_plan_cache;

/* What a cached plan is found by: the CUDA context (its id; 0: the cpu), the
 * operation and the dims as the caller gave them. */
typedef struct hone_plan_key {
    unsigned long long context_id;
    const char *op;
    const int64_t *dims;
    size_t n_dims;
} hone_plan_key;

/* NULL if there is none. Takes no lock. */
hone_plan *hone__plan_cache_find(hone_plan_cache *cache,
                                 const hone_plan_key *key);
/* Add a plan that is not in it and owns it from then on. Lock held.
 * HONE_ERR_NO_MEMORY. */
hone_status hone__plan_cache_add(hone_plan_cache *cache, hone_plan *plan,
                                 hone_error *err);
/* Destroy the plans and the tables. */
void hone__plan_cache_close(hone_plan_cache *cache);

#endif
