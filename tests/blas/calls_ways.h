/* SPDX-License-Identifier: Apache-2.0 */
/* One call of the program of random calls, and the functions that may make it.
 */
#ifndef HONE_TESTS_CALLS_WAYS_H
#define HONE_TESTS_CALLS_WAYS_H

#include "tests/blas/fake_parts.h"

/* What a shape is. */
typedef struct shape {
    int a_type, c_type;
    int op_a, op_b;
    int epilogue; /* of cublasLtMatmul */
    int64_t m, n, k, lda, ldb, ldc, batch, stride_a, stride_b, stride_c;
} shape;

typedef struct arguments {
    hone_blas_handle h;
    hone_lt_handle lt;
    shape s;
    void *alpha, *beta;
    const void *a, *b;
    void *c;
    const void *added; /* of cublasLtMatmul: what beta belongs to */
    const void *bias;  /* likewise */
    int bias_type;     /* -1: it is not said */
    int compute, is_64;
    double said_alpha, said_beta;
    const char *way; /* what was called, in words */
    const void **as, **bs;
    void **cs;
} arguments;

/* How many ways there are for this call: the first may always be taken. */
uint32_t calls_ways(const arguments *x);
/* Makes it by one of them, and says which in x->way; where that one cannot be
 * taken, by the first. What the function returns. */
int calls_make(arguments *x, uint32_t way);

#endif
