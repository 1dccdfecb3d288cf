/* SPDX-License-Identifier: Apache-2.0 */
/* Launch plans: what is read, and the numbers that it resolves to. */
#include "tests/runtime/launch_fixture.h"

#include <string.h>

static void resolves_two_launches(void **state)
{
    const int64_t dims[] = {100, 200, 128};
    hone_launch_spec *spec = launch_parse(gemm_plan);
    hone_resolved r;

    (void)state;
    assert_int_equal(spec->n_dims, 4);
    assert_int_equal(spec->n_mandatory, 3);
    assert_true(spec->dims[3].is_type);
    assert_string_equal(spec->op, "gemm");
    launch_resolved(spec, dims, 3, &r);
    assert_int_equal(r.n_dims, 4);
    assert_int_equal(r.dims[3], HONE_TYPE_F32);
    assert_int_equal(r.n_args, 3);
    assert_int_equal(r.args[0].size_bytes, 100 * 128 * 4);
    assert_int_equal(r.args[2].mode, HONE_ARG_OUT);
    assert_int_equal(r.n_workspaces, 2);
    assert_int_equal(r.workspaces[0].size_bytes, 4 * 100 * 200 * 4);
    assert_false(r.workspaces[0].zero);
    assert_int_equal(r.workspaces[1].size_bytes, 8 * 4);
    assert_true(r.workspaces[1].zero);
    assert_int_equal(r.n_launches, 2);
    assert_int_equal(r.launches[0].shape.grid[0], 4);
    assert_int_equal(r.launches[0].shape.grid[1], 2);
    assert_int_equal(r.launches[0].shape.grid[2], 4);
    assert_int_equal(r.launches[0].shape.block[0], 32);
    assert_int_equal(r.launches[0].shape.block[1], 4);
    assert_int_equal(r.launches[0].shape.block[2], 1);
    assert_int_equal(r.launches[0].shape.shared_bytes, 65536);
    assert_int_equal(r.launches[0].n_passed, 6);
    assert_int_equal(r.launches[0].passed[4].kind, HONE_PASS_WORKSPACE);
    assert_int_equal(r.launches[0].passed[4].index, 1);
    assert_int_equal(r.launches[0].passed[5].value, 32);
    assert_string_equal(r.launches[1].kernel, "gemm_reduce");
    hone__launch_spec_free(spec);
}

static void conditions_leave_launches_out(void **state)
{
    const int64_t dims[] = {64, 64, 64, HONE_TYPE_F16};
    hone_launch_spec *spec = launch_parse(gemm_plan);
    hone_resolved r;

    (void)state;
    launch_resolved(spec, dims, 4, &r);
    assert_int_equal(r.n_launches, 1);
    assert_int_equal(r.workspaces[0].size_bytes, 0);
    assert_int_equal(r.args[0].type, HONE_TYPE_F16);
    assert_int_equal(r.args[0].size_bytes, 64 * 64 * 2);
    hone__launch_spec_free(spec);
}

static void properties_reach_expressions(void **state)
{
    const int64_t dims[] = {7};
    hone_launch_spec *spec =
        launch_parse("hone-launch 1\nop x\ndim n int\n"
                     "symbol wide 1000\nparam KIND wide\n"
                     "launch k # the only one\ngrid device.sm_count*2\n"
                     "block KIND == wide ? device.warp : 1\n"
                     "work flops 3*n\n");
    hone_resolved r;

    (void)state;
    launch_resolved(spec, dims, 1, &r);
    assert_int_equal(r.launches[0].shape.grid[0], 264);
    assert_int_equal(r.launches[0].shape.block[0], 32);
    assert_int_equal(r.flops, 21);
    assert_int_equal(r.bytes, 0);
    hone__launch_spec_free(spec);
}

static void configurations_are_compared(void **state)
{
    static const char text[] = "hone-launch 1\nop x\nsymbol wide 1000\n"
                               "symbol narrow 1001\ndim n int\n"
                               "param KIND 1000\nparam BM -12\nparam ON 1\n"
                               "param T 1\nlaunch k\ngrid 1\nblock 1\n";
    static const struct {
        const char *config;
        const char *part; /* of the sentence; NULL: it is this one */
    } rows[] = {
        {"KIND=wide,BM=-12,ON=true,T=f16", NULL},
        {"BM=-12,KIND=1000,ON=1,T=1", NULL},
        {"KIND=narrow,BM=-12,ON=true,T=f16", "KIND is 1000"},
        {"KIND=wide,BM=12,ON=true,T=f16", "configuration 'BM=12'"},
        {"KIND=wide,BM=-12,ON=false,T=f16", "ON is 1"},
        {"KIND=wide,BM=-12,ON=true,T=bf16", "T is 1"},
        {"KIND=wide,BM=-12,ON=true", "has 4 params, the configuration 3"},
        {"KIND=wide,BM=-12,ON=true,T=f16,N=1", "no param for 'N=1'"},
        {"KIND=wide,BM=-12,ON=true,wide=1000", "no param for 'wide=1000'"},
        {"KIND=wide,BM,ON=true,T=f16", "no param for 'BM'"},
        {"KIND=wide,BM=-12,ON=true,T=", "T is 1"},
        {"", "has 4 params, the configuration 0"},
    };
    hone_launch_spec *spec = launch_parse(text);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_error err = {0};
        const hone_status status =
            hone__launch_spec_check_config(spec, rows[i].config, &err);

        assert_int_equal(status, rows[i].part ? HONE_ERR_DATABASE : HONE_OK);
        if (rows[i].part)
            assert_contains(err.text, rows[i].part);
    }
    hone__launch_spec_free(spec);
}

#define HEAD "hone-launch 1\nop x\ndim n int\n"
#define HEAD_2 "hone-launch 2\nop x\ndim n int\n"
#define OF_VENDOR "hone-launch 4\nop x\ndim n int\nvendor a.b\n"

/* All that a plan says of a vendor's function; and little. */
static void vendors_are_read(void **state)
{
    static const char text[] = OF_VENDOR "vendor-rank 3\n"
                                         "vendor-version 130100\n"
                                         "vendor-algorithm 00ff10a0\n"
                                         "vendor-workspace 32*1024\n"
                                         "work flops 2*n\n";
    const int64_t dims[] = {5};
    hone_launch_spec *spec = launch_parse(text);
    hone_resolved r;

    (void)state;
    launch_resolved(spec, dims, 1, &r);
    assert_int_equal(r.n_launches, 0);
    assert_int_equal(r.flops, 10);
    assert_string_equal(r.vendor->function, "a.b");
    assert_int_equal(r.vendor->rank, 3);
    assert_int_equal(r.vendor->version, 130100);
    assert_int_equal(r.vendor->workspace_bytes, 32768);
    assert_int_equal(r.vendor->n_algorithm_bytes, 4);
    assert_memory_equal(r.vendor->algorithm, "\x00\xff\x10\xa0", 4);
    hone__launch_spec_free(spec);
    /* Stored plans of before 2026-11-23 say it so. */
    spec = launch_parse(OF_VENDOR "vendor-choice 3\n");
    launch_resolved(spec, dims, 1, &r);
    assert_int_equal(r.vendor->rank, 3);
    hone__launch_spec_free(spec);
    spec = launch_parse(OF_VENDOR);
    launch_resolved(spec, dims, 1, &r);
    assert_int_equal(r.vendor->rank + r.vendor->version, 0);
    assert_int_equal(r.vendor->n_algorithm_bytes, 0);
    hone__launch_spec_free(spec);
}

static void limits_are_reached(void **state)
{
    const int64_t n = INT32_MAX;
    hone_launch_spec *spec = launch_parse(HEAD "launch k\ngrid n;8;1\n"
                                               "block 16;1;64\nshared 232448\n"
                                               "value i32 n\nvalue i32 -n-1\n"
                                               "value i64 n*n\n");
    hone_resolved r;

    (void)state;
    launch_resolved(spec, &n, 1, &r);
    assert_int_equal(r.launches[0].shape.grid[0], INT32_MAX);
    assert_int_equal(r.launches[0].passed[1].value, INT32_MIN);
    assert_true(r.launches[0].passed[2].value == n * n);
    hone__launch_spec_free(spec);
}

/* Version 8: a launch that starts early, where devices can. */
static void early_launches(void **state)
{
    static const char plan[] = "hone-launch 8\nop x\ndim n int\n"
                               "launch k\ngrid n\nblock 32\n"
                               "launch l\ngrid 1\nblock 32\nearly\n";
    hone_launch_spec *spec = launch_parse(plan);
    const int64_t n = 16;
    hone_resolved r;

    (void)state;
    launch_resolved(spec, &n, 1, &r);
    assert_false(hone__launch_is_special(&r.launches[0].shape));
    assert_true(r.launches[1].shape.early);
    assert_true(hone__launch_is_special(&r.launches[1].shape));
    assert_int_equal(launch_resolve(spec, &n, 1, "sm_80", &r, NULL), HONE_OK);
    assert_false(r.launches[1].shape.early);
    assert_false(hone__launch_is_special(&r.launches[1].shape));
    hone__launch_spec_free(spec);
}

/* What version 2 adds. */
static void special_launches_and_constants(void **state)
{
    static const char plan[] = HEAD_2
        "arg a in 4 n\narg b in 4 8\n"
        "workspace each 6 zero-each n\n"
        "constant taps 4 a n ; n <= 16\n"
        "constant more 4 b 3\nconstant none 4 b 0\n"
        "launch k\ngrid 2 * n ; 4\nblock 32\ncluster 2 ; 4\ncooperative\n"
        "launch l\ngrid 1\nblock 1\n";
    hone_launch_spec *spec = launch_parse(plan);
    int64_t n = 16;
    hone_resolved r;
    hone_error error = {0};

    (void)state;
    launch_resolved(spec, &n, 1, &r);
    assert_int_equal(r.workspaces[0].zero, HONE_ZERO_EACH);
    assert_int_equal(r.workspaces[0].size_bytes, 16);
    assert_int_equal(r.n_constants, 2);
    assert_string_equal(r.constants[0].name, "taps");
    assert_int_equal(r.constants[0].arg, 0);
    assert_int_equal(r.constants[0].size_bytes, 64);
    assert_string_equal(r.constants[1].name, "more");
    assert_int_equal(r.constants[1].arg, 1);
    assert_int_equal(r.constants[1].size_bytes, 12);
    assert_int_equal(r.launches[0].shape.cluster[0], 2);
    assert_int_equal(r.launches[0].shape.cluster[1], 4);
    assert_int_equal(r.launches[0].shape.cluster[2], 1);
    assert_true(r.launches[0].shape.cooperative);
    assert_int_equal(r.launches[1].shape.cluster[0], 1);
    assert_false(r.launches[1].shape.cooperative);
    n = 17;
    launch_resolved(spec, &n, 1, &r);
    assert_int_equal(r.n_constants, 1);
    assert_string_equal(r.constants[0].name, "more");
    assert_int_equal(launch_resolve(spec, &n, 1, "sm_80", &r, &error),
                     HONE_ERR_INPUT);
    assert_contains(error.text, "clusters of 8 blocks; they need sm_90");
    hone__launch_spec_free(spec);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    launch_parse_short_of_memory(gemm_plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolves_two_launches),
        cmocka_unit_test(conditions_leave_launches_out),
        cmocka_unit_test(properties_reach_expressions),
        cmocka_unit_test(configurations_are_compared),
        cmocka_unit_test(vendors_are_read),
        cmocka_unit_test(limits_are_reached),
        cmocka_unit_test(early_launches),
        cmocka_unit_test(special_launches_and_constants),
        cmocka_unit_test(memory_may_run_out),
    };

    return cmocka_run_group_tests_name("launch_spec", tests, NULL, NULL);
}
