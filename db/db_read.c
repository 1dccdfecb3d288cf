/* SPDX-License-Identifier: Apache-2.0 */
/* Reading back: any SELECT row by row, and the trials that are still valid,
 * from which a session resumes; what became of them; the best elsewhere. */
#define _GNU_SOURCE /* CLOCK_MONOTONIC_COARSE */
#include "db/db_internal.h"
#include "runtime/base/alloc.h"

#include <string.h>
#include <time.h>

/* ---- any query ---------------------------------------------------------- */

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

static hone_status out_of_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY,
                      "out of memory while reading the database");
}

/* What a callback does is not the statement's: a tick is enough, and next to
 * nothing to read for each row. */
static int64_t tick_ns(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

hone_status hone__db_walk(hone_db *db, sqlite3_stmt *statement,
                          hone_db_row_fn callback, void *user, hone_error *err)
{
    const int n = sqlite3_column_count(statement);
    hone_db_value *values = hone__alloc((size_t)n * sizeof *values);
    const char **names = hone__alloc((size_t)n * sizeof *names);
    const hone_db_row row = {(size_t)n, names, values};
    hone_status status = values && names ? HONE_OK : out_of_memory(err);
    int code = SQLITE_ROW;

    for (int i = 0; i < n && status == HONE_OK; i++) {
        names[i] = sqlite3_column_name(statement, i);
        if (!names[i])
            status = out_of_memory(err);
    }
    while (status == HONE_OK &&
           (code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < n && status == HONE_OK; i++) {
            if (!read_value(statement, i, &values[i]))
                status = out_of_memory(err);
        }
        if (status == HONE_OK) {
            const int64_t before_ns = tick_ns();

            status = callback(user, &row, err);
            db->clock->begun_ns += tick_ns() - before_ns;
        }
    }
    if (status == HONE_OK && code != SQLITE_DONE)
        status = hone__database_fail(db, code, "read rows", err);
    hone__free(names);
    hone__free(values);
    return status;
}

/* A statement that is not valid is the caller's mistake, unless the file does
 * not have any more what every file has. */
static hone_status not_valid(hone_db *db, const char *sql, hone_error *err)
{
    static const char *const views[] = {
        "winner_v1",   "ranked_v1",         "default_v1",  "default_v2",
        "trial_v1",    "session_v1",        "decision_v1", "baseline_v1",
        "coverage_v1", "trial_parameter_v1"};
    hone_error said = {0};

    (void)hone__fail_native(&said, HONE_ERR_ARGUMENT, HONE_DOMAIN_SQLITE,
                            SQLITE_ERROR, "the query is not valid: %s (in: %s)",
                            sqlite3_errmsg(db->handle), sql);
    for (size_t i = 0; i < N_OF(views); i++) {
        sqlite3_stmt *statement = NULL;
        char all[48];
        int code;

        (void)sqlite3_snprintf((int)sizeof all, all, "SELECT * FROM %s",
                               views[i]);
        code = sqlite3_prepare_v2(db->handle, all, -1, &statement, NULL);
        (void)sqlite3_finalize(statement);
        if (code == SQLITE_ERROR)
            return hone__fail_native(
                err, HONE_ERR_DATABASE, HONE_DOMAIN_SQLITE, code,
                "database '%s' is damaged: its view %s is not valid (SQLite: "
                "%.160s); save what can be read with the sqlite3 command "
                "'.recover' into a new file",
                db->path, views[i], sqlite3_errmsg(db->handle));
        if (code != SQLITE_OK)
            return hone__database_fail(db, code, "prepare a query", err);
    }
    if (err)
        *err = said;
    return HONE_ERR_ARGUMENT;
}

static hone_status prepare_query(hone_db *db, const char *sql, size_t n_params,
                                 sqlite3_stmt **out, hone_error *err)
{
    const char *rest = "";
    int code;

    hone__database_begin(db);
    code = sqlite3_prepare_v2(db->handle, sql, -1, out, &rest);

    if (code == SQLITE_ERROR)
        return not_valid(db, sql, err);
    if (code != SQLITE_OK)
        return hone__database_fail(db, code, "prepare a query", err);
    /* behind the statement stand blanks and `;` alone */
    if (!*out || rest[strspn(rest, " \t\r\n;")] ||
        sqlite3_column_count(*out) == 0 || !sqlite3_stmt_readonly(*out))
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
        status = hone__db_walk(db, statement, callback, user, err);
    (void)sqlite3_finalize(statement);
    return status;
}

/* ---- trials to resume from ---------------------------------------------- */

/* Who gets the rows of a query, as structs. */
typedef struct receiver {
    union {
        hone_db_trial_fn trial;
        hone_db_ends_fn ends;
        hone_db_ranked_fn ranked;
    };
    void *user;
} receiver;

#define FROM_TRIALS                                                            \
    " FROM session s JOIN trial t ON t.session_id = s.session_id"              \
    " JOIN variant v ON v.variant_id = t.variant_id"                           \
    " WHERE s.problem_id = ?1 AND s.device_id = ?2 AND s.mode = ?3"            \
    " AND v.template_id = ?4"                                                  \
    " AND v.toolchain_id = ?5"

/* In the order of hone_db_trial_row. */
static const char trials_sql[] =
    "SELECT t.trial_id, t.variant_id, v.config, v.arch, v.options,"
    " v.compile_key, t.outcome, t.message, t.time_ns, t.spread_ns,"
    " t.n_samples, t.error_ratio, v.cubin_sha256, t.timing,"
    " s.template_id <> ?4, s.strategy = 'portfolio', t.gpu_time_ns" FROM_TRIALS
    " ORDER BY t.trial_id";

static hone_status on_trial(void *user, const hone_db_row *row, hone_error *err)
{
    const receiver *const to = user;
    const hone_db_value *const v = row->values;
    const hone_db_trial_row trial = {
        .trial_id = v[0].integer,
        .variant_id = v[1].integer,
        .config = v[2].text,
        .arch = v[3].text,
        .options = v[4].text,
        .compile_key = v[5].text,
        .outcome = v[6].text,
        .message = v[7].text,
        .time_ns = v[8].real,
        .spread_ns = v[9].real,
        .n_samples = v[10].integer,
        .error_ratio = v[11].kind == HONE_DB_NULL ? -1 : v[11].real,
        .cubin_sha256 = v[12].text,
        .timing = v[13].text,
        .is_kept = (int)v[14].integer,
        .is_listed = (int)v[15].integer,
        .device_time_ns = v[16].integer};

    return to->trial(to->user, &trial, err);
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
    return hone__db_query(db, sql, values, N_OF(values), callback, user, err);
}

hone_status hone__db_trials(hone_db *db, const hone_db_trial_key *key,
                            hone_db_trial_fn callback, void *user,
                            hone_error *err)
{
    receiver to = {.trial = callback, .user = user};

    return query_trials(db, trials_sql, key, on_trial, &to, err);
}

/* ---- what became of them ------------------------------------------------ */

/* With max(), SQLite takes the other columns from the row that has it. */
static const char ends_sql[] =
    "SELECT outcome, coalesce(message, ''), count(*) AS n, min(last)"
    " FROM (SELECT t.outcome AS outcome, t.message AS message,"
    " max(t.trial_id) AS last " FROM_TRIALS " GROUP BY t.variant_id)"
    " GROUP BY 1, 2 ORDER BY n DESC, 4";

static hone_status on_ends(void *user, const hone_db_row *row, hone_error *err)
{
    const receiver *const to = user;
    const hone_db_ends ends = {row->values[0].text, row->values[1].text,
                               row->values[2].integer};

    return to->ends(to->user, &ends, err);
}

hone_status hone__db_ends(hone_db *db, const hone_db_trial_key *key,
                          hone_db_ends_fn callback, void *user, hone_error *err)
{
    receiver to = {.ends = callback, .user = user};

    return query_trials(db, ends_sql, key, on_ends, &to, err);
}

/* ---- the best on other shapes and devices ------------------------------- */

/* In the order of hone_db_ranked_row. Which of them is near is the tuner's
 * business. */
#define RANKED                                                                 \
    "SELECT v.config, p.dims, p.label, r.mode, d.name, d.arch,"                \
    " d.sm_count, r.device_id, r.problem_id, "
#define FROM_RANKING                                                           \
    " AS place FROM problem p JOIN ranking r ON r.problem_id = p.problem_id"   \
    " JOIN device d ON d.device_id = r.device_id"                              \
    " JOIN trial t ON t.trial_id = r.trial_id"                                 \
    " JOIN variant v ON v.variant_id = t.variant_id"

/* Of all implementations together the places are those of the ranking. */
static const char ranked_sql[] = RANKED
    "r.rank" FROM_RANKING " WHERE p.op = ?1 AND d.kind = ?2 AND r.rank <= ?3"
    " ORDER BY r.problem_id, r.device_id, r.mode, place";

/* Of one of them they are counted, which takes several times as long in a large
 * file. */
static const char ranked_of_one_sql[] =
    "SELECT * FROM (" RANKED
    "row_number() OVER (PARTITION BY r.problem_id, r.device_id, r.mode"
    " ORDER BY r.rank)" FROM_RANKING
    " JOIN template k ON k.template_id = v.template_id"
    " WHERE p.op = ?1 AND d.kind = ?2 AND k.name = ?4)"
    " WHERE place <= ?3 ORDER BY problem_id, device_id, mode, place";

static hone_status on_ranked(void *user, const hone_db_row *row,
                             hone_error *err)
{
    const receiver *const to = user;
    const hone_db_value *const v = row->values;
    const hone_db_ranked_row ranked = {.config = v[0].text,
                                       .dims = v[1].text,
                                       .label = v[2].text,
                                       .mode = v[3].text,
                                       .device_name = v[4].text,
                                       .arch = v[5].text,
                                       .sm_count = v[6].integer,
                                       .device_id = v[7].integer,
                                       .problem_id = v[8].integer,
                                       .rank = v[9].integer};

    return to->ranked(to->user, &ranked, err);
}

hone_status hone__db_ranked_configs(hone_db *db, const char *op,
                                    const char *name, const char *device_kind,
                                    int64_t n_ranks, hone_db_ranked_fn callback,
                                    void *user, hone_error *err)
{
    receiver to = {.ranked = callback, .user = user};
    const hone_db_value values[] = {
        hone__db_text(op), hone__db_text(device_kind),
        hone__db_integer(n_ranks), hone__db_text(name)};

    HONE_TRY(hone__db_need("ranked configurations", "op", op, err));
    HONE_TRY(hone__db_need("ranked configurations", "device kind", device_kind,
                           err));
    return hone__db_query(db, name ? ranked_of_one_sql : ranked_sql, values,
                          name ? 4 : 3, on_ranked, &to, err);
}
