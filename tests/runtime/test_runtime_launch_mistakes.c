/* SPDX-License-Identifier: Apache-2.0 */
/* Launch plans: what is refused and where, of the text and of the sizes that
 * a plan is resolved for. */
#include "tests/runtime/launch_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "hone-launch 1\nop x\ndim n int\n"
#define HEAD_2 "hone-launch 2\nop x\ndim n int\n"
#define HEAD_4 "hone-launch 4\nop x\ndim n int\n"
#define OF_VENDOR HEAD_4 "vendor a.b\n"
#define WITHOUT "line 5: a function of a vendor's library has no "

typedef struct mistake {
    const char *text;
    const char *part;
} mistake;

static const mistake mistakes[] = {
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
    {HEAD "dim m real\n", "line 4: a dim is int, type or choice, not 'real'"},
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
    {HEAD "launch k\npass a\n", "line 5: no argument, workspace or tensor "},
    {HEAD "launch k\nvalue f32 n\n", "line 5: a value is i32, i64, or f32"},
};

/* Of later versions of plans. */
static const mistake later_mistakes[] = {
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
};

/* Of functions of vendors. */
static const mistake vendor_mistakes[] = {
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
    {HEAD_4 "vendor-rank 1\n", "line 4: this belongs under a vendor"},
    {OF_VENDOR "vendor-choice n\n", "line 5: expected a constant"},
    {OF_VENDOR "vendor-rank 0\nvendor-choice 0\n",
     "line 6: stated twice: 'vendor-choice'"},
    {OF_VENDOR "vendor-rank n\n", "line 5: expected a constant"},
    {OF_VENDOR "vendor-rank -1\n", "line 5: out of range: '-1'"},
    {OF_VENDOR "vendor-rank 0\nvendor-rank 0\n",
     "line 6: stated twice: 'vendor-rank'"},
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

#define CHECK_ALL(table) check_all(table, sizeof(table) / sizeof *(table))

static void check_all(const mistake *table, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        launch_mistake(table[i].text, table[i].part);
}

static void mistakes_have_lines(void **state)
{
    (void)state;
    CHECK_ALL(mistakes);
    CHECK_ALL(later_mistakes);
    CHECK_ALL(vendor_mistakes);
}

static void limits_of_the_text(void **state)
{
    char *text = malloc(20000);

    (void)state;
    (void)snprintf(text, 20000, HEAD "require %05000d\n", 1);
    launch_mistake(text, "line 4: longer than 4095 bytes");
    (void)snprintf(text, 20000, "hone-launch 1\nop x\n");
    for (char name = 'a'; name < 'a' + HONE_MAX_DIMS + 1; ++name) {
        const char line[] = {'d', 'i', 'm', ' ',  name, ' ',
                             'i', 'n', 't', '\n', '\0'};

        (void)strcat(text, line);
    }
    launch_mistake(text, "line 23: more than 20 dims");
    (void)snprintf(text, 20000, HEAD "launch k\ngrid 1\nblock 1\n");
    for (int i = 0; i <= HONE_MAX_PASSED; ++i)
        (void)strcat(text, "value i32 n\n");
    launch_mistake(text, "line 47: more than 40 kernel parameters");
    free(text);
}

static void names_are_so_many(void **state)
{
    enum { MOST = 100000 };
    char *text = malloc(MOST);
    size_t length;

    (void)state;
    length = (size_t)snprintf(text, MOST, "hone-launch 1\nop x\n");
    for (int i = 0; length < MOST - 40; ++i)
        length +=
            (size_t)snprintf(text + length, MOST - length, "param V%d 1\n", i);
    launch_mistake(text, "more than 4096 names: 'V4096'");
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
    hone_launch_spec *spec = launch_parse(gemm_plan);
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

/* What follows a head of version 2, and the size that it does not stand. */
static const struct {
    const char *rest;
    int64_t n;
    hone_status status;
    const char *part;
} bad_numbers[] = {
    {"launch k\ngrid n*n*n\nblock 1\n", 1 << 30, HONE_ERR_OVERFLOW, "n*n*n"},
    {"launch k\ngrid n\nblock 1\n", INT64_C(1) << 31, HONE_ERR_INPUT,
     "grid.x of kernel 'k' is 2147483648"},
    {"launch k\ngrid 1 << 30; 65535; n\nblock 1\n", 65535, HONE_ERR_INPUT,
     "more than 2^34 blocks"},
    {"launch k\ngrid 1;n\nblock 1\n", 65536, HONE_ERR_INPUT, "grid.y"},
    {"launch k\ngrid 1;1;n\nblock 1\n", 65536, HONE_ERR_INPUT, "grid.z"},
    {"launch k\ngrid n-1\nblock 1\n", 1, HONE_ERR_INPUT, "is 0"},
    {"launch k\ngrid 1\nblock n\n", 1025, HONE_ERR_INPUT, "block.x"},
    {"launch k\ngrid 1\nblock 1;1;n\n", 65, HONE_ERR_INPUT, "block.z"},
    {"launch k\ngrid 1\nblock n;n\n", 33, HONE_ERR_INPUT, "has 1089 threads"},
    {"launch k\ngrid 1\nblock 1\nshared n\n", 232449, HONE_ERR_INPUT,
     "wants 232449 bytes of shared memory"},
    {"launch k\ngrid 1\nblock 1\nshared -n\n", 1, HONE_ERR_INPUT,
     "wants -1 bytes"},
    {"launch k\ngrid 1\nblock 1\nvalue i32 n\n", INT64_C(1) << 31,
     HONE_ERR_OVERFLOW, "does not fit the 32-bit parameter"},
    {"require n % 4 == 0\nlaunch k\ngrid 1\nblock 1\n", 6, HONE_ERR_CONSTRAINT,
     "'n % 4 == 0'"},
    {"let Z 1/(n-1)\nlet Y Z+1\nlaunch k\ngrid n ? Y : 1\nblock 1\n", 1,
     HONE_ERR_INPUT, "1/(n-1)"},
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

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_numbers / sizeof bad_numbers[0]; ++i) {
        char text[300];
        hone_error error = {0};
        hone_resolved r;
        hone_launch_spec *spec;

        (void)snprintf(text, sizeof text, HEAD_2 "%s", bad_numbers[i].rest);
        spec = launch_parse(text);
        assert_int_equal(
            launch_resolve(spec, &bad_numbers[i].n, 1, "sm_90", &r, &error),
            bad_numbers[i].status);
        assert_contains(error.text, bad_numbers[i].part);
        hone__launch_spec_free(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_have_lines),
        cmocka_unit_test(limits_of_the_text),
        cmocka_unit_test(names_are_so_many),
        cmocka_unit_test(bad_dims_are_named),
        cmocka_unit_test(bad_numbers_are_refused),
    };

    return cmocka_run_group_tests_name("launch_mistakes", tests, NULL, NULL);
}
