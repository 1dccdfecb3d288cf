/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions, trials, baselines and rankings, put and read back. */
#include "db_fixture.h"

#include <math.h>
#include <string.h>

/* ---- sessions and trials ------------------------------------------------
 */

static void test_session_status(void **state)
{
    db_fixture *const f = *state;
    const int64_t killed = f->session_id;

    fixture_fill(f); /* the first session never finished */
    assert_rows(f->db,
                "SELECT status, finished_unix_s IS NULL FROM session"
                " ORDER BY session_id",
                "interrupted|1\nrunning|1\n");
    assert_ok(hone__db_session_finish(f->db, f->session_id, "done", why));
    assert_rows(f->db,
                "SELECT status, finished_unix_s >= started_unix_s, seed"
                " FROM session ORDER BY session_id DESC LIMIT 1",
                "done|1|-1\n");
    assert_status(hone__db_session_finish(f->db, 99, "done", why),
                  HONE_ERR_ARGUMENT);
    assert_status(hone__db_session_finish(f->db, killed, "lost", why),
                  HONE_ERR_DATABASE);
}

static void test_trial_unknowns_are_null(void **state)
{
    db_fixture *const f = *state;
    hone_db_trial trial = {.session_id = f->session_id,
                           .variant_id = f->variant_id[0],
                           .outcome = "wrong",
                           .error_ratio = INFINITY,
                           .throttle_reasons = 4};
    int64_t id;

    assert_ok(hone__db_trial_put(f->db, &trial, &id, why));
    assert_rows(f->db,
                "SELECT time_ns IS NULL, spread_ns IS NULL,"
                " samples_ns IS NULL, sm_clock_mhz IS NULL,"
                " throttle_reasons IS NULL, launches_per_sample IS NULL,"
                " error_ratio, started_unix_ns > 1700000000000000000"
                " FROM trial ORDER BY trial_id DESC LIMIT 1",
                "1|1|1|1|1|1|inf|1\n");
    trial.error_ratio = -1;
    assert_ok(hone__db_trial_put(f->db, &trial, &id, why));
    assert_rows(f->db,
                "SELECT error_ratio IS NULL FROM trial"
                " ORDER BY trial_id DESC LIMIT 1",
                "1\n");
    assert_rows(f->db,
                "SELECT error_ratio IS NULL FROM trial"
                " WHERE outcome = 'compile'",
                "1\n");
}

static void test_samples_are_json(void **state)
{
    db_fixture *const f = *state;
    const double samples_ns[] = {1.5, NAN, 2e9};
    const hone_db_trial trial = {.session_id = f->session_id,
                                 .variant_id = f->variant_id[0],
                                 .outcome = "unstable",
                                 .samples_ns = samples_ns,
                                 .n_samples = 3};
    int64_t id;

    assert_rows(f->db, "SELECT samples_ns FROM trial WHERE trial_id = 1",
                "[8100.5,8123.25,8200]\n");
    assert_ok(hone__db_trial_put(f->db, &trial, &id, why));
    assert_rows(f->db,
                "SELECT s.value FROM trial, json_each(samples_ns) s"
                " WHERE outcome = 'unstable'",
                "1.5\n\n2e+09\n");
}

typedef struct seen {
    hone_text text;
    int64_t limit; /* stop after so many */
} seen;

static hone_status see(void *user, const hone_db_trial_row *row,
                       hone_error *err)
{
    seen *const s = user;

    hone__text_printf(&s->text, "%lld %lld %s %s %s %g %lld %g %d\n",
                      (long long)row->trial_id, (long long)row->variant_id,
                      row->config, row->arch, row->outcome, row->time_ns,
                      (long long)row->n_samples, row->error_ratio,
                      (int)strlen(row->cubin_sha256));
    return --s->limit ? HONE_OK
                      : hone__fail(err, HONE_ERR_INTERRUPTED, "enough");
}

static void test_trials_to_resume(void **state)
{
    static const char all[] = "1 1 BM=64 sm_90a ok 8123.25 3 0.25 64\n"
                              "2 2 BM=128 sm_90a ok 7123.25 3 0.25 64\n"
                              "3 3 BM=256 sm_90a compile 0 0 -1 0\n";
    db_fixture *const f = *state;
    const hone_db_trial_key key = {f->device_id, f->problem_id, f->template_id,
                                   f->toolchain_id, "cold"};
    hone_db_trial_key other[5] = {key, key, key, key, key};
    seen s = {0};

    assert_ok(hone__db_trials(f->db, &key, see, &s, why));
    assert_string_equal(hone__text_str(&s.text), all);
    hone__text_clear(&s.text);
    s.limit = 1;
    assert_status(hone__db_trials(f->db, &key, see, &s, why),
                  HONE_ERR_INTERRUPTED);
    hone__text_clear(&s.text);
    other[0].device_id++; /* anything that differs makes a trial invalid */
    other[1].problem_id++;
    other[2].template_id++;
    other[3].toolchain_id++;
    other[4].mode = "hot";
    for (int i = 0; i < 5; i++)
        assert_ok(hone__db_trials(f->db, &other[i], see, &s, why));
    assert_string_equal(hone__text_str(&s.text), "");
    hone__text_free(&s.text);
}

static hone_status see_ends(void *user, const hone_db_ends *ends,
                            hone_error *err)
{
    (void)err;
    hone__text_printf(user, "%lld %s '%s'\n", (long long)ends->n, ends->outcome,
                      ends->message);
    return HONE_OK;
}

static void put_end(const db_fixture *f, int variant, const char *outcome,
                    const char *message)
{
    const hone_db_trial trial = {.session_id = f->session_id,
                                 .variant_id = f->variant_id[variant],
                                 .outcome = outcome,
                                 .message = message,
                                 .error_ratio = -1};
    int64_t id;

    assert_ok(hone__db_trial_put(f->db, &trial, &id, why));
}

static void test_ends(void **state)
{
    db_fixture *const f = *state;
    const hone_db_trial_key key = {f->device_id, f->problem_id, f->template_id,
                                   f->toolchain_id, "cold"};
    hone_db_trial_key other = key;
    hone_text text = {0};

    put_end(f, 0, "wrong", "first"); /* was ok: the last one counts */
    put_end(f, 1, "fault", "second");
    put_end(f, 1, "wrong", "first");
    put_end(f, 2, "limits", NULL);
    assert_ok(hone__db_ends(f->db, &key, see_ends, &text, why));
    assert_string_equal(hone__text_str(&text),
                        "2 wrong 'first'\n1 limits ''\n");
    hone__text_clear(&text);
    other.mode = "hot";
    assert_ok(hone__db_ends(f->db, &other, see_ends, &text, why));
    assert_string_equal(hone__text_str(&text), "");
    hone__text_free(&text);
}

/* ---- baselines and ranking ----------------------------------------------
 */

static void test_baseline_is_replaced(void **state)
{
    db_fixture *const f = *state;
    hone_db_baseline baseline = {.session_id = f->session_id,
                                 .name = "cublaslt",
                                 .error_ratio = -1,
                                 .message = "no library"};
    int64_t id;
    int64_t again;

    assert_ok(hone__db_baseline_put(f->db, &baseline, &id, why));
    assert_rows(f->db,
                "SELECT time_ns IS NULL, error_ratio IS NULL, message"
                " FROM baseline",
                "1|1|no library\n");
    baseline.message = NULL;
    baseline.time_ns = 5000;
    baseline.error_ratio = 0;
    assert_ok(hone__db_baseline_put(f->db, &baseline, &again, why));
    assert_int_equal(id, again);
    assert_rows(f->db,
                "SELECT time_ns, error_ratio, message IS NULL FROM baseline",
                "5000|0|1\n");
    baseline.name = "";
    assert_status(hone__db_baseline_put(f->db, &baseline, &id, why),
                  HONE_ERR_ARGUMENT);
}

static void test_ranking_is_replaced_whole(void **state)
{
    static const char all[] = "SELECT rank, trial_id, time_ns, ci_low_ns,"
                              " decided_by FROM ranking ORDER BY rank";
    static const char before[] = "1|2|7000|6990|interval\n2|1|8000||\n";
    db_fixture *const f = *state;
    const hone_db_ranked two[] = {
        {f->trial_id[1], 7000, 6990, 7010, "interval"},
        {f->trial_id[0], 8000, 0, 0, NULL}};
    const hone_db_ranked bad[] = {{f->trial_id[0], 8000, 0, 0, NULL},
                                  {f->trial_id[2], 9000, 0, 0, NULL}};

    assert_ok(hone__db_ranking_put(f->db, f->session_id, two, 2, why));
    assert_rows(f->db, all, before);
    /* The second is not ok: the old ranking stays, also inside a larger
     * transaction that goes on. */
    assert_status(hone__db_ranking_put(f->db, f->session_id, bad, 2, why),
                  HONE_ERR_ARGUMENT);
    assert_rows(f->db, all, before);
    assert_ok(hone__db_begin(f->db, why));
    assert_status(hone__db_ranking_put(f->db, f->session_id, bad, 2, why),
                  HONE_ERR_ARGUMENT);
    assert_ok(hone__db_commit(f->db, why));
    assert_rows(f->db, all, before);
    assert_ok(hone__db_ranking_put(f->db, f->session_id, two, 1, why));
    assert_rows(f->db, all, "1|2|7000|6990|interval\n");
    assert_ok(hone__db_ranking_put(f->db, f->session_id, NULL, 0, why));
    assert_rows(f->db, all, "");
}

static void test_ranking_takes_only_its_own_trials(void **state)
{
    db_fixture *const f = *state;
    const hone_db_session hot = {.device_id = f->device_id,
                                 .problem_id = f->problem_id,
                                 .template_id = f->template_id,
                                 .mode = "hot"};
    const hone_db_ranked ranked = {f->trial_id[0], 8000, 0, 0, NULL};
    int64_t session_id;

    assert_ok(hone__db_session_begin(f->db, &hot, &session_id, why));
    assert_status(hone__db_ranking_put(f->db, session_id, &ranked, 1, why),
                  HONE_ERR_ARGUMENT);
    assert_rows(f->db, "SELECT count(*) FROM ranking", "0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE_FILLED(test_session_status),
        CASE_FILLED(test_trial_unknowns_are_null),
        CASE_FILLED(test_samples_are_json),
        CASE_FILLED(test_trials_to_resume),
        CASE_FILLED(test_ends),
        CASE_FILLED(test_baseline_is_replaced),
        CASE_FILLED(test_ranking_is_replaced_whole),
        CASE_FILLED(test_ranking_takes_only_its_own_trials),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
