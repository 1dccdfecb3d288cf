/* SPDX-License-Identifier: Apache-2.0 */
/* bench_lookup FILE: how long the winner of one problem takes in a file that
 * make_large made, 200 problems of all its ops drawn at random, each on a
 * connection of its own. The file is in memory (page cache); nothing of it is
 * in SQLite's cache.
 *
 * Prints least, median and 95th percentile of
 *   look-up   bind, step, read and reset of the statement that the runtime
 *             prepares for an exact shape (taken from it by a trace): the four
 *             winners of the problem, of two devices in two modes;
 *   one       the same for one device and mode, on a connection of its own;
 *   whole     hone__store_open() to hone__store_gather(): the connection, the
 *             schema, two statements prepared, the look-up. */
#include "db/db_internal.h"
#include "runtime/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 200 };

static char lookup_sql[2000]; /* four rows */
static char one_sql[2000];

static void must(hone_status status, const hone_error *err)
{
    if (status == HONE_OK)
        return;
    (void)fprintf(stderr, "bench_lookup: %s\n", err->text);
    exit(1);
}

static double now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- which problems -------------------------------------------------------
 */

typedef struct problem {
    char op[16];
    char text[64];
    int64_t dims[3];
} problem;

static void draw(sqlite3 *handle, problem *out)
{
    static uint64_t state = 7;
    sqlite3_stmt *s = NULL;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    if (sqlite3_prepare_v2(handle,
                           "SELECT op, dims FROM problem WHERE problem_id ="
                           " 1 + ?1 % (SELECT max(problem_id) FROM problem)",
                           -1, &s, NULL) ||
        sqlite3_bind_int64(s, 1, (int64_t)(state >> 33)) ||
        sqlite3_step(s) != SQLITE_ROW)
        exit(1);
    (void)snprintf(out->op, sizeof out->op, "%s",
                   (const char *)sqlite3_column_text(s, 0));
    (void)snprintf(out->text, sizeof out->text, "%s",
                   (const char *)sqlite3_column_text(s, 1));
    (void)sqlite3_finalize(s);
    if (sscanf(out->text, "%lld,%lld,%lld", (long long *)&out->dims[0],
               (long long *)&out->dims[1], (long long *)&out->dims[2]) != 3)
        exit(1);
}

/* ---- what is measured ------------------------------------------------------
 */

static double whole_us(const char *path, const problem *p)
{
    const hone_wanted wanted = {.kind = HONE_MATCH_EXACT,
                                .arch = "sm_90",
                                .types = "",
                                .dims = p->dims,
                                .n_dims = 3};
    const double start_us = now_us();
    hone_store *store = NULL;
    hone_store_op *op = NULL;
    hone_error err = {0};
    double end_us;

    must(hone__store_open(path, &store, &err), &err);
    must(hone__store_op(store, p->op, &op, &err), &err);
    must(hone__store_gather(store, op, &wanted, &err), &err);
    end_us = now_us();
    if (op->n_rows < 4) /* of two devices in two modes */
        exit(1);
    hone__store_close(store);
    return end_us - start_us;
}

static double lookup_us(sqlite3_stmt *s, const problem *p, int n_expected)
{
    const double start_us = now_us();
    int n = 0;

    (void)sqlite3_bind_text(s, 1, p->op, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 2, "cuda", -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s, 7, p->text, -1, SQLITE_STATIC);
    while (sqlite3_step(s) == SQLITE_ROW)
        n += sqlite3_column_text(s, 0) != NULL;
    (void)sqlite3_reset(s);
    if (n != n_expected)
        exit(1);
    return now_us() - start_us;
}

static double fresh_us(const char *path, const problem *p, const char *sql,
                       int n_expected)
{
    double us;
    hone_database db = {.handle = NULL};
    sqlite3_stmt *s = NULL;
    hone_error err = {0};
    int64_t version;

    must(hone__database_open(path, HONE_DATABASE_READ, &db, &version, &err),
         &err);
    must(hone__database_prepare(&db, "read", sql, &s, &err), &err);
    us = lookup_us(s, p, n_expected);
    (void)sqlite3_finalize(s);
    hone__database_close(&db);
    return us;
}

/* ---- the statement ----------------------------------------------------------
 */

static int on_statement(unsigned reason, void *user, void *statement,
                        void *text)
{
    (void)reason;
    (void)user;
    (void)text;
    if (strstr(sqlite3_sql(statement), "dims = ?7"))
        (void)snprintf(lookup_sql, sizeof lookup_sql, "%s",
                       sqlite3_sql(statement));
    return 0;
}

static int on_connect(sqlite3 *handle, char **message, const void *api)
{
    (void)message;
    (void)api;
    return sqlite3_trace_v2(handle, SQLITE_TRACE_STMT, on_statement, NULL);
}

static void add_conditions(void)
{
    const char *const end = strstr(lookup_sql, " ORDER BY");
    const size_t length = end ? (size_t)(end - lookup_sql) : strlen(lookup_sql);

    (void)snprintf(one_sql, sizeof one_sql,
                   "%.*s AND device_name = 'NVIDIA H200' AND mode = 'cold'%s",
                   (int)length, lookup_sql, lookup_sql + length);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print(const char *what, double *us)
{
    qsort(us, REPEATS, sizeof *us, compare);
    (void)printf("%-9s %7.1f %7.1f %7.1f us\n", what, us[0], us[REPEATS / 2],
                 us[REPEATS * 95 / 100]);
}

int main(int argc, char **argv)
{
    static problem problems[REPEATS + 1];
    static double whole[REPEATS], all[REPEATS], one[REPEATS];
    sqlite3 *handle = NULL;

    if (argc < 2 ||
        sqlite3_open_v2(argv[1], &handle, SQLITE_OPEN_READONLY, NULL))
        return 2;
    for (int i = 0; i <= REPEATS; i++)
        draw(handle, &problems[i]);
    (void)sqlite3_close(handle);
    (void)sqlite3_auto_extension((void (*)(void))on_connect);
    (void)whole_us(argv[1], &problems[0]);
    sqlite3_reset_auto_extension();
    add_conditions();
    for (int i = 0; i < REPEATS; i++) /* into memory */
        (void)fresh_us(argv[1], &problems[i], lookup_sql, 4);
    for (int i = 0; i < REPEATS; i++) {
        all[i] = fresh_us(argv[1], &problems[i], lookup_sql, 4);
        one[i] = fresh_us(argv[1], &problems[i], one_sql, 1);
        whole[i] = whole_us(argv[1], &problems[i]);
    }
    (void)printf("%-9s %7s %7s %7s\n", "", "least", "median", "95 %");
    print("look-up", all);
    print("one", one);
    print("whole", whole);
    return 0;
}
