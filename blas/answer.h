/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that a tuned kernel answers. */
#ifndef HONE_BLAS_ANSWER_H
#define HONE_BLAS_ANSWER_H

#include "blas/gemm.h"
#include "blas/promise.h"
#include "blas/entries.h"

/* What was decided for a shape; never changes but for `is_off`. */
typedef struct hone_deal {
    int answers;
    char why[160]; /* it does not, half a sentence */
    hone_promise promise;
    int64_t dims[HONE_GEMM_DIMS];
    size_t workspace_bytes; /* of the kernel; 0: none */
    _Atomic int n_failed;   /* launches */
    _Atomic int is_off;     /* it failed too often, or a check found it wrong */
} hone_deal;

/* Answer the call with this number. 1: it is done. 0: it is the library's. */
int hone__answer(hone_blas_call *call, uint64_t number);
/* The call's problem is launched with C at another address: HONE_OK, or why
 * not. For checks. */
hone_status hone__answer_into(const hone_blas_call *call, void *c,
                              hone_error *err);
/* It failed: after some failures the shape is left to the library. */
void hone__answer_failed(const hone_blas_call *call, const hone_error *err);
/* The deal of an entry, made now if there is none; NULL: not now. */
const hone_deal *hone__answer_deal(hone_entry *entry);
void hone__answer_forget(void);

#endif
