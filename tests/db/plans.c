/* SPDX-License-Identifier: Apache-2.0 */
/* See plans.h. */
#include "plans.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Debian 12's, with which the golden files were made. */
#define OF_VERSION "3.40."

enum { MOST_STATEMENTS = 200 };

static char *statements[MOST_STATEMENTS];
static int n_statements;
static int is_live;
static int is_explaining; /* what that asks is not noted */

/* Spaces and line ends become one space, comments none. */
static char *normal(const char *sql)
{
    char *const out = malloc(strlen(sql) + 1);
    char *to = out;

    if (!out)
        abort();
    for (const char *c = sql; *c; ++c) {
        if (c[0] == '-' && c[1] == '-')
            c += strcspn(c, "\n");
        if (!*c)
            break;
        if (!strchr(" \n\t", *c))
            *to++ = *c;
        else if (to > out && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
    return out;
}

/* Each step is indented below the one that it belongs to. */
static void explain(sqlite3 *handle, const char *sql, hone_text *out)
{
    char *const question = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sql);
    int parents[64] = {0};
    int depth = 0;
    sqlite3_stmt *statement = NULL;

    hone__text_printf(out, "%s\n", sql);
    if (sqlite3_prepare_v2(handle, question, -1, &statement, NULL))
        hone__text_printf(out, "    ?? %s\n", sqlite3_errmsg(handle));
    while (statement && sqlite3_step(statement) == SQLITE_ROW) {
        while (depth && parents[depth] != sqlite3_column_int(statement, 1))
            --depth;
        if (depth < 63)
            parents[++depth] = sqlite3_column_int(statement, 0);
        hone__text_printf(out, "%*s%s\n", 2 + 2 * depth, "",
                          (const char *)sqlite3_column_text(statement, 3));
    }
    (void)sqlite3_finalize(statement);
    sqlite3_free(question);
}

/* With its plan, if it has that already. */
static void add(char *sql, sqlite3 *handle)
{
    const size_t length = strlen(sql);
    hone_text text = {0};

    for (int i = 0; i < n_statements; ++i) {
        if (strncmp(statements[i], sql, length) == 0 &&
            (!statements[i][length] || statements[i][length] == '\n')) {
            free(sql);
            return;
        }
    }
    if (n_statements == MOST_STATEMENTS)
        abort();
    if (is_live) {
        is_explaining = 1;
        explain(handle, sql, &text);
        is_explaining = 0;
        free(sql);
        sql = strdup(hone__text_str(&text));
        hone__text_free(&text);
        if (sql && strchr(sql, '\n') == sql + strlen(sql) - 1) {
            free(sql); /* CREATE, DROP, ATTACH: there is no plan */
            return;
        }
        if (!sql)
            abort();
    }
    statements[n_statements++] = sql;
}

/* A step of a trigger comes as "-- TRIGGER name". */
static int on_statement(unsigned reason, void *user, void *statement,
                        void *text)
{
    static const char *const left_out[] = {"PRAGMA",   "BEGIN",     "COMMIT",
                                           "ROLLBACK", "SAVEPOINT", "RELEASE"};
    char *sql;

    (void)reason;
    (void)user;
    if (is_explaining || strncmp(text, "-- TRIGGER", 10) == 0)
        return 0;
    sql = normal(sqlite3_sql(statement));
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; ++i) {
        if (strncmp(sql, left_out[i], strlen(left_out[i])) == 0) {
            free(sql);
            return 0;
        }
    }
    add(sql, sqlite3_db_handle(statement));
    return 0;
}

static int on_connect(sqlite3 *handle, char **message, const void *api)
{
    (void)message;
    (void)api;
    return sqlite3_trace_v2(handle, SQLITE_TRACE_STMT, on_statement, NULL);
}

void plans_begin(void)
{
    sqlite3_reset_auto_extension(); /* of a test that failed */
    n_statements = 0;
    is_live = 0;
    (void)sqlite3_auto_extension((void (*)(void))on_connect);
}

void plans_begin_live(void)
{
    plans_begin();
    is_live = 1;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void plans_end(const char *path, hone_text *out)
{
    sqlite3 *handle = NULL;

    sqlite3_reset_auto_extension();
    qsort(statements, (size_t)n_statements, sizeof statements[0], compare);
    if (sqlite3_open(path, &handle) != SQLITE_OK)
        abort();
    for (int i = 0; i < n_statements; ++i) {
        if (is_live)
            hone__text_puts(out, statements[i]);
        else
            explain(handle, statements[i], out);
        free(statements[i]);
    }
    n_statements = 0;
    (void)sqlite3_close(handle);
}

int plans_are(const hone_text *actual, const char *golden)
{
    hone_text expected = {0};
    FILE *file;
    int same;

    if (getenv("HONE_PLANS_WRITE")) {
        file = fopen(golden, "w");
        if (!file || fputs(hone__text_str(actual), file) < 0 || fclose(file))
            abort();
        return 1;
    }
    if (strncmp(sqlite3_libversion(), OF_VERSION, strlen(OF_VERSION)) != 0) {
        (void)printf("plans of SQLite %s are not known\n",
                     sqlite3_libversion());
        return 1;
    }
    if (hone__text_read_file(&expected, golden, NULL) != HONE_OK)
        return 0;
    same = strcmp(hone__text_str(&expected), hone__text_str(actual)) == 0;
    if (!same)
        (void)fprintf(stderr,
                      "%s differs; what it is now (HONE_PLANS_WRITE=1 writes "
                      "it):\n%s",
                      golden, hone__text_str(actual));
    hone__text_free(&expected);
    return same;
}
