/* SPDX-License-Identifier: Apache-2.0 */
/* Variants with tensor maps on the fake GPU: a trial is verified and timed on
 * maps of each copy of the arguments, which are encoded once; edge shapes
 * are ones that a map can show. */
#include "tests/tuner/gpu_fixture.h"
#include "tuner/trial/trial.h"
#include "tuner/trial/variant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static gpu_fixture f;
static hone_launch_spec *read_plan;
static char plan[2048];

/* The plan of the fixture, with a map where x was. */
static void use_map(const char *map)
{
    const char *old = hone__text_str(&f.text);
    const char *launch = strstr(old, "launch axpy");
    const char *pass = strstr(old, "pass x\n");
    hone_error err = {.status = HONE_OK};

    assert_non_null(launch);
    assert_non_null(pass);
    (void)snprintf(plan, sizeof plan, "hone-launch 2%.*s%s%.*spass X_MAP%s",
                   (int)(launch - old) - 13, old + 13, map,
                   (int)(pass - launch), launch, pass + 6);
    f.job.launch_spec = plan;
    hone__launch_spec_free(read_plan);
    read_plan = NULL;
    if (hone__launch_spec_parse(plan, &read_plan, &err))
        fail_msg("%s", err.text);
    f.job.spec = read_plan;
}

static int setup(void **state)
{
    (void)state;
    gpu_fixture_setup(&f);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hone__launch_spec_free(read_plan);
    read_plan = NULL;
    gpu_fixture_close(&f);
    return 0;
}

static void is_verified_and_timed(void **state)
{
    hone_trial_report report;

    (void)state;
    use_map("tensormap X_MAP x\nmap dims n\nmap box 256\n");
    report = gpu_fixture_try(&f, GOOD);
    if (report.outcome != HONE_OUTCOME_OK)
        fail_msg("%s", report.message);
    assert_true(report.verified);
    assert_true(f.kernel->n_runs > 100);
    /* One of each copy, whether it is timed or verified. */
    assert_in_range(fake_gpu_n_maps, 2, 16);
    report = gpu_fixture_try(&f, WRONG);
    assert_int_equal(report.outcome, HONE_OUTCOME_WRONG);
}

static void what_cuda_refuses(void **state)
{
    hone_trial_report report;

    (void)state;
    use_map("tensormap X_MAP x\nmap dims n+1\nmap box 256\n");
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_CONSTRAINT);
    assert_non_null(strstr(report.message, "'X_MAP' reaches over the end"));
    assert_int_equal(f.kernel->n_runs, 0);
}

static hone_status check_edge_shapes(hone_verdict *verdict, hone_error *err)
{
    hone_edge_shapes shapes = {.device = &f.device, .setup = &f.setup};
    const hone_status status =
        hone__edge_shapes_check(&shapes, &f.job, verdict, err);

    hone__edge_shapes_forget(&shapes);
    return status;
}

static void edge_shapes(void **state)
{
    hone_verdict verdict;
    hone_error err = {.status = HONE_OK};

    (void)state;
    use_map("tensormap X_MAP x\nmap dims n\nmap box 256\n");
    assert_int_equal(check_edge_shapes(&verdict, &err), HONE_OK);
    assert_int_equal(verdict.outcome, HONE_OUTCOME_OK);
    assert_int_equal(verdict.n_compared, 4 * 2); /* shapes, kinds of input */
    /* Rows of 1, 61, 131 and 1000003 floats have no good stride: as where a
     * require does not hold, others are taken, each once. */
    use_map("tensormap X_MAP x\nmap dims n ; 1\nmap strides 4*n\n"
            "map box 4 ; 1\n");
    assert_int_equal(check_edge_shapes(&verdict, &err), HONE_OK);
    assert_int_equal(verdict.outcome, HONE_OUTCOME_OK);
    assert_int_equal(verdict.n_compared, 2 * 2);
    assert_int_equal(gpu_fixture_try(&f, GOOD).outcome, HONE_OUTCOME_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(is_verified_and_timed, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cuda_refuses, setup, teardown),
        cmocka_unit_test_setup_teardown(edge_shapes, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
