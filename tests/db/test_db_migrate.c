/* SPDX-License-Identifier: Apache-2.0 */
/* A file that version 1 wrote: migrated when opened for writing, readable as
 * it is otherwise, and never lost, whatever happens in between. */
#include "db_fixture.h"

#include "db/db_internal.h"
#include "runtime/store/store.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void reopen(db_fixture *f, int flags)
{
    hone__db_close(f->db);
    assert_ok(hone__db_open(f->path, flags, &f->db, why));
}

/* The rows that `selects`, one a line, give. */
static void all_rows(hone_db *db, const char *selects, hone_text *out)
{
    for (const char *line = selects; *line;) {
        const size_t length = strcspn(line, "\n");
        char *const sql = strndup(line, length);

        assert_non_null(sql);
        fixture_rows(db, sql, out);
        free(sql);
        line += length + (line[length] == '\n');
    }
}

/* SELECTs of every table and view that the file has itself, in the columns
 * that it has now, but for the one whose meaning version 5 mended, those that
 * version 7 calls otherwise in views and the one that version 9 calls
 * otherwise in its table. */
static void selects_of(hone_db *db, hone_text *out)
{
    fixture_rows(db,
                 "SELECT 'SELECT ' || (SELECT group_concat('quote(' || c.name"
                 " || ')') FROM"
                 " pragma_table_info(t.name, 'main') c"
                 " WHERE c.name <> 'default_time_ns' AND (t.type = 'view'"
                 " OR c.name <> 'launch_plan') AND (t.type = 'table'"
                 " OR c.name NOT IN ('gpu_time_ns', 'choice',"
                 " 'n_choices'))) || ' FROM main.' ||"
                 " t.name FROM main.sqlite_schema t"
                 " WHERE t.type IN ('table', 'view') ORDER BY t.name",
                 out);
}

/* ---- migrating ----------------------------------------------------------
 */

static void test_every_row_is_kept(void **state)
{
    db_fixture *const f = *state;
    hone_text selects = {0};
    hone_text before = {0};
    hone_text after = {0};

    reopen(f, HONE_DB_READONLY);
    assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"), 1);
    selects_of(f->db, &selects);
    all_rows(f->db, hone__text_str(&selects), &before);
    assert_non_null(strstr(hone__text_str(&before), "'BM=128'"));
    reopen(f, 0);
    assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"),
                     HONE_DB_VERSION);
    all_rows(f->db, hone__text_str(&selects), &after);
    assert_string_equal(hone__text_str(&after), hone__text_str(&before));
    assert_rows(f->db, "PRAGMA integrity_check", "ok\n");
    assert_rows(f->db, "PRAGMA foreign_key_check", "");
    /* A device of any kind, since version 7. */
    assert_int_equal(fixture_sql(f, "UPDATE device SET kind = 'simulator'"),
                     SQLITE_OK);
    assert_int_equal(fixture_sql(f, "UPDATE device SET kind = ''"),
                     SQLITE_CONSTRAINT_CHECK);
    assert_rows(f->db,
                "SELECT count(*), count(timing), count(n_discarded),"
                " count(sample_time_ns), max(compiler_warnings)"
                " FROM trial_v1",
                "3|0|0|0|\n");
    hone__text_free(&selects);
    hone__text_free(&before);
    hone__text_free(&after);
}

/* Also finds out if a released schema was changed: new files would get the
 * change, and those that there are would not. */
static void test_migrated_file_is_as_a_new_one(void **state)
{
    static const char schema[] = "SELECT type, name, tbl_name, sql FROM"
                                 " sqlite_schema ORDER BY type, name";
    db_fixture *const f = *state;
    hone_text migrated = {0};
    hone_text fresh = {0};

    reopen(f, HONE_DB_CREATE);
    fixture_rows(f->db, schema, &migrated);
    fixture_path(f, "new.db", f->path, sizeof f->path);
    reopen(f, HONE_DB_CREATE);
    fixture_rows(f->db, schema, &fresh);
    assert_string_equal(hone__text_str(&migrated), hone__text_str(&fresh));
    hone__text_free(&migrated);
    hone__text_free(&fresh);
}

static void test_tuning_goes_on(void **state)
{
    db_fixture *const f = *state;

    reopen(f, 0);
    fixture_fill(f); /* finds the old rows, adds a session */
    assert_int_equal(f->variant_id[2], 3);
    assert_int_equal(f->session_id, 2);
    assert_rows(f->db, "SELECT count(*) FROM trial_v1", "6\n");
}

/* A hone of version 1 has the file open and goes on writing. */
static void test_old_writer_goes_on(void **state)
{
    db_fixture *const f = *state;
    sqlite3_stmt *put = NULL;
    sqlite3 *old = NULL;

    assert_int_equal(sqlite3_open(f->path, &old), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(
            old,
            "INSERT INTO trial (session_id, variant_id, outcome, message,"
            " time_ns, spread_ns, n_samples, samples_ns,"
            " launches_per_sample, error_ratio, verified, sm_clock_mhz,"
            " power_mw, temperature_c, throttle_reasons, started_unix_ns,"
            " gpu_time_ns) VALUES (1, 1, 'ok', NULL, 5, 1, 0, NULL, NULL,"
            " NULL, 1, NULL, NULL, NULL, NULL, 1, 1)",
            -1, &put, NULL),
        SQLITE_OK);
    reopen(f, 0);
    assert_int_equal(sqlite3_step(put), SQLITE_DONE);
    assert_int_equal(sqlite3_finalize(put), SQLITE_OK);
    assert_int_equal(sqlite3_close(old), SQLITE_OK);
    assert_rows(f->db, "SELECT time_ns, timing FROM trial_v1 WHERE time_ns = 5",
                "5|\n");
}

/* ---- reading without migrating ------------------------------------------
 */

/* The columns that queries see are those of the current format. */
static void test_reader_sees_current_columns(void **state)
{
    db_fixture *const f = *state;
    hone_text golden = {0};
    hone_text actual = {0};
    hone_text before = {0};
    hone_text after = {0};

    assert_ok(hone__text_read_file(&before, f->path, why));
    reopen(f, HONE_DB_READONLY);
    assert_ok(hone__text_read_file(&golden, "views.golden", why));
    fixture_rows(f->db,
                 "SELECT v.name || '.' || c.name FROM"
                 " (SELECT name FROM sqlite_schema WHERE type = 'view' UNION"
                 "  SELECT name FROM sqlite_temp_schema"
                 "   WHERE name LIKE '%\\_v_' ESCAPE '\\') v,"
                 " pragma_table_info(v.name) c ORDER BY v.name, c.cid",
                 &actual);
    assert_string_equal(hone__text_str(&actual), hone__text_str(&golden));
    assert_rows(f->db,
                "SELECT config, time_ns, timing, compiler_warnings"
                " FROM trial_v1 WHERE outcome = 'ok' ORDER BY 1",
                "BM=128|7123.25||\nBM=64|8123.25||\n");
    assert_rows(f->db,
                "SELECT op, status, n_trials, started_at, duration_s,"
                " verdict FROM session_v1",
                "gemm_f16|done|3|2023-11-14 22:13:20|0|\n");
    assert_rows(f->db, "SELECT * FROM decision_v1", "");
    hone__db_close(f->db);
    f->db = NULL;
    assert_ok(hone__text_read_file(&after, f->path, why));
    assert_int_equal(after.length, before.length);
    assert_memory_equal(after.data, before.data, before.length);
    hone__text_free(&golden);
    hone__text_free(&actual);
    hone__text_free(&before);
    hone__text_free(&after);
}

/* Of the final, both before and after the file is migrated. */
static void test_default_of_the_same_final(void **state)
{
    static const char rows[] = "SELECT rank, time_ns, default_time_ns,"
                               " verdict FROM ranked_v1 ORDER BY rank";
    static const char winner[] = "SELECT time_ns, default_time_ns,"
                                 " default_time_ns / time_ns = gain, verdict"
                                 " FROM winner_v1";
    db_fixture *const f = *state;

    reopen(f, HONE_DB_READONLY);
    assert_rows(f->db, winner, "7000|8000|1|\n");
    assert_rows(f->db, rows, "1|7000|8000|\n");
    reopen(f, 0);
    assert_rows(f->db, winner, "7000|8000|1|\n");
    assert_rows(f->db, rows, "1|7000|8000|\n2|8000|8000|\n");
}

/* A file of version 4 knows its verdicts. */
static void test_verdict_of_version_4(void **state)
{
    static const char winner[] =
        "SELECT time_ns, default_time_ns, gain, verdict FROM winner_v1";
    static const char decided[] =
        "UPDATE session SET verdict = 'decided'; PRAGMA user_version = 4";
    db_fixture *const f = *state;

    assert_int_equal(fixture_sql(f, hone__db_schema_2), SQLITE_OK);
    assert_int_equal(fixture_sql(f, hone__db_schema_3), SQLITE_OK);
    assert_int_equal(fixture_sql(f, hone__db_schema_4), SQLITE_OK);
    assert_int_equal(fixture_sql(f, decided), SQLITE_OK);
    for (int i = 0; i < 2; i++) {
        reopen(f, i ? 0 : HONE_DB_READONLY);
        assert_rows(f->db, winner, "7000|8000|1.14286|decided\n");
        assert_rows(f->db,
                    "SELECT rank, default_time_ns FROM ranked_v1"
                    " ORDER BY rank",
                    "1|8000\n2|8000\n");
    }
}

/* The winner as the runtime sees it. */
static void runtime_row(const db_fixture *f, hone_text *out)
{
    hone_store *store = NULL;
    hone_store_op *op = NULL;

    assert_ok(hone__store_open(f->path, &store, why));
    assert_ok(hone__store_op(store, "gemm_f16", &op, why));
    assert_ok(hone__store_widen(store, op, why));
    assert_int_equal(op->n_rows, 2); /* a winner and a default */
    for (size_t i = 0; i < op->n_rows; i++) {
        hone__text_printf(out, "%d %s %g %s\n", (int)op->rows[i]->rank,
                          op->rows[i]->config, op->rows[i]->time_ns,
                          op->rows[i]->cubin_sha256);
        assert_ok(hone__store_cubin(store, op->rows[i], out, why));
    }
    hone__store_close(store);
}

static void test_runtime_reads_both_versions(void **state)
{
    db_fixture *const f = *state;
    hone_text before = {0};
    hone_text after = {0};

    runtime_row(f, &before);
    assert_non_null(strstr(hone__text_str(&before), "1 BM=128 7000 "));
    reopen(f, 0);
    runtime_row(f, &after);
    assert_string_equal(hone__text_str(&after), hone__text_str(&before));
    hone__text_free(&before);
    hone__text_free(&after);
}

/* ---- a file of version 2 ------------------------------------------------
 */

static void test_decisions_of_version_2(void **state)
{
    static const char decisions[] =
        "SELECT kind, text, ratio, config FROM decision_v1"
        " ORDER BY decision_id";
    db_fixture *const f = *state;

    assert_int_equal(fixture_sql(f, hone__db_schema_2), SQLITE_OK);
    assert_int_equal(
        fixture_sql(f, "PRAGMA user_version = 2;"
                       "INSERT INTO decision (session_id, trial_id, variant_id,"
                       " kind, ratio, n_samples, text, at_unix_ns) VALUES"
                       " (1, 1, 1, 'screened', 1.5, 2, 'slower', 5),"
                       " (1, NULL, NULL, 'too_noisy', NULL, 0, 'noise', 6)"),
        SQLITE_OK);
    reopen(f, HONE_DB_READONLY);
    assert_rows(f->db, "SELECT status, stopped FROM session_v1", "done|\n");
    assert_rows(f->db, decisions,
                "screened|slower|1.5|BM=64\ntoo_noisy|noise||\n");
    reopen(f, 0);
    assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"),
                     HONE_DB_VERSION);
    assert_rows(f->db, decisions,
                "screened|slower|1.5|BM=64\ntoo_noisy|noise||\n");
    assert_rows(f->db, "SELECT status, stopped FROM session_v1", "done|\n");
    assert_rows(f->db, "PRAGMA foreign_key_check", "");
    assert_rows(f->db,
                "SELECT count(*) FROM sqlite_schema WHERE type = 'index'"
                " AND tbl_name = 'decision'",
                "2\n");
}

/* ---- when it does not come to its end -----------------------------------
 */

/* What becomes of every connection that SQLite opens: killed when it begins
 * its statement number `kill_at`, counted from 0; at most `max_pages`. */
static int kill_at = -1;
static int max_pages;

static int on_statement(unsigned reason, void *user, void *statement,
                        void *text)
{
    (void)reason;
    (void)user;
    (void)statement;
    (void)text;
    if (kill_at-- == 0)
        (void)raise(SIGKILL);
    return 0;
}

static int on_connect(sqlite3 *handle, char **message, const void *api)
{
    (void)message;
    (void)api;
    if (max_pages) {
        char *const sql =
            sqlite3_mprintf("PRAGMA max_page_count = %d", max_pages);
        const int code = sqlite3_exec(handle, sql, NULL, NULL, NULL);

        sqlite3_free(sql);
        return code;
    }
    return sqlite3_trace_v2(handle, SQLITE_TRACE_STMT, on_statement, NULL);
}

/* In a child: die in the middle, or come to the end and exit with 0. */
static int open_and_die(const db_fixture *f, int at)
{
    const pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        hone_db *db = NULL;

        kill_at = at;
        (void)sqlite3_auto_extension((void (*)(void))on_connect);
        if (hone__db_open(f->path, 0, &db, NULL) != HONE_OK)
            _exit(1);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status)) {
        assert_int_equal(WTERMSIG(status), SIGKILL);
        return 1;
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    return 0;
}

/* Killed at every statement of opening in turn: what is there is version 1
 * or the current one, with every row. */
static void test_killed_at_every_statement(void **state)
{
    db_fixture *const f = *state;
    int n_old = 0;
    int at;

    for (at = 0; open_and_die(f, at); at++) {
        int64_t version;

        reopen(f, HONE_DB_READONLY);
        version = fixture_integer(f->db, "PRAGMA user_version");
        assert_true(version == 1 || version == HONE_DB_VERSION);
        n_old += version == 1;
        assert_rows(f->db, "PRAGMA integrity_check", "ok\n");
        assert_rows(f->db, "SELECT count(*), count(timing) FROM trial_v1",
                    "3|0\n");
        assert_rows(f->db,
                    "SELECT count(*) FROM main.sqlite_schema"
                    " WHERE name = 'decision'",
                    version == 1 ? "0\n" : "1\n");
        assert_rows(f->db, "SELECT config, time_ns FROM winner_v1",
                    "BM=128|7000\n");
        hone__db_close(f->db);
        f->db = NULL;
    }
    assert_true(n_old > 20); /* it did die between the steps */
    reopen(f, HONE_DB_READONLY);
    assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"),
                     HONE_DB_VERSION);
    assert_rows(f->db, "SELECT count(*) FROM trial_v1", "3\n");
}

static void test_disk_full(void **state)
{
    db_fixture *const f = *state;
    hone_error err = {0};

    reopen(f, HONE_DB_READONLY);
    max_pages = (int)fixture_integer(f->db, "PRAGMA page_count");
    hone__db_close(f->db);
    f->db = NULL;
    assert_int_equal(sqlite3_auto_extension((void (*)(void))on_connect),
                     SQLITE_OK);
    assert_int_equal(hone__db_open(f->path, 0, &f->db, &err), HONE_ERR_IO);
    sqlite3_reset_auto_extension();
    max_pages = 0;
    assert_null(f->db);
    assert_int_equal(err.native, SQLITE_FULL);
    assert_non_null(strstr(err.text, "disk is full"));
    reopen(f, HONE_DB_READONLY);
    assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"), 1);
    assert_rows(f->db, "SELECT count(*) FROM trial_v1", "3\n");
    reopen(f, 0); /* there is space again */
    assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"),
                     HONE_DB_VERSION);
}

/* As long as hone waits for another process, by a clock of seconds. */
static int has_waited(time_t began)
{
    return time(NULL) - began >= HONE_DB_BUSY_TIMEOUT_MS / 1000 - 1;
}

static void test_several_at_once(void **state)
{
    /* However long a slow disk makes them wait for each other. */
    enum { N_PROCESSES = 4, PATIENCE_S = 300 };
    db_fixture *const f = *state;
    pid_t pids[N_PROCESSES];

    for (int i = 0; i < N_PROCESSES; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            const time_t end = time(NULL) + PATIENCE_S;
            time_t began;
            hone_db *db = NULL;
            hone_status status;

            do {
                began = time(NULL);
                status = hone__db_open(f->path, 0, &db, NULL);
            } while (status == HONE_ERR_BUSY && has_waited(began) &&
                     time(NULL) < end);
            _exit((int)status);
        }
    }
    for (int i = 0; i < N_PROCESSES; i++) {
        int status = 0;

        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    reopen(f, 0);
    assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"),
                     HONE_DB_VERSION);
    assert_rows(f->db, "SELECT count(*) FROM trial_v1", "3\n");
}

static int setup_version_1(void **state)
{
    if (fixture_setup(state))
        return -1;
    fixture_version_1(*state);
    return 0;
}

#define IN_VERSION_1(name)                                                     \
    cmocka_unit_test_setup_teardown(name, setup_version_1, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_VERSION_1(test_every_row_is_kept),
        IN_VERSION_1(test_migrated_file_is_as_a_new_one),
        IN_VERSION_1(test_tuning_goes_on),
        IN_VERSION_1(test_old_writer_goes_on),
        IN_VERSION_1(test_reader_sees_current_columns),
        IN_VERSION_1(test_default_of_the_same_final),
        IN_VERSION_1(test_verdict_of_version_4),
        IN_VERSION_1(test_runtime_reads_both_versions),
        IN_VERSION_1(test_decisions_of_version_2),
        IN_VERSION_1(test_killed_at_every_statement),
        IN_VERSION_1(test_disk_full),
        IN_VERSION_1(test_several_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
