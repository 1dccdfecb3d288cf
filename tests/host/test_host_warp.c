/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of a warp against what their descriptions say. */
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
    build_open(&kernels, "kernels_warp.cu", BUILD_PLAIN);
    return 0;
}

static int close_kernels(void **state)
{
    (void)state;
    build_close(&kernels);
    return 0;
}

static void test_shuffles(void **state)
{
    static int out[4 * 64];
    void *p = out;

    (void)state;
    for (int width = 2; width <= 32; width *= 2) {
        for (int by = 0; by < 32; by += by < 4 ? 1 : 7) {
            void *params[] = {&p, &width, &by};

            build_run_ok(&kernels, "shuffles", 1, 64, 0, params);
            for (int t = 0; t < 64; ++t) {
                const int in = t % width;
                const int group = t - in;
                const int other = (t % 32) ^ by;

                assert_int_equal(out[4 * t], 100 * (group + by % width));
                assert_int_equal(out[4 * t + 1], 100 * (in >= by ? t - by : t));
                assert_int_equal(out[4 * t + 2],
                                 100 * (in + by < width ? t + by : t));
                assert_int_equal(out[4 * t + 3],
                                 100 * (other < group % 32 + width
                                            ? t / 32 * 32 + other
                                            : t));
            }
        }
    }
}

static void test_types(void **state)
{
    static double out[32];
    void *p = out;
    void *params[] = {&p};

    (void)state;
    build_run_ok(&kernels, "shuffle_types", 1, 32, 0, params);
    for (int t = 0; t < 32; ++t) {
        const double o = t ^ 1;
        assert_true(out[t] == 1.5 * o + 0.25 * o + 1099511627776.0 + o + 7 * o +
                                  o + 2 * o);
    }
}

static void test_groups(void **state)
{
    static int out[32];
    void *p = out;
    void *params[] = {&p};

    (void)state;
    build_run_ok(&kernels, "groups", 1, 32, 0, params);
    for (int t = 0; t < 32; ++t)
        assert_int_equal(out[t], t % 3 == 0 ? 165 : t % 3 == 1 ? 31 : 5);
}

static void test_votes(void **state)
{
    static unsigned out[8 * 32];
    void *p = out;
    void *params[] = {&p};

    (void)state;
    build_run_ok(&kernels, "votes", 1, 32, 0, params);
    for (unsigned t = 0; t < 32; ++t) {
        const unsigned *mine = out + 8 * t;
        assert_int_equal(mine[0], 0x42108421u);
        assert_int_equal(mine[1], 1);
        assert_int_equal(mine[2], 1);
        assert_int_equal(mine[3], 0x11111111u << (t % 4));
        assert_int_equal(mine[4], 0u); /* ~0 + 1 */
        assert_int_equal(mine[5], 0);
        assert_true(mine[6] >> t & 1);
        assert_int_equal(mine[7], 1);
    }
}

static void test_reductions(void **state)
{
    static long long out[8 * 32];
    void *p = out;
    void *params[] = {&p};

    (void)state;
    build_run_ok(&kernels, "reductions", 1, 32, 0, params);
    for (int t = 0; t < 32; ++t) {
        const long long *mine = out + 8 * t;
        assert_true(mine[0] == 0);
        assert_true(mine[1] == -26);
        assert_true(mine[2] == 5);
        assert_true(mine[3] == 0);
        assert_true(mine[4] == 0xff00);
        assert_true(mine[5] == 0xffffffffLL);
        assert_true(mine[6] == 0);
        assert_true(mine[7] == -32);
    }
}

static void test_exchange(void **state)
{
    static int out[64];
    void *p = out;
    void *params[] = {&p};

    (void)state;
    build_run_ok(&kernels, "exchange", 1, 64, 0, params);
    for (int t = 0; t < 64; ++t)
        assert_int_equal(out[t], (t ^ 1) + 9);
}

/* Blocks that are no multiple of 32, and lanes that leave. */
static void test_incomplete_warps(void **state)
{
    static unsigned out[64];
    void *p = out;

    (void)state;
    for (int threads = 1; threads <= 64; threads += 9) {
        for (int n = 1; n <= threads; n += 5) {
            void *params[] = {&p, &n};

            build_run_ok(&kernels, "leavers", 1, (unsigned)threads, 0, params);
            for (int t = 0; t < threads; ++t) {
                const int in_warp = n - t / 32 * 32;
                const unsigned all = in_warp >= 32 ? 0xffffffffu
                                     : in_warp > 0 ? (1u << in_warp) - 1
                                                   : 0;
                assert_int_equal(out[t], t < n ? all : 99);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_votes),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_incomplete_warps),
    };

    return cmocka_run_group_tests(tests, open_kernels, close_kernels);
}
