/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors that grow: what was in them stays, also where memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

enum { N_ITEMS = 1000 };

typedef struct item {
    char bytes[24];
    size_t number;
} item;

static void items_stay(void **state)
{
    item *items = NULL;
    size_t n = 0;

    (void)state;
    for (; n < N_ITEMS; ++n) {
        assert_true(HONE_GROW(items, n));
        items[n] = (item){.number = 3 * n};
    }
    for (size_t i = 0; i < n; ++i)
        assert_int_equal(items[i].number, 3 * i);
    hone__free(items);
}

/* It asks for memory only where there is no room, and loses nothing. */
static void without_memory(void **state)
{
    size_t *items = NULL;
    size_t n = 0, n_failed = 0;

    (void)state;
    while (n < N_ITEMS) {
        const size_t *before = items;
        int has_grown;

        hone__alloc_fail_after(0);
        has_grown = HONE_GROW(items, n);
        n_failed += (size_t)hone__alloc_fail_end();
        assert_ptr_equal(items, before);
        if (!has_grown)
            assert_true(HONE_GROW(items, n));
        items[n] = n;
        ++n;
    }
    assert_int_equal(n_failed, 8); /* 0, 8, 16, .. 512 */
    for (size_t i = 0; i < n; ++i)
        assert_int_equal(items[i], i);
    hone__free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_stay),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests_name("grow", tests, NULL, NULL);
}
