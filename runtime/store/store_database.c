/* SPDX-License-Identifier: Apache-2.0 */
/* A database as a store: opening it, the artifacts in it, the operations there
 * are. Its rows are store_rows.c. See store_database.h. */
#include "runtime/store/store_database.h"

#include <sqlite3.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

static hone_status read_cubin(const hone_store *store,
                              const hone_store_row *row, hone_text *out,
                              hone_error *err)
{
    /* By rank: 0, 1, more; 0 of format version 5 or older; of a member. */
    static const char *const sql[] = {
        "SELECT cubin_size_bytes, cubin FROM default_v2"
        " WHERE variant_id = ?1 AND cubin_sha256 = ?2",
        "SELECT cubin_size_bytes, cubin FROM winner_v1"
        " WHERE trial_id = ?1 AND cubin_sha256 = ?2",
        "SELECT cubin_size_bytes, cubin FROM ranked_v1"
        " WHERE trial_id = ?1 AND cubin_sha256 = ?2",
        "SELECT cubin_size_bytes, cubin FROM default_v1"
        " WHERE variant_id = ?1 AND cubin_sha256 = ?2",
        "SELECT size_bytes, data FROM artifact WHERE sha256 = ?2"};
    const hone_store_database *from = hone__store_database(store);
    const int64_t which = row->is_member                    ? 4
                          : !row->rank && from->version < 6 ? 3
                          : row->rank < 2                   ? row->rank
                                                            : 2;
    static const char doing[] = "read a cubin";
    sqlite3_stmt *statement = NULL;
    hone_status status;
    int code;

    HONE_TRY(hone__database_prepare(&from->file, doing, sql[which], &statement,
                                    err));
    (void)sqlite3_bind_int64(statement, 1, row->id);
    (void)sqlite3_bind_text(statement, 2, row->cubin_sha256, -1, SQLITE_STATIC);
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        status = hone__artifact_unpack(&from->file, "the cubin of", row->config,
                                       row->cubin_sha256, statement, out, err);
    } else if (code == SQLITE_DONE) {
        status = hone__fail(err, HONE_ERR_DATABASE,
                            "database '%s' has no cubin for %s any more; it "
                            "was changed meanwhile, try again",
                            from->file.path, row->config);
    } else {
        status = hone__database_fail(&from->file, code, doing, err);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

/* Its content is what it is checked by. */
static hone_status check_cubin(const hone_store *store,
                               const hone_store_row *row, hone_error *err)
{
    hone_text content = {0};
    const hone_status status = read_cubin(store, row, &content, err);

    hone__text_free(&content);
    return status;
}

/* In a child of fork() the connection is the parent's: SQLite allows neither
 * to use nor to close it. The path may be relative to another folder by now;
 * SQLite knows it in full. */
static hone_status open_again(hone_store_database *self, hone_error *err)
{
    const char *path = sqlite3_db_filename(self->file.handle, "main");
    hone_database own = {.handle = NULL};

    HONE_TRY(hone__database_open(path && *path ? path : self->file.path,
                                 HONE_DATABASE_READ, &own, &self->version,
                                 err));
    hone__store_forget(&self->store);
    hone__free(self->file.path);
    self->file = own;
    self->store.path = own.path;
    self->process = getpid();
    return HONE_OK;
}

/* The names that a query gives, of device kind ?1 and the operation ?2. */
static hone_status visit(const hone_store *store, const char *sql,
                         const char *op, const hone_name_visitor *visitor,
                         hone_error *err)
{
    hone_store_database *self = hone__store_database(store);
    hone_database *file = &self->file;
    sqlite3_stmt *statement = NULL;
    hone_status status = HONE_OK;
    int code = SQLITE_DONE;

    if (self->process != getpid())
        HONE_TRY(open_again(self, err));
    HONE_TRY(hone__database_prepare(file, "read it", sql, &statement, err));
    (void)sqlite3_bind_text(statement, 1, store->device_kind, -1,
                            SQLITE_STATIC);
    if (op)
        (void)sqlite3_bind_text(statement, 2, op, -1, SQLITE_STATIC);
    while (status == HONE_OK &&
           (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);

        status = visitor->visit(visitor->user, name ? name : "?", err);
    }
    (void)sqlite3_finalize(statement);
    if (status == HONE_OK && code != SQLITE_DONE)
        return hone__database_fail(file, code, "read it", err);
    return status;
}

#define OPS_OF_DEFAULTS                                                        \
    " UNION SELECT op FROM default_v1 WHERE (arch = 'cpu') = (?1 = 'cpu')"     \
    " ORDER BY 1"

static hone_status visit_ops(hone_store *store,
                             const hone_name_visitor *visitor, hone_error *err)
{
    /* From version 8 on coverage_v1 has counts; before, it counts trials. */
    static const char *const sql[] = {
        "SELECT op FROM winner_v1 WHERE device_kind = ?1" OPS_OF_DEFAULTS,
        "SELECT op FROM coverage_v1 WHERE device_kind = ?1"
        " AND n_winners > 0" OPS_OF_DEFAULTS};

    return visit(store, sql[hone__store_database(store)->version >= 8], NULL,
                 visitor, err);
}

static hone_status visit_implementations(const hone_store *store,
                                         const hone_store_op *op,
                                         const hone_name_visitor *visitor,
                                         hone_error *err)
{
    return visit(store,
                 "SELECT template_name FROM winner_v1 WHERE device_kind = ?1"
                 " AND op = ?2 AND template_is_latest UNION "
                 "SELECT template_name FROM default_v1 WHERE op = ?2"
                 " AND (arch = 'cpu') = (?1 = 'cpu') ORDER BY 1",
                 op->name, visitor, err);
}

/* ---- opening ------------------------------------------------------------- */

/* Problems whose rows are kept, some 30 KB each: a program that goes round in
 * more of them than its plans are many reads them again. */
enum { MOST_PROBLEMS = 128 };

/* Forget what was read if another process has written since. */
static hone_status refresh(hone_store *store, hone_error *err)
{
    hone_store_database *self = hone__store_database(store);
    int64_t version = 0;

    if (self->process != getpid())
        HONE_TRY(open_again(self, err));

    HONE_TRY(hone__database_integer(&self->file, "read it", HONE_STORE_CHANGES,
                                    &version, err));
    if (version != self->data_version || self->n_problems > MOST_PROBLEMS) {
        hone__store_forget(store);
        self->n_problems = 0;
    }
    self->data_version = version;
    return HONE_OK;
}

static void close_database(hone_store *store)
{
    hone_store_database *self = hone__store_database(store);

    if (self->process != getpid())
        self->file.handle = NULL; /* the parent's */
    hone__database_close(&self->file);
    hone__free(store);
}

static const hone_store_kind kind = {
    .noun = "database",
    .mend = "tuning again stores a good one",
    .remedy = "hone tune stores good ones",
    .close = close_database,
    .refresh = refresh,
    .read_op = hone__store_database_read_op,
    .gather = hone__store_database_gather,
    .widen = hone__store_database_widen,
    .runners_up = hone__store_database_runners_up,
    .read_choosers = hone__store_database_read_choosers,
    .chooser_text = hone__store_database_chooser_text,
    .read_members = hone__store_database_read_members,
    .check_cubin = check_cubin,
    .cubin = read_cubin,
    .visit_ops = visit_ops,
    .visit_implementations = visit_implementations,
};

hone_status hone__store_open_database(const char *path, hone_store **out,
                                      hone_error *err)
{
    hone_store_database *self = hone__alloc(sizeof *self);
    hone_status status;

    *out = NULL;
    if (!self)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory while opening '%s'", path);
    self->store.kind = &kind;
    self->process = getpid();
    hone__store_select(&self->store, 0);
    status = hone__database_open(path, HONE_DATABASE_READ, &self->file,
                                 &self->version, err);
    self->store.path = self->file.path;
    if (status == HONE_OK)
        status =
            hone__database_integer(&self->file, "read it", HONE_STORE_CHANGES,
                                   &self->data_version, err);
    if (status != HONE_OK)
        hone__store_close(&self->store);
    else
        *out = &self->store;
    return status;
}

/* ---- artifacts ----------------------------------------------------------- */

/* Why the frame is not what its name says; NULL: it is. */
static const char *unpack(const char *sha256, const void *data,
                          size_t data_bytes, char *bytes, size_t size_bytes)
{
    const size_t n = ZSTD_decompress(bytes, size_bytes, data, data_bytes);
    char actual[HONE_SHA256_HEX];

    if (ZSTD_isError(n) || n != size_bytes)
        return "it cannot be decompressed";
    hone__sha256_hex(bytes, n, actual);
    return strcmp(actual, sha256) == 0
               ? NULL
               : "its content does not match its SHA-256";
}

hone_status hone__artifact_unpack(const hone_database *db, const char *what,
                                  const char *which, const char *sha256,
                                  sqlite3_stmt *row, hone_text *out,
                                  hone_error *err)
{
    const int64_t size_bytes = sqlite3_column_int64(row, 0);
    const void *data = sqlite3_column_blob(row, 1);
    const size_t data_bytes = (size_t)sqlite3_column_bytes(row, 1);
    const char *wrong = "its size is wrong";
    char *bytes = NULL;

    if (!data && sqlite3_errcode(db->handle) == SQLITE_NOMEM)
        return hone__database_fail(db, SQLITE_NOMEM, "read an artifact", err);
    /* Before memory is taken: a damaged size may be any. */
    if (data && size_bytes >= 0 && size_bytes <= HONE_ARTIFACT_MOST_BYTES &&
        ZSTD_getFrameContentSize(data, data_bytes) ==
            (unsigned long long)size_bytes) {
        bytes = hone__alloc((size_t)size_bytes);
        if (!bytes)
            return hone__out_of_memory(err, "");
        wrong = unpack(sha256, data, data_bytes, bytes, (size_t)size_bytes);
    }
    if (!wrong)
        hone__text_append(out, bytes, (size_t)size_bytes);
    hone__free(bytes);
    return wrong ? hone__fail(err, HONE_ERR_DATABASE,
                              "database '%s' is damaged: %s %s: %s; tuning "
                              "again stores a good one",
                              db->path, what, which, wrong)
                 : hone__text_check(out, err);
}
