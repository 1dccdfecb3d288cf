/* SPDX-License-Identifier: Apache-2.0 */
/* Launches on the host: places of threads, arguments, barriers, shared
 * memory, stacks, workers. */
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
    build_open(&kernels, "kernels_block.cu", BUILD_PLAIN);
    return 0;
}

static int close_kernels(void **state)
{
    (void)state;
    build_close(&kernels);
    return 0;
}

static void test_places(void **state)
{
    static unsigned out[2 * 3 * 2 * 5 * 4 * 3];
    void *p = out;
    void *params[] = {&p};
    const hone_host_launch launch = {"places", {2, 3, 2}, {5, 4, 3},
                                     0,        params,    3};
    hone_host_report report;
    unsigned at = 0;

    (void)state;
    assert_int_equal(kernels.run(&launch, &report), HONE_HOST_OK);
    for (unsigned b = 0; b < 12; ++b) {
        for (unsigned t = 0; t < 60; ++t, ++at)
            assert_int_equal(out[at], 1 + t % 5 + 10 * (t / 5 % 4) +
                                          100 * (t / 20) + 1000 * (b % 2) +
                                          10000 * (b / 2 % 3) +
                                          100000 * (b / 6));
    }
}

static void test_arguments(void **state)
{
    struct {
        char c;
        double d;
        float v[3];
    } s = {1, 0.5, {2, 3, 4}};
    double out = 0;
    double *p = &out;
    signed char a = -5;
    unsigned short b = 60000;
    long long c = 1LL << 40;
    float d = 0.25f;
    int *null = NULL;
    void *params[] = {&p, &s, &a, &b, &c, &d, &null};

    (void)state;
    build_run_ok(&kernels, "arguments", 1, 1, 0, params);
    assert_true(out ==
                1 + 0.5 + 9 - 5 + 60000 + 1099511627776.0 + 0.25 + 1 + 9);
}

static void test_barriers(void **state)
{
    static int data[20 * 256];
    static int out[3 * 100];
    int *p = data;
    void *params[] = {&p};

    (void)state;
    for (int i = 0; i < 20 * 256; ++i)
        data[i] = i;
    build_run_ok(&kernels, "reverse", 20, 256, 0, params);
    for (int i = 0; i < 20 * 256; ++i)
        assert_int_equal(data[i], i / 256 * 256 + 255 - i % 256);

    for (int threads = 1; threads <= 256; threads += 51) {
        for (int i = 0; i < 20 * 256; ++i)
            data[i] = i % threads + 1;
        build_run_ok(&kernels, "scan", 20, (unsigned)threads,
                     (unsigned)threads * 4, params);
        for (int i = 0; i < 20 * threads; ++i)
            assert_int_equal(data[i],
                             (i % threads + 1) * (i % threads + 2) / 2);
    }

    p = out;
    build_run_ok(&kernels, "votes", 1, 100, 0, params);
    for (int t = 0; t < 100; ++t) {
        assert_int_equal(out[3 * t], 34);
        assert_int_equal(out[3 * t + 1], 1);
        assert_int_equal(out[3 * t + 2], 1);
    }
}

static void test_shared_memory(void **state)
{
    static unsigned out[30 * 64 * 2];
    unsigned long long at[6];
    void *p = out;
    void *params[] = {&p};

    (void)state;
    for (int again = 0; again < 2; ++again) {
        memset(out, 0, sizeof out);
        build_run_ok(&kernels, "unwritten", 30, 64, 256, params);
        for (int i = 0; i < 30 * 64 * 2; ++i)
            assert_int_equal(out[i], 0xffffffffu);
    }
    p = at;
    build_run_ok(&kernels, "alignment", 1, 1, 64, params);
    for (int i = 0; i < 4; ++i)
        assert_int_equal(at[i], 0);
    assert_int_equal(at[4], 1216);
    assert_int_equal(at[5], 32);
}

static void test_parts_of_copies(void **state)
{
    static _Alignas(16) unsigned char in[17][16], out[17][16];
    void *from = in, *to = out;
    void *params[] = {&to, &from};

    (void)state;
    for (int i = 0; i < 17 * 16; ++i)
        in[i / 16][i % 16] = (unsigned char)(1 + i % 255);
    build_run_ok(&kernels, "parts", 1, 17, 0, params);
    for (int t = 0; t < 17; ++t)
        for (int i = 0; i < 16; ++i)
            assert_int_equal(out[t][i], i < t ? in[t][i] : 0);
}

static void test_stacks(void **state)
{
    static int out[1024];
    void *p = out;
    void *params[] = {&p};

    (void)state;
    build_run_ok(&kernels, "stacks", 1, 1024, 0, params);
    for (int i = 0; i < 1024; ++i)
        assert_int_equal(out[i], 180);
}

static void test_waiting(void **state)
{
    int out = 0;
    void *p = &out;
    void *params[] = {&p};

    (void)state;
    build_run_ok(&kernels, "wait_for_flag", 1, 70, 0, params);
    assert_int_equal(out, 42);
}

/* The switch for processors that have none of their own. */
static void test_other_processors(void **state)
{
    static int data[4 * 256];
    int *p = data;
    void *params[] = {&p};
    build other;

    (void)state;
    build_open(&other, "kernels_block.cu", BUILD_UCONTEXT);
    for (int i = 0; i < 4 * 256; ++i)
        data[i] = i;
    build_run_ok(&other, "reverse", 4, 256, 0, params);
    for (int i = 0; i < 4 * 256; ++i)
        assert_int_equal(data[i], i / 256 * 256 + 255 - i % 256);
    for (int i = 0; i < 4 * 256; ++i)
        data[i] = 1;
    build_run_ok(&other, "scan", 4, 256, 1024, params);
    for (int i = 0; i < 4 * 256; ++i)
        assert_int_equal(data[i], i % 256 + 1);
    build_close(&other);
}

static void test_blocks_share_global_memory(void **state)
{
    unsigned tickets = 0;
    int sum = 0, last = 0, count = 0;
    void *p[] = {&tickets, &sum, &last, &count};
    void *params[] = {&p[0], &p[1], &p[2]};
    void *read[] = {&p[3]};

    (void)state;
    for (int i = 1; i <= 3; ++i) {
        sum = last = 0;
        build_run_ok(&kernels, "last_block", 200, 64, 0, params);
        assert_int_equal(tickets, 0);
        assert_int_equal(sum, 200 * 63 * 32);
        assert_int_equal(last, sum);
        build_run_ok(&kernels, "read_counter", 1, 1, 0, read);
        assert_int_equal(count, 200 * i);
    }
}

static void test_impossible_launches(void **state)
{
    hone_host_report report;

    (void)state;
    assert_int_equal(build_run(&kernels, "scam", 1, 1, 0, NULL, &report),
                     HONE_HOST_NO_KERNEL);
    assert_non_null(strstr(report.text, "'scam'"));
    assert_non_null(strstr(report.text, "scan"));
    assert_int_equal(build_run(&kernels, "scan", 1, 1025, 0, NULL, &report),
                     HONE_HOST_MEMORY);
    assert_non_null(strstr(report.text, "1025"));
    assert_int_equal(build_run(&kernels, "scan", 0, 32, 0, NULL, &report),
                     HONE_HOST_MEMORY);
    assert_int_equal(build_run(&kernels, "", 1, 32, 0, NULL, &report),
                     HONE_HOST_NO_KERNEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_parts_of_copies),
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_other_processors),
        cmocka_unit_test(test_blocks_share_global_memory),
        cmocka_unit_test(test_impossible_launches),
    };

    return cmocka_run_group_tests(tests, open_kernels, close_kernels);
}
