/* SPDX-License-Identifier: Apache-2.0 */
/* blas_reset ROUNDS [M N K]..: a program that is rough with its handles and its
 * device. In each round it makes a handle, calls column-major M x N x K of f16
 * some times, and says what is in C: the same in every round, plain and
 * preloaded. Then it calls once more and destroys the handle while that is
 * under way; with $BLAS_CALLS_CUDA it lastly calls cudaDeviceReset(). Exits 1
 * if anything failed. */
#include "tests/blas/calls_memory.h"
#include "tests/blas/fake_parts.h"

#include <stdio.h>
#include <stdlib.h>

HONE_API int cublasCreate_v2(hone_blas_handle *out);
HONE_API int cublasDestroy_v2(hone_blas_handle h);

/* LATE: calls that keep a device busy for a while; a host has fewer of them. */
enum { CALLS = 5, LATE = 200, LATE_ON_HOST = 5, SHAPES_MOST = 8 };

struct product {
    int m, n, k;
    uint16_t *a, *b, *c;
};

static uint16_t *matrix(int rows, int columns, unsigned step)
{
    const size_t count = (size_t)rows * (size_t)columns;
    uint16_t *to = calls_memory_take((count * sizeof *to + 63) / 64 * 64);

    for (size_t i = 0; to && i < count; ++i) /* 1 to 1.75 */
        to[i] = (uint16_t)(0x3c00 + i * step % 4 * 0x100);
    return to;
}

static int begin(struct product *p)
{
    p->a = matrix(p->m, p->k, 1);
    p->b = matrix(p->k, p->n, 3);
    p->c = matrix(p->m, p->n, 0);
    return p->a && p->b && p->c ? 0 : -1;
}

static int call(hone_blas_handle handle, const struct product *p, int times)
{
    const float alpha = 1, beta = 0;
    int status = 0;

    for (int i = 0; !status && i < times; ++i)
        status = cublasGemmEx(handle, 0, 0, p->m, p->n, p->k, &alpha, p->a,
                              R_16F, p->m, p->b, R_16F, p->k, &beta, p->c,
                              R_16F, p->m, COMPUTE_32F, -1);
    return status;
}

static unsigned sum_of(const struct product *p)
{
    unsigned sum = 0;

    for (int i = 0; i < p->m * p->n; ++i)
        sum = sum * 31 + p->c[i];
    return sum;
}

/* Not 0: something failed, so that nothing was shown. A reset takes the
 * device's memory along; a host's is given back. */
static int round_of(struct product *all, int n, int late)
{
    hone_blas_handle handle = NULL;
    const int created = cublasCreate_v2(&handle);
    int failed = created, reset;

    printf("handle: %d\n", created);
    for (int i = 0; !created && i < n; ++i) {
        const int begun = begin(&all[i]);
        const int status = begun ? 0 : call(handle, &all[i], CALLS);
        const int settled = calls_memory_settle();

        printf("%d x %d x %d: %d, %d, %d", all[i].m, all[i].n, all[i].k, begun,
               status, settled);
        printf(begun || settled ? "\n" : ", %08x\n",
               begun ? 0 : sum_of(&all[i]));
        failed |= begun | status | settled;
    }
    for (int i = 0; !created && i < n; ++i)
        (void)call(handle, &all[i], late);
    if (!created)
        printf("destroyed: %d\n", cublasDestroy_v2(handle));
    reset = calls_memory_reset();
    printf("reset: %d\n", reset);
    fflush(stdout);
    for (int i = 0; late == LATE_ON_HOST && i < n; ++i) {
        calls_memory_give(all[i].a);
        calls_memory_give(all[i].b);
        calls_memory_give(all[i].c);
        all[i].a = all[i].b = all[i].c = NULL;
    }
    return failed | reset;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 3;
    struct product all[SHAPES_MOST];
    int n = 0, late = LATE_ON_HOST, failed = 0;

    if (getenv("BLAS_CALLS_CUDA")) {
        calls_memory_on_gpu();
        late = LATE;
    }
    for (int i = 2; i + 2 < argc && n < SHAPES_MOST; i += 3)
        all[n++] = (struct product){
            .m = atoi(argv[i]), .n = atoi(argv[i + 1]), .k = atoi(argv[i + 2])};
    for (int round = 0; round < rounds; ++round)
        failed |= round_of(all, n, late);
    return failed ? 1 : 0;
}
