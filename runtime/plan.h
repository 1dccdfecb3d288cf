/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: the geometry of its launches and where each kernel parameter comes
 * from, all settled when it is made, so that a run only fills an array of
 * pointers. Nothing but its workspaces changes afterwards. */
#ifndef HONE_RUNTIME_PLAN_H
#define HONE_RUNTIME_PLAN_H

#include "runtime/context.h"

#include <string.h>

/* One kernel parameter. */
typedef struct hone_plan_param {
    hone_pass_kind kind;
    union {
        int index;   /* of the argument or workspace */
        int32_t i32; /* the value itself: the driver gets its address */
        int64_t i64;
    } of;
} hone_plan_param;

typedef struct hone_plan_launch {
    union {
        hone_cu_function function;
        const char *kernel; /* of the cpu device */
    } entry;
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    unsigned n_params;
    hone_plan_param *params;
} hone_plan_launch;

enum {
    HONE_MAX_SLOTS = 64,
    HONE_WORKSPACE_ALIGN_BYTES =
        256 /* what cuMemAlloc gives: vector loads may rely on it */
};

typedef struct hone_bank hone_bank;       /* plan_special.h */
typedef struct hone_special hone_special; /* likewise */

/* The workspaces for one stream. On the cpu device only the first slot is
 * used, whose key stays 0: the lock is held for a run. */
typedef struct hone_slot {
    _Atomic uintptr_t key; /* 0: free; set last, never changed again */
    hone_cu_ptr base;
    hone_cu_ptr parts[HONE_MAX_WORKSPACES];
    hone_bank *bank; /* its constant memory; NULL: none */
} hone_slot;

typedef struct hone_workspaces {
    pthread_mutex_t lock; /* for making a slot; cpu: for using it */
    size_t n_parts;
    size_t size_bytes; /* of all parts together */
    struct {
        size_t offset_bytes;
        size_t size_bytes;
        hone_zero zero;
    } parts[HONE_MAX_WORKSPACES];
    const hone_special *special; /* NULL: no slot has a bank */
    hone_slot slots[HONE_MAX_SLOTS];
} hone_workspaces;

enum {
    HONE_LINE_BYTES = 64, /* of the cache, on every host that CUDA runs on */
    HONE_PLAN_LINES = 4   /* a plan of one launch with eight parameters */
};

/* What a run does not read. */
typedef struct hone_plan_owner {
    void *block; /* what is freed */
    uint64_t hash;
    hone_ctx *ctx;
    hone_device *device;
    hone_module *module;
    hone_special *special; /* NULL: a plain plan */
} hone_plan_owner;

/* One block of memory with all it points to but its workspaces, aligned to
 * cache lines, the rarely read at the end: a program with thousands of plans
 * waits for memory, not for instructions. */
struct hone_plan {
    const hone_driver *driver; /* NULL: of the cpu device */
    hone_plan_launch *launches;
    hone_workspaces *workspaces;   /* NULL: nothing is kept by stream */
    unsigned long long context_id; /* key; see hone_plan_key */
    const char *op;
    int64_t *dims;
    hone_plan_owner *owner;
    uint16_t n_dims;
    uint16_t n_args;
    uint16_t n_launches;
    uint16_t is_special; /* owner->special says how to run it */
};

/* Make a plan; the lock of `ctx` is held. `out_match` may be NULL. */
hone_status hone__plan_build(hone_ctx *ctx, const char *op, const int64_t *dims,
                             size_t n_dims, hone_plan **out,
                             hone_match *out_match, hone_error *err);
/* Free a plan, lock held or nobody else there. NULL is a no-op. */
void hone__plan_free(hone_plan *plan);

/* Workspace memory for a problem; *out stays NULL if none is needed, and no
 * constant memory either. */
hone_status hone__workspaces_create(const hone_resolved *resolved,
                                    hone_workspaces **out, hone_error *err);
/* Free all slots; the context is current, or `device` NULL if it is gone. */
void hone__workspaces_free(hone_workspaces *workspaces,
                           const hone_device *device);
/* The slot of a stream; NULL if it has none yet. Takes no lock. */
hone_slot *hone__workspaces_find(hone_workspaces *workspaces,
                                 hone_stream stream);
/* The same, allocating a slot if there is none. Not for the cpu device. */
hone_status hone__workspaces_get(hone_workspaces *workspaces,
                                 const hone_driver *driver, hone_stream stream,
                                 hone_slot **out, hone_error *err);
/* One or the other, for a plan that has workspaces. */
hone_status hone__plan_slot(hone_plan *plan, hone_stream stream,
                            hone_slot **out);

/* hone_plan_prepare() and hone_plan_run() on the cpu device. */
hone_status hone__host_prepare(hone_plan *plan, hone_error *err);
hone_status hone__host_run(hone_plan *plan, void *const *args, hone_error *err);

/* HONE_ERR_ARGUMENT: args[index] is NULL. */
hone_status hone__plan_argument_missing(const hone_plan *plan, int index,
                                        hone_error *err);

/* Collect the kernel parameters of a launch; the index of an argument that
 * is NULL, or -1 if none is. */
static inline int hone__plan_params(const hone_plan_launch *launch,
                                    void *const *args, hone_cu_ptr *parts,
                                    void **params)
{
    for (unsigned p = 0; p < launch->n_params; ++p) {
        hone_plan_param *from = &launch->params[p];

        params[p] = &from->of;
        if (from->kind == HONE_PASS_ARG) {
            params[p] = args[from->of.index];
            if (!params[p])
                return from->of.index;
        } else if (from->kind == HONE_PASS_WORKSPACE) {
            params[p] = &parts[from->of.index];
        }
    }
    return -1;
}

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
    if (plan->context_id != key->context_id || plan->n_dims != key->n_dims)
        return 0;
    for (size_t i = 0; i < key->n_dims; ++i) {
        if (plan->dims[i] != key->dims[i])
            return 0;
    }
    /* The text decides, not the address: the caller may reuse a buffer. */
    return strcmp(plan->op, key->op) == 0;
}

static inline uint64_t hone__plan_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

/* Operations are few, so their length and ends are enough of them. */
static inline uint64_t hone__plan_hash(const hone_plan_key *key)
{
    const size_t length = strlen(key->op);
    uint64_t hash = key->context_id;

    hash =
        hone__plan_mix(hash, (uint64_t)length << 16 |
                                 (uint64_t)(unsigned char)key->op[0] << 8 |
                                 (unsigned char)key->op[length - (length > 0)]);
    for (size_t i = 0; i < key->n_dims; ++i)
        hash = hone__plan_mix(hash, (uint64_t)key->dims[i]);
    return hash;
}

#endif
