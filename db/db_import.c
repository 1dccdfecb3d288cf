/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of files into a database: first into temporary tables, where mistakes
 * are found while the line is known, then all at once by the statements of a
 * merge. */
#include "db/db_exchange.h"
#include "db/db_internal.h"
#include "runtime/base/alloc.h"

#include <math.h>
#include <string.h>

struct hone_db_import {
    hone_db *db;
    sqlite3_stmt *put_row;
    sqlite3_stmt *put_counter;
    int64_t line; /* of the last row */
};

static const char *type_of(const hone_db_field *field)
{
    return field->type == HONE_DB_INTEGER ? "INTEGER"
           : field->type == HONE_DB_REAL  ? "REAL"
                                          : "TEXT";
}

/* The UNIQUE is what merge_rows.sql knows a trial by. */
static void write_tables(hone_text *sql)
{
    hone__text_puts(sql, "CREATE TEMP TABLE import_row ("
                         "line INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL");
    for (size_t i = 0; i < HONE_DB_N_FIELDS; ++i)
        hone__text_printf(sql, ", \"%s\" %s", hone__db_fields[i].name,
                          type_of(&hone__db_fields[i]));
    hone__text_puts(sql,
                    ", UNIQUE (session, started_unix_ns, config,"
                    " template_name, template_sha256, types, compile_arch,"
                    " options, toolchain_name, toolchain_version)) STRICT;"
                    "CREATE TEMP TABLE import_counter (line INTEGER NOT NULL,"
                    " kernel TEXT NOT NULL, name TEXT NOT NULL,"
                    " unit TEXT NOT NULL, value REAL NOT NULL,"
                    " PRIMARY KEY (line, kernel, name)) STRICT, WITHOUT ROWID");
}

static hone_status prepare(hone_db_import *import, hone_error *err)
{
    static const char doing[] = "take rows of a file";
    hone_text sql = {0};
    hone_status status;

    write_tables(&sql);
    status = hone__text_check(&sql, err);
    if (status == HONE_OK)
        status = hone__db_exec(import->db, hone__text_str(&sql), doing, err);
    hone__text_clear(&sql);
    hone__text_puts(&sql, "INSERT INTO temp.import_row VALUES (?1, ?2");
    for (size_t i = 0; i < HONE_DB_N_FIELDS; ++i)
        hone__text_printf(&sql, ", ?%zu", i + 3);
    hone__text_puts(&sql, ")");
    if (status == HONE_OK)
        status = hone__text_check(&sql, err);
    if (status == HONE_OK)
        status = hone__db_prepare(import->db, doing, hone__text_str(&sql), NULL,
                                  0, &import->put_row, err);
    if (status == HONE_OK)
        status = hone__db_prepare(
            import->db, doing,
            "INSERT INTO temp.import_counter VALUES (?1, ?2, ?3, ?4, ?5)", NULL,
            0, &import->put_counter, err);
    hone__text_free(&sql);
    return status;
}

hone_status hone__db_import_begin(hone_db *db, hone_db_import **out,
                                  hone_error *err)
{
    hone_db_import *import = hone__alloc(sizeof *import);
    hone_status status;

    *out = import;
    if (!import)
        return hone__out_of_memory(err, "");
    import->db = db;
    status = prepare(import, err);
    /* One transaction for all of them; it locks nothing but temporary tables
     * until the end. */
    if (status == HONE_OK)
        status = hone__db_exec(db, "BEGIN", "take rows of a file", err);
    return status;
}

/* ---- rows ---------------------------------------------------------------- */

static hone_status fingerprint_of(const hone_db_value *values,
                                  char out[HONE_SHA256_HEX], hone_error *err)
{
    const hone_db_device device = {
        .kind = values[HONE_DB_FIELD_device_kind].text,
        .name = values[HONE_DB_FIELD_device_name].text,
        .arch = values[HONE_DB_FIELD_arch].text,
        .sm_count = values[HONE_DB_FIELD_sm_count].integer,
        .memory_bytes = values[HONE_DB_FIELD_memory_bytes].integer,
        .l2_bytes = values[HONE_DB_FIELD_l2_bytes].integer,
        .driver_version = values[HONE_DB_FIELD_driver_version].text};

    return hone__db_device_fingerprint(&device, out, err);
}

/* What the schema says of two fields together. */
static hone_status check_row(const hone_db_value *values, hone_error *err)
{
    for (size_t i = 0; i < HONE_DB_N_FIELDS; ++i)
        HONE_TRY(hone__db_field_check(&hone__db_fields[i], &values[i], err));
    if (strcmp(values[HONE_DB_FIELD_outcome].text, "ok") == 0 &&
        values[HONE_DB_FIELD_time_ns].kind == HONE_DB_NULL)
        return hone__fail(err, HONE_ERR_INPUT,
                          "'time_ns' is missing, and the outcome is ok");
    return HONE_OK;
}

static hone_status step(hone_db_import *import, sqlite3_stmt *statement,
                        int code, const char *twice, hone_error *err)
{
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    (void)sqlite3_reset(statement);
    if (code == SQLITE_DONE)
        return HONE_OK;
    if ((code & 0xff) == SQLITE_CONSTRAINT)
        return hone__fail(err, HONE_ERR_INPUT, "%s", twice);
    return hone__database_fail(import->db, code, "take rows of a file", err);
}

hone_status hone__db_import_row(hone_db_import *import, int64_t line,
                                const hone_db_value *values, hone_error *err)
{
    char fingerprint[HONE_SHA256_HEX];
    int code;

    HONE_TRY(check_row(values, err));
    HONE_TRY(fingerprint_of(values, fingerprint, err));
    import->line = line;
    code = sqlite3_bind_int64(import->put_row, 1, line);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(import->put_row, 2, fingerprint, -1,
                                 SQLITE_TRANSIENT);
    for (size_t i = 0; i < HONE_DB_N_FIELDS && code == SQLITE_OK; ++i)
        code = hone__db_bind(import->put_row, (int)i + 3, &values[i]);
    return step(import, import->put_row, code,
                "this trial is in the file twice: its session, configuration "
                "and start are those of an earlier row",
                err);
}

hone_status hone__db_import_counter(hone_db_import *import, const char *kernel,
                                    const char *name, const char *unit,
                                    double value, hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(import->line),
                                    hone__db_text(kernel), hone__db_text(name),
                                    hone__db_text_or_empty(unit),
                                    hone__db_real(value)};
    int code = SQLITE_OK;

    if (!*kernel || !*name || !isfinite(value))
        return hone__fail(err, HONE_ERR_INPUT,
                          "a counter has a kernel, a name and a finite value");
    for (int i = 0; i < 5 && code == SQLITE_OK; ++i)
        code = hone__db_bind(import->put_counter, i + 1, &values[i]);
    return step(import, import->put_counter, code,
                "a counter of this trial is there twice", err);
}

/* ---- all of it ----------------------------------------------------------- */

typedef struct clash {
    hone_text text;
    int64_t line;
} clash;

static hone_status on_clash(void *user, const hone_db_row *row, hone_error *err)
{
    clash *found = user;

    (void)err;
    found->line = row->values[1].integer;
    hone__text_printf(&found->text,
                      "this row says other things of its %s than an earlier "
                      "one",
                      row->values[0].text);
    return HONE_OK;
}

static hone_status check_rows(hone_db_import *import, int64_t *out_line,
                              hone_error *err)
{
    clash found = {.line = 0};
    hone_status status = hone__db_query(
        import->db,
        "SELECT what, CASE what WHEN 'session'"
        " THEN (SELECT max(line) FROM temp.import_row WHERE session = id)"
        " ELSE (SELECT max(trial_id) FROM temp.src_trial"
        "  WHERE variant_id = id) END"
        " FROM temp.import_clash ORDER BY 2 LIMIT 1",
        NULL, 0, on_clash, &found, err);

    *out_line = found.line;
    if (status == HONE_OK && found.line)
        return hone__text_fail(&found.text, HONE_ERR_INPUT, err);
    hone__text_free(&found.text);
    return status;
}

/* The text of a template that came without one, which nothing needs if all
 * were there. */
static hone_status merge(hone_db_import *import, hone_db_merged *out,
                         hone_error *err)
{
    char nothing[HONE_SHA256_HEX];

    HONE_TRY(hone__db_artifact_put(import->db, "source", "", 0, nothing, err));
    HONE_TRY(hone__db_merge_sources(import->db, out, err));
    {
        const hone_db_value name = hone__db_text(nothing);

        return hone__db_run(
            import->db, "tidy up",
            "DELETE FROM artifact WHERE sha256 = ?1 AND NOT EXISTS"
            " (SELECT 1 FROM template WHERE source_sha256 = ?1)",
            &name, 1, NULL, err);
    }
}

hone_status hone__db_import_end(hone_db_import *import, hone_db_merged *out,
                                int64_t *out_line, hone_error *err)
{
    static const char doing[] = "take rows of a file";
    hone_db *db = import->db;
    hone_status status;

    *out = (hone_db_merged){0};
    *out_line = 0;
    HONE_TRY(hone__db_commit(db, err)); /* the temporary tables */
    HONE_TRY(hone__db_begin(db, err));
    status = hone__db_exec(db, hone__db_import_rows, doing, err);
    if (status == HONE_OK)
        status = check_rows(import, out_line, err);
    if (status == HONE_OK)
        status = merge(import, out, err);
    return hone__db_end(db, status, err);
}

void hone__db_import_close(hone_db_import *import)
{
    if (!import)
        return;
    (void)sqlite3_finalize(import->put_row);
    (void)sqlite3_finalize(import->put_counter);
    hone__db_rollback(import->db);
    (void)hone__db_drop_temporaries(import->db, NULL);
    hone__free(import);
}
