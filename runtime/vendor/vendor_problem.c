/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of vendors' libraries: see vendor_problem.h. cuBLAS and
 * cuBLASLt want column-major matrices. A row-major X[r,c] is, byte for byte,
 * the column-major transpose of X with leading dimension c, so they are asked
 * for C^T = B^T A^T: no data moves, and a transposition flag is set only for a
 * factor that the operation itself takes transposed. */
#include "runtime/vendor/vendor_problem.h"

#include "runtime/base/type.h"

#include <limits.h>
#include <string.h>

/* hone_type of A, B and C, what the libraries call them, and alpha and beta. */
static const struct {
    uint8_t in;
    uint8_t out;
    uint8_t in_type;
    uint8_t out_type;
    uint8_t compute_type;
    uint8_t scale_type;
    uint8_t scalar;
} type_rows[] = {
    {HONE_TYPE_F16, HONE_TYPE_F32, HONE_CUDA_R_16F, HONE_CUDA_R_32F,
     HONE_BLAS_COMPUTE_32F, HONE_CUDA_R_32F, HONE_TYPE_F32},
    {HONE_TYPE_BF16, HONE_TYPE_F32, HONE_CUDA_R_16BF, HONE_CUDA_R_32F,
     HONE_BLAS_COMPUTE_32F, HONE_CUDA_R_32F, HONE_TYPE_F32},
    {HONE_TYPE_F16, HONE_TYPE_F16, HONE_CUDA_R_16F, HONE_CUDA_R_16F,
     HONE_BLAS_COMPUTE_32F, HONE_CUDA_R_32F, HONE_TYPE_F32},
    {HONE_TYPE_BF16, HONE_TYPE_BF16, HONE_CUDA_R_16BF, HONE_CUDA_R_16BF,
     HONE_BLAS_COMPUTE_32F, HONE_CUDA_R_32F, HONE_TYPE_F32},
    {HONE_TYPE_F32, HONE_TYPE_F32, HONE_CUDA_R_32F, HONE_CUDA_R_32F,
     HONE_BLAS_COMPUTE_32F, HONE_CUDA_R_32F, HONE_TYPE_F32},
    {HONE_TYPE_TF32, HONE_TYPE_F32, HONE_CUDA_R_32F, HONE_CUDA_R_32F,
     HONE_BLAS_COMPUTE_32F_FAST_TF32, HONE_CUDA_R_32F, HONE_TYPE_F32},
    /* Callers have f32; the library wants f64. */
    {HONE_TYPE_F64, HONE_TYPE_F64, HONE_CUDA_R_64F, HONE_CUDA_R_64F,
     HONE_BLAS_COMPUTE_64F, HONE_CUDA_R_64F, HONE_TYPE_F32},
    {HONE_TYPE_I8, HONE_TYPE_I32, HONE_CUDA_R_8I, HONE_CUDA_R_32I,
     HONE_BLAS_COMPUTE_32I, HONE_CUDA_R_32I, HONE_TYPE_I32},
    {HONE_TYPE_C32, HONE_TYPE_C32, HONE_CUDA_C_32F, HONE_CUDA_C_32F,
     HONE_BLAS_COMPUTE_32F, HONE_CUDA_C_32F, HONE_TYPE_C32},
    /* And of e5m2, in any pair. */
    {HONE_TYPE_E4M3, HONE_TYPE_F32, HONE_CUDA_R_8F_E4M3, HONE_CUDA_R_32F,
     HONE_BLAS_COMPUTE_32F, HONE_CUDA_R_32F, HONE_TYPE_F32},
    {HONE_TYPE_E4M3, HONE_TYPE_F16, HONE_CUDA_R_8F_E4M3, HONE_CUDA_R_16F,
     HONE_BLAS_COMPUTE_32F, HONE_CUDA_R_32F, HONE_TYPE_F32},
    {HONE_TYPE_E4M3, HONE_TYPE_BF16, HONE_CUDA_R_8F_E4M3, HONE_CUDA_R_16BF,
     HONE_BLAS_COMPUTE_32F, HONE_CUDA_R_32F, HONE_TYPE_F32},
};

int hone__vendor_find_arg(const hone_resolved *problem, const char *name)
{
    for (size_t i = 0; i < problem->n_args; i++)
        if (!strcmp(problem->args[i].name, name))
            return (int)i;
    return -1;
}

hone_status hone__vendor_unfit(const char *who, const char *op, const char *why,
                               hone_error *err)
{
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "'%s' cannot do operation '%s': %s", who, op, why);
}

/* ---- matrix products ----------------------------------------------------- */

/* 1 more than e4m3's in hone's numbers and in CUDA's. */
static int is_e5m2(hone_type type)
{
    return type == HONE_TYPE_E5M2;
}

static int find_types(const hone_resolved_arg *args, hone_gemm *gemm)
{
    const int left = is_e5m2(args[gemm->b].type);
    const int right = is_e5m2(args[gemm->a].type);

    for (size_t i = 0; i < sizeof type_rows / sizeof type_rows[0]; i++)
        if ((int)args[gemm->a].type - right == type_rows[i].in &&
            (int)args[gemm->b].type - left == type_rows[i].in &&
            type_rows[i].out == args[gemm->c].type) {
            gemm->left_type = type_rows[i].in_type + left;
            gemm->right_type = type_rows[i].in_type + right;
            gemm->out_type = type_rows[i].out_type;
            gemm->compute_type = type_rows[i].compute_type;
            gemm->scale_type = type_rows[i].scale_type;
            gemm->scalar_type = (hone_type)type_rows[i].scalar;
            gemm->in_bytes =
                (int)hone__type_size_bytes((hone_type)type_rows[i].in);
            gemm->out_bytes =
                (int)hone__type_size_bytes((hone_type)type_rows[i].out);
            return 1;
        }
    return 0;
}

/* -1 or the index of a scalar of this type. */
static int scalar_fits(const hone_resolved *problem, int index, hone_type type)
{
    return index < 0 || (problem->args[index].mode == HONE_ARG_SCALAR &&
                         problem->args[index].type == type);
}

int64_t hone__vendor_dim_or(const hone_resolved *problem, const char *name,
                            int64_t otherwise)
{
    for (size_t i = 0; i < problem->n_dims; i++)
        if (problem->dim_names[i] && !strcmp(problem->dim_names[i], name))
            return problem->dims[i];
    return otherwise;
}

/* What a gemm's problem says of one matrix, row-major. */
typedef struct matrix {
    int64_t rows, columns, leading, stride;
} matrix;

static matrix read_matrix(const hone_resolved *problem, int64_t rows,
                          int64_t columns, const char *leading,
                          const char *stride)
{
    matrix x = {rows, columns, hone__vendor_dim_or(problem, leading, columns),
                0};

    x.stride = hone__vendor_dim_or(problem, stride,
                                   x.leading > INT_MAX ? 0 : rows * x.leading);
    return x;
}

/* Elements from the first to the last of a batch; -1: too many. */
static int64_t count_elements(const matrix *x, int64_t batch)
{
    int64_t of_batch, of_one;

    if (__builtin_mul_overflow(batch - 1, x->stride, &of_batch) ||
        __builtin_mul_overflow(x->rows - 1, x->leading, &of_one) ||
        __builtin_add_overflow(of_one, x->columns, &of_one) ||
        __builtin_add_overflow(of_batch, of_one, &of_batch))
        return -1;
    return of_batch;
}

static int matrix_fits(const matrix *x, int64_t batch,
                       const hone_resolved_arg *arg)
{
    return x->leading >= x->columns && x->leading <= INT_MAX &&
           x->stride >= 0 && arg->count == count_elements(x, batch);
}

/* Row-major, it is its own transpose column-major. */
static hone_gemm_factor factor(const matrix *x, int64_t transposed)
{
    return (hone_gemm_factor){(int)x->columns, (int)x->rows, (int)x->leading,
                              x->stride,
                              transposed == 2 ? HONE_BLAS_OP_C
                              : transposed    ? HONE_BLAS_OP_T
                                              : HONE_BLAS_OP_N};
}

static hone_status read_arrays(const char *who, const char *op,
                               const hone_resolved *problem, hone_gemm *gemm,
                               hone_error *err)
{
    const hone_resolved_arg *const args = problem->args;
    const int64_t m = gemm->m, n = gemm->n, k = gemm->k;
    const int64_t batch = gemm->batch;
    const int64_t trans_a = hone__vendor_dim_or(problem, "TRANS_A", 0);
    const int64_t trans_b = hone__vendor_dim_or(problem, "TRANS_B", 0);
    const matrix a = read_matrix(problem, trans_a ? k : m, trans_a ? m : k,
                                 "LDA", "STRIDE_A");
    const matrix b = read_matrix(problem, trans_b ? n : k, trans_b ? k : n,
                                 "LDB", "STRIDE_B");
    const matrix c = read_matrix(problem, m, n, "LDC", "STRIDE_C");

    if (args[gemm->a].mode != HONE_ARG_IN ||
        args[gemm->b].mode != HONE_ARG_IN ||
        (args[gemm->c].mode != HONE_ARG_OUT &&
         args[gemm->c].mode != HONE_ARG_INOUT) ||
        !matrix_fits(&a, batch, &args[gemm->a]) ||
        !matrix_fits(&b, batch, &args[gemm->b]) ||
        !matrix_fits(&c, batch, &args[gemm->c]) || (batch > 1 && !c.stride))
        return hone__vendor_unfit(
            who, op,
            "it needs inputs A[M*K], B[K*N] and an output C[M*N], or what LDA "
            ".. STRIDE_C make of them, no rows that overlap",
            err);
    gemm->left = factor(&b, trans_b);
    gemm->right = factor(&a, trans_a);
    gemm->out = factor(&c, 0);
    return HONE_OK;
}

/* -1, or the index of an array of this type and so many elements. */
static int array_fits(const hone_resolved *problem, int index, hone_type type,
                      int64_t count)
{
    return index < 0 || (problem->args[index].count == count &&
                         problem->args[index].type == type);
}

/* EPILOGUE has the library's numbers, and 0 for none. */
static int read_epilogue(const hone_resolved *problem, hone_gemm *gemm)
{
    int *const bias = &gemm->given[HONE_GEMM_BIAS];

    gemm->epilogue = (int)hone__vendor_dim_or(problem, "EPILOGUE", 0);
    if (!gemm->epilogue)
        gemm->epilogue = HONE_LT_EPILOGUE_NONE;
    if (!(gemm->epilogue & HONE_LT_EPILOGUE_BIAS))
        return 1;
    *bias = hone__vendor_find_arg(problem, "bias");
    return *bias >= 0 &&
           array_fits(problem, *bias, problem->args[gemm->c].type, gemm->n);
}

/* Scales of 8-bit floats: SCALES is 0 for none. */
static int read_scales(const hone_resolved *problem, hone_gemm *gemm)
{
    const int64_t scales = hone__vendor_dim_or(problem, "SCALES", 1);
    int *const given = gemm->given;

    if (gemm->left_type < HONE_CUDA_R_8F_E4M3)
        return 1;
    gemm->is_scaled = 1 + (int)scales;
    gemm->fast = (int)hone__vendor_dim_or(problem, "FAST", 0);
    if (!scales)
        return 1;
    given[HONE_GEMM_LEFT_SCALE] = hone__vendor_find_arg(problem, "scale_b");
    given[HONE_GEMM_RIGHT_SCALE] = hone__vendor_find_arg(problem, "scale_a");
    return array_fits(problem, given[HONE_GEMM_LEFT_SCALE], HONE_TYPE_F32,
                      scales == 2 ? gemm->n : 1) &&
           array_fits(problem, given[HONE_GEMM_RIGHT_SCALE], HONE_TYPE_F32,
                      scales == 2 ? gemm->m : 1);
}

hone_status hone__gemm_read(const char *who, const char *op,
                            const hone_resolved *problem, hone_gemm *out,
                            hone_error *err)
{
    hone_gemm gemm = {.a = hone__vendor_find_arg(problem, "A"),
                      .b = hone__vendor_find_arg(problem, "B"),
                      .c = hone__vendor_find_arg(problem, "C"),
                      .alpha = hone__vendor_find_arg(problem, "alpha"),
                      .beta = hone__vendor_find_arg(problem, "beta"),
                      .given = {-1, -1, -1}};
    const int64_t batch = hone__vendor_dim_or(problem, "BATCH", 1);

    if (gemm.a < 0 || gemm.b < 0 || gemm.c < 0 || problem->n_dims < 3)
        return hone__vendor_unfit(
            who, op,
            "it needs arrays called A, B and C and dimensions that "
            "begin with M, N, K",
            err);
    for (size_t i = 0; i < 3; i++)
        if (problem->dims[i] < 1 || problem->dims[i] > INT_MAX || batch < 1 ||
            batch > INT_MAX)
            return hone__vendor_unfit(
                who, op, "its dimensions are 32-bit numbers of at least 1",
                err);
    gemm.m = (int)problem->dims[0];
    gemm.n = (int)problem->dims[1];
    gemm.k = (int)problem->dims[2];
    gemm.batch = (int)batch;
    gemm.adds = gemm.beta >= 0 && hone__vendor_dim_or(problem, "ADD", 1);
    HONE_TRY(read_arrays(who, op, problem, &gemm, err));
    if (!find_types(problem->args, &gemm) || !read_epilogue(problem, &gemm) ||
        !read_scales(problem, &gemm) ||
        !scalar_fits(problem, gemm.alpha, gemm.scalar_type) ||
        !scalar_fits(problem, gemm.beta, gemm.scalar_type))
        return hone__vendor_unfit(
            who, op,
            "A and B are of one type (f16, bf16, tf32, f32, f64, c32, i8) or "
            "e4m3, e5m2; C is f32, or theirs, of 8 bits f16, bf16, of i8 i32; "
            "alpha and beta are f32, of c32, i8 like C, as bias[N]",
            err);
    *out = gemm;
    return HONE_OK;
}

unsigned hone__gemm_alignment(const hone_gemm *gemm, const hone_gemm_factor *x,
                              int element_bytes)
{
    uint64_t bits = 16 | (uint64_t)x->leading * (uint64_t)element_bytes;

    if (gemm->batch > 1)
        bits |= (uint64_t)x->stride * (uint64_t)element_bytes;
    return (unsigned)(bits & -bits);
}

/* The scalar at `index` of a call's arguments, `otherwise` if that is -1. */
static hone_gemm_scalar read_scalar(const hone_gemm *gemm, void *const *args,
                                    int index, int otherwise)
{
    hone_gemm_scalar x;
    float of_caller = (float)otherwise;

    if (gemm->scale_type == HONE_CUDA_C_32F) {
        x.c32[0] = of_caller;
        x.c32[1] = 0;
        if (index >= 0)
            memcpy(x.c32, args[index], sizeof x.c32);
        return x;
    }
    if (gemm->scale_type == HONE_CUDA_R_32I) {
        x.i32 = otherwise;
        if (index >= 0)
            memcpy(&x.i32, args[index], sizeof x.i32);
        return x;
    }
    if (index >= 0)
        memcpy(&of_caller, args[index], sizeof of_caller);
    if (gemm->scale_type == HONE_CUDA_R_64F)
        x.f64 = (double)of_caller;
    else
        x.f32 = of_caller;
    return x;
}

hone_gemm_scalar hone__gemm_alpha(const hone_gemm *gemm, void *const *args)
{
    return read_scalar(gemm, args, gemm->alpha, 1);
}

hone_gemm_scalar hone__gemm_beta(const hone_gemm *gemm, void *const *args)
{
    return read_scalar(gemm, args, gemm->beta, 0);
}
