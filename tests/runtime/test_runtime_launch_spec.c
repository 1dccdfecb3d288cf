/* SPDX-License-Identifier: Apache-2.0 */
/* Launch plans: what is read, what is refused and where, and the numbers
 * they resolve to. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/base/alloc.h"
#include "runtime/launch/launch_body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hone_properties h100(void)
{
    hone_properties properties;

    assert_int_equal(hone__properties_of_arch("sm_90", &properties, NULL),
                     HONE_OK);
    return properties;
}

static hone_launch_spec *parse(const char *text)
{
    hone_launch_spec *spec = NULL;
    hone_error error = {0};

    if (hone__launch_spec_parse(text, &spec, &error))
        fail_msg("%s", error.text);
    return spec;
}

static void resolves_two_launches(void **state)
{
    const int64_t dims[] = {100, 200, 128};
    const hone_properties properties = h100();
    hone_launch_spec *spec = parse(gemm_plan);
    hone_resolved r;

    (void)state;
    assert_int_equal(spec->n_dims, 4);
    assert_int_equal(spec->n_mandatory, 3);
    assert_true(spec->dims[3].is_type);
    assert_string_equal(spec->op, "gemm");
    assert_int_equal(
        hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 3, &properties}, &r, NULL),
        HONE_OK);
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
    const hone_properties properties = h100();
    hone_launch_spec *spec = parse(gemm_plan);
    hone_resolved r;

    (void)state;
    assert_int_equal(
        hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 4, &properties}, &r, NULL),
        HONE_OK);
    assert_int_equal(r.n_launches, 1);
    assert_int_equal(r.workspaces[0].size_bytes, 0);
    assert_int_equal(r.args[0].type, HONE_TYPE_F16);
    assert_int_equal(r.args[0].size_bytes, 64 * 64 * 2);
    hone__launch_spec_free(spec);
}

static void properties_reach_expressions(void **state)
{
    const int64_t dims[] = {7};
    const hone_properties properties = h100();
    hone_launch_spec *spec =
        parse("hone-launch 1\nop x\ndim n int\n"
              "symbol wide 1000\nparam KIND wide\n"
              "launch k # the only one\ngrid device.sm_count*2\n"
              "block KIND == wide ? device.warp : 1\n"
              "work flops 3*n\n");
    hone_resolved r;

    (void)state;
    assert_int_equal(
        hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 1, &properties}, &r, NULL),
        HONE_OK);
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
    hone_launch_spec *spec = parse(text);

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
#define HEAD_4 "hone-launch 4\nop x\ndim n int\n"
#define OF_VENDOR HEAD_4 "vendor a.b\n"
#define WITHOUT "line 5: a function of a vendor's library has no "

/* All that a plan says of a vendor's function; and little. */
static void vendors_are_read(void **state)
{
    static const char text[] = OF_VENDOR "vendor-choice 3\n"
                                         "vendor-version 130100\n"
                                         "vendor-algorithm 00ff10a0\n"
                                         "vendor-workspace 32*1024\n"
                                         "work flops 2*n\n";
    const hone_properties properties = h100();
    const int64_t dims[] = {5};
    hone_launch_spec *spec = parse(text);
    hone_resolved r;

    (void)state;
    assert_int_equal(
        hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 1, &properties}, &r, NULL),
        HONE_OK);
    assert_int_equal(r.n_launches, 0);
    assert_int_equal(r.flops, 10);
    assert_string_equal(r.vendor->function, "a.b");
    assert_int_equal(r.vendor->rank, 3);
    assert_int_equal(r.vendor->version, 130100);
    assert_int_equal(r.vendor->workspace_bytes, 32768);
    assert_int_equal(r.vendor->n_algorithm_bytes, 4);
    assert_memory_equal(r.vendor->algorithm, "\x00\xff\x10\xa0", 4);
    hone__launch_spec_free(spec);
    spec = parse(OF_VENDOR);
    assert_int_equal(
        hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 1, &properties}, &r, NULL),
        HONE_OK);
    assert_int_equal(r.vendor->rank + r.vendor->version, 0);
    assert_int_equal(r.vendor->n_algorithm_bytes, 0);
    hone__launch_spec_free(spec);
}

static void mistakes_have_lines(void **state)
{
    static const struct {
        const char *text;
        const char *part;
    } rows[] = {
        {"", "empty"},
        {"hone-launch 9\nop x\n", "line 1: expected 'hone-launch 1'"},
        {"hone-launch 0\nop x\n", "found 'hone-launch 0'"},
        {"hone-launch 1 2\nop x\n", "found 'hone-launch 1 2'"},
        {"hone-launch 2\nop x\n", "launches nothing"},
        {"op x\n", "line 1: expected 'hone-launch 1'"},
        {"hone-launch 1\n", "op statement is missing"},
        {HEAD, "launches nothing"},
        {HEAD "launch k\ngrid 1\n", "line 4: kernel 'k' has no block"},
        {HEAD "launch k\nblock 1\n", "line 4: kernel 'k' has no grid"},
        {HEAD "fly k\n", "line 4: unknown statement 'fly'"},
        {HEAD "grid 1\n", "line 4: this belongs under a launch: 'grid'"},
        {HEAD "op y\n", "line 4: a second op"},
        {HEAD "dim n int\n", "line 4: declared twice: 'n'"},
        {HEAD "dim m real\n",
         "line 4: a dim is int, type or choice, not 'real'"},
        {HEAD "dim m int 5\ndim k int\n", "line 5: after a dim with a def"},
        {HEAD "dim m int n\n", "line 4: expected a constant, found 'n'"},
        {HEAD "param B\n", "line 4: an expression is missing"},
        {HEAD "param 2B 3\n", "line 4: expected a name, found '2B'"},
        {HEAD "param B n\n", "line 4: expected a constant"},
        {HEAD "let W m*2\n", "line 4: "},
        {HEAD "let W n*\n", "line 4: "},
        {HEAD "arg a sideways 4 n\n", "line 4: expected scalar, in, out"},
        {HEAD "arg a scalar 4 n\n", "line 4: nothing may follow here"},
        {HEAD "arg a in 4 n\narg a in 4 n\n", "line 5: declared twice"},
        {HEAD "arg a in 4 n\nworkspace a 4 n\n", "line 5: declared twice"},
        {HEAD "arg a in 4\n", "line 4: an expression is missing"},
        {HEAD "launch\n", "line 4: a kernel's name is missing"},
        {HEAD "launch k\nif 1\nif 1\n", "line 6: stated twice"},
        {HEAD "launch k\ngrid 1\ngrid 1\n", "line 6: stated twice"},
        {HEAD "launch k\ngrid 1;2;3;4\n", "line 5: more than 3 values"},
        {HEAD "launch k\ngrid 1;;3\n", "line 5: an expression is missing"},
        {HEAD "launch k\npass a\n",
         "line 5: no argument, workspace or tensor "},
        {HEAD "launch k\nvalue f32 n\n", "line 5: a value is i32, i64, or f32"},
        {HEAD "arg a in 4 n\nconstant c 4 a n\n",
         "line 5: unknown statement 'constant'"},
        {HEAD "launch k\ncluster 2\n", "line 5: unknown statement 'clu"},
        {HEAD "launch k\ncooperative\n", "line 5: unknown statement 'coo"},
        {HEAD "workspace w 4 zero-each n\n", "line 4: "},
        {HEAD_2 "constant c 4 a n\n", "line 4: no array argument is called "
                                      "'a'"},
        {HEAD_2 "arg a scalar 4\nconstant c 4 a n\n",
         "line 5: no array argument is called 'a'"},
        {HEAD_2 "workspace a 4 n\nconstant c 4 a n\n",
         "line 5: no array argument is called 'a'"},
        {HEAD_2 "arg a in 4 n\nconstant c 4 a\n",
         "line 5: an expression is missing"},
        {HEAD_2 "arg a in 4 n\nconstant c 4 a n ; 1 ; 2\n",
         "line 5: more than 2 values"},
        {HEAD_2 "arg a in 4 n\nconstant c 4 a n\nconstant c 4 a n\n",
         "line 6: declared twice: 'c'"},
        {HEAD_2 "cluster 2\n", "line 4: this belongs under a launch"},
        {HEAD_2 "launch k\ncluster 2\ncluster 2\n", "line 6: stated twice"},
        {HEAD_2 "launch k\ncooperative 1\n", "line 5: nothing may follow"},
        {HEAD_2 "launch k\nearly\n", "line 5: unknown statement 'early'"},
        {HEAD "work time n\n", "line 4: work is flops or bytes, not 'time'"},
        {HEAD "vendor a.b\n", "line 4: unknown statement 'vendor'"},
        {HEAD_4 "vendor\n", "line 4: expected a function's name, found ''"},
        {HEAD_4 "vendor A\n", "line 4: expected a function's name, found 'A'"},
        {HEAD_4 "vendor a b\n", "line 4: nothing may follow here, found 'b'"},
        {OF_VENDOR "vendor c\n", "line 5: a second vendor: 'c'"},
        {HEAD_4 "launch k\nvendor a\n", "line 5: a plan with launches"},
        {HEAD_4 "workspace w 4 n\nvendor a\n", "line 5: a plan with launches"},
        {OF_VENDOR "launch k\n", WITHOUT "'launch'"},
        {OF_VENDOR "workspace w 4 n\n", WITHOUT "'workspace'"},
        {OF_VENDOR "constant c 4 a n\n", WITHOUT "'constant'"},
        {OF_VENDOR "tensormap t a\n", WITHOUT "'tensormap'"},
        {OF_VENDOR "grid n\n", "line 5: this belongs under a launch"},
        {HEAD_4 "vendor-choice 1\n", "line 4: this belongs under a vendor"},
        {OF_VENDOR "vendor-choice n\n", "line 5: expected a constant"},
        {OF_VENDOR "vendor-choice -1\n", "line 5: out of range: '-1'"},
        {OF_VENDOR "vendor-choice 0\nvendor-choice 0\n",
         "line 6: stated twice: 'vendor-choice'"},
        {OF_VENDOR "vendor-version 0\n", "line 5: out of range: '0'"},
        {OF_VENDOR "vendor-version 1\nvendor-version 1\n",
         "line 6: stated twice: 'vendor-version'"},
        {OF_VENDOR "vendor-workspace\n", "line 5: an expression is missing"},
        {OF_VENDOR "vendor-workspace 0\nvendor-workspace 0\n",
         "line 6: stated twice: 'vendor-workspace'"},
        {OF_VENDOR "vendor-algorithm\n", "line 5: an algorithm is 1 to 64"},
        {OF_VENDOR "vendor-algorithm 123\n", "line 5: an algorithm is 1 to"},
        {OF_VENDOR "vendor-algorithm 12G4\n", "two hex digits, found 'G4'"},
        {OF_VENDOR "vendor-algorithm 12 34\n", "line 5: nothing may follow"},
        {OF_VENDOR "vendor-algorithm 12\nvendor-algorithm 12\n",
         "line 6: stated twice: 'vendor-algorithm'"},
        {OF_VENDOR "vendor-algorithm 12\n",
         "line 4: 'a.b' has a vendor-algorithm and no vendor-version"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_error error = {0};
        hone_launch_spec *spec = NULL;

        assert_int_equal(hone__launch_spec_parse(rows[i].text, &spec, &error),
                         HONE_ERR_INPUT);
        assert_null(spec);
        assert_contains(error.text, rows[i].part);
    }
}

static void limits_of_the_text(void **state)
{
    char *text = malloc(20000);
    hone_error error = {0};
    hone_launch_spec *spec = NULL;

    (void)state;
    (void)snprintf(text, 20000, HEAD "require %05000d\n", 1);
    assert_int_equal(hone__launch_spec_parse(text, &spec, &error),
                     HONE_ERR_INPUT);
    assert_contains(error.text, "line 4: longer than 4095 bytes");
    (void)snprintf(text, 20000, "hone-launch 1\nop x\n");
    for (char name = 'a'; name < 'a' + HONE_MAX_DIMS + 1; ++name) {
        const char line[] = {'d', 'i', 'm', ' ',  name, ' ',
                             'i', 'n', 't', '\n', '\0'};

        (void)strcat(text, line);
    }
    assert_int_equal(hone__launch_spec_parse(text, &spec, &error),
                     HONE_ERR_INPUT);
    assert_contains(error.text, "line 19: more than 16 dims");
    (void)snprintf(text, 20000, HEAD "launch k\ngrid 1\nblock 1\n");
    for (int i = 0; i <= HONE_MAX_PASSED; ++i)
        (void)strcat(text, "value i32 n\n");
    assert_int_equal(hone__launch_spec_parse(text, &spec, &error),
                     HONE_ERR_INPUT);
    assert_contains(error.text, "line 47: more than 40 kernel parameters");
    free(text);
}

static void bad_dims_are_named(void **state)
{
    static const struct {
        int64_t dims[5];
        size_t n_dims;
        const char *part;
    } rows[] = {
        {{1, 2}, 2, "gemm(M, N, K, T = f32) takes 3 to 4 dims, not 2"},
        {{1, 2, 4, 4, 5}, 5, "takes 3 to 4 dims, not 5"},
        {{1, -1, 4}, 3, "dim N of gemm(M, N, K, T = f32) is -1"},
        {{-3, 2, 4}, 3, "dim M of gemm(M, N, K, T = f32) is -3"},
        {{1, 2, 4, 99}, 4, "99 is not the code"},
        {{1, 2, 4, 0}, 4, "0 is not the code"},
    };
    hone_launch_spec *spec = parse(gemm_plan);
    int64_t out[HONE_MAX_DIMS];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_error error = {0};

        assert_int_equal(hone__launch_spec_complete_dims(
                             spec, rows[i].dims, rows[i].n_dims, out, &error),
                         HONE_ERR_DIMS);
        assert_contains(error.text, rows[i].part);
    }
    hone__launch_spec_free(spec);
}

static void bad_numbers_are_refused(void **state)
{
    static const struct {
        const char *rest;
        int64_t n;
        hone_status status;
        const char *part;
    } rows[] = {
        {"launch k\ngrid n*n*n\nblock 1\n", 1 << 30, HONE_ERR_OVERFLOW,
         "n*n*n"},
        {"launch k\ngrid n\nblock 1\n", INT64_C(1) << 31, HONE_ERR_INPUT,
         "grid.x of kernel 'k' is 2147483648"},
        {"launch k\ngrid 1;n\nblock 1\n", 65536, HONE_ERR_INPUT, "grid.y"},
        {"launch k\ngrid 1;1;n\nblock 1\n", 65536, HONE_ERR_INPUT, "grid.z"},
        {"launch k\ngrid n-1\nblock 1\n", 1, HONE_ERR_INPUT, "is 0"},
        {"launch k\ngrid 1\nblock n\n", 1025, HONE_ERR_INPUT, "block.x"},
        {"launch k\ngrid 1\nblock 1;1;n\n", 65, HONE_ERR_INPUT, "block.z"},
        {"launch k\ngrid 1\nblock n;n\n", 33, HONE_ERR_INPUT,
         "has 1089 threads"},
        {"launch k\ngrid 1\nblock 1\nshared n\n", 232449, HONE_ERR_INPUT,
         "wants 232449 bytes of shared memory"},
        {"launch k\ngrid 1\nblock 1\nshared -n\n", 1, HONE_ERR_INPUT,
         "wants -1 bytes"},
        {"launch k\ngrid 1\nblock 1\nvalue i32 n\n", INT64_C(1) << 31,
         HONE_ERR_OVERFLOW, "does not fit the 32-bit parameter"},
        {"require n % 4 == 0\nlaunch k\ngrid 1\nblock 1\n", 6,
         HONE_ERR_CONSTRAINT, "'n % 4 == 0'"},
        {"let Z 1/(n-1)\nlaunch k\ngrid 1\nblock 1\n", 1, HONE_ERR_INPUT,
         "1/(n-1)"},
        {"arg a in 4 n-2\nlaunch k\ngrid 1\nblock 1\n", 1, HONE_ERR_INPUT,
         "'a' has a negative number"},
        {"arg a in n 4\nlaunch k\ngrid 1\nblock 1\n", 77, HONE_ERR_INPUT,
         "the type of 'a' is 77"},
        {"launch k\ngrid 32\nblock 1\ncluster n\n", 17, HONE_ERR_INPUT,
         "cluster.x of kernel 'k' is 17 ('n'); CUDA allows 1 to 16"},
        {"launch k\ngrid 32;4\nblock 1\ncluster n;4\n", 8, HONE_ERR_INPUT,
         "a cluster of kernel 'k' has 32 blocks; CUDA allows 16"},
        {"launch k\ngrid 2;n\nblock 1\ncluster 2;2\n", 7, HONE_ERR_INPUT,
         "grid.y of kernel 'k' is 7, which clusters of 2 blocks"},
        {"arg a in 4 n\nconstant c 4 a 5\nlaunch k\ngrid 1\nblock 1\n", 4,
         HONE_ERR_INPUT, "takes 5 elements of f32 from 'a', which has 4"},
        {"arg a in 4 n\nconstant c 5 a 2\nlaunch k\ngrid 1\nblock 1\n", 4,
         HONE_ERR_INPUT, "2 elements of f64 from 'a', which has 4 of f32"},
        {"arg a in 4 n\nconstant c 4 a n\nlaunch k\ngrid 1\nblock 1\n", 16385,
         HONE_ERR_CONSTRAINT,
         "its 65540 bytes do not fit, a kernel has 65536 and 0 are taken"},
        {"arg a in 5 n\nconstant c 5 a n-1\nconstant d 5 a 2\n"
         "launch k\ngrid 1\nblock 1\n",
         8192, HONE_ERR_CONSTRAINT,
         "its 16 bytes do not fit, a kernel has 65536 and 65528 are taken"},
        {"arg a in 5 n\nlaunch k\ngrid 1\nblock 1\n", INT64_C(1) << 61,
         HONE_ERR_OVERFLOW, "2^63 bytes"},
    };
    const hone_properties properties = h100();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[300];
        hone_error error = {0};
        hone_resolved r;
        hone_launch_spec *spec;

        (void)snprintf(text, sizeof text, HEAD_2 "%s", rows[i].rest);
        spec = parse(text);
        assert_int_equal(
            hone__launch_spec_resolve(
                &(hone_launch_case){spec, &rows[i].n, 1, &properties}, &r,
                &error),
            rows[i].status);
        assert_contains(error.text, rows[i].part);
        hone__launch_spec_free(spec);
    }
}

static void limits_are_reached(void **state)
{
    const int64_t n = INT32_MAX;
    const hone_properties properties = h100();
    hone_launch_spec *spec = parse(HEAD "launch k\ngrid n;65535;65535\n"
                                        "block 16;1;64\nshared 232448\n"
                                        "value i32 n\nvalue i32 -n-1\n"
                                        "value i64 n*n\n");
    hone_resolved r;

    (void)state;
    assert_int_equal(
        hone__launch_spec_resolve(&(hone_launch_case){spec, &n, 1, &properties},
                                  &r, NULL),
        HONE_OK);
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
    hone_launch_spec *spec = parse(plan);
    hone_properties properties = h100();
    const int64_t n = 16;
    hone_resolved r;

    (void)state;
    assert_int_equal(
        hone__launch_spec_resolve(&(hone_launch_case){spec, &n, 1, &properties},
                                  &r, NULL),
        HONE_OK);
    assert_false(hone__launch_is_special(&r.launches[0].shape));
    assert_true(r.launches[1].shape.early);
    assert_true(hone__launch_is_special(&r.launches[1].shape));
    assert_int_equal(hone__properties_of_arch("sm_80", &properties, NULL),
                     HONE_OK);
    assert_int_equal(
        hone__launch_spec_resolve(&(hone_launch_case){spec, &n, 1, &properties},
                                  &r, NULL),
        HONE_OK);
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
    hone_launch_spec *spec = parse(plan);
    hone_properties properties = h100();
    int64_t n = 16;
    hone_resolved r;
    hone_error error = {0};

    (void)state;
    assert_int_equal(
        hone__launch_spec_resolve(&(hone_launch_case){spec, &n, 1, &properties},
                                  &r, NULL),
        HONE_OK);
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
    assert_int_equal(
        hone__launch_spec_resolve(&(hone_launch_case){spec, &n, 1, &properties},
                                  &r, NULL),
        HONE_OK);
    assert_int_equal(r.n_constants, 1);
    assert_string_equal(r.constants[0].name, "more");
    assert_int_equal(hone__properties_of_arch("sm_80", &properties, NULL),
                     HONE_OK);
    assert_int_equal(
        hone__launch_spec_resolve(&(hone_launch_case){spec, &n, 1, &properties},
                                  &r, &error),
        HONE_ERR_INPUT);
    assert_contains(error.text, "clusters of 8 blocks; they need sm_90");
    hone__launch_spec_free(spec);
}

static void memory_may_run_out(void **state)
{
    hone_status status = HONE_ERR_NO_MEMORY;
    long n = 0;

    (void)state;
    for (; status != HONE_OK && n < 1000; ++n) {
        hone_launch_spec *spec = NULL;
        hone_error error = {0};

        hone__alloc_fail_after(n);
        status = hone__launch_spec_parse(gemm_plan, &spec, &error);
        hone__alloc_fail_after(-1);
        if (status != HONE_OK) {
            assert_int_equal(status, HONE_ERR_NO_MEMORY);
            assert_null(spec);
        }
        hone__launch_spec_free(spec);
    }
    assert_in_range(n, 10, 999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolves_two_launches),
        cmocka_unit_test(conditions_leave_launches_out),
        cmocka_unit_test(properties_reach_expressions),
        cmocka_unit_test(configurations_are_compared),
        cmocka_unit_test(vendors_are_read),
        cmocka_unit_test(mistakes_have_lines),
        cmocka_unit_test(limits_of_the_text),
        cmocka_unit_test(bad_dims_are_named),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(limits_are_reached),
        cmocka_unit_test(early_launches),
        cmocka_unit_test(special_launches_and_constants),
        cmocka_unit_test(memory_may_run_out),
    };

    return cmocka_run_group_tests_name("launch_spec", tests, NULL, NULL);
}
