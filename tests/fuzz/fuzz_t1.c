/* SPDX-License-Identifier: Apache-2.0 */
/* T1 definitions with their Python expressions; small spaces are built, and
 * each configuration is found where it stands. */
#include "gen/space.h"
#include "gen/t1/t1.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { MOST_RAW = 5000 };

static void build(hone_t1 *t1)
{
    hone_space *space = NULL;
    hone_error err = {0};
    int64_t raw = 1;

    for (size_t i = 0; i < t1->n_params; ++i)
        if (__builtin_mul_overflow(raw, (int64_t)t1->params[i].n_values, &raw))
            raw = INT64_MAX;
    if (raw > MOST_RAW || t1->n_params > 12 ||
        hone__space_create_t1(t1, &space, &err) != HONE_OK)
        return;
    FUZZ_HOLDS(space->count >= 0 && space->count <= raw);
    for (int64_t i = 0; i < space->count; i += 1 + space->count / 64) {
        int values[HONE_GRAPH_VARS];

        hone__space_get_indexes(space, i, values);
        FUZZ_HOLDS(hone__space_find_indexes(space, values) == i);
    }
    hone__space_free(space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    hone_diagnostics diagnostics;
    hone_text shown = {0};
    hone_error err = {0};
    hone_t1 *t1 = NULL;
    char *text = malloc(size_bytes + 1);

    if (!text)
        return 0;
    memcpy(text, data, size_bytes);
    text[size_bytes] = '\0';
    if (hone__t1_read("t.json", text, size_bytes, &t1, &diagnostics, &err) ==
        HONE_OK)
        build(t1);
    else
        hone__diagnostics_format(&diagnostics, "t.json", text, &shown);
    hone__diagnostics_free(&diagnostics);
    hone__t1_free(t1);
    hone__text_free(&shown);
    free(text);
    return 0;
}
