/* SPDX-License-Identifier: Apache-2.0 */
/* Trials as rows of files, and back: all that is known of a trial but for its
 * bytes (cubin, log, the template's text), with its device, template, problem
 * and session. What a row was exported from and what its import makes are the
 * same in all views. How files spell rows is not known here. */
#ifndef HONE_DB_EXCHANGE_H
#define HONE_DB_EXCHANGE_H

#include "db/db.h"

typedef enum hone_db_check_kind {
    HONE_DB_CHECK_ANY,
    HONE_DB_CHECK_NAME,    /* a text that is not empty */
    HONE_DB_CHECK_NUMBERS, /* "4096,4", or empty */
    HONE_DB_CHECK_HASH,
    HONE_DB_CHECK_CHOICE,
    HONE_DB_CHECK_OBJECT, /* {..} */
    HONE_DB_CHECK_LIST,   /* [..] */
    HONE_DB_CHECK_TRUTH,
    HONE_DB_CHECK_COUNT, /* from 0 */
    HONE_DB_CHECK_POSITIVE,
    HONE_DB_CHECK_RATIO /* from 0, infinity included */
} hone_db_check_kind;

typedef enum hone_db_field_id {
#define FIELD(name, type, check, choices, sql) HONE_DB_FIELD_##name,
#include "db/exchange.def"
#undef FIELD
    HONE_DB_N_FIELDS
} hone_db_field_id;

typedef struct hone_db_field {
    const char *name;
    hone_db_kind type; /* INTEGER, REAL or TEXT */
    hone_db_check_kind check;
    int may_be_null;
    const char *choices; /* "cold|hot" */
} hone_db_field;

extern const hone_db_field hone__db_fields[HONE_DB_N_FIELDS];

/* Hand every trial whose number `wanted` selects, a SELECT with the parameters
 * `values`, to the callback: HONE_DB_N_FIELDS values in an order that depends
 * on nothing but what they say. `counters` is the number of a trial that has
 * counters (hone__db_counters()), else NULL; `session` counts sessions of these
 * rows from 1. `template_name` (NULL: any) chooses among implementations.
 * HONE_ERR_UNSUPPORTED: the file is of an older format. */
hone_status hone__db_export(hone_db *db, const char *wanted,
                            const hone_db_value *values, size_t n_values,
                            const char *template_name, hone_db_row_fn callback,
                            void *user, hone_error *err);
/* kernel, name, unit and value of each counter of a trial. */
hone_status hone__db_counters(hone_db *db, int64_t trial_id,
                              hone_db_row_fn callback, void *user,
                              hone_error *err);

/* Rows on their way into a database: nothing of it is changed before
 * hone__db_import_end(), which takes all of them or, after a failure, none.
 * What is there already is not added again, as with hone__db_merge_files().
 * No ranking comes with them, since nothing of it could be launched, but that
 * of recordings (kind "replay") is made. A template that is new here never
 * becomes the latest one where there are others. */
typedef struct hone_db_import hone_db_import;

hone_status hone__db_import_begin(hone_db *db, hone_db_import **out,
                                  hone_error *err);
/* A row of HONE_DB_N_FIELDS values; `counters` must be NULL. HONE_ERR_INPUT
 * with a sentence that names no place: a value is not one of the field, or the
 * row is there already. `line` is what later failures name. */
hone_status hone__db_import_row(hone_db_import *import, int64_t line,
                                const hone_db_value *values, hone_error *err);
/* A counter of the last row. */
hone_status hone__db_import_counter(hone_db_import *import, const char *kernel,
                                    const char *name, const char *unit,
                                    double value, hone_error *err);
/* HONE_ERR_INPUT: two rows contradict each other; `*out_line` is the line of
 * the second. */
hone_status hone__db_import_end(hone_db_import *import, hone_db_merged *out,
                                int64_t *out_line, hone_error *err);
void hone__db_import_close(hone_db_import *import); /* NULL is a no-op */

/* What is said of a value that a field does not have. HONE_OK or
 * HONE_ERR_INPUT. */
hone_status hone__db_field_check(const hone_db_field *field,
                                 const hone_db_value *value, hone_error *err);

#endif
