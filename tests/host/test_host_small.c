/* SPDX-License-Identifier: Apache-2.0 */
/* Static shared memory of a few bytes, also where one worker alone runs: the
 * thread that launches, which was there before the object was loaded. */
#include "tests/host/host_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 30, THREADS = 4, WARPS = 2 };

static int run(const build *b, const char *kernel, unsigned blocks,
               unsigned threads, unsigned *out, int n_workers,
               hone_host_report *report)
{
    void *params[] = {&out};
    const hone_host_launch launch = {kernel, {blocks, 1, 1}, {threads, 1, 1},
                                     0,      params,         n_workers};

    return b->run(&launch, report);
}

static void test_what_nobody_wrote(void **state)
{
    unsigned out[BLOCKS * THREADS];
    hone_host_report report;
    build plain;

    (void)state;
    build_open(&plain, "kernels_small.cu", BUILD_PLAIN);
    for (int n_workers = 1; n_workers <= 3; ++n_workers) {
        memset(out, 0, sizeof out);
        assert_int_equal(
            run(&plain, "unwritten", BLOCKS, THREADS, out, n_workers, &report),
            HONE_HOST_OK);
        for (int i = 0; i < BLOCKS * THREADS; ++i)
            assert_int_equal(out[i], 0xffffffffu);
    }
    assert_int_equal(run(&plain, "hint", 1, THREADS, out, 2, &report),
                     HONE_HOST_BOUNDS);
    assert_non_null(strstr(report.text, "__ldg() reads shared memory"));
    build_close(&plain);
}

static void test_a_race(void **state)
{
    unsigned out[BLOCKS * WARPS * 32];
    hone_host_report report;
    build race;

    (void)state;
    build_open(&race, "kernels_small.cu", BUILD_RACE);
    for (int n_workers = 1; n_workers <= 3; ++n_workers) {
        assert_int_equal(
            run(&race, "race", BLOCKS, WARPS * 32, out, n_workers, &report),
            HONE_HOST_RACE);
        assert_non_null(strstr(report.text, "static shared memory"));
    }
    assert_int_equal(run(&race, "race", 1, WARPS * 32, out, 2, &report),
                     HONE_HOST_RACE);
    build_close(&race);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_nobody_wrote),
        cmocka_unit_test(test_a_race),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
