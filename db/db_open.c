/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing: finding out whether a file is a database of ours, and
 * making one. */
#include "db/db_internal.h"
#include "runtime/base/alloc.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { BUSY_TIMEOUT_MS = 5000 };

/* What a file says about itself. */
typedef struct identity {
    int64_t application_id;
    int64_t version;
    int64_t n_objects; /* tables, views, indexes */
} identity;

const char *hone__db_path(const hone_db *db)
{
    return db->path;
}

void hone__db_close(hone_db *db)
{
    if (!db)
        return;
    (void)sqlite3_close(db->handle);
    hone__free(db->path);
    hone__free(db);
}

/* ---- before SQLite sees it ----------------------------------------------
 */

static hone_status create_folder_of(const char *path, hone_error *err)
{
    const char *const slash = strrchr(path, '/');
    hone_status status;
    char *folder;

    if (!slash || slash == path)
        return HONE_OK;
    folder = hone__strndup(path, (size_t)(slash - path));
    if (!folder)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    status = hone__folder_create(folder, err);
    hone__free(folder);
    return status;
}

static hone_status check_path(const char *path, int flags, hone_error *err)
{
    struct stat info;

    if (!path || !*path)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "the name of the database is empty");
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return hone__fail(err, HONE_ERR_DATABASE,
                              "'%s' is a folder, not a database; name a "
                              "file in it",
                              path);
        return HONE_OK;
    }
    if (errno != ENOENT)
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot open database '%s': %s", path,
                                 strerror(errno));
    if (!(flags & HONE_DB_CREATE))
        return hone__fail_native(err, HONE_ERR_NOT_FOUND, HONE_DOMAIN_ERRNO,
                                 ENOENT,
                                 "there is no database '%s'; `hone tune` "
                                 "makes one",
                                 path);
    return create_folder_of(path, err);
}

/* ---- connecting ---------------------------------------------------------
 */

/* file:PATH?immutable=1 with everything unusual in PATH as %XX. */
static void immutable_uri(const char *path, hone_text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";

    hone__text_puts(out, path[0] == '/' ? "file://" : "file:");
    for (const char *c = path; *c; c++) {
        if (strchr(plain, *c))
            hone__text_append(out, c, 1);
        else
            hone__text_printf(out, "%%%02x", (unsigned)(unsigned char)*c);
    }
    hone__text_puts(out, "?immutable=1");
}

static hone_status connect(hone_db *db, const char *name, int sqlite_flags,
                           hone_error *err)
{
    const int code = sqlite3_open_v2(name, &db->handle,
                                     sqlite_flags | SQLITE_OPEN_NOMUTEX, NULL);

    if (code != SQLITE_OK)
        return hone__db_fail(db, code, "open it", err);
    (void)sqlite3_extended_result_codes(db->handle, 1);
    (void)sqlite3_busy_timeout(db->handle, BUSY_TIMEOUT_MS);
    /* The file may come from anywhere: its views must not call functions
     * that do more than compute. */
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0,
                            NULL);
    return HONE_OK;
}

static hone_status read_properties(hone_db *db, identity *out, hone_error *err)
{
    static const char doing[] = "read it";

    HONE_TRY(hone__db_run(db, doing, "SELECT count(*) FROM sqlite_schema", NULL,
                          0, &out->n_objects, err));
    HONE_TRY(hone__db_run(db, doing, "PRAGMA application_id", NULL, 0,
                          &out->application_id, err));
    return hone__db_run(db, doing, "PRAGMA user_version", NULL, 0,
                        &out->version, err);
}

/* In one transaction: another process may be making the database now. */
static hone_status read_identity(hone_db *db, identity *out, hone_error *err)
{
    hone_status status;

    HONE_TRY(hone__db_exec(db, "BEGIN", "read it", err));
    status = read_properties(db, out, err);
    hone__db_rollback(db);
    return status;
}

/* Committed rows that are not in the main file yet. */
static int has_journal(const char *path, hone_error *err)
{
    hone_text journal = {0};
    struct stat info;
    int found;

    hone__text_printf(&journal, "%s-wal", path);
    found = hone__text_check(&journal, err) != HONE_OK ||
            (stat(journal.data, &info) == 0 && info.st_size > 0);
    hone__text_free(&journal);
    return found;
}

/* A database on read-only storage cannot have the shared memory file that
 * WAL readers share; nobody can write there, so it is read as it stands,
 * unless its last writer was killed and left a journal behind. */
static hone_status connect_readonly(hone_db *db, identity *out, hone_error *err)
{
    hone_error first = {0};
    hone_text uri = {0};
    hone_status status = connect(db, db->path, SQLITE_OPEN_READONLY, &first);

    if (status == HONE_OK)
        status = read_identity(db, out, &first);
    if (status != HONE_ERR_IO || has_journal(db->path, &first)) {
        if (status != HONE_OK && err)
            *err = first;
        return status;
    }
    (void)sqlite3_close(db->handle);
    db->handle = NULL;
    immutable_uri(db->path, &uri);
    status = hone__text_check(&uri, err);
    if (status == HONE_OK)
        status =
            connect(db, uri.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
    hone__text_free(&uri);
    return status == HONE_OK ? read_identity(db, out, err) : status;
}

/* ---- is it ours? --------------------------------------------------------
 */

static hone_status check_identity(const hone_db *db, const identity *found,
                                  hone_error *err)
{
    if (found->application_id != HONE_DB_APPLICATION_ID)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "'%s' is a SQLite file, but not a database of "
                          "hone; name another one",
                          db->path);
    if (found->version > HONE_DB_VERSION)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "database '%s' has format %lld and this hone reads "
                          "up to %d; use the newer hone that wrote it",
                          db->path, (long long)found->version, HONE_DB_VERSION);
    if (found->version < 1)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "database '%s' is damaged: its format version is "
                          "%lld",
                          db->path, (long long)found->version);
    return HONE_OK;
}

/* On file systems without shared memory WAL stays off, which is slower and
 * just as safe. SQLite does not wait by itself when several processes turn
 * it on at the same time. */
static hone_status use_journal(hone_db *db, hone_error *err)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000000L};
    const int64_t deadline_ns =
        hone__db_now_unix_ns() + BUSY_TIMEOUT_MS * (int64_t)1000000;

    for (;;) {
        const hone_status status = hone__db_exec(
            db, "PRAGMA journal_mode = WAL", "prepare it for writing", err);

        if (status != HONE_ERR_BUSY || hone__db_now_unix_ns() > deadline_ns)
            return status;
        (void)nanosleep(&pause, NULL);
    }
}

static hone_status open_writer(hone_db *db, int flags, hone_error *err)
{
    const int create = flags & HONE_DB_CREATE;
    identity found;
    int is_new;

    HONE_TRY(connect(db, db->path,
                     SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0),
                     err));
    HONE_TRY(read_identity(db, &found, err));
    is_new = create && found.application_id == 0 && found.version == 0 &&
             found.n_objects == 0;
    if (!is_new)
        HONE_TRY(check_identity(db, &found, err));
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
    if (is_new || found.version < HONE_DB_VERSION)
        return hone__db_migrate(db, hone__db_migrations, HONE_DB_VERSION, err);
    return HONE_OK;
}

static hone_status open_reader(hone_db *db, hone_error *err)
{
    identity found;

    db->readonly = 1;
    HONE_TRY(connect_readonly(db, &found, err));
    HONE_TRY(check_identity(db, &found, err));
    return hone__db_read_old(db, found.version, err);
}

hone_status hone__db_open(const char *path, int flags, hone_db **out,
                          hone_error *err)
{
    hone_status status;
    hone_db *db;

    *out = NULL;
    if ((flags & HONE_DB_READONLY) && (flags & HONE_DB_CREATE))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "a database cannot be created read-only");
    HONE_TRY(check_path(path, flags, err));
    db = hone__alloc(sizeof *db);
    if (db)
        db->path = hone__strdup(path);
    if (!db || !db->path) {
        hone__db_close(db);
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    }
    status = flags & HONE_DB_READONLY ? open_reader(db, err)
                                      : open_writer(db, flags, err);
    if (status != HONE_OK) {
        hone__db_close(db);
        return status;
    }
    *out = db;
    return HONE_OK;
}
