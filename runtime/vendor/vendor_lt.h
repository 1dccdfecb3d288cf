/* SPDX-License-Identifier: Apache-2.0 */
/* A problem as cuBLASLt describes it, and the algorithms that the library
 * proposes for it. */
#ifndef HONE_RUNTIME_VENDOR_LT_H
#define HONE_RUNTIME_VENDOR_LT_H

#include "runtime/vendor/vendor_handles.h"

enum {
    HONE_LT_N_ALIGNMENTS = 5 /* 1, 2, 4, 8 and 16 bytes */
};

typedef struct hone_lt_proposal {
    hone_lt_algorithm algorithm;
    size_t workspace_bytes;
} hone_lt_proposal;

typedef struct hone_lt_state {
    const hone_lt *lt;
    hone_lt_handle handle;
    hone_lt_desc desc;
    hone_lt_layout left;  /* op: B^T, N x K */
    hone_lt_layout right; /* op: A^T, K x M */
    hone_lt_layout out;   /* C^T, N x M */
    hone_gemm gemm;
    hone_lt_proposal proposal;
    /* For lesser addresses, without and with a workspace; NULL: not asked. */
    _Atomic(hone_lt_proposal *) others[2][HONE_LT_N_ALIGNMENTS];
    pthread_mutex_t lock; /* held to ask for one, and by runs with a bias or
                             scales, which `desc` has */
    int has_lock;
} hone_lt_state;

typedef struct hone_lt_wish {
    unsigned align_bytes; /* of all arrays */
    size_t workspace_bytes;
} hone_lt_wish;

/* What plans are made for. */
extern const hone_lt_wish hone__lt_usual;

/* Operation and matrices, and the version of the library. */
hone_status hone__lt_describe(hone_vendor *self, const hone_resolved *problem,
                              hone_error *err);
/* From here on; the lock is held, or nobody else knows the state. */
hone_status hone__lt_set_given(const hone_lt_state *state, int which,
                               const void *array, hone_error *err);
/* Those that cuBLASLt itself calls usable, at least one, in its order but for
 * hone__lt_order(). */
hone_status hone__lt_ask(const hone_lt_state *state, const hone_lt_wish *wish,
                         hone_lt_proposal list[HONE_VENDOR_MOST_ALGORITHMS],
                         size_t *out_n, hone_error *err);
/* Where a product of 16 bits is added to C, which the library's heuristic does
 * not ask, and the first is known to read C slowly: the first that is known to
 * read it fast goes to the front. `n` from 1. */
void hone__lt_order(const hone_lt_state *state, hone_lt_proposal *list,
                    size_t n);

#endif
