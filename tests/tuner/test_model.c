/* SPDX-License-Identifier: Apache-2.0 */
/* Models of earlier problems: trees learn functions that are known, texts come
 * back as they were and are refused where they are damaged, and a search that
 * is guided is fast with a good guess and not lost with a bad one. */
#include "tests/tuner/search_fixture.h"

#include "runtime/base/alloc.h"
#include "tuner/model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_ROWS = 2000, N_FEATURES = 4 };

static double unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* A ridge in two features, a step in the third; the fourth does not matter. */
static double truth(const float *row)
{
    return fabs((double)row[0] - (double)row[1]) + (row[2] > 3 ? 2 : 0);
}

static void fill(float *rows, double *y, uint64_t seed)
{
    for (int i = 0; i < N_ROWS; ++i) {
        for (int k = 0; k < N_FEATURES; ++k)
            rows[i * N_FEATURES + k] = (float)(10 * unit(&seed));
        y[i] = truth(rows + i * N_FEATURES);
    }
}

static hone_boost *grow(const float *rows, const double *y)
{
    const hone_boost_options options = HONE_BOOST_USUAL;
    hone_boost *boost = NULL;
    hone_error err = {0};

    assert_int_equal(hone__boost_grow(rows, y, NULL, N_ROWS, N_FEATURES,
                                      &options, &boost, &err),
                     HONE_OK);
    return boost;
}

static void test_trees_learn(void **state)
{
    static float rows[N_ROWS * N_FEATURES];
    static double y[N_ROWS];
    hone_boost *boost;
    double off = 0, spread = 0;

    (void)state;
    fill(rows, y, 1);
    boost = grow(rows, y);
    fill(rows, y, 2); /* rows that it has not seen */
    for (int i = 0; i < N_ROWS; ++i) {
        off += fabs(hone__boost_predict(boost, rows + i * N_FEATURES) - y[i]);
        spread += fabs(y[i] - 4.3);
    }
    assert_true(off < 0.25 * spread);
    hone__boost_free(boost);
}

static void test_same_rows_same_trees(void **state)
{
    static float rows[N_ROWS * N_FEATURES];
    static double y[N_ROWS];
    hone_text a = {0}, b = {0};
    hone_boost *first, *second, *back = NULL;
    const char *cursor;
    hone_error err = {0};

    (void)state;
    fill(rows, y, 3);
    first = grow(rows, y);
    second = grow(rows, y);
    hone__boost_write(first, &a);
    hone__boost_write(second, &b);
    assert_string_equal(hone__text_str(&a), hone__text_str(&b));
    cursor = hone__text_str(&a);
    assert_int_equal(hone__boost_read(&cursor, N_FEATURES, &back, &err),
                     HONE_OK);
    assert_int_equal(*cursor, '\0');
    for (int i = 0; i < N_ROWS; ++i)
        assert_true(fabs(hone__boost_predict(back, rows + i * N_FEATURES) -
                         hone__boost_predict(first, rows + i * N_FEATURES)) <
                    1e-6);
    hone__boost_free(first);
    hone__boost_free(second);
    hone__boost_free(back);
    hone__text_free(&a);
    hone__text_free(&b);
}

/* ---- models -------------------------------------------------------------- */

static const char lines[] = "#pragma hone param A in 0..15\n"
                            "#pragma hone param B in 0..15\n"
                            "#pragma hone param C in 0..15\n"
                            "#pragma hone param D in {1, 2, 4, 8, 16, 32}\n"
                            "#pragma hone let SUM = A + B\n"
                            "#pragma hone require SUM <= 24\n";

/* Two products of parameters that have to fit, as sizes of tiles do. */
static double slowdown_at(const int64_t *config)
{
    return 0.08 * fabs((double)(config[0] + config[1] - 17)) +
           0.05 * fabs((double)config[2] - 9) +
           0.1 * fabs(log2((double)config[3]) - 2);
}

typedef struct bench {
    hone_search_fixture f;
    hone_features *features;
    hone_model_rows rows;
    hone_model model;
    const hone_model_part *part;
    float row[64];
    int64_t config[8];
} bench;

static int setup(void **state)
{
    static bench b;
    hone_properties properties;
    hone_error err = {0};
    uint64_t chance = 7;
    const int64_t dims[HONE_MAX_DIMS] = {1000};

    b = (bench){0};
    if (!hone__search_fixture_open(lines, &b.f))
        return -1;
    assert_int_equal(hone__properties_of_arch("sm_90", &properties, &err),
                     HONE_OK);
    assert_int_equal(
        hone__features_create(b.f.tmpl, dims, &properties, &b.features, &err),
        HONE_OK);
    b.rows.n_features = hone__features_count(b.features);
    assert_true(b.rows.n_features < 64);
    for (size_t i = 0; i < 800; ++i) {
        const int64_t index =
            (int64_t)(unit(&chance) * (double)b.f.space->count);

        hone__space_get(b.f.space, index, b.config);
        hone__features_get(b.features, b.config, b.row);
        assert_int_equal(
            hone__model_add(&b.rows, i % 8,
                            i % 50 ? slowdown_at(b.config) : INFINITY, b.row,
                            &err),
            HONE_OK);
    }
    assert_int_equal(
        hone__model_train(&(hone_model_subject){"one", b.features, &b.rows}, 1,
                          1, &b.model, &err),
        HONE_OK);
    *state = &b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;

    hone__model_free(&b->model);
    hone__model_rows_free(&b->rows);
    hone__features_free(b->features);
    hone__search_fixture_close(&b->f);
    return 0;
}

static void test_model_knows_its_error(void **state)
{
    const bench *b = *state;

    assert_int_equal(b->model.n_trials, 800);
    assert_int_equal(b->model.n_problems, 8);
    /* Trials there lie 0.2 apart; what failed is in the rows as well. */
    assert_true(b->model.error > 0 && b->model.error < 0.12);
}

static void test_model_as_text(void **state)
{
    bench *b = *state;
    hone_text text = {0}, again = {0};
    hone_model back;
    hone_error err = {0};

    hone__model_write(&b->model, "op", &text);
    assert_int_equal(hone__model_read(hone__text_str(&text), &back, &err),
                     HONE_OK);
    hone__model_write(&back, "op", &again);
    assert_string_equal(hone__text_str(&text), hone__text_str(&again));
    assert_non_null(hone__model_part(&back, "one", b->features));
    assert_null(hone__model_part(&back, "another", b->features));
    hone__model_free(&back);
    /* Of before estimates were known to models. */
    assert_memory_equal(text.data, "hone-model 2\n", 13);
    text.data[11] = '1';
    assert_int_equal(hone__model_read(text.data, &back, &err), HONE_ERR_INPUT);
    text.data[11] = '2';

    /* Cut off anywhere, or with any line changed, it is refused or another
     * model, and never a crash. */
    for (size_t n = 0; n < text.length; n += 1 + text.length / 997) {
        const char kept = text.data[n];

        text.data[n] = '\0';
        assert_int_equal(hone__model_read(text.data, &back, &err),
                         HONE_ERR_INPUT);
        text.data[n] = kept == '9' ? '-' : '9';
        if (hone__model_read(text.data, &back, &err) == HONE_OK)
            hone__model_free(&back);
        text.data[n] = kept;
    }
    hone__text_free(&text);
    hone__text_free(&again);
}

/* ---- guided searches ----------------------------------------------------- */

static double guess(void *user, int64_t index)
{
    bench *b = user;

    hone__space_get(b->f.space, index, b->config);
    return hone__model_guess(b->part, b->features, b->config, b->row);
}

/* As wrong as can be: fast is slow. */
static double misguess(void *user, int64_t index)
{
    return -guess(user, index);
}

/* Knows a sum of two parameters, of two more nothing, and takes another sum for
 * the best: a thousand configurations have the same guess. */
static double blunt_guess(void *user, int64_t index)
{
    bench *b = user;

    hone__space_get(b->f.space, index, b->config);
    return 0.08 * fabs((double)(b->config[0] + b->config[1] - 13));
}

/* The best slowdown after `n` trials with two guesses, mean of some seeds. */
static double best_of_two(bench *b, double (*prior)(void *, int64_t),
                          double (*second)(void *, int64_t), int n)
{
    enum { SEEDS = 8 };
    double sum = 0;
    hone_error err = {0};

    b->part = hone__model_part(&b->model, "one", b->features);
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        hone_search *search = NULL;
        double best = INFINITY;

        assert_int_equal(hone__search_open(
                             "auto", &b->f.view,
                             &(hone_search_options){.seed = seed,
                                                    .budget_trials = n,
                                                    .prior = {prior, b, 0.1},
                                                    .second = {second, b, 0.3}},
                             &search, &err),
                         HONE_OK);
        for (int i = 0; i < n; ++i) {
            int64_t index;
            double slowdown;

            assert_int_equal(hone__search_next(search, &index, &err), HONE_OK);
            assert_true(index >= 0);
            hone__space_get(b->f.space, index, b->config);
            slowdown = slowdown_at(b->config);
            assert_int_equal(
                hone__search_tell(search, index, 1e4 * exp(slowdown), &err),
                HONE_OK);
            best = slowdown < best ? slowdown : best;
        }
        hone__search_close(search);
        sum += best;
    }
    return sum / SEEDS;
}

static double best_after(bench *b, double (*prior)(void *, int64_t), int n)
{
    return best_of_two(b, prior, NULL, n);
}

static void test_good_guess_is_fast(void **state)
{
    bench *b = *state;
    const double guided = best_after(b, guess, 12);

    assert_true(guided < 0.08);
    assert_true(guided < 0.5 * best_after(b, NULL, 12));
}

static void test_blunt_guess_holds_nobody(void **state)
{
    bench *b = *state;

    assert_true(best_after(b, blunt_guess, 60) < 0.05);
}

static void test_bad_guess_costs_little(void **state)
{
    bench *b = *state;

    /* Half of the trials are those of a search without a guess. */
    assert_true(best_after(b, misguess, 160) < best_after(b, NULL, 50) + 0.05);
}

/* A template's own estimate: better than nothing, and in units of its own. */
static double estimate(void *user, int64_t index)
{
    bench *b = user;

    hone__space_get(b->f.space, index, b->config);
    return 7 + 0.1 * fabs((double)(b->config[0] + b->config[1] - 17)) +
           0.02 * fabs((double)b->config[2] - 8);
}

/* A guess that corrects an estimate is compared with other implementations'
 * without what the estimate says at best. */
static void test_best_guess_is_above_the_estimate(void **state)
{
    bench *b = *state;
    hone_search_options options = {
        .seed = 1, .budget_trials = 20, .prior = {estimate, b, 0.3}};
    double best[2];

    for (int i = 0; i < 2; ++i, options.second = options.prior) {
        hone_search *search = NULL;
        hone_error err = {0};

        assert_int_equal(
            hone__search_open("auto", &b->f.view, &options, &search, &err),
            HONE_OK);
        best[i] = hone__search_best_guess(search);
        hone__search_close(search);
    }
    assert_true(fabs(best[0] - 7) < 0.2 && fabs(best[1]) < 1e-9);
}

/* Of two guesses the wrong one does not keep the search from what the right one
 * ranks first, whichever of them it is. */
static void test_wrong_guess_beside_a_right_one(void **state)
{
    bench *b = *state;
    assert_true(best_after(b, estimate, 20) < 0.09);
    assert_true(best_after(b, misguess, 20) > 0.18);
    assert_true(best_of_two(b, misguess, estimate, 20) < 0.14);
    assert_true(best_of_two(b, estimate, misguess, 20) < 0.14);
}

/* What the better one gains is not lost to the other. */
static void test_right_guess_beside_a_coarse_one(void **state)
{
    bench *b = *state;

    assert_true(best_after(b, estimate, 12) > 0.08);
    assert_true(best_of_two(b, guess, estimate, 12) < 0.03);
    assert_true(best_of_two(b, guess, misguess, 12) < 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_learn),
        cmocka_unit_test(test_same_rows_same_trees),
        cmocka_unit_test_setup_teardown(test_model_knows_its_error, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_model_as_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_good_guess_is_fast, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_blunt_guess_holds_nobody, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_best_guess_is_above_the_estimate,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_guess_costs_little, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_wrong_guess_beside_a_right_one,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_right_guess_beside_a_coarse_one,
                                        setup, teardown)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
