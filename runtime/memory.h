/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory of the runs on one stream, found without a lock and made at
 * the first run that needs it, or by hone_plan_prepare().
 *
 * Scratch memory is shared: runs on a stream follow each other, so a stream
 * has as much as the plan with the largest need. It grows by a larger block,
 * at least twice the last one. Graphs that were captured before point at the
 * older blocks: they are kept, and all of them together are less than the
 * last one. Constant memory of a module is a module of the stream's own (a
 * bank), of which there are a few for each code.
 *
 * Workspaces that start zeroed belong to a plan: a run finds what the one
 * before it left. When the plan goes, another one gets them, zeroed on the
 * stream, unless a graph may use them.
 *
 * Runs with arrays in host memory share a lane: streams, events and page-locked
 * memory, as much as the largest need of those that ran.
 *
 * Everything stays until hone_stream_release() or hone_close(). */
#ifndef HONE_RUNTIME_MEMORY_H
#define HONE_RUNTIME_MEMORY_H

#include "runtime/context.h"
#include "runtime/execute/pipeline.h"

enum {
    /* What cuMemAlloc gives: vector loads may rely on it. */
    HONE_WORKSPACE_ALIGN_BYTES = 256,
    /* Plans of one code that have their constants beside each other; more of
     * them take turns, which costs a copy. */
    HONE_BANKS_OF_CODE = 4
};

/* A block of device memory. */
typedef struct hone_block {
    hone_cu_ptr base;
    size_t size_bytes;
    atomic_int was_captured; /* of zeros: a graph may use them */
    struct hone_block *next; /* in the list it is in */
} hone_block;

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
    _Atomic(hone_block *) scratch; /* the newest, and the older; NULL: none */
    hone_table zeros;  /* of plans, by the tag of the need; sizes are powers of
                          two */
    hone_block *spare; /* zeros for plans to come */
    hone_block *captured; /* zeros of plans that are gone */
    hone_memory_bank *banks;
    uint64_t n_used; /* runs with constants */
    hone_lane lane;  /* of runs with arrays in host memory */
} hone_memory;

/* What a program needs of a stream's memory. */
typedef struct hone_need {
    size_t scratch_bytes;
    size_t zeroed_bytes;
    uint64_t tag;        /* of the program, as long as it lives */
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

/* What a program has of it. NULL for what it does not need, or what is not
 * there yet. */
typedef struct hone_share {
    const hone_block *scratch;
    hone_block *zeros;
} hone_share;

static inline hone_share hone__memory_share(const hone_memory *memory,
                                            const hone_need *need)
{
    hone_share share = {NULL, NULL};

    if (need->scratch_bytes)
        share.scratch =
            atomic_load_explicit(&memory->scratch, memory_order_acquire);
    if (need->zeroed_bytes)
        share.zeros = hone__table_find(&memory->zeros, need->tag);
    return share;
}

static inline int hone__share_suffices(const hone_share *share,
                                       const hone_need *need)
{
    return (!need->scratch_bytes ||
            (share->scratch &&
             share->scratch->size_bytes >= need->scratch_bytes)) &&
           (!need->zeroed_bytes || share->zeros);
}

/* Make what is missing, and give it. `turn` held, the context current. */
hone_status hone__memory_make(hone_memory *memory, const hone_driver *driver,
                              const hone_need *need, hone_stream stream,
                              hone_share *out, hone_error *err);
/* The bank for a run of a program with constants; `turn` held, the context
 * current if it has to be made. */
hone_status hone__memory_bank(hone_memory *memory, const hone_need *need,
                              const hone_program *program, hone_bank **out,
                              hone_error *err);

/* The address of each workspace, in a share that suffices. */
static inline void hone__share_place(const hone_share *share,
                                     const hone_program *program,
                                     hone_cu_ptr *parts)
{
    const hone_program_more *more = program->more;
    hone_cu_ptr scratch = share->scratch ? share->scratch->base : 0;
    hone_cu_ptr zeros = share->zeros ? share->zeros->base : 0;

    for (size_t i = 0; i < more->n_parts; ++i) {
        const hone_program_part *part = &more->parts[i];
        hone_cu_ptr *next = part->zero == HONE_ZERO_ONCE ? &zeros : &scratch;

        parts[i] = part->size_bytes ? *next : 0;
        *next += (part->size_bytes + HONE_WORKSPACE_ALIGN_BYTES - 1) &
                 ~(size_t)(HONE_WORKSPACE_ALIGN_BYTES - 1);
    }
}

/* Before a run: a graph may use these zeros from now on, if it is captured. */
static inline void hone__share_follow(const hone_share *share,
                                      const hone_driver *driver,
                                      hone_stream stream)
{
    int status = HONE_CU_CAPTURE_NONE;
    uint64_t id = 0;

    if (!share->zeros ||
        atomic_load_explicit(&share->zeros->was_captured, memory_order_relaxed))
        return;
    if (driver->capture_info(stream, &status, &id) ||
        status != HONE_CU_CAPTURE_NONE)
        atomic_store_explicit(&share->zeros->was_captured, 1,
                              memory_order_relaxed);
}

/* How much device memory all streams have: blocks that runs work in. Waits for
 * runs that have a turn; the ctx's lock held. */
size_t hone__memory_bytes(const hone_context *context);

/* A program goes: its zeros are for others. The ctx's lock held. */
void hone__memory_forget(hone_context *context, const hone_need *need);
/* Give back what a stream has; nobody uses it, the context is current. Takes
 * the ctx's lock. */
void hone__memory_release(hone_context *context, hone_stream stream);
/* Give back what all streams have; the context is current, or `alive` 0 if
 * it is gone. */
void hone__memory_close(hone_context *context, int alive);

#endif
