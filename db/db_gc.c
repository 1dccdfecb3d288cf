/* SPDX-License-Identifier: Apache-2.0 */
/* What nobody needs any more goes: see gc_rows.sql. */
#include "db/db_internal.h"

#include <string.h>

static hone_status on_gone(void *user, const hone_db_row *row, hone_error *err)
{
    hone_db_collected *out = user;
    int64_t *const to[] = {
        &out->n_templates, &out->n_variants, &out->n_sessions,  &out->n_trials,
        &out->n_decisions, &out->n_places,   &out->n_artifacts, &out->n_models};

    (void)err;
    for (size_t i = 0; i < N_OF(to); ++i)
        *to[i] = row->values[i].integer;
    return HONE_OK;
}

static hone_status on_dangling(void *user, const hone_db_row *row,
                               hone_error *err)
{
    const hone_db *const db = user;

    return hone__fail(err, HONE_ERR_DATABASE,
                      "database '%s': row %lld of %s refers to a row of %s "
                      "that is not there, so nothing was removed; hone check "
                      "says what else is damaged",
                      db->path, (long long)row->values[1].integer,
                      row->values[0].text, row->values[2].text);
}

/* ---- bytes by part ------------------------------------------------------- */

/* What pages of a table and its indexes have, without the room that is free in
 * them; of artifacts the contents apart. Reads all of the file. */
static const char sizes[] =
    "WITH b AS (SELECT s.tbl_name AS name, sum(d.pgsize - d.unused) AS bytes"
    " FROM dbstat('main') d LEFT JOIN main.sqlite_schema s ON s.name = d.name"
    " WHERE d.aggregate = 1 GROUP BY 1),"
    " a AS (SELECT kind AS name, sum(length(data)) AS bytes FROM artifact"
    " GROUP BY 1)"
    " SELECT name, bytes FROM a UNION ALL"
    " SELECT name, bytes FROM b WHERE name IS NOT 'artifact' UNION ALL"
    " SELECT NULL, bytes - (SELECT coalesce(sum(bytes), 0) FROM a) FROM b"
    " WHERE name = 'artifact'";

static hone_status on_size(void *user, const hone_db_row *row, hone_error *err)
{
#define PART_OF(name, of) of,
    static const char *const of[] = {HONE_DB_PART_MAP(PART_OF)};
#undef PART_OF
    int64_t *bytes = user;
    char quoted[40];
    size_t part = 0;

    (void)err;
    (void)sqlite3_snprintf(
        (int)sizeof quoted, quoted, "'%s'",
        row->values[0].kind == HONE_DB_TEXT ? row->values[0].text : "");
    while (part < HONE_DB_PART_others && !strstr(of[part], quoted))
        ++part;
    bytes[part] += row->values[1].integer;
    return HONE_OK;
}

static int read_sizes(hone_db *db, int64_t bytes[HONE_DB_N_PARTS])
{
    return hone__db_query(db, sizes, NULL, 0, on_size, bytes, NULL) == HONE_OK;
}

static hone_status collect(hone_db *db, hone_db_collected *out, hone_error *err)
{
    static const char counts[] =
        "SELECT max(n) FILTER (WHERE what = 'templates'),"
        " max(n) FILTER (WHERE what = 'variants'),"
        " max(n) FILTER (WHERE what = 'sessions'),"
        " max(n) FILTER (WHERE what = 'trials'),"
        " max(n) FILTER (WHERE what = 'decisions'),"
        " max(n) FILTER (WHERE what = 'places'),"
        " max(n) FILTER (WHERE what = 'artifacts'),"
        " max(n) FILTER (WHERE what = 'models') FROM temp.gone";

    out->has_parts = read_sizes(db, out->part_before);
    HONE_TRY(hone__db_exec(db, hone__db_gc_rows, "remove rows", err));
    HONE_TRY(hone__db_models_collect(db, err));
    HONE_TRY(hone__db_query(db, counts, NULL, 0, on_gone, out, err));
    HONE_TRY(hone__db_exec(db, "DROP TABLE temp.gone", "remove rows", err));
    HONE_TRY(hone__db_query(db, "PRAGMA foreign_key_check", NULL, 0,
                            on_dangling, db, err));
    out->has_parts = out->has_parts && read_sizes(db, out->part_after);
    return hone__database_integer(db, "count pages", "PRAGMA freelist_count",
                                  &out->bytes_freed, err);
}

static hone_status size_of(hone_db *db, int64_t *out_bytes, int64_t *out_page,
                           hone_error *err)
{
    HONE_TRY(hone__database_integer(db, "count pages", "PRAGMA page_size",
                                    out_page, err));
    HONE_TRY(hone__database_integer(db, "count pages", "PRAGMA page_count",
                                    out_bytes, err));
    *out_bytes *= *out_page;
    return HONE_OK;
}

hone_status hone__db_gc(hone_db *db, int is_tried, hone_db_collected *out,
                        hone_error *err)
{
    int64_t page_bytes = 0;
    hone_status status;

    *out = (hone_db_collected){0};
    HONE_TRY(size_of(db, &out->bytes_before, &page_bytes, err));
    HONE_TRY(
        hone__db_exec(db, "PRAGMA foreign_keys = OFF", "remove rows", err));
    status = hone__db_begin(db, err);
    if (status == HONE_OK) {
        status = collect(db, out, err);
        if (is_tried)
            hone__db_rollback(db);
        else
            status = hone__db_end(db, status, err);
    }
    out->bytes_freed *= page_bytes;
    out->bytes_after = out->bytes_before;
    if (hone__db_exec(db, "PRAGMA foreign_keys = ON", "go on", NULL) !=
            HONE_OK ||
        status != HONE_OK || is_tried)
        return status;
    /* The rows are gone, whatever becomes of this: it needs room for a copy. */
    HONE_TRY(hone__db_exec(db, "VACUUM",
                           "make the file smaller (the rows are gone)", err));
    HONE_TRY(hone__db_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)",
                           "give back the room of what went", err));
    return size_of(db, &out->bytes_after, &page_bytes, err);
}
