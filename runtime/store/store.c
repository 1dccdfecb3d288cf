/* SPDX-License-Identifier: Apache-2.0 */
/* The database as the runtime has it open, reading cubins from it, and is what
 * was read what was stored? Artifacts are compressed and named by the SHA-256
 * of their content, launches have a hash over all that they rely on
 * (database.h). A row is looked at before a launch relies on it, and once. See
 * store.h. */
#include "runtime/store/store.h"

#include "runtime/launch/launch_body.h"

#include <sqlite3.h>
#include <string.h>
#include <zstd.h>

hone_status hone__store_open(const char *path, hone_store **out,
                             hone_error *err)
{
    hone_store *store = hone__alloc(sizeof *store);
    hone_status status;

    *out = NULL;
    if (!store)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory while opening '%s'", path);
    hone__store_select(store, 0);
    status = hone__database_open(path, HONE_DATABASE_READ, &store->file,
                                 &store->version, err);
    if (status == HONE_OK)
        status =
            hone__database_integer(&store->file, "read it", HONE_STORE_CHANGES,
                                   &store->data_version, err);
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
    hone__store_forget(store);
    hone__database_close(&store->file);
    hone__free(store);
}

void hone__store_select(hone_store *store, int is_host)
{
    store->device_kind = is_host ? HONE_ARCH_CPU : "cuda";
    hone__store_forget(store);
}

hone_status hone__store_cubin(const hone_store *store,
                              const hone_store_row *row, hone_text *out,
                              hone_error *err)
{
    /* By rank: 0, 1, more; and 0 of format version 5 or older. */
    static const char *const sql[] = {
        "SELECT cubin_size_bytes, cubin FROM default_v2"
        " WHERE variant_id = ?1 AND cubin_sha256 = ?2",
        "SELECT cubin_size_bytes, cubin FROM winner_v1"
        " WHERE trial_id = ?1 AND cubin_sha256 = ?2",
        "SELECT cubin_size_bytes, cubin FROM ranked_v1"
        " WHERE trial_id = ?1 AND cubin_sha256 = ?2",
        "SELECT cubin_size_bytes, cubin FROM default_v1"
        " WHERE variant_id = ?1 AND cubin_sha256 = ?2"};
    const int64_t which = !row->rank && store->version < 6 ? 3
                          : row->rank < 2                  ? row->rank
                                                           : 2;
    static const char doing[] = "read a cubin";
    sqlite3_stmt *statement = NULL;
    hone_status status;
    int code;

    HONE_TRY(hone__database_prepare(&store->file, doing, sql[which], &statement,
                                    err));
    (void)sqlite3_bind_int64(statement, 1, row->id);
    (void)sqlite3_bind_text(statement, 2, row->cubin_sha256, -1, SQLITE_STATIC);
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        status =
            hone__artifact_unpack(&store->file, "the cubin of", row->config,
                                  row->cubin_sha256, statement, out, err);
    } else if (code == SQLITE_DONE) {
        status = hone__fail(err, HONE_ERR_DATABASE,
                            "database '%s' has no cubin for %s any more; it "
                            "was changed meanwhile, try again",
                            store->file.path, row->config);
    } else {
        status = hone__database_fail(&store->file, code, doing, err);
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

    HONE_TRY(hone__database_prepare(
        &store->file, "read it",
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
        return hone__database_fail(&store->file, code, "read it", err);
    return hone__text_check(out, err);
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

/* ---- launches ------------------------------------------------------------ */

int hone__launch_is_vendors(const char *launch_plan)
{
    return launch_plan && strstr(launch_plan, "\nvendor ") != NULL;
}

hone_status hone__launch_hash(const hone_launch_parts *parts,
                              char out_sha256[HONE_SHA256_HEX], hone_error *err)
{
    const char *const lines[] = {parts->config, parts->types,
                                 parts->compile_arch, parts->cubin_sha256};
    hone_text text = {0};
    hone_status status;

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        hone__text_puts(&text, lines[i] ? lines[i] : "");
        hone__text_puts(&text, "\n");
    }
    hone__text_puts(&text, parts->launch_plan ? parts->launch_plan : "");
    status = hone__text_check(&text, err);
    if (status == HONE_OK)
        hone__sha256_hex(text.data, text.length, out_sha256);
    hone__text_free(&text);
    return status;
}

hone_status hone__launch_verify(const hone_launch_parts *parts,
                                const char *launch_sha256, const char *op,
                                hone_launch_spec **spec, hone_error *err)
{
    if (launch_sha256) {
        char hash[HONE_SHA256_HEX];

        HONE_TRY(hone__launch_hash(parts, hash, err));
        if (strcmp(hash, launch_sha256) != 0)
            return hone__fail(err, HONE_ERR_DATABASE,
                              "with configuration, types, architecture and "
                              "cubin it does not match its SHA-256");
    }
    if (!*spec)
        HONE_TRY(hone__launch_spec_parse(parts->launch_plan, spec, err));
    if (strcmp((*spec)->op, op) != 0)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "it is for another operation");
    if (((*spec)->vendor.line != 0) == (parts->cubin_sha256[0] != '\0'))
        return hone__fail(err, HONE_ERR_DATABASE,
                          (*spec)->vendor.line
                              ? "it is for a vendor's library and has a cubin"
                              : "it has no cubin");
    return hone__launch_spec_check_config(*spec, parts->config, err);
}

/* ---- rows ---------------------------------------------------------------- */

static hone_status check_plan(const hone_store *store, const hone_store_op *op,
                              const hone_store_row *row, hone_error *err)
{
    const hone_launch_parts parts = {row->config, row->types, row->compile_arch,
                                     row->cubin_sha256, row->plan->text};
    hone_error why = {0};
    const hone_status status = hone__launch_verify(
        &parts, row->launch_sha256, op->name, &row->plan->spec, &why);

    if (status == HONE_ERR_DATABASE)
        return hone__fail(err, status,
                          "database '%s' is damaged: the launch plan of "
                          "%.200s: %.300s; tuning again stores a good one",
                          store->file.path, row->config, why.text);
    return status == HONE_OK ? HONE_OK
                             : hone__fail(err, status, "%s", why.text);
}

/* Damage is kept with the row, so that it is not looked at again. */
static hone_status conclude(hone_store_op *op, hone_store_row *row,
                            hone_status status, const hone_error *why,
                            int *is_checked, hone_error *err)
{
    *is_checked = status == HONE_OK;
    if (status == HONE_OK)
        return HONE_OK;
    if (status == HONE_ERR_DATABASE) {
        row->damage =
            hone__arena_strndup(&op->arena, why->text, strlen(why->text));
        if (!row->damage)
            return hone__out_of_memory(err, "");
    }
    if (err)
        *err = *why;
    return status;
}

hone_status hone__store_spec(const hone_store *store, hone_store_op *op,
                             hone_store_row *row, const hone_launch_spec **out,
                             hone_error *err)
{
    hone_error why = {0};

    *out = NULL;
    if (row->damage)
        return hone__fail(err, HONE_ERR_DATABASE, "%s", row->damage);
    if (!row->is_plan_checked) {
        const hone_status status = check_plan(store, op, row, &why);

        HONE_TRY(conclude(op, row, status, &why, &row->is_plan_checked, err));
    }
    *out = row->plan->spec;
    return HONE_OK;
}

hone_status hone__store_check_cubin(const hone_store *store, hone_store_op *op,
                                    hone_store_row *row, hone_error *err)
{
    hone_text content = {0};
    hone_error why = {0};
    hone_status status;

    if (row->damage)
        return hone__fail(err, HONE_ERR_DATABASE, "%s", row->damage);
    if (row->is_cubin_checked || !row->cubin_sha256[0])
        return HONE_OK;
    status = hone__store_cubin(store, row, &content, &why);
    hone__text_free(&content);
    return conclude(op, row, status, &why, &row->is_cubin_checked, err);
}
