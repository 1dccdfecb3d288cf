/* SPDX-License-Identifier: Apache-2.0 */
/* Between store.c (the file) and store_rows.c (its rows). */
#ifndef HONE_RUNTIME_STORE_SQL_H
#define HONE_RUNTIME_STORE_SQL_H

#include "runtime/store/store.h"

#include <sqlite3.h>

struct hone_store {
    sqlite3 *db;
    char *path;
    int64_t data_version; /* of the file when `ops` were read */
    hone_store_op *ops;
    const char *device_kind; /* whose rows are read: "cuda" or "cpu" */
};

/* HONE_ERR_DATABASE (HONE_ERR_NO_MEMORY) with SQLite's own words. */
hone_status hone__store_fail(const hone_store *store, const char *what,
                             int code, hone_error *err);
hone_status hone__store_prepare(const hone_store *store, const char *sql,
                                sqlite3_stmt **out, hone_error *err);
void hone__store_free_ops(hone_store *store);

#endif
