/* SPDX-License-Identifier: Apache-2.0 */
/* A model of a template that has an estimate of its own: it learns what that
 * leaves, and guesses where nothing was tried as the estimate says. */
#include "tests/tuner/search_fixture.h"

#include "tuner/model/model.h"
#include "tuner/search/chance.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_corrects_an_estimate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
