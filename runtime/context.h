/* SPDX-License-Identifier: Apache-2.0 */
/* What is behind hone_ctx: the store, the plan cache, and the CUDA contexts
 * met so far with the modules loaded into them. One mutex guards all slow
 * work; the hot path takes none. */
#ifndef HONE_RUNTIME_CONTEXT_H
#define HONE_RUNTIME_CONTEXT_H

#include "runtime/driver/driver.h"
#include "runtime/driver/host_object.h"
#include "runtime/store/match.h"
#include "runtime/plan_cache.h"
#include "runtime/store/store.h"

#include <pthread.h>

/* A cubin loaded into a CUDA context, or an object into this process; shared
 * by plans. */
typedef struct hone_module {
    struct hone_device *device;
    hone_cu_module handle;
    hone_host_object host; /* of the cpu device */
    size_t n_users;
    char cubin_sha256[65];
    struct hone_module *next;
} hone_module;

/* A CUDA context that was current when a plan was made, or this machine. The
 * driver reuses the handles of destroyed contexts but never their ids. */
typedef struct hone_device {
    const hone_driver *driver; /* NULL: the cpu device */
    hone_cu_context context;
    unsigned long long context_id; /* 0 of the cpu device */
    hone_target target;
    hone_module *modules;
    struct hone_device *next;
} hone_device;

struct hone_ctx {
    uint64_t serial; /* of this hone_ctx; never used twice in a process */
    int is_host; /* plans are for the cpu device; set before the first one */
    pthread_mutex_t lock;
    hone_store *store;    /* NULL if hone_open() failed; under `lock` */
    hone_device *devices; /* under `lock` */
    hone_plan_cache cache;
    _Atomic uint64_t n_refreshed; /* hone_refresh() so far */
};

/* The calling thread's error record, now about `ctx` (NULL: about none). */
hone_error *hone__thread_error(const hone_ctx *ctx);

/* The current CUDA context, or the cpu device if `ctx` is for that; made
 * known to `ctx` if it is not. `lock` held.
 * HONE_ERR_NO_GPU: no driver, no device or no current context. */
hone_status hone__device_current(hone_ctx *ctx, hone_device **out,
                                 hone_error *err);

/* Make the device's context current: 1, or 0 if it is gone (nothing to be
 * freed then). hone__device_leave() undoes it. */
int hone__device_enter(const hone_device *device);
void hone__device_leave(const hone_device *device);

/* The module of a row's cubin, loaded on first use; it counts one user more.
 * `alone`: one that nobody else gets. The device's context is current, `lock`
 * held. */
hone_status hone__module_acquire(hone_ctx *ctx, hone_device *device,
                                 const hone_store_row *row, int alone,
                                 hone_module **out, hone_error *err);
/* One user less; unloaded with the last one. `lock` held; NULL is a no-op. */
void hone__module_release(hone_module *module);

#endif
