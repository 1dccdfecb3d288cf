/* SPDX-License-Identifier: Apache-2.0 */
/* bench_calls CALLS: what a call costs its caller, for 1 x 1 x 1 products of a
 * cuBLAS that does next to nothing: the least of nine rounds, of cublasGemmEx()
 * and of cublasLtMatmul() with descriptions that are made for each call. Run it
 * plain and under `hone record`: the difference is hone's. */
#include "tests/blas/fake_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

HONE_API int cublasCreate_v2(hone_blas_handle *out);

enum { ROUNDS = 9 };

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static hone_blas_handle handle;
static float alpha = 1, beta = 0, a[4], b[4], c[4];

static void by_ex(void)
{
    (void)cublasGemmEx(handle, 0, 0, 1, 1, 1, &alpha, a, R_32F, 1, b, R_32F, 1,
                       &beta, c, R_32F, 1, COMPUTE_32F, -1);
}

static void by_lt(void)
{
    hone_lt_desc desc = NULL;
    hone_lt_layout l[3];

    for (int i = 0; i < 3; ++i)
        (void)cublasLtMatrixLayoutCreate(&l[i], R_32F, 1, 1, 1);
    (void)cublasLtMatmulDescCreate(&desc, COMPUTE_32F, R_32F);
    (void)cublasLtMatmul((hone_lt_handle)(uintptr_t)8, desc, &alpha, a, l[0], b,
                         l[1], &beta, c, l[2], c, l[2], NULL, NULL, 0, NULL);
    (void)cublasLtMatmulDescDestroy(desc);
    for (int i = 0; i < 3; ++i)
        (void)cublasLtMatrixLayoutDestroy(l[i]);
}

static double least_ns(void (*call)(void), int calls)
{
    double least = 0;

    for (int round = 0; round < ROUNDS; ++round) {
        const double begun = now_ns();
        double each;

        for (int i = 0; i < calls; ++i)
            call();
        each = (now_ns() - begun) / calls;
        if (round == 0 || each < least)
            least = each;
    }
    return least;
}

int main(int argc, char **argv)
{
    const int calls = argc > 1 ? atoi(argv[1]) : 200000;

    if (cublasCreate_v2(&handle))
        return 2;
    printf("cublasGemmEx %.1f ns\n", least_ns(by_ex, calls));
    printf("cublasLtMatmul %.1f ns\n", least_ns(by_lt, calls));
    return 0;
}
