/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders that only somebody else may write or read, opened by a user
 * who is not root. */
#include "db_fixture.h"

#include "db/db_internal.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_SKIPPED = 77 };

/* Run `body` as an ordinary user in a child; its exit status. Root may do
 * everything, so that nothing could be tested as root. */
static int as_ordinary_user(const db_fixture *f,
                            int (*body)(const db_fixture *))
{
    const pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
            _exit(CHILD_SKIPPED);
        _exit(body(f));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CHILD_SKIPPED)
        skip();
    return WEXITSTATUS(status);
}

static int open_says(const char *path, int flags, hone_status expected,
                     const char *says)
{
    hone_error err = {0};
    hone_db *db;
    const hone_status status = hone__db_open(path, flags, &db, &err);

    hone__db_close(db);
    if (status == expected && strstr(err.text, says))
        return 0;
    print_error("%s: %s\n", hone_status_name(status), err.text);
    return 1;
}

static int write_to_readonly_file(const db_fixture *f)
{
    return open_says(f->path, 0, HONE_ERR_IO, "read-only");
}

static int create_in_readonly_folder(const db_fixture *f)
{
    char path[400];
    int failed;

    fixture_path(f, "new.db", path, sizeof path);
    failed = open_says(path, HONE_DB_CREATE, HONE_ERR_IO, "cannot");
    fixture_path(f, "sub/new.db", path, sizeof path);
    return failed +
           open_says(path, HONE_DB_CREATE, HONE_ERR_IO, "cannot create folder");
}

static int read_in_readonly_folder(const db_fixture *f)
{
    hone_error err = {0};
    hone_db *db;

    if (hone__db_open(f->path, HONE_DB_READONLY, &db, &err) != HONE_OK) {
        print_error("%s\n", err.text);
        return 1;
    }
    assert_rows(db, "SELECT count(*) FROM trial", "3\n");
    hone__db_close(db);
    return 0;
}

static int read_unreadable_file(const db_fixture *f)
{
    return open_says(f->path, HONE_DB_READONLY, HONE_ERR_IO, "cannot");
}

static void test_permissions(void **state)
{
    db_fixture *const f = *state;

    fixture_open(f);
    fixture_fill(f);
    hone__db_close(f->db);
    f->db = NULL;
    assert_int_equal(chmod(f->folder, 0555), 0);
    assert_int_equal(chmod(f->path, 0444), 0);
    assert_int_equal(as_ordinary_user(f, write_to_readonly_file), 0);
    assert_int_equal(as_ordinary_user(f, create_in_readonly_folder), 0);
    /* WAL needs a shared memory file that cannot be made here. */
    assert_int_equal(as_ordinary_user(f, read_in_readonly_folder), 0);
    assert_int_equal(chmod(f->path, 0), 0);
    assert_int_equal(as_ordinary_user(f, read_unreadable_file), 0);
    assert_int_equal(chmod(f->folder, 0755), 0);
}

/* A writer was killed: rows are in the journal only. Reading the main file
 * alone would show an old state, so this must be refused. */
static void test_readonly_folder_with_journal(void **state)
{
    db_fixture *const f = *state;
    const pid_t pid = fork();
    char shared[400];
    int status;

    if (pid == 0) {
        fixture_open(f);
        fixture_fill(f);
        _exit(0); /* without closing */
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    fixture_path(f, "hone.db-shm", shared, sizeof shared);
    assert_int_equal(unlink(shared), 0);
    assert_int_equal(chmod(f->folder, 0555), 0);
    assert_int_equal(as_ordinary_user(f, read_unreadable_file), 0);
    assert_int_equal(chmod(f->folder, 0755), 0);
    fixture_open(f);
    assert_rows(f->db, "SELECT count(*) FROM trial", "3\n");
}

static void test_edge_path(void **state)
{
    db_fixture *const f = *state;

    fixture_path(f, "a b?c%d#e.db", f->path, sizeof f->path);
    fixture_open(f);
    fixture_fill(f);
    hone__db_close(f->db);
    f->db = NULL;
    assert_int_equal(chmod(f->folder, 0555), 0);
    assert_int_equal(as_ordinary_user(f, read_in_readonly_folder), 0);
    assert_int_equal(chmod(f->folder, 0755), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_permissions),
        CASE(test_readonly_folder_with_journal),
        CASE(test_edge_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
