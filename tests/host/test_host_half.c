/* SPDX-License-Identifier: Apache-2.0 */
/* half and bfloat16 against exact arithmetic: every bit pattern, the values
 * around every rounding boundary, and arithmetic on odd operands. The
 * reference rounds doubles by dividing by the unit in the last place, or
 * sums exactly in 128-bit integers. */
#include "tests/host/host_build.h"

#include "templates/reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

__extension__ typedef __int128 wide;

static build kernels;

static int open_kernels(void **state)
{
    (void)state;
    build_open(&kernels, "kernels_half.cu", BUILD_PLAIN);
    return 0;
}

static int close_kernels(void **state)
{
    (void)state;
    build_close(&kernels);
    return 0;
}

typedef struct format {
    int bits;         /* of the fraction */
    int low_exponent; /* of the smallest normal number */
    int high_exponent;
} format;
static const format half = {10, -14, 15}, bfloat16 = {7, -126, 127};

/* A double, exactly representable or not, to the format's bits. */
static uint16_t rounded(const format *f, double d)
{
    const unsigned sign = signbit(d) ? 0x8000u : 0u;
    const unsigned exponents =
        (unsigned)(f->high_exponent + 1 - f->low_exponent + 1);
    int e;
    double q;

    if (isnan(d))
        return 0x7fff;
    d = fabs(d);
    if (d == 0)
        return (uint16_t)sign;
    e = isinf(d) ? f->high_exponent + 1 : ilogb(d);
    if (e < f->low_exponent)
        e = f->low_exponent;
    if (e > f->high_exponent)
        return (uint16_t)(sign | exponents << f->bits);
    q = nearbyint(ldexp(d, f->bits - e)); /* ties to even */
    /* The fraction carries into the exponent by itself. */
    return (uint16_t)(sign + ((unsigned)(e - f->low_exponent) << f->bits) +
                      (unsigned)q);
}

static double from_bfloat16(uint16_t b)
{
    const uint32_t bits = (uint32_t)b << 16;
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

enum { ALL = 65536 };

static void test_every_half(void **state)
{
    static uint16_t in[ALL], back[ALL];
    static float out[ALL];
    void *p[] = {in, out, back};
    void *there[] = {&p[0], &p[1]};
    void *and_back[] = {&p[1], &p[2]};

    (void)state;
    for (int i = 0; i < ALL; ++i)
        in[i] = (uint16_t)i;
    build_run_ok(&kernels, "half_to_float", 256, 256, 0, there);
    build_run_ok(&kernels, "float_to_half", 256, 256, 0, and_back);
    for (int i = 0; i < ALL; ++i) {
        const double want = hone_reference_from_f16((uint16_t)i);
        if (isnan(want)) {
            assert_true(isnan(out[i]));
            assert_int_equal(back[i], 0x7fff);
        } else {
            assert_true((double)out[i] == want);
            assert_int_equal(!!signbit(out[i]), i >> 15);
            assert_int_equal(back[i], i);
        }
    }
}

/* Each value, the middle to the next one, and the neighbours of both. */
static void check_rounding(const format *f, const char *from_float,
                           const char *from_double, double (*value)(uint16_t))
{
    enum { STEPS = 8 };
    static float floats[ALL * STEPS];
    static double doubles[ALL * STEPS];
    static uint16_t out[ALL * STEPS];
    void *p[] = {floats, doubles, out};
    void *of_float[] = {&p[0], &p[2]};
    void *of_double[] = {&p[1], &p[2]};

    for (int i = 0; i < ALL; ++i) {
        const double a = value((uint16_t)i);
        const double b = value((uint16_t)(i + 1));
        const double middle =
            isinf(b) ? a * (1 + ldexp(0.5, -f->bits)) : a + (b - a) / 2;
        double *d = doubles + i * STEPS;
        float *g = floats + i * STEPS;

        d[0] = a;
        d[1] = middle;
        d[2] = nextafter(middle, INFINITY);
        d[3] = nextafter(middle, -INFINITY);
        d[4] = nextafter(a, INFINITY);
        d[5] = nextafter(a, -INFINITY);
        d[6] = middle * (1 + 1e-12);
        d[7] = middle * (1 - 1e-12);
        for (int s = 0; s < 6; ++s)
            g[s] = (float)d[s];
        g[6] = nextafterf((float)middle, INFINITY);
        g[7] = nextafterf((float)middle, -INFINITY);
    }
    build_run_ok(&kernels, from_float, ALL * STEPS / 512, 512, 0, of_float);
    for (int i = 0; i < ALL * STEPS; ++i)
        assert_int_equal(out[i], rounded(f, floats[i]));
    build_run_ok(&kernels, from_double, ALL * STEPS / 512, 512, 0, of_double);
    for (int i = 0; i < ALL * STEPS; ++i)
        assert_int_equal(out[i], rounded(f, doubles[i]));
}

static void test_rounding(void **state)
{
    (void)state;
    check_rounding(&half, "float_to_half", "double_to_half",
                   hone_reference_from_f16);
    check_rounding(&bfloat16, "float_to_bfloat16", "double_to_bfloat16",
                   from_bfloat16);
}

/* n * 2^-48 as half. */
static uint16_t rounded_wide(wide n)
{
    const int negative = n < 0;
    wide rest, unit = 1;
    wide size = negative ? -n : n;

    while (size >= unit * 2048) /* 11 bits are kept */
        unit *= 2;
    if (unit < (wide)1 << 24)
        unit = (wide)1 << 24; /* subnormal: 2^-24 */
    rest = size % unit;
    size -= rest;
    if (2 * rest > unit || (2 * rest == unit && size / unit % 2))
        size += unit;
    return rounded(&half, ldexp((double)(negative ? -size : size), -48));
}

/* fmin and fmax give NaN for a signalling one. */
static double quiet(double d)
{
    return isnan(d) ? (double)NAN : d;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void test_half_arithmetic(void **state)
{
    enum { N = 1 << 17 };
    static uint16_t in[3 * N], out[8 * N];
    void *p[] = {in, out};
    void *params[] = {&p[0], &p[1]};
    uint32_t seed = 1;

    (void)state;
    for (int i = 0; i < 3 * N; ++i)
        in[i] = (uint16_t)next_random(&seed);
    build_run_ok(&kernels, "half_arithmetic", N / 256, 256, 0, params);
    for (int i = 0; i < N; ++i) {
        const double a = quiet(hone_reference_from_f16(in[3 * i]));
        const double b = quiet(hone_reference_from_f16(in[3 * i + 1]));
        const double c = quiet(hone_reference_from_f16(in[3 * i + 2]));
        const uint16_t *got = out + 8 * i;

        assert_int_equal(got[0], rounded(&half, a + b));
        assert_int_equal(got[1], rounded(&half, a - b));
        assert_int_equal(got[2], rounded(&half, a * b));
        assert_int_equal(got[3], rounded(&half, a / b));
        if (isfinite(a) && isfinite(b) && isfinite(c)) {
            const wide sum = (wide)ldexp(a, 24) * (wide)ldexp(b, 24) +
                             ((wide)ldexp(c, 24) * ((wide)1 << 24));
            if (sum != 0)
                assert_int_equal(got[4], rounded_wide(sum));
        } else {
            assert_int_equal(got[4], rounded(&half, fma(a, b, c)));
        }
        assert_int_equal(got[5], rounded(&half, fmin(a, b)));
        assert_int_equal(got[6], rounded(&half, fmax(a, b)));
        assert_int_equal(got[7], (a < b) | (a >= b) << 1 | (a == b) << 2 |
                                     (a < b || isnan(a) || isnan(b)) << 3 |
                                     !!isnan(a) << 4);
    }
}

static void test_bfloat16_arithmetic(void **state)
{
    enum { N = 1 << 17 };
    static uint16_t in[2 * N], out[2 * N];
    void *p[] = {in, out};
    void *params[] = {&p[0], &p[1]};
    uint32_t seed = 2;

    (void)state;
    for (int i = 0; i < N; ++i) {
        in[2 * i] = (uint16_t)next_random(&seed);
        in[2 * i + 1] = (uint16_t)next_random(&seed);
        if (i % 2) /* exponents so near that the double sum is exact */
            in[2 * i + 1] =
                (uint16_t)(in[2 * i] ^ (next_random(&seed) & 0x87ffu));
    }
    build_run_ok(&kernels, "bfloat16_arithmetic", N / 256, 256, 0, params);
    for (int i = 0; i < N; ++i) {
        const double a = from_bfloat16(in[2 * i]);
        const double b = from_bfloat16(in[2 * i + 1]);

        assert_int_equal(out[2 * i], rounded(&bfloat16, a + b));
        assert_int_equal(out[2 * i + 1], rounded(&bfloat16, a * b));
    }
}

static void test_various(void **state)
{
    static const double want[] = {2,   -2,  0,   2048, INFINITY, 1.5,
                                  2.5, 256, 1.5, 1,    8};
    double out[16];
    void *p = out;
    void *params[] = {&p};

    (void)state;
    build_run_ok(&kernels, "various", 1, 1, 0, params);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; ++i) {
        if (out[i] != want[i])
            fail_msg("value %zu: %g, want %g", i, out[i], want[i]);
    }
}

/* Every pattern of 8 bits; from itself, and from the middle to the next one and
 * beyond the largest. */
static void check_small(const char *kernel, int is_e4m3)
{
    const int largest = is_e4m3 ? 0x7e : 0x7b;
    uint8_t in[256], back[512];
    float from[512], out[256];
    void *p[] = {in, from, out, back};
    void *params[] = {&p[0], &p[1], &p[2], &p[3]};
    double want[256];

    for (int i = 0; i < 256; ++i) {
        const int rest = i & 0x7f;
        const double size =
            is_e4m3 ? 256 * hone_reference_from_f16((uint16_t)(rest << 7))
                    : hone_reference_from_f16((uint16_t)(rest << 8));

        in[i] = (uint8_t)i;
        want[i] = is_e4m3 && rest == 0x7f ? (double)NAN
                  : i < 128               ? size
                                          : -size;
    }
    for (int i = 0; i < 256; ++i) {
        from[2 * i] = (float)want[i];
        from[2 * i + 1] =
            (float)((i & 0x7f) < largest ? (want[i] + want[i + 1]) / 2
                                         : 2 * want[i]);
    }
    build_run_ok(&kernels, kernel, 1, 256, 0, params);
    for (int i = 0; i < 256; ++i) {
        const int rest = i & 0x7f, sign = i & 0x80;
        const int itself = rest <= largest ? rest : largest;

        if (isnan(want[i])) {
            assert_true(isnan(out[i]));
            assert_int_equal(back[2 * i], 0x7f);
            continue;
        }
        assert_true((double)out[i] == want[i]);
        assert_int_equal(back[2 * i], sign | itself);
        assert_int_equal(back[2 * i + 1],
                         sign | (rest < largest ? rest + (rest & 1) : largest));
    }
}

static void test_small(void **state)
{
    (void)state;
    check_small("e4m3_both_ways", 1);
    check_small("e5m2_both_ways", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_half),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_half_arithmetic),
        cmocka_unit_test(test_bfloat16_arithmetic),
        cmocka_unit_test(test_various),
        cmocka_unit_test(test_small),
    };

    return cmocka_run_group_tests(tests, open_kernels, close_kernels);
}
