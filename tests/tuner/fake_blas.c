/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the symbols of cuBLAS and cuBLASLt that computes on the
 * host, column-major and by its own reading of the arguments. It is as strict
 * as the contract lets it be: an own workspace after every set stream, the
 * right types, non-null descriptions. $FAKE_BLAS_FAIL names a function that
 * fails; fake_blas_live() counts what was not destroyed. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BAD = 7, FAILED = 13, UNSUPPORTED = 15 };
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_16BF = 14 };
enum { COMPUTE_32F = 68 };

typedef struct handle {
    int pointer_mode;
    int math_mode;
    int workspace_set;
} handle;

typedef struct layout {
    int type;
    uint64_t rows, columns;
    int64_t leading;
} layout;

typedef struct algorithm {
    uint64_t data[8];
} algorithm;

typedef struct heuristic {
    algorithm algorithm;
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
} heuristic;

#define EXPORT __attribute__((visibility("default")))

static int live;

static int fails(const char *function)
{
    const char *const name = getenv("FAKE_BLAS_FAIL");

    return name && !strcmp(name, function);
}

static float half_value(uint16_t bits)
{
    const int exponent = (bits >> 10) & 31;
    const float fraction = (float)(bits & 1023);
    const float size = exponent ? ldexpf(1024.0f + fraction, exponent - 25)
                                : ldexpf(fraction, -24);

    return bits & 0x8000 ? -size : size;
}

static float element(const void *x, int type, int64_t index)
{
    uint32_t bits;
    float value;

    if (type == R_32F)
        return ((const float *)x)[index];
    bits = ((const uint16_t *)x)[index];
    if (type == R_16F)
        return half_value((uint16_t)bits);
    bits <<= 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A value that the type holds exactly, as the tests' are. */
static void set_element(void *x, int type, int64_t index, float value)
{
    uint32_t bits;
    int exponent;
    float fraction;

    if (type == R_32F) {
        ((float *)x)[index] = value;
        return;
    }
    memcpy(&bits, &value, sizeof bits);
    bits >>= 16;
    if (type == R_16F && value != 0.0f) {
        fraction = frexpf(fabsf(value), &exponent);
        bits = (bits & 0x8000) | (uint32_t)(exponent + 14) << 10 |
               ((uint32_t)(fraction * 2048.0f) & 1023);
    }
    ((uint16_t *)x)[index] = (uint16_t)bits;
}

/* A column-major matrix of which op(X) is taken. */
typedef struct factor {
    const void *data;
    int type, op;
    int64_t leading;
} factor;

static float factor_element(const factor *x, int64_t row, int64_t column)
{
    return element(x->data, x->type,
                   x->op ? row * x->leading + column
                         : column * x->leading + row);
}

/* Column-major C[m,n] = alpha*op(A)[m,k]*op(B)[k,n] + beta*C. */
static void multiply(int m, int n, int k, float alpha, factor a, factor b,
                     float beta, void *c, int c_type, int64_t ldc)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const int64_t at = j * ldc + i;
            float sum = 0;

            for (int64_t l = 0; l < k; l++)
                sum += factor_element(&a, i, l) * factor_element(&b, l, j);
            sum = alpha * sum + (beta != 0 ? beta * element(c, c_type, at) : 0);
            set_element(c, c_type, at, sum);
        }
}

static int types_fit(int a, int b, int c)
{
    return a == b && (c == R_32F || (c == a && (a == R_16F || a == R_16BF)));
}

EXPORT int fake_blas_live(void);
EXPORT int fake_blas_live(void)
{
    return live;
}

#define DECLARE(type, name, parameters)                                        \
    EXPORT type name parameters;                                               \
    EXPORT type name parameters

DECLARE(const char *, cublasGetStatusString, (int r))
{
    return r == FAILED ? "the fake was told to fail" : "the fake refuses";
}

DECLARE(int, cublasCreate_v2, (handle * *out))
{
    if (fails("cublasCreate"))
        return FAILED;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return BAD;
    (*out)->pointer_mode = (*out)->math_mode = -1;
    live++;
    return 0;
}

DECLARE(int, cublasDestroy_v2, (handle * h))
{
    free(h);
    live--;
    return 0;
}

DECLARE(int, cublasSetStream_v2, (handle * h, void *stream))
{
    (void)stream;
    h->workspace_set = 0;
    return 0;
}

DECLARE(int, cublasSetWorkspace_v2, (handle * h, void *p, size_t size_bytes))
{
    h->workspace_set = p && size_bytes >= (size_t)32 << 20;
    return 0;
}

DECLARE(int, cublasSetPointerMode_v2, (handle * h, int mode))
{
    h->pointer_mode = mode;
    return 0;
}

DECLARE(int, cublasSetMathMode, (handle * h, int mode))
{
    h->math_mode = mode;
    return 0;
}

static int ready(const handle *h)
{
    return h && h->workspace_set && !h->pointer_mode && !h->math_mode;
}

DECLARE(int, cublasGemmEx,
        (handle * h, int op_a, int op_b, int m, int n, int k, const void *alpha,
         const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
         const void *beta, void *c, int c_type, int ldc, int compute_type,
         int algo))
{
    if (fails("cublasGemmEx"))
        return FAILED;
    if (!ready(h) || (op_a | op_b) > 1 || lda < (op_a ? k : m) ||
        ldb < (op_b ? n : k) || ldc < m || !types_fit(a_type, b_type, c_type) ||
        compute_type != COMPUTE_32F || algo != -1)
        return BAD;
    multiply(m, n, k, *(const float *)alpha, (factor){a, a_type, op_a, lda},
             (factor){b, b_type, op_b, ldb}, *(const float *)beta, c, c_type,
             ldc);
    return 0;
}

DECLARE(int, cublasAxpyEx,
        (handle * h, int n, const void *alpha, int alpha_type, const void *x,
         int x_type, int x_step, void *y, int y_type, int y_step,
         int execution_type))
{
    if (!ready(h) || alpha_type != x_type || x_type != y_type ||
        execution_type != x_type || x_step != 1 || y_step != 1)
        return BAD;
    for (int i = 0; i < n; i++)
        if (x_type == R_64F)
            ((double *)y)[i] += *(const double *)alpha * ((const double *)x)[i];
        else
            ((float *)y)[i] += *(const float *)alpha * ((const float *)x)[i];
    return 0;
}

DECLARE(const char *, cublasLtGetStatusString, (int r))
{
    return cublasGetStatusString(r);
}

static int create(void **out, size_t size_bytes)
{
    *out = calloc(1, size_bytes);
    live += *out != NULL;
    return *out ? 0 : BAD;
}

static int destroy(void *p)
{
    free(p);
    live--;
    return 0;
}

DECLARE(int, cublasLtCreate, (void **out))
{
    return create(out, 1);
}

DECLARE(int, cublasLtDestroy, (void *h))
{
    return destroy(h);
}

DECLARE(int, cublasLtMatmulDescCreate, (void **out, int compute, int scale))
{
    return compute == COMPUTE_32F && scale == R_32F
               ? create(out, 2 * sizeof(int))
               : BAD;
}

/* Its two operations. */
DECLARE(int, cublasLtMatmulDescSetAttribute,
        (int *d, int attribute, const void *value, size_t size_bytes))
{
    if (fails("cublasLtMatmulDescSetAttribute"))
        return FAILED;
    if (attribute < 3 || attribute > 4 || size_bytes != sizeof *d)
        return BAD;
    memcpy(&d[attribute - 3], value, sizeof *d);
    return 0;
}

DECLARE(int, cublasLtMatmulDescDestroy, (void *d))
{
    return destroy(d);
}

DECLARE(int, cublasLtMatrixLayoutCreate,
        (layout * *out, int type, uint64_t rows, uint64_t columns,
         int64_t leading))
{
    void *made = NULL;

    if (create(&made, sizeof **out))
        return BAD;
    *out = made;
    **out = (layout){type, rows, columns, leading};
    return 0;
}

DECLARE(int, cublasLtMatrixLayoutDestroy, (layout * l))
{
    return destroy(l);
}

DECLARE(int, cublasLtMatmulPreferenceCreate, (uint64_t * *out))
{
    void *made = NULL;

    if (create(&made, sizeof **out))
        return BAD;
    *out = made;
    return 0;
}

DECLARE(int, cublasLtMatmulPreferenceDestroy, (uint64_t * p))
{
    return destroy(p);
}

DECLARE(int, cublasLtMatmulPreferenceSetAttribute,
        (uint64_t * p, int attribute, const void *value, size_t size_bytes))
{
    if (attribute != 1 || size_bytes != sizeof *p)
        return BAD;
    memcpy(p, value, sizeof *p);
    return 0;
}

/* Four guesses; the second is unusable and the third too hungry. */
DECLARE(int, cublasLtMatmulAlgoGetHeuristic,
        (void *h, void *desc, layout *a, layout *b, layout *c, layout *d,
         uint64_t *preference, int wanted, heuristic *results, int *n_results))
{
    if (fails("cublasLtMatmulAlgoGetHeuristic"))
        return UNSUPPORTED;
    if (!h || !desc || !a || !b || !c || c != d || wanted != 16)
        return BAD;
    *n_results = fails("heuristics") ? 0 : 4;
    for (int i = 0; i < *n_results; i++) {
        memset(&results[i], 0, sizeof results[i]);
        results[i].algorithm.data[0] = 100 + (uint64_t)i;
        results[i].state = i == 1 ? UNSUPPORTED : 0;
        results[i].workspace_bytes = i == 2 ? *preference + 1 : *preference;
    }
    return 0;
}

DECLARE(int, cublasLtMatmul,
        (void *h, const int *desc, const void *alpha, const void *a, layout *la,
         const void *b, layout *lb, const void *beta, const void *c, layout *lc,
         void *d, layout *ld, const algorithm *algo, void *workspace,
         size_t workspace_bytes, void *stream))
{
    uint64_t m, n, k, k_too;

    (void)stream;
    if (!h || !desc || c != d || lc != ld || !workspace ||
        workspace_bytes != (size_t)32 << 20)
        return BAD;
    m = desc[0] ? la->columns : la->rows;
    k = desc[0] ? la->rows : la->columns;
    k_too = desc[1] ? lb->columns : lb->rows;
    n = desc[1] ? lb->rows : lb->columns;
    if (k != k_too || m != lc->rows || n != lc->columns ||
        !types_fit(la->type, lb->type, lc->type))
        return BAD;
    if (algo->data[0] != 100 && algo->data[0] != 103)
        return BAD;
    multiply((int)m, (int)n, (int)k, *(const float *)alpha,
             (factor){a, la->type, desc[0], la->leading},
             (factor){b, lb->type, desc[1], lb->leading}, *(const float *)beta,
             d, ld->type, ld->leading);
    return 0;
}
