/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a database file: see database.h. */
#include "runtime/store/database.h"

#include "runtime/base/alloc.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

/* What a code means for the person who runs us. Primary codes; what is not
 * here is HONE_ERR_DATABASE with SQLite's own words. */
static const struct {
    int code;
    hone_status status;
    const char *advice;
} meanings[] = {
    {SQLITE_BUSY, HONE_ERR_BUSY,
     "another process has been writing to it for more than 5 seconds, or its "
     "disk gives no locks; wait for that one to finish and run again"},
    {SQLITE_LOCKED, HONE_ERR_BUSY, "it is locked by this same process"},
    {SQLITE_NOMEM, HONE_ERR_NO_MEMORY, "out of memory"},
    {SQLITE_FULL, HONE_ERR_IO,
     "the disk is full; free some space and run again, what was stored "
     "before is safe"},
    {SQLITE_READONLY, HONE_ERR_IO,
     "it is read-only; make the file and its folder writable or name "
     "another database"},
    {SQLITE_CANTOPEN, HONE_ERR_IO,
     "the file cannot be opened; check that it and its folder are readable "
     "and, for tuning, writable"},
    {SQLITE_PERM, HONE_ERR_IO, "access is denied; check its permissions"},
    {SQLITE_AUTH, HONE_ERR_IO, "access is denied; check its permissions"},
    {SQLITE_IOERR, HONE_ERR_IO,
     "reading or writing the file failed; check the disk it is on"},
    {SQLITE_NOTADB, HONE_ERR_DATABASE,
     "the file is not a database (a pack is for launching alone); name "
     "another one"},
    {SQLITE_CORRUPT, HONE_ERR_DATABASE,
     "the file is damaged; save what can be read with the sqlite3 command "
     "'.recover' into a new file"},
    {SQLITE_CONSTRAINT, HONE_ERR_DATABASE,
     "the schema refuses a value of the row"},
    {SQLITE_INTERRUPT, HONE_ERR_INTERRUPTED, "interrupted"},
    {SQLITE_MISUSE, HONE_ERR_INTERNAL, "SQLite was called wrongly"},
};

hone_status hone__database_fail(const hone_database *db, int code,
                                const char *doing, hone_error *err)
{
    const char *const said =
        db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(code);
    hone_status status = HONE_ERR_DATABASE;
    const char *advice = "SQLite reports an error";

    if ((code & 0xff) == SQLITE_INTERRUPT && db->clock && db->clock->is_over)
        return hone__fail_native(
            err, HONE_ERR_DATABASE, HONE_DOMAIN_SQLITE, code,
            "database '%s': cannot %s: one statement took more than %.0f "
            "seconds of computing, and what hone stores is read faster: its "
            "views may be somebody else's; HONE_DB_SECONDS sets another limit",
            db->path, doing, (double)db->clock->limit_ns / 1e9);
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (meanings[i].code == (code & 0xff)) {
            status = meanings[i].status;
            advice = meanings[i].advice;
        }
    }
    if (code == SQLITE_IOERR_NOMEM) {
        status = HONE_ERR_NO_MEMORY;
        advice = "out of memory";
    }
    return hone__fail_native(err, status, HONE_DOMAIN_SQLITE, code,
                             "database '%s': cannot %s: %s (SQLite: %s)",
                             db->path, doing, advice, said);
}

/* ---- how long a statement may take --------------------------------------- */

/* Computing alone: a slow disk or a busy machine is nobody's fault. */
static int64_t now_ns(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int on_progress(void *user)
{
    hone_database_clock *clock = user;

    clock->is_over |=
        clock->limit_ns && now_ns() - clock->begun_ns > clock->limit_ns;
    return clock->is_over;
}

void hone__database_begin(const hone_database *db)
{
    sqlite3_stmt *other = NULL;

    while ((other = sqlite3_next_stmt(db->handle, other)))
        if (sqlite3_stmt_busy(other))
            return;
    db->clock->begun_ns = now_ns();
    db->clock->is_over = 0;
}

void hone__database_limit(const hone_database *db, int64_t seconds)
{
    const char *chosen = getenv("HONE_DB_SECONDS");
    char *end = NULL;
    const long long wanted = chosen ? strtoll(chosen, &end, 10) : -1;

    if (chosen && end != chosen && !*end && wanted >= 0 && wanted < 1000000000)
        seconds = wanted;
    if (!db->clock)
        return;
    db->clock->limit_ns = seconds * 1000000000;
    db->clock->begun_ns = now_ns();
}

static void set_limits(const hone_database *db)
{
    enum {
        STEPS = 4000
    }; /* of SQLite's, between two looks at the clock: more than a
           look-up has */

    sqlite3_progress_handler(db->handle, STEPS, on_progress, db->clock);
    /* A text that a view computes; an artifact is compressed. */
    (void)sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH,
                        2 * HONE_ARTIFACT_MOST_BYTES);
    (void)sqlite3_limit(db->handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
}

/* ---- statements ---------------------------------------------------------- */

hone_status hone__database_prepare(const hone_database *db, const char *doing,
                                   const char *sql, sqlite3_stmt **out,
                                   hone_error *err)
{
    int code;

    hone__database_begin(db);
    code = sqlite3_prepare_v2(db->handle, sql, -1, out, NULL);
    return code == SQLITE_OK ? HONE_OK
                             : hone__database_fail(db, code, doing, err);
}

hone_status hone__database_integer(const hone_database *db, const char *doing,
                                   const char *sql, int64_t *out,
                                   hone_error *err)
{
    hone_status status = HONE_OK;
    sqlite3_stmt *statement;
    int code;

    HONE_TRY(hone__database_prepare(db, doing, sql, &statement, err));
    code = sqlite3_step(statement);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = hone__database_fail(db, code, doing, err);
    (void)sqlite3_finalize(statement);
    return status;
}

/* ---- before SQLite sees it ----------------------------------------------- */

static hone_status create_folder_of(const char *path, hone_error *err)
{
    const char *const slash = strrchr(path, '/');
    hone_status status;
    char *folder;

    if (!slash || slash == path)
        return HONE_OK;
    folder = hone__strndup(path, (size_t)(slash - path));
    if (!folder)
        return hone__out_of_memory(err, "");
    status = hone__folder_create(folder, err);
    hone__free(folder);
    return status;
}

/* What SQLite opens beside the file: of a pipe it would wait for ever. */
static hone_status check_journals(const char *path, hone_error *err)
{
    static const char *const endings[] = {"-journal", "-wal", "-shm"};
    hone_status status = HONE_OK;

    for (size_t i = 0; i < 3 && status == HONE_OK; ++i) {
        hone_text name = {0};
        struct stat info;

        hone__text_printf(&name, "%s%s", path, endings[i]);
        status = hone__text_check(&name, err);
        if (status == HONE_OK && !stat(name.data, &info) &&
            !S_ISREG(info.st_mode))
            status = hone__fail(err, HONE_ERR_DATABASE,
                                "'%s' is a %s, and SQLite keeps a file there; "
                                "remove it",
                                name.data, hone__file_noun(info.st_mode));
        hone__text_free(&name);
    }
    return status;
}

static hone_status check_path(const char *path, hone_database_access access,
                              hone_error *err)
{
    struct stat info;

    if (!path || !*path)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "the name of the database is empty");
    if (stat(path, &info) == 0)
        return S_ISREG(info.st_mode)
                   ? check_journals(path, err)
                   : hone__fail(err, HONE_ERR_DATABASE,
                                "'%s' is a %s, not a database; name a file",
                                path, hone__file_noun(info.st_mode));
    if (errno != ENOENT && (errno != ENOTDIR || access == HONE_DATABASE_CREATE))
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot open database '%s': %s", path,
                                 strerror(errno));
    if (access != HONE_DATABASE_CREATE)
        return hone__fail_native(err, HONE_ERR_NOT_FOUND, HONE_DOMAIN_ERRNO,
                                 errno, HONE_NO_DATABASE, path);
    return create_folder_of(path, err);
}

/* ---- connecting ---------------------------------------------------------- */

/* As a URI, so that no name has a meaning of its own to SQLite, with
 * everything unusual as %XX. */
void hone__database_uri(const char *path, hone_text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";

    hone__text_puts(out, path[0] == '/' ? "file://" : "file:./");
    for (const char *c = path; *c; c++) {
        if (strchr(plain, *c))
            hone__text_append(out, c, 1);
        else
            hone__text_printf(out, "%%%02x", (unsigned)(unsigned char)*c);
    }
}

/* The file may come from anywhere: its views must not call functions that do
 * more than compute, and SQL must not damage it. Before something is written,
 * cells that do not fit their page are found when the page is read. A reader
 * finds them when it comes to the cell, and what is launched has hashes: to
 * look at all cells of each page first was a sixth of a look-up. */
static int harden(sqlite3 *handle, int is_reader)
{
    (void)sqlite3_extended_result_codes(handle, 1);
    (void)sqlite3_busy_timeout(handle, HONE_DB_BUSY_TIMEOUT_MS);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return is_reader ? SQLITE_OK
                     : sqlite3_exec(handle, "PRAGMA cell_size_check = ON", NULL,
                                    NULL, NULL);
}

static hone_status connect(hone_database *db, int flags, const char *query,
                           hone_error *err)
{
    hone_text uri = {0};
    hone_status status;
    int code;

    (void)sqlite3_close(db->handle); /* of an attempt before this one */
    db->handle = NULL;
    hone__database_uri(db->path, &uri);
    hone__text_puts(&uri, query);
    status = hone__text_check(&uri, err);
    if (status == HONE_OK) {
        code = sqlite3_open_v2(uri.data, &db->handle,
                               flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                               NULL);
        if (db->handle)
            set_limits(db);
        if (code == SQLITE_OK)
            code = harden(db->handle, (flags & SQLITE_OPEN_READONLY) != 0);
        if (code != SQLITE_OK)
            status = hone__database_fail(db, code, "open it", err);
    }
    hone__text_free(&uri);
    return status;
}

/* ---- is it ours? --------------------------------------------------------- */

/* What a file says about itself. */
typedef struct identity {
    int64_t application_id;
    int64_t version;
    int64_t n_objects; /* tables, views, indexes */
} identity;

/* In one transaction: another process may be making the database now. */
static hone_status read_identity(hone_database *db, identity *out,
                                 hone_error *err)
{
    const struct {
        const char *sql;
        int64_t *out;
    } rows[] = {{"SELECT count(*) FROM sqlite_schema", &out->n_objects},
                {"PRAGMA application_id", &out->application_id},
                {"PRAGMA user_version", &out->version}};
    const int code = sqlite3_exec(db->handle, "BEGIN", NULL, NULL, NULL);
    hone_status status = code == SQLITE_OK
                             ? HONE_OK
                             : hone__database_fail(db, code, "read it", err);

    for (size_t i = 0; i < 3 && status == HONE_OK; ++i)
        status = hone__database_integer(db, "read it", rows[i].sql, rows[i].out,
                                        err);
    if (!sqlite3_get_autocommit(db->handle))
        (void)sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static hone_status check_identity(const hone_database *db,
                                  const identity *found, hone_error *err)
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

/* Committed rows that are not in the main file yet. */
static int has_journal(const char *path)
{
    hone_text journal = {0};
    struct stat info;
    int found;

    hone__text_printf(&journal, "%s-wal", path);
    found =
        journal.failed || (stat(journal.data, &info) == 0 && info.st_size > 0);
    hone__text_free(&journal);
    return found;
}

/* Will nobody write to it? Then it is read as it stands: no lock is asked for,
 * and no -shm file is mapped, whose truncation by somebody else ends a process.
 */
static int is_unchanging(const char *path)
{
    struct statvfs disk;
    struct stat info;

    return !has_journal(path) && !stat(path, &info) &&
           (!(info.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) ||
            (!statvfs(path, &disk) && (disk.f_flag & ST_RDONLY)));
}

/* A database on read-only storage cannot have the shared memory file that
 * WAL readers share; nobody can write there, so it is read as it stands,
 * unless its last writer was killed and left a journal behind. */
static hone_status connect_readonly(hone_database *db, identity *out,
                                    hone_error *err)
{
    hone_error first = {0};
    hone_status status =
        connect(db, SQLITE_OPEN_READONLY,
                is_unchanging(db->path) ? "?immutable=1" : "", &first);

    if (status == HONE_OK)
        status = read_identity(db, out, &first);
    if (status == HONE_OK)
        return HONE_OK;
    if (status != HONE_ERR_IO) {
        if (err)
            *err = first;
        return status;
    }
    if (has_journal(db->path))
        return hone__fail_native(
            err, HONE_ERR_IO, first.domain, first.native,
            "database '%s' cannot be opened: it has unfinished changes in its "
            "-wal file and lies where they cannot be read; open it once where "
            "the folder is writable, e.g. sqlite3 FILE 'PRAGMA "
            "wal_checkpoint(TRUNCATE)'",
            db->path);
    HONE_TRY(connect(db, SQLITE_OPEN_READONLY, "?immutable=1", err));
    db->lockless = (int)first.native;
    return read_identity(db, out, err);
}

static hone_status connect_any(hone_database *db, hone_database_access access,
                               int64_t *out_version, hone_error *err)
{
    identity found = {0, 0, 0};

    if (access == HONE_DATABASE_READ) {
        HONE_TRY(connect_readonly(db, &found, err));
    } else {
        HONE_TRY(connect(
            db,
            SQLITE_OPEN_READWRITE |
                (access == HONE_DATABASE_CREATE ? SQLITE_OPEN_CREATE : 0),
            "", err));
        HONE_TRY(read_identity(db, &found, err));
    }
    *out_version = found.version;
    if (found.application_id || found.version || found.n_objects)
        return check_identity(db, &found, err);
    if (access == HONE_DATABASE_CREATE)
        return HONE_OK; /* an empty file may become one */
    /* As where there is none: another process may be making it now. */
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "database '%s' is empty: nothing has been stored in it "
                      "yet; `hone tune` does",
                      db->path);
}

hone_status hone__database_open(const char *path, hone_database_access access,
                                hone_database *out, int64_t *out_version,
                                hone_error *err)
{
    hone_status status;

    *out = (hone_database){.handle = NULL};
    HONE_TRY(check_path(path, access, err));
    out->path = hone__strdup(path);
    out->clock = hone__alloc(sizeof *out->clock);
    hone__database_limit(out, access == HONE_DATABASE_READ
                                  ? HONE_DB_READ_SECONDS
                                  : HONE_DB_WRITE_SECONDS);
    status = out->path && out->clock
                 ? connect_any(out, access, out_version, err)
                 : hone__out_of_memory(err, "");
    if (status != HONE_OK)
        hone__database_close(out);
    return status;
}

void hone__database_close(hone_database *db)
{
    (void)sqlite3_close(db->handle);
    hone__free(db->clock);
    hone__free(db->path);
    *db = (hone_database){.handle = NULL};
}
