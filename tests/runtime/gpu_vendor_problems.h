/* SPDX-License-Identifier: Apache-2.0 */
/* Problems for gpu_vendor.c, and the database in which functions of vendors'
 * libraries are the winners of them. */
#ifndef HONE_TESTS_RUNTIME_GPU_VENDOR_PROBLEMS_H
#define HONE_TESTS_RUNTIME_GPU_VENDOR_PROBLEMS_H

#include "tests/runtime/gpu_program.h"

enum { M = 96, N = 80, K = 64, BATCH = 3, LDC = 88, FFT = 1000, MANY = 5 };

/* The plan of a product, but for its function. */
#define GEMM                                                                   \
    "hone-launch 4\nop gemm\ndim M int\ndim N int\ndim K int\n"                \
    "arg A in 1 M*K\narg B in 1 K*N\narg C inout 4 M*N\n"                      \
    "arg alpha scalar 4\narg beta scalar 4\n"

extern const int64_t gemm_dims[3], batched_dims[8], axpy_dims[1], fft_dims[2];

void make_database(void);
hone_plan *plan_of(const char *op, const int64_t *dims, size_t n_dims);

/* -4 to 4 */
int small(int64_t i, int step);
hone_cu_ptr floats(int64_t n, int step, size_t shift);

/* A, B, C = 2*A*B - C, which is the same after each two runs. */
typedef struct product {
    const int64_t *dims; /* M, N, K; and those of BATCHED */
    int is_batched;
    hone_cu_ptr at[3];
    float alpha, beta;
    void *args[5];
} product;

product make_product(const int64_t *dims, int is_batched, size_t shift);
void bind(product *p);
/* C is what it must be. */
void check_product(product *p);

/* Prints what plans and runs cost the calling thread. */
void measure_costs(void);

#endif
