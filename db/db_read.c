/* SPDX-License-Identifier: Apache-2.0 */
/* Reading back: any SELECT row by row, and the trials that are still valid,
 * from which a session resumes. */
#include "db/db_internal.h"
#include "runtime/base/alloc.h"

#include <string.h>

/* ---- any query ----------------------------------------------------------
 */

/* Returns 0 if memory for a text ran out. */
static int read_value(sqlite3_stmt *statement, int column, hone_db_value *out)
{
    const int type = sqlite3_column_type(statement, column);
    hone_db_value value = {.kind = HONE_DB_NULL, .text = ""};
    const void *bytes = NULL;

    if (type == SQLITE_INTEGER) {
        value.kind = HONE_DB_INTEGER;
        value.integer = sqlite3_column_int64(statement, column);
        value.real = (double)value.integer;
    } else if (type == SQLITE_FLOAT) {
        value.kind = HONE_DB_REAL;
        value.real = sqlite3_column_double(statement, column);
    } else if (type == SQLITE_TEXT) {
        value.kind = HONE_DB_TEXT;
        bytes = sqlite3_column_text(statement, column);
    } else if (type == SQLITE_BLOB) {
        value.kind = HONE_DB_BLOB;
        bytes = sqlite3_column_blob(statement, column);
    }
    if (bytes) {
        value.text = bytes;
        value.size_bytes = (size_t)sqlite3_column_bytes(statement, column);
    }
    *out = value;
    return value.kind != HONE_DB_TEXT || bytes;
}

typedef struct row_buffer {
    int n;
    const char **names; /* SQLite's, until the statement is finalised */
    hone_db_value *values;
} row_buffer;

static hone_status out_of_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY,
                      "out of memory while reading the database");
}

static hone_status make_row(sqlite3_stmt *statement, row_buffer *out,
                            hone_error *err)
{
    out->n = sqlite3_column_count(statement);
    out->values = hone__alloc((size_t)out->n * sizeof *out->values);
    out->names = hone__alloc((size_t)out->n * sizeof *out->names);
    if (!out->values || !out->names)
        return out_of_memory(err);
    for (int i = 0; i < out->n; i++) {
        out->names[i] = sqlite3_column_name(statement, i);
        if (!out->names[i])
            return out_of_memory(err);
    }
    return HONE_OK;
}

static hone_status read_values(sqlite3_stmt *statement, const row_buffer *out,
                               hone_error *err)
{
    for (int i = 0; i < out->n; i++) {
        if (!read_value(statement, i, &out->values[i]))
            return out_of_memory(err);
    }
    return HONE_OK;
}

/* Hand every row to the callback. */
static hone_status walk(hone_db *db, sqlite3_stmt *statement,
                        hone_db_row_fn callback, void *user, hone_error *err)
{
    row_buffer r = {0};
    hone_status status = make_row(statement, &r, err);

    while (status == HONE_OK) {
        const int code = sqlite3_step(statement);

        if (code == SQLITE_DONE)
            break;
        status = code == SQLITE_ROW
                     ? read_values(statement, &r, err)
                     : hone__database_fail(db, code, "read rows", err);
        if (status == HONE_OK)
            status = callback(user, (size_t)r.n, r.names, r.values, err);
    }
    hone__free(r.names);
    hone__free(r.values);
    return status;
}

/* Anything behind the first statement but blanks and `;`? */
static int is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n;")] == '\0';
}

static hone_status prepare_query(hone_db *db, const char *sql, size_t n_params,
                                 sqlite3_stmt **out, hone_error *err)
{
    const char *rest = "";
    const int code = sqlite3_prepare_v2(db->handle, sql, -1, out, &rest);

    if (code == SQLITE_ERROR)
        return hone__fail_native(err, HONE_ERR_ARGUMENT, HONE_DOMAIN_SQLITE,
                                 code, "the query is not valid: %s (in: %s)",
                                 sqlite3_errmsg(db->handle), sql);
    if (code != SQLITE_OK)
        return hone__database_fail(db, code, "prepare a query", err);
    if (!*out || !is_blank(rest) || sqlite3_column_count(*out) == 0 ||
        !sqlite3_stmt_readonly(*out))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "the query is not one SELECT statement: %s", sql);
    if (sqlite3_bind_parameter_count(*out) != (int)n_params)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "the query has %d parameters, not %zu: %s",
                          sqlite3_bind_parameter_count(*out), n_params, sql);
    return HONE_OK;
}

hone_status hone__db_query(hone_db *db, const char *sql,
                           const hone_db_value *params, size_t n_params,
                           hone_db_row_fn callback, void *user, hone_error *err)
{
    sqlite3_stmt *statement = NULL;
    hone_status status = prepare_query(db, sql, n_params, &statement, err);

    for (size_t i = 0; i < n_params && status == HONE_OK; i++) {
        const int code = hone__db_bind(statement, (int)i + 1, &params[i]);

        if (code != SQLITE_OK)
            status = hone__database_fail(db, code, "prepare a query", err);
    }
    if (status == HONE_OK)
        status = walk(db, statement, callback, user, err);
    (void)sqlite3_finalize(statement);
    return status;
}

/* ---- trials to resume from ----------------------------------------------
 */

/* X(column of the query): in this order in every row. */
#define TRIAL_COLUMNS(X)                                                       \
    X(TRIAL_ID, "t.trial_id")                                                  \
    X(VARIANT_ID, "t.variant_id")                                              \
    X(CONFIG, "v.config")                                                      \
    X(ARCH, "v.arch")                                                          \
    X(OPTIONS, "v.options")                                                    \
    X(COMPILE_KEY, "v.compile_key")                                            \
    X(OUTCOME, "t.outcome")                                                    \
    X(MESSAGE, "t.message")                                                    \
    X(TIME_NS, "t.time_ns")                                                    \
    X(SPREAD_NS, "t.spread_ns")                                                \
    X(N_SAMPLES, "t.n_samples")                                                \
    X(ERROR_RATIO, "t.error_ratio")                                            \
    X(CUBIN, "v.cubin_sha256")                                                 \
    X(TIMING, "t.timing")

enum {
#define COLUMN_ENUM(name, sql) COLUMN_##name,
    TRIAL_COLUMNS(COLUMN_ENUM)
#undef COLUMN_ENUM
};

#define FROM_TRIALS                                                            \
    " FROM session s JOIN trial t ON t.session_id = s.session_id"              \
    " JOIN variant v ON v.variant_id = t.variant_id"                           \
    " WHERE s.problem_id = ?1 AND s.device_id = ?2 AND s.mode = ?3"            \
    " AND s.template_id = ?4 AND v.template_id = ?4"                           \
    " AND v.toolchain_id = ?5"

#define COLUMN_SQL(name, sql) sql ","
static const char trials_sql[] =
    "SELECT " TRIAL_COLUMNS(COLUMN_SQL) " 0" FROM_TRIALS " ORDER BY t.trial_id";
#undef COLUMN_SQL

typedef struct trial_walk {
    hone_db_trial_fn callback;
    void *user;
} trial_walk;

static hone_status on_trial(void *user, size_t n_columns,
                            const char *const *names,
                            const hone_db_value *values, hone_error *err)
{
    const trial_walk *const todo = user;
    const hone_db_value *const ratio = &values[COLUMN_ERROR_RATIO];
    const hone_db_trial_row row = {
        .trial_id = values[COLUMN_TRIAL_ID].integer,
        .variant_id = values[COLUMN_VARIANT_ID].integer,
        .config = values[COLUMN_CONFIG].text,
        .arch = values[COLUMN_ARCH].text,
        .options = values[COLUMN_OPTIONS].text,
        .compile_key = values[COLUMN_COMPILE_KEY].text,
        .outcome = values[COLUMN_OUTCOME].text,
        .message = values[COLUMN_MESSAGE].text,
        .time_ns = values[COLUMN_TIME_NS].real,
        .spread_ns = values[COLUMN_SPREAD_NS].real,
        .n_samples = values[COLUMN_N_SAMPLES].integer,
        .error_ratio = ratio->kind == HONE_DB_NULL ? -1 : ratio->real,
        .cubin_sha256 = values[COLUMN_CUBIN].text,
        .timing = values[COLUMN_TIMING].text};

    (void)n_columns;
    (void)names;
    return todo->callback(todo->user, &row, err);
}

/* Both queries below read the trials that match a key, so bind the same. */
static hone_status query_trials(hone_db *db, const char *sql,
                                const hone_db_trial_key *key,
                                hone_db_row_fn callback, void *user,
                                hone_error *err)
{
    const hone_db_value values[] = {
        hone__db_integer(key->problem_id), hone__db_integer(key->device_id),
        hone__db_text(key->mode), hone__db_integer(key->template_id),
        hone__db_integer(key->toolchain_id)};

    HONE_TRY(hone__db_need("trial key", "mode", key->mode, err));
    return hone__db_query(db, sql, values, sizeof values / sizeof values[0],
                          callback, user, err);
}

hone_status hone__db_trials(hone_db *db, const hone_db_trial_key *key,
                            hone_db_trial_fn callback, void *user,
                            hone_error *err)
{
    trial_walk todo = {callback, user};

    return query_trials(db, trials_sql, key, on_trial, &todo, err);
}

/* ---- what became of them ------------------------------------------------
 */

/* With max(), SQLite takes the other columns from the row that has it. */
static const char ends_sql[] =
    "SELECT outcome, coalesce(message, ''), count(*) AS n, min(last)"
    " FROM (SELECT t.outcome AS outcome, t.message AS message,"
    " max(t.trial_id) AS last " FROM_TRIALS " GROUP BY t.variant_id)"
    " GROUP BY 1, 2 ORDER BY n DESC, 4";

typedef struct ends_walk {
    hone_db_ends_fn callback;
    void *user;
} ends_walk;

static hone_status on_ends(void *user, size_t n_columns,
                           const char *const *names,
                           const hone_db_value *values, hone_error *err)
{
    const ends_walk *const todo = user;
    const hone_db_ends ends = {values[0].text, values[1].text,
                               values[2].integer};

    (void)n_columns;
    (void)names;
    return todo->callback(todo->user, &ends, err);
}

hone_status hone__db_ends(hone_db *db, const hone_db_trial_key *key,
                          hone_db_ends_fn callback, void *user, hone_error *err)
{
    ends_walk todo = {callback, user};

    return query_trials(db, ends_sql, key, on_ends, &todo, err);
}
