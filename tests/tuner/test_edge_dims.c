/* SPDX-License-Identifier: Apache-2.0 */
/* Which edge shapes a variant is tried on: as they stand where its plan
 * allows it, and otherwise with as few dimensions changed as possible. */
#include "gen/expand/expand.h"
#include "tuner/judge/cover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    hone_template *tmpl;
    hone_text spec;
    hone_properties properties;
} fixture;

/* A template with these lines after its operation, and the launch plan of its
 * default configuration. */
static void open_fixture(fixture *f, const char *op, const char *lines)
{
    char text[2048];
    hone_diagnostics diagnostics = {0};
    int64_t config[4] = {0};
    hone_error err = {0};

    memset(f, 0, sizeof *f);
    hone__properties_of_host(&f->properties);
    (void)snprintf(text, sizeof text,
                   "#pragma hone op %s\n%s\n"
                   "#pragma hone launch k\n#pragma hone check none\n"
                   "extern \"C\" __global__ void k() {}\n",
                   op, lines);
    if (hone__template_read("t.cu", "", text, strlen(text), &f->tmpl,
                            &diagnostics, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < f->tmpl->n_params && i < 4; ++i)
        config[i] = f->tmpl->params[i].values[f->tmpl->params[i].default_index];
    if (hone__expand_launch_spec(f->tmpl, config, &f->spec, &err))
        fail_msg("%s", err.text);
}

static void close_fixture(fixture *f)
{
    hone__text_free(&f->spec);
    hone__template_free(f->tmpl);
}

/* Shape `row` of the problem `given` is `wanted`; NULL: there is none. */
static void expect_scaled(const fixture *f, const int64_t *given, int scale,
                          size_t row, const int64_t *wanted)
{
    int64_t got[HONE_MAX_DIMS] = {0};
    hone_launch_spec *spec = NULL;
    hone_error err = {0};
    int is_there;

    if (hone__launch_spec_parse(hone__text_str(&f->spec), &spec, &err))
        fail_msg("%s", err.text);
    is_there = hone__edge_dims(
        f->tmpl,
        &(hone_launch_case){spec, given, f->tmpl->n_dims, &f->properties},
        scale, row, got);
    hone__launch_spec_free(spec);
    assert_int_equal(is_there, wanted != NULL);
    for (size_t i = 0; wanted && i < f->tmpl->n_dims; ++i)
        if (got[i] != wanted[i])
            fail_msg("row %zu: dimension %zu is %lld, not %lld", row, i,
                     (long long)got[i], (long long)wanted[i]);
}

static void expect(const fixture *f, const int64_t *given, size_t row,
                   const int64_t *wanted)
{
    expect_scaled(f, given, 1, row, wanted);
}

static void test_rows_as_they_stand(void **state)
{
    const int64_t given[] = {4096, 4096, 4096};
    fixture f;

    (void)state;
    open_fixture(&f, "t(a, b, c)", "#pragma hone arg x: in f32[a*b*c]");
    expect(&f, given, 0, (const int64_t[]){1, 1, 1});
    expect(&f, given, 1, (const int64_t[]){61, 37, 113});
    expect(&f, given, 3, (const int64_t[]){16, 520, 40});
    expect(&f, given, 4, (const int64_t[]){2053, 5, 3});
    expect(&f, given, 6, (const int64_t[]){5, 3, 2053});
    close_fixture(&f);
}

/* Beyond every block, also where a dimension must be a multiple of something
 * and where work is declared. */
static void test_beyond(void **state)
{
    const int64_t given[] = {64, 64};
    fixture f;

    (void)state;
    open_fixture(&f, "t(a, b)",
                 "#pragma hone arg x: in f32[a*b]\n"
                 "#pragma hone require b % 8 == 0\n"
                 "#pragma hone work flops(a*a*b)");
    expect(&f, given, 4, (const int64_t[]){2053, 64});
    expect(&f, given, 5, (const int64_t[]){5, 2056});
    expect(&f, given, 6, NULL);
    close_fixture(&f);
    open_fixture(&f, "t(n)",
                 "#pragma hone arg x: in f32[n]\n"
                 "#pragma hone work flops(20*n*n)");
    expect(&f, (const int64_t[]){64}, 3, (const int64_t[]){1009});
    expect(&f, (const int64_t[]){64}, 4, NULL);
    close_fixture(&f);
}

/* 13 MB of 131 x 259 x 97 are too many for a reference under a sanitizer. */
static void test_products_are_small(void **state)
{
    const int64_t given[] = {512, 512, 512};
    fixture f;

    (void)state;
    open_fixture(&f, "t(a, b, c)", "#pragma hone arg x: in f32[a*b*c]");
    expect(&f, given, 1, (const int64_t[]){61, 37, 113});
    expect(&f, given, 2, (const int64_t[]){65, 65, 97});
    close_fixture(&f);
    open_fixture(&f, "t(a, b, c)",
                 "#pragma hone arg x: in f32[a*b*c]\n"
                 "#pragma hone require b % 8 == 0");
    expect(&f, given, 3, (const int64_t[]){16, 520, 40});
    close_fixture(&f);
}

static void test_one_dimension_is_long(void **state)
{
    const int64_t given[] = {4096, 4};
    fixture f;

    (void)state;
    open_fixture(&f, "t(a, T in {f32, f64})", "#pragma hone arg x: in T[a]");
    expect(&f, given, 2, (const int64_t[]){131, 4});
    expect(&f, given, 3, (const int64_t[]){1000003, 4});
    close_fixture(&f);
    open_fixture(&f, "t(a, N in {2, 1024})",
                 "#pragma hone arg x: in c32[a*N], y: out c32[a*N]");
    expect(&f, (const int64_t[]){5, 1024}, 2, (const int64_t[]){131, 1024});
    expect(&f, (const int64_t[]){5, 1024}, 3, (const int64_t[]){1009, 1024});
    close_fixture(&f);
}

/* A power of two for one dimension and a choice of two for another: that of
 * the problem where it is allowed, both choices where it says nothing. */
static void test_transform(void **state)
{
    static const char lines[] = "#pragma hone arg x: in c32[n*batch]\n"
                                "#pragma hone param LOG_N in {6, 7}\n"
                                "#pragma hone require 1 << LOG_N == n\n"
                                "#pragma hone require direction <= 2";
    const int64_t given[] = {64, 100, 2};
    const int64_t unknown[] = {0, 0, 0};
    const int64_t other[] = {128, 100, 2};
    fixture f;

    (void)state;
    open_fixture(&f, "t(n, batch, direction)", lines);
    expect(&f, given, 0, (const int64_t[]){64, 1, 1});
    expect(&f, given, 1, (const int64_t[]){64, 37, 2});
    expect(&f, given, 2, (const int64_t[]){64, 259, 2});
    expect(&f, unknown, 1, (const int64_t[]){64, 37, 2});
    expect(&f, unknown, 2, (const int64_t[]){64, 259, 1});
    expect(&f, other, 1, (const int64_t[]){64, 37, 2});
    close_fixture(&f);
}

/* Changed shapes stay small: the other dimensions give way. */
static void test_small(void **state)
{
    const int64_t unknown[] = {0, 0};
    fixture f;

    (void)state;
    open_fixture(&f, "t(n, batch)",
                 "#pragma hone arg x: in f64[n*batch]\n"
                 "#pragma hone require n == 8192");
    expect(&f, unknown, 1, (const int64_t[]){8192, 37});
    expect(&f, unknown, 3, (const int64_t[]){8192, 2});
    close_fixture(&f);
}

static void test_nothing_helps(void **state)
{
    const int64_t given[] = {5, 5};
    fixture f;

    (void)state;
    open_fixture(&f, "t(a, b)",
                 "#pragma hone arg x: in f32[a*b]\n"
                 "#pragma hone require a + b == 8190");
    expect(&f, given, 1, (const int64_t[]){61, 37});
    close_fixture(&f);
}

/* Leading dimensions and strides follow; in the last row they are larger, as
 * far as that is allowed. */
static void test_followers(void **state)
{
    const int64_t given[] = {64, 64, 80, 1, 6000};
    fixture f;

    (void)state;
    open_fixture(&f, "t(a, b, ld default b, n default 1, s default a*ld)",
                 "#pragma hone arg x: in f32[n*s]");
    expect(&f, given, 0, (const int64_t[]){1, 1, 1, 1, 1});
    expect(&f, given, 1, (const int64_t[]){61, 37, 37, 3, 61 * 37});
    expect(&f, given, 5, (const int64_t[]){5, 2053, 2053, 1, 5 * 2053});
    /* A batch, which multiplies what the others cost. */
    expect(&f, given, 6, (const int64_t[]){5, 3, 3, 131, 15});
    expect(&f, given, HONE_EDGE_APART,
           (const int64_t[]){61, 37, 40, 3, 61 * 40 + 5});
    /* Rows that end between multiples of what they are apart. */
    expect(&f, given, HONE_EDGE_ALIGNED,
           (const int64_t[]){61, 37, 64, 3, 61 * 64});
    close_fixture(&f);
    open_fixture(&f, "t(a, b, ld default b, n default 1, s default a*ld)",
                 "#pragma hone arg x: in f32[n*s]\n"
                 "#pragma hone require ld % 8 == 0\n"
                 "#pragma hone require s == a*ld");
    expect(&f, given, 1, (const int64_t[]){61, 64, 64, 3, 61 * 64});
    expect(&f, given, HONE_EDGE_APART,
           (const int64_t[]){61, 64, 64 + 3 * 8, 3, 61 * 88});
    expect(&f, given, HONE_EDGE_ALIGNED, NULL);
    close_fixture(&f);
    /* None may be larger; nobody is larger; there is one size alone. */
    open_fixture(&f, "t(a, ld default a)",
                 "#pragma hone arg x: in f32[a]\n"
                 "#pragma hone require ld == a");
    expect(&f, given, HONE_EDGE_APART, NULL);
    expect(&f, given, HONE_EDGE_ALIGNED, NULL);
    expect(&f, given, 3, (const int64_t[]){1000003, 1000003});
    expect(&f, given, 4, NULL);
    close_fixture(&f);
    open_fixture(&f, "t(a, b)", "#pragma hone arg x: in f32[a*b]");
    expect(&f, given, HONE_EDGE_APART, NULL);
    close_fixture(&f);
}

/* An image of 128 MB: one is as few as there can be, and three fit beside what
 * a final has; 131 do not. */
static void test_large_units(void **state)
{
    const int64_t given[] = {4, 4096};
    fixture f;

    (void)state;
    open_fixture(&f, "t(batch, N in {64, 4096})",
                 "#pragma hone arg x: in c32[batch][N][N]\n"
                 "#pragma hone arg y: out c32[batch][N][N]");
    expect(&f, given, 0, (const int64_t[]){1, 4096});
    for (size_t row = 1; row < HONE_EDGE_BEYOND; ++row)
        expect(&f, given, row, (const int64_t[]){3, 4096});
    expect(&f, (const int64_t[]){4, 64}, 2, (const int64_t[]){131, 64});
    close_fixture(&f);
}

/* A grid of many blocks wants many elements: the long row has them, as far as
 * the device is large enough; small ones where that does. */
static void test_grown(void **state)
{
    static const char lines[] = "#pragma hone arg x: in f32[n]\n"
                                "#pragma hone require n >= 132*32*1024";
    const int64_t given[] = {1 << 28};
    const int64_t both[] = {65536, 65536};
    fixture f;

    (void)state;
    open_fixture(&f, "t(n)", lines);
    expect(&f, given, 1, (const int64_t[]){61});
    expect_scaled(&f, given, 24, 1, (const int64_t[]){61});
    expect(&f, given, 3, (const int64_t[]){4976513});
    expect_scaled(&f, given, 24, 3, (const int64_t[]){4976513});
    close_fixture(&f);
    open_fixture(&f, "t(n)",
                 "#pragma hone arg x: in f32[n]\n"
                 "#pragma hone require n > 16777216");
    expect(&f, given, 3, (const int64_t[]){16});
    expect_scaled(&f, given, 24, 3, (const int64_t[]){18983897});
    close_fixture(&f);
    /* One dimension, a multiple of something; then both. */
    open_fixture(&f, "t(a, b)",
                 "#pragma hone arg x: in u8[a][b]\n"
                 "#pragma hone require a >= 70000 && b % 32 == 0");
    expect_scaled(&f, both, 24, 1, (const int64_t[]){61, 37});
    expect(&f, both, 3, (const int64_t[]){71744, 64});
    close_fixture(&f);
    open_fixture(&f, "t(a, b)",
                 "#pragma hone arg x: in u8[a][b]\n"
                 "#pragma hone require min(a, b) >= 3000");
    expect(&f, both, 3, (const int64_t[]){3153, 3153});
    close_fixture(&f);
}

/* A constraint that fails by what may not be changed, itself or through a let,
 * makes a search hopeless; what reads a size that may, or one that follows it,
 * or has no value, does not. */
static void test_hopeless(void **state)
{
    static const struct {
        const char *lines;
        int of_a, of_b, of_both; /* hopeless with these open? */
    } of[] = {
        {"#pragma hone require a >= 100", 0, 1, 0},
        {"#pragma hone require b >= 100", 1, 0, 0},
        {"#pragma hone let N = b/2\n#pragma hone require N >= 100", 1, 0, 0},
        {"#pragma hone require a >= 100 || b >= 100", 0, 0, 0},
        {"#pragma hone require b >= 5 || a >= 100", 0, 0, 0},
        {"#pragma hone require b >= 100 && a/0 == 1", 1, 0, 0},
        {"#pragma hone require a + b >= 0\n#pragma hone require b > 7", 1, 0,
         0},
        {"#pragma hone let N = b/(b - 7)\n#pragma hone require N >= 1", 0, 0,
         0},
        {"#pragma hone require ld >= 100", 0, 0, 0},
        {"#pragma hone require b <= 7", 0, 0, 0},
    };
    const int64_t dims[HONE_MAX_DIMS] = {5, 7, 7};

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; ++i) {
        fixture f;
        hone_launch_spec *spec = NULL;
        hone_error err = {0};
        hone_launch_case plan;

        open_fixture(&f, "t(a, b, ld default b)", of[i].lines);
        if (hone__launch_spec_parse(hone__text_str(&f.spec), &spec, &err))
            fail_msg("%s", err.text);
        plan = (hone_launch_case){spec, dims, 3, &f.properties};
        if (hone__edge_is_hopeless(&plan, 1) != of[i].of_a ||
            hone__edge_is_hopeless(&plan, 2) != of[i].of_b ||
            hone__edge_is_hopeless(&plan, 3) != of[i].of_both)
            fail_msg("%s", of[i].lines);
        hone__launch_spec_free(spec);
        close_fixture(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_as_they_stand),
        cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_products_are_small),
        cmocka_unit_test(test_one_dimension_is_long),
        cmocka_unit_test(test_transform),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_followers),
        cmocka_unit_test(test_nothing_helps),
        cmocka_unit_test(test_large_units),
        cmocka_unit_test(test_grown),
        cmocka_unit_test(test_hopeless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
