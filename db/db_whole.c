/* SPDX-License-Identifier: Apache-2.0 */
/* SQL functions that say whether what a row has is what was stored, for
 * choosing between two files that say different things of one row
 * (merge_rows.sql). */
#include "db/db_internal.h"
#include "runtime/store/launch_hash.h"

#include <string.h>

static const char *text_of(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);

    return text ? text : "";
}

static void answer(sqlite3_context *context, hone_status status)
{
    if (status == HONE_ERR_NO_MEMORY)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_int(context, status == HONE_OK);
}

/* is_whole_artifact(sha256, size_bytes, data). The row that is read is one of
 * these values: there may be two of one name. */
static void is_whole_artifact(sqlite3_context *context, int n,
                              sqlite3_value **values)
{
    const hone_db *db = sqlite3_user_data(context);
    sqlite3_stmt *row = NULL;
    hone_text content = {0};
    hone_error why = {0};
    hone_status status = HONE_ERR_NO_MEMORY;

    (void)n;
    if (sqlite3_prepare_v2(db->handle, "SELECT ?1, ?2", -1, &row, NULL) ==
            SQLITE_OK &&
        sqlite3_bind_value(row, 1, values[1]) == SQLITE_OK &&
        sqlite3_bind_value(row, 2, values[2]) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW)
        status = hone__artifact_unpack(db, "artifact", text_of(values[0]),
                                       text_of(values[0]), row, &content, &why);
    (void)sqlite3_finalize(row);
    hone__text_free(&content);
    answer(context, status);
}

/* is_whole_launch(launch_sha256, config, types, arch, cubin_sha256, plan); of a
 * row without a hash nobody can say that it is not. */
static void is_whole_launch(sqlite3_context *context, int n,
                            sqlite3_value **values)
{
    const hone_launch_parts parts = {text_of(values[1]), text_of(values[2]),
                                     text_of(values[3]), text_of(values[4]),
                                     text_of(values[5])};
    char sha256[HONE_SHA256_HEX];
    hone_error why = {0};
    hone_status status = HONE_OK;

    (void)n;
    if (sqlite3_value_type(values[0]) != SQLITE_NULL) {
        status = hone__launch_hash(&parts, sha256, &why);
        if (status == HONE_OK && strcmp(sha256, text_of(values[0])) != 0)
            status = HONE_ERR_DATABASE;
    }
    answer(context, status);
}

hone_status hone__db_add_whole(hone_db *db, hone_error *err)
{
    static const struct {
        const char *name;
        int n_values;
        void (*function)(sqlite3_context *context, int n,
                         sqlite3_value **values);
    } functions[] = {{"is_whole_artifact", 3, is_whole_artifact},
                     {"is_whole_launch", 6, is_whole_launch}};

    for (size_t i = 0; i < N_OF(functions); ++i) {
        const int code = sqlite3_create_function(
            db->handle, functions[i].name, functions[i].n_values,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, db,
            functions[i].function, NULL, NULL);

        if (code != SQLITE_OK)
            return hone__database_fail(db, code, "prepare for merging", err);
    }
    return HONE_OK;
}
