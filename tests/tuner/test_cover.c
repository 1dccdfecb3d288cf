/* SPDX-License-Identifier: Apache-2.0 */
/* Which combinations of values are verified: all where they are few, every
 * two values together where they are many, and others for those that cannot
 * be. */
#include "tuner/judge/cover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64, DIMS = 5 };

/* All combinations, without those in which the first two values are
 * forbidden[0] and forbidden[1] (-1: none is). Returns their number. */
static size_t list(size_t n, const size_t *n_values, uint64_t seed,
                   const int *forbidden, size_t out[MOST][DIMS])
{
    const size_t first[DIMS] = {0};
    hone_cover *cover = NULL;
    hone_error err = {0};
    size_t n_out = 0;
    int more = 1;

    assert_int_equal(hone__cover_open(n, n_values, first, seed, &cover, &err),
                     HONE_OK);
    while (more) {
        assert_true(n_out < MOST);
        assert_int_equal(hone__cover_next(cover, out[n_out], &more, &err),
                         HONE_OK);
        if (more && forbidden && (int)out[n_out][0] == forbidden[0] &&
            (int)out[n_out][1] == forbidden[1])
            hone__cover_refuse(cover);
        else
            n_out += (size_t)more;
    }
    hone__cover_close(cover);
    return n_out;
}

static int meet(size_t out[MOST][DIMS], size_t n_out, size_t i, size_t vi,
                size_t j, size_t vj)
{
    for (size_t k = 0; k < n_out; ++k)
        if (out[k][i] == vi && out[k][j] == vj)
            return 1;
    return 0;
}

static void test_few(void **state)
{
    size_t out[MOST][DIMS];

    (void)state;
    assert_int_equal(list(0, NULL, 1, NULL, out), 1);
    assert_int_equal(list(1, (const size_t[]){3}, 1, NULL, out), 3);
    assert_int_equal(out[0][0], 0);
    assert_int_equal(list(3, (const size_t[]){2, 2, 2}, 1, NULL, out), 8);
    /* The second differs from the first in everything. */
    for (size_t i = 0; i < 3; ++i)
        assert_int_equal(out[1][i], 1);
    assert_int_equal(
        list(2, (const size_t[]){2, 2}, 1, (const int[]){1, 1}, out), 3);
}

static void test_many(void **state)
{
    const size_t n_values[DIMS] = {4, 3, 3, 2, 4};
    size_t out[MOST][DIMS], again[MOST][DIMS];
    const size_t n = list(DIMS, n_values, 7, NULL, out);

    (void)state;
    assert_true(n < 30);
    for (size_t i = 0; i < DIMS; ++i)
        for (size_t j = 0; j < i; ++j)
            for (size_t vi = 0; vi < n_values[i]; ++vi)
                for (size_t vj = 0; vj < n_values[j]; ++vj)
                    assert_true(meet(out, n, i, vi, j, vj));
    /* As many combinations as a dimension has values have them all, and the
     * seed decides. */
    for (size_t v = 0; v < 4; ++v)
        assert_true(meet(out, 8, 0, v, 0, v) && meet(out, 8, 4, v, 4, v));
    assert_int_equal(list(DIMS, n_values, 7, NULL, again), n);
    for (size_t k = 0; k < n; ++k)
        assert_memory_equal(out[k], again[k], sizeof out[k]);
}

/* What a refused combination had is in others, but for the pair itself. */
static void test_refused(void **state)
{
    const size_t n_values[DIMS] = {3, 3, 3, 3, 2};
    size_t out[MOST][DIMS];
    const size_t n = list(DIMS, n_values, 1, (const int[]){1, 2}, out);

    (void)state;
    for (size_t i = 0; i < DIMS; ++i)
        for (size_t j = 0; j < i; ++j)
            for (size_t vi = 0; vi < n_values[i]; ++vi)
                for (size_t vj = 0; vj < n_values[j]; ++vj)
                    assert_int_equal(meet(out, n, i, vi, j, vj),
                                     !(i == 1 && j == 0 && vi == 2 && vj == 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
