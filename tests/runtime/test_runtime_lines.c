/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of cache lines: apart from each other, zeroed, used again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/alloc.h"
#include "runtime/base/lines.h"

enum { N_BLOCKS = 500 };

static size_t size_of(size_t block)
{
    return 1 + block * 7 % HONE_LINES_MOST;
}

static void assert_bytes(const unsigned char *block, size_t n, int byte)
{
    for (size_t i = 0; i < n * HONE_LINE_BYTES; ++i)
        assert_int_equal(block[i], byte);
}

/* Blocks of all sizes, each full of its number; every third goes and another
 * one of its size comes. */
static void blocks_are_apart(void **state)
{
    hone_lines lines = {0};
    unsigned char *blocks[N_BLOCKS];

    (void)state;
    for (size_t i = 0; i < N_BLOCKS; ++i) {
        blocks[i] = hone__lines_take(&lines, size_of(i));
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % HONE_LINE_BYTES, 0);
        assert_bytes(blocks[i], size_of(i), 0);
        memset(blocks[i], (int)(i % 255), size_of(i) * HONE_LINE_BYTES);
    }
    for (size_t i = 0; i < N_BLOCKS; i += 3)
        hone__lines_give(&lines, blocks[i], size_of(i));
    for (size_t i = 0; i < N_BLOCKS; i += 3) {
        blocks[i] = hone__lines_take(&lines, size_of(i));
        assert_bytes(blocks[i], size_of(i), 0);
        memset(blocks[i], (int)(i % 255), size_of(i) * HONE_LINE_BYTES);
    }
    for (size_t i = 0; i < N_BLOCKS; ++i)
        assert_bytes(blocks[i], size_of(i), (int)(i % 255));
    hone__lines_free(&lines);
    assert_null(lines.chunks);
}

/* What was given back serves its size, and neither a larger nor a smaller
 * one. */
static void given_back(void **state)
{
    hone_lines lines = {0};
    void *first = hone__lines_take(&lines, 3);
    void *second = hone__lines_take(&lines, 3);

    (void)state;
    hone__lines_give(&lines, first, 3);
    hone__lines_give(&lines, second, 3);
    hone__alloc_fail_after(0);
    assert_ptr_not_equal(hone__lines_take(&lines, 2), second);
    assert_ptr_not_equal(hone__lines_take(&lines, 4), second);
    assert_ptr_equal(hone__lines_take(&lines, 3), second);
    assert_ptr_equal(hone__lines_take(&lines, 3), first);
    assert_false(hone__alloc_fail_end());
    hone__lines_free(&lines);
}

/* Small ones lie side by side, and without memory nothing is lost. */
static void without_memory(void **state)
{
    hone_lines lines = {0};
    char *last;
    char *next;

    (void)state;
    hone__alloc_fail_after(0);
    assert_null(hone__lines_take(&lines, 3));
    assert_true(hone__alloc_fail_end());
    last = hone__lines_take(&lines, 3);
    assert_non_null(last);
    hone__alloc_fail_after(0);
    while ((next = hone__lines_take(&lines, 3)) != NULL) {
        assert_int_equal(next - last, 3 * HONE_LINE_BYTES);
        last = next;
    }
    assert_true(hone__alloc_fail_end());
    assert_non_null(hone__lines_take(&lines, 3));
    hone__lines_free(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_apart),
        cmocka_unit_test(given_back),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
