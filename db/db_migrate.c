/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of the format. A new version is one more row here and a new value
 * of HONE_DB_VERSION; released steps never change. A new database runs all
 * of them, so that there is one way to any version. Rejected: a schema of the
 * newest version for new files, a second text that can differ from the first.
 */
#include "db/db_internal.h"

const hone_db_migration hone__db_migrations[HONE_DB_VERSION] = {
    {hone__db_schema, NULL},              /* 0 -> 1 */
    {hone__db_schema_2, hone__db_read_1}, /* 1 -> 2 */
    {hone__db_schema_3, hone__db_read_2}, /* 2 -> 3 */
    {hone__db_schema_4, hone__db_read_3}, /* 3 -> 4 */
    {hone__db_schema_5, hone__db_read_4}, /* 4 -> 5 */
};

static hone_status run_steps(hone_db *db, const hone_db_migration *steps,
                             int64_t n_steps, hone_error *err)
{
    char stamp[96];
    int64_t version;

    /* Read under the write lock: another process may have been faster. */
    HONE_TRY(hone__db_run(db, "read its version", "PRAGMA user_version", NULL,
                          0, &version, err));
    if (version >= n_steps)
        return HONE_OK;
    for (; version < n_steps; version++)
        HONE_TRY(hone__db_exec(db, steps[version].sql,
                               "bring it to the current format", err));
    (void)sqlite3_snprintf((int)sizeof stamp, stamp,
                           "PRAGMA application_id = %d;"
                           "PRAGMA user_version = %lld",
                           HONE_DB_APPLICATION_ID, (long long)n_steps);
    return hone__db_exec(db, stamp, "bring it to the current format", err);
}

hone_status hone__db_migrate(hone_db *db, const hone_db_migration *steps,
                             int64_t n_steps, hone_error *err)
{
    int nested;

    HONE_TRY(hone__db_enter(db, &nested, err));
    return hone__db_leave(db, nested, run_steps(db, steps, n_steps, err), err);
}

hone_status hone__db_read_old(hone_db *db, int64_t version, hone_error *err)
{
    static const char doing[] = "read its old format";

    if (version >= HONE_DB_VERSION)
        return HONE_OK;
    /* The folder for temporary files may be read-only, or full. */
    HONE_TRY(hone__db_exec(db, "PRAGMA temp_store = MEMORY", doing, err));
    for (; version < HONE_DB_VERSION; version++)
        HONE_TRY(
            hone__db_exec(db, hone__db_migrations[version].read, doing, err));
    return HONE_OK;
}
