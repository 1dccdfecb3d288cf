/* SPDX-License-Identifier: Apache-2.0 */
/* What the databases of the search path say of a product: is the winner a
 * kernel of ours, and how much faster than the vendor's functions was it when
 * both were measured? */
#ifndef HONE_BLAS_PROMISE_H
#define HONE_BLAS_PROMISE_H

#include <stddef.h>
#include <stdint.h>

typedef struct hone_promise {
    double ours_ns;          /* of the winner */
    double vendor_ns;        /* of the best of the vendor's functions */
    char implementation[64]; /* the winner: "sm90" */
    char config[256];        /* its configuration, cut as a match's is */
    size_t n_dims;   /* that say what it was tuned for; the others have their
                        defaults */
    int is_kept;     /* a kernel of ours, faster by more than the noise */
    const char *why; /* it is not, half a sentence */
} hone_promise;

/* For gemm with these dims on a device. Where nothing was tuned that only
 * writes C, what reads it with beta answers as well, and `dims` are those then;
 * never the other way round. Never fails: what cannot be read promises nothing.
 * Not thread-safe. */
void hone__promise_find(int device, int64_t *dims, hone_promise *out);
/* Is the gain more than what the host spends on further launches? A kernel with
 * a workspace is taken to have some: what fills it comes before, or what adds
 * up its parts behind. */
int hone__promise_pays(const hone_promise *p, size_t workspace_bytes);
/* The databases are opened again when they are asked next. */
void hone__promise_forget(void);

#endif
