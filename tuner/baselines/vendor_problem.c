/* SPDX-License-Identifier: Apache-2.0 */
/* Problems and plans of vendors' libraries: see vendor_problem.h. cuBLAS and
 * cuBLASLt want column-major matrices. A row-major X[r,c] is, byte for byte,
 * the column-major transpose of X with leading dimension c, so they are asked
 * for C^T = B^T A^T: no data moves, and a transposition flag is set only for a
 * factor that the operation itself takes transposed. */
#include "tuner/baselines/vendor_problem.h"

#include "tuner/baselines/baseline.h"

#include <limits.h>
#include <string.h>

static const struct {
    hone_type in;
    hone_type out;
    int in_type;
    int out_type;
    int compute_type;
} type_rows[] = {
    {HONE_TYPE_F16, HONE_TYPE_F32, HONE_CUDA_R_16F, HONE_CUDA_R_32F,
     HONE_BLAS_COMPUTE_32F},
    {HONE_TYPE_BF16, HONE_TYPE_F32, HONE_CUDA_R_16BF, HONE_CUDA_R_32F,
     HONE_BLAS_COMPUTE_32F},
    {HONE_TYPE_F16, HONE_TYPE_F16, HONE_CUDA_R_16F, HONE_CUDA_R_16F,
     HONE_BLAS_COMPUTE_32F},
    {HONE_TYPE_BF16, HONE_TYPE_BF16, HONE_CUDA_R_16BF, HONE_CUDA_R_16BF,
     HONE_BLAS_COMPUTE_32F},
    {HONE_TYPE_F32, HONE_TYPE_F32, HONE_CUDA_R_32F, HONE_CUDA_R_32F,
     HONE_BLAS_COMPUTE_32F},
    {HONE_TYPE_TF32, HONE_TYPE_F32, HONE_CUDA_R_32F, HONE_CUDA_R_32F,
     HONE_BLAS_COMPUTE_32F_FAST_TF32},
};

static int find_types(const hone_resolved_arg *args, hone_gemm *gemm)
{
    for (size_t i = 0; i < sizeof type_rows / sizeof type_rows[0]; i++)
        if (type_rows[i].in == args[gemm->a].type &&
            type_rows[i].in == args[gemm->b].type &&
            type_rows[i].out == args[gemm->c].type) {
            gemm->in_type = type_rows[i].in_type;
            gemm->out_type = type_rows[i].out_type;
            gemm->compute_type = type_rows[i].compute_type;
            return 1;
        }
    return 0;
}

/* -1 or the index of a scalar of type f32. */
static int scalar_fits(const hone_resolved *problem, int index)
{
    return index < 0 || (problem->args[index].mode == HONE_ARG_SCALAR &&
                         problem->args[index].type == HONE_TYPE_F32);
}

static int arrays_fit(const hone_resolved *problem, const hone_gemm *gemm)
{
    const hone_resolved_arg *const a = &problem->args[gemm->a];
    const hone_resolved_arg *const b = &problem->args[gemm->b];
    const hone_resolved_arg *const c = &problem->args[gemm->c];
    const int64_t m = gemm->m, n = gemm->n, k = gemm->k;

    return a->mode == HONE_ARG_IN && b->mode == HONE_ARG_IN &&
           (c->mode == HONE_ARG_OUT || c->mode == HONE_ARG_INOUT) &&
           a->count == m * k && b->count == k * n && c->count == m * n;
}

static int is_transposed(const hone_resolved *problem, const char *name)
{
    for (size_t i = 0; i < problem->n_dims; i++)
        if (problem->dim_names[i] && strcmp(problem->dim_names[i], name) == 0)
            return problem->dims[i] != 0;
    return 0;
}

/* A row-major rows x columns matrix, or its transpose where that is what is
 * stored. */
static hone_gemm_factor factor(int rows, int columns, int transposed)
{
    return transposed ? (hone_gemm_factor){rows, columns, HONE_BLAS_OP_T}
                      : (hone_gemm_factor){columns, rows, HONE_BLAS_OP_N};
}

hone_status hone__gemm_read(const char *who, const char *op,
                            const hone_resolved *problem, hone_gemm *out,
                            hone_error *err)
{
    hone_gemm gemm = {.a = hone__baseline_find_arg(problem, "A"),
                      .b = hone__baseline_find_arg(problem, "B"),
                      .c = hone__baseline_find_arg(problem, "C"),
                      .alpha = hone__baseline_find_arg(problem, "alpha"),
                      .beta = hone__baseline_find_arg(problem, "beta")};

    if (gemm.a < 0 || gemm.b < 0 || gemm.c < 0 || problem->n_dims < 3)
        return hone__baseline_unfit(
            who, op,
            "it needs arrays called A, B and C and dimensions that "
            "begin with M, N, K",
            err);
    for (size_t i = 0; i < 3; i++)
        if (problem->dims[i] < 1 || problem->dims[i] > INT_MAX)
            return hone__baseline_unfit(
                who, op, "its dimensions are 32-bit numbers of at least 1",
                err);
    gemm.m = (int)problem->dims[0];
    gemm.n = (int)problem->dims[1];
    gemm.k = (int)problem->dims[2];
    gemm.left = factor(gemm.k, gemm.n, is_transposed(problem, "TRANS_B"));
    gemm.right = factor(gemm.m, gemm.k, is_transposed(problem, "TRANS_A"));
    if (!arrays_fit(problem, &gemm))
        return hone__baseline_unfit(
            who, op, "it needs inputs A[M*K] and B[K*N] and an output C[M*N]",
            err);
    if (!find_types(problem->args, &gemm) ||
        !scalar_fits(problem, gemm.alpha) || !scalar_fits(problem, gemm.beta))
        return hone__baseline_unfit(
            who, op,
            "it takes A and B of one type of f16, bf16, tf32 and "
            "f32, C of type f32 or, with 16 bits, the same, and "
            "alpha and beta of type f32",
            err);
    *out = gemm;
    return HONE_OK;
}

const void *hone__gemm_alpha(const hone_gemm *gemm, void *const *args)
{
    static const float one = 1.0f;

    return gemm->alpha < 0 ? &one : args[gemm->alpha];
}

const void *hone__gemm_beta(const hone_gemm *gemm, void *const *args)
{
    static const float zero = 0.0f;

    return gemm->beta < 0 ? &zero : args[gemm->beta];
}

static int is_array(const hone_resolved *problem, int index, hone_arg_mode mode,
                    int64_t count)
{
    return index >= 0 && problem->args[index].mode == mode &&
           problem->args[index].type == HONE_TYPE_C32 &&
           problem->args[index].count == count;
}

hone_status hone__fft_read(const char *who, const char *op,
                           const hone_resolved *problem, int is_filter,
                           hone_fft_problem *out, hone_error *err)
{
    const size_t n_dims = problem->n_dims;
    hone_fft_problem p = {.direction = HONE_FFT_FORWARD, .batch = 1, .h = -1};

    if (n_dims < 1)
        return hone__baseline_unfit(who, op, "it has no dimension n", err);
    p.n = problem->dims[0];
    if (n_dims > 1)
        p.batch = problem->dims[1];
    if (n_dims > 2 && problem->dims[2] == 2)
        p.direction = HONE_FFT_INVERSE;
    p.x = hone__baseline_find_arg(problem, "x");
    p.y = hone__baseline_find_arg(problem, "y");
    if (p.n < 1 || p.batch < 1 || p.n > INT64_MAX / p.batch)
        return hone__baseline_unfit(who, op, "n and batch are at least 1", err);
    if (!is_array(problem, p.x, HONE_ARG_IN, p.n * p.batch) ||
        !is_array(problem, p.y, HONE_ARG_OUT, p.n * p.batch))
        return hone__baseline_unfit(
            who, op,
            "it needs an input x and an output y, both c32 of "
            "n*batch numbers, n and batch being its first "
            "dimensions",
            err);
    if (is_filter) {
        p.h = hone__baseline_find_arg(problem, "h");
        if (!is_array(problem, p.h, HONE_ARG_IN, p.n))
            return hone__baseline_unfit(
                who, op, "it needs a filter h, an input of n c32 numbers", err);
    }
    *out = p;
    return HONE_OK;
}

hone_status hone__fft_plan_open(const hone_fft_problem *problem, int type,
                                hone_fft_plan *out, hone_error *err)
{
    long long n = problem->n;
    size_t workspace_bytes = 0;

    out->handle = HONE_FFT_NO_HANDLE;
    HONE_TRY(hone__fft_get(&out->fft, err));
    HONE_TRY(
        hone__fft_check(out->fft->create(&out->handle), "cufftCreate", err));
    return hone__fft_check(out->fft->make_plan(out->handle, 1, &n, NULL, 1, n,
                                               NULL, 1, n, type, problem->batch,
                                               &workspace_bytes),
                           "cufftMakePlanMany64", err);
}

void hone__fft_plan_close(hone_fft_plan *plan)
{
    if (plan->fft && plan->handle != HONE_FFT_NO_HANDLE)
        (void)plan->fft->destroy(plan->handle);
    plan->handle = HONE_FFT_NO_HANDLE;
}
