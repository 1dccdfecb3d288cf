/* SPDX-License-Identifier: Apache-2.0 */
/* bench_calls CALLS [M N K]: what a call costs its caller, for products of f16,
 * 1 x 1 x 1 or column-major M x N x K, of a cuBLAS that does next to nothing,
 * or with $BLAS_CALLS_CUDA of NVIDIA's: the least of nine rounds, of
 * cublasGemmEx() and of cublasLtMatmul() with descriptions that are made for
 * each call. Run it plain and under `hone record`: the difference is hone's.
 * `hone with` answers the first as gemm N,M,K,f16,f16,ADD=0, if that was tuned.
 */
#include "tests/blas/calls_memory.h"
#include "tests/blas/fake_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

HONE_API int cublasCreate_v2(hone_blas_handle *out);
HONE_API int cublasLtCreate(hone_lt_handle *out);

/* QUEUED: calls that a GPU's queue takes without making the caller wait. */
enum { ROUNDS = 9, QUEUED = 200 };

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static hone_blas_handle handle;
static hone_lt_handle lt_handle;
static const float alpha = 1, beta = 0;
static uint16_t *a, *b, *c; /* zeros of f16 */
static int m = 1, n = 1, k = 1;

static void by_ex(void)
{
    (void)cublasGemmEx(handle, 0, 0, m, n, k, &alpha, a, R_16F, m, b, R_16F, k,
                       &beta, c, R_16F, m, COMPUTE_32F, -1);
}

static void by_lt(void)
{
    hone_lt_desc desc = NULL;
    hone_lt_layout l[3];

    (void)cublasLtMatrixLayoutCreate(&l[0], R_16F, (uint64_t)m, (uint64_t)k, m);
    (void)cublasLtMatrixLayoutCreate(&l[1], R_16F, (uint64_t)k, (uint64_t)n, k);
    (void)cublasLtMatrixLayoutCreate(&l[2], R_16F, (uint64_t)m, (uint64_t)n, m);
    (void)cublasLtMatmulDescCreate(&desc, COMPUTE_32F, R_32F);
    (void)cublasLtMatmul(lt_handle, desc, &alpha, a, l[0], b, l[1], &beta, c,
                         l[2], c, l[2], NULL, NULL, 0, NULL);
    (void)cublasLtMatmulDescDestroy(desc);
    for (int i = 0; i < 3; ++i)
        (void)cublasLtMatrixLayoutDestroy(l[i]);
}

static uint16_t *matrix(int rows, int columns)
{
    const size_t bytes = sizeof(uint16_t) * (size_t)rows * (size_t)columns;

    return calls_memory_take((bytes + 63) / 64 * 64);
}

static double least_ns(void (*call)(void), int calls)
{
    double least = 0;

    for (int round = 0; round < ROUNDS; ++round) {
        double spent = 0, each;

        for (int done = 0; done < calls; done += QUEUED) {
            const double begun = now_ns();

            for (int i = 0; i < QUEUED; ++i)
                call();
            spent += now_ns() - begun;
            calls_memory_settle();
        }
        each = spent / ((calls + QUEUED - 1) / QUEUED * QUEUED);
        if (round == 0 || each < least)
            least = each;
    }
    return least;
}

int main(int argc, char **argv)
{
    const int calls = argc > 1 ? atoi(argv[1]) : 200000;

    if (argc > 4) {
        m = atoi(argv[2]);
        n = atoi(argv[3]);
        k = atoi(argv[4]);
    }
    if (getenv("BLAS_CALLS_CUDA"))
        calls_memory_on_gpu();
    a = matrix(m, k);
    b = matrix(k, n);
    c = matrix(m, n);
    if (!a || !b || !c || cublasCreate_v2(&handle) ||
        cublasLtCreate(&lt_handle))
        return 2;
    printf("cublasGemmEx %.1f ns\n", least_ns(by_ex, calls));
    printf("cublasLtMatmul %.1f ns\n", least_ns(by_lt, calls));
    calls_memory_give(a);
    calls_memory_give(b);
    calls_memory_give(c);
    return 0;
}
