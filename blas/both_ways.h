/* SPDX-License-Identifier: Apache-2.0 */
/* $HONE_BLAS_CHECK: a call that would be answered is computed both ways. The
 * program gets the library's result. */
#ifndef HONE_BLAS_BOTH_WAYS_H
#define HONE_BLAS_BOTH_WAYS_H

#include "blas/call.h"

typedef struct hone_check hone_check;

/* Before the library's call; NULL: it cannot be checked now. */
hone_check *hone__check_begin(const hone_blas_call *call);
/* Behind it, on the same stream: ours computes the same elsewhere, and both are
 * compared; waits for the stream. A result that is wrong switches the shape off
 * and is said. `is_done`: the library computed it; else nothing is compared. */
void hone__check_end(hone_check *check, const hone_blas_call *call,
                     int is_done);
/* Checks so far, and wrong results among them. */
uint64_t hone__check_count(uint64_t *out_wrong);

#endif
