/* SPDX-License-Identifier: Apache-2.0 */
/* From hone_open() to the end of the first launch, in a process that has a CUDA
 * context and nothing else, with as many winners as wanted in the file.
 *
 *   bench_cold fill DB OP N
 *       gives the one winner of OP in DB to N - 1 other problems, too: with the
 *       first dim 1, 2, .. more
 *   bench_cold run FILE OP DIM [N_PROCESSES]
 *       OP has dims that follow from the first, and arguments as saxpy has:
 *       alpha, x and y; prints medians, and the least and greatest sum
 *
 * Loading the kernel is part of it, and the first of two runs. */
#include "runtime/driver/driver.h"
#include "runtime/hone.h"

#include <sqlite3.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_PROCESSES = 200, BUFFER_BYTES = 1 << 28 };

typedef enum phase {
    PHASE_CONTEXT,
    PHASE_FILE, /* the same file opened and read, without hone */
    PHASE_OPEN,
    PHASE_PLAN,
    PHASE_LAUNCH,
    PHASE_AGAIN,
    PHASE_ALL, /* open, plan and launch */
    N_PHASES
} phase;

static const char *const phase_names[N_PHASES] = {
    "context",          "reading the file",      "hone_open",
    "hone_plan_create", "first run and its end", "second run and its end",
    "all of hone"};

static void die(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench_cold: %s: %s\n", what, why);
    exit(1);
}

static double now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- many winners -------------------------------------------------------- */

static const char fill_sql[] =
    "CREATE TEMP TABLE one AS SELECT p.dims, r.* FROM ranking r JOIN problem p"
    " USING (problem_id) WHERE p.op = ?1 AND r.rank = 1 LIMIT 1;"
    "INSERT OR IGNORE INTO problem (op, dims, label)"
    " WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i"
    " WHERE n < ?2 - 1)"
    " SELECT ?1, (substr(dims, 1, instr(dims || ',', ',') - 1) + n) ||"
    " substr(dims, instr(dims || ',', ',')), 'filled' FROM i, one;"
    "INSERT OR IGNORE INTO ranking SELECT p.problem_id, one.device_id, "
    "one.mode,"
    " 1, one.trial_id, one.session_id, one.time_ns, one.ci_low_ns,"
    " one.ci_high_ns, one.decided_by, one.ranked_unix_s"
    " FROM problem p, one WHERE p.op = ?1;";

static int fill(const char *path, const char *op, int n)
{
    const char *sql = fill_sql;
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) ||
        sqlite3_exec(db, "BEGIN", NULL, NULL, NULL))
        die(path, sqlite3_errmsg(db));
    while (*sql) {
        sqlite3_stmt *statement = NULL;
        int status;

        if (sqlite3_prepare_v2(db, sql, -1, &statement, &sql))
            die("statement", sqlite3_errmsg(db));
        (void)sqlite3_bind_text(statement, 1, op, -1, SQLITE_STATIC);
        (void)sqlite3_bind_int(statement, 2, n);
        do
            status = sqlite3_step(statement);
        while (status == SQLITE_ROW);
        if (status != SQLITE_DONE)
            die("fill", sqlite3_errmsg(db));
        (void)sqlite3_finalize(statement);
    }
    if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL))
        die("commit", sqlite3_errmsg(db));
    (void)sqlite3_close(db);
    return 0;
}

/* ---- one process ----------------------------------------------------------
 */

static void need(hone_ctx *ctx, hone_status status, const char *what)
{
    if (status != HONE_OK)
        die(what, hone_error_text(ctx));
}

static void launch(const hone_driver *driver, hone_ctx *ctx, hone_plan *plan,
                   void *const *args)
{
    need(ctx, hone_plan_run(plan, args, 3, NULL), "hone_plan_run");
    if (driver->stream_synchronize(NULL))
        die("run", "it failed");
}

/* What the file system takes for a file that nobody in this process has met. */
static void read_file(const char *path)
{
    enum { BYTES = 1 << 16 };
    static char buffer[BYTES];
    FILE *file = fopen(path, "rb");

    if (!file)
        die(path, "cannot be read");
    while (fread(buffer, 1, BYTES, file) == BYTES)
        continue;
    (void)fclose(file);
}

/* Writes the phases, in us, and what kind of match it was. */
static int once(const char *path, const char *op, int64_t dim)
{
    const hone_driver *driver;
    hone_cu_context context = NULL;
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;
    hone_match match = {.kind = HONE_MATCH_EXACT};
    hone_error error = {0};
    uint64_t x = 0, y = 0;
    float alpha = 1;
    void *const args[] = {&alpha, &x, &y};
    double at[N_PHASES];
    double us[N_PHASES];

    at[0] = now_us();
    if (hone__cuda_get(&driver, &error))
        die("CUDA", error.text);
    if (driver->primary_retain(&context, 0) || driver->context_set(context) ||
        driver->memory_alloc(&x, BUFFER_BYTES) ||
        driver->memory_alloc(&y, BUFFER_BYTES) ||
        driver->stream_synchronize(NULL))
        die("CUDA", "no context");
    at[1] = now_us();
    read_file(path);
    at[2] = now_us();
    need(ctx, hone_open(path, &ctx), "hone_open");
    at[3] = now_us();
    need(ctx, hone_plan_create(ctx, op, &dim, 1, &plan, &match), op);
    at[4] = now_us();
    launch(driver, ctx, plan, args);
    at[5] = now_us();
    launch(driver, ctx, plan, args);
    at[6] = now_us();
    for (int i = 0; i < PHASE_ALL; ++i)
        us[i] = at[i + 1] - at[i];
    us[PHASE_ALL] = at[5] - at[2];
    for (int i = 0; i < N_PHASES; ++i)
        (void)printf("%.1f ", us[i]);
    (void)printf("%d\n", (int)match.kind);
    return 0;
}

/* ---- many of them ---------------------------------------------------------
 */

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

static int run(const char *self, char **argv, int n)
{
    static double us[N_PHASES][MOST_PROCESSES];
    char command[4096];
    int kind = -1;

    (void)snprintf(command, sizeof command, "'%s' once '%s' '%s' '%s'", self,
                   argv[0], argv[1], argv[2]);
    for (int i = 0; i < n; ++i) {
        FILE *out = popen(command, "r"); /* arguments are a benchmark's own */
        int ok = out != NULL;

        for (int k = 0; k < N_PHASES && ok; ++k)
            ok = fscanf(out, "%lf", &us[k][i]) == 1;
        ok = ok && fscanf(out, "%d", &kind) == 1;
        if (!out || pclose(out) || !ok)
            die("a process", "it failed");
    }
    for (int k = 0; k < N_PHASES; ++k)
        qsort(us[k], (size_t)n, sizeof us[k][0], compare);
    (void)printf("%s, %s %s, match %d, %d processes, medians in us:", argv[0],
                 argv[1], argv[2], kind, n);
    for (int k = 0; k < N_PHASES; ++k)
        (void)printf("%s %s %.0f", k ? "," : "", phase_names[k], us[k][n / 2]);
    (void)printf(" (%.0f to %.0f)\n", us[PHASE_ALL][0], us[PHASE_ALL][n - 1]);
    return 0;
}

int main(int argc, char **argv)
{
    const int n = argc > 5 ? atoi(argv[5]) : 30;

    if (argc == 5 && !strcmp(argv[1], "fill"))
        return fill(argv[2], argv[3], atoi(argv[4]));
    if (argc == 5 && !strcmp(argv[1], "once"))
        return once(argv[2], argv[3], strtoll(argv[4], NULL, 10));
    if (argc >= 5 && !strcmp(argv[1], "run") && n > 0 && n <= MOST_PROCESSES)
        return run(argv[0], argv + 2, n);
    (void)fprintf(stderr, "bench_cold fill DB OP N | run FILE OP DIM [N]\n");
    return 2;
}
