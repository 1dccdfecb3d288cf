/* SPDX-License-Identifier: Apache-2.0 */
/* Opening: making, reopening, and every file that must be refused. */
#include "db_fixture.h"

#include "db/db_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opening must fail like this, and the sentence must say this. */
static hone_error refused(const char *path, int flags, hone_status expected,
                          const char *says)
{
    hone_error err = {0};
    hone_db *db = (hone_db *)1;
    const hone_status status = hone__db_open(path, flags, &db, &err);

    if (status != expected || !strstr(err.text, says))
        print_error("%s: %s\n", hone_status_name(status), err.text);
    assert_int_equal(status, expected);
    assert_int_equal(err.status, expected);
    assert_null(db);
    assert_non_null(strstr(err.text, says));
    return err;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *const file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* ---- what works ---------------------------------------------------------
 */

static void test_create_makes_folders_and_reopens(void **state)
{
    db_fixture *const f = *state;
    char path[400];
    char journal[400];

    fixture_path(f, "a/b/hone.db", path, sizeof path);
    fixture_path(f, "a/b/hone.db-wal", journal, sizeof journal);
    assert_ok(hone__db_open(path, HONE_DB_CREATE, &f->db, why));
    assert_string_equal(f->db->path, path);
    assert_int_equal(fixture_integer(f->db, "PRAGMA application_id"),
                     0x686f6e65);
    assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"),
                     HONE_DB_VERSION);
    assert_int_equal(fixture_integer(f->db, "PRAGMA foreign_keys"), 1);
    assert_int_equal(fixture_integer(f->db, "PRAGMA synchronous"), 2);
    fixture_fill(f);
    hone__db_close(f->db);
    assert_ok(hone__db_open(path, 0, &f->db, why));
    assert_rows(f->db, "SELECT count(*) FROM trial", "3\n");
    assert_rows(f->db, "PRAGMA integrity_check", "ok\n");
    assert_rows(f->db, "PRAGMA foreign_key_check", "");
    assert_int_equal(access(journal, F_OK), 0);
}

static void test_create_keeps_what_is_there(void **state)
{
    db_fixture *const f = *state;

    fixture_open(f);
    fixture_fill(f);
    hone__db_close(f->db);
    fixture_open(f);
    assert_rows(f->db, "SELECT count(*) FROM trial", "3\n");
}

static void test_every_table_is_strict(void **state)
{
    db_fixture *const f = *state;

    fixture_open(f);
    assert_rows(f->db,
                "SELECT name FROM pragma_table_list WHERE schema = 'main'"
                " AND type = 'table' AND name NOT GLOB 'sqlite_*'"
                " AND NOT strict",
                "");
    assert_int_equal(fixture_integer(f->db,
                                     "SELECT count(*) FROM pragma_table_list"
                                     " WHERE schema = 'main' AND strict"),
                     17);
}

static void test_readonly_reads_and_refuses_writes(void **state)
{
    db_fixture *const f = *state;
    hone_error err = {0};
    int64_t id;

    fixture_open(f);
    fixture_fill(f);
    hone__db_close(f->db);
    assert_ok(hone__db_open(f->path, HONE_DB_READONLY, &f->db, why));
    assert_rows(f->db, "SELECT count(*) FROM trial", "3\n");
    assert_int_equal(hone__db_toolchain_put(f->db, "nvrtc", "12.9", &id, &err),
                     HONE_ERR_IO);
    assert_int_equal(err.domain, HONE_DOMAIN_SQLITE);
    assert_int_equal(err.native & 0xff, SQLITE_READONLY);
    assert_non_null(strstr(err.text, "read-only"));
    assert_int_equal(
        hone__db_session_finish(f->db, f->session_id, "done", NULL),
        HONE_ERR_IO);
}

static void test_reader_sees_rows_of_an_open_writer(void **state)
{
    db_fixture *const f = *state;
    hone_db *reader = NULL;

    fixture_open(f);
    fixture_fill(f);
    assert_ok(hone__db_open(f->path, HONE_DB_READONLY, &reader, why));
    assert_rows(reader, "SELECT count(*) FROM trial", "3\n");
    hone__db_close(reader);
}

/* ---- what is refused ----------------------------------------------------
 */

static void test_misuse(void **state)
{
    db_fixture *const f = *state;

    (void)refused("", HONE_DB_CREATE, HONE_ERR_ARGUMENT, "empty");
    (void)refused(NULL, 0, HONE_ERR_ARGUMENT, "empty");
    (void)refused(f->path, HONE_DB_CREATE | HONE_DB_READONLY, HONE_ERR_ARGUMENT,
                  "read-only");
    hone__db_close(NULL);
}

static void test_missing_file(void **state)
{
    const db_fixture *const f = *state;

    (void)refused(f->path, 0, HONE_ERR_NOT_FOUND, "hone tune");
    (void)refused(f->path, HONE_DB_READONLY, HONE_ERR_NOT_FOUND, f->path);
    assert_int_equal(access(f->path, F_OK), -1); /* and none was made */
}

static void test_folder(void **state)
{
    const db_fixture *const f = *state;

    (void)refused(f->folder, HONE_DB_CREATE, HONE_ERR_DATABASE, "folder");
}

static void test_folder_that_is_a_file(void **state)
{
    const db_fixture *const f = *state;
    char path[400];

    write_file(f->path, "x", 1);
    fixture_path(f, "hone.db/sub/hone.db", path, sizeof path);
    (void)refused(path, HONE_DB_CREATE, HONE_ERR_IO, path);
}

/* Short and long text, and a SQLite header with rubbish behind it; none may
 * be changed by the attempt. */
static void test_file_that_is_no_database(void **state)
{
    static const char magic[] = "SQLite format 3";
    const db_fixture *const f = *state;
    char text[8192];
    const struct {
        const char *start;
        size_t size_bytes;
    } cases[] = {{"hello", 6}, {"text", sizeof text}, {magic, sizeof text}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hone_text after = {0};

        memset(text, 'x', sizeof text);
        memcpy(text, cases[i].start, strlen(cases[i].start) + 1);
        write_file(f->path, text, cases[i].size_bytes);
        for (int flags = 0; flags < 3; flags++) {
            const hone_error err =
                refused(f->path, flags, HONE_ERR_DATABASE, "not a database");

            assert_int_equal(err.domain, HONE_DOMAIN_SQLITE);
            assert_int_equal(err.native, SQLITE_NOTADB);
        }
        assert_ok(hone__text_read_file(&after, f->path, why));
        assert_int_equal(after.length, cases[i].size_bytes);
        assert_memory_equal(after.data, text, cases[i].size_bytes);
        hone__text_free(&after);
    }
}

static void test_empty_file(void **state)
{
    db_fixture *const f = *state;

    write_file(f->path, "", 0);
    (void)refused(f->path, 0, HONE_ERR_NOT_FOUND, "is empty");
    fixture_open(f); /* an empty file may become one */
    fixture_fill(f);
}

static void test_foreign_database(void **state)
{
    const db_fixture *const f = *state;

    assert_int_equal(fixture_sql(f, "CREATE TABLE notes (text)"), SQLITE_OK);
    for (int flags = 0; flags < 3; flags++)
        (void)refused(f->path, flags, HONE_ERR_DATABASE,
                      "not a database of hone");
    assert_int_equal(fixture_sql(f, "INSERT INTO notes VALUES (1)"), SQLITE_OK);
}

static void test_newer_version(void **state)
{
    db_fixture *const f = *state;

    fixture_open(f);
    hone__db_close(f->db);
    f->db = NULL;
    assert_int_equal(fixture_sql(f, "PRAGMA user_version = 12"), SQLITE_OK);
    for (int flags = 0; flags < 3; flags++)
        (void)refused(f->path, flags, HONE_ERR_DATABASE, "format 12");
    assert_int_equal(fixture_sql(f, "PRAGMA user_version = 0"), SQLITE_OK);
    (void)refused(f->path, HONE_DB_CREATE, HONE_ERR_DATABASE, "damaged");
}

static void test_damaged_page(void **state)
{
    db_fixture *const f = *state;
    char garbage[4096];
    hone_error err = {0};
    int fd;

    fixture_open(f);
    hone__db_close(f->db);
    f->db = NULL;
    memset(garbage, 0xa5, sizeof garbage);
    fd = open(f->path, O_WRONLY);
    for (int page = 1; page < 20; page++)
        assert_int_equal(
            pwrite(fd, garbage, sizeof garbage, (off_t)page * 4096), 4096);
    assert_int_equal(close(fd), 0);
    if (hone__db_open(f->path, 0, &f->db, &err) == HONE_OK) {
        int64_t id;

        assert_int_equal(hone__db_toolchain_put(f->db, "a", "b", &id, &err),
                         HONE_ERR_DATABASE);
    }
    assert_int_equal(err.status, HONE_ERR_DATABASE);
    assert_int_equal(err.native & 0xff, SQLITE_CORRUPT);
    assert_non_null(strstr(err.text, "damaged"));
}

/* ---- migrations ---------------------------------------------------------
 */

/* Steps to versions that there may be once: those up to the current one do not
 * run, and two more do. */
static void later_steps(hone_db_migration steps[HONE_DB_VERSION + 2],
                        const char *first, const char *second)
{
    for (int i = 0; i < HONE_DB_VERSION; i++)
        steps[i] =
            (hone_db_migration){"this must not run: it has been run", NULL};
    steps[HONE_DB_VERSION] = (hone_db_migration){first, NULL};
    steps[HONE_DB_VERSION + 1] = (hone_db_migration){second, NULL};
}

static void test_migrations_run_in_order(void **state)
{
    enum { LATER = HONE_DB_VERSION + 2 };
    hone_db_migration steps[LATER];
    db_fixture *const f = *state;

    later_steps(steps, "ALTER TABLE problem ADD COLUMN note TEXT",
                "UPDATE problem SET note = 'second'");
    fixture_open(f);
    fixture_fill(f);
    assert_ok(hone__db_migrate(f->db, steps, LATER, why));
    assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"), LATER);
    assert_rows(f->db, "SELECT note FROM problem", "second\n");
    assert_ok(hone__db_migrate(f->db, steps, LATER, why)); /* nothing left */
}

static void test_migration_is_all_or_nothing(void **state)
{
    enum { LATER = HONE_DB_VERSION + 2 };
    hone_db_migration steps[LATER];
    db_fixture *const f = *state;

    later_steps(steps, "DELETE FROM trial", "DELETE FROM no_such_table");
    fixture_open(f);
    fixture_fill(f);
    assert_status(hone__db_migrate(f->db, steps, LATER, why),
                  HONE_ERR_DATABASE);
    assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"),
                     HONE_DB_VERSION);
    assert_rows(f->db, "SELECT count(*) FROM trial", "3\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_create_makes_folders_and_reopens),
        CASE(test_create_keeps_what_is_there),
        CASE(test_every_table_is_strict),
        CASE(test_readonly_reads_and_refuses_writes),
        CASE(test_reader_sees_rows_of_an_open_writer),
        CASE(test_misuse),
        CASE(test_missing_file),
        CASE(test_folder),
        CASE(test_folder_that_is_a_file),
        CASE(test_file_that_is_no_database),
        CASE(test_empty_file),
        CASE(test_foreign_database),
        CASE(test_newer_version),
        CASE(test_damaged_page),
        CASE(test_migrations_run_in_order),
        CASE(test_migration_is_all_or_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
