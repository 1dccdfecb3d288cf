/* SPDX-License-Identifier: Apache-2.0 */
/* A database as a store: the views winner_v1, default_v2 and ranked_v1
 * (db/FORMAT.md). Of an operation one winner is read, which tells the dims,
 * then what may answer the problem that is asked for, step by step: its own
 * winners, which an index finds; those of the nearest problems, of which only
 * the dims are read; defaults; all rows where none of these answers, or where
 * many such problems came. */
#ifndef HONE_RUNTIME_STORE_DATABASE_H
#define HONE_RUNTIME_STORE_DATABASE_H

#include "runtime/store/database.h"
#include "runtime/store/nearest.h"
#include "runtime/store/store_kind.h"

#include <sys/types.h>

typedef struct hone_store_database {
    hone_store store; /* first: what is passed around */
    hone_database file;
    int64_t version;      /* of the format */
    int64_t data_version; /* of the file when `ops` were read */
    int n_problems;       /* whose rows were read into them since */
    pid_t process;        /* whose connection it is */
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
hone_status hone__store_database_gather(hone_store *store, hone_store_op *op,
                                        const hone_wanted *wanted,
                                        hone_error *err);
hone_status hone__store_database_widen(hone_store *store, hone_store_op *op,
                                       hone_error *err);
hone_status hone__store_database_runners_up(hone_store *store,
                                            hone_store_op *op,
                                            hone_store_row *winner,
                                            hone_error *err);
hone_status hone__store_database_read_members(hone_store *store,
                                              hone_store_op *op,
                                              hone_store_chooser *chooser,
                                              hone_error *err);
/* "4096,4096,4"; 0 if it is no such list. */
int hone__store_read_dims(const char *text, int64_t dims[HONE_MAX_DIMS],
                          size_t *out_n);

/* ---- store_models.c: of the table of functions ----------------------------
 */
hone_status hone__store_database_read_choosers(hone_store *store,
                                               hone_store_op *op,
                                               hone_error *err);
hone_status hone__store_database_chooser_text(const hone_store *store,
                                              const hone_store_chooser *chooser,
                                              hone_text *out, hone_error *err);

/* ---- store_near.c ---------------------------------------------------------
 */

/* Add the op's problems near the one that is wanted, but not itself. */
hone_status hone__store_near_problems(hone_store *store,
                                      const hone_store_op *op,
                                      const hone_wanted *wanted,
                                      hone_nearest *near, hone_error *err);
/* Are there devices of the store's kind other than the one that is wanted? */
hone_status hone__store_has_others(hone_store *store, const hone_wanted *wanted,
                                   int *out, hone_error *err);

#endif
