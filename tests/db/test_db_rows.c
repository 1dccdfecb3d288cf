/* SPDX-License-Identifier: Apache-2.0 */
/* Putting rows and reading them back; what the schema and we refuse. */
#include "db_fixture.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

static int setup_filled(void **state)
{
    if (fixture_setup(state))
        return -1;
    fixture_open(*state);
    fixture_fill(*state);
    return 0;
}

/* ---- identities --------------------------------------------------------- */

static void test_put_again_gives_the_same_row(void **state)
{
    db_fixture *const f = *state;
    const db_fixture before = *f;

    fixture_fill(f);
    assert_int_equal(f->device_id, before.device_id);
    assert_int_equal(f->template_id, before.template_id);
    assert_int_equal(f->problem_id, before.problem_id);
    assert_int_equal(f->toolchain_id, before.toolchain_id);
    for (int i = 0; i < N_VARIANTS; i++)
        assert_int_equal(f->variant_id[i], before.variant_id[i]);
    assert_int_not_equal(f->session_id, before.session_id);
    assert_rows(f->db,
                "SELECT (SELECT count(*) FROM device),"
                " (SELECT count(*) FROM template),"
                " (SELECT count(*) FROM problem),"
                " (SELECT count(*) FROM variant),"
                " (SELECT count(*) FROM artifact),"
                " (SELECT count(*) FROM trial)",
                "1|1|1|3|4|6\n");
}

static void test_repeated_put_does_not_write(void **state)
{
    db_fixture *const f = *state;
    const hone_db_problem problem = {.op = "gemm_f16",
                                     .dims = (const int64_t[]){4096, 4096,
                                                               512},
                                     .n_dims = 3,
                                     .label = "M=4096 N=4096 K=512"};
    const int64_t version = fixture_integer(f->db, "PRAGMA data_version");
    hone_db *other = NULL;
    char sha256[HONE_SHA256_HEX];
    int64_t id;

    assert_ok(hone__db_open(f->path, 0, &other, why));
    assert_ok(hone__db_device_put(other, &fixture_device, &id, why));
    assert_ok(hone__db_problem_put(other, &problem, &id, why));
    assert_ok(hone__db_toolchain_put(other, "nvrtc", "13.0", &id, why));
    assert_ok(hone__db_artifact_put(other, "cubin", "BM=64", 5, sha256, why));
    hone__db_close(other);
    assert_int_equal(fixture_integer(f->db, "PRAGMA data_version"), version);
}

static void test_device_identity(void **state)
{
    db_fixture *const f = *state;
    hone_db_device device = fixture_device;
    char before[HONE_SHA256_HEX];
    char after[HONE_SHA256_HEX];
    int64_t id;

    device.facts_json = "{\"sm\":91}";
    assert_ok(hone__db_device_put(f->db, &device, &id, why));
    assert_int_equal(id, f->device_id);
    assert_rows(f->db, "SELECT facts ->> 'sm' FROM device", "91\n");
    assert_ok(hone__db_device_fingerprint(&device, before, why));
    device.driver_version = "12040"; /* another driver is another device */
    assert_ok(hone__db_device_fingerprint(&device, after, why));
    assert_string_not_equal(before, after);
    assert_ok(hone__db_device_put(f->db, &device, &id, why));
    assert_int_not_equal(id, f->device_id);
    device.arch = NULL;
    assert_status(hone__db_device_put(f->db, &device, &id, why),
                  HONE_ERR_ARGUMENT);
}

static void test_variant_identity(void **state)
{
    db_fixture *const f = *state;
    hone_db_variant variant = {.template_id = f->template_id,
                               .toolchain_id = f->toolchain_id,
                               .config = "BM=64",
                               .arch = "sm_90a",
                               .outcome = "ok",
                               .registers = 32,
                               .spill_bytes = -1,
                               .launch_plan = "hone-launch 1\n"};
    int64_t id;

    assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    assert_int_equal(id, f->variant_id[0]); /* replaced; the time is kept */
    assert_rows(f->db,
                "SELECT registers, spill_bytes IS NULL, compile_time_ns,"
                " cubin_sha256 IS NULL, is_default FROM variant"
                " WHERE variant_id = 1",
                "32|1|9000000|1|0\n");
    variant.types = "4";
    assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    assert_int_not_equal(id, f->variant_id[0]);
    variant.types = NULL;
    variant.options = "--fmad=false";
    assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    assert_int_not_equal(id, f->variant_id[0]);
    variant.outcome = NULL;
    assert_status(hone__db_variant_put(f->db, &variant, &id, why),
                  HONE_ERR_ARGUMENT);
}

static void test_dims_text(void **state)
{
    hone_text text = {0};

    (void)state;
    hone__db_dims_text((const int64_t[]){1048576, 4}, 2, &text);
    assert_string_equal(hone__text_str(&text), "1048576,4");
    hone__text_clear(&text);
    hone__db_dims_text(NULL, 0, &text);
    assert_string_equal(hone__text_str(&text), "");
    hone__text_free(&text);
}

/* ---- artifacts ---------------------------------------------------------- */

static void check_round_trip(hone_db *db, const char *bytes, size_t size)
{
    char sha256[HONE_SHA256_HEX];
    char expected[HONE_SHA256_HEX];
    hone_text out = {0};

    hone__sha256_hex(bytes, size, expected);
    assert_ok(hone__db_artifact_put(db, "cubin", bytes, size, sha256, why));
    assert_string_equal(sha256, expected);
    hone__text_puts(&out, "head:"); /* content is appended */
    assert_ok(hone__db_artifact_get(db, sha256, &out, why));
    assert_int_equal(out.length, size + 5);
    assert_memory_equal(out.data + 5, bytes, size);
    hone__text_free(&out);
}

static void test_artifact_round_trip(void **state)
{
    db_fixture *const f = *state;
    static char large[200000]; /* above the size that gets level 19 */
    uint32_t seed = 1;

    for (size_t i = 0; i < sizeof large; i++) {
        seed = seed * 1664525u + 1013904223u;
        large[i] = (char)(seed >> 28); /* compressible */
    }
    check_round_trip(f->db, "", 0);
    check_round_trip(f->db, "a\0b", 3);
    check_round_trip(f->db, large, 16384);
    check_round_trip(f->db, large, sizeof large);
    assert_int_equal(
        fixture_integer(f->db, "SELECT size_bytes > 1.5 * length(data)"
                               " FROM artifact ORDER BY size_bytes DESC"),
        1);
    assert_rows(f->db, "SELECT count(*) FROM artifact", "8\n");
    check_round_trip(f->db, large, sizeof large);
    assert_rows(f->db, "SELECT count(*) FROM artifact", "8\n");
}

static void test_artifact_damage_is_found_and_mended(void **state)
{
    static const char *const damage[] = {
        /* a valid frame of other content of the same size */
        "UPDATE artifact SET data = (SELECT data FROM artifact"
        " WHERE sha256 = (SELECT cubin_sha256 FROM variant"
        " WHERE variant_id = 2)), size_bytes = 6 WHERE sha256 ="
        " (SELECT cubin_sha256 FROM variant WHERE variant_id = 1)",
        "UPDATE artifact SET data = x'00112233' WHERE size_bytes = 5",
        "UPDATE artifact SET data = x'' WHERE size_bytes = 5",
        "UPDATE artifact SET data = substr(data, 1, length(data) - 2)"
        " WHERE size_bytes = 5",
        "UPDATE artifact SET size_bytes = 1000000000000"
        " WHERE size_bytes = 5",
        "UPDATE artifact SET size_bytes = 6 WHERE size_bytes = 5",
    };
    db_fixture *const f = *state;
    char sha256[HONE_SHA256_HEX];
    char again[HONE_SHA256_HEX];

    hone__sha256_hex("BM=64", 5, sha256);
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        hone_error err = {0};
        hone_text out = {0};

        assert_int_equal(fixture_sql(f, damage[i]), SQLITE_OK);
        assert_int_equal(hone__db_artifact_get(f->db, sha256, &out, &err),
                         HONE_ERR_DATABASE);
        assert_non_null(strstr(err.text, sha256));
        assert_non_null(strstr(err.text, "damaged"));
        assert_int_equal(out.length, 0);
        assert_ok(hone__db_artifact_put(f->db, "cubin", "BM=64", 5, again,
                                        why));
        assert_ok(hone__db_artifact_get(f->db, sha256, &out, why));
        assert_string_equal(hone__text_str(&out), "BM=64");
        hone__text_free(&out);
    }
}

static void test_artifact_misuse(void **state)
{
    db_fixture *const f = *state;
    char sha256[HONE_SHA256_HEX];
    hone_text out = {0};

    assert_status(hone__db_artifact_get(f->db, fixture_sha256, &out, why),
                  HONE_ERR_NOT_FOUND);
    assert_status(hone__db_artifact_get(f->db, NULL, &out, why),
                  HONE_ERR_NOT_FOUND);
    assert_status(hone__db_artifact_put(f->db, "picture", "x", 1, sha256,
                                        why),
                  HONE_ERR_DATABASE);
    assert_status(hone__db_artifact_put(f->db, NULL, "x", 1, sha256, why),
                  HONE_ERR_ARGUMENT);
    hone__text_free(&out);
}

/* ---- what the schema refuses -------------------------------------------- */

static void test_schema_refuses(void **state)
{
    static const struct {
        const char *sql;
        int code;
    } cases[] = {
        {"UPDATE device SET sm_count = 'many'", SQLITE_CONSTRAINT_DATATYPE},
        {"UPDATE trial SET time_ns = 'fast'", SQLITE_CONSTRAINT_DATATYPE},
        {"UPDATE artifact SET data = 'text'", SQLITE_CONSTRAINT_DATATYPE},
        {"UPDATE trial SET time_ns = 0", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE trial SET time_ns = NULL", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE trial SET outcome = 'fine'", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE trial SET verified = 2", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE session SET mode = 'warm'", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE problem SET dims = '4096 4096'", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE device SET kind = 'tpu'", SQLITE_CONSTRAINT_CHECK},
        {"UPDATE device SET name = NULL", SQLITE_CONSTRAINT_NOTNULL},
        {"UPDATE trial SET variant_id = 99", SQLITE_CONSTRAINT_FOREIGNKEY},
        {"DELETE FROM variant", SQLITE_CONSTRAINT_FOREIGNKEY},
        {"DELETE FROM artifact", SQLITE_CONSTRAINT_FOREIGNKEY},
        {"DELETE FROM session", SQLITE_CONSTRAINT_FOREIGNKEY},
    };
    const db_fixture *const f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int code = fixture_sql(f, cases[i].sql);

        if (code != cases[i].code)
            print_error("%s\n", cases[i].sql);
        assert_int_equal(code, cases[i].code);
    }
}

static void test_foreign_keys_bind_our_writes(void **state)
{
    db_fixture *const f = *state;
    hone_db_trial trial = {.session_id = f->session_id,
                           .variant_id = 99,
                           .outcome = "fault"};
    hone_error err = {0};
    int64_t id = 7;

    assert_int_equal(hone__db_trial_put(f->db, &trial, &id, &err),
                     HONE_ERR_DATABASE);
    assert_int_equal(err.domain, HONE_DOMAIN_SQLITE);
    assert_int_equal(err.native, SQLITE_CONSTRAINT_FOREIGNKEY);
    assert_int_equal(id, 0);
    trial.variant_id = f->variant_id[0];
    assert_ok(hone__db_trial_put(f->db, &trial, &id, why));
    trial.outcome = "ok"; /* without a time */
    assert_status(hone__db_trial_put(f->db, &trial, &id, why),
                  HONE_ERR_DATABASE);
    trial.outcome = NULL;
    assert_status(hone__db_trial_put(f->db, &trial, &id, why),
                  HONE_ERR_ARGUMENT);
}

/* ---- sessions and trials ------------------------------------------------ */

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
                "[8100.500,8123.250,8200.000]\n");
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
    const hone_db_trial_key key = {f->device_id, f->problem_id,
                                   f->template_id, f->toolchain_id, "cold"};
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

/* ---- baselines and ranking ---------------------------------------------- */

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

/* ---- transactions and queries ------------------------------------------- */

static void test_transactions(void **state)
{
    db_fixture *const f = *state;
    int64_t id;

    assert_ok(hone__db_begin(f->db, why));
    assert_status(hone__db_begin(f->db, why), HONE_ERR_ARGUMENT);
    assert_ok(hone__db_toolchain_put(f->db, "nvrtc", "12.9", &id, why));
    hone__db_rollback(f->db);
    hone__db_rollback(f->db); /* a no-op */
    assert_rows(f->db, "SELECT count(*) FROM toolchain", "1\n");
    assert_status(hone__db_commit(f->db, why), HONE_ERR_ARGUMENT);
    assert_ok(hone__db_begin(f->db, why));
    assert_ok(hone__db_toolchain_put(f->db, "nvrtc", "12.9", &id, why));
    assert_ok(hone__db_commit(f->db, why));
    assert_rows(f->db, "SELECT count(*) FROM toolchain", "2\n");
    assert_ok(hone__db_begin(f->db, why));
    assert_ok(hone__db_toolchain_put(f->db, "nvrtc", "12.8", &id, why));
    hone__db_close(f->db); /* rolls back */
    fixture_open(f);
    assert_rows(f->db, "SELECT count(*) FROM toolchain", "2\n");
}

static hone_status check_kinds(void *user, size_t n_columns,
                               const char *const *names,
                               const hone_db_value *values, hone_error *err)
{
    (void)err;
    assert_int_equal(n_columns, 5);
    assert_string_equal(names[0], "i");
    assert_string_equal(names[4], "b");
    assert_int_equal(values[0].kind, HONE_DB_INTEGER);
    assert_true(values[0].integer == INT64_MIN);
    assert_int_equal(values[1].kind, HONE_DB_REAL);
    assert_true(values[1].real == 0.1);
    assert_int_equal(values[2].kind, HONE_DB_TEXT);
    assert_string_equal(values[2].text, "it's");
    assert_int_equal(values[2].size_bytes, 4);
    assert_int_equal(values[3].kind, HONE_DB_NULL);
    assert_string_equal(values[3].text, "");
    assert_int_equal(values[4].kind, HONE_DB_BLOB);
    assert_memory_equal(values[4].text, "\0\1", 2);
    ++*(int *)user;
    return HONE_OK;
}

static void test_query_binds_and_returns_every_kind(void **state)
{
    db_fixture *const f = *state;
    const hone_db_value params[] = {
        hone__db_integer(INT64_MIN), hone__db_real(0.1),
        hone__db_text("it's"), hone__db_text(NULL), hone__db_blob("\0\1", 2)};
    int n_rows = 0;

    assert_ok(hone__db_query(f->db,
                             "SELECT ?1 AS i, ?2 AS r, ?3 AS t, ?4 AS n,"
                             " ?5 AS b",
                             params, 5, check_kinds, &n_rows, why));
    assert_int_equal(n_rows, 1);
}

static void test_query_misuse(void **state)
{
    static const char *const queries[] = {
        "", "SELEKT 1", "SELECT * FROM no_such_table", "DELETE FROM trial",
        "DELETE FROM trial RETURNING trial_id", "SELECT 1; SELECT 2",
        "SELECT ?1", "BEGIN"};
    db_fixture *const f = *state;
    int n_rows = 0;

    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        hone_error err = {0};

        assert_int_equal(hone__db_query(f->db, queries[i], NULL, 0,
                                        check_kinds, &n_rows, &err),
                         HONE_ERR_ARGUMENT);
        assert_true(err.text[0]);
    }
    assert_int_equal(n_rows, 0);
    assert_rows(f->db, "SELECT count(*) FROM trial ; ", "3\n");
}

#define CASE(name)                                                           \
    cmocka_unit_test_setup_teardown(name, setup_filled, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_put_again_gives_the_same_row),
        CASE(test_repeated_put_does_not_write),
        CASE(test_device_identity),
        CASE(test_variant_identity),
        CASE(test_dims_text),
        CASE(test_artifact_round_trip),
        CASE(test_artifact_damage_is_found_and_mended),
        CASE(test_artifact_misuse),
        CASE(test_schema_refuses),
        CASE(test_foreign_keys_bind_our_writes),
        CASE(test_session_status),
        CASE(test_trial_unknowns_are_null),
        CASE(test_samples_are_json),
        CASE(test_trials_to_resume),
        CASE(test_baseline_is_replaced),
        CASE(test_ranking_is_replaced_whole),
        CASE(test_ranking_takes_only_its_own_trials),
        CASE(test_transactions),
        CASE(test_query_binds_and_returns_every_kind),
        CASE(test_query_misuse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
