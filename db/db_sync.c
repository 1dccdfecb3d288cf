/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for the disk: the commit, or another process. */
#include "db/db_internal.h"

#include <sqlite3.h>
#include <string.h>

static int uses_wal(const hone_db *db)
{
    sqlite3_stmt *statement = NULL;
    int is_wal = 0;

    if (sqlite3_prepare_v2(db->handle, "PRAGMA journal_mode", -1, &statement,
                           NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        is_wal =
            strcmp((const char *)sqlite3_column_text(statement, 0), "wal") == 0;
    (void)sqlite3_finalize(statement);
    return is_wal;
}

const char *hone__db_sync_elsewhere(hone_db *db)
{
    /* Without the log, the order of writes is what protects the file. */
    if (!uses_wal(db) || hone__db_exec(db, "PRAGMA synchronous = NORMAL",
                                       "commit faster", NULL) != HONE_OK)
        return NULL;
    return sqlite3_filename_wal(sqlite3_db_filename(db->handle, "main"));
}

hone_status hone__db_sync_here(hone_db *db, hone_error *err)
{
    return hone__db_exec(db, "PRAGMA synchronous = FULL", "commit safely", err);
}
