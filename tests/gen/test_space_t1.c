/* SPDX-License-Identifier: Apache-2.0 */
/* Published spaces, written down as T1 in t1/: their sizes are known. */
#include "tests/gen/gen_test.h"

#include <stdlib.h>

static hone_t1 *read_text(const char *name, const char *text, size_t length)
{
    hone_diagnostics diagnostics;
    hone_error err = {0};
    hone_t1 *t1 = NULL;

    if (hone__t1_read(name, text, length, &t1, &diagnostics, &err))
        fail_msg("%s: %s", err.text,
                 diagnostics.n ? diagnostics.items[0].text : "");
    return t1;
}

static hone_space *open_space(hone_t1 *t1)
{
    hone_space *space = NULL;
    hone_error err = {0};

    if (hone__space_create_t1(t1, &space, &err))
        fail_msg("%s", err.text);
    return space;
}

static const struct {
    const char *file;
    int64_t raw;
    int64_t valid;
} published[] = {
    {"t1/dedispersion.json", 22272, 11130},
    {"t1/convolution.json", 10240, 4362},
    {"t1/gemm.json", 663552, 116928},
    {"t1/hotspot.json", 4440000, 82984},
    {"t1/hotspot_blocks.json", 22200000, 349853},
    {"t1/prl_8x8.json", INT64_C(2415919104), 5665248},
};

enum { N_PUBLISHED = sizeof published / sizeof published[0] };

/* Every number once, and back. */
static void check_list(const hone_space *space)
{
    const int64_t n = space->count;
    const size_t n_params = space->n_params;
    uint16_t *rows = malloc((size_t)n * n_params * sizeof *rows);
    int values[64];

    assert_non_null(rows);
    hone__space_rows(space, 0, n, rows);
    for (int64_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < n_params; ++k)
            values[k] = rows[(size_t)i * n_params + k];
        assert_int_equal(hone__space_find_indexes(space, values), i);
    }
    free(rows);
}

static void sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PUBLISHED; ++i) {
        hone_text text = {0};
        hone_t1 *t1;
        hone_space *space;

        assert_int_equal(hone__text_read_file(&text, published[i].file, NULL),
                         HONE_OK);
        t1 = read_text(published[i].file, hone__text_str(&text), text.length);
        space = open_space(t1);
        assert_int_equal(space->raw, published[i].raw);
        assert_int_equal(space->count, published[i].valid);
        if (published[i].valid < 1000000)
            check_list(space);
        hone__space_free(space);
        hone__t1_free(t1);
        hone__text_free(&text);
    }
}

/* ---- any order of the parameters --------------------------------------- */

/* The definition with its parameters, a line each, in another order. */
static void shuffle(const char *source, uint64_t seed, hone_text *out)
{
    static const char mark[] = "      {\"Name\"";
    const char *lines[64];
    size_t n = 0;
    const char *at = strstr(source, mark);

    hone__text_append(out, source, (size_t)(at - source));
    while (strncmp(at, mark, strlen(mark)) == 0) {
        lines[n++] = at;
        at = strchr(at, '\n') + 1;
    }
    for (size_t i = n; i > 1; --i) {
        const char *line = lines[i - 1];
        size_t k;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        k = (size_t)(seed >> 33) % i;
        lines[i - 1] = lines[k];
        lines[k] = line;
    }
    for (size_t i = 0; i < n; ++i) {
        hone__text_append(out, lines[i], strcspn(lines[i], "}") + 1);
        hone__text_puts(out, i + 1 < n ? ",\n" : "\n");
    }
    hone__text_puts(out, at);
}

static void compare(const hone_t1 *one, const hone_space *space,
                    const hone_t1 *other, const hone_space *shuffled)
{
    int values[64];
    int found[64];

    assert_int_equal(shuffled->count, space->count);
    for (uint64_t i = 0; i < 1000; ++i) {
        const int64_t index =
            (int64_t)(i * 0x9e3779b97f4a7c15u % (uint64_t)shuffled->count);

        hone__space_get_indexes(shuffled, index, values);
        for (size_t k = 0; k < one->n_params; ++k) {
            size_t m = 0;

            while (strcmp(one->params[k].name, other->params[m].name) != 0)
                ++m;
            found[k] = values[m];
        }
        assert_true(hone__space_find_indexes(space, found) >= 0);
    }
}

/* The declared order of the large ones is out of the question here, so that
 * others are tried. */
static void any_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PUBLISHED; ++i) {
        hone_text text = {0};
        hone_t1 *t1;
        hone_space *space;

        assert_int_equal(hone__text_read_file(&text, published[i].file, NULL),
                         HONE_OK);
        t1 = read_text(published[i].file, hone__text_str(&text), text.length);
        space = open_space(t1);
        for (uint64_t seed = 0; seed < 4; ++seed) {
            hone_text other = {0};
            hone_t1 *shuffled_t1;
            hone_space *shuffled;

            shuffle(hone__text_str(&text), seed, &other);
            shuffled_t1 =
                read_text("shuffled", hone__text_str(&other), other.length);
            shuffled = open_space(shuffled_t1);
            compare(t1, space, shuffled_t1, shuffled);
            hone__space_free(shuffled);
            hone__t1_free(shuffled_t1);
            hone__text_free(&other);
        }
        hone__space_free(space);
        hone__t1_free(t1);
        hone__text_free(&text);
    }
}

/* ---- tiles of two dimensions at three levels --------------------------- */

/* Of one dimension: the three values that others depend on. */
typedef struct tile {
    int lcl;
    int prv;
    int num_wi;
} tile;

static size_t tiles(tile *out)
{
    size_t n = 0;

    for (int glb = 1; glb <= 8; glb *= 2)
        for (int lcl = 1; lcl <= 8; lcl *= 2)
            for (int prv = 1; prv <= 8; prv *= 2)
                for (int wg = 1; wg <= 8; wg *= 2)
                    for (int wi = 1; wi <= 8; wi *= 2)
                        if (glb % lcl == 0 && lcl % prv == 0 &&
                            8 / glb % wg == 0 && lcl / prv % wi == 0)
                            out[n++] = (tile){lcl, prv, wi};
    return n;
}

/* The count by factors: dimensions apart, then what ties them together. */
static void count_by_factors(void **state)
{
    tile all[1024];
    const size_t n = tiles(all);
    int64_t count = 0;

    (void)state;
    for (size_t a = 0; a < n; ++a) {
        for (size_t b = 0; b < n; ++b) {
            const int area = all[a].prv * all[b].prv;
            int64_t caches = 0;
            int64_t others = 0;

            if (all[a].num_wi * all[b].num_wi > 16)
                continue;
            for (int bits = 0; bits < 4; ++bits)
                caches +=
                    (bits & 1) * all[a].lcl + (bits >> 1) * all[b].lcl <= 12;
            for (int res = 0; res < 2; ++res)
                others += (area * (1 + res) <= 16) * (1 + (area > 1));
            count += caches * others;
        }
    }
    /* four switches and two orders that nothing depends on */
    assert_int_equal(count * 16 * 9, published[5].valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(any_order),
        cmocka_unit_test(count_by_factors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
