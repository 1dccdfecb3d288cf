/* SPDX-License-Identifier: Apache-2.0 */
/* What inputs are drawn from: values of every kind, in both passes, and what
 * is said where nothing can be drawn. */
#include "runtime/base/alloc.h"
#include "tuner/judge/check_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 20000, EXACT = 16 };

/* Values of one argument of `words`, as doubles, in one pass. */
static double values[N];
static hone_error error;

static hone_status draw(const char *words, int64_t n, int64_t m, int pass)
{
    char text[512];
    hone_template *tmpl = NULL;
    hone_diagnostics mistakes;
    const int64_t dims[2] = {n, m};
    const hone_properties properties = {{0}};
    hone_check_slots slots;
    hone_drawn drawn;
    int64_t type = 0;
    hone_draw_request request = {
        .count = n, .amplitude = pass == HONE_PASS_EXACT ? EXACT : 0};
    hone_status status;

    (void)snprintf(text, sizeof text,
                   "#pragma hone op o(n, m)\n#pragma hone arg x: in %s\n"
                   "#pragma hone launch k\n"
                   "extern \"C\" __global__ void k() {}\n",
                   words);
    if (hone__template_read("t.cu", "", text, strlen(text), &tmpl, &mistakes,
                            &error))
        fail_msg("%s: %s", words, error.text);
    assert_int_equal(hone__check_slots(tmpl, dims, &properties, &slots, &error),
                     HONE_OK);
    assert_int_equal(
        hone__expr_eval(tmpl->args[0].type.expr, slots.value, &type, NULL),
        HONE_OK);
    request.tmpl = tmpl;
    request.type = (int)type;
    request.slots = slots.value;
    status = hone__draw_resolve(&request, &drawn, &error);
    if (status == HONE_OK) {
        static uint64_t array[N];

        if (drawn.is_sorted || drawn.is_offsets)
            hone__inputs_ascending(&drawn, (int)type, 7, array, n);
        for (int64_t i = 0; i < n; ++i) {
            if (!drawn.is_sorted && !drawn.is_offsets)
                hone__element_store(
                    (int)type, array, i,
                    hone__inputs_value(&drawn.draw, 7, (uint64_t)i));
            values[i] = hone__element_load((int)type, array, i);
        }
    }
    hone__template_free(tmpl);
    return status;
}

typedef struct summary {
    double low, high, mean, deviation;
    int ascends, whole;
} summary;

static summary look(int64_t n)
{
    summary s = {.low = values[0], .high = values[0], .ascends = 1, .whole = 1};
    double squares = 0;

    for (int64_t i = 0; i < n; ++i) {
        s.low = fmin(s.low, values[i]);
        s.high = fmax(s.high, values[i]);
        s.mean += values[i] / (double)n;
        squares += values[i] * values[i] / (double)n;
        s.ascends &= i == 0 || values[i] >= values[i - 1];
        s.whole &= values[i] == rint(values[i]);
    }
    s.deviation = sqrt(squares - s.mean * s.mean);
    return s;
}

/* What must come of some words; a mean or a deviation of NAN is not asked. */
static const struct {
    const char *words;
    int pass;
    double low, high; /* the least and the greatest that are drawn */
    double slack;     /* to these: reals seldom reach the ends */
    double mean, deviation;
    int ascends;
} rows[] = {
    /* Nothing said: what it always was. */
    {"f32[n]", 1, -1, 1, 1e-3, 0, 0.577, 0},
    {"f32[n]", 0, -16, 16, 0, 0, 9.52, 0},
    {"i32[n]", 1, -8, 8, 0, 0, 4.9, 0},
    {"u8[n]", 1, 0, 8, 0, 4, 2.58, 0},
    {"i32[n]", 0, -16, 16, 0, 0, 9.52, 0},
    {"u32[n]", 0, 0, 16, 0, 8, 4.9, 0},
    {"e4m3[n]", 0, -16, 16, 0, 0, 9.52, 0},
    {"e5m2[n]", 1, -1, 1, 1e-3, 0, 0.58, 0},
    /* Ranges hold for integers in both passes. */
    {"i32[n] from 0..m - 1", 0, 0, 99, 0, 49.5, 28.9, 0},
    {"i32[n] from 0..m - 1", 1, 0, 99, 0, 49.5, 28.9, 0},
    {"u8[n] from 7..2*m", 1, 7, 200, 0, 103.5, 56, 0},
    {"i64[n] from -1G..1G", 1, -0x1p30, 0x1p30, 1e6, NAN, NAN, 0},
    {"f32[n] from -0.5..2", 1, -0.5, 2, 1e-3, 0.75, 0.7217, 0},
    {"f32[n] from -0.5..200", 0, 0, 16, 0, 8, 4.9, 0},
    {"f16[n] from 0.1..0.3", 1, 0.1, 0.3, 1e-3, 0.2, 0.0577, 0},
    {"bf16[n] uniform(0.3, m)", 1, 0.3, 100, 0.5, 50.15, 28.8, 0},
    {"i32[n] positive", 1, 1, 8, 0, 4.5, 2.29, 0},
    {"f64[n] positive", 1, 0x1p-10, 1, 1e-3, 0.5, 0.288, 0},
    {"f64[n] positive", 0, 1, 16, 0, 8.5, 4.61, 0},
    /* Distributions. */
    {"f32[n] normal(3, 0.5)", 1, 1, 5, 1, 3, 0.5, 0},
    {"f32[n] normal(3, 0.5)", 0, 1, 5, 1, 3, 0.577, 0},
    {"f32[n] normal(0, 2) positive", 1, 0, 8, 2, 1.596, 1.206, 0},
    {"i32[n] from 10..20 normal(15, 100)", 1, 10, 20, 0, 15, 3.16, 0},
    {"i32[n] zipf(1) from 1..m", 1, 1, 100, 0, 21.5, 24.8, 0},
    {"i32[n] from 0..m - 1 zipf(0)", 1, 0, 99, 0, 49.5, 28.9, 0},
    {"f32[n] constant(0.25)", 1, 0.25, 0.25, 0, 0.25, 0, 1},
    {"i32[n] constant(m)", 0, 100, 100, 0, 100, 0, 1},
    /* Order. */
    {"i32[n] sorted from 0..m", 1, 0, 100, 0, 50, 29.2, 1},
    {"f32[n] sorted", 1, -1, 1, 1e-2, 0, 0.577, 1},
    {"f32[n] sorted", 0, -16, 16, 0, 0, 9.52, 1},
    {"f32[n] normal(3, 0.5) sorted", 1, 1, 5, 1, 3, 0.5, 1},
    {"i32[n] sorted zipf(1) from 1..m", 1, 1, 100, 0, 21.5, 24.8, 1},
    {"i32[n] offsets of 3*m", 1, 0, 300, 0, 150, 86.9, 1},
    {"i32[n] permutation", 1, 0, N - 1, 0, (N - 1) / 2.0, NAN, 0},
};

static void near(const char *words, const char *what, double is, double wanted,
                 double slack)
{
    if (!isnan(wanted) && !(fabs(is - wanted) <= slack))
        fail_msg("%s: %s %g, wanted %g", words, what, is, wanted);
}

static void values_are_as_declared(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const char *words = rows[i].words;
        const double width = rows[i].high - rows[i].low;
        summary s;

        if (draw(words, N, 100, rows[i].pass))
            fail_msg("%s: %s", words, error.text);
        s = look(N);
        near(words, "least", s.low, rows[i].low, rows[i].slack);
        near(words, "greatest", s.high, rows[i].high, rows[i].slack);
        near(words, "mean", s.mean, rows[i].mean, 0.02 * width + 1e-9);
        near(words, "deviation", s.deviation, rows[i].deviation,
             0.02 * width + 1e-3);
        if (s.ascends != rows[i].ascends)
            fail_msg("%s: ascends %d", words, s.ascends);
        if (rows[i].pass == HONE_PASS_EXACT && !s.whole)
            fail_msg("%s: not whole numbers in the exact pass", words);
        /* Ends are not passed, whatever the type rounds to. */
        if (!strstr(words, "normal") &&
            (s.low < rows[i].low || s.high > rows[i].high))
            fail_msg("%s: outside: %.9g..%.9g", words, s.low, s.high);
    }
}

static void permutations_hold_each_number_once(void **state)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 17, 64, 1009, N};

    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        static unsigned char seen[N];
        int64_t n_in_place = 0;

        memset(seen, 0, sizeof seen);
        assert_int_equal(draw("u32[n] permutation", sizes[k], 1, 1), HONE_OK);
        for (int64_t i = 0; i < sizes[k]; ++i) {
            assert_true(values[i] >= 0 && values[i] < (double)sizes[k]);
            assert_int_equal(seen[(int64_t)values[i]]++, 0);
            n_in_place += values[i] == (double)i;
        }
        assert_true(sizes[k] < 64 || n_in_place < sizes[k] / 8);
    }
}

/* Row pointers: from 0 to the end, with rows of many lengths. */
static void offsets_reach_from_end_to_end(void **state)
{
    int n_empty = 0;
    double longest = 0;

    (void)state;
    assert_int_equal(draw("i32[n] offsets of m", 1001, 3000, 0), HONE_OK);
    assert_true(values[0] == 0 && values[1000] == 3000);
    for (int i = 0; i < 1000; ++i) {
        assert_true(values[i + 1] >= values[i]);
        n_empty += values[i + 1] == values[i];
        longest = fmax(longest, values[i + 1] - values[i]);
    }
    assert_true(n_empty > 50 && longest > 9);
    assert_int_equal(draw("i32[n] offsets of m", 2, 1, 1), HONE_OK);
    assert_true(values[0] == 0 && values[1] == 1);
}

static void frequent_keys_are_frequent(void **state)
{
    int n_first = 0;

    (void)state;
    assert_int_equal(draw("i32[n] zipf(1.5) from 5..1004", N, 1, 1), HONE_OK);
    for (int i = 0; i < N; ++i)
        n_first += values[i] == 5;
    assert_in_range(n_first, N / 5, N / 2); /* 0.302 of them */
}

static const struct {
    const char *words;
    int pass;
    const char *says;
} refusals[] = {
    {"i32[n] from 1..m - 1", 1,
     "t.cu:2:31: x: the range 1..0 is empty at n=20000 m=1"},
    {"i32[n] from 0.5..2", 1, "0.5 is not a whole number"},
    {"i8[n] from 0..200", 1, "0..200 do not fit into i8"},
    {"u8[n] from -1..2", 1, "do not fit into u8"},
    {"u8[n] permutation", 1, "0..19999 do not fit into u8"},
    {"f32[n] from 0.25..0.75", 0,
     "no whole number from -16 to 16 is in 0.25..0.75"},
    {"f32[n] normal(0, 0)", 1, "the standard deviation 0 is not positive"},
    {"f32[n] normal(0, 1) from 90..91", 1, "too far from the mean"},
    {"i32[n] from 1..9 zipf(-1)", 1, "the exponent -1 of zipf is negative"},
    {"f32[n] from 2..n/(m - 1)", 1, "division by zero"},
};

static void nothing_can_be_drawn(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
        if (draw(refusals[i].words, N, 1, refusals[i].pass) != HONE_ERR_INPUT)
            fail_msg("%s: no error", refusals[i].words);
        if (!strstr(error.text, refusals[i].says))
            fail_msg("%s: says '%s'", refusals[i].words, error.text);
    }
    assert_int_equal(draw("i32[n] offsets of m", 1, 1, 1), HONE_ERR_INPUT);
    assert_non_null(strstr(error.text, "are at least two"));
}

/* Every pattern of 8-bit floats is the number that OFP8 says, and numbers
 * become the nearest pattern, of two the even one, and none beyond the largest.
 */
static void check_small(hone_type type, int stored, int bias, int largest)
{
    uint8_t cell = 0;

    for (int i = 0; i <= 0x7f; ++i) {
        const int exponent = i >> stored, fraction = i & ((1 << stored) - 1);
        const double unit = ldexp(1, (exponent ? exponent : 1) - bias - stored);
        const double value = unit * (fraction + (exponent ? 1 << stored : 0));
        const double middle = value + unit / 2;
        const int next = i < largest ? i + 1 : i;
        const struct {
            double from;
            int to;
        } roundings[] = {{value, i},
                         {-value, i | 0x80},
                         {middle, i & 1 ? next : i},
                         {nextafter(middle, INFINITY), next},
                         {nextafter(middle, 0), i},
                         {-nextafter(middle, 0), i | 0x80}};

        cell = (uint8_t)i;
        if (i > largest) {
            assert_true(type == HONE_TYPE_E5M2 && i == 0x7c
                            ? isinf(hone__element_load((int)type, &cell, 0))
                            : isnan(hone__element_load((int)type, &cell, 0)));
            continue;
        }
        assert_true(hone__element_load((int)type, &cell, 0) == value);
        cell |= 0x80;
        assert_true(hone__element_load((int)type, &cell, 0) == -value);
        for (size_t k = 0; k < sizeof roundings / sizeof roundings[0]; ++k) {
            hone__element_store((int)type, &cell, 0, roundings[k].from);
            assert_int_equal(cell, roundings[k].to);
        }
    }
    hone__element_store((int)type, &cell, 0, (double)INFINITY);
    assert_int_equal(cell, largest);
    hone__element_store((int)type, &cell, 0, -1e300);
    assert_int_equal(cell, largest | 0x80);
    hone__element_store((int)type, &cell, 0, (double)NAN);
    assert_true(isnan(hone__element_load((int)type, &cell, 0)));
}

static void small_floats_are_those_of_ofp8(void **state)
{
    (void)state;
    check_small(HONE_TYPE_E4M3, 3, 7, 0x7e);
    check_small(HONE_TYPE_E5M2, 2, 15, 0x7b);
}

/* Where a result is not compared whole: no part of it is left out. */
static void check_elements(int64_t n)
{
    static int64_t index[HONE_N_SAMPLES];
    const int64_t tail = 64, spread = HONE_N_SAMPLES - tail;
    const int64_t width = (n - tail - 1) / spread + 1;
    int64_t before = -1, widest = 0;

    assert_int_equal(hone__inputs_elements(n, 1e15, index), HONE_N_SAMPLES);
    for (int i = 0; i < HONE_N_SAMPLES; ++i) {
        assert_true(index[i] > before && index[i] < n);
        widest = index[i] - before > widest ? index[i] - before : widest;
        before = index[i];
    }
    assert_true(widest <= 2 * width);
    assert_int_equal(index[spread], n - tail);
}

static void elements_to_compare_are_everywhere(void **state)
{
    static const int64_t large[] = {1 << 20, (int64_t)7919 * 1984 + 64,
                                    (int64_t)1 << 40, INT64_MAX};

    (void)state;
    for (int64_t n = HONE_N_SAMPLES + 1; n <= 20000; ++n)
        check_elements(n);
    for (size_t i = 0; i < sizeof large / sizeof large[0]; ++i)
        check_elements(large[i]);
}

/* Threads that compute several elements have each of them looked at. */
static void elements_to_compare_have_every_remainder(void **state)
{
    static int64_t index[HONE_N_SAMPLES];

    (void)state;
    for (int64_t width = 2; width <= 17; ++width) {
        (void)hone__inputs_elements(width * 1984 + 64, 1e15, index);
        for (int64_t lanes = 2; lanes <= 16; lanes *= 2) {
            int seen[16] = {0};

            for (int i = 0; i < 1984; ++i)
                ++seen[index[i] % lanes];
            for (int64_t k = 0; k < lanes; ++k)
                assert_true(seen[k] > 1984 / (2 * lanes));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_as_declared),
        cmocka_unit_test(permutations_hold_each_number_once),
        cmocka_unit_test(offsets_reach_from_end_to_end),
        cmocka_unit_test(frequent_keys_are_frequent),
        cmocka_unit_test(nothing_can_be_drawn),
        cmocka_unit_test(small_floats_are_those_of_ofp8),
        cmocka_unit_test(elements_to_compare_are_everywhere),
        cmocka_unit_test(elements_to_compare_have_every_remainder)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
