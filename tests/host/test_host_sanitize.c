/* SPDX-License-Identifier: Apache-2.0 */
/* The sanitized build: accesses out of bounds in kernels are found with
 * their line, and correct kernels with barriers are left in peace. */
#include "tests/host/host_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char file[] = "kernels_bounds.cu";
static build kernels;

static int open_kernels(void **state)
{
    (void)state;
    build_open(&kernels, file, BUILD_SANITIZED);
    return 0;
}

static int close_kernels(void **state)
{
    (void)state;
    build_close(&kernels);
    return 0;
}

static void test_right(void **state)
{
    char out[20000];

    (void)state;
    assert_int_equal(build_execute(&kernels, "right", out, sizeof out), 0);
    assert_string_equal(out, "");
}

static void test_out_of_bounds(void **state)
{
    static const struct {
        const char *kernel, *says;
    } wrong[] = {
        {"past_dynamic", "AddressSanitizer"},
        {"past_fixed", ""}, /* either sanitizer may be first */
        {"past_global", "AddressSanitizer: heap-buffer-overflow"},
        {"past_local", "index 4 out of bounds"},
        {"past_copied", "AddressSanitizer: heap-buffer-overflow"},
        {"misaligned", "misaligned address"},
    };
    static char out[40000];
    char place[64];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        const char *kernel = wrong[i].kernel;

        if (build_execute(&kernels, kernel, out, sizeof out) == 0)
            fail_msg("%s is not found", kernel);
        (void)snprintf(place, sizeof place, "%s:%d", file,
                       line_of(file, kernel));
        if (!strstr(out, wrong[i].says) || !strstr(out, place))
            fail_msg("%s: %.3000s", kernel, out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_out_of_bounds),
    };

    return cmocka_run_group_tests(tests, open_kernels, close_kernels);
}
