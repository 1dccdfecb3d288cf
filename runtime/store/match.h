/* SPDX-License-Identifier: Apache-2.0 */
/* Which row of the database answers a problem on a device: the exact shape,
 * a guarded neighbour, or the default variant; see README.md for the rules.
 */
#ifndef HONE_RUNTIME_MATCH_H
#define HONE_RUNTIME_MATCH_H

#include "runtime/store/store.h"

/* The device a kernel is wanted for. */
typedef struct hone_target {
    int is_host; /* the cpu device: only what was compiled for it runs */
    hone_properties properties;
    char name[256];          /* "NVIDIA H200" */
    char driver_version[16]; /* "13000"; "" of the cpu device */
} hone_target;

/* An answer; `row` and the names in `resolved` belong to the store. */
typedef struct hone_answer {
    const hone_store_row *row;
    hone_resolved resolved;
    hone_match match;
} hone_answer;

/* HONE_ERR_NOT_FOUND says what there is and what to do; HONE_ERR_DIMS also
 * for shapes that nobody tuned. */
hone_status hone__match_find(hone_store *store, const hone_target *target,
                             const char *op, const int64_t *dims, size_t n_dims,
                             hone_answer *out, hone_error *err);

/* Does a cubin for `compile_arch` ("sm_90", "sm_90a") run on compute
 * capability `sm` (90)? */
int hone__arch_runs_on(const char *compile_arch, int64_t sm);

#endif
