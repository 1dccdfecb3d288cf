/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/runtime/gpu_vendor_problems.h"

#include <stdio.h>
#include <stdlib.h>

#define BATCHED                                                                \
    "hone-launch 4\nop batched\ndim M int\ndim N int\ndim K int\n"             \
    "dim TRANS_B choice 0\ndim LDC int 1\ndim BATCH int 1\n"                   \
    "dim STRIDE_B int 1\ndim STRIDE_C int 1\n"                                 \
    "arg A in 1 BATCH*M*K\narg B in 1 (BATCH-1)*STRIDE_B+K*N\n"                \
    "arg C inout 4 (BATCH-1)*STRIDE_C+(M-1)*LDC+N\n"                           \
    "arg alpha scalar 4\narg beta scalar 4\n"
#define AXPY                                                                   \
    "hone-launch 4\nop axpy\ndim n int\n"                                      \
    "arg alpha scalar 4\narg x in 4 n\narg y inout 4 n\n"
#define C2C                                                                    \
    "hone-launch 4\nop c2c\ndim n int\ndim batch int\n"                        \
    "arg x in 8 n*batch\narg y out 8 n*batch\n"
#define FILTER                                                                 \
    "hone-launch 4\nop filter\ndim n int\ndim batch int\n"                     \
    "arg x in 8 n*batch\narg h in 8 n\narg y out 8 n*batch\n"

/* ---- numbers ------------------------------------------------------------- */

int small(int64_t i, int step)
{
    return (int)(i * step % 9) - 4;
}

static uint16_t half_of(int value)
{
    static const uint16_t bits[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};

    return (uint16_t)(value < 0 ? bits[-value] | 0x8000 : bits[value]);
}

static hone_cu_ptr upload(const void *from, size_t size_bytes, size_t shift)
{
    hone_cu_ptr at = 0;

    CHECK(!driver->memory_alloc(&at, size_bytes + 256));
    CHECK(!driver->copy_to_device(at + shift, from, size_bytes));
    return at + shift;
}

static hone_cu_ptr halves(int64_t n, int step, size_t shift)
{
    uint16_t *host = malloc((size_t)n * sizeof *host);
    hone_cu_ptr at;

    for (int64_t i = 0; i < n; i++)
        host[i] = half_of(small(i, step));
    at = upload(host, (size_t)n * sizeof *host, shift);
    free(host);
    return at;
}

hone_cu_ptr floats(int64_t n, int step, size_t shift)
{
    float *host = malloc((size_t)n * sizeof *host);
    hone_cu_ptr at;

    for (int64_t i = 0; i < n; i++)
        host[i] = (float)small(i, step);
    at = upload(host, (size_t)n * sizeof *host, shift);
    free(host);
    return at;
}

static int64_t count_c(const product *p)
{
    return p->is_batched ? (BATCH - 1) * p->dims[7] + (M - 1) * LDC + N : M * N;
}

product make_product(const int64_t *dims, int is_batched, size_t shift)
{
    product p = {
        .dims = dims, .is_batched = is_batched, .alpha = 2, .beta = -1};
    const int64_t batch = is_batched ? BATCH : 1;

    p.at[0] = halves(batch * M * K, 5, shift);
    p.at[1] =
        halves((batch - 1) * (is_batched ? dims[6] : 0) + K * N, 7, shift);
    p.at[2] = floats(count_c(&p), 4, shift);
    return p;
}

void bind(product *p)
{
    for (int i = 0; i < 3; i++)
        p->args[i] = &p->at[i];
    p->args[3] = &p->alpha;
    p->args[4] = &p->beta;
}

static int64_t product_at(const product *p, int64_t b, int64_t i, int64_t j)
{
    int64_t sum = 0;

    for (int64_t l = 0; l < K; l++) {
        const int64_t of_b =
            p->is_batched ? b * p->dims[6] + j * K + l : l * N + j;

        sum += (int64_t)small((b * M + i) * K + l, 5) * small(of_b, 7);
    }
    return sum;
}

/* After an odd number of runs. */
void check_product(product *p)
{
    const int64_t n = count_c(p);
    float *c = malloc((size_t)n * sizeof *c);

    CHECK(!driver->context_synchronize());
    CHECK(!driver->copy_to_host(c, p->at[2], (size_t)n * sizeof *c));
    for (int64_t b = 0; b < (p->is_batched ? BATCH : 1); b++)
        for (int64_t i = 0; i < M; i++)
            for (int64_t j = 0; j < N; j++) {
                const int64_t at =
                    p->is_batched ? b * p->dims[7] + i * LDC + j : i * N + j;
                const float want =
                    2 * (float)product_at(p, b, i, j) - (float)small(at, 4);

                if (c[at] - want != 0) {
                    (void)fprintf(stderr, "[%d,%d,%d] is %g, not %g\n", (int)b,
                                  (int)i, (int)j, (double)c[at], (double)want);
                    CHECK(0);
                }
            }
    free(c);
}

/* ---- a database ---------------------------------------------------------- */

static void put(hone_db *db, const char *op, const int64_t *dims, size_t n_dims,
                const char *head, const char *function)
{
    char device[256] = "", plan[2048];

    (void)driver->device_name(device, sizeof device, 0);
    (void)snprintf(plan, sizeof plan, "%svendor %s\n", head, function);
    CHECK(!tuned_put(
        db,
        &(tuned_row){.op = op,
                     .dims = dims,
                     .n_dims = n_dims,
                     .device_name = device,
                     .arch = gpu_arch(),
                     .sm_count = properties.value[HONE_PROPERTY_sm_count],
                     .config = "LIBRARY=1",
                     .types = n_dims == 8 ? "1" : "", /* TRANS_B */
                     .launch_plan = plan},
        &error));
}

const int64_t gemm_dims[] = {M, N, K};
const int64_t batched_dims[] = {M, N, K, 1, LDC, BATCH, K *N + 8, M *LDC + 16};
const int64_t axpy_dims[] = {1000};
const int64_t fft_dims[] = {FFT, MANY};

void make_database(void)
{
    hone_db *db = gpu_create_database();

    put(db, "gemm", gemm_dims, 3, GEMM, "cublaslt.gemm");
    put(db, "blas", gemm_dims, 3, GEMM, "cublas.gemm");
    put(db, "batched", batched_dims, 8, BATCHED, "cublaslt.gemm");
    put(db, "batched_blas", batched_dims, 8, BATCHED, "cublas.gemm");
    put(db, "axpy", axpy_dims, 1, AXPY, "cublas.axpy");
    put(db, "c2c", fft_dims, 2, C2C, "cufft.c2c");
    put(db, "filter", fft_dims, 2, FILTER, "cufft.filter");
    hone__db_close(db);
}

hone_plan *plan_of(const char *op, const int64_t *dims, size_t n_dims)
{
    hone_plan *plan = NULL;
    hone_match match = {.kind = HONE_MATCH_DEFAULT};

    CHECK(!hone_plan_create(ctx, op, dims, n_dims, &plan, &match));
    (void)printf("%s: %s\n", op, match.reason);
    return plan;
}
