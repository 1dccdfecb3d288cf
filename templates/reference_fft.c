/* SPDX-License-Identifier: Apache-2.0 */
/* CPU references of the Fourier transforms: see reference.h. A whole
 * transform is computed by halving, one or two elements of it by their sums:
 * a caller that samples a large batch asks for single elements. */
#include "templates/reference.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { MOST_N = 65536, COARSE = 1024, FINE = 64 };

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

/* `from` has numbers `stride` apart. */
static void load(number *v, const float *from, int64_t n, int64_t stride)
{
    for (int64_t i = 0; i < n; ++i)
        v[i] = (number){(double)from[2 * i * stride],
                        (double)from[2 * i * stride + 1]};
}

static double norm(const number *v, int64_t n)
{
    double sum = 0.0;

    for (int64_t i = 0; i < n; ++i)
        sum += v[i].re * v[i].re + v[i].im * v[i].im;
    return sqrt(sum);
}

/* What a call needs. Too much for a stack: `v` and `h` have n numbers. */
typedef struct work {
    int64_t n;
    int inverse;
    const float *filter; /* NULL: none */
    turns t;
    number *v, *h;
} work;

/* 0: there is no memory. */
static int begin(work *w, int64_t n, int inverse, const float *filter)
{
    w->n = n;
    w->inverse = inverse;
    w->filter = filter;
    make_turns(&w->t, n);
    w->v = malloc((size_t)n * 2 * sizeof *w->v);
    w->h = w->v ? w->v + n : NULL;
    if (w->v && filter)
        load(w->h, filter, n, 1);
    return w->v != NULL;
}

/* Transforms x, whose numbers stand `stride` apart, into v: whole, or number
 * `only` alone if that is not negative. Returns the magnitude. */
static double transform_one(work *w, const float *x, int64_t stride,
                            int64_t only)
{
    number *const v = w->v;
    const int64_t n = w->n;
    double scale;

    load(v, x, n, stride);
    scale = norm(v, n);
    if (w->filter) {
        scale *= norm(w->h, n);
        transform(v, n, &w->t);
        for (int64_t i = 0; i < n; ++i)
            v[i] = times(v[i], w->h[i]);
        scale = fmax(scale, norm(v, n));
    }
    if (w->inverse)
        swap_parts(v, n);
    if (only >= 0)
        v[only] = one_element(v, n, only, &w->t);
    else
        transform(v, n, &w->t);
    if (w->inverse)
        swap_parts(v, n);
    return scale;
}

/* Where transforms lie: number k of transform b at b*distance + k*stride. */
typedef struct layout {
    int64_t n, batch, stride, distance;
} layout;

/* The numbers of one transform that lie among [first, last]: from *k on, as
 * many as returned. */
static int64_t numbers_within(const layout *l, int64_t b, int64_t first,
                              int64_t last, int64_t *k)
{
    const int64_t from = first - b * l->distance, to = last - b * l->distance;
    const int64_t end = to < 0 ? 0 : to / l->stride + 1;

    *k = from <= 0 ? 0 : (from + l->stride - 1) / l->stride;
    return (end < l->n ? end : l->n) - *k;
}

/* Elements [first, first + count), of which a number has two, as far as the
 * transforms have them. */
static void fill_all(work *w, const layout *l, const float *x, int64_t first,
                     int64_t count, double *value, double *magnitude)
{
    const int64_t low = first / 2, high = (first + count - 1) / 2;
    const int is_apart = l->distance > (l->n - 1) * l->stride;
    int64_t b = is_apart ? low / l->distance : 0;

    for (; b < l->batch && b * l->distance <= high; ++b) {
        int64_t k, n_numbers = numbers_within(l, b, low, high, &k);
        double scale;

        if (n_numbers < 1)
            continue;
        scale = transform_one(w, x + 2 * b * l->distance, l->stride,
                              n_numbers == 1 ? k : -1);
        for (; n_numbers > 0; --n_numbers, ++k)
            for (int part = 0; part < 2; ++part) {
                const int64_t at =
                    2 * (b * l->distance + k * l->stride) + part - first;

                if (at < 0 || at >= count)
                    continue;
                value[at] = part ? w->v[k].im : w->v[k].re;
                magnitude[at] = scale;
            }
    }
}

HONE_REFERENCE(fft)
{
    const layout l = {dims[0], dims[1], dims[3], dims[4]};
    const float *const old = args[1];
    work w;

    if (l.n > MOST_N || count < 1 || !begin(&w, l.n, dims[2] == 2, NULL))
        return;
    /* What lies between transforms stays as it is. */
    for (int64_t i = 0; old && i < count; ++i) {
        value[i] = (double)old[first + i];
        magnitude[i] = fabs(value[i]);
    }
    fill_all(&w, &l, args[0], first, count, value, magnitude);
    free(w.v);
}

HONE_REFERENCE(fft_filter)
{
    const layout l = {dims[0], dims[1], 1, dims[0]};
    work w;

    if (l.n > MOST_N || count < 1 || !begin(&w, l.n, 1, args[1]))
        return;
    fill_all(&w, &l, args[0], first, count, value, magnitude);
    free(w.v);
}
