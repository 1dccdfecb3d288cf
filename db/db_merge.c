/* SPDX-License-Identifier: Apache-2.0 */
/* Databases into one, in one transaction: see merge_rows.sql. */
#include "db/db_internal.h"
#include "runtime/base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SQLite's own limit is 10, two of which are there: "main" and "temp". */
enum { MOST_AT_ONCE = 8 };

/* A file as it is read. */
typedef struct merge_source {
    const char *path; /* as the caller names it */
    hone_text copy;   /* of an older format: where one of the current is */
} merge_source;

/* ---- sources ------------------------------------------------------------- */

/* A name beside `path`, which does not exist. */
static hone_status name_beside(const char *path, hone_text *out,
                               hone_error *err)
{
    int file;

    hone__text_printf(out, "%s.merge-XXXXXX", path);
    HONE_TRY(hone__text_check(out, err));
    file = mkstemp(out->data);
    if (file < 0) {
        hone__text_free(out);
        return hone__fail(err, HONE_ERR_IO,
                          "beside '%s' there can be no temporary file; make "
                          "its folder writable",
                          path);
    }
    (void)close(file);
    return HONE_OK;
}

static void remove_database(hone_text *path)
{
    if (path->data)
        hone__db_remove(path->data);
    hone__text_free(path);
}

/* All of it in the current format, in a file of its own. */
static hone_status copy_source(const hone_db *db, merge_source *source,
                               hone_error *err)
{
    hone_db *from = NULL, *copy = NULL;
    hone_status status =
        hone__db_open(source->path, HONE_DB_READONLY, &from, err);

    if (status == HONE_OK)
        status = name_beside(db->path, &source->copy, err);
    if (status == HONE_OK) {
        const hone_db_value name = hone__db_text(source->copy.data);

        status = hone__db_run(from, "copy it", "VACUUM main INTO ?1", &name, 1,
                              NULL, err);
    }
    if (status == HONE_OK)
        status = hone__db_open(source->copy.data, 0, &copy, err);
    hone__db_close(copy);
    hone__db_close(from);
    return status;
}

/* Is it one of ours, of which format, and another file than `db`? */
static hone_status look_at(const hone_db *db, merge_source *source,
                           hone_error *err)
{
    struct stat files[2];
    hone_db *from = NULL;
    int64_t version = 0;
    hone_status status =
        hone__db_open(source->path, HONE_DB_READONLY, &from, err);

    if (status == HONE_OK)
        status =
            hone__database_integer(from, "read its version",
                                   "PRAGMA main.user_version", &version, err);
    hone__db_close(from);
    HONE_TRY(status);
    if (stat(source->path, &files[0]) == 0 && stat(db->path, &files[1]) == 0 &&
        files[0].st_dev == files[1].st_dev &&
        files[0].st_ino == files[1].st_ino)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "'%s' cannot be merged into itself", source->path);
    return version < HONE_DB_VERSION ? copy_source(db, source, err) : HONE_OK;
}

/* ---- attached databases -------------------------------------------------- */

static const char *const tables[] = {
    "device",      "artifact", "template", "problem", "toolchain",
    "launch_form", "variant",  "session",  "trial",   "decision",
    "baseline",    "ranking",  "counter",  "model"};

static void detach(hone_db *db, size_t at)
{
    char sql[64];

    (void)sqlite3_snprintf((int)sizeof sql, sql, "DETACH source_%d", (int)at);
    (void)sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
}

static hone_status attach(hone_db *db, size_t at, const merge_source *source,
                          hone_error *err)
{
    hone_text uri = {0};
    char sql[64];
    hone_status status;
    int64_t n;

    hone__database_uri(source->copy.data ? source->copy.data : source->path,
                       &uri);
    hone__text_puts(&uri, "?mode=ro");
    status = hone__text_check(&uri, err);
    (void)sqlite3_snprintf((int)sizeof sql, sql, "ATTACH ?1 AS source_%d",
                           (int)at);
    if (status == HONE_OK) {
        const hone_db_value name = hone__db_text(uri.data);

        status = hone__db_run(db, "open another beside it", sql, &name, 1, NULL,
                              err);
    }
    hone__text_free(&uri);
    (void)sqlite3_snprintf((int)sizeof sql, sql,
                           "SELECT count(*) FROM source_%d.sqlite_schema",
                           (int)at);
    return status == HONE_OK ? hone__database_integer(
                                   db, "read another beside it", sql, &n, err)
                             : status;
}

/* What lies on read-only storage without its log cannot be read beside another
 * file (runtime/store/database.c): a copy can. */
static hone_status attach_any(hone_db *db, size_t at, merge_source *source,
                              hone_error *err)
{
    hone_error first = {0};
    const hone_status status = attach(db, at, source, &first);

    if (status == HONE_ERR_IO && !source->copy.data) {
        detach(db, at);
        HONE_TRY(copy_source(db, source, err));
        return attach(db, at, source, err);
    }
    if (status != HONE_OK && err)
        *err = first;
    return status;
}

/* What the temporary names of merge_rows.sql stand for. */
static hone_status name_tables(hone_db *db, size_t at, hone_error *err)
{
    for (size_t i = 0; i < N_OF(tables); ++i) {
        char sql[160];

        (void)sqlite3_snprintf((int)sizeof sql, sql,
                               "CREATE TEMP VIEW src_%s AS"
                               " SELECT * FROM source_%d.%s",
                               tables[i], (int)at, tables[i]);
        HONE_TRY(hone__db_exec(db, sql, "name its tables", err));
    }
    return HONE_OK;
}

hone_status hone__db_drop_temporaries(hone_db *db, hone_error *err)
{
    hone_text sql = {0};
    sqlite3_stmt *statement = NULL;
    hone_status status;

    HONE_TRY(hone__db_prepare(
        db, "tidy up",
        "SELECT 'DROP ' || type || ' temp.' || name || ';' FROM"
        " sqlite_temp_schema WHERE type IN ('table', 'view')",
        NULL, 0, &statement, err));
    while (sqlite3_step(statement) == SQLITE_ROW)
        hone__text_puts(&sql, (const char *)sqlite3_column_text(statement, 0));
    (void)sqlite3_finalize(statement);
    status = hone__text_check(&sql, err);
    if (status == HONE_OK)
        status = hone__db_exec(db, hone__text_str(&sql), "tidy up", err);
    hone__text_free(&sql);
    return status;
}

/* ---- merging ---------------------------------------------------------------
 */

static hone_status on_merged(void *user, const hone_db_row *row,
                             hone_error *err)
{
    hone_db_merged *out = user;

    (void)err;
    out->n_sessions += row->values[0].integer;
    out->n_trials += row->values[1].integer;
    out->n_winners += row->values[2].integer;
    out->n_artifacts += row->values[3].integer;
    return HONE_OK;
}

/* Whose row it was that could not be taken. */
static hone_status name_source(const merge_source *source, hone_error *err)
{
    const hone_error inner = *err;

    return hone__fail_native(err, inner.status, inner.domain, inner.native,
                             "'%s' cannot be merged: %.900s", source->path,
                             inner.text);
}

hone_status hone__db_merge_sources(hone_db *db, hone_db_merged *out,
                                   hone_error *err)
{
    HONE_TRY(hone__db_add_whole(db, err));
    HONE_TRY(hone__db_exec(db, hone__db_merge_rows, "take its rows", err));
    HONE_TRY(hone__db_untried_withdraw(db, err)); /* by trials of both */
    HONE_TRY(hone__db_query(
        db,
        "SELECT max(n) FILTER (WHERE what = 'sessions'),"
        " max(n) FILTER (WHERE what = 'trials'),"
        " max(n) FILTER (WHERE what = 'winners'),"
        " max(n) FILTER (WHERE what = 'artifacts') FROM temp.merged",
        NULL, 0, on_merged, out, err));
    return hone__db_drop_temporaries(db, err);
}

static hone_status merge_one(hone_db *db, size_t at, const merge_source *source,
                             hone_db_merged *out, hone_error *err)
{
    HONE_TRY(name_tables(db, at, err));
    if (hone__db_merge_sources(db, out, err) != HONE_OK)
        return name_source(source, err);
    return HONE_OK;
}

/* At most MOST_AT_ONCE of them: a transaction takes no further files. */
static hone_status merge_some(hone_db *db, merge_source *sources, size_t n,
                              hone_db_merged *out, hone_error *err)
{
    hone_status status = HONE_OK;
    size_t n_attached = 0;

    while (n_attached < n && status == HONE_OK) {
        status = attach_any(db, n_attached, &sources[n_attached], err);
        ++n_attached;
    }
    if (status == HONE_OK)
        status = hone__db_begin(db, err);
    if (status == HONE_OK) {
        for (size_t i = 0; i < n && status == HONE_OK; ++i)
            status = merge_one(db, i, &sources[i], out, err);
        status = hone__db_end(db, status, err);
    }
    for (size_t i = 0; i < n_attached; ++i)
        detach(db, i);
    return status;
}

/* Pages that stay in memory while rows of many files go into the same indexes:
 * with SQLite's own 2 MB each page is read and written again for each file. */
#define ROOM "PRAGMA main.cache_size = -262144"

/* A file that nobody else knows, and that goes away after any failure. SQLite
 * keeps a defensive connection from doing without a journal. */
static hone_status be_fast(hone_db *db, hone_error *err)
{
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    return hone__db_exec(
        db,
        "PRAGMA main.journal_mode = OFF; PRAGMA main.synchronous = OFF;" ROOM,
        "prepare for merging", err);
}

static hone_status merge_in_turn(hone_db *db, merge_source *sources, size_t n,
                                 hone_db_merged *out, hone_error *err)
{
    hone_status status = be_fast(db, err);

    for (size_t i = 0; i < n && status == HONE_OK; i += MOST_AT_ONCE)
        status =
            merge_some(db, sources + i,
                       n - i < MOST_AT_ONCE ? n - i : MOST_AT_ONCE, out, err);
    return status;
}

/* Many of them first become one beside `db`. */
static hone_status merge_many(hone_db *db, merge_source *sources, size_t n,
                              hone_db_merged *out, hone_error *err)
{
    merge_source all = {.path = "them all"};
    hone_db_merged parts = {0};
    hone_db *staged = NULL;
    hone_status status = name_beside(db->path, &all.copy, err);

    if (status == HONE_OK)
        status = hone__db_open(all.copy.data, HONE_DB_CREATE, &staged, err);
    if (status == HONE_OK)
        status = merge_in_turn(staged, sources, n, &parts, err);
    hone__db_close(staged);
    if (status == HONE_OK)
        status = hone__db_exec(db, ROOM, "prepare for merging", err);
    if (status == HONE_OK)
        status = merge_some(db, &all, 1, out, err);
    remove_database(&all.copy);
    return status;
}

static hone_status
merge_all(hone_db *db, const char *const *paths, size_t n,
          hone_status (*merge)(hone_db *db, merge_source *sources, size_t n,
                               hone_db_merged *out, hone_error *err),
          hone_db_merged *out, hone_error *err)
{
    merge_source *sources = hone__alloc((n ? n : 1) * sizeof *sources);
    hone_status status = HONE_OK;

    *out = (hone_db_merged){0};
    if (!sources)
        return hone__out_of_memory(err, "");
    for (size_t i = 0; i < n && status == HONE_OK; ++i) {
        sources[i].path = paths[i];
        status = look_at(db, &sources[i], err);
    }
    if (status == HONE_OK)
        status = merge(db, sources, n, out, err);
    for (size_t i = 0; i < n; ++i)
        remove_database(&sources[i].copy);
    hone__free(sources);
    if (status != HONE_OK)
        *out = (hone_db_merged){0};
    return status;
}

hone_status hone__db_merge_files(hone_db *db, const char *const *paths,
                                 size_t n, hone_db_merged *out, hone_error *err)
{
    return merge_all(db, paths, n, n > MOST_AT_ONCE ? merge_many : merge_some,
                     out, err);
}

/* ---- into a file that is not there ----------------------------------------
 * Many files need no transaction then, only a name at the end. */

/* What a rename of it would keep: all that was written, and the journal that
 * every database has. */
static hone_status complete(hone_db *db, hone_error *err)
{
    return hone__db_exec(db,
                         "PRAGMA main.synchronous = FULL;"
                         "PRAGMA main.journal_mode = WAL",
                         "complete it", err);
}

static hone_status sync_file(const char *path, hone_error *err)
{
    const int file = open(path, O_RDWR | O_CLOEXEC);
    const mode_t mask = umask(0); /* mkstemp() gives nobody else a right */
    const int is_synced =
        file >= 0 && fchmod(file, 0666 & ~mask) == 0 && fsync(file) == 0;

    (void)umask(mask);
    if (file >= 0)
        (void)close(file);
    return is_synced ? HONE_OK
                     : hone__fail(err, HONE_ERR_IO,
                                  "cannot write '%s' to the disk", path);
}

static hone_status create_folder(const char *path, hone_error *err)
{
    const char *slash = strrchr(path, '/');
    hone_text folder = {0};
    hone_status status = HONE_OK;

    if (slash && slash != path) {
        hone__text_append(&folder, path, (size_t)(slash - path));
        status = hone__text_check(&folder, err);
        if (status == HONE_OK)
            status = hone__folder_create(folder.data, err);
    }
    hone__text_free(&folder);
    return status;
}

/* Never over one that somebody made meanwhile. */
static hone_status give_name(const char *from, const char *path,
                             hone_error *err)
{
    if (link(from, path) == 0) {
        (void)unlink(from);
        return HONE_OK;
    }
    if (errno != EEXIST && rename(from, path) == 0) /* a disk without links */
        return HONE_OK;
    return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                             "cannot make '%s': %s", path, strerror(errno));
}

hone_status hone__db_merge_new(const char *path, const char *const *paths,
                               size_t n, hone_db_merged *out, hone_error *err)
{
    hone_text beside = {0};
    hone_db *db = NULL;
    hone_status status;

    *out = (hone_db_merged){0};
    HONE_TRY(create_folder(path, err));
    HONE_TRY(name_beside(path, &beside, err));
    status = hone__db_open(beside.data, HONE_DB_CREATE, &db, err);
    if (status == HONE_OK)
        status = merge_all(db, paths, n, merge_in_turn, out, err);
    if (status == HONE_OK)
        status = complete(db, err);
    hone__db_close(db);
    if (status == HONE_OK)
        status = sync_file(beside.data, err);
    if (status == HONE_OK)
        status = give_name(beside.data, path, err);
    if (status != HONE_OK)
        *out = (hone_db_merged){0};
    remove_database(&beside);
    return status;
}
