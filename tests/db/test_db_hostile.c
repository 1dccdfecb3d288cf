/* SPDX-License-Identifier: Apache-2.0 */
/* Databases that somebody made to do harm: views that never end, a frame that
 * takes gigabytes, files beside it that are none; and one that nobody may write
 * to, which is read without mapping anything. */
#include "db_fixture.h"

#include "db/db_internal.h"
#include "runtime/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* All columns of a view, each of them endless rows of something. */
static void make_endless(db_fixture *f, const char *view)
{
    hone_text names = {0}, sql = {0};
    sqlite3 *handle = NULL;
    sqlite3_stmt *columns = NULL;

    assert_int_equal(sqlite3_open(f->path, &handle), SQLITE_OK);
    hone__text_printf(&sql, "PRAGMA table_info(%s)", view);
    assert_int_equal(sqlite3_prepare_v2(handle, sql.data, -1, &columns, NULL),
                     SQLITE_OK);
    while (sqlite3_step(columns) == SQLITE_ROW)
        hone__text_printf(&names, "%s n || 'x' AS %s", names.length ? "," : "",
                          (const char *)sqlite3_column_text(columns, 1));
    assert_true(names.length > 0);
    (void)sqlite3_finalize(columns);
    hone__text_clear(&sql);
    hone__text_printf(&sql,
                      "DROP VIEW %s; CREATE VIEW %s AS WITH RECURSIVE r(n) AS"
                      " (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT %s"
                      " FROM r",
                      view, view, names.data);
    assert_int_equal(sqlite3_exec(handle, sql.data, NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(handle), SQLITE_OK);
    hone__text_free(&names);
    hone__text_free(&sql);
}

static hone_status pass_over(void *user, const hone_db_row *row,
                             hone_error *err)
{
    (void)user, (void)row, (void)err;
    return HONE_OK;
}

static void endless_views(void **state)
{
    db_fixture *f = *state;
    hone_store *store = NULL;
    hone_store_op *op = NULL;
    hone_error err = {0};
    hone_db *db = NULL;

    fixture_open(f);
    fixture_fill(f);
    hone__db_close(f->db);
    f->db = NULL;
    make_endless(f, "winner_v1");
    make_endless(f, "trial_v1");
    assert_int_equal(setenv("HONE_DB_SECONDS", "1", 1), 0);
    /* A launch of a program. */
    assert_ok(hone__store_open(f->path, &store, why));
    assert_int_equal(hone__store_op(store, "gemm_f16", &op, &err),
                     HONE_ERR_DATABASE);
    assert_non_null(strstr(err.text, "more than 1 seconds of computing"));
    hone__store_close(store);
    /* A command: as many rows as fit in a second. */
    assert_ok(hone__db_open(f->path, HONE_DB_READONLY, &db, why));
    assert_int_equal(hone__db_query(db, "SELECT * FROM trial_v1", NULL, 0,
                                    pass_over, NULL, &err),
                     HONE_ERR_DATABASE);
    assert_non_null(strstr(err.text, "HONE_DB_SECONDS"));
    /* The next statement has its own time. */
    assert_ok(hone__db_query(db, "SELECT * FROM device", NULL, 0, pass_over,
                             NULL, why));
    hone__db_close(db);
    assert_int_equal(unsetenv("HONE_DB_SECONDS"), 0);
}

/* An artifact of 34 KB that says, truly, that it is half a GiB. */
static void large_frame(void **state)
{
    enum { PIECE = 1 << 20, PIECES = 512 };
    static char zeros[PIECE], frame[1 << 20];
    db_fixture *f = *state;
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_outBuffer out = {frame, sizeof frame, 0};
    char sql[300];
    hone_text content = {0};
    sqlite3_stmt *put = NULL;
    hone_error err = {0};

    if (!f->db)
        assert_ok(hone__db_open(f->path, HONE_DB_CREATE, &f->db, why));
    assert_non_null(context);
    (void)ZSTD_CCtx_setPledgedSrcSize(context,
                                      (unsigned long long)PIECE * PIECES);
    for (int i = 0; i < PIECES; ++i) {
        ZSTD_inBuffer in = {zeros, PIECE, 0};

        assert_int_equal(
            ZSTD_compressStream2(context, &out, &in,
                                 i + 1 < PIECES ? ZSTD_e_continue : ZSTD_e_end),
            0);
    }
    (void)ZSTD_freeCCtx(context);
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO artifact (kind, sha256, size_bytes, data)"
                   " VALUES ('cubin', '%064d', %lld, ?1)",
                   7, (long long)PIECE * PIECES);
    assert_int_equal(sqlite3_prepare_v2(f->db->handle, sql, -1, &put, NULL),
                     SQLITE_OK);
    assert_int_equal(
        sqlite3_bind_blob(put, 1, frame, (int)out.pos, SQLITE_STATIC),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(put), SQLITE_DONE);
    (void)sqlite3_finalize(put);
    (void)snprintf(sql, sizeof sql, "%064d", 7);
    assert_int_equal(hone__db_artifact_get(f->db, sql, &content, &err),
                     HONE_ERR_DATABASE);
    assert_non_null(strstr(err.text, "its size is wrong"));
    assert_int_equal(content.capacity, 0);
}

/* Is a file of this name mapped? */
static int is_mapped(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1000];
    int found = 0;

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        found |= strstr(line, name) != NULL;
    (void)fclose(maps);
    return found;
}

static void nobody_writes(void **state)
{
    db_fixture *f = *state;
    hone_store *store = NULL;
    hone_text ops = {0};

    hone__db_close(f->db);
    f->db = NULL;
    assert_ok(hone__store_open(f->path, &store, why));
    assert_true(is_mapped("hone.db-shm"));
    hone__store_close(store);
    assert_int_equal(chmod(f->path, 0444), 0);
    assert_ok(hone__store_open(f->path, &store, why));
    assert_false(is_mapped("hone.db-shm"));
    (void)hone__store_list_ops(store, &ops, NULL);
    hone__store_close(store);
    assert_int_equal(chmod(f->path, 0644), 0);
    hone__text_free(&ops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(endless_views),
                                       cmocka_unit_test(large_frame),
                                       cmocka_unit_test(nobody_writes)};

    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
