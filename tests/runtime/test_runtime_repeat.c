/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that are repeated and arrays that are picked, on the fake driver:
 * what each launch gets, in order, captured or not, and what is refused. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/base/alloc.h"
#include "runtime/launch/launch_spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two launches a repetition, the second of them only in odd ones; one before
 * and one behind all. */
static const char plan_text[] =
    "hone-launch 6\nop waves\ndim n int\ndim steps int 1\n"
    "arg x in 4 n\narg y out 4 n\n"
    "workspace w 4 n\n"
    "launch first\ngrid 1\nblock 32\npass x\n"
    "launch step\nrepeat I steps-1\n"
    "grid I + 1 ; n - I\nblock 32\n"
    "pick x y w ; I == 0 ? 0 : 1 + I%2\npass y\nvalue i32 10*I\n"
    "launch odd\nrepeat I\nif I%2\ngrid 2\nblock 64\n"
    "value i64 I\n"
    "launch last\ngrid 1\nblock 32\npick y w ; n%2\n";
static const char cubin[] = "first 0 8\nstep 0 8,8,4\nodd 0 8\nlast 0 8";

static uint64_t x_device = 0x1000;
static uint64_t y_device = 0x2000;
static void *args[] = {&x_device, &y_device};

static hone_plan *plan_of(hone_ctx *ctx, int64_t n, int64_t steps)
{
    const int64_t dims[] = {n, steps};
    hone_plan *plan = NULL;

    assert_hone(ctx, hone_plan_create(ctx, "waves", dims, 2, &plan, NULL),
                HONE_OK);
    return plan;
}

static void put(runtime_fixture *fixture)
{
    const tuned_row row = {
        .op = "waves", .launch_plan = plan_text, .cubin = cubin};

    runtime_put_default(fixture, &row);
}

/* Launches from `at` on are those of `steps`; n is 7. */
static void check_launches(long at, int64_t steps, hone_stream stream)
{
    const fake_launch *last;
    uint64_t w = 0;

    assert_string_equal(fake_launch_at(at)->kernel, "first");
    assert_true(fake_launch_at(at++)->params[0] == x_device);
    for (int64_t i = 0; i < steps - 1; ++i) {
        const fake_launch *step = fake_launch_at(at++);

        assert_string_equal(step->kernel, "step");
        assert_int_equal(step->grid[0], i + 1);
        assert_int_equal(step->grid[1], 7 - i);
        assert_int_equal(step->block[0], 32);
        assert_ptr_equal(step->stream, stream);
        assert_int_equal(step->params[2], 10 * i);
        assert_true(step->params[1] == y_device);
        if (i == 0)
            assert_true(step->params[0] == x_device);
        else if (i % 2 == 0)
            assert_true(step->params[0] == y_device);
        else
            w = step->params[0];
        if (i % 2 == 0)
            continue;
        step = fake_launch_at(at++);
        assert_string_equal(step->kernel, "odd");
        assert_int_equal(step->grid[0], 2);
        assert_int_equal(step->params[0], i);
    }
    last = fake_launch_at(at++);
    assert_string_equal(last->kernel, "last");
    assert_true(last->params[0] != 0 && last->params[0] != y_device);
    if (w)
        assert_true(last->params[0] == w);
    assert_int_equal(fake_n_launches(), at);
}

static void each_in_its_turn(void **state)
{
    hone_ctx *ctx = runtime_open(*state);

    put(*state);
    for (int64_t steps = 1; steps < 7; ++steps) {
        hone_plan *plan = plan_of(ctx, 7, steps);

        for (int run = 0; run < 2; ++run) {
            const long at = fake_n_launches();

            assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                        HONE_OK);
            if (at + 12 < FAKE_KEPT_LAUNCHES)
                check_launches(at, steps, NULL);
        }
        hone_plan_destroy(plan);
    }
    hone_close(ctx);
}

/* A stream that is captured records the same launches, if the plan was
 * prepared: there is nothing to allocate. */
static void captured(void **state)
{
    hone_stream stream = (hone_stream)(uintptr_t)0x50;
    hone_ctx *ctx = runtime_open(*state);
    hone_plan *plan;
    long at;

    put(*state);
    plan = plan_of(ctx, 7, 5);
    assert_hone(ctx, hone_plan_prepare(plan, stream), HONE_OK);
    fake_capture(1);
    at = fake_n_launches();
    assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), stream),
                HONE_OK);
    fake_capture(0);
    check_launches(at, 5, stream);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void bad_arguments_are_named(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    hone_plan *plan;
    long at;

    put(*state);
    plan = plan_of(ctx, 7, 3);
    at = fake_n_launches();
    y_device = 0;
    assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "args[1] of waves points to a null");
    y_device = 0x2000;
    assert_int_equal(fake_n_launches(), at + 1); /* the first has no y */
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static hone_status resolve(const char *launch, int64_t n, hone_resolved *out,
                           hone_error *err)
{
    hone_properties properties;
    hone_launch_spec *spec = NULL;
    hone_status status;
    char text[600];

    (void)snprintf(text, sizeof text,
                   "hone-launch 6\nop o\ndim n int\narg x in 4 n\n"
                   "arg a scalar 4\narg y out 4 n\n%s",
                   launch);
    assert_int_equal(hone__properties_of_arch("sm_90", &properties, NULL),
                     HONE_OK);
    status = hone__launch_spec_parse(text, &spec, err);
    if (status == HONE_OK)
        status = hone__launch_spec_resolve(
            &(hone_launch_case){spec, &n, 1, &properties}, out, err);
    hone__launch_spec_free(spec);
    return status;
}

static void refused(void **state)
{
    static const struct {
        const char *launch;
        int64_t n;
        hone_status status;
        const char *words;
    } rows[] = {
        {"launch k\nrepeat I n\ngrid 1\nblock 1\n", 1000000, HONE_OK, ""},
        {"launch k\nrepeat I n\ngrid 1\nblock 1\n", 1000001,
         HONE_ERR_CONSTRAINT, "at most 1000000 are allowed"},
        {"launch k\nrepeat I n-1\ngrid n-1\nblock 1\n", 1, HONE_OK, ""},
        {"launch k\nrepeat I n-2\ngrid 1\nblock 1\n", 1, HONE_ERR_INPUT,
         "is launched -1 times ('n-2')"},
        {"launch k\nrepeat I n\ngrid 3-I\nblock 1\n", 3, HONE_OK, ""},
        {"launch k\nrepeat I n\ngrid 3-I\nblock 1\n", 4, HONE_ERR_INPUT,
         "grid.x of kernel 'k' is 0 ('3-I')"},
        {"launch k\nrepeat I n\nif I < 3\ngrid 3-I\nblock 1\n", 4, HONE_OK, ""},
        {"launch k\nrepeat I n\ngrid 1\nblock 1\npick x y ; I\n", 3,
         HONE_ERR_INPUT, "is picked from 2 arrays, and 'I' is 2"},
        {"launch k\ngrid 1\nblock 1\npick x y ; n-3\n", 2, HONE_ERR_INPUT,
         "'n-3' is -1"},
        {"launch k\nrepeat I n\ngrid 1\nblock I\n", 3, HONE_ERR_INPUT,
         "line 10: the number of a repetition is known in the 'if'"},
        {"launch k\nrepeat I n\ngrid 1\nblock 1\nwork flops I\n", 3,
         HONE_ERR_INPUT, "line 11: the number of a repetition"},
        {"launch k\nrepeat I n\ngrid 1\nblock 1\nlaunch m\ngrid I\n", 3,
         HONE_ERR_INPUT, "line 12: the number of a repetition"},
        {"launch k\ngrid 1\nrepeat I n\n", 3, HONE_ERR_INPUT,
         "line 9: 'repeat' stands once"},
        {"launch k\nrepeat I\n", 3, HONE_ERR_INPUT,
         "line 8: the launch above is not repeated under the name 'I'"},
        {"launch k\nrepeat I n\ngrid 1\nblock 1\nlaunch k\nrepeat J\n", 3,
         HONE_ERR_INPUT, "not repeated under the name 'J'"},
        {"launch k\nrepeat n 3\n", 3, HONE_ERR_INPUT, "declared twice: 'n'"},
        {"launch k\ngrid 1\nblock 1\npick ; 0\n", 3, HONE_ERR_INPUT,
         "expected names"},
        {"launch k\ngrid 1\nblock 1\npick x y\n", 3, HONE_ERR_INPUT,
         "expected names"},
        {"launch k\ngrid 1\nblock 1\npick x z ; 0\n", 3, HONE_ERR_INPUT,
         "no argument, workspace or tensor map is called 'z'"},
        {"launch k\ngrid 1\nblock 1\npick x x x x x x x x x ; 0\n", 3,
         HONE_ERR_INPUT, "more than 8 to pick from"},
    };
    hone_resolved *r = calloc(1, sizeof *r);

    (void)state;
    assert_non_null(r);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_error err = {0};
        const hone_status status = resolve(rows[i].launch, rows[i].n, r, &err);

        if (status != rows[i].status || !strstr(err.text, rows[i].words))
            fail_msg("row %zu: %d %s", i, (int)status, err.text);
    }
    free(r);
}

static void memory_may_run_out(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    const int64_t dims[] = {7, 5};
    hone_plan *plan = NULL;
    int failed = 1;

    put(*state);
    for (long n = 0; failed; ++n) {
        hone_status status;

        hone__alloc_fail_after(n);
        status = hone_plan_create(ctx, "waves", dims, 2, &plan, NULL);
        failed = hone__alloc_fail_end();
        assert_true(status == HONE_OK || failed);
    }
    assert_non_null(plan);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_in_its_turn, runtime_setup,
                                        runtime_teardown),
        cmocka_unit_test_setup_teardown(captured, runtime_setup,
                                        runtime_teardown),
        cmocka_unit_test_setup_teardown(bad_arguments_are_named, runtime_setup,
                                        runtime_teardown),
        cmocka_unit_test(refused),
        cmocka_unit_test_setup_teardown(memory_may_run_out, runtime_setup,
                                        runtime_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
