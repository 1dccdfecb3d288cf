/* SPDX-License-Identifier: Apache-2.0 */
/* Artifacts: bytes named by the SHA-256 of their content, each stored once
 * as one zstd frame, and checked against the name whenever they are read. Also
 * what a variant is launched with, checked as the runtime does it. */
#include "db/db_internal.h"
#include "runtime/base/alloc.h"
#include "runtime/store/launch_hash.h"

#include <string.h>
#include <zstd.h>

enum {
    /* Level 3 takes 0.1 ms for a cubin of 13 KB, level 9 0.9 and level 19
     * 5 ms, and they are 6 and 13 % smaller: a tuning run stores a hundred a
     * second beside its other work. */
    LEVEL = 3
};

hone_status hone__db_artifact_get(hone_db *db, const char *sha256,
                                  hone_text *out, hone_error *err)
{
    static const char doing[] = "read an artifact";
    const hone_db_value values[] = {hone__db_text_or_empty(sha256)};
    sqlite3_stmt *statement;
    hone_status status;
    int code;

    HONE_TRY(hone__db_prepare(
        db, doing, "SELECT size_bytes, data FROM artifact WHERE sha256 = ?1",
        values, 1, &statement, err));
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        status = hone__artifact_unpack(db, "artifact", values[0].text,
                                       values[0].text, statement, out, err);
    } else if (code == SQLITE_DONE) {
        status = hone__fail(err, HONE_ERR_NOT_FOUND,
                            "database '%s' has no artifact %s", db->path,
                            values[0].text);
    } else {
        status = hone__database_fail(db, code, doing, err);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

/* Is it stored, and whole? Then there is nothing to do. */
static hone_status stored(hone_db *db, const char *sha256, int *out_whole,
                          hone_error *err)
{
    hone_text content = {0};
    hone_error why = {0};
    const hone_status status =
        hone__db_artifact_get(db, sha256, &content, &why);

    hone__text_free(&content);
    *out_whole = status == HONE_OK;
    if (status == HONE_OK || status == HONE_ERR_NOT_FOUND ||
        hone__db_is_damage(&why))
        return HONE_OK;
    if (err)
        *err = why;
    return status;
}

static hone_status insert(hone_db *db, const char *kind, const char *sha256,
                          const void *data, size_t data_bytes,
                          size_t size_bytes, hone_error *err)
{
    const hone_db_value values[] = {hone__db_text(sha256), hone__db_text(kind),
                                    hone__db_integer((int64_t)size_bytes),
                                    hone__db_blob(data, data_bytes)};

    return hone__db_run(db, "store an artifact",
                        "INSERT INTO artifact (sha256, kind, size_bytes, data)"
                        " VALUES (?1, ?2, ?3, ?4)"
                        " ON CONFLICT (sha256) DO UPDATE"
                        " SET size_bytes = excluded.size_bytes,"
                        "     data = excluded.data",
                        values, 4, NULL, err);
}

hone_status hone__db_artifact_put(hone_db *db, const char *kind,
                                  const void *bytes, size_t size_bytes,
                                  char out_sha256[HONE_SHA256_HEX],
                                  hone_error *err)
{
    const size_t bound = ZSTD_compressBound(size_bytes);
    hone_status status;
    char *data;
    size_t n;
    int whole;

    HONE_TRY(hone__db_need("artifact", "kind", kind, err));
    if (size_bytes > HONE_ARTIFACT_MOST_BYTES)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "an artifact of %zu bytes is too large to store "
                          "(at most %d)",
                          size_bytes, HONE_ARTIFACT_MOST_BYTES);
    hone__sha256_hex(bytes, size_bytes, out_sha256);
    HONE_TRY(stored(db, out_sha256, &whole, err));
    if (whole)
        return HONE_OK;
    data = hone__alloc(bound);
    if (!data)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    n = ZSTD_compress(data, bound, bytes, size_bytes, LEVEL);
    status = ZSTD_isError(n)
                 ? hone__fail(err, HONE_ERR_NO_MEMORY,
                              "cannot compress an artifact: %s",
                              ZSTD_getErrorName(n))
                 : insert(db, kind, out_sha256, data, n, size_bytes, err);
    hone__free(data);
    return status;
}

/* ---- what a variant is launched with ------------------------------------ */

int hone__db_is_damage(const hone_error *err)
{
    return err->status == HONE_ERR_DATABASE && err->domain == HONE_DOMAIN_NONE;
}

void hone__db_launch_free(hone_db_launch *launch)
{
    hone__text_free(&launch->config);
    hone__text_free(&launch->launch_plan);
    hone__text_free(&launch->cubin);
}

typedef struct launch_walk {
    hone_db *db;
    hone_db_launch *out;
    char cubin_sha256[HONE_SHA256_HEX];
    int found;
} launch_walk;

static const char launch_sql[] =
    "SELECT config, types, arch, coalesce(cubin_sha256, ''),"
    " launch_plan, launch_sha256, op FROM launch_v1 WHERE variant_id = ?1";

static hone_status on_launch(void *user, const hone_db_row *row,
                             hone_error *err)
{
    const hone_db_value *const values = row->values;
    launch_walk *const walk = user;
    hone_db_launch *const out = walk->out;
    const hone_launch_parts parts = {values[0].text, values[1].text,
                                     values[2].text, values[3].text,
                                     values[4].text};
    hone_launch_spec *spec = NULL;
    hone_error why = {0};
    const hone_status status = hone__launch_verify(
        &parts, values[5].kind == HONE_DB_TEXT ? values[5].text : NULL,
        values[6].text, &spec, &why);

    hone__launch_spec_free(spec);
    if (status == HONE_ERR_NO_MEMORY)
        return hone__fail(err, status, "%s", why.text);
    if (status != HONE_OK)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "database '%s' is damaged: the launch plan of "
                          "%.200s: %.300s; tuning again stores a good one",
                          walk->db->path, parts.config, why.text);
    walk->found = 1;
    (void)sqlite3_snprintf((int)sizeof walk->cubin_sha256, walk->cubin_sha256,
                           "%s", parts.cubin_sha256);
    hone__text_puts(&out->config, parts.config);
    hone__text_puts(&out->launch_plan, parts.launch_plan);
    HONE_TRY(hone__text_check(&out->config, err));
    return hone__text_check(&out->launch_plan, err);
}

hone_status hone__db_launch_get(hone_db *db, int64_t variant_id,
                                hone_db_launch *out, hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(variant_id)};
    launch_walk walk = {.db = db, .out = out};
    hone_status status;

    *out = (hone_db_launch){.config = {0}};
    status = hone__db_query(db, launch_sql, values, 1, on_launch, &walk, err);
    if (status == HONE_OK && !walk.found)
        status = hone__fail(err, HONE_ERR_DATABASE,
                            "database '%s' is damaged: there is no variant "
                            "%lld of a template",
                            db->path, (long long)variant_id);
    if (status == HONE_OK && walk.cubin_sha256[0])
        status = hone__db_artifact_get(db, walk.cubin_sha256, &out->cubin, err);
    if (status == HONE_ERR_NOT_FOUND && walk.found)
        status = hone__fail(err, HONE_ERR_DATABASE,
                            "database '%s' is damaged: the cubin of %.200s is "
                            "not there; tuning again stores a good one",
                            db->path, hone__text_str(&out->config));
    if (status != HONE_OK)
        hone__db_launch_free(out);
    return status;
}
