/* SPDX-License-Identifier: Apache-2.0 */
/* A writer looks its file over before it writes: pages that SQLite knows to be
 * damaged are an error, and the file stays as it is. Large files are looked
 * over where a log says that somebody was killed. */
#include "db_fixture.h"

#include "db/db_internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* A filled file without journal; its bytes. `more` is SQL. */
static void make(db_fixture *f, const char *more, hone_text *out)
{
    fixture_open(f);
    fixture_fill(f);
    hone__db_close(f->db);
    f->db = NULL;
    assert_int_equal(fixture_sql(f, more), SQLITE_OK);
    assert_ok(hone__text_read_file(out, f->path, why));
}

/* A file of its own, of which this page is lost; 0: none is. */
static void write_file(const db_fixture *f, const hone_text *bytes, size_t page)
{
    static const char zeros[PAGE];
    char new_path[400];
    FILE *file;

    fixture_path(f, "new", new_path, sizeof new_path);
    file = fopen(new_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes->data, 1, bytes->length, file),
                     bytes->length);
    if (page) {
        assert_int_equal(fseek(file, (long)page * PAGE, SEEK_SET), 0);
        assert_int_equal(fwrite(zeros, 1, PAGE, file), PAGE);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(new_path, f->path), 0);
}

static hone_status open_to_write(const db_fixture *f, hone_error *err)
{
    hone_db *db = NULL;
    const hone_status status = hone__db_open(f->path, 0, &db, err);

    hone__db_close(db);
    return status;
}

static void test_lost_pages(void **state)
{
    db_fixture *f = *state;
    hone_text good = {0};
    int n_refused = 0;

    make(f, "SELECT 1", &good);
    for (size_t page = 1; page < good.length / PAGE; page++) {
        hone_db_summary summary;
        hone_text before = {0}, after = {0};
        hone_error err = {0};

        write_file(f, &good, page);
        if (hone__db_inspect(f->path, INT64_MAX, &summary, NULL) == HONE_OK)
            continue; /* it has no use for the page */
        assert_ok(hone__text_read_file(&before, f->path, why));
        assert_int_equal(open_to_write(f, &err), HONE_ERR_DATABASE);
        assert_non_null(strstr(err.text, "is damaged"));
        assert_ok(hone__text_read_file(&after, f->path, why));
        assert_int_equal(after.length, before.length);
        assert_memory_equal(after.data, before.data, after.length);
        hone__text_free(&before);
        hone__text_free(&after);
        n_refused++;
    }
    assert_true(n_refused > 10);
    write_file(f, &good, 0);
    assert_ok(open_to_write(f, why));
    hone__text_free(&good);
}

/* The second page is in use: it is the root of a table. */
static void test_large_files(void **state)
{
    db_fixture *f = *state;
    hone_text good = {0};
    hone_error err = {0};
    char sql[128], log[400];
    FILE *file;

    (void)snprintf(sql, sizeof sql,
                   "CREATE TABLE large AS SELECT zeroblob(%d) AS x",
                   HONE_DB_LOOK_BYTES);
    make(f, sql, &good);
    write_file(f, &good, 1);
    assert_ok(open_to_write(f, why));
    write_file(f, &good, 1);
    fixture_path(f, "hone.db-wal", log, sizeof log);
    file = fopen(log, "wb");
    assert_non_null(file);
    assert_true(fputs("what somebody left", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(open_to_write(f, &err), HONE_ERR_DATABASE);
    assert_non_null(strstr(err.text, "is damaged"));
    hone__text_free(&good);
}

/* A run opens its database for every problem. */
static void test_once(void **state)
{
    static const char zeros[PAGE];
    db_fixture *f = *state;
    hone_text good = {0};
    FILE *file;

    make(f, "SELECT 1", &good);
    write_file(f, &good, 0);
    assert_ok(open_to_write(f, why));
    file = fopen(f->path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, PAGE, SEEK_SET), 0);
    assert_int_equal(fwrite(zeros, 1, PAGE, file), PAGE);
    assert_int_equal(fclose(file), 0);
    assert_ok(open_to_write(f, why));
    hone__text_free(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_lost_pages),
        CASE(test_large_files),
        CASE(test_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
