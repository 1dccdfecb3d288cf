/* SPDX-License-Identifier: Apache-2.0 */
/* What is behind hone_ctx: the store, the cached plans, and the contexts met
 * so far with the modules loaded into them and the memory of their streams.
 * One mutex guards all slow work; the hot path takes none. */
#ifndef HONE_RUNTIME_CONTEXT_H
#define HONE_RUNTIME_CONTEXT_H

#include "runtime/base/grow.h"
#include "runtime/base/lines.h"
#include "runtime/base/table.h"
#include "runtime/driver/driver.h"
#include "runtime/record/record.h"
#include "runtime/store/store.h"
#include "runtime/vendor/vendor.h"

#include <pthread.h>

/* The code of a variant, loaded into a CUDA context or into this process;
 * shared by plans and kept until hone_close(), for graphs may use it. */
typedef struct hone_module {
    struct hone_context *context;
    hone_cu_module handle;
    hone_text code; /* of those with constants, for banks; else empty */
    _Atomic uint64_t n_refreshed; /* hone_plan_refresh() of its plans */
    char cubin_sha256[65];
    char config[128];   /* names it in sentences; cut if longer */
    int64_t compile_ns; /* what the driver took to compile it; 0: a cubin */
    size_t code_bytes;
    struct hone_module *next;
} hone_module;

/* A CUDA context that was current when a plan was made, or this machine. The
 * driver reuses the handles of destroyed contexts but never their ids. */
typedef struct hone_context {
    hone_ctx *ctx;
    const hone_driver *driver;
    hone_cu_context handle;
    unsigned long long context_id;
    hone_target target;
    hone_table streams;    /* their hone_memory; changed under the ctx's lock */
    hone_module *modules;  /* under the ctx's lock */
    hone_vendors *vendors; /* likewise; NULL until a plan needs one */
    hone_lines lines;      /* likewise; those of the plans */
    struct hone_context *next;
} hone_context;

/* The plans of hone_launch(): see plan.h. */
typedef struct hone_plan_cache {
    hone_table table;
    size_t n_plans;
    size_t most_plans;
    uint64_t n_evicted;
    size_t hand; /* the place of the table that is looked at next */
    hone_plan *retired;
    size_t n_retired;
    size_t n_protected; /* of those, when they were looked at */
} hone_plan_cache;

struct hone_ctx {
    uint64_t serial; /* of this hone_ctx; never used twice in a process */
    int is_host; /* plans are for the cpu device; set before the first one */
    pthread_mutex_t lock;
    hone_store **stores;       /* the first one goes before the others */
    size_t n_stores;           /* 0 if hone_open() failed; under `lock` */
    hone_context *contexts;    /* under `lock` */
    hone_plan_cache cache;     /* changed under `lock` */
    hone_compile_when compile; /* these three under `lock`: compile_later.h */
    struct hone_waiting *waiting;
    size_t n_waiting;
    _Atomic uint64_t n_refreshed; /* hone_refresh() so far */
    hone_record *record; /* NULL: launches are not counted; under `lock` */
    hone_counters made;  /* what is counted where it happens; under `lock` */
};

/* The calling thread's error record, now about `ctx` (NULL: about none). */
hone_error *hone__thread_error(const hone_ctx *ctx);

/* open.c: close what hone_open() has opened. */
void hone__stores_close(hone_ctx *ctx);

/* The driver that plans of `ctx` are for. HONE_ERR_NO_GPU: there is none. */
hone_status hone__ctx_driver(const hone_ctx *ctx, const hone_driver **out,
                             hone_error *err);

/* The current context; made known to `ctx` if it is not. `lock` held.
 * HONE_ERR_NO_GPU: no driver, no device or no current context. */
hone_status hone__context_current(hone_ctx *ctx, hone_context **out,
                                  hone_error *err);

/* Make it current: 1, or 0 if it is gone (nothing to be freed then). The
 * driver's context_pop() undoes it. */
int hone__context_enter(const hone_context *context);

/* Load code of a row that is compiled for this device then; nothing is
 * locked. It belongs to the context when hone__module_add() gave it there, else
 * hone__module_free() ends it. The context is current. */
hone_status hone__module_load(hone_context *context, const hone_store_row *row,
                              const hone_text *code, hone_module **out,
                              hone_error *err);
void hone__module_add(hone_context *context, hone_module *module);
void hone__module_free(hone_module *module);
/* The one with this cubin; NULL: it is not loaded. Lock held. */
hone_module *hone__module_find(const hone_context *context,
                               const char *cubin_sha256);
/* The module of an answer's cubin, loaded on first use; with `with_code` it
 * also keeps the cubin. The context is current, `lock` held. */
hone_status hone__module_get(hone_context *context, const hone_answer *answer,
                             int with_code, hone_module **out, hone_error *err);
/* Unload all; the context is current, or `alive` 0 if it is gone. */
void hone__modules_unload(hone_context *context, int alive);

#endif
