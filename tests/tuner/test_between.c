/* SPDX-License-Identifier: Apache-2.0 */
/* Problems between those of a list: inside of it, aligned as its own, of its
 * types, never one of them. */
#include "tests/gen/gen_test.h"

#include "tuner/portfolio/between.h"

#include <string.h>

#define TEMPLATE                                                               \
    "#pragma hone op o(M, N, T in {f32, f16}, LD default N)\n"                 \
    "#pragma hone launch k\n" KERNEL

enum { MOST = 64 };

static size_t draw(const hone_template *t, const int64_t (*dims)[HONE_MAX_DIMS],
                   size_t n, size_t n_wanted, int64_t (*out)[HONE_MAX_DIMS])
{
    size_t n_out = 0;
    hone_error err = {0};

    assert_int_equal(
        hone__between_draw(&(hone_between_request){.tmpl = t,
                                                   .dims = dims,
                                                   .n_problems = n,
                                                   .n_wanted = n_wanted,
                                                   .seed = 5},
                           out, &n_out, &err),
        HONE_OK);
    assert_true(n_out <= n_wanted);
    return n_out;
}

static void between_a_list(void **state)
{
    static const int64_t dims[6][HONE_MAX_DIMS] = {
        {64, 128, 4, 128},    {1024, 256, 4, 256}, {4096, 4096, 4, 4096},
        {256, 1024, 4, 1024}, {512, 64, 4, 64},    {333, 777, 4, 777}};
    static int64_t out[MOST][HONE_MAX_DIMS];
    hone_template *const t = parse_good(TEMPLATE);
    const size_t n = draw(t, dims, 6, MOST, out);
    size_t n_odd = 0, n_aligned = 0;

    (void)state;
    assert_true(n > MOST / 2);
    for (size_t i = 0; i < n; ++i) {
        assert_in_range(out[i][0], 64, 4096);
        assert_in_range(out[i][1], 64, 4096);
        assert_int_equal(out[i][2], 4);
        assert_int_equal(out[i][3], out[i][1]); /* it goes on following */
        n_odd += out[i][1] % 2 != 0;
        n_aligned += out[i][1] % 64 == 0;
        for (size_t k = 0; k < 6; ++k)
            assert_memory_not_equal(out[i], dims[k], 4 * sizeof **dims);
        for (size_t k = 0; k < i; ++k)
            assert_memory_not_equal(out[i], out[k], 4 * sizeof **dims);
    }
    assert_true(n_odd > 0 && n_aligned > n / 2);
    hone__template_free(t);
}

/* Powers of two stay such; types of which there are two get sizes of others. */
static void powers_and_types(void **state)
{
    static const int64_t dims[6][HONE_MAX_DIMS] = {
        {64, 100, 4, 100},  {1024, 200, 4, 200}, {4096, 300, 4, 300},
        {256, 400, 4, 400}, {512, 500, 1, 500},  {512, 600, 1, 600}};
    static int64_t out[MOST][HONE_MAX_DIMS];
    hone_template *const t = parse_good(TEMPLATE);
    const size_t n = draw(t, dims, 6, MOST, out);
    size_t n_f16 = 0, n_wide = 0;

    (void)state;
    for (size_t i = 0; i < n; ++i) {
        assert_int_equal(out[i][0] & (out[i][0] - 1), 0);
        n_f16 += out[i][2] == 1;
        n_wide += out[i][2] == 1 && out[i][0] != 512;
    }
    assert_true(n_wide > 0 && n_f16 < n);
    hone__template_free(t);
}

/* Where a list leaves most room most is drawn, and where other types lie. */
static void room_is_filled(void **state)
{
    static const int64_t dims[10][HONE_MAX_DIMS] = {
        {64, 100, 4, 100},   {64, 110, 4, 110},   {64, 120, 4, 120},
        {64, 130, 4, 130},   {64, 140, 4, 140},   {64, 6000, 4, 6000},
        {64, 1000, 1, 1000}, {64, 1500, 1, 1500}, {64, 2000, 1, 2000},
        {64, 3000, 1, 3000}};
    static int64_t out[MOST][HONE_MAX_DIMS];
    hone_template *const t = parse_good(TEMPLATE);
    const size_t n = draw(t, dims, 10, 20, out);
    size_t n_close = 0, n_far = 0;

    (void)state;
    assert_int_equal(n, 20);
    for (size_t i = 0; i < n; ++i) {
        n_close += out[i][2] == 4 && out[i][1] >= 90 && out[i][1] <= 150;
        n_far += out[i][2] == 1 && out[i][1] < 500;
    }
    assert_in_range(n_close, 0, 4);
    assert_in_range(n_far, 1, 20);
    hone__template_free(t);
}

/* Larger than all: once in each size, of the types of the largest, in multiples
 * of 16, the other sizes moderate, and so small that it is no more than four
 * times the largest; and four times as large in a size where that leaves others
 * in the list's range. */
static void beyond_a_list(void **state)
{
    static const int64_t dims[9][HONE_MAX_DIMS] = {
        {64, 100, 4, 100}, {64, 110, 4, 110},   {66, 6000, 4, 6000},
        {70, 130, 4, 130}, {90, 1000, 1, 1000}, {65, 1500, 1, 1500},
        {64, 200, 1, 200}, {64, 300, 1, 300},   {5001, 8, 2, 8}};
    static int64_t out[MOST][HONE_MAX_DIMS];
    static const int64_t narrow[4][HONE_MAX_DIMS] = {{1, 1000000, 4, 1000000},
                                                     {4000, 16, 4, 16},
                                                     {3000, 20, 4, 20},
                                                     {2000, 30, 4, 30}};
    static const int64_t wanted[2][4] = {{19984, 64, 2, 64},
                                         {64, 23984, 4, 23984}};
    static const int64_t far[4] = {80000, 16, 2, 16};
    size_t n_of[5] = {0, 4, 1, 0, 4}, n_far = 0, lacking; /* by type */
    hone_template *const t = parse_good(
        "#pragma hone op o(M, N, T in {f32, f16, bf16}, LD default N)\n"
        "#pragma hone launch k\n" KERNEL);
    hone_between_request request = {
        .tmpl = t, .dims = dims, .n_problems = 9, .is_beyond = 1, .seed = 5};
    size_t n = 0;

    (void)state;
    request.n_wanted = 20;
    assert_int_equal(hone__between_draw(&request, out, &n, NULL), HONE_OK);
    assert_int_equal(n, 20);
    for (size_t i = 0; i < 2; ++i)
        assert_memory_equal(out[i], wanted[i], sizeof wanted[i]);
    for (size_t i = 2; i < n; ++i) {
        const int is_far = memcmp(out[i], far, sizeof far) == 0;

        assert_true(is_far || (out[i][0] <= 5001 && out[i][1] <= 6000));
        n_far += (size_t)is_far;
    }
    assert_int_equal(n_far, 1);
    /* Where there is room for what kinds lack alone, they have it. */
    assert_int_equal(hone__between_lacking(&request, &lacking, NULL), HONE_OK);
    request.n_wanted = lacking;
    assert_int_equal(hone__between_draw(&request, out, &n, NULL), HONE_OK);
    for (size_t i = 0; i < n; ++i)
        ++n_of[out[i][2]];
    assert_true(n_of[1] >= 4 && n_of[2] >= 4 && n_of[4] >= 4);
    request.n_wanted = 20;
    /* The least of the list, where it takes that. */
    request.dims = narrow;
    request.n_problems = 4;
    assert_int_equal(hone__between_draw(&request, out, &n, NULL), HONE_OK);
    assert_int_equal(out[1][1], 3999936);
    assert_int_equal(out[1][0], 1);
    request.dims = dims;
    request.n_problems = 9;
    request.n_wanted = 3; /* half of them */
    assert_int_equal(hone__between_draw(&request, out, &n, NULL), HONE_OK);
    assert_memory_equal(out[0], wanted[0], sizeof wanted[0]);
    assert_true(n > 1 && out[1][0] <= 5001);
    hone__template_free(t);
}

/* Transforms of a few lengths: each length of the list, and those between, get
 * four problems before others get more, of as many elements as the list has. */
static void kinds_between(void **state)
{
    static const int64_t dims[5][HONE_MAX_DIMS] = {{16, 60000, 1},
                                                   {256, 300, 1},
                                                   {16, 3000, 1},
                                                   {4096, 11, 1},
                                                   {64, 500, 2}};
    static int64_t out[MOST][HONE_MAX_DIMS];
    static const int64_t lengths[5] = {16, 64, 256, 1024, 4096};
    hone_template *const t = parse_good(
        "#pragma hone op o(n in {16, 64, 256, 1024, 4096, 8192} default 16, "
        "batch default 1, way in {1, 2} default 1)\n"
        "#pragma hone launch k\n" KERNEL);
    const hone_between_request request = {
        .tmpl = t, .dims = dims, .n_problems = 5, .n_wanted = 19};
    size_t n_of[5] = {2, 0, 1, 0, 1}, n_other_way = 1, lacking = 0;
    size_t n = draw(t, dims, 5, 19, out);

    (void)state;
    assert_int_equal(hone__between_lacking(&request, &lacking, NULL), HONE_OK);
    assert_int_equal(lacking, 19); /* of 16 2, of two lengths 3, of two 4, and 3
                                      the other way */
    assert_int_equal(n, 19);
    for (size_t i = 0; i < n; ++i) {
        const int64_t elements = out[i][0] * out[i][1];

        n_other_way += out[i][2] == 2;
        assert_true(out[i][2] == 1 || out[i][0] == 64);
        for (size_t k = 0; k < 5; ++k)
            n_of[k] += out[i][0] == lengths[k] && out[i][2] == 1;
        /* Batches are rounded to multiples of up to 64. */
        assert_in_range(elements, 32000 / 2, 960000 + 64 * out[i][0]);
    }
    for (size_t k = 0; k < 5; ++k)
        assert_int_equal(n_of[k], 4);
    assert_int_equal(n_other_way, 4);
    /* Too few for all: one of each before any has two. */
    n = draw(t, dims, 5, 2, out);
    assert_int_equal(n, 2);
    assert_int_not_equal(out[0][0], out[1][0]);
    for (size_t i = 0; i < n; ++i)
        assert_true(out[i][0] == 64 || out[i][0] == 1024);
    hone__template_free(t);
}

/* A choice of few numbers, or of flags, is a way to do something: nothing lies
 * between. */
static void no_kinds_of_ways(void **state)
{
    static const int64_t dims[4][HONE_MAX_DIMS] = {
        {100, 0}, {200, 2}, {300, 0}, {400, 2}};
    static int64_t out[MOST][HONE_MAX_DIMS];
    hone_template *const t =
        parse_good("#pragma hone op o(n, way in {0, 1, 2, 4})\n"
                   "#pragma hone launch k\n" KERNEL);
    const size_t n = draw(t, dims, 4, 20, out);

    (void)state;
    assert_true(n >= 10);
    for (size_t i = 0; i < n; ++i)
        assert_int_not_equal(out[i][1], 1);
    hone__template_free(t);
}

static void nothing_between(void **state)
{
    static const int64_t few[3][HONE_MAX_DIMS] = {
        {64, 128, 4, 128}, {1024, 256, 4, 256}, {4096, 4096, 4, 4096}};
    static const int64_t padded[4][HONE_MAX_DIMS] = {{64, 128, 4, 130},
                                                     {1024, 256, 4, 300},
                                                     {4096, 99, 4, 100},
                                                     {96, 99, 4, 100}};
    static int64_t out[MOST][HONE_MAX_DIMS];
    hone_template *const t = parse_good(TEMPLATE);

    (void)state;
    assert_int_equal(draw(t, few, 3, MOST, out), 0);
    assert_int_equal(draw(t, padded, 4, MOST, out), 0);
    assert_int_equal(draw(t, few, 3, 0, out), 0);
    assert_int_equal(draw(t, few, 0, MOST, out), 0);
    hone__template_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_a_list),  cmocka_unit_test(powers_and_types),
        cmocka_unit_test(room_is_filled),  cmocka_unit_test(beyond_a_list),
        cmocka_unit_test(kinds_between),   cmocka_unit_test(no_kinds_of_ways),
        cmocka_unit_test(nothing_between),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
