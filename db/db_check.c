/* SPDX-License-Identifier: Apache-2.0 */
/* Is a file a database that can be used? */
#include "db/db_internal.h"

#include <string.h>

static const char doing[] = "check it";

/* The first thing that SQLite finds wrong with the pages of the file. */
static hone_status on_finding(void *user, size_t n_columns,
                              const char *const *names,
                              const hone_db_value *values, hone_error *err)
{
    const hone_db *const db = user;

    (void)n_columns;
    (void)names;
    if (strcmp(values[0].text, "ok") == 0)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_DATABASE,
                      "database '%s' is damaged (SQLite: %.160s); save what "
                      "can be read with the sqlite3 command '.recover' into a "
                      "new file, or move it away and tune again",
                      db->path, values[0].text);
}

static hone_status inspect(hone_db *db, hone_db_facts *out, hone_error *err)
{
    HONE_TRY(hone__db_query(db, "PRAGMA quick_check(1)", NULL, 0, on_finding,
                            db, err));
    HONE_TRY(hone__db_run(db, doing, "PRAGMA main.user_version", NULL, 0,
                          &out->version, err));
    HONE_TRY(hone__db_run(db, doing, "SELECT count(*) FROM winner_v1", NULL, 0,
                          &out->n_winners, err));
    return hone__db_run(db, doing, "SELECT count(*) FROM trial", NULL, 0,
                        &out->n_trials, err);
}

hone_status hone__db_inspect(const char *path, hone_db_facts *out,
                             hone_error *err)
{
    hone_db *db = NULL;
    hone_status status;

    HONE_TRY(hone__db_open(path, HONE_DB_READONLY, &db, err));
    status = inspect(db, out, err);
    hone__db_close(db);
    return status;
}
