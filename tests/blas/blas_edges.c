/* SPDX-License-Identifier: Apache-2.0 */
/* blas_edges WHAT: one product, some times, and what came of it.
 *
 *   nan     f32, 24 x 32 x 40, of which a row of A ends in a NaN: how many of C
 * are add     f16, 16 x 16 x 4096, summed and added to C in f16: the status
 *   misfit  cublasLtMatmul of 32 x 40 and 8 x 24: the status */
#include "tests/blas/fake_parts.h"

#include <stdio.h>
#include <stdlib.h>

HONE_API int cublasCreate_v2(hone_blas_handle *out);
HONE_API int cublasDestroy_v2(hone_blas_handle handle);
HONE_API hone_blas_result cublasLtMatmul HONE_FORM_MATMUL;

enum { TIMES = 4, BYTES = 1 << 20 };
static void *a, *b, *c;

/* From 0 to a quarter; minstd (Park and Miller 1988). */
static void fill(void *x, int type, int64_t n)
{
    uint64_t state = (uint64_t)n;

    for (int64_t i = 0; i < n; ++i) {
        state = 16807 * state % 2147483647;
        set_element(x, type, i, (double)state / 2147483647 / 4);
    }
}

static int with_nan(hone_blas_handle handle)
{
    enum { M = 24, N = 32, K = 40 };
    const float alpha = 1, beta = 0;
    int n_nan = 0;

    fill(a, R_32F, M * K);
    fill(b, R_32F, K * N);
    ((float *)a)[M * K - 1] = NAN;
    for (int i = 0; i < TIMES; ++i)
        if (cublasGemmEx(handle, 0, 0, M, N, K, &alpha, a, R_32F, M, b, R_32F,
                         K, &beta, c, R_32F, M, COMPUTE_32F, -1))
            return -1;
    for (int i = 0; i < M * N; ++i)
        n_nan += isnan(((float *)c)[i]) != 0;
    return n_nan;
}

static int that_adds(hone_blas_handle handle)
{
    enum { M = 16, K = 4096 };
    uint16_t one;
    int status = 0;

    set_element(&one, R_16F, 0, 1);
    fill(a, R_16F, M * K);
    fill(b, R_16F, M * K);
    for (int i = 0; i < TIMES && !status; ++i) {
        fill(c, R_16F, M * M);
        status =
            cublasHgemm(handle, 0, 0, M, M, K, &one, a, M, b, K, &one, c, M);
    }
    return status;
}

/* Of B 40 rows are wanted, and it says that rows are 40 apart. */
static int that_does_not_fit(void)
{
    const float alpha = 1, beta = 0;
    hone_lt_handle handle;
    hone_lt_desc desc;
    hone_lt_layout of_a, of_b, of_c;
    int status;

    if (cublasLtCreate(&handle) ||
        cublasLtMatmulDescCreate(&desc, COMPUTE_32F, R_32F) ||
        cublasLtMatrixLayoutCreate(&of_a, R_32F, 32, 40, 32) ||
        cublasLtMatrixLayoutCreate(&of_b, R_32F, 8, 24, 40) ||
        cublasLtMatrixLayoutCreate(&of_c, R_32F, 32, 24, 32))
        return -1;
    status = cublasLtMatmul(handle, desc, &alpha, a, of_a, b, of_b, &beta, c,
                            of_c, c, of_c, NULL, NULL, 0, NULL);
    (void)cublasLtMatrixLayoutDestroy(of_c);
    (void)cublasLtMatrixLayoutDestroy(of_b);
    (void)cublasLtMatrixLayoutDestroy(of_a);
    (void)cublasLtMatmulDescDestroy(desc);
    return status;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    hone_blas_handle handle = NULL;

    a = aligned_alloc(64, BYTES);
    b = aligned_alloc(64, BYTES);
    c = aligned_alloc(64, BYTES);
    if (!a || !b || !c || cublasCreate_v2(&handle))
        return 2;
    memset(a, 0, BYTES);
    memset(b, 0, BYTES);
    printf("%d\n", strcmp(what, "nan") == 0   ? with_nan(handle)
                   : strcmp(what, "add") == 0 ? that_adds(handle)
                                              : that_does_not_fit());
    (void)cublasDestroy_v2(handle);
    free(a);
    free(b);
    free(c);
    return 0;
}
