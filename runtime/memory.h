/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that the runs on one stream share. Runs on a stream follow
 * each other, so all of them use the same: a stream has as much as the plan
 * with the largest need, whatever the number of plans. It is found without a
 * lock and made at the first run that needs it, or by hone_plan_prepare().
 *
 * Two pools hold workspaces: one of scratch memory and one of zeros, which
 * every run leaves zeroed. A pool grows by a larger block, at least twice the
 * last one. Graphs that were captured before point at the older blocks: they
 * are kept, and all of them together are less than the last one. Constant
 * memory of a module is a module of the stream's own (a bank), of which there
 * are a few for each code.
 *
 * Everything stays until hone_stream_release() or hone_close(). */
#ifndef HONE_RUNTIME_MEMORY_H
#define HONE_RUNTIME_MEMORY_H

#include "runtime/context.h"
#include "runtime/execute/program.h"

typedef enum hone_pool_kind {
    HONE_POOL_SCRATCH,
    HONE_POOL_ZEROED,
    HONE_N_POOLS
} hone_pool_kind;

enum {
    /* What cuMemAlloc gives: vector loads may rely on it. */
    HONE_WORKSPACE_ALIGN_BYTES = 256,
    /* Plans of one code that have their constants beside each other; more of
     * them take turns, which costs a copy. */
    HONE_BANKS_OF_CODE = 4
};

typedef struct hone_pool_block {
    struct hone_pool_block *older;
    hone_cu_ptr base;
    size_t size_bytes;
} hone_pool_block;

typedef struct hone_memory_bank {
    hone_bank bank;
    const hone_module *module; /* whose code it has */
    const hone_program *user;  /* the program that used it last; never read */
    uint64_t used_at;          /* hone_memory.n_used then */
    uint64_t n_refreshed;      /* when it was filled */
    struct hone_memory_bank *next;
} hone_memory_bank;

typedef struct hone_memory {
    /* Held to change anything here, and by runs that must not overlap. */
    pthread_mutex_t turn;
    _Atomic(hone_pool_block *) pools[HONE_N_POOLS]; /* the newest; or NULL */
    hone_memory_bank *banks;
    uint64_t n_used; /* runs with constants */
} hone_memory;

/* What a program needs of a stream's memory. */
typedef struct hone_need {
    size_t bytes[HONE_N_POOLS];
    hone_module *module; /* of its constants; NULL: it has none */
} hone_need;

/* HONE_ERR_OVERFLOW: more than 2^63 bytes. */
hone_status hone__need_of(const hone_program *program, hone_module *module,
                          hone_need *out, hone_error *err);

/* The memory of a stream; NULL if it has none yet. Takes no lock. */
hone_memory *hone__memory_find(const hone_context *context, hone_stream stream);
/* The same, made if there is none; empty. Takes the ctx's lock. */
hone_status hone__memory_get(hone_context *context, hone_stream stream,
                             hone_memory **out, hone_error *err);

/* Are the pools large enough? */
static inline int hone__memory_suffices(hone_memory *memory,
                                        const hone_need *need)
{
    for (int i = 0; i < HONE_N_POOLS; ++i) {
        const hone_pool_block *block =
            atomic_load_explicit(&memory->pools[i], memory_order_acquire);

        if (need->bytes[i] && (!block || block->size_bytes < need->bytes[i]))
            return 0;
    }
    return 1;
}

/* Make them so. `turn` held, the context current. */
hone_status hone__memory_grow(hone_memory *memory, const hone_driver *driver,
                              const hone_need *need, hone_error *err);
/* The bank for a run of a program with constants; `turn` held, the context
 * current if it has to be made. */
hone_status hone__memory_bank(hone_memory *memory, const hone_need *need,
                              const hone_program *program, hone_bank **out,
                              hone_error *err);

/* The address of each workspace, in pools that suffice. */
static inline void hone__memory_place(hone_memory *memory,
                                      const hone_program *program,
                                      hone_cu_ptr *parts)
{
    const hone_program_more *more = program->more;
    hone_cu_ptr next[HONE_N_POOLS];

    for (int i = 0; i < HONE_N_POOLS; ++i) {
        const hone_pool_block *block =
            atomic_load_explicit(&memory->pools[i], memory_order_acquire);

        next[i] = block ? block->base : 0;
    }
    for (size_t i = 0; i < more->n_parts; ++i) {
        const hone_program_part *part = &more->parts[i];
        const int pool =
            part->zero == HONE_ZERO_ONCE ? HONE_POOL_ZEROED : HONE_POOL_SCRATCH;

        parts[i] = part->size_bytes ? next[pool] : 0;
        next[pool] += (part->size_bytes + HONE_WORKSPACE_ALIGN_BYTES - 1) &
                      ~(size_t)(HONE_WORKSPACE_ALIGN_BYTES - 1);
    }
}

/* Give back what a stream has; nobody uses it, the context is current. Takes
 * the ctx's lock. */
void hone__memory_release(hone_context *context, hone_stream stream);
/* Give back what all streams have; the context is current, or `alive` 0 if
 * it is gone. */
void hone__memory_close(hone_context *context, int alive);

#endif
