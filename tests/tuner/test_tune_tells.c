/* SPDX-License-Identifier: Apache-2.0 */
/* What a search hears of a tuning run on the cpu device: every configuration
 * that was asked for once, with the truth, whatever became of it; and of an
 * earlier run before anything is asked. */
#include "tests/tuner/axpy_fixture.h"
#include "tests/tuner/tune_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

enum { TIMEOUT_S = 10, BUDGET = 20 };

static void tune(const fixture *f, const int64_t *config, hone_tune_result *out)
{
    const int64_t dims[] = {100};
    hone_error err = {.status = HONE_OK};
    hone_tune_request request = {.tmpl = f->tmpl,
                                 .dims = dims,
                                 .mode = HONE_MODE_HOT,
                                 .strategy = "exhaustive",
                                 .seed = 1,
                                 .budget_trials = BUDGET,
                                 .trial_timeout_s = TIMEOUT_S,
                                 .config = config,
                                 .references = axpy_references,
                                 .n_references = 1,
                                 .farm = {.backend = HONE_BACKEND_CPU,
                                          .cache_folder = f->cache,
                                          .n_workers = 2}};
    hone_status status;

    seen_nothing();
    assert_int_equal(
        hone__db_open(f->db_path, HONE_DB_CREATE, &request.db, &err), HONE_OK);
    status = hone__tune(&request, out, &err);
    hone__db_close(request.db);
    if (status == HONE_ERR_NO_COMPILER)
        skip();
    if (status != HONE_OK)
        fail_msg("%s", err.text);
}

static void test_each_is_told_once_and_the_truth(void **state)
{
    hone_tune_result result;

    tune(*state, NULL, &result);
    assert_int_equal(result.n_trials, N_KINDS - 1);
    /* killed: tried twice, told once, and no outcome of the variant */
    assert_int_equal(result.n_retried, 1);
    assert_int_equal(result.n_interrupted, 1);
    assert_int_equal(result.outcomes[HONE_OUTCOME_FAULT], 1);
    assert_int_equal(seen.budget, BUDGET);
    assert_int_equal(seen.n_told_first, 0);
    assert_int_equal(seen.n_asked, N_KINDS);
    for (int i = 0; i < N_KINDS; ++i) {
        const told *one = told_of(kinds[i]);
        const int is_good = i < 2 || i == N_KINDS - 1;

        if (!one || !one->was_asked)
            fail_msg("%s was not told, or not asked for", kinds[i]);
        if ((one->time_ns > 0) != is_good)
            fail_msg("%s was told as %g ns", kinds[i], one->time_ns);
        /* The final finds `odd` wrong, and says so after the search. */
        assert_int_equal(times_told(kinds[i]), i == N_KINDS - 1 ? 2 : 1);
    }
    assert_true(seen.told[seen.n_told - 1].time_ns <= 0);
}

/* After the run above. */
static void test_an_earlier_run_comes_first(void **state)
{
    hone_tune_result result;

    tune(*state, NULL, &result);
    assert_int_equal(seen.budget, BUDGET);
    assert_int_equal(result.n_resumed, N_KINDS - 1);
    assert_int_equal(result.n_trials, N_KINDS - 1);
    assert_int_equal(result.n_interrupted, 1); /* it is tried again */
    assert_int_equal(result.n_compiles, 0);
    assert_int_equal(result.outcomes[HONE_OUTCOME_OK], 2);
    assert_int_equal(result.outcomes[HONE_OUTCOME_WRONG], 2);
    assert_int_equal(seen.n_asked, 1);
    assert_int_equal(seen.n_told, N_KINDS);
    assert_int_equal(seen.n_told_first, N_KINDS - 1);
    for (int i = 0; i < N_KINDS; ++i) {
        assert_int_equal(times_told(kinds[i]), 1);
        /* What the final refuted was never fast. */
        assert_int_equal(told_of(kinds[i])->time_ns > 0, i < 2);
    }
}

/* What a run is given to try is told, and nothing is asked for. */
static void test_only_the_one_that_was_given(void **state)
{
    const fixture *f = *state;
    hone_tune_result result;
    int64_t config[8];

    assert_int_equal(unlink(f->db_path), 0);
    assert_int_equal(hone__config_parse(f->tmpl, "KIND=other", config, NULL),
                     HONE_OK);
    tune(f, config, &result);
    assert_int_equal(result.n_trials, 1);
    assert_int_equal(seen.n_asked, 0);
    assert_int_equal(seen.n_told, 1);
    assert_true(told_of("KIND=other")->time_ns > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_is_told_once_and_the_truth),
        cmocka_unit_test(test_an_earlier_run_comes_first),
        cmocka_unit_test(test_only_the_one_that_was_given),
    };

    return cmocka_run_group_tests(tests, tune_fixture_set_up,
                                  tune_fixture_tear_down);
}
