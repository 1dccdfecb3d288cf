/* SPDX-License-Identifier: Apache-2.0 */
/* What a portfolio learns of trials beside costs, and of which problems. */
#include "tests/db/db_fixture.h"
#include "tests/tuner/search_fixture.h"

#include "tuner/portfolio/lessons.h"
#include "tuner/portfolio/likely.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 4, CONFIGS = 40 };

/* COST knows A, but neither B nor C. */
static const char lines[] = "#pragma hone param A in 0..15\n"
                            "#pragma hone param B in {1, 2, 3, 4}\n"
                            "#pragma hone param C in {1, 2}\n"
                            "#pragma hone feature COST = 100 + 20*A\n";

typedef struct lesson_fixture {
    db_fixture *db;
    hone_search_fixture of;
    const hone_template *impls[1];
    hone_properties properties;
    hone_tune_request tune;
    hone_matrix_problem first;
    hone_matrix matrix;
} lesson_fixture;

static void begin(lesson_fixture *f, void **state)
{
    *f = (lesson_fixture){.db = *state};
    assert_true(hone__search_fixture_open(lines, &f->of));
    assert_ok(hone__properties_of_arch("sm_90", &f->properties, why));
    f->impls[0] = f->of.tmpl;
    f->first.dims[0] = 1001;
    f->tune = (hone_tune_request){.db = f->db->db, .tmpl = f->of.tmpl};
    f->matrix = (hone_matrix){&f->tune,
                              f->db->device_id,
                              .properties = &f->properties,
                              .types = "",
                              .impls = f->impls,
                              .n_impls = 1,
                              .problems = &f->first,
                              .n_problems = 1};
}

static int64_t size_of(size_t problem)
{
    return 1001 + 778 * (int64_t)problem; /* odd: alignments say nothing */
}

/* Twice as long with B = 4; with C = 2 half as long again, but at the problems
 * of the first part alone. */
static double time_of(size_t problem, int a, int b, int c)
{
    return (double)size_of(problem) * (100 + 20 * a) * (b == 4 ? 2 : 1) *
           (c == 2 && problem % PARTS == 0 ? 1.5 : 1);
}

static void put_trial(const lesson_fixture *f, int64_t session_id,
                      size_t problem, int i)
{
    const int a = i * 5 % 13, b = 1 + i % 4, c = 1 + i / 4 % 2;
    const double time_ns = time_of(problem, a, b, c);
    char config[64];
    hone_db_variant variant = {.template_id = f->db->template_id,
                               .toolchain_id = f->db->toolchain_id,
                               .config = config,
                               .types = "",
                               .arch = "sm_90a",
                               .outcome = "ok",
                               .launch_plan = "hone-launch 1\n"};
    hone_db_trial trial = {.session_id = session_id,
                           .outcome = "ok",
                           .time_ns = time_ns,
                           .samples_ns = &time_ns,
                           .n_samples = 1,
                           .launches_per_sample = 1,
                           .verified = 1};
    int64_t id;

    (void)snprintf(config, sizeof config, "A=%d,B=%d,C=%d", a, b, c);
    assert_ok(
        hone__db_variant_put(f->db->db, &variant, &trial.variant_id, why));
    assert_ok(hone__db_trial_put(f->db->db, &trial, &id, why));
}

static void put_problems(lesson_fixture *f, size_t n)
{
    const hone_template *tmpl = f->of.tmpl;
    hone_db_template row = {.op = tmpl->op,
                            .name = hone__template_name(tmpl),
                            .sha256 = tmpl->sha256,
                            .source = lines,
                            .source_bytes = sizeof lines - 1};

    assert_ok(hone__db_template_put(f->db->db, &row, &f->db->template_id, why));
    for (size_t p = 0; p < n; ++p) {
        const int64_t dims[] = {size_of(p)};
        hone_db_problem problem = {
            .op = tmpl->op, .dims = dims, .n_dims = 1, .label = ""};
        hone_db_session session = {
            f->db->device_id, .template_id = f->db->template_id, .mode = "cold",
            .strategy = "auto", .budget = "40"};
        int64_t id;

        assert_ok(hone__db_problem_put(f->db->db, &problem, &session.problem_id,
                                       why));
        assert_ok(hone__db_session_begin(f->db->db, &session, &id, why));
        for (int i = 0; i < CONFIGS; ++i)
            put_trial(f, id, p, i);
    }
}

static double ask(const lesson_fixture *f, const hone_lessons *lessons,
                  int64_t size, int64_t b, int64_t c)
{
    const int64_t dims[HONE_MAX_DIMS] = {size};
    const int64_t config[] = {3, b, c};
    hone_features *features = NULL;
    float row[64];
    double value;

    assert_ok(hone__features_create(f->of.tmpl, dims, &f->properties, &features,
                                    why));
    assert_true(hone__features_count(features) <= 64);
    hone__features_get(features, config, row);
    value = hone__lesson(hone__lessons_at(lessons, dims), row);
    hone__features_free(features);
    return value;
}

/* The cheapest by costs and lessons: A = 0 by its cost, and not B = 4. */
static void expect_likely(const lesson_fixture *f, const hone_lessons *lessons)
{
    const int64_t dims[HONE_MAX_DIMS] = {5000};
    int64_t config[8], slow[] = {0, 4, 1};
    double cost, beside;
    hone_likely likely;

    assert_ok(hone__likely_open(f->of.tmpl, dims, &f->properties,
                                hone__lessons_at(lessons, dims), &likely, why));
    assert_ok(hone__likely_cheapest(&likely, config, &cost, why));
    assert_int_equal(config[0], 0);
    assert_int_not_equal(config[1], 4);
    assert_true(cost == hone__likely_cost(&likely, config, &beside));
    assert_true(fabs(cost - beside - log(100)) < 0.02);
    assert_true(hone__likely_cost(&likely, slow, &beside) - cost > 0.5);
    hone__likely_close(&likely);
}

/* What so many problems teach. */
static hone_lessons *learn(lesson_fixture *f, void **state, size_t n_problems)
{
    hone_lessons *lessons = NULL;

    begin(f, state);
    put_problems(f, n_problems);
    assert_ok(hone__lessons_learn(&f->matrix, 0, &lessons, why));
    return lessons;
}

static void learns_what_costs_leave(void **state)
{
    lesson_fixture f;
    hone_lessons *const lessons = learn(&f, state, 12);

    assert_non_null(lessons);
    /* At a problem that nobody tried, and at those of which trees that are
     * asked there have seen nothing. */
    for (int64_t size = 1001; size < 10000; size += size < 4000 ? 778 : 1234)
        assert_true(fabs(ask(&f, lessons, size, 4, 1) -
                         ask(&f, lessons, size, 1, 1) - log(2)) < 0.15);
    for (size_t p = 0; p < 12; p += PARTS) {
        const int64_t size = size_of(p);

        assert_true(fabs(ask(&f, lessons, size, 1, 2) -
                         ask(&f, lessons, size, 1, 1)) < 0.02);
        assert_true(ask(&f, lessons, size + 8, 1, 2) -
                        ask(&f, lessons, size + 8, 1, 1) >
                    0.05);
    }
    expect_likely(&f, lessons);
    assert_true(hone__lesson(NULL, NULL) == 0);
    assert_null(hone__lessons_at(NULL, NULL));
    hone__lessons_free(lessons);
    hone__search_fixture_close(&f.of);
}

static void few_problems_teach_nothing(void **state)
{
    lesson_fixture f;

    assert_null(learn(&f, state, 7));
    hone__search_fixture_close(&f.of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE_FILLED(learns_what_costs_leave),
        CASE_FILLED(few_problems_teach_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
