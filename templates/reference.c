/* SPDX-License-Identifier: Apache-2.0 */
/* CPU references of the shipped templates: see reference.h. Straightforward
 * loops; what matters is that they are right. */
#include "templates/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COST(name, operations)                                                 \
    double hone_reference_##name##_cost(const int64_t *dims)                   \
    {                                                                          \
        (void)dims;                                                            \
        return operations;                                                     \
    }
COST(saxpy, 2.0)
COST(sum, (double)dims[0])
COST(gemm, 2.0 * (double)dims[2] + 3.0)
COST(gemm_f8, 2.0 * (double)dims[2] + 5.0)
COST(conv1d, 2.0 * (double)dims[1])
COST(fft_filter, 10.0 * log2((double)dims[0]) + 4.0)
COST(scan, 0.0)

/* Where transforms alternate, a range of elements has few of each, and of each
 * all is computed. */
double hone_reference_fft_cost(const int64_t *dims)
{
    const double n = (double)dims[0];

    return dims[3] < dims[4] ? 5.0 * log2(n) : 2.0 * n;
}

double hone_reference_from_f16(uint16_t bits)
{
    const uint64_t sign = (uint64_t)(bits & 0x8000u) << 48;
    uint64_t exponent = (bits >> 10) & 0x1fu;
    uint64_t fraction = bits & 0x3ffu;
    uint64_t out;
    double value;

    if (exponent == 0x1f) {
        exponent = 0x7ff;
    } else if (exponent != 0) {
        exponent += 1023 - 15;
    } else if (fraction != 0) {
        /* Subnormal: fraction * 2^-24. Shift its first 1 bit to where the
         * implicit one stands. */
        exponent = 1023 - 14;
        while (!(fraction & 0x400u)) {
            fraction <<= 1;
            --exponent;
        }
        fraction &= 0x3ffu;
    }
    out = sign | exponent << 52 | fraction << 42;
    memcpy(&value, &out, sizeof value);
    return value;
}

/* Of bfloat16: the upper half of a float. */
static double from_bf16(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;

    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

/* Of OFP8: `stored` bits of fraction. e4m3 has no infinity, and one NaN. */
static double from_f8(unsigned bits, unsigned stored, int bias)
{
    const unsigned exponent = (bits & 0x7fu) >> stored;
    const unsigned fraction = bits & ((1u << stored) - 1u);
    double value = ldexp((double)(fraction | (exponent ? 1u << stored : 0u)),
                         (exponent ? (int)exponent : 1) - bias - (int)stored);

    if (stored == 2 ? exponent == 31 : (bits & 0x7fu) == 0x7fu)
        value = stored == 2 && fraction == 0 ? (double)INFINITY : (double)NAN;
    return bits & 0x80u ? -value : value;
}

/* One element of an array of this type. */
static double element_of(int64_t type, const void *array, int64_t index)
{
    switch (type) {
    case HONE_REFERENCE_F16:
        return hone_reference_from_f16(((const uint16_t *)array)[index]);
    case HONE_REFERENCE_BF16:
        return from_bf16(((const uint16_t *)array)[index]);
    case HONE_REFERENCE_F64:
        return ((const double *)array)[index];
    case HONE_REFERENCE_I32:
        return (double)((const int32_t *)array)[index];
    case HONE_REFERENCE_E4M3:
        return from_f8(((const uint8_t *)array)[index], 3, 7);
    case HONE_REFERENCE_E5M2:
        return from_f8(((const uint8_t *)array)[index], 2, 15);
    default:
        return (double)((const float *)array)[index];
    }
}

HONE_REFERENCE(saxpy)
{
    for (int64_t i = 0; i < count; ++i) {
        const double product = element_of(dims[1], args[0], 0) *
                               element_of(dims[1], args[1], first + i);
        const double old = element_of(dims[1], args[2], first + i);

        value[i] = product + old;
        magnitude[i] = fabs(product) + fabs(old);
    }
}

/* Neumaier's variant of compensated summation: what an addition rounds away
 * is collected aside. A sum that is no longer finite has nothing aside. */
static double compensated_sum(const float *x, int64_t n)
{
    double sum = 0.0, aside = 0.0;

    for (int64_t i = 0; i < n; ++i) {
        const double term = (double)x[i];
        const double next = sum + term;

        aside +=
            fabs(sum) >= fabs(term) ? sum - next + term : term - next + sum;
        sum = next;
    }
    return isfinite(sum) ? sum + aside : sum;
}

HONE_REFERENCE(sum)
{
    const float *x = args[0];

    if (first != 0 || count < 1)
        return;
    value[0] = compensated_sum(x, dims[0]);
    magnitude[0] = 0.0;
    for (int64_t i = 0; i < dims[0]; ++i)
        magnitude[0] += fabs((double)x[i]);
}

/* Where the elements of products lie: from one to the next along each
 * dimension. */
typedef struct gemm_layout {
    int64_t m, n, k, batch;
    int64_t type, type_b, type_c;
    int64_t a_row, a_step, a_matrix;
    int64_t b_step, b_col, b_matrix;
    int64_t c_row, c_matrix;
} gemm_layout;

static gemm_layout gemm_read(const int64_t *dims)
{
    const int trans_a = dims[5] != 0, trans_b = dims[6] != 0;
    const int64_t lda = dims[7], ldb = dims[8];

    return (gemm_layout){.m = dims[0],
                         .n = dims[1],
                         .k = dims[2],
                         .type = dims[3],
                         .type_b = dims[3],
                         .type_c = dims[4],
                         .a_row = trans_a ? 1 : lda,
                         .a_step = trans_a ? lda : 1,
                         .b_step = trans_b ? 1 : ldb,
                         .b_col = trans_b ? ldb : 1,
                         .c_row = dims[9],
                         .batch = dims[10],
                         .a_matrix = dims[11],
                         .b_matrix = dims[12],
                         .c_matrix = dims[13]};
}

/* What gemm's EPILOGUE does to a sum. */
static double gemm_finish(int64_t epilogue, double s)
{
    if (epilogue & 2)
        return s < 0.0 ? 0.0 : s;
    if (epilogue & 32)
        return 0.5 * s *
               (1.0 +
                tanh(0.79788456080286535588 * (s + 0.044715 * s * s * s)));
    return s;
}

/* `count` elements of a row of a matrix of C. */
typedef struct gemm_part {
    int64_t matrix, row, col, count;
} gemm_part;

/* The part that begins with element `index` of the array and has `count`
 * elements at most. 0: that one lies between rows or matrices; a part of 1. */
static int gemm_find(const gemm_layout *g, int64_t index, int64_t count,
                     gemm_part *out)
{
    /* One matrix after the other, or side by side in the rows. */
    const int is_apart =
        g->batch == 1 || g->c_matrix >= (g->m - 1) * g->c_row + g->n;

    out->matrix = 0;
    if (is_apart && g->batch > 1) {
        out->matrix = index / g->c_matrix;
        index %= g->c_matrix;
    }
    out->row = index / g->c_row;
    out->col = index % g->c_row;
    if (!is_apart) {
        out->matrix = out->col / g->c_matrix;
        out->col %= g->c_matrix;
    }
    out->count = 1;
    if (out->matrix >= g->batch || out->row >= g->m || out->col >= g->n)
        return 0;
    out->count = count < g->n - out->col ? count : g->n - out->col;
    return 1;
}

/* A matrix of B as doubles, K x N without gaps: it is read once for every row
 * of C, and a conversion takes longer than a product. */
typedef struct gemm_wide {
    double *b; /* NULL: not kept */
    int64_t matrix;
} gemm_wide;

/* Worth it for some rows of C, if it is not too large. */
static gemm_wide gemm_wide_open(const gemm_layout *g, int64_t count)
{
    const int64_t least_rows = 4, most = (int64_t)1 << 23;
    gemm_wide out = {NULL, -1};

    if (count >= least_rows * g->n && g->k <= most / (g->n ? g->n : 1))
        out.b = malloc((size_t)(g->k * g->n) * sizeof *out.b + 1);
    return out;
}

/* `n` elements, `step` apart, as doubles. */
static void gemm_widen(int64_t type, const void *array, int64_t at,
                       int64_t step, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; ++i)
        out[i] = element_of(type, array, at + i * step);
}

static void gemm_wide_fill(const gemm_layout *g, const void *b, int64_t matrix,
                           gemm_wide *wide)
{
    if (!wide->b || wide->matrix == matrix)
        return;
    wide->matrix = matrix;
    for (int64_t step = 0; step < g->k; ++step)
        gemm_widen(g->type_b, b, matrix * g->b_matrix + step * g->b_step,
                   g->b_col, g->n, wide->b + step * g->n);
}

/* One term of each of `n` sums. */
static void gemm_add(double left, const double *restrict right, int64_t n,
                     double *restrict value, double *restrict magnitude)
{
    for (int64_t j = 0; j < n; ++j) {
        const double term = left * right[j];

        value[j] += term;
        magnitude[j] += fabs(term);
    }
}

static void gemm_compute(const gemm_layout *g, const void *const *args,
                         const gemm_part *p, gemm_wide *wide, double *value,
                         double *magnitude)
{
    enum { CHUNK = 256 }; /* columns: they stay in the first cache */
    const int64_t a = p->matrix * g->a_matrix + p->row * g->a_row;
    double own[CHUNK];

    gemm_wide_fill(g, args[1], p->matrix, wide);
    for (int64_t j = 0; j < p->count; ++j)
        value[j] = magnitude[j] = 0.0;
    for (int64_t at = 0; at < p->count; at += CHUNK) {
        const int64_t n = p->count - at < CHUNK ? p->count - at : CHUNK;
        const int64_t b = p->matrix * g->b_matrix + (p->col + at) * g->b_col;

        for (int64_t step = 0; step < g->k; ++step) {
            const double *right =
                wide->b ? wide->b + step * g->n + p->col + at : own;

            if (!wide->b)
                gemm_widen(g->type_b, args[1], b + step * g->b_step, g->b_col,
                           n, own);
            gemm_add(element_of(g->type, args[0], a + step * g->a_step), right,
                     n, value + at, magnitude + at);
        }
    }
}

HONE_REFERENCE(gemm)
{
    const gemm_layout g = gemm_read(dims);
    const double alpha = (double)*(const float *)args[3];
    const double beta = (double)*(const float *)args[4];
    gemm_wide wide = gemm_wide_open(&g, count);

    while (count > 0) {
        gemm_part part;
        const int is_inside = gemm_find(&g, first, count, &part);

        if (is_inside)
            gemm_compute(&g, args, &part, &wide, value, magnitude);
        for (int64_t j = 0; j < part.count; ++j) {
            const double old = element_of(g.type_c, args[2], first + j);
            const double scaled = beta != 0.0 ? beta * old : 0.0;

            const double bias =
                is_inside && dims[15] & 4
                    ? element_of(g.type_c, args[5], part.col + j)
                    : 0.0;

            value[j] = is_inside ? gemm_finish(dims[15],
                                               alpha * value[j] + scaled + bias)
                                 : old;
            magnitude[j] = is_inside ? fabs(alpha) * magnitude[j] +
                                           fabs(scaled) + fabs(bias)
                                     : fabs(old);
        }
        first += part.count;
        count -= part.count;
        value += part.count;
        magnitude += part.count;
    }
    free(wide.b);
}

/* The same as gemm_read(), of gemm_f8's dims. */
static gemm_layout gemm_f8_read(const int64_t *dims)
{
    const int trans_a = dims[6] != 0, trans_b = dims[7] != 0;
    const int64_t as_gemm[] = {dims[0],
                               dims[1],
                               dims[2],
                               dims[3],
                               dims[5],
                               dims[6],
                               dims[7],
                               dims[8],
                               dims[9],
                               dims[10],
                               dims[11],
                               dims[8] * (trans_a ? dims[2] : dims[0]),
                               dims[9] * (trans_b ? dims[1] : dims[2]),
                               dims[10] * dims[0]};
    gemm_layout g = gemm_read(as_gemm);

    g.type_b = dims[4];
    return g;
}

HONE_REFERENCE(gemm_f8)
{
    const gemm_layout g = gemm_f8_read(dims);
    const double alpha = (double)*(const float *)args[3];
    const double beta = (double)*(const float *)args[4];
    const float *scale_a = args[5], *scale_b = args[6];
    const int64_t scales = dims[12];
    gemm_wide wide = gemm_wide_open(&g, count);

    while (count > 0) {
        gemm_part part;
        const int is_inside = gemm_find(&g, first, count, &part);

        if (is_inside)
            gemm_compute(&g, args, &part, &wide, value, magnitude);
        for (int64_t j = 0; j < part.count; ++j) {
            const double old = element_of(g.type_c, args[2], first + j);
            const double added = beta != 0.0 ? beta * old : 0.0;
            double scale = alpha;

            if (is_inside && scales)
                scale *= (double)scale_a[scales == 2 ? part.row : 0] *
                         (double)scale_b[scales == 2 ? part.col + j : 0];
            value[j] = is_inside ? scale * value[j] + added : old;
            magnitude[j] = is_inside ? fabs(scale) * magnitude[j] + fabs(added)
                                     : fabs(old);
        }
        first += part.count;
        count -= part.count;
        value += part.count;
        magnitude += part.count;
    }
    free(wide.b);
}

HONE_REFERENCE(conv1d)
{
    const float *x = args[0];
    const float *h = args[1];

    for (int64_t j = 0; j < count; ++j) {
        const int64_t i = first + j;
        const int64_t n_terms = dims[1] <= i ? dims[1] : i + 1;

        value[j] = magnitude[j] = 0.0;
        for (int64_t k = 0; k < n_terms; ++k) {
            const double term = (double)h[k] * (double)x[i - k];

            value[j] += term;
            magnitude[j] += fabs(term);
        }
    }
}

/* What 32 bits keep of an integer. */
static double wrapped(double sum)
{
    return sum - 0x1p32 * floor((sum + 0x1p31) / 0x1p32);
}

HONE_REFERENCE(scan)
{
    const int exclusive = *(const int32_t *)args[2] & 1;
    double sum = 0.0, absolute = 0.0;

    for (int64_t i = 0; i < first + count; ++i) {
        const double before = sum, absolute_before = absolute;
        const double term = element_of(dims[1], args[0], i);

        sum += term;
        absolute += fabs(term);
        if (dims[1] == HONE_REFERENCE_I32)
            sum = wrapped(sum);
        if (i >= first) {
            value[i - first] = exclusive ? before : sum;
            magnitude[i - first] = exclusive ? absolute_before : absolute;
        }
    }
}
