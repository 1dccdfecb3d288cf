/* SPDX-License-Identifier: Apache-2.0 */
/* What a database has learned of an operation: the choosers of model_v1
 * (db/FORMAT.md). See store_database.h. */
#include "runtime/store/store_database.h"

#include <sqlite3.h>
#include <string.h>

/* A column as a text of the op; NULL: there is no memory. */
static const char *keep(hone_store_op *op, sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return text ? hone__arena_strndup(&op->arena, text, strlen(text)) : NULL;
}

/* None of the columns may be NULL. `last` is where the next one goes. */
static hone_status add_chooser(hone_store_op *op, sqlite3_stmt *statement,
                               hone_store_chooser ***last, hone_error *err)
{
    hone_store_chooser *c = hone__arena_alloc(&op->arena, sizeof *c);

    if (!c)
        return hone__out_of_memory(err, " while reading the database");
    c->id = sqlite3_column_int64(statement, 0);
    c->sm_count = sqlite3_column_int64(statement, 1);
    c->is_cold = sqlite3_column_int(statement, 2);
    c->types = keep(op, statement, 3);
    c->device_name = keep(op, statement, 4);
    c->driver_version = keep(op, statement, 5);
    c->arch = keep(op, statement, 6);
    if (!c->types || !c->device_name || !c->driver_version || !c->arch)
        return hone__out_of_memory(err, " while reading the database");
    **last = c;
    *last = &c->next;
    return HONE_OK;
}

hone_status hone__store_database_read_choosers(hone_store *store,
                                               hone_store_op *op,
                                               hone_error *err)
{
    const hone_store_database *from = hone__store_database(store);
    hone_store_chooser **last = &op->choosers;
    sqlite3_stmt *statement = NULL;
    hone_status status = HONE_OK;
    int code = SQLITE_ROW;

    if (from->version < 10)
        return HONE_OK;
    HONE_TRY(hone__database_prepare(
        &from->file, "read it",
        "SELECT model_id, sm_count, mode = 'cold', types, device_name,"
        " driver_version, arch FROM model_v1"
        " WHERE op = ?1 AND device_kind = ?2 AND kind = 'chooser'"
        " ORDER BY model_id",
        &statement, err));
    (void)sqlite3_bind_text(statement, 1, op->name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, store->device_kind, -1,
                            SQLITE_STATIC);
    while (status == HONE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = add_chooser(op, statement, &last, err);
    if (status == HONE_OK && code != SQLITE_DONE)
        status = hone__database_fail(&from->file, code, "read it", err);
    (void)sqlite3_finalize(statement);
    return status;
}

hone_status hone__store_database_chooser_text(const hone_store *store,
                                              const hone_store_chooser *chooser,
                                              hone_text *out, hone_error *err)
{
    static const char doing[] = "read a chooser";
    const hone_database *file = &hone__store_database(store)->file;
    sqlite3_stmt *statement = NULL;
    const char *sha256;
    hone_status status;
    int code;

    HONE_TRY(hone__database_prepare(
        file, doing,
        "SELECT size_bytes, data, sha256 FROM model_v1 WHERE model_id = ?1",
        &statement, err));
    (void)sqlite3_bind_int64(statement, 1, chooser->id);
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        sha256 = (const char *)sqlite3_column_text(statement, 2);
        status = sha256 ? hone__artifact_unpack(file, "a chooser for",
                                                chooser->device_name, sha256,
                                                statement, out, err)
                        : hone__out_of_memory(err, " while reading a chooser");
    } else if (code == SQLITE_DONE) {
        status = hone__fail(err, HONE_ERR_DATABASE,
                            "database '%s' does not have it any more; it was "
                            "changed meanwhile, try again",
                            file->path);
    } else {
        status = hone__database_fail(file, code, doing, err);
    }
    (void)sqlite3_finalize(statement);
    return status;
}
