/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that need more for a run than launches: constant memory that is
 * filled from an argument, workspaces that are zeroed each time, tensor maps,
 * cooperative launches and clusters. They take another way than plain plans,
 * whose run stays what it is.
 *
 * Constant memory belongs to a loaded module, so each stream has a module of
 * its own (a bank): streams do not disturb each other. A bank remembers the
 * pointer it was filled from and copies again when that changes, or when
 * somebody said that the contents did. What a captured copy will write, and
 * when, nobody knows here: each capture begins with a copy, and from the
 * first one on the bank copies before every run that is not captured. */
#ifndef HONE_RUNTIME_PLAN_SPECIAL_H
#define HONE_RUNTIME_PLAN_SPECIAL_H

#include "runtime/driver/driver_launch.h"
#include "runtime/driver/map_cache.h"
#include "runtime/plan.h"

typedef struct hone_plan_constant {
    char name[64]; /* the longest name of the language, and more */
    int arg;
    size_t size_bytes;
} hone_plan_constant;

/* A plan's part that only special ones have. */
struct hone_special {
    _Atomic uint64_t n_refreshed; /* hone_plan_refresh() so far */
    unsigned n_constants;
    hone_plan_constant constants[HONE_MAX_CONSTANTS];
    hone_cu_shape shapes[HONE_MAX_LAUNCHES];
    hone_resolved_launch *launches; /* for the kernels of a new bank */
    unsigned n_launches;
    hone_map_cache *maps; /* NULL: no tensor maps */
    const hone_device *device;
    hone_text code; /* the cubin, for more modules */
};

/* One stream's constant memory. */
struct hone_bank {
    pthread_mutex_t lock;  /* from copying to the last launch */
    hone_cu_module module; /* NULL on the cpu device */
    hone_cu_function functions[HONE_MAX_LAUNCHES];
    hone_cu_ptr to[HONE_MAX_CONSTANTS];
    hone_cu_ptr from[HONE_MAX_CONSTANTS]; /* what they were filled from */
    unsigned filled;                      /* one bit for each that was */
    uint64_t n_refreshed;                 /* at that time */
    uint64_t capture; /* in which one that was; 0: in none */
    int was_captured;
};

/* Is this more than launches? */
int hone__special_needed(const hone_resolved *resolved);

/* The special part of a plan whose module is loaded: checks that the module
 * has the constants and room for them, and that the device can hold the
 * launches. *out is to be freed also after a failure. */
hone_status hone__special_create(hone_plan *plan, const hone_resolved *resolved,
                                 const hone_store_row *row, hone_special **out,
                                 hone_error *err);
void hone__special_free(hone_special *special);

/* hone_plan_run(). */
hone_status hone__special_run(hone_plan *plan, void *const *args,
                              hone_stream stream);

/* A stream's bank; *out stays NULL if there are no constants. Its context is
 * current. */
hone_status hone__plan_bank_create(const hone_special *special, hone_bank **out,
                                   hone_error *err);
/* Context current, or `device` NULL if it is gone. NULL is a no-op. */
void hone__plan_bank_free(hone_bank *bank, const hone_device *device);

/* What has to be copied: one bit for each constant. `capture` is the id of
 * the stream's, 0 for none. The lock is held; the bank takes the copies for
 * done.
 */
unsigned hone__plan_bank_stale(const hone_plan *plan, hone_bank *bank,
                               void *const *args, uint64_t capture);
/* The copies did not happen. */
void hone__plan_bank_forget(hone_bank *bank);

#endif
