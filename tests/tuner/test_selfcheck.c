/* SPDX-License-Identifier: Apache-2.0 */
/* Alarms: numbers that cannot be true, and those that can. */
#include "tuner/judge/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* An H200: 132 multiprocessors at 1980 MHz, memory at 3201 MHz, 6144 bits. */
static hone_roofline h200(int has_bytes)
{
    return hone__selfcheck_roofline(90, 132, 1980000, 3201000, 6144, has_bytes);
}

static void test_roofline_of_devices(void **state)
{
    const hone_roofline peak = h200(0);
    const hone_roofline unknown =
        hone__selfcheck_roofline(250, 100, 2000000, 0, 0, 0);
    /* A small card: 384 bits in front of 142 multiprocessors. */
    const hone_roofline l40s =
        hone__selfcheck_roofline(89, 142, 2520000, 9001000, 384, 0);

    (void)state;
    assert_true(fabs(peak.bytes_per_s / 4.917e12 - 1) < 0.01);
    assert_true(fabs(peak.cache_bytes_per_s / 19.67e12 - 1) < 0.01);
    assert_true(fabs(peak.flops_per_s / 1070e12 - 1) < 0.01);
    assert_true(h200(1).flops_per_s == 2 * peak.flops_per_s);
    assert_true(unknown.bytes_per_s == 0 && unknown.flops_per_s == 0);
    assert_true(fabs(l40s.bytes_per_s / 864e9 - 1) < 0.01);
    assert_true(fabs(l40s.flops_per_s / 366e12 - 1) < 0.01);
    assert_true(l40s.cache_bytes_per_s > 20 * l40s.bytes_per_s);
}

static hone_alarm ask(const hone_selfcheck *check, const char *words)
{
    char message[320] = "";
    const hone_alarm alarm =
        hone__selfcheck_trial(check, message, sizeof message);

    if (alarm == HONE_ALARM_NONE)
        assert_string_equal(message, "");
    else if (!strstr(message, words))
        fail_msg("'%s' does not say '%s'", message, words);
    return alarm;
}

static void test_zero(void **state)
{
    hone_selfcheck check = {.time_ns = 0, .n_launches = 10};

    (void)state;
    assert_int_equal(ask(&check, "0 ns"), HONE_ALARM_ZERO);
    check.time_ns = -5;
    assert_int_equal(ask(&check, "-5 ns"), HONE_ALARM_ZERO);
    check.time_ns = NAN;
    assert_int_equal(ask(&check, "nan"), HONE_ALARM_ZERO);
    check.time_ns = INFINITY;
    assert_int_equal(ask(&check, "inf"), HONE_ALARM_ZERO);
    check.time_ns = 1;
    assert_int_equal(ask(&check, ""), HONE_ALARM_NONE);
}

static void test_floor(void **state)
{
    hone_selfcheck check = {
        .time_ns = 10, .n_launches = 512, .event_floor_ns = 5400};

    (void)state;
    assert_int_equal(ask(&check, "512 executions"), HONE_ALARM_FLOOR);
    check.time_ns = 25;
    assert_int_equal(ask(&check, ""), HONE_ALARM_NONE);
    check.time_ns = 10;
    check.event_floor_ns = 0; /* not known */
    assert_int_equal(ask(&check, ""), HONE_ALARM_NONE);
}

/* saxpy of 2^24 f32: 201 MB. */
static void test_bytes(void **state)
{
    hone_selfcheck check = {
        .time_ns = 45000, .n_launches = 1, .bytes = 201.3e6, .peak = h200(0)};

    (void)state;
    assert_int_equal(ask(&check, ""), HONE_ALARM_NONE);
    check.time_ns = 30000;
    assert_int_equal(ask(&check, "work line"), HONE_ALARM_ROOFLINE);
    assert_int_equal(ask(&check, "2.013e+08 bytes in 30 us"),
                     HONE_ALARM_ROOFLINE);
    check.in_cache = 1;
    assert_int_equal(ask(&check, ""), HONE_ALARM_NONE);
    check.time_ns = 8000;
    assert_int_equal(ask(&check, "cache"), HONE_ALARM_ROOFLINE);
    check.peak.cache_bytes_per_s = 0; /* not known */
    assert_int_equal(ask(&check, ""), HONE_ALARM_NONE);
}

/* A GEMM of 4096 cubed at 764 TFLOP/s, and at what no H200 can do. */
static void test_flops(void **state)
{
    hone_selfcheck check = {
        .time_ns = 180000, .n_launches = 1, .flops = 137.4e9, .peak = h200(0)};

    (void)state;
    assert_int_equal(ask(&check, ""), HONE_ALARM_NONE);
    check.time_ns = 110000;
    assert_int_equal(ask(&check, "operations in 110 us"), HONE_ALARM_ROOFLINE);
    check.peak = h200(1); /* bytes */
    assert_int_equal(ask(&check, ""), HONE_ALARM_NONE);
}

static void test_equal(void **state)
{
    double times[32];
    char message[320] = "";

    (void)state;
    for (int i = 0; i < 32; ++i)
        times[i] = 1000 + 0.02 * i;
    assert_int_equal(
        hone__selfcheck_session(times, 32, message, sizeof message),
        HONE_ALARM_EQUAL);
    assert_non_null(strstr(message, "32 different variants all take 1.0"));
    assert_int_equal(
        hone__selfcheck_session(times, 15, message, sizeof message),
        HONE_ALARM_NONE);
    assert_int_equal(hone__selfcheck_session(times, 0, message, sizeof message),
                     HONE_ALARM_NONE);
    times[7] = 1002; /* one is different */
    assert_int_equal(
        hone__selfcheck_session(times, 32, message, sizeof message),
        HONE_ALARM_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roofline_of_devices),
        cmocka_unit_test(test_zero),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_flops),
        cmocka_unit_test(test_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
