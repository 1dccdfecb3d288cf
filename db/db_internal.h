/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this directory share: migrations, running one statement,
 * transactions. */
#ifndef HONE_DB_DB_INTERNAL_H
#define HONE_DB_DB_INTERNAL_H

#include "db/db.h"

#include <sqlite3.h>

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The SQL files of this directory. */
extern const char hone__db_schema[];
extern const char hone__db_schema_2[];
extern const char hone__db_schema_3[];
extern const char hone__db_schema_4[];
extern const char hone__db_schema_5[];
extern const char hone__db_schema_6[];
extern const char hone__db_schema_7[];
extern const char hone__db_schema_8[];
extern const char hone__db_schema_9[];
extern const char hone__db_schema_10[];
extern const char hone__db_schema_11[];
extern const char hone__db_gc_rows[];
extern const char hone__db_import_rows[];
extern const char hone__db_merge_rows[];
extern const char hone__db_read_1[];
extern const char hone__db_read_2[];
extern const char hone__db_read_3[];
extern const char hone__db_read_4[];
extern const char hone__db_read_5[];
extern const char hone__db_read_6[];
extern const char hone__db_read_7[];
extern const char hone__db_read_8[];
extern const char hone__db_read_9[];
extern const char hone__db_read_10[];

/* Step i brings a database from version i to i + 1; step 0 makes it. */
typedef struct hone_db_migration {
    const char *sql;
    const char *read; /* makes version i look like i + 1 to a reader, but
                         for what an older version's has made already */
} hone_db_migration;

/* Bring a database to version `n_steps`, all or nothing. A database that is
 * there already, because another process was faster, is left alone. */
hone_status hone__db_migrate(hone_db *db, const hone_db_migration *steps,
                             int64_t n_steps, hone_error *err);

/* Statements without parameters and results. */
hone_status hone__db_exec(hone_db *db, const char *sql, const char *doing,
                          hone_error *err);

/* Hand every row of a prepared statement to the callback. */
hone_status hone__db_walk(hone_db *db, sqlite3_stmt *statement,
                          hone_db_row_fn callback, void *user, hone_error *err);

/* Run one statement to its end. `out_first` (may be NULL) gets the first
 * column of the first row, 0 if there is no row. */
hone_status hone__db_run(hone_db *db, const char *doing, const char *sql,
                         const hone_db_value *values, size_t n_values,
                         int64_t *out_first, hone_error *err);

/* Row id by `find`, else by `put` (insert or update, returning the id); both
 * take the same values. Looking first keeps a repeated put from writing. */
hone_status hone__db_find_or_put(hone_db *db, const char *doing,
                                 const char *find, const char *put,
                                 const hone_db_value *values, size_t n_values,
                                 int64_t *out_id, hone_error *err);

/* Bind one value, which must stay where it is until the statement is
 * finalised. SQLite code. */
int hone__db_bind(sqlite3_stmt *statement, int index,
                  const hone_db_value *value);

/* For walking rows: prepare and bind; the caller finalises. Values
 * beyond the parameters of the statement are left out. */
hone_status hone__db_prepare(hone_db *db, const char *doing, const char *sql,
                             const hone_db_value *values, size_t n_values,
                             sqlite3_stmt **out, hone_error *err);

/* A transaction of its own, or a savepoint inside the caller's. Every enter
 * that succeeded is followed by one leave, which commits if `status` is
 * HONE_OK, else undoes and returns `status`. */
hone_status hone__db_enter(hone_db *db, int *out_nested, hone_error *err);
hone_status hone__db_leave(hone_db *db, int nested, hone_status status,
                           hone_error *err);

/* A launch plan: what the variants of its template share, around the lines of
 * the variant alone. They lie in the plan; `tail` is the rest of it. */
typedef struct hone_db_launch_split {
    const char *head;
    size_t head_bytes;
    const char *lines;
    size_t lines_bytes;
    const char *tail;
} hone_db_launch_split;

void hone__db_launch_split(const char *plan, hone_db_launch_split *out);
hone_db_value hone__db_launch_lines(const hone_db_launch_split *split);
hone_status hone__db_launch_form_put(hone_db *db,
                                     const hone_db_launch_split *split,
                                     int64_t *out_id, hone_error *err);

/* Within hone__db_gc(): remove choosers with a variant that is not there any
 * more, and those that are damaged, and count them. */
hone_status hone__db_models_collect(hone_db *db, hone_error *err);
/* What makes two devices the same one. */
hone_status hone__db_device_fingerprint(const hone_db_device *device,
                                        char out_hex[HONE_SHA256_HEX],
                                        hone_error *err);

/* The SQL functions of merge_rows.sql (db_whole.c). */
hone_status hone__db_add_whole(hone_db *db, hone_error *err);
/* Take what the temporary views or tables src_NAME have, in the caller's
 * transaction (merge_rows.sql), and drop them. */
hone_status hone__db_merge_sources(hone_db *db, hone_db_merged *out,
                                   hone_error *err);
/* Drop all temporary tables and views. */
hone_status hone__db_drop_temporaries(hone_db *db, hone_error *err);

/* HONE_ERR_ARGUMENT if a mandatory text is missing or empty. */
hone_status hone__db_need(const char *table, const char *member,
                          const char *text, hone_error *err);

/* Text that is stored as "" when NULL. */
hone_db_value hone__db_text_or_empty(const char *text);
/* NULL unless known. */
hone_db_value hone__db_real_if(int known, double value);
hone_db_value hone__db_integer_if(int known, int64_t value);

int64_t hone__db_now_unix_ns(void);

#endif
