/* SPDX-License-Identifier: Apache-2.0 */
/* The database as the runtime has it open, and reading cubins from it. See
 * store.h. */
#include "runtime/store/store.h"

#include "runtime/store/store_sql.h"

#include <string.h>

const char hone__store_doing[] = "read it";

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
        status = hone__store_data_version(store, &store->data_version, err);
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
    hone__database_close(&store->file);
    hone__free(store);
}

const char *hone__store_path(const hone_store *store)
{
    return store->file.path;
}

void hone__store_select(hone_store *store, int is_host)
{
    store->device_kind = is_host ? HONE_ARCH_CPU : "cuda";
    hone__store_free_ops(store);
}

hone_status hone__store_cubin(const hone_store *store,
                              const hone_store_row *row, hone_text *out,
                              hone_error *err)
{
    /* By rank: 0, 1, more. */
    static const char *const sql[] = {
        "SELECT cubin_size_bytes, cubin FROM default_v1"
        " WHERE variant_id = ?1 AND cubin_sha256 = ?2",
        "SELECT cubin_size_bytes, cubin FROM winner_v1"
        " WHERE trial_id = ?1 AND cubin_sha256 = ?2",
        "SELECT cubin_size_bytes, cubin FROM ranked_v1"
        " WHERE trial_id = ?1 AND cubin_sha256 = ?2"};
    static const char doing[] = "read a cubin";
    sqlite3_stmt *statement = NULL;
    hone_status status;
    int code;

    HONE_TRY(hone__database_prepare(&store->file, doing,
                                    sql[row->rank < 2 ? row->rank : 2],
                                    &statement, err));
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
        &store->file, hone__store_doing,
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
        return hone__database_fail(&store->file, code, hone__store_doing, err);
    return hone__text_check(out, err);
}
