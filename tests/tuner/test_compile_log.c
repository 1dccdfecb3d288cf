/* SPDX-License-Identifier: Apache-2.0 */
/* Reading ptxas' report: what kernels use, and its warnings. */
#include "tests/tuner/ptxas_log.h"
#include "tuner/compile/compile_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_log(void **state)
{
    hone_kernel_use use;

    (void)state;
    assert_true(hone__compile_log_kernel(ptxas_log, "first", &use));
    assert_int_equal(use.registers, 80);
    assert_int_equal(use.spill_bytes, 0);
    assert_int_equal(use.static_shared_bytes, 1024);
    assert_true(hone__compile_log_kernel(ptxas_log, "second", &use));
    assert_int_equal(use.registers, 72);
    assert_int_equal(use.spill_bytes, 32);
    assert_false(hone__compile_log_kernel(ptxas_log, "fir", &use));
    assert_int_equal(use.registers, -1);
    hone__compile_log_most(ptxas_log, &use);
    assert_int_equal(use.registers, 80);
    assert_int_equal(use.spill_bytes, 32);
    assert_int_equal(use.static_shared_bytes, 1024);
}

static void test_log_warnings(void **state)
{
    char codes[64];

    (void)state;
    hone__compile_log_warnings(ptxas_log, codes); /* C7517 is harmless */
    assert_string_equal(codes, "");
    hone__compile_log_warnings(
        "ptxas info : (C7510) Potential Performance Loss: in 'a'\n"
        "ptxas info : (C7508) Potential Performance Loss: ignored\n"
        "ptxas info : (C7510) Potential Performance Loss: in 'b'\n"
        "C7511 is only mentioned (C75\n",
        codes);
    assert_string_equal(codes, "C7510,C7508");
    hone__compile_log_warnings(
        "(C7505)(C7508)(C7510)(C7511)(C7515)(C7520)(C7505)", codes);
    assert_string_equal(codes, "C7505,C7508,C7510,C7511,C7515,C7520");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_log_warnings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
