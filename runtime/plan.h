/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: a program with what it was found by and what it needs of a stream's
 * memory. It owns no memory of the device, so that it may go at any time when
 * no thread is in it: whatever is queued or captured stays as it is. */
#ifndef HONE_RUNTIME_PLAN_H
#define HONE_RUNTIME_PLAN_H

#include "runtime/base/hazard.h"
#include "runtime/memory.h"

/* What a plan is found by: the CUDA context (its id), the operation and the
 * dims; those that have their default are left out or not, by a shorter list
 * or as HONE_DIM_DEFAULT. */
typedef struct hone_plan_key {
    unsigned long long context_id;
    const char *op;
    const int64_t *dims;
    size_t n_dims;
} hone_plan_key;

enum {
    HONE_PLAN_LINES = 3, /* a plan of one dim, one launch, four parameters */
    HONE_PLAN_LINES_MOST = 8, /* that are asked for ahead */
    /* Ways to leave out dims by HONE_DIM_DEFAULT that a plan is found by at
     * once; it is found by others, too, but takes as long as when it was made.
     */
    HONE_PLAN_FORMS = 4
};

/* What finding and running a plain plan does not read. */
typedef struct hone_plan_more {
    hone_program_more program; /* first: it is program.more */
    hone_context *context;
    hone_need need;              /* of the memory of streams */
    hone_plan *next;             /* of those that are retired */
    hone_record_shape *launched; /* whose counter it has; NULL: none */
    /* The last ways to leave out dims by HONE_DIM_DEFAULT: n_dims << 24 and a
     * mask of those; 0: none. Of plan_cache.c. */
    uint32_t forms[HONE_PLAN_FORMS];
} hone_plan_more;

struct hone_plan {
    hone_program program; /* first: its lines are the plan's; op of the key */
    /* As `dims`: see hone_plan_key; 0: a better plan takes its place. */
    _Atomic(unsigned long long) context_id;
    unsigned defaults : HONE_MAX_DIMS; /* bit i: dim i has its default */
    unsigned n_lines : 4;    /* of the cache: this and what a run reads */
    unsigned has_memory : 1; /* uses that of streams, `need`: one run at a time
                                may */
    uint8_t n_dims;
    uint8_t n_least;           /* the dims behind these have their defaults */
    _Atomic(uint8_t) was_used; /* again, since eviction looked at it */
    int64_t dims[];
};

_Static_assert(HONE_MAX_DIMS <= 20, "the dims that have their default are a "
                                    "mask in a word with other numbers");
_Static_assert(sizeof(hone_plan) + sizeof(int64_t) <= HONE_LINE_BYTES,
               "a plan of one dim is recognised by one line");

static inline hone_plan_more *hone__plan_more(const hone_plan *plan)
{
    return (hone_plan_more *)(void *)plan->program.more;
}

/* Make a plan of `op` for an answer, let its launches be counted, and note in
 * it what is not as stored; the lock of the ctx is held. */
hone_status hone__plan_build(hone_context *context, const char *op,
                             hone_answer *answer, hone_plan **out,
                             hone_error *err);
/* Free it when others may have its part of streams' memory; one that was not
 * run, or when all is freed, is freed as a program. Lock held. */
void hone__plan_leave(hone_plan *plan);

static inline hone_error *hone__plan_error(const hone_plan *plan)
{
    return hone__thread_error(hone__plan_more(plan)->context->ctx);
}

static inline const hone_need *hone__plan_need(const hone_plan *plan)
{
    return &hone__plan_more(plan)->need;
}

/* Run it alone on the stream's memory, from filling constants and zeroing to
 * the last launch: what one launch leaves there the next one reads, and other
 * plans have it, too. Where a launch is over when it returns, until the run is.
 */
hone_status hone__plan_run_in_turn(const hone_plan *plan, void *const *args,
                                   hone_stream stream);
/* Of a plan or arguments that are none, or of another number: what is left out
 * at the end may be left out of the list; else HONE_ERR_ARGUMENT. */
hone_status hone__plan_run_other(hone_plan *plan, void *const *args,
                                 size_t n_args, hone_stream stream);

/* A plan that is not in the cache arrives as a whole, instead of line by line
 * as the pointers in it are followed. */
static inline void hone__plan_prefetch(const hone_plan *plan)
{
    for (int i = 0; i < HONE_PLAN_LINES; ++i)
        __builtin_prefetch((const char *)plan + i * HONE_LINE_BYTES);
}

/* Likewise the rest of a larger one, once its first line is there. */
static inline void hone__plan_prefetch_rest(const hone_plan *plan)
{
    for (int i = HONE_PLAN_LINES; i < plan->n_lines; ++i)
        __builtin_prefetch((const char *)plan + i * HONE_LINE_BYTES);
}

static inline unsigned long long hone__plan_context(const hone_plan *plan)
{
    return atomic_load_explicit(&plan->context_id, memory_order_relaxed);
}

static inline int hone__plan_matches(const hone_plan *plan,
                                     const hone_plan_key *key)
{
    if (hone__plan_context(plan) != key->context_id ||
        key->n_dims > plan->n_dims || key->n_dims < plan->n_least)
        return 0;
    for (size_t i = 0; i < key->n_dims; ++i) {
        if (plan->dims[i] != key->dims[i] &&
            (key->dims[i] != HONE_DIM_DEFAULT || !(plan->defaults >> i & 1)))
            return 0;
    }
    /* The text decides, not the address: the caller may reuse a buffer. */
    return strcmp(plan->program.op, key->op) == 0;
}

/* ---- plan_cache.c ----------------------------------------------------------
 *
 * The plans of hone_launch(), found without a lock, and no more of them than
 * a bound: where there is one too many, one goes that was not used since the
 * last look around (second chance). The thread that found a plan keeps it
 * from being freed until it finds another one (hazard.h). */
enum { HONE_PLANS_BY_DEFAULT = 4096 };

/* NULL if there is none, or it is just being moved. Takes no lock. The
 * calling thread may use the plan until its next call. */
hone_plan *hone__plan_cache_find(const hone_ctx *ctx, const hone_plan_key *key);
/* Add a plan of these dims that is not in it and owns it from then on; it is
 * the calling thread's to use, which has a hazard. Lock held.
 * HONE_ERR_NO_MEMORY. */
hone_status hone__plan_cache_add(hone_ctx *ctx, hone_plan *plan,
                                 hone_error *err);
/* Find a plan of it also by this key, which leaves out some of its dims. Lock
 * held. HONE_ERR_NO_MEMORY. */
hone_status hone__plan_cache_alias(hone_ctx *ctx, hone_plan *plan,
                                   const hone_plan_key *key, hone_error *err);
/* Take a plan out, so that the next launch makes one anew, also where it was a
 * thread's last. Lock held. */
void hone__plan_cache_drop(hone_ctx *ctx, const hone_plan_key *key);
/* Keep this many; 1 or more. Lock held. */
void hone__plan_cache_limit(hone_ctx *ctx, size_t n_plans);
/* Free the plans; nobody uses one. */
void hone__plan_cache_close(hone_ctx *ctx);

#endif
