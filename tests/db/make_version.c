/* SPDX-License-Identifier: Apache-2.0 */
/* make_version FILE VERSION SQL: a database of an older format version, from
 * version_1.sql and the steps that hone itself takes. */
#include "db/db_internal.h"
#include "runtime/base/text.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(sqlite3 *handle)
{
    (void)fprintf(stderr, "make_version: %s\n", sqlite3_errmsg(handle));
    return 1;
}

int main(int argc, char **argv)
{
    static const char *const steps[HONE_DB_VERSION + 1] = {NULL,
                                                           NULL,
                                                           hone__db_schema_2,
                                                           hone__db_schema_3,
                                                           hone__db_schema_4,
                                                           hone__db_schema_5,
                                                           hone__db_schema_6,
                                                           hone__db_schema_7,
                                                           hone__db_schema_8,
                                                           hone__db_schema_9,
                                                           hone__db_schema_10,
                                                           hone__db_schema_11};
    const int version = argc == 4 ? atoi(argv[2]) : 0;
    char stamp[64];
    sqlite3 *handle = NULL;
    hone_text sql = {0};

    if (version < 1 || version > HONE_DB_VERSION ||
        hone__text_read_file(&sql, argv[3], NULL) != HONE_OK) {
        (void)fprintf(stderr, "make_version FILE VERSION SQL\n");
        return 2;
    }
    if (sqlite3_open(argv[1], &handle) ||
        sqlite3_exec(handle, hone__text_str(&sql), NULL, NULL, NULL))
        return fail(handle);
    for (int i = 2; i <= version; ++i)
        if (sqlite3_exec(handle, steps[i], NULL, NULL, NULL))
            return fail(handle);
    (void)snprintf(stamp, sizeof stamp, "PRAGMA user_version = %d", version);
    if (sqlite3_exec(handle, stamp, NULL, NULL, NULL))
        return fail(handle);
    hone__text_free(&sql);
    return sqlite3_close(handle) ? 1 : 0;
}
