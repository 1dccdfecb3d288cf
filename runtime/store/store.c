/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the database read-only, checking that it is one of ours, and
 * reading cubins. See store.h. */
#include "runtime/store/store.h"

#include "runtime/base/hash.h"
#include "runtime/store/store_sql.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
    APPLICATION_ID = 0x686f6e65, /* "hone" */
    /* winner_v1 and default_v1 are the same in all of them. */
    OLDEST_VERSION = 1,
    NEWEST_VERSION = 3,
    BUSY_TIMEOUT_MS = 2000
};

hone_status hone__store_fail(const hone_store *store, const char *what,
                             int code, hone_error *err)
{
    const char *text =
        store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(code);

    return hone__fail_native(
        err,
        (code & 0xff) == SQLITE_NOMEM ? HONE_ERR_NO_MEMORY : HONE_ERR_DATABASE,
        HONE_DOMAIN_SQLITE, code, "%s '%s': %s", what, store->path, text);
}

hone_status hone__store_prepare(const hone_store *store, const char *sql,
                                sqlite3_stmt **out, hone_error *err)
{
    const int code = sqlite3_prepare_v2(store->db, sql, -1, out, NULL);

    return code ? hone__store_fail(store, "cannot read database", code, err)
                : HONE_OK;
}

/* The first column of the first row of a PRAGMA; SQLite's code. */
static int read_pragma(const hone_store *store, const char *sql, int64_t *out)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

    if (!code)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *out = sqlite3_column_int64(statement, 0);
        code = SQLITE_OK;
    }
    (void)sqlite3_finalize(statement);
    return code;
}

/* A file name as a URI: what has a meaning in one is escaped. */
static void append_uri(hone_text *text, const char *path)
{
    hone__text_puts(text, "file:");
    for (; *path; ++path) {
        if (strchr("?#%", *path))
            hone__text_printf(text, "%%%02x", (unsigned char)*path);
        else
            hone__text_append(text, path, 1);
    }
}

/* Open and read the header, which is where an unreadable file shows. */
static int try_open(hone_store *store, int immutable, int64_t *out_id)
{
    hone_text uri = {0};
    int code = SQLITE_NOMEM;

    (void)sqlite3_close(store->db);
    store->db = NULL;
    append_uri(&uri, store->path);
    hone__text_puts(&uri, immutable ? "?immutable=1" : "?mode=ro");
    if (!uri.failed)
        code = sqlite3_open_v2(
            uri.data, &store->db,
            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    hone__text_free(&uri);
    if (!code)
        code = sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
    if (!code)
        code = read_pragma(store, "PRAGMA application_id", out_id);
    if (!code) /* and the schema */
        code = sqlite3_exec(store->db, "SELECT 1 FROM sqlite_schema LIMIT 1",
                            NULL, NULL, NULL);
    return store->db && code ? sqlite3_extended_errcode(store->db) : code;
}

/* Rows that only the journal has would be missed without it. */
static int has_journal(const hone_store *store)
{
    hone_text path = {0};
    struct stat info;
    int found;

    hone__text_printf(&path, "%s-wal", store->path);
    found = path.failed || (stat(path.data, &info) == 0 && info.st_size > 0);
    hone__text_free(&path);
    return found;
}

static hone_status open_file(hone_store *store, hone_error *err)
{
    int64_t id = 0;
    int64_t version = 0;
    int code = try_open(store, 0, &id);
    const int first = code & 0xff;

    if (first == SQLITE_CANTOPEN || first == SQLITE_READONLY ||
        first == SQLITE_IOERR) {
        /* WAL needs a shared-memory file beside the database; on a read-only
         * or network file system it cannot be made. */
        if (has_journal(store))
            return hone__fail_native(
                err, HONE_ERR_DATABASE, HONE_DOMAIN_SQLITE, code,
                "database '%s' has unfinished changes in its -wal file and "
                "lies where they cannot be read (%s); open it once where the "
                "folder is writable, e.g. sqlite3 FILE 'PRAGMA "
                "wal_checkpoint(TRUNCATE)'",
                store->path, sqlite3_errstr(code));
        code = try_open(store, 1, &id);
    }
    if ((code & 0xff) == SQLITE_NOTADB)
        return hone__fail_native(err, HONE_ERR_DATABASE, HONE_DOMAIN_SQLITE,
                                 code,
                                 "'%s' is not a database of hone: it is not "
                                 "an SQLite file",
                                 store->path);
    if (!code && id != APPLICATION_ID)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "'%s' is not a database of hone: it is an SQLite "
                          "file of another program",
                          store->path);
    if (!code)
        code = read_pragma(store, "PRAGMA user_version", &version);
    if (code)
        return hone__store_fail(store, "cannot open database", code, err);
    if (version < OLDEST_VERSION || version > NEWEST_VERSION)
        return hone__fail(
            err, HONE_ERR_DATABASE,
            "database '%s' has format version %lld, this "
            "library reads versions %d to %d; %s",
            store->path, (long long)version, OLDEST_VERSION, NEWEST_VERSION,
            version > NEWEST_VERSION ? "update hone" : "the file is damaged");
    return HONE_OK;
}

hone_status hone__store_open(const char *path, hone_store **out,
                             hone_error *err)
{
    hone_store *store;
    hone_status status;
    struct stat info;

    *out = NULL;
    if (stat(path, &info)) {
        if (errno == ENOENT || errno == ENOTDIR)
            return hone__fail_native(
                err, HONE_ERR_NOT_FOUND, HONE_DOMAIN_ERRNO, errno,
                "there is no database '%s'; `hone tune` makes one, HONE_DB "
                "names another",
                path);
        return hone__fail_native(err, HONE_ERR_DATABASE, HONE_DOMAIN_ERRNO,
                                 errno, "cannot open database '%s': %s", path,
                                 strerror(errno));
    }
    if (!S_ISREG(info.st_mode))
        return hone__fail(err, HONE_ERR_DATABASE,
                          "'%s' is not a database of hone: it is not a file",
                          path);
    store = hone__alloc(sizeof *store);
    if (store)
        store->path = hone__strdup(path);
    if (store)
        hone__store_select(store, 0);
    if (!store || !store->path) {
        hone__free(store);
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory while opening '%s'", path);
    }
    status = open_file(store, err);
    if (status == HONE_OK &&
        read_pragma(store, "PRAGMA data_version", &store->data_version))
        status = hone__store_fail(store, "cannot read database",
                                  sqlite3_errcode(store->db), err);
    if (status != HONE_OK)
        hone__store_close(store);
    else
        *out = store;
    return status;
}

void hone__store_close(hone_store *store)
{
    if (!store)
        return;
    hone__store_free_ops(store);
    (void)sqlite3_close(store->db);
    hone__free(store->path);
    hone__free(store);
}

const char *hone__store_path(const hone_store *store)
{
    return store->path;
}

void hone__store_select(hone_store *store, int is_host)
{
    store->device_kind = is_host ? HONE_ARCH_CPU : "cuda";
    hone__store_free_ops(store);
}

/* Unpack a zstd frame of known size and check its hash. */
static hone_status unpack(const hone_store *store, const hone_store_row *row,
                          const void *packed, size_t packed_bytes,
                          int64_t size_bytes, hone_text *out, hone_error *err)
{
    enum { MOST_BYTES = 1 << 30 }; /* a damaged size must not take it all */
    char hex[HONE_SHA256_HEX];
    size_t got;
    char *bytes;

    if (size_bytes < 1 || size_bytes > MOST_BYTES)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "database '%s' is damaged: the cubin of %s has "
                          "%lld bytes",
                          store->path, row->config, (long long)size_bytes);
    bytes = hone__alloc((size_t)size_bytes);
    if (!bytes)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory while reading a cubin of %lld bytes",
                          (long long)size_bytes);
    got = ZSTD_decompress(bytes, (size_t)size_bytes, packed, packed_bytes);
    if (!ZSTD_isError(got))
        hone__sha256_hex(bytes, got, hex);
    if (ZSTD_isError(got) || strcmp(hex, row->cubin_sha256) != 0) {
        hone__free(bytes);
        return hone__fail(err, HONE_ERR_DATABASE,
                          "database '%s' is damaged: the cubin of %s does "
                          "not have its SHA-256; tune again, or restore the "
                          "file",
                          store->path, row->config);
    }
    hone__text_append(out, bytes, got);
    hone__free(bytes);
    return hone__text_check(out, err);
}

hone_status hone__store_cubin(hone_store *store, const hone_store_row *row,
                              hone_text *out, hone_error *err)
{
    static const char *const sql[] = {
        "SELECT cubin, cubin_size_bytes FROM default_v1 WHERE variant_id = "
        "?1 "
        "AND cubin_sha256 = ?2",
        "SELECT cubin, cubin_size_bytes FROM winner_v1 WHERE trial_id = ?1 "
        "AND cubin_sha256 = ?2"};
    sqlite3_stmt *statement = NULL;
    hone_status status;
    int code;

    HONE_TRY(hone__store_prepare(store, sql[row->is_winner], &statement, err));
    (void)sqlite3_bind_int64(statement, 1, row->id);
    (void)sqlite3_bind_text(statement, 2, row->cubin_sha256, -1, SQLITE_STATIC);
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const void *packed = sqlite3_column_blob(statement, 0);

        status = unpack(store, row, packed,
                        (size_t)sqlite3_column_bytes(statement, 0),
                        sqlite3_column_int64(statement, 1), out, err);
    } else if (code == SQLITE_DONE) {
        status = hone__fail(err, HONE_ERR_DATABASE,
                            "database '%s' has no cubin for %s any more; it "
                            "was changed meanwhile, try again",
                            store->path, row->config);
    } else {
        status = hone__store_fail(store, "cannot read a cubin from", code, err);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

hone_status hone__store_list_ops(hone_store *store, hone_text *out,
                                 hone_error *err)
{
    sqlite3_stmt *statement = NULL;
    int n = 0;
    int code;

    HONE_TRY(hone__store_prepare(
        store,
        "SELECT op FROM winner_v1 WHERE device_kind = ?1 UNION "
        "SELECT op FROM default_v1 WHERE (arch = 'cpu') = (?1 = 'cpu') "
        "ORDER BY 1",
        &statement, err));
    (void)sqlite3_bind_text(statement, 1, store->device_kind, -1,
                            SQLITE_STATIC);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *op = (const char *)sqlite3_column_text(statement, 0);

        hone__text_printf(out, "%s%s", n++ ? ", " : "", op ? op : "?");
    }
    (void)sqlite3_finalize(statement);
    if (code != SQLITE_DONE)
        return hone__store_fail(store, "cannot read database", code, err);
    return hone__text_check(out, err);
}
