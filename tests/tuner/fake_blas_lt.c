/* SPDX-License-Identifier: Apache-2.0 */
/* The fake cuBLASLt. $FAKE_BLAS_GUESSES is how many algorithms its heuristic
 * knows, $FAKE_BLAS_SLOW how many of these, the first, read C slowly. Kernels
 * are loaded at their first run, which fails on the stream of
 * fake_blas_capture(). */
#include "tests/tuner/fake_blas_parts.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
/* Of a description; addresses are two numbers. */
enum {
    EPILOGUE = 4,
    BIAS = 6,
    SCALES = 8,
    FAST = 12,
    MODES = 13,
    N_OF_DESCRIPTION = 16
};
enum { BY_LINES = 3 }; /* a mode: a scale for each row of A, column of B */

typedef struct heuristic {
    algorithm algorithm;
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
} heuristic;

static _Atomic(void *) captured;
static atomic_ulong loaded[17]; /* by alignment; a bit per algorithm */
static atomic_ulong n_heuristics;

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

/* One of a dead context is left alone: that is no leak. */
EXPORT extern void *fake_blas_handles[64];
EXPORT void *fake_blas_handles[64];

DECLARE(const char *, cublasLtGetStatusString, (int r))
{
    return status_text(r);
}

static int create(void **out, size_t size_bytes)
{
    *out = calloc(1, size_bytes);
    fake_blas_n_made += *out != NULL;
    return *out ? 0 : BAD;
}

static int destroy(void *p)
{
    free(p);
    fake_blas_n_made--;
    return 0;
}

DECLARE(size_t, cublasLtGetVersion, (void))
{
    return (size_t)fake_blas_version();
}

DECLARE(int, cublasLtCreate, (void **out))
{
    static atomic_uint n;

    if (fake_blas_fails("cublasLtCreate") || create(out, 1))
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

    if (scale != scale_of(compute) ||
        create(out, N_OF_DESCRIPTION * sizeof(int)))
        return BAD;
    made = *out;
    made[2] = compute;
    made[3] = scale;
    made[EPILOGUE] = 1;
    return 0;
}

/* Its two operations; behind them what it was created for, the epilogue, the
 * bias, and what 8-bit floats have. */
DECLARE(int, cublasLtMatmulDescSetAttribute,
        (int *d, int attribute, const void *value, size_t size_bytes))
{
    if (fake_blas_fails("cublasLtMatmulDescSetAttribute"))
        return FAILED;
    if (attribute == 8 && size_bytes == sizeof(void *))
        memcpy(&d[BIAS], value, size_bytes);
    else if ((attribute == 3 || attribute == 4) && size_bytes == sizeof *d)
        memcpy(&d[attribute - 3], value, size_bytes);
    else if (attribute == 7 && size_bytes == sizeof *d)
        memcpy(&d[EPILOGUE], value, size_bytes);
    else if ((attribute == 17 || attribute == 18) &&
             size_bytes == sizeof(void *))
        memcpy(&d[SCALES + 2 * (attribute - 17)], value, size_bytes);
    else if ((attribute == 31 || attribute == 32) && size_bytes == sizeof *d)
        memcpy(&d[MODES + attribute - 31], value, size_bytes);
    else if (attribute == 25 && size_bytes == 1)
        d[FAST] = *(const int8_t *)value;
    else
        return BAD;
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

static const void *bias_of(const int *desc)
{
    const void *bias;

    memcpy(&bias, &desc[BIAS], sizeof bias);
    return bias;
}

/* The scale of line `i` of A (0) or B (1); 1 where there is none. */
static double scale_at(const int *desc, int of_b, int64_t i)
{
    const float *scales;

    memcpy(&scales, &desc[SCALES + 2 * of_b], sizeof scales);
    return scales ? (double)scales[desc[MODES + of_b] == BY_LINES ? i : 0] : 1;
}

/* Of 8-bit floats, an element at a time: both factors have K contiguous. */
static void multiply_scaled(const int *desc, int k, double alpha,
                            const factor *a, const factor *b, double beta,
                            char *c, const layout *lc)
{
    for (int64_t j = 0; j < (int64_t)lc->columns; j++)
        for (int64_t i = 0; i < (int64_t)lc->rows; i++) {
            factor row = *a, column = *b;

            row.data = (const char *)a->data + i * a->leading;
            column.data = (const char *)b->data + j * b->leading;
            fake_blas_multiply(
                1, 1, k, alpha * scale_at(desc, 0, i) * scale_at(desc, 1, j),
                row, column, beta,
                c + (j * lc->leading + i) * size_of(lc->type), lc->type, 1);
        }
}

/* Bias and relu; what else there may be, the fake does not have. */
static void finish(const int *desc, const layout *l, void *c)
{
    for (int64_t j = 0; j < (int64_t)l->columns; j++)
        for (int64_t i = 0; i < (int64_t)l->rows; i++) {
            double v = element(c, l->type, j * l->leading + i);

            if (desc[EPILOGUE] & 4)
                v += element(bias_of(desc), l->type, i);
            set_element(c, l->type, j * l->leading + i,
                        (desc[EPILOGUE] & 2) && v < 0 ? 0 : v);
        }
}

/* Four guesses; the second is unusable and the third too hungry. */
DECLARE(int, cublasLtMatmulAlgoGetHeuristic,
        (void *h, const int *desc, layout *a, layout *b, layout *c, layout *d,
         preference *p, int wanted, heuristic *results, int *n_results))
{
    n_heuristics++;
    if (fake_blas_fails("cublasLtMatmulAlgoGetHeuristic"))
        return UNSUPPORTED;
    if (!h || !desc || !a || !b || !c || c != d || wanted != 32 ||
        (desc[EPILOGUE] & 4 && !bias_of(desc)))
        return BAD;
    *n_results = fake_blas_fails("heuristics")
                     ? 0
                     : fake_blas_number("FAKE_BLAS_GUESSES", 4);
    for (int i = 0; i < *n_results; i++) {
        memset(&results[i], 0, sizeof results[i]);
        results[i].state = i == 1 ? UNSUPPORTED : 0;
        results[i].workspace_bytes = p->workspace_bytes + (i == 2);
        results[i].algorithm.data[NUMBER] = 100 + (uint64_t)i;
        results[i].algorithm.data[ALIGNMENT] = alignment_of(p);
        results[i].algorithm.data[WORKSPACE] = results[i].workspace_bytes;
        results[i].algorithm.data[VERSION] = (uint64_t)fake_blas_version();
    }
    return 0;
}

/* Tiles of 128 x 160 or of 128 x 128. */
DECLARE(int, cublasLtMatmulAlgoConfigGetAttribute,
        (const algorithm *algo, int attribute, void *value, size_t size_bytes,
         size_t *n_bytes))
{
    const int slow = fake_blas_number("FAKE_BLAS_SLOW", 0);
    const uint32_t has[] = {
        66, algo->data[NUMBER] < 100 + (uint64_t)slow ? 29 : 20, 1, 0, 0, 1};

    if (fake_blas_fails("cublasLtMatmulAlgoConfigGetAttribute"))
        return FAILED;
    if (algo->data[NUMBER] < 100 || attribute < 0 || attribute > 5 ||
        size_bytes != sizeof has[0])
        return BAD;
    memcpy(value, &has[attribute], sizeof has[0]);
    *n_bytes = sizeof has[0];
    return 0;
}

static int is_known(const algorithm *algo)
{
    return algo->data[VERSION] == (uint64_t)fake_blas_version() &&
           algo->data[NUMBER] >= 100 && algo->data[NUMBER] < 132 &&
           algo->data[NUMBER] != 101;
}

DECLARE(int, cublasLtMatmulAlgoCheck,
        (void *h, void *desc, layout *a, layout *b, layout *c, layout *d,
         const algorithm *algo, heuristic *result))
{
    if (fake_blas_fails("cublasLtMatmulAlgoCheck"))
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

    if (fake_blas_fails("cublasLtMatmul"))
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
    if (desc[EPILOGUE] & ~(1 + 2 + 4) || (desc[EPILOGUE] & 4 && !bias_of(desc)))
        return BAD;
    if (la->type >= R_8F_E4M3 && (!desc[0] || desc[1]))
        return BAD;
    if (((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % algo->data[ALIGNMENT])
        return BAD;
    if (!load(algo, stream))
        return FAILED;
    for (int i = 0; i < lc->batch; i++) {
        const int64_t of_a = size_of(la->type);
        const int64_t of_b = size_of(lb->type);
        const int64_t of_c = size_of(lc->type);

        if (la->type >= R_8F_E4M3) {
            multiply_scaled(desc, (int)k, element(alpha, desc[3], 0),
                            &(factor){(const char *)a + i * la->stride,
                                      la->type, desc[0], la->leading},
                            &(factor){(const char *)b + i * lb->stride,
                                      lb->type, desc[1], lb->leading},
                            element(beta, desc[3], 0),
                            (char *)d + i * ld->stride * of_c, ld);
            continue;
        }
        fake_blas_multiply((int)m, (int)n, (int)k, element(alpha, desc[3], 0),
                           (factor){(const char *)a + i * la->stride * of_a,
                                    la->type, desc[0], la->leading},
                           (factor){(const char *)b + i * lb->stride * of_b,
                                    lb->type, desc[1], lb->leading},
                           element(beta, desc[3], 0),
                           (char *)d + i * ld->stride * of_c, ld->type,
                           ld->leading);
        if (desc[EPILOGUE] != 1)
            finish(desc, ld, (char *)d + i * ld->stride * of_c);
    }
    return 0;
}
