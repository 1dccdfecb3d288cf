/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to a call. */
#ifndef HONE_BLAS_ENTER_H
#define HONE_BLAS_ENTER_H

#include "blas/call.h"
#include "blas/real.h"

/* Count a call. 1: it was answered, and is over. 0: the library computes it,
 * then hone__blas_end() is called with its result. `real`: its handle's
 * library, NULL for cuBLASLt. */
int hone__blas_begin(hone_blas_call *call, const hone_real *real);
void hone__blas_end(hone_blas_call *call, hone_blas_result result);

/* Is nothing to be done with calls of this thread: off, or within one? */
int hone__blas_is_through(void);

#endif
