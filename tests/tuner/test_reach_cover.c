/* SPDX-License-Identifier: Apache-2.0 */
/* At which problems variants are verified: the one that lets most reach
 * further, no further than asked, and none that adds too little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/portfolio/reach_cover.h"

enum { MOST = 4 };

static const int64_t most[] = {1023, 1023, 0};

static hone_reach_request request_of(size_t n_variants,
                                     const int64_t (*reach)[HONE_MAX_DIMS],
                                     size_t n_problems,
                                     const int64_t (*dims)[HONE_MAX_DIMS],
                                     const unsigned char *is_valid)
{
    return (hone_reach_request){.n_dims = 3,
                                .n_variants = n_variants,
                                .n_problems = n_problems,
                                .reach = reach,
                                .dims = dims,
                                .is_valid = is_valid,
                                .most = most,
                                .n_most = MOST,
                                .gain = 1};
}

static size_t choose(const hone_reach_request *request, size_t *out)
{
    size_t n = 99;
    hone_error err = {0};

    assert_int_equal(hone__reach_choose(request, out, &n, &err), HONE_OK);
    return n;
}

/* From 15 to 1023 are six octaves; beyond what is asked for counts nothing,
 * nor does a dim that is no size, nor what is reached. */
static void test_gain(void **state)
{
    const int64_t reach[HONE_MAX_DIMS] = {15, 1023, 1};
    const int64_t none[1][HONE_MAX_DIMS] = {{0}};
    const unsigned char valid[] = {1};
    const hone_reach_request r = request_of(1, none, 0, none, valid);

    (void)state;
    assert_true(hone__reach_gain(&r, reach, (const int64_t[]){1023, 1, 99}) ==
                6);
    assert_true(
        hone__reach_gain(&r, reach, (const int64_t[]){4095, 4095, 99}) == 6);
    assert_true(hone__reach_gain(&r, reach, (const int64_t[]){15, 15, 1}) == 0);
}

/* The second problem serves two variants, the first one of them alone; the
 * third is left for the last variant, which is valid nowhere else. */
static void test_shared(void **state)
{
    const int64_t reach[3][HONE_MAX_DIMS] = {{15, 15}, {15, 15}, {15, 15}};
    const int64_t dims[3][HONE_MAX_DIMS] = {
        {1023, 15}, {1023, 15, 7}, {15, 255}};
    const unsigned char valid[] = {1, 0, 0, 1, 1, 0, 0, 0, 1};
    const hone_reach_request r = request_of(3, reach, 3, dims, valid);
    size_t out[MOST];

    (void)state;
    assert_int_equal(choose(&r, out), 2);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[1], 2);
}

/* Two problems that add as much each; half an octave is too little, and there
 * are at most so many. */
static void test_ends(void **state)
{
    const int64_t reach[2][HONE_MAX_DIMS] = {{15, 800}, {1023, 1023}};
    const int64_t dims[3][HONE_MAX_DIMS] = {{15, 1023}, {63, 15}, {1023, 15}};
    const unsigned char valid[] = {1, 1, 1, 1, 1, 1};
    hone_reach_request r = request_of(2, reach, 3, dims, valid);
    size_t out[MOST];

    (void)state;
    assert_int_equal(choose(&r, out), 1);
    assert_int_equal(out[0], 2);
    r.gain = 0.1;
    assert_int_equal(choose(&r, out), 2);
    assert_int_equal(out[1], 0);
    r.n_most = 1;
    assert_int_equal(choose(&r, out), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
