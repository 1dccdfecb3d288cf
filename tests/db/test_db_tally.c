/* SPDX-License-Identifier: Apache-2.0 */
/* The counts and answers that triggers keep are those of counting and joining,
 * whoever writes. */
#include "db_fixture.h"

#include "db/db_internal.h"

#include <stdio.h>

/* What differs between the tallies and a new count, in either direction. */
#define COUNTED                                                                \
    "SELECT p.op, s.device_id, s.mode, count(DISTINCT s.problem_id), "         \
    "count(*),"                                                                \
    " sum((SELECT count(*) FROM trial t WHERE t.session_id = s.session_id)),"  \
    " sum((SELECT count(*) FROM trial t WHERE t.session_id = s.session_id"     \
    " AND t.outcome = 'ok')), max(s.started_unix_s) FROM session s"            \
    " JOIN problem p ON p.problem_id = s.problem_id GROUP BY 1, 2, 3"
#define WON                                                                    \
    "SELECT p.op, k.name, r.device_id, r.mode, count(*) FROM ranking r"        \
    " JOIN problem p ON p.problem_id = r.problem_id"                           \
    " JOIN trial t ON t.trial_id = r.trial_id"                                 \
    " JOIN variant v ON v.variant_id = t.variant_id"                           \
    " JOIN template k ON k.template_id = v.template_id"                        \
    " WHERE r.rank = 1 GROUP BY 1, 2, 3, 4"

#define ANSWERS                                                                \
    "SELECT p.op, p.dims, r.device_id, r.mode, p.problem_id, p.label, "        \
    "t.trial_id, t.variant_id, r.time_ns FROM problem p"                       \
    " JOIN ranking r ON r.problem_id = p.problem_id AND r.rank = 1"            \
    " JOIN trial t ON t.trial_id = r.trial_id"

static void check(hone_db *db)
{
    static const char *const differences[] = {
        "SELECT * FROM (" COUNTED ") EXCEPT SELECT * FROM tally",
        "SELECT * FROM tally EXCEPT SELECT * FROM (" COUNTED ")",
        "SELECT * FROM (" WON ") EXCEPT SELECT * FROM tally_won",
        "SELECT * FROM tally_won EXCEPT SELECT * FROM (" WON ")",
        "SELECT * FROM (" ANSWERS ") EXCEPT SELECT * FROM answer",
        "SELECT * FROM answer EXCEPT SELECT * FROM (" ANSWERS ")"};

    for (size_t i = 0; i < N_OF(differences); i++)
        assert_rows(db, differences[i], "");
}

typedef struct subject {
    int64_t problem_id[2];
    int64_t template_id[2];
    int64_t variant_id[2];
} subject;

/* Two shapes of an op and two implementations of it. */
static void put_subject(db_fixture *f, const char *op, subject *out)
{
    for (int i = 0; i < 2; i++) {
        const int64_t dims[] = {64 + i};
        const hone_db_problem problem = {op, dims, 1, "a shape"};
        const hone_db_template tmpl = {.op = op,
                                       .name = i ? "plain" : "fast",
                                       .sha256 = fixture_sha256,
                                       .source = "x",
                                       .source_bytes = 1};
        hone_db_variant variant = {.toolchain_id = f->toolchain_id,
                                   .config = "BM=64",
                                   .arch = "sm_90a",
                                   .outcome = "ok",
                                   .launch_plan = "hone-launch 1\n"};

        assert_ok(
            hone__db_problem_put(f->db, &problem, &out->problem_id[i], why));
        assert_ok(
            hone__db_template_put(f->db, &tmpl, &out->template_id[i], why));
        variant.template_id = out->template_id[i];
        assert_ok(
            hone__db_variant_put(f->db, &variant, &out->variant_id[i], why));
        variant.config = "BM=128";
        assert_ok(
            hone__db_variant_put(f->db, &variant, &out->variant_id[i], why));
    }
}

/* A session with two trials of which one is right, and wins if it is even. */
static void put_session(db_fixture *f, const subject *of, unsigned draw)
{
    const int which = draw >> 1 & 1;
    const hone_db_session session = {.device_id = f->device_id,
                                     .problem_id = of->problem_id[draw & 1],
                                     .template_id = of->template_id[which],
                                     .mode = draw & 4 ? "hot" : "cold"};
    hone_db_trial trial = {.variant_id = of->variant_id[which],
                           .outcome = "wrong"};
    hone_db_ranked ranked = {.time_ns = 5, .decided_by = "alone"};

    assert_ok(hone__db_session_begin(f->db, &session, &trial.session_id, why));
    assert_ok(hone__db_trial_put(f->db, &trial, &ranked.trial_id, why));
    trial.outcome = "ok";
    trial.time_ns = 5;
    assert_ok(hone__db_trial_put(f->db, &trial, &ranked.trial_id, why));
    if (draw & 8)
        assert_ok(
            hone__db_ranking_put(f->db, trial.session_id, &ranked, 1, why));
}

/* By hand: the draw says what. */
static void edit(const db_fixture *f, unsigned draw)
{
    static const char *const edits[] = {
        "UPDATE trial SET outcome = 'unstable' WHERE trial_id ="
        " (SELECT max(trial_id) FROM trial WHERE outcome = 'ok')",
        "DELETE FROM trial WHERE trial_id = (SELECT min(trial_id) FROM trial"
        " WHERE outcome = 'wrong')",
        "DELETE FROM ranking WHERE trial_id = (SELECT min(trial_id)"
        " FROM ranking)",
        "INSERT OR REPLACE INTO session (device_id, problem_id, template_id,"
        " mode, strategy, seed, budget, status, started_unix_s, hone_version)"
        " SELECT device_id, problem_id, template_id, mode, strategy, seed,"
        " budget, status, started_unix_s + 1000, hone_version"
        " FROM session ORDER BY session_id LIMIT 1",
        /* as carrying trials over to a template's new text does */
        "UPDATE trial SET variant_id = (SELECT w.variant_id FROM variant v"
        " JOIN variant w ON w.template_id = v.template_id"
        " WHERE v.variant_id = trial.variant_id"
        " ORDER BY w.variant_id = v.variant_id LIMIT 1)"
        " WHERE trial_id IN (SELECT trial_id FROM ranking)",
        "UPDATE problem SET label = label || '.', dims = dims || ',1'"
        " WHERE length(dims) < 20",
        "DELETE FROM session WHERE session_id = (SELECT max(session_id)"
        " FROM session s WHERE NOT EXISTS (SELECT 1 FROM trial t"
        " WHERE t.session_id = s.session_id))"};

    assert_int_equal(fixture_sql(f, edits[draw % N_OF(edits)]), SQLITE_OK);
}

static void test_counts_are_those_of_counting(void **state)
{
    db_fixture *const f = *state;
    subject subjects[2];
    uint32_t seed = 11;

    put_subject(f, "sum", &subjects[0]);
    put_subject(f, "scan", &subjects[1]);
    for (int i = 0; i < 200; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (seed >> 30)
            put_session(f, &subjects[seed >> 29 & 1], seed >> 20);
        else
            edit(f, seed >> 20);
        check(f->db);
    }
    assert_true(fixture_integer(f->db, "SELECT max(n_won) FROM tally_won") > 1);
    assert_int_equal(fixture_sql(f, "DELETE FROM ranking; DELETE FROM decision;"
                                    "DELETE FROM trial; DELETE FROM session"),
                     SQLITE_OK);
    assert_rows(f->db, "SELECT * FROM tally", "");
    assert_rows(f->db, "SELECT * FROM tally_won", "");
    assert_rows(f->db, "SELECT * FROM answer", "");
}

/* What was counted may not move from one count to another. */
static void test_what_is_counted_stays(void **state)
{
    static const char *const refused[] = {
        "UPDATE session SET mode = 'hot'",
        "UPDATE session SET problem_id = problem_id",
        "UPDATE ranking SET rank = rank + 50",
        "UPDATE ranking SET trial_id = trial_id"};
    db_fixture *const f = *state;
    const hone_db_ranked ranked = {f->trial_id[0], 5, 0, 0, "alone"};

    assert_ok(hone__db_ranking_put(f->db, f->session_id, &ranked, 1, why));
    for (size_t i = 0; i < N_OF(refused); i++)
        assert_int_equal(fixture_sql(f, refused[i]), SQLITE_CONSTRAINT_TRIGGER);
    check(f->db);
}

/* A file of each older version has the counts once it is migrated. */
static void test_migrated_rows_are_counted(void **state)
{
    db_fixture *const f = *state;

    hone__db_close(f->db);
    f->db = NULL;
    fixture_path(f, "old.db", f->path, sizeof f->path);
    fixture_version_1(f);
    fixture_open(f);
    check(f->db);
    assert_rows(f->db,
                "SELECT n_problems, n_winners, n_trials, n_ok FROM coverage_v1",
                "1|1|3|2\n");
    fixture_fill(f);
    check(f->db);
}

/* What `hone doctor` says of a file that is too large to be read for it. */
static void test_summary_without_reading(void **state)
{
    db_fixture *const f = *state;
    const hone_db_ranked ranked = {f->trial_id[0], 5, 0, 0, "alone"};
    hone_db_summary summary[2];

    assert_ok(hone__db_ranking_put(f->db, f->session_id, &ranked, 1, why));
    for (int i = 0; i < 2; i++) {
        assert_ok(
            hone__db_inspect(f->path, i ? INT64_MAX : 4096, &summary[i], why));
        assert_int_equal(summary[i].is_read, i);
        assert_int_equal(summary[i].version, HONE_DB_VERSION);
        assert_int_equal(summary[i].n_winners, 1);
        assert_int_equal(summary[i].n_trials, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_counts_are_those_of_counting,
                                        fixture_setup_filled, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_what_is_counted_stays,
                                        fixture_setup_filled, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_migrated_rows_are_counted,
                                        fixture_setup_filled, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_summary_without_reading,
                                        fixture_setup_filled, fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
