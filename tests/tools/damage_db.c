/* SPDX-License-Identifier: Apache-2.0 */
/* damage_db FILE TABLE COLUMN SELECT: flips a bit of a stored value, as a bad
 * disk would, behind the back of every constraint. SELECT gives the rowid and
 * the offset of the byte, from 0.
 * damage_db FILE SQL: where an index would notice. */
#include <sqlite3.h>

#include <stdio.h>

static int flip(sqlite3 *db, char **argv, sqlite3_int64 row, int offset)
{
    sqlite3_blob *value = NULL;
    unsigned char byte = 0;
    int code = sqlite3_blob_open(db, "main", argv[2], argv[3], row, 1, &value);

    if (code == SQLITE_OK)
        code = sqlite3_blob_read(value, &byte, 1, offset);
    byte ^= 1;
    if (code == SQLITE_OK)
        code = sqlite3_blob_write(value, &byte, 1, offset);
    (void)sqlite3_blob_close(value);
    return code;
}

static int flip_selected(sqlite3 *db, char **argv)
{
    sqlite3_stmt *select = NULL;
    sqlite3_int64 row = 0;
    int offset = 0;
    int code = sqlite3_prepare_v2(db, argv[4], -1, &select, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(select);
    if (code == SQLITE_ROW) {
        row = sqlite3_column_int64(select, 0);
        offset = sqlite3_column_int(select, 1);
    }
    (void)sqlite3_finalize(select);
    return code == SQLITE_ROW ? flip(db, argv, row, offset) : SQLITE_NOTFOUND;
}

int main(int argc, char **argv)
{
    sqlite3 *db = NULL;
    int code = SQLITE_MISUSE;

    if (argc == 3 || argc == 5)
        code = sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK)
        code = argc == 3 ? sqlite3_exec(db, argv[2], NULL, NULL, NULL)
                         : flip_selected(db, argv);
    if (code != SQLITE_OK)
        (void)fprintf(stderr, "damage_db: %s\n",
                      db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
    (void)sqlite3_close(db);
    return code != SQLITE_OK;
}
