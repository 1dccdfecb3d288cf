/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/runtime/chosen_fixture.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static sqlite3 *open_db(const runtime_fixture *fixture)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    return db;
}

static void find_member(sqlite3 *db, const char *op, const char *config,
                        hone_chooser *chooser, size_t member)
{
    sqlite3_stmt *statement = NULL;

    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT launch_sha256, template_name FROM launch_v1"
                           " WHERE op = ?1 AND config = ?2",
                           -1, &statement, NULL),
        SQLITE_OK);
    (void)sqlite3_bind_text(statement, 1, op, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, config, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(hone__chooser_set_member(
                         chooser, member,
                         (const char *)sqlite3_column_text(statement, 0),
                         (const char *)sqlite3_column_text(statement, 1), NULL),
                     HONE_OK);
    (void)sqlite3_finalize(statement);
}

hone_chooser *chosen_make(const runtime_fixture *fixture, const chosen_put *put,
                          size_t n_problems, const int64_t *rest)
{
    int64_t reach[HONE_MAX_DIMS];
    sqlite3 *db = open_db(fixture);
    hone_chooser *c = NULL;
    uint64_t state = 5;

    assert_int_equal(hone__chooser_create(put->op, put->n_dims, put->n_members,
                                          n_problems, &c, NULL),
                     HONE_OK);
    for (size_t d = 0; d < put->n_dims; ++d)
        reach[d] = 4096;
    for (size_t j = 0; j < put->n_members; ++j) {
        find_member(db, put->op, put->configs[j], c, j);
        assert_int_equal(hone__chooser_set_reach(c, j, reach, NULL), HONE_OK);
    }
    for (size_t i = 0; i < n_problems; ++i) {
        int64_t *dims = &c->dims[i * put->n_dims];

        for (size_t d = 0; d < put->n_dims; ++d) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            dims[d] = d < 3 ? INT64_C(16) << (state >> 40) % 8 : rest[d - 3];
        }
        for (size_t j = 0; j < put->n_members; ++j)
            c->time_ns[i * put->n_members + j] = put->time_ns(j, dims);
    }
    c->gain_error = put->gain_error > 0 ? put->gain_error : 1e-4;
    (void)sqlite3_close(db);
    return c;
}

void chosen_store(const runtime_fixture *fixture, const chosen_put *put,
                  const char *text)
{
    const size_t length = strlen(text);
    const size_t bound = ZSTD_compressBound(length);
    sqlite3 *db = open_db(fixture);
    sqlite3_stmt *statement = NULL;
    char *data = malloc(bound);
    char sha256[HONE_SHA256_HEX];
    size_t n;

    assert_non_null(data);
    n = ZSTD_compress(data, bound, text, length, 3);
    hone__sha256_hex(text, length, sha256);
    assert_int_equal(
        sqlite3_prepare_v2(
            db,
            "INSERT INTO model (device_id, op, types, mode, kind, n_trials,"
            " n_problems, trained_unix_s, hone_version, size_bytes, sha256,"
            " data) VALUES (coalesce(nullif(?1, 0), (SELECT min(device_id) FROM"
            " device)), ?2, ?3, ?4, 'chooser', 1, 1, 0, '', ?5, ?6, ?7)",
            -1, &statement, NULL),
        SQLITE_OK);
    (void)sqlite3_bind_int64(statement, 1, put->device_id);
    (void)sqlite3_bind_text(statement, 2, put->op, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 3, put->types, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 4, put->mode ? put->mode : "cold", -1,
                            SQLITE_STATIC);
    (void)sqlite3_bind_int64(statement, 5, (int64_t)length);
    (void)sqlite3_bind_text(statement, 6, sha256, -1, SQLITE_STATIC);
    (void)sqlite3_bind_blob(statement, 7, data, (int)n, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE)
        fail_msg("%s", sqlite3_errmsg(db));
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    free(data);
}

void chosen_put_chooser(const runtime_fixture *fixture, const chosen_put *put,
                        hone_chooser *chooser)
{
    hone_text text = {0};

    assert_int_equal(hone__chooser_write(chooser, &text, NULL), HONE_OK);
    chosen_store(fixture, put, hone__text_str(&text));
    hone__text_free(&text);
    hone__chooser_free(chooser);
}
