/* SPDX-License-Identifier: Apache-2.0 */
/* Running SQL: binding values, one-shot statements, transactions. */
#include "db/db_internal.h"

#include <string.h>
#include <time.h>

/* ---- values ------------------------------------------------------------- */

hone_db_value hone__db_null(void)
{
    return (hone_db_value){.kind = HONE_DB_NULL, .text = ""};
}

hone_db_value hone__db_integer(int64_t value)
{
    return (hone_db_value){.kind = HONE_DB_INTEGER,
                           .integer = value,
                           .real = (double)value,
                           .text = ""};
}

hone_db_value hone__db_real(double value)
{
    return (hone_db_value){.kind = HONE_DB_REAL, .real = value, .text = ""};
}

hone_db_value hone__db_text(const char *text)
{
    if (!text)
        return hone__db_null();
    return (hone_db_value){
        .kind = HONE_DB_TEXT, .text = text, .size_bytes = strlen(text)};
}

hone_db_value hone__db_blob(const void *bytes, size_t size_bytes)
{
    return (hone_db_value){
        .kind = HONE_DB_BLOB, .text = bytes, .size_bytes = size_bytes};
}

hone_db_value hone__db_text_or_empty(const char *text)
{
    return hone__db_text(text ? text : "");
}

hone_db_value hone__db_real_if(int known, double value)
{
    return known ? hone__db_real(value) : hone__db_null();
}

hone_db_value hone__db_integer_if(int known, int64_t value)
{
    return known ? hone__db_integer(value) : hone__db_null();
}

hone_status hone__db_need(const char *table, const char *member,
                          const char *text, hone_error *err)
{
    if (text && *text)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_ARGUMENT, "a %s needs its %s to be stored",
                      table, member);
}

int hone__db_bind(sqlite3_stmt *statement, int index,
                  const hone_db_value *value)
{
    switch (value->kind) {
    case HONE_DB_INTEGER:
        return sqlite3_bind_int64(statement, index, value->integer);
    case HONE_DB_REAL:
        return sqlite3_bind_double(statement, index, value->real);
    case HONE_DB_TEXT:
        return sqlite3_bind_text64(statement, index, value->text,
                                   value->size_bytes, SQLITE_STATIC,
                                   SQLITE_UTF8);
    case HONE_DB_BLOB:
        return sqlite3_bind_blob64(statement, index,
                                   value->text ? value->text : "",
                                   value->size_bytes, SQLITE_STATIC);
    case HONE_DB_NULL:
        break;
    }
    return sqlite3_bind_null(statement, index);
}

/* ---- statements --------------------------------------------------------- */

hone_status hone__db_prepare(hone_db *db, const char *doing, const char *sql,
                             const hone_db_value *values, size_t n_values,
                             sqlite3_stmt **out, hone_error *err)
{
    size_t n_used;
    int code;

    hone__database_begin(db);
    code = sqlite3_prepare_v2(db->handle, sql, -1, out, NULL);
    n_used = (size_t)sqlite3_bind_parameter_count(*out);
    for (size_t i = 0; i < n_values && i < n_used && code == SQLITE_OK; i++)
        code = hone__db_bind(*out, (int)i + 1, &values[i]);
    if (code != SQLITE_OK) {
        const hone_status status = hone__database_fail(db, code, doing, err);

        (void)sqlite3_finalize(*out);
        *out = NULL;
        return status;
    }
    return HONE_OK;
}

hone_status hone__db_run(hone_db *db, const char *doing, const char *sql,
                         const hone_db_value *values, size_t n_values,
                         int64_t *out_first, hone_error *err)
{
    hone_status status = HONE_OK;
    sqlite3_stmt *statement;
    int64_t first = 0;
    int n_rows = 0;
    int code;

    HONE_TRY(
        hone__db_prepare(db, doing, sql, values, n_values, &statement, err));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (n_rows++ == 0)
            first = sqlite3_column_int64(statement, 0);
    }
    if (code != SQLITE_DONE)
        status = hone__database_fail(db, code, doing, err);
    (void)sqlite3_finalize(statement);
    if (out_first)
        *out_first = status == HONE_OK ? first : 0;
    return status;
}

hone_status hone__db_exec(hone_db *db, const char *sql, const char *doing,
                          hone_error *err)
{
    int code;

    hone__database_begin(db);
    code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? HONE_OK
                             : hone__database_fail(db, code, doing, err);
}

hone_status hone__db_find_or_put(hone_db *db, const char *doing,
                                 const char *find, const char *put,
                                 const hone_db_value *values, size_t n_values,
                                 int64_t *out_id, hone_error *err)
{
    HONE_TRY(hone__db_run(db, doing, find, values, n_values, out_id, err));
    if (*out_id)
        return HONE_OK;
    return hone__db_run(db, doing, put, values, n_values, out_id, err);
}

/* ---- transactions ------------------------------------------------------- */

static int in_transaction(const hone_db *db)
{
    return !sqlite3_get_autocommit(db->handle);
}

hone_status hone__db_begin(hone_db *db, hone_error *err)
{
    if (in_transaction(db))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "database '%s': a transaction is open already",
                          db->path);
    /* Taking the write lock now avoids losing the race for it later, when
     * what was read would be out of date. */
    return hone__db_exec(db, "BEGIN IMMEDIATE", "begin a transaction", err);
}

hone_status hone__db_commit(hone_db *db, hone_error *err)
{
    if (!in_transaction(db))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "database '%s': no transaction is open; a write "
                          "that failed may have ended it",
                          db->path);
    return hone__db_exec(db, "COMMIT", "commit", err);
}

void hone__db_rollback(hone_db *db)
{
    if (in_transaction(db))
        (void)sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
}

hone_status hone__db_end(hone_db *db, hone_status status, hone_error *err)
{
    if (status == HONE_OK)
        status = hone__db_commit(db, err);
    /* After some errors SQLite has rolled everything back on its own. */
    if (status != HONE_OK)
        hone__db_rollback(db);
    return status;
}

hone_status hone__db_enter(hone_db *db, int *out_nested, hone_error *err)
{
    *out_nested = in_transaction(db);
    return *out_nested
               ? hone__db_exec(db, "SAVEPOINT hone_step", "begin a step", err)
               : hone__db_begin(db, err);
}

hone_status hone__db_leave(hone_db *db, int nested, hone_status status,
                           hone_error *err)
{
    if (!nested)
        return hone__db_end(db, status, err);
    if (status == HONE_OK)
        status = hone__db_exec(db, "RELEASE hone_step", "end a step", err);
    if (status != HONE_OK && in_transaction(db))
        (void)sqlite3_exec(db->handle,
                           "ROLLBACK TO hone_step; RELEASE hone_step", NULL,
                           NULL, NULL);
    return status;
}

int64_t hone__db_now_unix_ns(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
