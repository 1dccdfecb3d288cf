/* SPDX-License-Identifier: Apache-2.0 */
/* A model of a template that has an estimate of its own: it learns what that
 * leaves, and guesses where nothing was tried as the estimate says. */
#include "tests/tuner/search_fixture.h"

#include "tuner/model/model.h"
#include "tuner/search/lead.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct teacher {
    hone_search_fixture f;
    hone_features *features;
    hone_model_rows rows;
    hone_model model;
    const hone_model_part *part;
    float row[64];
    int64_t config[8];
} teacher;

static const char lines_with_cost[] =
    "#pragma hone param A in 0..15\n"
    "#pragma hone param B in 0..15\n"
    "#pragma hone param C in 0..15\n"
    "#pragma hone param D in {1, 2, 4, 8, 16, 32}\n"
    "#pragma hone let SUM = A + B\n"
    "#pragma hone feature COST = 100 + 20*max(SUM - 5, 5 - SUM)\n";

/* COST is right about A and B, up to a factor for each problem, and knows
 * nothing of C. */
static double time_at(teacher *t, size_t problem)
{
    return exp(hone__features_cost(t->features, t->config, t->row) +
               0.05 * fabs((double)t->config[2] - 9)) *
           (double)(1 + problem);
}

/* Sums of A and B up to 12 alone were tried: what larger ones take, COST says.
 */
static void test_model_corrects_an_estimate(void **state)
{
    teacher t = {0};
    hone_properties properties;
    hone_error err = {0};
    hone_chance chance = hone__chance(11);
    double off = 0, lowest = log(100.0);
    const int64_t dims[HONE_MAX_DIMS] = {1000};

    (void)state;
    assert_true(hone__search_fixture_open(lines_with_cost, &t.f));
    assert_int_equal(hone__properties_of_arch("sm_90", &properties, &err),
                     HONE_OK);
    assert_int_equal(
        hone__features_create(t.f.tmpl, dims, &properties, &t.features, &err),
        HONE_OK);
    t.rows.n_features = hone__features_count(t.features);
    for (size_t i = 0; i < 1200; ++i) {
        double slowdown;

        do {
            hone__space_get(t.f.space,
                            hone__chance_below(&chance, t.f.space->count),
                            t.config);
        } while (t.config[0] + t.config[1] > 12);
        slowdown = log(time_at(&t, i % 8) / (100 * (double)(1 + i % 8)));
        hone__features_get(t.features, t.config, t.row);
        assert_int_equal(hone__model_add(&t.rows, i % 8,
                                         i % 50 ? slowdown : INFINITY, t.row,
                                         &err),
                         HONE_OK);
    }
    assert_int_equal(
        hone__model_train(&(hone_model_subject){"one", t.features, &t.rows}, 1,
                          1, &t.model, &err),
        HONE_OK);
    assert_true(t.model.error >= 0 && t.model.error < 0.1);
    t.part = hone__model_part(&t.model, "one", t.features);
    assert_non_null(t.part);
    for (int sum = 14; sum <= 30; ++sum) {
        t.config[0] = sum / 2;
        t.config[1] = sum - sum / 2;
        t.config[2] = sum % 2 ? 9 : 3;
        t.config[3] = 4;
        off += fabs(hone__model_guess(t.part, t.features, t.config, t.row) -
                    lowest - log(time_at(&t, 0) / 100));
    }
    assert_true(off / 17 < 0.08);
    hone__model_free(&t.model);
    hone__model_rows_free(&t.rows);
    hone__features_free(t.features);
    hone__search_fixture_close(&t.f);
}

static double cost_of(hone_features *f, int64_t x, int64_t y)
{
    const int64_t config[] = {x, y};
    float row[64];

    return hone__features_cost(f, config, row);
}

/* What an estimate says nothing of is not what it says is the best. */
static void test_cost_that_cannot_be_evaluated(void **state)
{
    static const char *const costs[] = {
        "#pragma hone feature COST = 100 / X per Y\n",
        "#pragma hone let PER = 100 / X\n"
        "#pragma hone feature COST = PER per 100 / Y\n"};
    const int64_t dims[HONE_MAX_DIMS] = {1000};
    hone_properties properties;
    hone_error err = {0};

    (void)state;
    assert_int_equal(hone__properties_of_arch("sm_90", &properties, &err),
                     HONE_OK);
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; ++i) {
        hone_search_fixture f;
        hone_features *features = NULL;
        char lines[256];

        (void)snprintf(lines, sizeof lines,
                       "#pragma hone param X in {0, 1}\n"
                       "#pragma hone param Y in {0, 1}\n%s",
                       costs[i]);
        assert_true(hone__search_fixture_open(lines, &f));
        assert_int_equal(
            hone__features_create(f.tmpl, dims, &properties, &features, &err),
            HONE_OK);
        assert_true(isfinite(cost_of(features, 1, 1)));
        assert_true(cost_of(features, 0, 1) == INFINITY);
        assert_true(cost_of(features, 1, 0) == INFINITY);
        assert_true(isfinite(cost_of(features, 1, 1)));
        hone__features_free(features);
        hone__search_fixture_close(&f);
    }
}

static double knows_even(void *user, int64_t index)
{
    const hone_search_space *view = user;
    int row[4];

    view->get(view->user, index, row);
    return row[0] % 2 ? INFINITY : 0;
}

/* A guess that says nothing of half of the space, which comes last; and what
 * was tried there does not spoil what is learned of the rest. */
static void test_lead_with_gaps(void **state)
{
    enum { TRIALS = 100, BY_CHANCE = 20 };
    hone_search_fixture f;
    hone_search *search = NULL;
    hone_lead *lead = NULL;
    hone_error err = {0};
    int64_t index;
    int n_unknown = 0, n_fast = 0, row[4];

    (void)state;
    assert_true(hone__search_fixture_open(lines_with_cost, &f));
    assert_int_equal(hone__search_open("random", &f.view,
                                       &(hone_search_options){.seed = 1},
                                       &search, &err),
                     HONE_OK);
    search->n_priors = 1;
    search->priors[0] = (hone_search_prior){knows_even, &f.view, 0.1};
    assert_int_equal(hone__lead_create(search, 0, &lead, &err), HONE_OK);
    for (int i = 0; i < TRIALS; ++i) {
        index = i < BY_CHANCE ? hone__search_any_new(search)
                              : hone__lead_choose(search, lead);
        assert_true(index >= 0);
        f.view.get(f.view.user, index, row);
        n_unknown += i >= BY_CHANCE && row[0] % 2;
        n_fast += i >= BY_CHANCE && row[2] < 3;
        assert_int_equal(
            hone__search_tell(search, index, 1000 * (1 + row[2]), &err),
            HONE_OK);
    }
    assert_int_equal(n_unknown, 0);
    assert_true(n_fast > (TRIALS - BY_CHANCE) / 2);
    hone__search_close(search);
    hone__search_fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_corrects_an_estimate),
        cmocka_unit_test(test_cost_that_cannot_be_evaluated),
        cmocka_unit_test(test_lead_with_gaps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
