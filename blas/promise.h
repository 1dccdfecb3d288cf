/* SPDX-License-Identifier: Apache-2.0 */
/* What the databases of the search path say of a product: is the winner a
 * kernel of ours, and how much faster than the vendor's functions was it when
 * both were measured? */
#ifndef HONE_BLAS_PROMISE_H
#define HONE_BLAS_PROMISE_H

#include <stdint.h>

typedef struct hone_promise {
    double ours_ns;          /* of the winner */
    double vendor_ns;        /* of the best of the vendor's functions */
    char implementation[64]; /* the winner: "sm90" */
    int is_kept;     /* a kernel of ours, faster by more than the noise */
    const char *why; /* it is not, half a sentence */
} hone_promise;

/* For gemm with these dims on a device. Never fails: what cannot be read
 * promises nothing. Not thread-safe. */
void hone__promise_find(int device, const int64_t *dims, hone_promise *out);
/* The databases are opened again when they are asked next. */
void hone__promise_forget(void);

#endif
