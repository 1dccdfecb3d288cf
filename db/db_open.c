/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing: runtime/store/database.h makes the connection; this
 * prepares it for writing, or for reading an older format. Also who waits for
 * the disk, and whether a file can be used. */
#include "db/db_internal.h"
#include "runtime/base/alloc.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- versions of the format --------------------------------------------- */

/* A new version is one more row here and a new value of HONE_DB_VERSION;
 * released steps never change. A new database runs all of them, so that there
 * is one way to any version. Rejected: a schema of the newest version for new
 * files, a second text that can differ from the first. */
static const hone_db_migration migrations[HONE_DB_VERSION] = {
    {hone__db_schema, NULL},                /* 0 -> 1 */
    {hone__db_schema_2, hone__db_read_1},   /* 1 -> 2 */
    {hone__db_schema_3, hone__db_read_2},   /* 2 -> 3 */
    {hone__db_schema_4, hone__db_read_3},   /* 3 -> 4 */
    {hone__db_schema_5, hone__db_read_4},   /* 4 -> 5 */
    {hone__db_schema_6, hone__db_read_5},   /* 5 -> 6 */
    {hone__db_schema_7, hone__db_read_6},   /* 6 -> 7 */
    {hone__db_schema_8, hone__db_read_7},   /* 7 -> 8 */
    {hone__db_schema_9, hone__db_read_8},   /* 8 -> 9 */
    {hone__db_schema_10, hone__db_read_9},  /* 9 -> 10 */
    {hone__db_schema_11, hone__db_read_10}, /* 10 -> 11 */
};

static hone_status run_steps(hone_db *db, const hone_db_migration *steps,
                             int64_t n_steps, hone_error *err)
{
    char stamp[96];
    int64_t version;

    /* Read under the write lock: another process may have been faster. */
    HONE_TRY(hone__database_integer(db, "read its version",
                                    "PRAGMA user_version", &version, err));
    if (version >= n_steps)
        return HONE_OK;
    for (; version < n_steps; version++)
        HONE_TRY(hone__db_exec(db, steps[version].sql,
                               "bring it to the current format", err));
    (void)sqlite3_snprintf((int)sizeof stamp, stamp,
                           "PRAGMA application_id = %d;"
                           "PRAGMA user_version = %lld",
                           HONE_DB_APPLICATION_ID, (long long)n_steps);
    return hone__db_exec(db, stamp, "bring it to the current format", err);
}

hone_status hone__db_migrate(hone_db *db, const hone_db_migration *steps,
                             int64_t n_steps, hone_error *err)
{
    hone_status status;
    int nested;

    /* A step may edit the schema's text; nothing else ever may. */
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    status = hone__db_enter(db, &nested, err);
    if (status == HONE_OK)
        status =
            hone__db_leave(db, nested, run_steps(db, steps, n_steps, err), err);
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return status;
}

/* For a reader, who must not change the file: temporary views of this
 * connection give a file of `version` the current columns. */
static hone_status read_old(hone_db *db, int64_t version, hone_error *err)
{
    static const char doing[] = "read its old format";

    if (version >= HONE_DB_VERSION)
        return HONE_OK;
    /* The folder for temporary files may be read-only, or full. */
    HONE_TRY(hone__db_exec(db, "PRAGMA temp_store = MEMORY", doing, err));
    for (; version < HONE_DB_VERSION; version++)
        HONE_TRY(hone__db_exec(db, migrations[version].read, doing, err));
    return HONE_OK;
}

/* ---- opening and closing ------------------------------------------------ */

void hone__db_remove(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < N_OF(endings); ++i) {
        hone_text name = {0};

        hone__text_printf(&name, "%s%s", path, endings[i]);
        if (!name.failed)
            (void)unlink(name.data);
        hone__text_free(&name);
    }
}

void hone__db_close(hone_db *db)
{
    if (db)
        hone__database_close(db);
    hone__free(db);
}

hone_status hone__db_empty_log(hone_db *db, hone_error *err)
{
    int64_t is_busy = 0;

    /* Who reads or writes it is no error to SQLite, only a 1. */
    HONE_TRY(hone__database_integer(db, "complete its file",
                                    "PRAGMA wal_checkpoint(TRUNCATE)", &is_busy,
                                    err));
    return is_busy
               ? hone__fail(err, HONE_ERR_BUSY,
                            "database '%s': cannot complete its file: another "
                            "process has it open; run again",
                            db->path)
               : HONE_OK;
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

/* The first thing that SQLite finds wrong with the pages of the file. */
static hone_status on_finding(void *user, const hone_db_row *row,
                              hone_error *err)
{
    const hone_db *const db = user;

    if (strcmp(row->values[0].text, "ok") == 0)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_DATABASE,
                      "database '%s' is damaged (SQLite: %.160s); save what "
                      "can be read with the sqlite3 command '.recover' into a "
                      "new file, or move it away and tune again",
                      db->path, row->values[0].text);
}

/* Somebody who used it was killed, or the machine lost its power; or somebody
 * uses it now. */
static int has_log(const hone_db *db)
{
    struct stat log;

    return stat(sqlite3_filename_wal(sqlite3_db_filename(db->handle, "main")),
                &log) == 0 &&
           log.st_size > 0;
}

/* What is written into a damaged file is lost with it, so that a writer looks
 * first, where that costs little: some 12 ms of computing for each MiB. */
static hone_status look_over(hone_db *db, hone_error *err)
{
    static const char doing[] = "look it over";
    const int64_t most_bytes =
        has_log(db) ? HONE_DB_LOOK_BYTES_LOG : HONE_DB_LOOK_BYTES;
    /* The last one of this thread: a run opens its database several times. */
    static _Thread_local struct stat looked_over;
    struct stat file = {.st_ino = 0};
    int64_t n_pages, page_bytes;
    hone_status status;

    HONE_TRY(
        hone__database_integer(db, doing, "PRAGMA page_count", &n_pages, err));
    HONE_TRY(hone__database_integer(db, doing, "PRAGMA page_size", &page_bytes,
                                    err));
    if (stat(sqlite3_db_filename(db->handle, "main"), &file) ||
        (file.st_dev == looked_over.st_dev &&
         file.st_ino == looked_over.st_ino))
        return HONE_OK;
    /* What it was may go, and its number be another file's. */
    looked_over = (struct stat){.st_ino = 0};
    if (!n_pages || n_pages > most_bytes / page_bytes)
        return HONE_OK;
    hone__database_limit(db, HONE_DB_SHOW_SECONDS);
    status = hone__db_query(db, "PRAGMA quick_check(1)", NULL, 0, on_finding,
                            db, err);
    hone__database_limit(db, HONE_DB_WRITE_SECONDS);
    if (status == HONE_OK)
        looked_over = file;
    return status;
}

static hone_status prepare_writer(hone_db *db, int64_t version, hone_error *err)
{
    if (sqlite3_db_readonly(db->handle, "main"))
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_SQLITE,
                                 SQLITE_READONLY,
                                 "database '%s' is read-only; make the file "
                                 "writable or name another database",
                                 db->path);
    HONE_TRY(look_over(db, err));
    HONE_TRY(use_journal(db, err));
    /* FULL: a commit is on the disk when it returns. Recursive: what a REPLACE
     * takes away is taken from the counts, too. */
    HONE_TRY(hone__db_exec(db,
                           "PRAGMA synchronous = FULL;"
                           "PRAGMA foreign_keys = ON;"
                           "PRAGMA recursive_triggers = ON",
                           "prepare it for writing", err));
    if (version < HONE_DB_VERSION)
        return hone__db_migrate(db, migrations, HONE_DB_VERSION, err);
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
    if (status == HONE_OK && readonly)
        hone__database_limit(db, HONE_DB_SHOW_SECONDS);
    if (status == HONE_OK)
        status = readonly ? read_old(db, version, err)
                          : prepare_writer(db, version, err);
    if (status != HONE_OK) {
        hone__db_close(db);
        return status;
    }
    *out = db;
    return HONE_OK;
}

const char *hone__db_lockless(const hone_db *db)
{
    /* Other codes are of read-only storage, which has no need of them. */
    return (db->lockless & 0xff) == SQLITE_IOERR
               ? sqlite3_errstr(db->lockless & 0xff)
               : NULL;
}

/* ---- who waits for the disk: the commit, or another process ------------- */

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

/* ---- can it be used? ---------------------------------------------------- */

static hone_status inspect(hone_db *db, int64_t most_bytes,
                           hone_db_summary *out, hone_error *err)
{
    static const char doing[] = "check it";
    int64_t n_pages, page_bytes;

    HONE_TRY(
        hone__database_integer(db, doing, "PRAGMA page_count", &n_pages, err));
    HONE_TRY(hone__database_integer(db, doing, "PRAGMA page_size", &page_bytes,
                                    err));
    out->is_read = n_pages <= most_bytes / page_bytes;
    if (out->is_read)
        HONE_TRY(hone__db_query(db, "PRAGMA quick_check(1)", NULL, 0,
                                on_finding, db, err));
    HONE_TRY(hone__database_integer(db, doing, "PRAGMA main.user_version",
                                    &out->version, err));
    HONE_TRY(hone__database_integer(db, doing,
                                    "SELECT sum(n_winners) FROM coverage_v1",
                                    &out->n_winners, err));
    return hone__database_integer(db, doing,
                                  "SELECT sum(n_trials) FROM coverage_v1",
                                  &out->n_trials, err);
}

hone_status hone__db_inspect(const char *path, int64_t most_bytes,
                             hone_db_summary *out, hone_error *err)
{
    hone_db *db = NULL;
    hone_status status;

    HONE_TRY(hone__db_open(path, HONE_DB_READONLY, &db, err));
    status = inspect(db, most_bytes, out, err);
    hone__db_close(db);
    return status;
}
