/* SPDX-License-Identifier: Apache-2.0 */
/* CPU references of the Fourier transforms: see reference.h. A whole
 * transform is computed by halving, one or two elements of it by their sums:
 * a caller that samples a large batch asks for single elements. */
#include "templates/reference.h"

#include <math.h>
#include <stddef.h>

enum { MOST_N = 8192, COARSE = 128, FINE = 64 };

typedef struct number {
    double re, im;
} number;

static const double two_pi = 6.283185307179586476925286766559;

static number times(number a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(-2*pi*i * m/n), m from 0 to n-1, as a product of two out of short
 * tables: sines are what a reference would spend its time on. */
typedef struct turns {
    number coarse[COARSE];
    number fine[FINE];
} turns;

static void make_turns(turns *out, int64_t n)
{
    for (int i = 0; i < COARSE; ++i) {
        const double angle = two_pi * i * FINE / (double)n;

        out->coarse[i] = (number){cos(angle), -sin(angle)};
    }
    for (int i = 0; i < FINE; ++i) {
        const double angle = two_pi * i / (double)n;

        out->fine[i] = (number){cos(angle), -sin(angle)};
    }
}

static number turn(const turns *t, int64_t m)
{
    return times(t->coarse[m / FINE], t->fine[m % FINE]);
}

/* Forward transform in place: bits of the numbers reversed, then halves,
 * quarters, .. put together. */
static void transform(number *v, int64_t n, const turns *t)
{
    for (int64_t i = 1, j = 0; i < n; ++i) {
        int64_t bit = n >> 1;

        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const number kept = v[i];

            v[i] = v[j];
            v[j] = kept;
        }
    }
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t k = 0; k < half; ++k) {
            const number w = turn(t, k * (n / 2 / half));

            for (int64_t i = k; i < n; i += 2 * half) {
                const number odd = times(v[i + half], w);

                v[i + half] = (number){v[i].re - odd.re, v[i].im - odd.im};
                v[i] = (number){v[i].re + odd.re, v[i].im + odd.im};
            }
        }
}

/* Element k of the forward transform alone. */
static number one_element(const number *v, int64_t n, int64_t k, const turns *t)
{
    number sum = {0.0, 0.0};

    for (int64_t j = 0; j < n; ++j) {
        const number term = times(v[j], turn(t, j * k % n));

        sum.re += term.re;
        sum.im += term.im;
    }
    return sum;
}

/* An inverse transform is a forward one between two exchanges of real and
 * imaginary parts. */
static void swap_parts(number *v, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        v[i] = (number){v[i].im, v[i].re};
}

static void load(number *v, const float *from, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        v[i] = (number){(double)from[2 * i], (double)from[2 * i + 1]};
}

static double norm(const number *v, int64_t n)
{
    double sum = 0.0;

    for (int64_t i = 0; i < n; ++i)
        sum += v[i].re * v[i].re + v[i].im * v[i].im;
    return sqrt(sum);
}

/* Elements [first, first + count) of the transform of v, where a complex
 * number is two. */
static void give(number *v, int64_t n, int inverse, const turns *t,
                 int64_t first, int64_t count, double *value)
{
    const int64_t last = (first + count - 1) / 2;

    if (inverse)
        swap_parts(v, n);
    if (last == first / 2)
        v[last] = one_element(v, n, last, t);
    else
        transform(v, n, t);
    if (inverse)
        swap_parts(v, n);
    for (int64_t i = 0; i < count; ++i) {
        const number found = v[(first + i) / 2];

        value[i] = (first + i) % 2 ? found.im : found.re;
    }
}

/* Elements of one transform of the batch; `h` NULL: no filter. Returns their
 * magnitude. */
static double fill_one(const float *x, const float *h, int64_t n, int inverse,
                       const turns *t, int64_t first, int64_t count,
                       double *value)
{
    number v[MOST_N];
    double scale;

    load(v, x, n);
    scale = norm(v, n);
    if (h) {
        number filter[MOST_N];

        load(filter, h, n);
        scale *= norm(filter, n);
        transform(v, n, t);
        for (int64_t i = 0; i < n; ++i)
            v[i] = times(v[i], filter[i]);
        scale = fmax(scale, norm(v, n));
    }
    give(v, n, inverse, t, first, count, value);
    return scale;
}

/* Transform by transform. */
static void fill_all(const float *x, const float *h, int64_t n, int inverse,
                     int64_t first, int64_t count, double *value,
                     double *magnitude)
{
    turns t;

    if (n > MOST_N)
        return;
    make_turns(&t, n);
    while (count > 0) {
        const int64_t at = first % (2 * n);
        const int64_t part = count < 2 * n - at ? count : 2 * n - at;
        const double scale =
            fill_one(x + (first - at), h, n, inverse, &t, at, part, value);

        for (int64_t i = 0; i < part; ++i)
            magnitude[i] = scale;
        first += part;
        count -= part;
        value += part;
        magnitude += part;
    }
}

HONE_REFERENCE(fft)
{
    fill_all(args[0], NULL, dims[0], dims[2] == 2, first, count, value,
             magnitude);
}

HONE_REFERENCE(fft_filter)
{
    fill_all(args[0], args[1], dims[0], 1, first, count, value, magnitude);
}
