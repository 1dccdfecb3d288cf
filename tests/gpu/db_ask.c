/* SPDX-License-Identifier: Apache-2.0 */
/* db_ask FILE SQL: runs the statements and prints the rows as a Markdown
 * table, or bare values where there is one column. For GPU machines, which
 * have no sqlite3 shell. "@FILE" as SQL reads it from a file. A database is
 * only read; the FILE :memory: is an empty one to make tables in.
 * readfile(NAME) is the text of a file, or null, as in the sqlite3 shell. */
#include <sqlite3.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of a file, to be freed; NULL if it cannot be read. */
static char *read_file(const char *path)
{
    enum { MOST = 1 << 26 };
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = 0;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        size <= MOST && fseek(file, 0, SEEK_SET) == 0)
        text = calloc(1, (size_t)size + 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    (void)fclose(file);
    return text;
}

static void sql_readfile(sqlite3_context *context, int n_args,
                         sqlite3_value **args)
{
    const char *name = (const char *)sqlite3_value_text(args[0]);
    char *text = name ? read_file(name) : NULL;

    (void)n_args;
    if (text)
        sqlite3_result_text(context, text, -1, free);
    else
        sqlite3_result_null(context);
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
    if (argv[2][0] == '@' && !(file = read_file(argv[2] + 1))) {
        (void)fprintf(stderr, "db_ask: cannot read %s\n", argv[2] + 1);
        return 2;
    }
    sql = file ? file : argv[2];
    code =
        sqlite3_open_v2(argv[1], &db,
                        strcmp(argv[1], ":memory:") == 0 ? SQLITE_OPEN_READWRITE
                                                         : SQLITE_OPEN_READONLY,
                        NULL);
    (void)sqlite3_busy_timeout(db, 5000);
    if (code == SQLITE_OK)
        code = sqlite3_create_function_v2(db, "readfile", 1, SQLITE_UTF8, NULL,
                                          sql_readfile, NULL, NULL, NULL);
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
