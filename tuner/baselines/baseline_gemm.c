/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a matrix product's problem for cuBLAS and cuBLASLt. Both want
 * column-major matrices. A row-major X[r,c] is, byte for byte, the
 * column-major transpose of X with leading dimension c, so they are asked for
 * C^T = B^T A^T: no data moves, and a transposition flag is set only for a
 * factor that the operation itself takes transposed. */
#include "tuner/baselines/baseline_kind.h"

#include "tuner/baselines/blas_api.h"

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

static const float one = 1.0f;
static const float zero = 0.0f;

static hone_status unfit(const char *who, const char *op, const char *why,
                         hone_error *err)
{
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "baseline '%s' cannot do operation '%s': %s", who, op,
                      why);
}

static int find_types(const hone_resolved *problem, hone_gemm *gemm)
{
    const hone_type a = problem->args[gemm->a].type;
    const hone_type b = problem->args[gemm->b].type;
    const hone_type c = problem->args[gemm->c].type;

    for (size_t i = 0; i < sizeof type_rows / sizeof type_rows[0]; i++)
        if (type_rows[i].in == a && type_rows[i].in == b &&
            type_rows[i].out == c) {
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
    hone_gemm gemm = {0};

    gemm.a = hone__baseline_find_arg(problem, "A");
    gemm.b = hone__baseline_find_arg(problem, "B");
    gemm.c = hone__baseline_find_arg(problem, "C");
    gemm.alpha = hone__baseline_find_arg(problem, "alpha");
    gemm.beta = hone__baseline_find_arg(problem, "beta");
    if (gemm.a < 0 || gemm.b < 0 || gemm.c < 0 || problem->n_dims < 3)
        return unfit(who, op,
                     "it needs arrays called A, B and C and dimensions that "
                     "begin with M, N, K",
                     err);
    for (size_t i = 0; i < 3; i++)
        if (problem->dims[i] < 1 || problem->dims[i] > INT_MAX)
            return unfit(who, op,
                         "its dimensions are 32-bit numbers of at least 1",
                         err);
    gemm.m = (int)problem->dims[0];
    gemm.n = (int)problem->dims[1];
    gemm.k = (int)problem->dims[2];
    gemm.left = factor(gemm.k, gemm.n, is_transposed(problem, "TRANS_B"));
    gemm.right = factor(gemm.m, gemm.k, is_transposed(problem, "TRANS_A"));
    if (!arrays_fit(problem, &gemm))
        return unfit(who, op,
                     "it needs inputs A[M*K] and B[K*N] and an output C[M*N]",
                     err);
    if (!find_types(problem, &gemm) || !scalar_fits(problem, gemm.alpha) ||
        !scalar_fits(problem, gemm.beta))
        return unfit(who, op,
                     "it takes A and B of one type of f16, bf16, tf32 and "
                     "f32, C of type f32 or, with 16 bits, the same, and "
                     "alpha and beta of type f32",
                     err);
    *out = gemm;
    return HONE_OK;
}

const void *hone__gemm_alpha(const hone_gemm *gemm, void *const *args)
{
    return gemm->alpha < 0 ? &one : args[gemm->alpha];
}

const void *hone__gemm_beta(const hone_gemm *gemm, void *const *args)
{
    return gemm->beta < 0 ? &zero : args[gemm->beta];
}
