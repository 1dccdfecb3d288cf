/* SPDX-License-Identifier: Apache-2.0 */
/* Integer and floating-point intrinsics against known values, and atomics
 * from many blocks on several workers. */
#include "tests/host/host_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static build kernels;

static int open_kernels(void **state)
{
    (void)state;
    build_open(&kernels, "kernels_math.cu", BUILD_PLAIN);
    return 0;
}

static int close_kernels(void **state)
{
    (void)state;
    build_close(&kernels);
    return 0;
}

static void check(const char *kernel, const double *want, size_t n)
{
    double out[32];
    void *p = out;
    void *params[] = {&p};

    build_run_ok(&kernels, kernel, 1, 1, 0, params);
    for (size_t i = 0; i < n; ++i) {
        if (out[i] != want[i])
            fail_msg("%s, value %zu: %.17g, want %.17g", kernel, i, out[i],
                     want[i]);
    }
}

static void test_integers(void **state)
{
    static const double want[] = {
        32 + 3100 + 230000.0,
        16 + 6400,
        0 + 400 + 360000.0,
        1073741824.0, /* bit 1 becomes bit 30 */
        9223372036854775808.0,
        0x77225500,
        4294967294.0,
        -1,
        3,
        -1,
        3,
        0x18000000,
        117,
        5 + 1 + 255 + 2 + 254,
        5 + 1 - 1 + 2 - 2,
        -15 + 3 + 4,
        -1 + 30 + 400,
        3.5,
        1065353216.0 + 2,
        1 - 2147483648.0,
        0x01fe7f7f,
        0x02ff8080,
        0x01fe8080,
        0x02ff7f7f,
        0x7fff0001,
        0x8000ffff,
        0x8000ffff,
        0x7fff0001,
    };

    (void)state;
    check("integers", want, sizeof want / sizeof want[0]);
}

static void test_reals(void **state)
{
    static const double want[] = {
        0.5 + 0.25 + 1,
        1,
        -10,
        1 - 10,
        10 + 10 + 1 + 2.5,
        -2 + 2 - 1 + 2,
        1,
        1,
        1,
        1.75,
        1,
        2 - 20 + 100 - 1000,
        2147483647.0,
        0,
        1.25,
        100 + 0.5 + 32 + 8,
        7,
        3 + 5 - 1,
        3 + 1 + 0 + 4,
    };

    (void)state;
    check("reals", want, sizeof want / sizeof want[0]);
}

static void test_atomics(void **state)
{
    enum { N = 300 * 96 };
    static int slots[N], seen[N];
    int i[6] = {0, 0, 5, 0, 0, 0};
    unsigned u[6] = {0, ~0u, 0, 0, 3, 0};
    unsigned long long l[2] = {0, 0};
    float f = 0;
    double d = 0;
    void *p[] = {i, u, l, &f, &d, slots};
    void *params[] = {&p[0], &p[1], &p[2], &p[3], &p[4], &p[5]};

    (void)state;
    build_run_ok(&kernels, "atomics", 300, 96, 0, params);
    assert_int_equal(i[0], N);
    assert_int_equal(i[1], -2 * N);
    assert_int_equal(i[2], -10);
    assert_int_equal(i[3], N - 1);
    assert_int_equal(i[5], N);
    assert_int_equal(u[0], 0xffffffffu);
    assert_int_equal(u[1], 0x80000000u);
    assert_int_equal(u[2], 0);
    assert_int_equal(u[3], N % 7);
    assert_int_equal(u[4], (3 + 7 * N - N) % 7);
    assert_true(l[0] == (unsigned long long)N << 33);
    assert_true(l[1] == (unsigned long long)(N - 1) << 40);
    assert_true(f == 0.5f * N);
    assert_true(d == 0.25 * N);
    for (int s = 0; s < N; ++s)
        ++seen[slots[s]];
    for (int s = 0; s < N; ++s)
        assert_int_equal(seen[s], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_atomics),
    };

    return cmocka_run_group_tests(tests, open_kernels, close_kernels);
}
