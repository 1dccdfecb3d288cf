/* SPDX-License-Identifier: Apache-2.0 */
/* What a decision computes in steps is what the expressions say, the places
 * that it finds in groups are near, and its doubt is what rows one by one give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/choose/chooser_model.h"
#include "tests/runtime/choose_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state_of_random = 20261129;

static size_t below(size_t n)
{
    state_of_random =
        state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state_of_random >> 33) % n;
}

/* ---- steps --------------------------------------------------------------- */

enum { ESTIMATES = 14, DEPTH = 5 };

static const char *one_of(const char *const *list, size_t n)
{
    return list[below(n)];
}
#define ONE_OF(list) one_of(list, sizeof list / sizeof *list)

/* Operations on dims, estimates in front and numbers, those at the edges
 * of 32 and 64 bits among them; most have a value. */
static void spell(size_t n_estimates, int depth, hone_text *out)
{
    static const char *const numbers[] = {
        "0", "1",  "2",          "3",          "7",
        "8", "64", "2147483647", "4294967295", "4294967296",
        "5", "16", "2000000000", "100000000K", "4611686018427387904"};
    static const char *const unary[] = {"-", "!", "~", "abs", "log2", "ispow2"};
    static const char *const calls[] = {"min", "max", "ceildiv", "align",
                                        "gcd"};
    static const char *const between[] = {
        "+", "-",  "*",  "/", "%",  "<<", ">>", "&",  "|", "^",
        "+", "==", "!=", "<", "<=", ">",  ">=", "&&", "||"};
    const size_t what = depth ? below(10) : below(3);

    if (what == 0) {
        hone__text_puts(out, ONE_OF(numbers));
    } else if (what == 1 && n_estimates) {
        hone__text_printf(out, "e%zu", below(n_estimates));
    } else if (what <= 2) {
        hone__text_printf(out, "d%zu", below(CHOOSE_DIMS));
    } else if (what == 3) {
        hone__text_printf(out, "%s(", ONE_OF(unary));
        spell(n_estimates, depth - 1, out);
        hone__text_puts(out, ")");
    } else if (what <= 5) {
        hone__text_printf(out, "%s(", ONE_OF(calls));
        spell(n_estimates, depth - 1, out);
        hone__text_puts(out, ",");
        spell(n_estimates, depth - 1, out);
        hone__text_puts(out, ")");
    } else if (what == 6) {
        hone__text_puts(out, "(");
        spell(n_estimates, depth - 1, out);
        hone__text_puts(out, "?");
        spell(n_estimates, depth - 1, out);
        hone__text_puts(out, ":");
        spell(n_estimates, depth - 1, out);
        hone__text_puts(out, ")");
    } else {
        hone__text_puts(out, "(");
        spell(n_estimates, depth - 1, out);
        hone__text_puts(out, ONE_OF(between));
        spell(n_estimates, depth - 1, out);
        hone__text_puts(out, ")");
    }
}

static void add_estimates(hone_chooser *c, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        hone_text text = {0};
        hone_error err = {0};

        spell(i, DEPTH, &text);
        if (hone__chooser_add_estimate(c, hone__text_str(&text), text.length,
                                       &err) != HONE_OK)
            fail_msg("%s: %s", hone__text_str(&text), err.text);
        hone__text_free(&text);
    }
}

/* A member costs an estimate's remainder, which logarithms tell apart. */
static void add_members(hone_chooser *c)
{
    const size_t n = c->n_estimates;

    for (size_t j = 0; j < CHOOSE_MEMBERS; ++j) {
        hone_text text = {0};

        hone__text_printf(&text, "e%zu%%1000003+1000003", below(n));
        assert_int_equal(hone__chooser_add_estimate(c, hone__text_str(&text),
                                                    text.length, NULL),
                         HONE_OK);
        c->members[j].cost = c->n_estimates;
        hone__text_free(&text);
    }
}

/* How many of them have a value; `out` as it should be, 0 of others. */
static size_t evaluate(const hone_chooser *c, const int64_t *dims, int64_t *out)
{
    size_t n = 0;

    memcpy(out, dims, CHOOSE_DIMS * sizeof *dims);
    for (size_t i = 0; i < c->n_estimates; ++i) {
        int64_t *const value = &out[HONE_MAX_DIMS + i];
        const int has_none =
            hone__expr_eval(c->estimates[i].expr, out, value, NULL) != HONE_OK;

        *value = has_none ? 0 : *value;
        n += !has_none;
    }
    return n;
}

/* Costs at these dims; without faults the expressions are not needed. */
static void check_costs(choose_fixture *f, const int64_t *dims,
                        size_t *out_whole)
{
    hone_chooser *c = f->chooser;
    const hone_launch_case at = choose_at(f, dims);
    const hone_chooser_asked asked = {.n = CHOOSE_MEMBERS,
                                      .members = {0, 1, 2}};
    hone_chooser_estimate *const estimates = c->estimates;
    int64_t values[HONE_MAX_DIMS + ESTIMATES + CHOOSE_MEMBERS];
    const int is_whole = evaluate(c, dims, values) == c->n_estimates;
    double base[CHOOSE_MEMBERS];

    *out_whole += (size_t)is_whole;
    c->estimates = is_whole ? NULL : estimates;
    hone__chooser_bases(c, c->model, &at, &asked, base);
    c->estimates = estimates;
    for (size_t j = 0; j < CHOOSE_MEMBERS; ++j) {
        const size_t which = c->members[j].cost - 1;
        const double cost = log((double)values[HONE_MAX_DIMS + which]);

        if (base[j] != cost)
            fail_msg("'%s' is e^%.17g, not e^%.17g",
                     hone__expr_text(estimates[which].expr), base[j], cost);
    }
}

static void computes_what_is_written(void **state)
{
    static const int64_t sizes[] = {1,    2,    3,       16,         100,
                                    4095, 8192, 1 << 20, 4294967295, 1LL << 40};
    enum { ROUNDS = 1000, PROBLEMS = 12, SIZES = sizeof sizes / sizeof *sizes };
    size_t n_whole = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; ++round) {
        choose_fixture f;
        hone_launch_case plan;
        hone_error err = {0};

        choose_begin(&f, 3);
        add_estimates(f.chooser, 1 + below(ESTIMATES));
        add_members(f.chooser);
        plan = choose_at(&f, NULL);
        if (hone__chooser_prepare(f.chooser, &plan, &err) != HONE_OK)
            fail_msg("%s", err.text);
        for (size_t i = 0; i < PROBLEMS; ++i) {
            int64_t dims[CHOOSE_DIMS];

            for (size_t d = 0; d < CHOOSE_DIMS; ++d)
                dims[d] = sizes[below(SIZES)];
            check_costs(&f, dims, &n_whole);
        }
        choose_end(&f);
    }
    /* Both are met often: no fault, and one. */
    assert_in_range(n_whole, ROUNDS * PROBLEMS / 5, ROUNDS * PROBLEMS * 4 / 5);
}

/* ---- places -------------------------------------------------------------- */

/* Each place has a member of its own; the last members have none. */
enum { PLACES = 250, UNPLACED = 3, GROUPS = 64, NEAREST = 16 };

/* Powers of two, many of which are as far as others, and any sizes. */
static void draw(int64_t *dims)
{
    const int is_power = below(3) > 0;

    for (size_t d = 0; d < 2; ++d)
        dims[d] = is_power ? 1 << below(14)
                           : 1 + (int64_t)below(below(2) ? 300 : 8192);
    dims[2] = dims[1];
}

static hone_chooser *make_places(void)
{
    hone_chooser *c = NULL;
    hone_error err = {0};

    if (hone__chooser_create("rows", CHOOSE_DIMS, PLACES + UNPLACED, 0, &c,
                             &err) != HONE_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < PLACES; ++i) {
        const float beside = 0.25F;
        int64_t dims[CHOOSE_DIMS];

        draw(dims);
        assert_int_equal(hone__chooser_add_place(c, dims, &i, &beside, 1, &err),
                         HONE_OK);
    }
    return c;
}

/* Squares of how far places are: octaves of sizes, half octaves of alignments.
 */
static void measure(const hone_chooser *c, const hone_launch_spec *spec,
                    const double *at, double *out)
{
    for (size_t i = 0; i < c->n_places; ++i) {
        double values[HONE_CHOOSER_MOST_FEATURES];

        hone__chooser_values(CHOOSE_DIMS, spec, c->places[i].dims, values);
        out[i] = 0;
        for (size_t d = 0; d < CHOOSE_DIMS; ++d) {
            const double octaves = values[d] - at[d];
            const double halves =
                0.5 * (values[CHOOSE_DIMS + d] - at[CHOOSE_DIMS + d]);

            out[i] += octaves * octaves + halves * halves;
        }
    }
}

/* Beyond what floats tell apart. */
static int is_nearer(double far, double than)
{
    return far < than * (1 - 2e-5) - 1e-9;
}

/* How many that are `step` apart, or all, are nearer than this one? */
static size_t count_nearer(const double *far, size_t than, size_t step)
{
    size_t n = 0;

    for (size_t i = than % step; i < PLACES; i += step)
        n += (size_t)is_nearer(far[i], far[than]);
    return n;
}

/* Of those of its group that are as far. */
static int is_first(const double *far, size_t place)
{
    for (size_t i = place % GROUPS; i < place; i += GROUPS)
        if (!is_nearer(far[place], far[i]))
            return 0;
    return 1;
}

/* Sixteen, each the nearest of its group; how many of these are among the
 * sixteen nearest of all. */
static size_t check_asked(const hone_chooser_asked *asked, const double *far)
{
    size_t n_placed = 0, n_nearest = 0;

    for (size_t k = 0; k < asked->n; ++k) {
        const size_t j = asked->members[k];
        const double weight = j < PLACES ? 1 / (0.25 + far[j]) : 1;
        size_t n_groups = 0;

        assert_true(!k || j > asked->members[k - 1]);
        assert_true(fabs((double)asked->weight[j] - weight) < 1e-4 * weight);
        if (j >= PLACES)
            continue;
        assert_true(fabs((double)(asked->beside[j] / asked->weight[j]) - 0.25) <
                    1e-5);
        assert_int_equal(count_nearer(far, j, GROUPS), 0);
        for (size_t i = 0; i < PLACES; ++i)
            n_groups +=
                (size_t)(is_nearer(far[i], far[j]) &&
                         !count_nearer(far, i, GROUPS) && is_first(far, i));
        assert_in_range(n_groups, 0, NEAREST - 1);
        ++n_placed;
        n_nearest += count_nearer(far, j, 1) < NEAREST;
    }
    assert_int_equal(n_placed, NEAREST);
    assert_int_equal(asked->n, NEAREST + UNPLACED);
    return n_nearest;
}

static void asks_places_that_are_near(void **state)
{
    enum { POINTS = 400 };
    choose_fixture f;
    hone_launch_case plan;
    hone_chooser *c = make_places();
    size_t n_nearest = 0;

    (void)state;
    choose_begin(&f, 3);
    plan = choose_at(&f, NULL);
    assert_int_equal(hone__chooser_prepare(c, &plan, NULL), HONE_OK);
    for (size_t point = 0; point < POINTS; ++point) {
        double at[HONE_CHOOSER_MOST_FEATURES], far[PLACES];
        hone_chooser_asked asked;
        int64_t dims[CHOOSE_DIMS];
        size_t nearest = 0;

        draw(dims);
        hone__chooser_values(CHOOSE_DIMS, f.spec, dims, at);
        measure(c, f.spec, at, far);
        hone__chooser_ask_places(c, c->model, at, &asked);
        n_nearest += check_asked(&asked, far);
        for (size_t i = 0; i < PLACES; ++i)
            nearest = far[i] < far[nearest] ? i : nearest;
        assert_true(asked.weight[nearest] > 0);
    }
    assert_in_range(n_nearest, POINTS * 13, POINTS * NEAREST);
    hone__chooser_free(c);
    choose_end(&f);
}

/* ---- the doubt ----------------------------------------------------------- */

/* k' A k as it is written. */
static double square_form(const hone_chooser_model *m, const double *k)
{
    double total = 0;

    for (size_t i = 0; i < m->n; ++i)
        for (size_t j = 0; j < m->n; ++j)
            total += k[i] * m->inverse[i * m->row + j] * k[j];
    return total;
}

/* Rows go by twos, in blocks of four: any number of them is whole. */
static void doubts_with_any_number_of_problems(void **state)
{
    (void)state;
    for (size_t n = 1; n < 14; ++n) {
        const int64_t dims[CHOOSE_DIMS] = {100, 300, 300};
        double values[HONE_CHOOSER_MOST_FEATURES];
        double features[HONE_CHOOSER_MOST_FEATURES];
        _Alignas(16) double k[HONE_CHOOSER_PROBLEMS];
        choose_fixture f;
        hone_launch_case plan;
        hone_chooser_guesses guesses;
        double noise, variance;

        choose_begin(&f, n);
        plan = choose_at(&f, dims);
        assert_int_equal(hone__chooser_prepare(f.chooser, &plan, NULL),
                         HONE_OK);
        noise = f.chooser->parameters[HONE_CHOOSER_noise];
        hone__chooser_values(CHOOSE_DIMS, f.spec, dims, values);
        (void)hone__chooser_features(f.chooser, values, features, 1);
        variance = hone__chooser_covariances(f.chooser, f.chooser->model,
                                             features, k) +
                   noise * noise;
        variance -= square_form(f.chooser->model, k);
        assert_true(variance > 0);
        hone__chooser_predict(f.chooser, &plan, &guesses);
        assert_true(fabs(guesses.gain_doubt -
                         hone__chooser_doubt(f.chooser->model, sqrt(variance),
                                             0)) < 1e-6 * guesses.gain_doubt);
        choose_end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes_what_is_written),
        cmocka_unit_test(asks_places_that_are_near),
        cmocka_unit_test(doubts_with_any_number_of_problems),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
