/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing: runtime/store/database.h makes the connection; this
 * prepares it for writing, or for reading an older format. */
#include "db/db_internal.h"
#include "runtime/base/alloc.h"

#include <time.h>

const char *hone__db_path(const hone_db *db)
{
    return db->path;
}

void hone__db_close(hone_db *db)
{
    if (db)
        hone__database_close(db);
    hone__free(db);
}

/* On file systems without shared memory WAL stays off, which is slower and
 * just as safe. SQLite does not wait by itself when several processes turn
 * it on at the same time. */
static hone_status use_journal(hone_db *db, hone_error *err)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000000L};
    const int64_t deadline_ns =
        hone__db_now_unix_ns() + HONE_DB_BUSY_TIMEOUT_MS * (int64_t)1000000;

    for (;;) {
        const hone_status status = hone__db_exec(
            db, "PRAGMA journal_mode = WAL", "prepare it for writing", err);

        if (status != HONE_ERR_BUSY || hone__db_now_unix_ns() > deadline_ns)
            return status;
        (void)nanosleep(&pause, NULL);
    }
}

static hone_status prepare_writer(hone_db *db, int64_t version, hone_error *err)
{
    if (sqlite3_db_readonly(db->handle, "main"))
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_SQLITE,
                                 SQLITE_READONLY,
                                 "database '%s' is read-only; make the file "
                                 "writable or name another database",
                                 db->path);
    HONE_TRY(use_journal(db, err));
    /* FULL: a commit is on the disk when it returns. */
    HONE_TRY(hone__db_exec(db,
                           "PRAGMA synchronous = FULL;"
                           "PRAGMA foreign_keys = ON",
                           "prepare it for writing", err));
    if (version < HONE_DB_VERSION)
        return hone__db_migrate(db, hone__db_migrations, HONE_DB_VERSION, err);
    return HONE_OK;
}

hone_status hone__db_open(const char *path, int flags, hone_db **out,
                          hone_error *err)
{
    const int readonly = flags & HONE_DB_READONLY;
    const hone_database_access access = readonly ? HONE_DATABASE_READ
                                        : flags & HONE_DB_CREATE
                                            ? HONE_DATABASE_CREATE
                                            : HONE_DATABASE_WRITE;
    int64_t version = 0;
    hone_status status;
    hone_db *db;

    *out = NULL;
    if (readonly && (flags & HONE_DB_CREATE))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "a database cannot be created read-only");
    db = hone__alloc(sizeof *db);
    if (!db)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    status = hone__database_open(path, access, db, &version, err);
    if (status == HONE_OK)
        status = readonly ? hone__db_read_old(db, version, err)
                          : prepare_writer(db, version, err);
    if (status != HONE_OK) {
        hone__db_close(db);
        return status;
    }
    *out = db;
    return HONE_OK;
}
