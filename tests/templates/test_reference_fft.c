/* SPDX-License-Identifier: Apache-2.0 */
/* The references of the Fourier transforms against values worked out by hand
 * and against the sum that defines a transform. */
#include "templates/reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 64, BATCH = 3, LANES = 2 * N * BATCH };

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * (1.0 + fabs(want))))
        fail_msg("%.17g is not %.17g", got, want);
}

static void make_input(float *x, int n, int seed)
{
    for (int i = 0; i < n; ++i)
        x[i] = (float)((i * 37 + seed) % 101 - 50) / 8.0f;
}

/* Element k of one transform of doubles, by definition. */
static void by_definition(const double *x, int n, int k, int sign, double *out)
{
    out[0] = out[1] = 0.0;
    for (int j = 0; j < n; ++j) {
        const double angle =
            sign * 6.283185307179586476925 * (double)(j * k % n) / n;
        const double c = cos(angle), s = sin(angle);

        out[0] += x[2 * j] * c - x[2 * j + 1] * s;
        out[1] += x[2 * j] * s + x[2 * j + 1] * c;
    }
}

/* (1+2i, 3, 0, -i): X[k] = 1+2i + 3*(-i)^k - i*i^k forward. */
static void test_by_hand(void **state)
{
    const float x[] = {1, 2, 3, 0, 0, 0, 0, -1};
    const void *args[] = {x, NULL};
    const double forward[] = {4, 1, 2, -1, -2, 3, 0, 5};
    const double inverse[] = {4, 1, 0, 5, -2, 3, 2, -1};
    int64_t dims[] = {4, 1, 1, 1, 4};
    double value[8], magnitude[8];

    (void)state;
    hone_reference_fft(dims, args, 0, 8, value, magnitude);
    for (int i = 0; i < 8; ++i) {
        near(value[i], forward[i]);
        near(magnitude[i], sqrt(15.0));
    }
    dims[2] = 2;
    hone_reference_fft(dims, args, 0, 8, value, magnitude);
    for (int i = 0; i < 8; ++i)
        near(value[i], inverse[i]);
    near(hone_reference_fft_cost(dims), 10.0);
}

static void check_direction(int direction)
{
    const int64_t dims[] = {N, BATCH, direction, 1, N};
    float x[LANES];
    double wide[LANES], value[LANES], magnitude[LANES];
    const void *args[] = {x, NULL};

    make_input(x, LANES, 3);
    for (int i = 0; i < LANES; ++i)
        wide[i] = (double)x[i];
    hone_reference_fft(dims, args, 0, LANES, value, magnitude);
    for (int i = 0; i < LANES; i += 2) {
        double want[2];

        by_definition(wide + i / (2 * N) * 2 * N, N, i / 2 % N,
                      direction == 2 ? 1 : -1, want);
        near(value[i], want[0]);
        near(value[i + 1], want[1]);
    }
}

static void test_definition(void **state)
{
    (void)state;
    check_direction(1);
    check_direction(2);
}

/* Single elements, and ranges that begin and end inside transforms. */
static void test_ranges(void **state)
{
    static const int64_t ranges[][2] = {
        {0, 1},         {1, 1},   {2 * N - 1, 1}, {5, 2},
        {2 * N - 1, 2}, {7, 300}, {LANES - 1, 1}};
    const int64_t dims[] = {N, BATCH, 1, 1, N};
    float x[LANES];
    double whole[LANES], scale[LANES];
    const void *args[] = {x, NULL};

    (void)state;
    make_input(x, LANES, 11);
    hone_reference_fft(dims, args, 0, LANES, whole, scale);
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; ++r) {
        const int64_t first = ranges[r][0], count = ranges[r][1];
        double value[LANES + 1], magnitude[LANES + 1];

        value[count] = magnitude[count] = -77.0;
        hone_reference_fft(dims, args, first, count, value, magnitude);
        for (int64_t i = 0; i < count; ++i) {
            near(value[i], whole[first + i]);
            near(magnitude[i], scale[first + i]);
        }
        assert_true(value[count] <= -77.0 && magnitude[count] <= -77.0);
    }
}

/* The transforms of test_definition(), a number in front of each, or as the
 * columns of a matrix with one column more. */
static void check_layout(int64_t stride, int64_t distance)
{
    enum { ROOM = 2 * (N + 1) * (BATCH + 1) };
    const int64_t dense[] = {N, BATCH, 2, 1, N};
    const int64_t dims[] = {N, BATCH, 2, stride, distance};
    float x[LANES], apart[ROOM] = {0.0f}, old[ROOM];
    double want[LANES], scale[LANES], value[ROOM], magnitude[ROOM];
    const void *args[] = {x, NULL}, *args_apart[] = {apart, old};
    int n_between = ROOM;

    make_input(x, LANES, 7);
    make_input(old, ROOM, 50);
    for (int i = 0; i < LANES; ++i)
        apart[2 * (i / 2 / N * distance + i / 2 % N * stride) + i % 2] = x[i];
    hone_reference_fft(dense, args, 0, LANES, want, scale);
    hone_reference_fft(dims, args_apart, 0, ROOM, value, magnitude);
    for (int i = 0; i < LANES; ++i) {
        const int64_t at =
            2 * (i / 2 / N * distance + i / 2 % N * stride) + i % 2;
        double got, unused;

        near(value[at], want[i]);
        near(magnitude[at], scale[i]);
        hone_reference_fft(dims, args_apart, at, 1, &got, &unused);
        near(got, want[i]);
    }
    for (int i = 0; i < ROOM; ++i)
        n_between -= fabs(value[i] - (double)old[i]) > 0.0;
    assert_true(n_between >= ROOM - LANES);
}

static void test_layouts(void **state)
{
    (void)state;
    check_layout(1, N);
    check_layout(1, N + 1);
    check_layout(BATCH + 1, 1);
}

/* The same filter for every transform of the batch. */
static void test_filter(void **state)
{
    const int64_t dims[] = {N, BATCH};
    float x[LANES], h[2 * N];
    double wide[LANES], value[LANES], magnitude[LANES];
    const void *args[] = {x, h, NULL};

    (void)state;
    make_input(x, LANES, 5);
    make_input(h, 2 * N, 29);
    for (int i = 0; i < LANES; ++i)
        wide[i] = (double)x[i];
    hone_reference_fft_filter(dims, args, 0, LANES, value, magnitude);
    for (int b = 0; b < BATCH; ++b) {
        double product[2 * N], sum_x = 0.0, sum_h = 0.0;

        for (int k = 0; k < N; ++k) {
            const double re = (double)h[2 * k], im = (double)h[2 * k + 1];
            double part[2];

            by_definition(wide + b * 2 * N, N, k, -1, part);
            product[2 * k] = part[0] * re - part[1] * im;
            product[2 * k + 1] = part[0] * im + part[1] * re;
            sum_h += re * re + im * im;
        }
        for (int i = 0; i < 2 * N; ++i)
            sum_x += wide[b * 2 * N + i] * wide[b * 2 * N + i];
        for (int k = 0; k < N; ++k) {
            double want[2], got, unused;

            by_definition(product, N, k, 1, want);
            near(value[b * 2 * N + 2 * k], want[0]);
            near(value[b * 2 * N + 2 * k + 1], want[1]);
            hone_reference_fft_filter(dims, args, b * 2 * N + 2 * k, 1, &got,
                                      &unused);
            near(got, want[0]);
        }
        assert_true(magnitude[b * 2 * N] >= 0.999 * sqrt(sum_x * sum_h));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_definition),
        cmocka_unit_test(test_ranges),  cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_filter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
