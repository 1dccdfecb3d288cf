/* SPDX-License-Identifier: Apache-2.0 */
/* When a clock has settled, how it is read, and the floor of events. */
#include "tests/tuner/fake_gpu.h"
#include "tuner/cuda/cuda_device.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_settled(void **state)
{
    static const struct {
        double mhz[6];
        int n;
        int settled;
    } rows[] = {
        {{1980, 1980, 1980}, 3, 0}, /* too few */
        {{1980, 1979, 1981, 1980}, 4, 1},
        {{345, 1200, 1980, 1980, 1980}, 5, 0}, /* it came up just now */
        {{345, 1200, 1980, 1980, 1980, 1975}, 6, 1},
        {{1980, 1960, 1940, 1920}, 4, 0},
        {{0, 0, 0, 0}, 4, 0}, /* unknown */
        {{1980, 1980, 1980, 0}, 4, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        assert_int_equal(hone__clock_settled(rows[i].mhz, rows[i].n),
                         rows[i].settled);
}

static void test_clock_of_cycles(void **state)
{
    (void)state;
    assert_true(fabs(hone__clock_mhz(29700000, 15000000) - 1980) < 0.01);
    assert_true(hone__clock_mhz(1000, 0) == 0);
    assert_true(hone__clock_mhz(0, 15000000) == 0);
    assert_true(hone__clock_mhz(UINT64_MAX, 15000000) == 0);
}

static void test_warm_up(void **state)
{
    hone_device device;
    hone_warm_up warm_up;
    hone_error err = {.status = HONE_OK};

    (void)state;
    fake_gpu_reset();
    fake_gpu_open(&device, 0);
    fake_gpu_event_ns = 2500;
    fake_gpu_clock_mhz[0] = 345;
    fake_gpu_clock_mhz[1] = 1900;
    fake_gpu_clock_mhz[2] = 1985;
    fake_gpu_clock_mhz[3] = 1980;
    fake_gpu_n_clocks = 4;
    assert_int_equal(hone__device_warm_up(&device, &warm_up, &err), HONE_OK);
    assert_int_equal(warm_up.settled, 1);
    assert_true(fabs(warm_up.clock_mhz - 1980) < 0.01);
    assert_true(fabs(device.event_floor_ns - 2500) < 1);
    /* Every multiprocessor is kept busy. */
    assert_int_equal(fake_gpu_find("hone_load")->grid % 132, 0);
    assert_true(fake_gpu_find("hone_load")->n_runs >= 6);
    hone__device_close(&device);
    assert_int_equal(fake_gpu_live_bytes, 0);
}

/* No clock from the card and no NVML: it ends, and says that it is unknown.
 */
static void test_blind_warm_up(void **state)
{
    hone_device device;
    hone_warm_up warm_up;
    hone_error err = {.status = HONE_OK};

    (void)state;
    fake_gpu_reset();
    fake_gpu_open(&device, 0);
    fake_gpu_clock_mhz[0] = 0;
    assert_int_equal(hone__device_warm_up(&device, &warm_up, &err), HONE_OK);
    assert_int_equal(warm_up.settled, 0);
    assert_true(warm_up.clock_mhz == 0);
    hone__device_close(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settled),
        cmocka_unit_test(test_clock_of_cycles),
        cmocka_unit_test(test_warm_up),
        cmocka_unit_test(test_blind_warm_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
