/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: compiled, evaluated; the text that is kept means the same. */
#include "runtime/expr/expr.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/* A to H are slots. */
static hone_symbol look_up(void *user, const char *name, size_t length)
{
    (void)user;
    if (length != 1 || *name < 'A' || *name > 'H')
        return (hone_symbol){.kind = HONE_SYMBOL_UNKNOWN};
    return (hone_symbol){.kind = HONE_SYMBOL_SLOT, .value = *name - 'A'};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static const int64_t sets[][8] = {
        {1, 2, 3, 4, 5, 6, 7, 8}, {0, -1, INT64_MAX, INT64_MIN, 64, 63, 2, 1}};
    const char *text = (const char *)data;
    hone_expr *expr = NULL, *again = NULL;
    hone_error err = {0};
    hone_span where;

    if (hone__expr_compile(text, size_bytes, look_up, NULL, &expr, &where,
                           &err) != HONE_OK) {
        FUZZ_HOLDS(where.offset <= size_bytes);
        return 0;
    }
    FUZZ_HOLDS(hone__expr_slot_count(expr) <= 8);
    FUZZ_HOLDS(hone__expr_compile(hone__expr_text(expr),
                                  strlen(hone__expr_text(expr)), look_up, NULL,
                                  &again, &where, &err) == HONE_OK);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; ++i) {
        int64_t a = 0, b = 0;

        FUZZ_HOLDS(hone__expr_eval(expr, sets[i], &a, &err) ==
                   hone__expr_eval(again, sets[i], &b, &err));
        FUZZ_HOLDS(a == b);
    }
    hone__expr_free(again);
    hone__expr_free(expr);
    return 0;
}
