/* SPDX-License-Identifier: Apache-2.0 */
/* A file of every format version that there was: what a reader sees of it is
 * what is there once it is migrated, and the runtime launches the same. */
#include "db_fixture.h"

#include "db/db_internal.h"
#include "runtime/store/store.h"

#include <stdio.h>
#include <string.h>

static const char *const steps[HONE_DB_VERSION + 1] = {
    NULL,
    NULL, /* version_1.sql is a file with rows */
    hone__db_schema_2,
    hone__db_schema_3,
    hone__db_schema_4,
    hone__db_schema_5,
    hone__db_schema_6,
    hone__db_schema_7,
    hone__db_schema_8,
    hone__db_schema_9,
    hone__db_schema_10,
    hone__db_schema_11};

static void make_version(db_fixture *f, int version)
{
    char name[32];
    char stamp[64];

    (void)snprintf(name, sizeof name, "version_%d.db", version);
    fixture_path(f, name, f->path, sizeof f->path);
    fixture_version_1(f);
    for (int i = 2; i <= version; i++)
        assert_int_equal(fixture_sql(f, steps[i]), SQLITE_OK);
    (void)snprintf(stamp, sizeof stamp, "PRAGMA user_version = %d", version);
    assert_int_equal(fixture_sql(f, stamp), SQLITE_OK);
}

/* All that the views have, in the columns of the current format. Before version
 * 4 a ranking's lower places are not shown. */
static void all_views(hone_db *db, int from_version, hone_text *out)
{
    hone_text names = {0};

    fixture_rows(db,
                 "SELECT DISTINCT name FROM (SELECT name FROM sqlite_schema"
                 " WHERE type = 'view' UNION SELECT name FROM"
                 " sqlite_temp_schema WHERE name LIKE '%\\_v_' ESCAPE '\\')"
                 " ORDER BY name",
                 &names);
    for (char *name = names.data; *name;) {
        char *const end = strchr(name, '\n');
        char sql[128];

        *end = '\0';
        hone__text_printf(out, "%s\n", name);
        (void)snprintf(sql, sizeof sql,
                       "SELECT * FROM %s%s ORDER BY 1, 2, 3, 4,"
                       " 5, 6, 7, 8, 9, 10, 11, 12",
                       name,
                       strcmp(name, "ranked_v1") == 0 && from_version < 4
                           ? " WHERE rank = 1"
                           : "");
        fixture_rows(db, sql, out);
        name = end + 1;
    }
    hone__text_free(&names);
}

/* The rows that may be launched, with their code. */
static void launchable(const db_fixture *f, hone_text *out)
{
    hone_store *store = NULL;
    hone_store_op *op = NULL;

    assert_ok(hone__store_open(f->path, &store, why));
    assert_ok(hone__store_list_ops(store, out, why));
    assert_ok(hone__store_op(store, "gemm_f16", &op, why));
    assert_ok(hone__store_widen(store, op, why));
    assert_int_equal(op->n_rows, 2); /* a winner and a default */
    for (size_t i = 0; i < op->n_rows; i++) {
        hone__text_printf(out, "%d %s %g\n", (int)op->rows[i]->rank,
                          op->rows[i]->config, op->rows[i]->time_ns);
        assert_ok(hone__store_cubin(store, op->rows[i], out, why));
    }
    hone__store_close(store);
}

static void check_version(db_fixture *f, int version)
{
    hone_text bytes[2] = {{0}, {0}};
    hone_text rows[2] = {{0}, {0}};
    hone_text launched[2] = {{0}, {0}};

    make_version(f, version);
    assert_ok(hone__text_read_file(&bytes[0], f->path, why));
    for (int i = 0; i < 2; i++) {
        assert_ok(
            hone__db_open(f->path, i ? 0 : HONE_DB_READONLY, &f->db, why));
        assert_int_equal(fixture_integer(f->db, "PRAGMA main.user_version"),
                         i ? HONE_DB_VERSION : version);
        all_views(f->db, version, &rows[i]);
        hone__db_close(f->db);
        f->db = NULL;
        launchable(f, &launched[i]);
        if (i)
            continue;
        assert_ok(hone__text_read_file(&bytes[1], f->path, why));
        assert_int_equal(bytes[0].length, bytes[1].length);
        assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].length);
    }
    assert_string_equal(hone__text_str(&rows[0]), hone__text_str(&rows[1]));
    assert_string_equal(hone__text_str(&launched[0]),
                        hone__text_str(&launched[1]));
    for (int i = 0; i < 2; i++) {
        hone__text_free(&bytes[i]);
        hone__text_free(&rows[i]);
        hone__text_free(&launched[i]);
    }
    fixture_open(f);
    fixture_fill(f); /* tuning goes on */
    assert_rows(f->db, "SELECT count(*) FROM trial_v1", "6\n");
    assert_rows(f->db, "PRAGMA integrity_check", "ok\n");
    assert_rows(f->db, "PRAGMA foreign_key_check", "");
    hone__db_close(f->db);
    f->db = NULL;
}

static void test_every_version(void **state)
{
    for (int version = 1; version <= HONE_DB_VERSION; version++)
        check_version(*state, version);
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(test_every_version)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
