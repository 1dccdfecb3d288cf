/* SPDX-License-Identifier: Apache-2.0 */
/* db_ask FILE SQL: runs the statements and prints the rows as a Markdown
 * table, or bare values where there is one column. For GPU machines, which
 * have no sqlite3 shell. "@FILE" as SQL reads it from a file. Reads only. */
#include <sqlite3.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path)
{
    enum { MOST = 1 << 16 };
    char *text = calloc(1, MOST + 1);
    FILE *file = fopen(path, "rb");

    if (!text || !file || !fread(text, 1, MOST, file)) {
        (void)fprintf(stderr, "db_ask: cannot read %s\n", path);
        exit(2);
    }
    (void)fclose(file);
    return text;
}

static int print_row(void *user, int n, char **values, char **names)
{
    int *is_first = user;

    if (*is_first && n > 1) {
        for (int i = 0; i < n; ++i)
            (void)printf("| %s ", names[i]);
        (void)printf("|\n");
        for (int i = 0; i < n; ++i)
            (void)printf("|---");
        (void)printf("|\n");
    }
    *is_first = 0;
    for (int i = 0; i < n; ++i)
        (void)printf(n > 1 ? "| %s " : "%s", values[i] ? values[i] : "");
    (void)printf(n > 1 ? "|\n" : "\n");
    return 0;
}

int main(int argc, char **argv)
{
    sqlite3 *db = NULL;
    char *file = NULL;
    const char *sql;
    int code;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: db_ask FILE SQL|@FILE\n");
        return 2;
    }
    if (argv[2][0] == '@')
        file = read_file(argv[2] + 1);
    sql = file ? file : argv[2];
    code = sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL);
    (void)sqlite3_busy_timeout(db, 5000);
    while (code == SQLITE_OK && sql && *sql) { /* a table per statement */
        sqlite3_stmt *statement = NULL;
        const char *rest = sql;
        char *one;
        int is_first = 1;

        code = sqlite3_prepare_v2(db, sql, -1, &statement, &rest);
        (void)sqlite3_finalize(statement);
        if (code != SQLITE_OK)
            break;
        one = strndup(sql, (size_t)(rest - sql));
        code = sqlite3_exec(db, one, print_row, &is_first, NULL);
        free(one);
        sql = rest;
        if (code == SQLITE_OK && *sql && !is_first)
            (void)printf("\n");
    }
    if (code != SQLITE_OK)
        (void)fprintf(stderr, "db_ask: %s\n", sqlite3_errmsg(db));
    (void)sqlite3_close(db);
    free(file);
    return code == SQLITE_OK ? 0 : 1;
}
