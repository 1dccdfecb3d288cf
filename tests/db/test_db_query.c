/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions, and reading any SELECT. */
#include "db_fixture.h"

#include <string.h>

/* ---- transactions and queries -------------------------------------------
 */

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

static hone_status check_kinds(void *user, const hone_db_row *row,
                               hone_error *err)
{
    (void)err;
    assert_int_equal(row->n_columns, 5);
    assert_string_equal(row->names[0], "i");
    assert_string_equal(row->names[4], "b");
    assert_int_equal(row->values[0].kind, HONE_DB_INTEGER);
    assert_true(row->values[0].integer == INT64_MIN);
    assert_int_equal(row->values[1].kind, HONE_DB_REAL);
    assert_true(row->values[1].real == 0.1);
    assert_int_equal(row->values[2].kind, HONE_DB_TEXT);
    assert_string_equal(row->values[2].text, "it's");
    assert_int_equal(row->values[2].size_bytes, 4);
    assert_int_equal(row->values[3].kind, HONE_DB_NULL);
    assert_string_equal(row->values[3].text, "");
    assert_int_equal(row->values[4].kind, HONE_DB_BLOB);
    assert_memory_equal(row->values[4].text, "\0\1", 2);
    ++*(int *)user;
    return HONE_OK;
}

static void test_query_binds_and_returns_every_kind(void **state)
{
    db_fixture *const f = *state;
    const hone_db_value params[] = {
        hone__db_integer(INT64_MIN), hone__db_real(0.1), hone__db_text("it's"),
        hone__db_text(NULL), hone__db_blob("\0\1", 2)};
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
        "",
        "SELEKT 1",
        "SELECT * FROM no_such_table",
        "DELETE FROM trial",
        "DELETE FROM trial RETURNING trial_id",
        "SELECT 1; SELECT 2",
        "SELECT ?1",
        "BEGIN"};
    db_fixture *const f = *state;
    int n_rows = 0;

    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        hone_error err = {0};

        assert_int_equal(hone__db_query(f->db, queries[i], NULL, 0, check_kinds,
                                        &n_rows, &err),
                         HONE_ERR_ARGUMENT);
        assert_true(err.text[0]);
    }
    assert_int_equal(n_rows, 0);
    assert_rows(f->db, "SELECT count(*) FROM trial ; ", "3\n");
}

/* ---- the best anywhere --------------------------------------------------
 */

static hone_status print_ranked(void *user, const hone_db_ranked_row *row,
                                hone_error *err)
{
    hone_text *const out = user;

    (void)err;
    hone__text_printf(out, "%s|%s|%s|%s|%s|%s|%lld|%lld|%lld|%lld\n",
                      row->config, row->dims, row->label, row->mode,
                      row->device_name, row->arch, (long long)row->sm_count,
                      (long long)row->device_id, (long long)row->problem_id,
                      (long long)row->rank);
    return HONE_OK;
}

static void assert_ranked(db_fixture *f, const char *op, const char *kind,
                          int64_t n_ranks, const char *expected)
{
    hone_text rows = {0};

    assert_ok(hone__db_ranked_configs(f->db, op, NULL, kind, n_ranks,
                                      print_ranked, &rows, why));
    assert_string_equal(hone__text_str(&rows), expected);
    hone__text_free(&rows);
}

static void test_ranked_configs(void **state)
{
    static const char first[] =
        "BM=128|4096,4096,512|M=4096 N=4096 K=512|cold|NVIDIA H200|sm_90|132|"
        "1|1|1\n";
    static const char both[] =
        "BM=128|4096,4096,512|M=4096 N=4096 K=512|cold|NVIDIA H200|sm_90|132|"
        "1|1|1\n"
        "BM=64|4096,4096,512|M=4096 N=4096 K=512|cold|NVIDIA H200|sm_90|132|"
        "1|1|2\n";
    db_fixture *const f = *state;
    hone_text none = {0};
    const hone_db_ranked ranked[] = {
        {.trial_id = f->trial_id[1], .time_ns = 7000},
        {.trial_id = f->trial_id[0], .time_ns = 8000}};

    assert_ranked(f, "gemm_f16", "cuda", 5, "");
    assert_ok(hone__db_ranking_put(f->db, f->session_id, ranked, 2, why));
    assert_ranked(f, "gemm_f16", "cuda", 5, both);
    assert_ranked(f, "gemm_f16", "cuda", 1, first);
    assert_ranked(f, "gemm_f16", "cpu", 5, "");
    assert_ranked(f, "gemm", "cuda", 5, "");
    assert_ok(hone__db_ranked_configs(f->db, "gemm_f16", "other", "cuda", 5,
                                      print_ranked, &none, why));
    assert_int_equal(none.length, 0);
    assert_status(hone__db_ranked_configs(f->db, NULL, NULL, "cuda", 5,
                                          print_ranked, NULL, why),
                  HONE_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE_FILLED(test_transactions),
        CASE_FILLED(test_query_binds_and_returns_every_kind),
        CASE_FILLED(test_query_misuse),
        CASE_FILLED(test_ranked_configs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
