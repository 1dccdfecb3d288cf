/* SPDX-License-Identifier: Apache-2.0 */
/* A database as a store: the views winner_v1, default_v2 and ranked_v1
 * (db/FORMAT.md), everything of one operation read at once. */
#ifndef HONE_RUNTIME_STORE_DATABASE_H
#define HONE_RUNTIME_STORE_DATABASE_H

#include "runtime/store/database.h"
#include "runtime/store/store_kind.h"

typedef struct hone_store_database {
    hone_store store; /* first: what is passed around */
    hone_database file;
    int64_t version;      /* of the format */
    int64_t data_version; /* of the file when `ops` were read */
} hone_store_database;

/* What changes whenever another connection has written. */
#define HONE_STORE_CHANGES "PRAGMA data_version"

static inline hone_store_database *hone__store_database(const hone_store *store)
{
    return (hone_store_database *)(uintptr_t)store;
}

/* ---- store_rows.c: of the table of functions ------------------------------
 */
hone_status hone__store_database_read_op(hone_store *store, hone_store_op *op,
                                         hone_error *err);
hone_status hone__store_database_runners_up(hone_store *store,
                                            hone_store_op *op,
                                            hone_store_row *winner,
                                            hone_error *err);

#endif
