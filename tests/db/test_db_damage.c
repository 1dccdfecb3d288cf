/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a bad disk, a bad copy or a full disk left: each page damaged in
 * turn, the file cut off at each page, no room for a transaction, a lock that
 * nobody lets go of. Every call ends with HONE_OK or with a sentence that says
 * what to do, and a reader changes nothing. */
#include "db_fixture.h"

#include "db/db_internal.h"
#include "runtime/store/store.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* A filled file without journal; its bytes. */
static void make(db_fixture *f, hone_text *out)
{
    const hone_db_ranked ranked[] = {{0}};
    hone_db_ranked places[2] = {ranked[0], ranked[0]};

    fixture_open(f);
    fixture_fill(f);
    for (int i = 0; i < 2; i++)
        places[i] = (hone_db_ranked){f->trial_id[i], 7000 + i, 0, 0, "why"};
    assert_ok(hone__db_ranking_put(f->db, f->session_id, places, 2, why));
    hone__db_close(f->db);
    f->db = NULL;
    assert_ok(hone__text_read_file(out, f->path, why));
    assert_int_equal(out->length % PAGE, 0);
    assert_true(out->length / PAGE > 20);
}

static void write_bytes(const db_fixture *f, const char *bytes, size_t length)
{
    char other[400];
    static const char *const beside[] = {"hone.db-wal", "hone.db-shm"};
    FILE *const file = fopen(f->path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < N_OF(beside); i++) {
        fixture_path(f, beside[i], other, sizeof other);
        (void)unlink(other);
    }
}

/* It went well, or a sentence names the file and is one of these. */
static int good_or_said(hone_status status, const hone_error *err)
{
    if (status == HONE_OK)
        return 1;
    if (err->status != status || strlen(err->text) < 30 ||
        (status != HONE_ERR_DATABASE && status != HONE_ERR_IO))
        fail_msg("%s: %s", hone_status_name(status), err->text);
    return 0;
}

static hone_status on_row(void *user, const hone_db_row *row, hone_error *err)
{
    (void)row;
    (void)err;
    ++*(int *)user;
    return HONE_OK;
}

/* All views as `hone show` asks for them; 1: all could be read. */
static int read_views(const db_fixture *f)
{
    static const char *const views[] = {
        "winner_v1",   "ranked_v1",          "trial_v1",    "session_v1",
        "decision_v1", "default_v2",         "baseline_v1", "coverage_v1",
        "device",      "trial_parameter_v1", "model_v1",    "answer_v1"};
    hone_error err = {0};
    hone_db *db = NULL;
    int n = 0;
    int good =
        good_or_said(hone__db_open(f->path, HONE_DB_READONLY, &db, &err), &err);

    for (size_t i = 0; db && i < N_OF(views); i++) {
        char sql[64];

        err = (hone_error){0};
        (void)snprintf(sql, sizeof sql, "SELECT * FROM %s", views[i]);
        good &= good_or_said(hone__db_query(db, sql, NULL, 0, on_row, &n, &err),
                             &err);
    }
    hone__db_close(db);
    return good;
}

static int ask_runtime(const db_fixture *f)
{
    hone_error err = {0};
    hone_store *store = NULL;
    hone_store_op *op = NULL;
    hone_text cubin = {0};
    hone_status status = hone__store_open(f->path, &store, &err);

    if (status == HONE_OK)
        status = hone__store_op(store, "gemm_f16", &op, &err);
    if (status == HONE_OK)
        status = hone__store_widen(store, op, &err);
    for (size_t i = 0; status == HONE_OK && i < op->n_rows; i++) {
        const hone_launch_spec *spec;

        (void)hone__store_spec(store, op, op->rows[i], &spec, &err);
        status = hone__store_cubin(store, op->rows[i], &cubin, &err);
    }
    hone__text_free(&cubin);
    hone__store_close(store);
    return good_or_said(status, &err);
}

static int inspect(const db_fixture *f)
{
    hone_error err = {0};
    hone_db_summary summary;

    return good_or_said(hone__db_inspect(f->path, INT64_MAX, &summary, &err),
                        &err);
}

/* The tuner goes on, as well as it can. */
static int write_on(const db_fixture *f)
{
    hone_error err = {0};
    hone_db *db = NULL;
    hone_db_trial trial = {.session_id = f->session_id,
                           .variant_id = f->variant_id[0],
                           .outcome = "ok",
                           .time_ns = 1};
    char sha256[HONE_SHA256_HEX];
    int64_t id;
    hone_status status = hone__db_open(f->path, 0, &db, &err);

    if (status == HONE_OK)
        status = hone__db_artifact_put(db, "log", "x", 1, sha256, &err);
    if (status == HONE_OK)
        status = hone__db_trial_put(db, &trial, &id, &err);
    hone__db_close(db);
    return good_or_said(status, &err);
}

static void check_unchanged(const db_fixture *f, const hone_text *expected)
{
    hone_text now = {0};

    assert_ok(hone__text_read_file(&now, f->path, why));
    assert_int_equal(now.length, expected->length);
    assert_memory_equal(now.data, expected->data, now.length);
    hone__text_free(&now);
}

/* What a page has at its head, in its pointers, and in its cells. */
static void damage(hone_text *bytes, size_t page, int how)
{
    char *const start = bytes->data + page * PAGE + (page ? 0 : 100);
    char *const end = bytes->data + (page + 1) * PAGE;

    switch (how) {
    case 0: /* the head: kind of page, number of cells */
        for (int i = 0; i < 12; i++)
            start[i] = (char)~start[i];
        break;
    case 1: /* a flipped bit in every eighth byte */
        for (char *c = start; c < end; c += 8)
            *c = (char)(*c ^ 0x10);
        break;
    case 2: /* never written */
        memset(start, 0, (size_t)(end - start));
        break;
    default: /* the last cell's text and what follows */
        memset(end - 40, 0xff, 40);
    }
}

static void test_each_page_is_damaged(void **state)
{
    db_fixture *const f = *state;
    hone_text whole = {0};
    int n_found = 0;

    make(f, &whole);
    for (size_t page = 0; page < whole.length / PAGE; page++) {
        for (int how = 0; how < 4; how++) {
            hone_text bytes = {0};
            int found;

            hone__text_append(&bytes, whole.data, whole.length);
            damage(&bytes, page, how);
            write_bytes(f, bytes.data, bytes.length);
            found = !read_views(f);
            found |= !ask_runtime(f);
            found |= !inspect(f);
            n_found += found;
            check_unchanged(f, &bytes);
            (void)write_on(f);
            hone__text_free(&bytes);
        }
    }
    assert_true((size_t)n_found > whole.length / PAGE); /* it does look */
    write_bytes(f, whole.data, whole.length);
    assert_true(read_views(f) && ask_runtime(f) && inspect(f) && write_on(f));
    hone__text_free(&whole);
}

/* Were they all zero? SQLite reads what is missing of a page as that. */
static int is_lost(const hone_text *whole, size_t length)
{
    for (size_t i = length; i < whole->length; i++) {
        if (whole->data[i])
            return 1;
    }
    return length % PAGE == 0;
}

static void test_cut_off_at_each_page(void **state)
{
    db_fixture *const f = *state;
    hone_text whole = {0};

    make(f, &whole);
    for (size_t length = PAGE / 2; length < whole.length; length += PAGE / 2) {
        hone_text bytes = {0};

        hone__text_append(&bytes, whole.data, length);
        write_bytes(f, bytes.data, length);
        assert_int_equal(inspect(f), !is_lost(&whole, length));
        (void)read_views(f);
        (void)ask_runtime(f);
        check_unchanged(f, &bytes);
        (void)write_on(f);
        hone__text_free(&bytes);
    }
    hone__text_free(&whole);
}

/* Bytes of another program's header, or of a newer hone's. */
static void test_other_headers(void **state)
{
    static const struct {
        const char *sql;
        const char *says;
    } cases[] = {{"PRAGMA application_id = 1", "not a database of hone"},
                 {"PRAGMA application_id = 0", "not a database of hone"},
                 {"PRAGMA user_version = 4711", "has format 4711"},
                 {"PRAGMA user_version = -1", "damaged"}};
    db_fixture *const f = *state;
    hone_text whole = {0};

    make(f, &whole);
    for (size_t i = 0; i < N_OF(cases); i++) {
        hone_error err[2] = {{0}, {0}};
        hone_store *store = NULL;
        hone_db *db = NULL;

        write_bytes(f, whole.data, whole.length);
        assert_int_equal(fixture_sql(f, cases[i].sql), SQLITE_OK);
        for (int flags = 0; flags < 3; flags++)
            assert_int_equal(hone__db_open(f->path, flags, &db, &err[0]),
                             HONE_ERR_DATABASE);
        assert_int_equal(hone__store_open(f->path, &store, &err[1]),
                         HONE_ERR_DATABASE);
        assert_non_null(strstr(err[0].text, cases[i].says));
        assert_non_null(strstr(err[1].text, cases[i].says));
    }
    hone__text_free(&whole);
}

/* ---- no room ----------------------------------------------------------------
 */

/* In a child: files may not grow beyond what is there and `spare`. Writes
 * trials, three at a time, until there is no room; the exit code is how many
 * came. */
static int fill_the_disk(const db_fixture *f, size_t spare)
{
    const struct rlimit limit = {spare, spare};
    hone_db_trial trial = {.session_id = f->session_id,
                           .variant_id = f->variant_id[0],
                           .outcome = "wrong",
                           .message =
                               "a sentence of some length, so that pages "
                               "are full before long"};
    hone_error err = {0};
    hone_db *db = NULL;
    hone_status status;
    int n = 0;

    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit))
        return 201;
    status = hone__db_open(f->path, 0, &db, &err);
    while (status == HONE_OK && n < 198) {
        int64_t id;

        status = hone__db_begin(db, &err);
        for (int i = 0; status == HONE_OK && i < 3; i++)
            status = hone__db_trial_put(db, &trial, &id, &err);
        if (status == HONE_OK)
            status = hone__db_commit(db, &err);
        else
            hone__db_rollback(db);
        n += status == HONE_OK ? 3 : 0;
    }
    if (status != HONE_ERR_IO || (!strstr(err.text, "disk")))
        return 202;
    /* It can still be read, by this process as well. */
    status = hone__db_query(db, "SELECT * FROM trial_v1", NULL, 0, on_row,
                            &(int){0}, &err);
    hone__db_close(db);
    return status == HONE_OK ? n : 203;
}

static void test_no_room_in_a_transaction(void **state)
{
    db_fixture *const f = *state;
    hone_text whole = {0};

    make(f, &whole);
    for (size_t spare = 40000; spare < 200000; spare += 17000) {
        int status = 0;
        pid_t pid;

        write_bytes(f, whole.data, whole.length);
        pid = fork();
        if (pid == 0)
            _exit(fill_the_disk(f, spare));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_in_range(WEXITSTATUS(status), 0, 198);
        fixture_open(f);
        assert_int_equal(fixture_integer(f->db, "SELECT count(*) FROM trial"),
                         3 + WEXITSTATUS(status));
        assert_rows(f->db, "PRAGMA integrity_check", "ok\n");
        assert_rows(f->db,
                    "SELECT n_trials = (SELECT count(*) FROM trial)"
                    " FROM tally",
                    "1\n");
        hone__db_close(f->db);
        f->db = NULL;
    }
    hone__text_free(&whole);
}

/* ---- locks ------------------------------------------------------------------
 */

/* Another program keeps the whole file to itself. */
static void test_exclusive_lock(void **state)
{
    db_fixture *const f = *state;
    hone_text whole = {0};
    sqlite3 *other = NULL;
    hone_store *store = NULL;
    hone_db *db = NULL;

    make(f, &whole);
    assert_int_equal(sqlite3_open(f->path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other,
                                  "PRAGMA locking_mode = EXCLUSIVE;"
                                  "BEGIN EXCLUSIVE",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    for (int i = 0; i < 3; i++) {
        hone_error err = {0};
        const hone_status status =
            i == 2
                ? hone__store_open(f->path, &store, &err)
                : hone__db_open(f->path, i ? HONE_DB_READONLY : 0, &db, &err);

        assert_int_equal(status, HONE_ERR_BUSY);
        assert_non_null(strstr(err.text, "another process"));
        assert_non_null(strstr(err.text, f->path));
    }
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    assert_true(read_views(f) && ask_runtime(f) && inspect(f) && write_on(f));
    hone__text_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_each_page_is_damaged), CASE(test_cut_off_at_each_page),
        CASE(test_other_headers),        CASE(test_no_room_in_a_transaction),
        CASE(test_exclusive_lock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
