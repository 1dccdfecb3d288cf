/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/blas/calls_ways.h"

#include <stdlib.h>

#define S(field) (x->s.field)
#define I(field) ((int)x->s.field)
#define EITHER(name, ...)                                                      \
    (x->is_64 ? name##_64(__VA_ARGS__) : name(__VA_ARGS__))
#define HEAD x->h, S(op_a), S(op_b), I(m), I(n), I(k), x->alpha
#define EX_ONE                                                                 \
    HEAD, x->a, S(a_type), I(lda), x->b, S(a_type), I(ldb), x->beta, x->c,     \
        S(c_type), I(ldc)
#define PLAIN_ONE HEAD, x->a, I(lda), x->b, I(ldb), x->beta, x->c, I(ldc)
#define PLAIN_STRIDED                                                          \
    HEAD, x->a, I(lda), S(stride_a), x->b, I(ldb), S(stride_b), x->beta, x->c, \
        I(ldc), S(stride_c), I(batch)
#define PLAIN_BATCHED                                                          \
    HEAD, x->as, I(lda), x->bs, I(ldb), x->beta, x->cs, I(ldc), I(batch)

static int by_type(const arguments *x)
{
    switch (S(a_type)) {
    case R_32F:
        return EITHER(cublasSgemm_v2, PLAIN_ONE);
    case R_64F:
        return EITHER(cublasDgemm_v2, PLAIN_ONE);
    default:
        return EITHER(cublasHgemm, PLAIN_ONE);
    }
}

static int by_type_strided(const arguments *x)
{
    switch (S(a_type)) {
    case R_32F:
        return EITHER(cublasSgemmStridedBatched, PLAIN_STRIDED);
    case R_64F:
        return EITHER(cublasDgemmStridedBatched, PLAIN_STRIDED);
    default:
        return EITHER(cublasHgemmStridedBatched, PLAIN_STRIDED);
    }
}

static int by_type_batched(const arguments *x)
{
    switch (S(a_type)) {
    case R_32F:
        return EITHER(cublasSgemmBatched, PLAIN_BATCHED);
    case R_64F:
        return EITHER(cublasDgemmBatched, PLAIN_BATCHED);
    default:
        return EITHER(cublasHgemmBatched, PLAIN_BATCHED);
    }
}

static int by_ex(const arguments *x)
{
    return EITHER(cublasGemmEx, EX_ONE, x->compute, -1);
}

static int by_sgemm_ex(const arguments *x)
{
    return EITHER(cublasSgemmEx, EX_ONE);
}

static int by_ex_strided(const arguments *x)
{
    return EITHER(cublasGemmStridedBatchedEx, HEAD, x->a, S(a_type), I(lda),
                  S(stride_a), x->b, S(a_type), I(ldb), S(stride_b), x->beta,
                  x->c, S(c_type), I(ldc), S(stride_c), I(batch), x->compute,
                  -1);
}

static int by_ex_batched(const arguments *x)
{
    return EITHER(cublasGemmBatchedEx, HEAD, x->as, S(a_type), I(lda), x->bs,
                  S(a_type), I(ldb), x->beta, x->cs, S(c_type), I(ldc),
                  I(batch), x->compute, -1);
}

static hone_lt_layout layout(const arguments *x, int type, int64_t rows,
                             int64_t columns, int64_t ld, int64_t stride)
{
    const int32_t batch = (int32_t)S(batch);
    hone_lt_layout l = NULL;

    if (cublasLtMatrixLayoutCreate(&l, type, (uint64_t)rows, (uint64_t)columns,
                                   ld) ||
        cublasLtMatrixLayoutSetAttribute(l, 5, &batch, sizeof batch) ||
        cublasLtMatrixLayoutSetAttribute(l, 6, &stride, sizeof stride))
        exit(3);
    return l;
}

/* Batches lie at one distance, or are arrays of pointers. */
static int by_lt(const arguments *x)
{
    const int32_t kind = S(batch) > 1 && x->is_64;
    const int32_t op_a = S(op_a), op_b = S(op_b), epilogue = S(epilogue);
    hone_lt_desc desc = NULL;
    hone_lt_layout l[3] = {
        layout(x, S(a_type), op_a ? S(k) : S(m), op_a ? S(m) : S(k), S(lda),
               S(stride_a)),
        layout(x, S(a_type), op_b ? S(n) : S(k), op_b ? S(k) : S(n), S(ldb),
               S(stride_b)),
        layout(x, S(c_type), S(m), S(n), S(ldc), S(stride_c))};
    int result;

    if (cublasLtMatmulDescCreate(&desc, x->compute, scalar_type(x->compute)) ||
        cublasLtMatmulDescSetAttribute(desc, 3, &op_a, sizeof op_a) ||
        cublasLtMatmulDescSetAttribute(desc, 4, &op_b, sizeof op_b) ||
        cublasLtMatmulDescSetAttribute(desc, 7, &epilogue, sizeof epilogue) ||
        cublasLtMatmulDescSetAttribute(desc, 8, &x->bias, sizeof x->bias) ||
        cublasLtMatmulDescSetAttribute(desc, 26, &x->bias_type, sizeof(int)))
        exit(3);
    for (int i = 0; kind && i < 3; ++i)
        if (cublasLtMatrixLayoutSetAttribute(l[i], 8, &kind, sizeof kind))
            exit(3);
    if (kind)
        result = cublasLtMatmul(x->lt, desc, x->alpha, x->as, l[0], x->bs, l[1],
                                x->beta, x->cs, l[2], x->cs, l[2], NULL, NULL,
                                0, NULL);
    else
        result = cublasLtMatmul(x->lt, desc, x->alpha, x->a, l[0], x->b, l[1],
                                x->beta, x->added, l[2], x->c, l[2], NULL, NULL,
                                0, NULL);
    for (int i = 0; i < 3; ++i)
        (void)cublasLtMatrixLayoutDestroy(l[i]);
    (void)cublasLtMatmulDescDestroy(desc);
    return result;
}

/* cublasHgemm and its kin: alpha and beta are f16, too. */
static int by_name(const arguments *x, int (*function)(const arguments *))
{
    if (S(a_type) == R_16F) {
        set_element(x->alpha, R_16F, 0, element(x->alpha, R_32F, 0));
        set_element(x->beta, R_16F, 0, element(x->beta, R_32F, 0));
    }
    return function(x);
}

/* What NVIDIA asks of matrices that are given as an array of pointers: where K
 * is a multiple of 8, each of 16-bit numbers lies at a multiple of 16 bytes; of
 * 2, of 4 bytes. Nothing checks it, and what breaks it stops the device. */
static int may_be_array(const arguments *x)
{
    const uintptr_t step = S(k) % 8 == 0 ? 16 : S(k) % 2 == 0 ? 4 : 2;

    if (size_of(S(a_type)) != 2)
        return 1;
    for (int64_t i = 0; i < S(batch); ++i)
        if (((uintptr_t)x->as[i] | (uintptr_t)x->bs[i] | (uintptr_t)x->cs[i]) %
            step)
            return 0;
    return 1;
}

typedef struct way {
    const char *name;
    int (*call)(const arguments *);
} way;

static int is_plain(const arguments *x)
{
    return S(a_type) == S(c_type) && S(a_type) != R_16BF;
}

uint32_t calls_ways(const arguments *x)
{
    return S(batch) == 1 ? 4 : is_plain(x) ? 5 : 3;
}

int calls_make(arguments *x, uint32_t i)
{
    static const way of_one[] = {{"gemmEx", by_ex},
                                 {"matmul", by_lt},
                                 {"gemm", by_type},
                                 {"sgemmEx", by_sgemm_ex}};
    static const way of_many[] = {{"gemmStridedBatchedEx", by_ex_strided},
                                  {"matmul", by_lt},
                                  {"gemmBatchedEx", by_ex_batched},
                                  {"gemmStridedBatched", by_type_strided},
                                  {"gemmBatched", by_type_batched}};
    const int is_one = S(batch) == 1;
    const way *taken;

    if (is_one ? (i == 2 && !is_plain(x)) || (i == 3 && S(a_type) == R_64F)
               : (i == 2 || i == 4 || (i == 1 && x->is_64)) && !may_be_array(x))
        i = 0;
    taken = is_one ? &of_one[i] : &of_many[i];
    x->way = taken->name;
    return (is_one ? i == 2 : i > 2) ? by_name(x, taken->call) : taken->call(x);
}
