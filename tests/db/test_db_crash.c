/* SPDX-License-Identifier: Apache-2.0 */
/* Killed writers, several writers at once, a locked file, a full disk. */
#include "db_fixture.h"

#include "db/db_internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Children leave with _exit() and never assert: a failing assertion would
 * jump back into the parent's test. */
static void child_check(hone_status status, const hone_error *err)
{
    if (status == HONE_OK)
        return;
    (void)fprintf(stderr, "child: %s\n", err->text);
    _exit(1);
}

static void join(pid_t pid, int expected_signal)
{
    int status = 0;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (expected_signal) {
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), expected_signal);
    } else {
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

static hone_db_trial small_trial(const db_fixture *f)
{
    const hone_db_trial trial = {.session_id = f->session_id,
                                 .variant_id = f->variant_id[0],
                                 .outcome = "ok",
                                 .time_ns = 1,
                                 .verified = 1};

    return trial;
}

static void close_filled(db_fixture *f)
{
    fixture_open(f);
    fixture_fill(f);
    hone__db_close(f->db);
    f->db = NULL;
}

static void check_integrity(hone_db *db)
{
    assert_rows(db, "PRAGMA integrity_check", "ok\n");
    assert_rows(db, "PRAGMA foreign_key_check", "");
}

/* ---- kill -9 ------------------------------------------------------------
 */

/* Write trials and variants until killed; tell each id that is durable. */
static void write_until_killed(const db_fixture *f, int told)
{
    hone_db_trial trial = small_trial(f);
    hone_error err = {0};
    hone_db *db;

    child_check(hone__db_open(f->path, 0, &db, &err), &err);
    for (int i = 0;; i++) {
        char log[32];
        char sha256[HONE_SHA256_HEX];
        int64_t id;

        (void)snprintf(log, sizeof log, "log of trial %d", i);
        child_check(
            hone__db_artifact_put(db, "log", log, strlen(log), sha256, &err),
            &err);
        child_check(hone__db_trial_put(db, &trial, &id, &err), &err);
        if (write(told, &id, sizeof id) != (ssize_t)sizeof id)
            _exit(1);
    }
}

/* The last of the ids that the child told before it died, from `id` on. */
static int64_t last_told(int fd, int64_t id)
{
    int64_t last = id;

    while (read(fd, &id, sizeof id) == (ssize_t)sizeof id)
        last = id;
    return last;
}

static void test_kill_loses_no_committed_trial(void **state)
{
    db_fixture *const f = *state;

    close_filled(f);
    for (int round = 0; round < 5; round++) {
        int64_t highest, last = 0;
        int told[2];
        pid_t pid;

        assert_int_equal(pipe(told), 0);
        pid = fork();
        if (pid == 0)
            write_until_killed(f, told[1]);
        assert_int_equal(close(told[1]), 0);
        for (int i = 0; i < 1 + 3 * round; ++i) /* it is at work */
            assert_int_equal(read(told[0], &last, sizeof last), sizeof last);
        assert_int_equal(kill(pid, SIGKILL), 0);
        join(pid, SIGKILL);
        last = last_told(told[0], last);
        assert_int_equal(close(told[0]), 0);
        fixture_open(f);
        check_integrity(f->db);
        /* All that were told, and at most the one in flight. Ids have no
         * gaps, since nothing is ever deleted. */
        highest = fixture_integer(f->db, "SELECT max(trial_id) FROM trial");
        assert_in_range(highest, last, last + 1);
        assert_int_equal(fixture_integer(f->db, "SELECT count(*) FROM trial"),
                         highest);
        hone__db_close(f->db);
        f->db = NULL;
    }
}

static void test_kill_in_a_transaction_undoes_it(void **state)
{
    db_fixture *const f = *state;
    pid_t pid;

    close_filled(f);
    pid = fork();
    if (pid == 0) {
        hone_db_trial trial = small_trial(f);
        hone_error err = {0};
        hone_db *db;
        int64_t id;

        child_check(hone__db_open(f->path, 0, &db, &err), &err);
        child_check(hone__db_begin(db, &err), &err);
        for (int i = 0; i < 1000; i++)
            child_check(hone__db_trial_put(db, &trial, &id, &err), &err);
        (void)raise(SIGKILL);
    }
    join(pid, SIGKILL);
    fixture_open(f);
    check_integrity(f->db);
    assert_rows(f->db, "SELECT count(*) FROM trial", "3\n");
}

/* ---- several at once ----------------------------------------------------
 */

enum { N_WRITERS = 3, N_EACH = 40 };

enum { PATIENCE_S = 300 };

/* However long a slow disk makes them wait for each other. */
static hone_db *open_beside_others(const db_fixture *f)
{
    const time_t end = time(NULL) + PATIENCE_S;
    hone_error err = {0};
    hone_db *db = NULL;
    hone_status status;

    do
        status = hone__db_open(f->path, HONE_DB_CREATE, &db, &err);
    while (status == HONE_ERR_BUSY && time(NULL) < end);
    child_check(status, &err);
    (void)sqlite3_busy_timeout(db->handle, PATIENCE_S * 1000);
    return db;
}

/* Create (all at once), then put the same subjects and own trials, some of
 * them in transactions. */
static void write_beside_others(const db_fixture *f, int index)
{
    hone_db_trial trial = small_trial(f);
    hone_error err = {0};
    hone_db *const db = open_beside_others(f);

    for (int i = 0; i < N_EACH; i++) {
        char version[16];
        int64_t id;

        (void)snprintf(version, sizeof version, "%d", i);
        if (i % 4 == index)
            child_check(hone__db_begin(db, &err), &err);
        child_check(hone__db_toolchain_put(db, "nvrtc", version, &id, &err),
                    &err);
        if (trial.session_id)
            child_check(hone__db_trial_put(db, &trial, &id, &err), &err);
        if (i % 4 == index)
            child_check(hone__db_commit(db, &err), &err);
    }
    hone__db_close(db);
    _exit(0);
}

static void run_writers(const db_fixture *f)
{
    pid_t pids[N_WRITERS];

    for (int i = 0; i < N_WRITERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            write_beside_others(f, i);
    }
    for (int i = 0; i < N_WRITERS; i++)
        join(pids[i], 0);
}

static void test_writers_at_once(void **state)
{
    db_fixture *const f = *state;

    close_filled(f);
    run_writers(f);
    fixture_open(f);
    check_integrity(f->db);
    assert_int_equal(fixture_integer(f->db, "SELECT count(*) FROM trial"),
                     3 + N_WRITERS * N_EACH);
    assert_int_equal(fixture_integer(f->db, "SELECT count(*) FROM toolchain"),
                     1 + N_EACH);
}

static void test_creators_at_once(void **state)
{
    db_fixture *const f = *state;

    for (int round = 0; round < 5; round++) {
        char name[32];

        (void)snprintf(name, sizeof name, "new%d.db", round);
        fixture_path(f, name, f->path, sizeof f->path);
        run_writers(f);
        fixture_open(f);
        check_integrity(f->db);
        assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"),
                         HONE_DB_VERSION);
        assert_int_equal(
            fixture_integer(f->db, "SELECT count(*) FROM toolchain"), N_EACH);
        hone__db_close(f->db);
        f->db = NULL;
    }
}

static void test_locked_by_another(void **state)
{
    db_fixture *const f = *state;
    hone_error err = {0};
    hone_db *other = NULL;
    int64_t id;

    fixture_open(f);
    fixture_fill(f);
    assert_ok(hone__db_open(f->path, 0, &other, why));
    assert_ok(hone__db_begin(f->db, why));
    (void)sqlite3_busy_timeout(other->handle, 50); /* do not wait here */
    assert_int_equal(hone__db_toolchain_put(other, "nvrtc", "12.9", &id, &err),
                     HONE_ERR_BUSY);
    assert_int_equal(err.domain, HONE_DOMAIN_SQLITE);
    assert_int_equal(err.native & 0xff, SQLITE_BUSY);
    assert_non_null(strstr(err.text, "another process"));
    assert_status(hone__db_begin(other, why), HONE_ERR_BUSY);
    assert_rows(other, "SELECT count(*) FROM trial", "3\n"); /* may read */
    assert_ok(hone__db_commit(f->db, why));
    assert_ok(hone__db_toolchain_put(other, "nvrtc", "12.9", &id, why));
    hone__db_close(other);
}

/* A writer waits for one that takes a while. */
static void test_writer_waits(void **state)
{
    db_fixture *const f = *state;
    int ready[2];
    char byte;
    int64_t id;
    pid_t pid;

    close_filled(f);
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        const struct timespec pause = {.tv_nsec = 300000000L};
        hone_error err = {0};
        hone_db *db;

        child_check(hone__db_open(f->path, 0, &db, &err), &err);
        child_check(hone__db_begin(db, &err), &err);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        (void)nanosleep(&pause, NULL);
        child_check(hone__db_commit(db, &err), &err);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    fixture_open(f);
    assert_int_equal(fixture_integer(f->db, "PRAGMA busy_timeout"),
                     HONE_DB_BUSY_TIMEOUT_MS);
    (void)sqlite3_busy_timeout(f->db->handle, PATIENCE_S * 1000);
    assert_ok(hone__db_toolchain_put(f->db, "nvrtc", "12.9", &id, why));
    join(pid, 0);
    assert_int_equal(close(ready[0]) + close(ready[1]), 0);
}

/* ---- no space -----------------------------------------------------------
 */

static void test_disk_full(void **state)
{
    db_fixture *const f = *state;
    static char large[300000];
    char sha256[HONE_SHA256_HEX];
    hone_error err = {0};
    uint32_t seed = 7;

    fixture_open(f);
    fixture_fill(f);
    for (size_t i = 0; i < sizeof large; i++) {
        seed = seed * 1664525u + 1013904223u;
        large[i] = (char)(seed >> 24);
    }
    /* SQLite's own limit answers as a full disk does. */
    assert_int_equal(sqlite3_exec(f->db->handle, "PRAGMA max_page_count = 1",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(
        hone__db_artifact_put(f->db, "log", large, sizeof large, sha256, &err),
        HONE_ERR_IO);
    assert_int_equal(err.native, SQLITE_FULL);
    assert_non_null(strstr(err.text, "disk is full"));
    assert_int_equal(sqlite3_exec(f->db->handle,
                                  "PRAGMA max_page_count = 100000", NULL, NULL,
                                  NULL),
                     SQLITE_OK);
    assert_ok(
        hone__db_artifact_put(f->db, "log", large, sizeof large, sha256, why));
    check_integrity(f->db);
    assert_rows(f->db, "SELECT count(*) FROM trial", "3\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_kill_loses_no_committed_trial),
        CASE(test_kill_in_a_transaction_undoes_it),
        CASE(test_writers_at_once),
        CASE(test_creators_at_once),
        CASE(test_locked_by_another),
        CASE(test_writer_waits),
        CASE(test_disk_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
