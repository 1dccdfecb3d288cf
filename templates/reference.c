/* SPDX-License-Identifier: Apache-2.0 */
/* CPU references of the shipped templates: see reference.h. Straightforward
 * loops; what matters is that they are right. */
#include "templates/reference.h"

#include <math.h>
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
COST(conv1d, 2.0 * (double)dims[1])
COST(fft, 5.0 * log2((double)dims[0]))
COST(fft_filter, 10.0 * log2((double)dims[0]) + 4.0)
COST(scan, 0.0)

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

/* Where the elements of a product lie: from one to the next along each
 * dimension. */
typedef struct gemm_layout {
    int64_t n, k;
    int64_t type, type_c;
    int64_t a_row, a_step, b_step, b_col, c_row;
} gemm_layout;

static gemm_layout gemm_read(const int64_t *dims)
{
    const int64_t m = dims[0], n = dims[1], k = dims[2];
    const int trans_a = dims[5] != 0, trans_b = dims[6] != 0;
    const int64_t lda = trans_a ? m : k, ldb = trans_b ? k : n;

    return (gemm_layout){n,
                         k,
                         dims[3],
                         dims[4],
                         trans_a ? 1 : lda,
                         trans_a ? lda : 1,
                         trans_b ? 1 : ldb,
                         trans_b ? ldb : 1,
                         n};
}

/* `count` elements of one row of a C, from column `col` on. */
static void gemm_part(const gemm_layout *g, const void *const *args,
                      int64_t row, int64_t col, int64_t count, double *value,
                      double *magnitude)
{
    const double alpha = (double)*(const float *)args[3];
    const double beta = (double)*(const float *)args[4];
    const int64_t a = row * g->a_row, b = col * g->b_col;
    const int64_t c = row * g->c_row + col;

    for (int64_t j = 0; j < count; ++j)
        value[j] = magnitude[j] = 0.0;
    for (int64_t step = 0; step < g->k; ++step) {
        const double left = element_of(g->type, args[0], a + step * g->a_step);

        for (int64_t j = 0; j < count; ++j) {
            const double term =
                left * element_of(g->type, args[1],
                                  b + step * g->b_step + j * g->b_col);

            value[j] += term;
            magnitude[j] += fabs(term);
        }
    }
    for (int64_t j = 0; j < count; ++j) {
        const double old =
            beta != 0.0 ? beta * element_of(g->type_c, args[2], c + j) : 0.0;

        value[j] = alpha * value[j] + old;
        magnitude[j] = fabs(alpha) * magnitude[j] + fabs(old);
    }
}

HONE_REFERENCE(gemm)
{
    const gemm_layout g = gemm_read(dims);

    while (count > 0) {
        const int64_t col = first % g.n;
        const int64_t part = count < g.n - col ? count : g.n - col;

        gemm_part(&g, args, first / g.n, col, part, value, magnitude);
        first += part;
        count -= part;
        value += part;
        magnitude += part;
    }
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
