/* SPDX-License-Identifier: Apache-2.0 */
/* Models: what trials teach about problems that nobody tuned. The text of one
 * is kept as one zstd frame with its SHA-256, as artifacts are. A chooser
 * (runtime/choose) launches variants, which it knows by their hash: where one
 * of them is gone, it is of no use. */
#include "db/db_internal.h"
#include "db/db_model.h"
#include "runtime/base/alloc.h"
#include "runtime/hone.h"

#include <stdio.h>
#include <string.h>
#include <zstd.h>

enum {
    /* Of texts of some KB, made once a tuning run. */
    MODEL_LEVEL = 19
};

/* ---- put ------------------------------------------------------------------
 */

static hone_status insert(hone_db *db, const hone_db_model *model,
                          const void *data, size_t data_bytes, hone_error *err)
{
    char sha256[HONE_SHA256_HEX];

    hone__sha256_hex(model->text, model->text_bytes, sha256);
    {
        const hone_db_value values[] = {
            hone__db_integer(model->device_id),
            hone__db_text(model->op),
            hone__db_text_or_empty(model->types),
            hone__db_text(model->mode),
            hone__db_text(model->kind),
            hone__db_integer(model->n_trials),
            hone__db_integer(model->n_problems),
            hone__db_real_if(model->error >= 0, model->error),
            hone__db_integer(hone__db_now_unix_ns() / 1000000000),
            hone__db_text(HONE_VERSION),
            hone__db_integer((int64_t)model->text_bytes),
            hone__db_text(sha256),
            hone__db_blob(data, data_bytes)};

        return hone__db_run(
            db, "store a model",
            "INSERT INTO model (device_id, op, types, mode, kind, n_trials,"
            " n_problems, error, trained_unix_s, hone_version, size_bytes,"
            " sha256, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
            " ?11, ?12, ?13) ON CONFLICT (op, device_id, types, mode, kind)"
            " DO UPDATE SET n_trials = excluded.n_trials,"
            " n_problems = excluded.n_problems, error = excluded.error,"
            " trained_unix_s = excluded.trained_unix_s,"
            " hone_version = excluded.hone_version,"
            " size_bytes = excluded.size_bytes, sha256 = excluded.sha256,"
            " data = excluded.data",
            values, N_OF(values), NULL, err);
    }
}

hone_status hone__db_model_put(hone_db *db, const hone_db_model *model,
                               hone_error *err)
{
    const size_t bound = ZSTD_compressBound(model->text_bytes);
    hone_status status;
    char *data;
    size_t n;

    HONE_TRY(hone__db_need("model", "op", model->op, err));
    HONE_TRY(hone__db_need("model", "mode", model->mode, err));
    HONE_TRY(hone__db_need("model", "kind", model->kind, err));
    HONE_TRY(hone__db_need("model", "text", model->text, err));
    if (model->text_bytes > HONE_ARTIFACT_MOST_BYTES)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "a model of %zu bytes is too large to store (at most "
                          "%d)",
                          model->text_bytes, HONE_ARTIFACT_MOST_BYTES);
    data = hone__alloc(bound);
    if (!data)
        return hone__out_of_memory(err, " for a model");
    n = ZSTD_compress(data, bound, model->text, model->text_bytes, MODEL_LEVEL);
    status = ZSTD_isError(n) ? hone__fail(err, HONE_ERR_NO_MEMORY,
                                          "cannot compress a model: %s",
                                          ZSTD_getErrorName(n))
                             : insert(db, model, data, n, err);
    hone__free(data);
    return status;
}

/* ---- get ------------------------------------------------------------------
 */

/* The statement is at a row: size_bytes, data, sha256, n_trials, n_problems,
 * error. */
static hone_status take(hone_db *db, const char *kind, sqlite3_stmt *row,
                        hone_db_model_row *out, hone_error *err)
{
    const char *sha256 = (const char *)sqlite3_column_text(row, 2);

    if (!sha256)
        return hone__out_of_memory(err, " for a model");
    (void)snprintf(out->sha256, sizeof out->sha256, "%s", sha256);
    out->n_trials = sqlite3_column_int64(row, 3);
    out->n_problems = sqlite3_column_int64(row, 4);
    out->error = sqlite3_column_type(row, 5) == SQLITE_NULL
                     ? -1
                     : sqlite3_column_double(row, 5);
    return hone__artifact_unpack(db, "the model of kind", kind, out->sha256,
                                 row, &out->text, err);
}

hone_status hone__db_model_get(hone_db *db, const hone_db_model *key,
                               hone_db_model_row *out, hone_error *err)
{
    static const char doing[] = "read a model";
    const hone_db_value values[] = {
        hone__db_text_or_empty(key->op), hone__db_integer(key->device_id),
        hone__db_text_or_empty(key->types), hone__db_text_or_empty(key->mode),
        hone__db_text_or_empty(key->kind)};
    sqlite3_stmt *statement;
    hone_status status;
    int code;

    *out = (hone_db_model_row){0};
    HONE_TRY(hone__db_prepare(
        db, doing,
        "SELECT size_bytes, data, sha256, n_trials, n_problems, error"
        " FROM model_v1 WHERE op = ?1 AND device_id = ?2 AND types = ?3"
        " AND mode = ?4 AND kind = ?5",
        values, N_OF(values), &statement, err));
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        status = take(db, values[4].text, statement, out, err);
    else if (code == SQLITE_DONE)
        status = hone__fail(err, HONE_ERR_NOT_FOUND,
                            "database '%s' has no model of kind %s for %s",
                            db->path, values[4].text, values[0].text);
    else
        status = hone__database_fail(db, code, doing, err);
    (void)sqlite3_finalize(statement);
    if (status != HONE_OK)
        hone__text_free(&out->text);
    return status;
}

/* ---- what it refers to ------------------------------------------------------
 */

/* Append the hashes of the variants that the text of a chooser launches, one a
 * line. */
static hone_status members_of(const char *text, hone_text *out, hone_error *err)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        const char *hash;

        line += *line == '\n';
        if (strncmp(line, "member ", 7) != 0)
            continue;
        hash = strchr(line + 7, ' ');
        if (hash && strcspn(hash + 1, " \n") == HONE_SHA256_HEX - 1)
            hone__text_printf(out, "%.*s\n", HONE_SHA256_HEX - 1, hash + 1);
    }
    return hone__text_check(out, err);
}

typedef struct member_walk {
    hone_db *db;
    hone_text text; /* scratch */
    hone_text members;
} member_walk;

/* One that is damaged goes, too: it has a member of no variant. */
static hone_status note_members(void *user, const hone_db_row *row,
                                hone_error *err)
{
    member_walk *walk = user;
    const hone_db_value *v = row->values;
    const hone_db_model key = {.op = v[1].text,
                               .device_id = v[2].integer,
                               .types = v[3].text,
                               .mode = v[4].text,
                               .kind = "chooser"};
    hone_db_model_row model;
    hone_error why = {0};
    hone_status status = hone__db_model_get(walk->db, &key, &model, &why);

    hone__text_clear(&walk->members);
    if (status == HONE_OK)
        status = members_of(hone__text_str(&model.text), &walk->members, err);
    else if (hone__db_is_damage(&why))
        status = HONE_OK;
    else
        status = hone__fail_native(err, why.status, why.domain, why.native,
                                   "%s", why.text);
    hone__text_free(&model.text);
    HONE_TRY(status);
    if (!walk->members.length)
        hone__text_puts(&walk->members, "-\n");
    for (char *at = walk->members.data; at && *at;) {
        char *end = strchr(at, '\n');
        hone_db_value values[2];

        *end = '\0';
        values[0] = v[0];
        values[1] = hone__db_text(at);
        HONE_TRY(hone__db_run(walk->db, "look at a model",
                              "INSERT INTO temp.model_member VALUES (?1, ?2)",
                              values, 2, NULL, err));
        at = end + 1;
    }
    return HONE_OK;
}

hone_status hone__db_models_collect(hone_db *db, hone_error *err)
{
    member_walk walk = {.db = db};
    hone_status status = hone__db_exec(
        db, "CREATE TEMP TABLE model_member (model_id INTEGER, sha256 TEXT)",
        "look at models", err);

    HONE_TRY(status);
    status = hone__db_query(db,
                            "SELECT model_id, op, device_id, types, mode"
                            " FROM model_v1 WHERE kind = 'chooser'",
                            NULL, 0, note_members, &walk, err);
    hone__text_free(&walk.members);
    HONE_TRY(status);
    return hone__db_exec(
        db,
        "DELETE FROM model WHERE model_id IN"
        " (SELECT model_id FROM temp.model_member WHERE sha256 NOT IN"
        "  (SELECT launch_sha256 FROM variant"
        "    WHERE launch_sha256 IS NOT NULL));"
        "UPDATE temp.gone SET n = n + changes() WHERE what = 'models';"
        "DROP TABLE temp.model_member",
        "remove models", err);
}
