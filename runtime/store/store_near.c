/* SPDX-License-Identifier: Apache-2.0 */
/* Of a database with many winners the problems near one that nobody tuned, and
 * whether other devices are in it: what an index answers, so that the winners
 * need not be read. See store_database.h. */
#include "runtime/store/store_database.h"

#include <sqlite3.h>
#include <string.h>

static hone_status add_problem(const hone_wanted *wanted,
                               sqlite3_stmt *statement, hone_nearest *near,
                               hone_error *err)
{
    const char *text = (const char *)sqlite3_column_text(statement, 1);
    int64_t dims[HONE_MAX_DIMS];
    size_t n_dims;
    double distance;

    /* Its own winners are read already. */
    if (!text || !hone__store_read_dims(text, dims, &n_dims) ||
        n_dims != wanted->n_dims ||
        memcmp(dims, wanted->dims, n_dims * sizeof *dims) == 0)
        return HONE_OK;
    distance = wanted->distance(wanted->user, dims);
    if (distance >= 0 &&
        !hone__nearest_add(near, distance, sqlite3_column_int64(statement, 0)))
        return hone__out_of_memory(err, " while reading the database");
    return HONE_OK;
}

hone_status hone__store_near_problems(hone_store *store,
                                      const hone_store_op *op,
                                      const hone_wanted *wanted,
                                      hone_nearest *near, hone_error *err)
{
    const hone_database *file = &hone__store_database(store)->file;
    sqlite3_stmt *statement = NULL;
    hone_status status = HONE_OK;
    int code = SQLITE_ROW;

    HONE_TRY(hone__database_prepare(
        file, "read it", "SELECT problem_id, dims FROM problem WHERE op = ?1",
        &statement, err));
    (void)sqlite3_bind_text(statement, 1, op->name, -1, SQLITE_STATIC);
    while (status == HONE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = add_problem(wanted, statement, near, err);
    if (status == HONE_OK && code != SQLITE_DONE)
        status = hone__database_fail(file, code, "read it", err);
    (void)sqlite3_finalize(statement);
    return status;
}

hone_status hone__store_has_others(hone_store *store, const hone_wanted *wanted,
                                   int *out, hone_error *err)
{
    const hone_database *file = &hone__store_database(store)->file;
    sqlite3_stmt *statement = NULL;
    int code;

    HONE_TRY(hone__database_prepare(file, "read it",
                                    "SELECT 1 FROM device WHERE kind = ?1 AND "
                                    "NOT (arch = ?2 AND sm_count = ?3) LIMIT 1",
                                    &statement, err));
    (void)sqlite3_bind_text(statement, 1, store->device_kind, -1,
                            SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, wanted->arch, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(statement, 3, wanted->sm_count);
    code = sqlite3_step(statement);
    *out = code == SQLITE_ROW;
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? HONE_OK
               : hone__database_fail(file, code, "read it", err);
}
