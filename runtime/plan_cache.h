/* SPDX-License-Identifier: Apache-2.0 */
/* The plans of hone_launch(), found without a lock, and no more of them than
 * a bound: where there is one too many, one goes that was not used since the
 * last look around (second chance). The thread that found a plan keeps it
 * from being freed until it finds another one (hazard.h). */
#ifndef HONE_RUNTIME_PLAN_CACHE_H
#define HONE_RUNTIME_PLAN_CACHE_H

#include "runtime/base/hazard.h"
#include "runtime/plan.h"

enum { HONE_PLANS_BY_DEFAULT = 4096 };

/* NULL if there is none, or it is just being moved. Takes no lock. The
 * calling thread may use the plan until its next call. */
hone_plan *hone__plan_cache_find(const hone_ctx *ctx, const hone_plan_key *key);
/* Add a plan of these dims that is not in it and owns it from then on; it is
 * the calling thread's to use, which has a hazard. Lock held.
 * HONE_ERR_NO_MEMORY. */
hone_status hone__plan_cache_add(hone_ctx *ctx, hone_plan *plan,
                                 hone_error *err);
/* Find a plan of it also by fewer dims. Lock held. HONE_ERR_NO_MEMORY. */
hone_status hone__plan_cache_alias(hone_ctx *ctx, hone_plan *plan,
                                   size_t n_dims, hone_error *err);
/* Keep this many; 1 or more. Lock held. */
void hone__plan_cache_limit(hone_ctx *ctx, size_t n_plans);
/* Free the plans; nobody uses one. */
void hone__plan_cache_close(hone_ctx *ctx);

#endif
