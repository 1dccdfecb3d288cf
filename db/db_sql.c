/* SPDX-License-Identifier: Apache-2.0 */
/* SQL that a person wrote: one statement, which reads, or which changes the
 * database in one transaction. What it may touch is asked by SQLite as it is
 * prepared. */
#include "db/db_internal.h"

#include <string.h>

/* ---- what it may do ------------------------------------------------------ */

/* Reading, and PRAGMAs that tell about a table. Other files are not this
 * database, and a setting of the connection would outlive the statement. */
static int allow_reading(void *user, int action, const char *first,
                         const char *second, const char *third,
                         const char *trigger)
{
    (void)user, (void)second, (void)third, (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_PRAGMA:
        return first && (sqlite3_strnicmp(first, "table_", 6) == 0 ||
                         sqlite3_strnicmp(first, "index_", 6) == 0)
                   ? SQLITE_OK
                   : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* Rows may change, what hone relies on may not: tables, views, triggers,
 * settings. */
static int allow_changes(void *user, int action, const char *first,
                         const char *second, const char *third,
                         const char *trigger)
{
    if (action == SQLITE_INSERT || action == SQLITE_UPDATE ||
        action == SQLITE_DELETE)
        return first && sqlite3_strnicmp(first, "sqlite_", 7) == 0 ? SQLITE_DENY
                                                                   : SQLITE_OK;
    return allow_reading(user, action, first, second, third, trigger);
}

/* ---- one statement ------------------------------------------------------- */

static hone_status too_much(int code, const char *what, hone_error *err)
{
    return hone__fail_native(
        err, HONE_ERR_ARGUMENT, HONE_DOMAIN_SQLITE, code,
        "the statement does more than it may: %s; reading is always allowed, "
        "rows are changed with --write, and other files or settings never",
        what);
}

/* HONE_ERR_ARGUMENT with SQLite's sentence and the place. */
static hone_status refuse(hone_db *db, int code, const char *sql,
                          hone_error *err)
{
    const int offset = sqlite3_error_offset(db->handle);
    const char *what = sqlite3_errmsg(db->handle);

    if (code == SQLITE_AUTH)
        return too_much(code, what, err);
    if (code != SQLITE_ERROR)
        return hone__database_fail(db, code, "run it", err);
    if (offset < 0)
        return hone__fail_native(err, HONE_ERR_ARGUMENT, HONE_DOMAIN_SQLITE,
                                 code, "%s", what);
    return hone__fail_native(err, HONE_ERR_ARGUMENT, HONE_DOMAIN_SQLITE, code,
                             "%s, at character %d: %.40s", what, offset + 1,
                             sql + offset);
}

/* Blanks, semicolons, comments. */
static int is_blank(hone_db *db, const char *text)
{
    while (*text) {
        sqlite3_stmt *statement = NULL;
        const char *tail = text;
        const int code =
            sqlite3_prepare_v2(db->handle, text, -1, &statement, &tail);
        const int is_nothing = code == SQLITE_OK && !statement;

        (void)sqlite3_finalize(statement);
        if (!is_nothing)
            return 0;
        if (tail == text)
            break;
        text = tail;
    }
    return 1;
}

/* `*out` is NULL after a failure. */
static hone_status prepare(hone_db *db, const char *sql, int may_change,
                           sqlite3_stmt **out, hone_error *err)
{
    const char *tail = "";
    hone_status status = HONE_OK;
    int code, is_alone = 0;

    *out = NULL;
    (void)sqlite3_set_authorizer(
        db->handle, may_change ? allow_changes : allow_reading, NULL);
    hone__database_begin(db);
    code = sqlite3_prepare_v2(db->handle, sql, -1, out, &tail);
    if (code == SQLITE_OK) /* asked as the statement is: settings stay */
        is_alone = is_blank(db, tail);
    (void)sqlite3_set_authorizer(db->handle, NULL, NULL);
    if (code != SQLITE_OK)
        return refuse(db, code, sql, err);
    if (!*out)
        status = hone__fail(err, HONE_ERR_ARGUMENT, "there is no statement");
    else if (!is_alone)
        status = hone__fail(err, HONE_ERR_ARGUMENT,
                            "one statement at a time: behind the first comes "
                            "%.40s",
                            tail);
    else if (!may_change && !sqlite3_stmt_readonly(*out))
        status = too_much(SQLITE_AUTH, "not authorized", err);
    else if (sqlite3_bind_parameter_count(*out))
        status = hone__fail(err, HONE_ERR_ARGUMENT,
                            "the statement has parameters, for which there "
                            "are no values");
    if (status != HONE_OK) {
        (void)sqlite3_finalize(*out);
        *out = NULL;
    }
    return status;
}

hone_status hone__db_columns(hone_db *db, const char *sql, hone_text *out,
                             hone_error *err)
{
    sqlite3_stmt *statement = NULL;

    HONE_TRY(hone__db_prepare(db, "read its columns", sql, NULL, 0, &statement,
                              err));
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const char *name = sqlite3_column_name(statement, i);

        hone__text_printf(out, "%s%s", i ? ", " : "", name ? name : "");
        out->failed |= !name;
    }
    (void)sqlite3_finalize(statement);
    return hone__text_check(out, err);
}

hone_status hone__db_ask(hone_db *db, const char *sql,
                         const hone_db_asker *asker, hone_error *err)
{
    sqlite3_stmt *statement = NULL;
    hone_status status = HONE_OK;

    HONE_TRY(prepare(db, sql, 0, &statement, err));
    if (asker->columns)
        for (int i = 0;
             i < sqlite3_column_count(statement) && status == HONE_OK; ++i)
            status = asker->columns(asker->user,
                                    sqlite3_column_name(statement, i), err);
    if (status == HONE_OK)
        status = hone__db_walk(db, statement, asker->row, asker->user, err);
    (void)sqlite3_finalize(statement);
    return status;
}

hone_status hone__db_change(hone_db *db, const char *sql, int64_t *out_changed,
                            hone_error *err)
{
    const int64_t before = sqlite3_total_changes64(db->handle);
    sqlite3_stmt *statement = NULL;
    hone_status status;
    int code = SQLITE_ROW;

    *out_changed = 0;
    HONE_TRY(hone__db_begin(db, err));
    status = prepare(db, sql, 1, &statement, err);
    while (status == HONE_OK && code == SQLITE_ROW)
        code = sqlite3_step(statement);
    if (status == HONE_OK && code != SQLITE_DONE)
        status = hone__database_fail(db, code, "run it", err);
    (void)sqlite3_finalize(statement);
    status = hone__db_end(db, status, err);
    if (status == HONE_OK)
        *out_changed = sqlite3_total_changes64(db->handle) - before;
    return status;
}
