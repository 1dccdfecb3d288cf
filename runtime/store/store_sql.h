/* SPDX-License-Identifier: Apache-2.0 */
/* Between store.c (the file) and store_rows.c (its rows). */
#ifndef HONE_RUNTIME_STORE_SQL_H
#define HONE_RUNTIME_STORE_SQL_H

#include "runtime/store/database.h"
#include "runtime/store/store.h"

#include <sqlite3.h>

struct hone_store {
    hone_database file;
    int64_t version;      /* of the format */
    int64_t data_version; /* of the file when `ops` were read */
    hone_store_op *ops;
    const char *device_kind; /* whose rows are read: "cuda" or "cpu" */
};

extern const char hone__store_doing[]; /* for sentences: "read it" */
/* Changes whenever another connection has written. */
hone_status hone__store_data_version(const hone_store *store, int64_t *out,
                                     hone_error *err);
void hone__store_free_ops(hone_store *store);

#endif
