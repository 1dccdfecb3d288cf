/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the symbols of cuBLAS and cuBLASLt that computes on the
 * host, column-major and by its own reading of the arguments. It is as strict
 * as the contract lets it be: an own workspace after every set stream, the
 * right types, non-null descriptions. $FAKE_BLAS_FAIL names a function that
 * fails; fake_blas_live() counts what was not destroyed. cuBLASLt's kernels are
 * loaded at their first run, which fails on the stream of
 * fake_blas_capture(). $FAKE_BLAS_VERSION is the version, and
 * $FAKE_BLAS_GUESSES how many algorithms there are. */
#include "tests/tuner/fake_blas_types.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BAD = 7, FAILED = 13, UNSUPPORTED = 15 };

typedef struct handle {
    int pointer_mode;
    int math_mode;
    int workspace_set;
} handle;

typedef struct layout {
    int type;
    uint64_t rows, columns;
    int64_t leading;
    int32_t batch;
    int64_t stride;
} layout;

/* Of a search. */
typedef struct preference {
    uint64_t workspace_bytes;
    uint32_t align_bytes[4]; /* of A to D */
} preference;

/* data: a number from 100 up, the alignment it needs, the workspace it needs,
 * the version that it is of. */
typedef struct algorithm {
    uint64_t data[8];
} algorithm;

enum { NUMBER, ALIGNMENT, WORKSPACE, VERSION };

typedef struct heuristic {
    algorithm algorithm;
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
} heuristic;

#define EXPORT __attribute__((visibility("default")))

static atomic_int live;
static _Atomic(void *) captured;
static atomic_ulong loaded[17]; /* by alignment; a bit per algorithm */
static atomic_ulong n_heuristics;

static int fails(const char *function)
{
    const char *const name = getenv("FAKE_BLAS_FAIL");

    return name && !strcmp(name, function);
}

/* A column-major matrix of which op(X) is taken. */
typedef struct factor {
    const void *data;
    int type, op;
    int64_t leading;
} factor;

static double factor_element(const factor *x, int64_t row, int64_t column)
{
    return element(x->data, x->type,
                   x->op ? row * x->leading + column
                         : column * x->leading + row);
}

/* A rehearsal: its pointers lead nowhere. */
static int is_pretended(const void *p)
{
    return ((uintptr_t)p & 0xffffffff00u) == 0;
}

/* Column-major C[m,n] = alpha*op(A)[m,k]*op(B)[k,n] + beta*C. */
static void multiply(int m, int n, int k, double alpha, factor a, factor b,
                     double beta, void *c, int c_type, int64_t ldc)
{
    if (is_pretended(a.data))
        return;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const int64_t at = j * ldc + i;
            double sum = 0;

            for (int64_t l = 0; l < k; l++)
                sum += factor_element(&a, i, l) * factor_element(&b, l, j);
            sum = alpha * sum + (beta != 0 ? beta * element(c, c_type, at) : 0);
            set_element(c, c_type, at, sum);
        }
}

#include "tests/tuner/fake_blas_complex.h"

/* This stream is captured; NULL: none. */
EXPORT void fake_blas_capture(void *stream);
EXPORT void fake_blas_capture(void *stream)
{
    captured = stream;
}

EXPORT void fake_blas_unload(void);
EXPORT void fake_blas_unload(void)
{
    for (int i = 0; i < 17; i++)
        loaded[i] = 0;
}

EXPORT long fake_blas_n_heuristics(void);
EXPORT long fake_blas_n_heuristics(void)
{
    return (long)n_heuristics;
}

static int number_of(const char *variable, int otherwise)
{
    const char *const text = getenv(variable);

    return text ? atoi(text) : otherwise;
}

static int version(void)
{
    return number_of("FAKE_BLAS_VERSION", 130100);
}

/* One of a dead context is left alone: that is no leak. */
EXPORT extern void *fake_blas_handles[64];
EXPORT void *fake_blas_handles[64];

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

DECLARE(int, cublasGetVersion_v2, (handle * h, int *out))
{
    *out = version();
    return h ? 0 : BAD;
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
    if (fails("cublasSetWorkspace"))
        return FAILED;
    h->workspace_set = p && size_bytes >= (size_t)32 << 20;
    return 0;
}

DECLARE(int, cublasSetPointerMode_v2, (handle * h, int mode))
{
    if (mode && h->pointer_mode == mode)
        return BAD; /* whoever set it did not put it back */
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
    return h && !h->pointer_mode && !h->math_mode;
}

DECLARE(int, cublasGemmEx,
        (handle * h, int op_a, int op_b, int m, int n, int k, const void *alpha,
         const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
         const void *beta, void *c, int c_type, int ldc, int compute_type,
         int algo))
{
    if (fails("cublasGemmEx"))
        return FAILED;
    if (!ready(h) || !h->workspace_set || lda < (op_a ? k : m) ||
        ldb < (op_b ? n : k) || ldc < m || algo != -1)
        return BAD;
    if (a_type == C_32F)
        return b_type != C_32F || c_type != C_32F || compute_type != COMPUTE_32F
                   ? BAD
                   : multiply_complex(m, n, k, alpha, a, op_a, lda, b, op_b,
                                      ldb, beta, c, ldc);
    if ((op_a | op_b) > 1 || !types_fit(a_type, b_type, c_type, compute_type,
                                        scale_of(compute_type)))
        return BAD;
    multiply(m, n, k, element(alpha, scale_of(compute_type), 0),
             (factor){a, a_type, op_a, lda}, (factor){b, b_type, op_b, ldb},
             element(beta, scale_of(compute_type), 0), c, c_type, ldc);
    return 0;
}

DECLARE(int, cublasGemmStridedBatchedEx,
        (handle * h, int op_a, int op_b, int m, int n, int k, const void *alpha,
         const void *a, int a_type, int lda, long long a_stride, const void *b,
         int b_type, int ldb, long long b_stride, const void *beta, void *c,
         int c_type, int ldc, long long c_stride, int batch, int compute_type,
         int algo))
{
    int status = batch > 0 ? 0 : BAD;

    for (int i = 0; i < batch && !status; i++) {
        const int64_t of_in = size_of(a_type);
        const int64_t of_out = size_of(c_type);

        status = cublasGemmEx(
            h, op_a, op_b, m, n, k, alpha,
            (const char *)a + i * a_stride * of_in, a_type, lda,
            (const char *)b + i * b_stride * of_in, b_type, ldb, beta,
            (char *)c + i * c_stride * of_out, c_type, ldc, compute_type, algo);
    }
    return status;
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

/* What is written to the device is written by a caller that says so. */
static int store_sum(const handle *h, int type, double sum, void *result)
{
    if (h->pointer_mode != 1 || (type != R_32F && type != R_64F))
        return BAD;
    if (type == R_64F)
        *(double *)result = sum;
    else
        *(float *)result = (float)sum;
    return 0;
}

DECLARE(int, cublasDotEx,
        (handle * h, int n, const void *x, int x_type, int x_step,
         const void *y, int y_type, int y_step, void *result, int result_type,
         int execution_type))
{
    double sum = 0;

    if (x_type != y_type || result_type != x_type || execution_type != x_type ||
        x_step != 1 || y_step != 1)
        return BAD;
    for (int i = 0; i < n; i++)
        sum += element(x, x_type, i) * element(y, x_type, i);
    return store_sum(h, x_type, sum, result);
}

DECLARE(int, cublasNrm2Ex,
        (handle * h, int n, const void *x, int x_type, int x_step, void *result,
         int result_type, int execution_type))
{
    double sum = 0;

    if (result_type != x_type || execution_type != x_type || x_step != 1)
        return BAD;
    for (int i = 0; i < n; i++)
        sum += element(x, x_type, i) * element(x, x_type, i);
    return store_sum(h, x_type, sqrt(sum), result);
}

#include "tests/tuner/fake_blas_gemv.h"

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

DECLARE(size_t, cublasLtGetVersion, (void))
{
    return (size_t)version();
}

DECLARE(int, cublasLtCreate, (void **out))
{
    static atomic_uint n;

    if (fails("cublasLtCreate") || create(out, 1))
        return FAILED;
    fake_blas_handles[n++ % 64] = *out;
    return 0;
}

DECLARE(int, cublasLtDestroy, (void *h))
{
    return destroy(h);
}

DECLARE(int, cublasLtMatmulDescCreate, (void **out, int compute, int scale))
{
    int *made;

    if (scale != scale_of(compute) || create(out, 4 * sizeof(int)))
        return BAD;
    made = *out;
    made[2] = compute;
    made[3] = scale;
    return 0;
}

/* Its two operations; behind them what it was created for. */
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
    **out = (layout){type, rows, columns, leading, 1, 0};
    return 0;
}

DECLARE(int, cublasLtMatrixLayoutSetAttribute,
        (layout * l, int attribute, const void *value, size_t size_bytes))
{
    if (attribute == 5 && size_bytes == sizeof l->batch)
        memcpy(&l->batch, value, sizeof l->batch);
    else if (attribute == 6 && size_bytes == sizeof l->stride)
        memcpy(&l->stride, value, sizeof l->stride);
    else
        return BAD;
    return 0;
}

DECLARE(int, cublasLtMatrixLayoutDestroy, (layout * l))
{
    return destroy(l);
}

DECLARE(int, cublasLtMatmulPreferenceCreate, (preference * *out))
{
    void *made = NULL;

    if (create(&made, sizeof **out))
        return BAD;
    *out = made;
    for (int i = 0; i < 4; i++)
        (*out)->align_bytes[i] = 256;
    return 0;
}

DECLARE(int, cublasLtMatmulPreferenceDestroy, (preference * p))
{
    return destroy(p);
}

DECLARE(int, cublasLtMatmulPreferenceSetAttribute,
        (preference * p, int attribute, const void *value, size_t size_bytes))
{
    if (attribute == 1 && size_bytes == sizeof p->workspace_bytes)
        memcpy(&p->workspace_bytes, value, size_bytes);
    else if (attribute >= 5 && attribute <= 8 &&
             size_bytes == sizeof p->align_bytes[0])
        memcpy(&p->align_bytes[attribute - 5], value, size_bytes);
    else
        return BAD;
    return 0;
}

/* What is asked for, and less where matrices lie at lesser addresses. */
static uint64_t alignment_of(const preference *p)
{
    uint64_t align_bytes = 16;

    for (int i = 0; i < 4; i++)
        if (p->align_bytes[i] < align_bytes)
            align_bytes = p->align_bytes[i];
    return align_bytes;
}

/* Four guesses; the second is unusable and the third too hungry. */
DECLARE(int, cublasLtMatmulAlgoGetHeuristic,
        (void *h, void *desc, layout *a, layout *b, layout *c, layout *d,
         preference *p, int wanted, heuristic *results, int *n_results))
{
    n_heuristics++;
    if (fails("cublasLtMatmulAlgoGetHeuristic"))
        return UNSUPPORTED;
    if (!h || !desc || !a || !b || !c || c != d || wanted != 32)
        return BAD;
    *n_results = fails("heuristics") ? 0 : number_of("FAKE_BLAS_GUESSES", 4);
    for (int i = 0; i < *n_results; i++) {
        memset(&results[i], 0, sizeof results[i]);
        results[i].state = i == 1 ? UNSUPPORTED : 0;
        results[i].workspace_bytes = p->workspace_bytes + (i == 2);
        results[i].algorithm.data[NUMBER] = 100 + (uint64_t)i;
        results[i].algorithm.data[ALIGNMENT] = alignment_of(p);
        results[i].algorithm.data[WORKSPACE] = results[i].workspace_bytes;
        results[i].algorithm.data[VERSION] = (uint64_t)version();
    }
    return 0;
}

static int is_known(const algorithm *algo)
{
    return algo->data[VERSION] == (uint64_t)version() &&
           algo->data[NUMBER] >= 100 && algo->data[NUMBER] < 132 &&
           algo->data[NUMBER] != 101;
}

DECLARE(int, cublasLtMatmulAlgoCheck,
        (void *h, void *desc, layout *a, layout *b, layout *c, layout *d,
         const algorithm *algo, heuristic *result))
{
    if (fails("cublasLtMatmulAlgoCheck"))
        return UNSUPPORTED;
    if (!h || !desc || !a || !b || !c || c != d || !is_known(algo))
        return BAD;
    memset(result, 0, sizeof *result);
    result->workspace_bytes = algo->data[WORKSPACE];
    return 0;
}

/* The first run of an algorithm loads its kernel. */
static int load(const algorithm *algo, const void *stream)
{
    const unsigned long bit = 1ul << (algo->data[NUMBER] - 100);
    atomic_ulong *const of = &loaded[algo->data[ALIGNMENT]];

    if (stream && stream == captured && !(*of & bit))
        return 0;
    *of |= bit;
    return 1;
}

DECLARE(int, cublasLtMatmul,
        (void *h, const int *desc, const void *alpha, const void *a, layout *la,
         const void *b, layout *lb, const void *beta, const void *c, layout *lc,
         void *d, layout *ld, const algorithm *algo, void *workspace,
         size_t workspace_bytes, void *stream))
{
    uint64_t m, n, k, k_too;

    if (fails("cublasLtMatmul"))
        return FAILED;
    if (!h || !desc || c != d || lc != ld || !is_known(algo) ||
        workspace_bytes < algo->data[WORKSPACE] ||
        (algo->data[WORKSPACE] && !workspace))
        return BAD;
    m = desc[0] ? la->columns : la->rows;
    k = desc[0] ? la->rows : la->columns;
    k_too = desc[1] ? lb->columns : lb->rows;
    n = desc[1] ? lb->rows : lb->columns;
    if (k != k_too || m != lc->rows || n != lc->columns ||
        !types_fit(la->type, lb->type, lc->type, desc[2], desc[3]) ||
        la->batch != lc->batch || lb->batch != lc->batch)
        return BAD;
    if (((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % algo->data[ALIGNMENT])
        return BAD;
    if (!load(algo, stream))
        return FAILED;
    for (int i = 0; i < lc->batch; i++) {
        const int64_t of_a = size_of(la->type);
        const int64_t of_b = size_of(lb->type);
        const int64_t of_c = size_of(lc->type);

        multiply((int)m, (int)n, (int)k, element(alpha, desc[3], 0),
                 (factor){(const char *)a + i * la->stride * of_a, la->type,
                          desc[0], la->leading},
                 (factor){(const char *)b + i * lb->stride * of_b, lb->type,
                          desc[1], lb->leading},
                 element(beta, desc[3], 0), (char *)d + i * ld->stride * of_c,
                 ld->type, ld->leading);
    }
    return 0;
}
