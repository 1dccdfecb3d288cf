/* SPDX-License-Identifier: Apache-2.0 */
/* bench_calls CALLS: what a call costs its caller, for 1 x 1 x 1 products of a
 * cuBLAS that does next to nothing, or with $BLAS_CALLS_CUDA of NVIDIA's: the
 * least of nine rounds, of cublasGemmEx() and of cublasLtMatmul() with
 * descriptions that are made for each call. Run it plain and under `hone
 * record`: the difference is hone's. */
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
static float *a, *b, *c;

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
    (void)cublasLtMatmul(lt_handle, desc, &alpha, a, l[0], b, l[1], &beta, c,
                         l[2], c, l[2], NULL, NULL, 0, NULL);
    (void)cublasLtMatmulDescDestroy(desc);
    for (int i = 0; i < 3; ++i)
        (void)cublasLtMatrixLayoutDestroy(l[i]);
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

    if (getenv("BLAS_CALLS_CUDA"))
        calls_memory_on_gpu();
    a = calls_memory_take(64);
    b = calls_memory_take(64);
    c = calls_memory_take(64);
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
