/* SPDX-License-Identifier: Apache-2.0 */
/* What was launched, counted by many threads and written by many processes to
 * one file; and the counters of a hone_ctx (run it under the tsan preset). */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/base/alloc.h"
#include "runtime/base/count.h"
#include "runtime/base/text.h"
#include "runtime/plan.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_THREADS = 32, N_PROCESSES = 6, MOST_SHAPES = 16 };

static float alpha = 2.0f;
static uint64_t x_device = 0x1000;
static uint64_t y_device = 0x2000;
static void *axpy_args[] = {&alpha, &x_device, &y_device};

static void record_path(void **state, char out[400])
{
    const runtime_fixture *fixture = *state;

    (void)snprintf(out, 400, "%s/launched", fixture->folder);
}

/* A tuned shape, 1024, and a default for all others. */
static void put_axpy(void **state)
{
    static const int64_t tuned[] = {1024};
    const tuned_row axpy = {.launch_plan = axpy_plan, .cubin = axpy_cubin};
    const tuned_row winner = {.launch_plan = axpy_plan,
                              .cubin = axpy_cubin,
                              .dims = tuned,
                              .n_dims = 1};

    runtime_put(*state, &winner);
    runtime_put_default(*state, &axpy);
}

static hone_ctx *open_recording(void **state)
{
    char path[400];
    hone_ctx *ctx;

    put_axpy(state);
    record_path(state, path);
    ctx = runtime_open(*state);
    assert_hone(ctx, hone_record_start(ctx, path), HONE_OK);
    return ctx;
}

static void launch(hone_ctx *ctx, int64_t n, int times)
{
    for (int i = 0; i < times; ++i)
        assert_hone(ctx, hone_launch(ctx, "axpy", &n, 1, axpy_args, 3, NULL),
                    HONE_OK);
}

/* What a file says of axpy: launches by dims / 1024. */
typedef struct recorded {
    uint64_t n[MOST_SHAPES];
    int n_lines, n_torn, n_titles;
    hone_text text;
} recorded;

static void read_line(char *line, recorded *out)
{
    unsigned long long dims = 0, n = 0;

    if (strcmp(line, HONE_RECORD_TITLE) == 0) {
        ++out->n_titles;
        return;
    }
    if (!hone__record_line_is_whole(line)) {
        ++out->n_torn;
        return;
    }
    ++out->n_lines;
    assert_int_equal(sscanf(line, "axpy %llu %llu", &dims, &n), 2);
    assert_in_range(dims / 1024, 0, MOST_SHAPES - 1);
    out->n[dims / 1024] += n;
}

static recorded read_record(const char *path)
{
    recorded out = {.n_lines = 0};
    char *copy;
    char *rest = NULL;

    assert_int_equal(hone__text_read_file(&out.text, path, NULL), HONE_OK);
    copy = hone__strdup(hone__text_str(&out.text));
    assert_non_null(copy);
    for (char *line = strtok_r(copy, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        read_line(line, &out);
    hone__free(copy);
    return out;
}

/* ---- what is counted ----------------------------------------------------- */

static void counts_launches(void **state)
{
    const int64_t one = 1024;
    hone_ctx *ctx = open_recording(state);
    hone_plan *plan = NULL;
    hone_counters counters;
    recorded file;
    char path[400];

    record_path(state, path);
    launch(ctx, 1024, 5);
    launch(ctx, 2048, 3);
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &one, 1, &plan, NULL),
                HONE_OK);
    assert_hone(ctx, hone_plan_run(plan, axpy_args, 3, NULL), HONE_OK);
    assert_int_equal(hone_plan_run(plan, axpy_args, 2, NULL),
                     HONE_ERR_ARGUMENT);
    hone_plan_destroy(plan);
    assert_hone(ctx, hone_counters_get(ctx, &counters), HONE_OK);
    assert_int_equal(counters.n_launches[HONE_MATCH_EXACT], 6);
    assert_int_equal(counters.n_launches[HONE_MATCH_NEIGHBOUR], 3);
    assert_int_equal(counters.n_vendor_launches, 0);
    assert_hone(ctx, hone_record_write(ctx), HONE_OK);
    assert_hone(ctx, hone_record_write(ctx), HONE_OK);
    file = read_record(path);
    assert_int_equal(file.n_titles, 1);
    assert_int_equal(file.n_lines, 2); /* nothing new, no line */
    assert_int_equal(file.n[1], 6);
    assert_int_equal(file.n[2], 3);
    assert_contains(hone__text_str(&file.text),
                    "axpy 1024 6 arch=sm_90 multiprocessors=132 match=exact "
                    "by=axpy.cu device=Fake_H200 sum=");
    hone__text_free(&file.text);
    launch(ctx, 2048, 2);
    hone_close(ctx);
    file = read_record(path);
    assert_int_equal(file.n_lines, 3);
    assert_int_equal(file.n[2], 5);
    hone__text_free(&file.text);
}

/* Plans come and go, their launches stay. */
static void evicted_plans_too(void **state)
{
    hone_ctx *ctx = open_recording(state);
    hone_counters counters;
    recorded file;
    char path[400];

    record_path(state, path);
    assert_hone(ctx, hone_plan_limit(ctx, 2), HONE_OK);
    for (int round = 0; round < 100; ++round)
        for (int64_t i = 1; i < MOST_SHAPES; ++i)
            launch(ctx, i * 1024, 1);
    assert_hone(ctx, hone_counters_get(ctx, &counters), HONE_OK);
    assert_int_equal(counters.n_cached_plans, 2);
    assert_int_equal(counters.n_misses, 100 * (MOST_SHAPES - 1));
    assert_int_equal(counters.n_evictions, counters.n_misses - 2);
    assert_int_equal(counters.n_plans[HONE_MATCH_EXACT], 100);
    hone_close(ctx);
    file = read_record(path);
    assert_true(file.n_lines >= MOST_SHAPES - 1); /* more on a slow machine */
    for (int64_t i = 1; i < MOST_SHAPES; ++i)
        assert_int_equal(file.n[i], 100);
    hone__text_free(&file.text);
}

static void counters_without_record(void **state)
{
    const int64_t n = 1024;
    hone_counters counters;
    hone_plan *plan = NULL;
    hone_ctx *ctx;

    put_axpy(state);
    ctx = runtime_open(*state);
    launch(ctx, 1024, 5);
    launch(ctx, 1 << 20, 1); /* too far from what was tuned */
    assert_int_equal(hone_plan_create(ctx, "fft", &n, 1, &plan, NULL),
                     HONE_ERR_NOT_FOUND);
    assert_hone(ctx, hone_counters_get(ctx, &counters), HONE_OK);
    assert_int_equal(counters.n_plans[HONE_MATCH_EXACT], 1);
    assert_int_equal(counters.n_plans[HONE_MATCH_DEFAULT], 1);
    assert_int_equal(counters.n_failed_plans, 1);
    assert_int_equal(counters.n_misses, 2);
    assert_int_equal(counters.n_launches[HONE_MATCH_EXACT], 0);
    assert_int_equal(counters.code_bytes, strlen(axpy_cubin) + 1);
    assert_int_equal(counters.workspace_bytes, 0);
    assert_int_equal(hone_record_write(ctx), HONE_ERR_ARGUMENT);
    assert_int_equal(hone_record_start(ctx, NULL), HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "right after hone_open()");
    /* hone.h: hone_counters_get, HONE_ERR_ARGUMENT */
    assert_int_equal(hone_counters_get(ctx, NULL), HONE_ERR_ARGUMENT);
    assert_int_equal(hone_counters_get(NULL, &counters), HONE_ERR_ARGUMENT);
    /* hone.h: hone_record_start, HONE_ERR_ARGUMENT */
    assert_int_equal(hone_record_start(NULL, NULL), HONE_ERR_ARGUMENT);
    /* hone.h: hone_record_write, HONE_ERR_ARGUMENT */
    assert_int_equal(hone_record_write(NULL), HONE_ERR_ARGUMENT);
    hone_close(ctx);
}

static void workspaces_are_counted(void **state)
{
    static const int64_t cube[] = {64, 64, 64, HONE_TYPE_F32};
    const tuned_row gemm = {.op = "gemm",
                            .types = "4",
                            .launch_plan = gemm_plan,
                            .cubin = gemm_cubin};
    void *args[] = {&x_device, &x_device, &y_device};
    hone_counters counters;
    hone_ctx *ctx;

    runtime_put_default(*state, &gemm);
    ctx = runtime_open(*state);
    assert_hone(ctx, hone_launch(ctx, "gemm", cube, 4, args, 3, NULL), HONE_OK);
    assert_hone(ctx, hone_counters_get(ctx, &counters), HONE_OK);
    assert_int_equal(counters.workspace_bytes, fake_n_bytes());
    assert_true(counters.workspace_bytes > 0);
    assert_hone(ctx, hone_stream_release(ctx, NULL), HONE_OK);
    assert_hone(ctx, hone_counters_get(ctx, &counters), HONE_OK);
    assert_int_equal(counters.workspace_bytes, 0);
    hone_close(ctx);
}

/* ---- threads ------------------------------------------------------------- */

typedef struct worker {
    hone_ctx *ctx;
    hone_cu_context context;
    int seed;
    hone_status status;
} worker;

static void *launch_many(void *user)
{
    worker *w = user;

    (void)cuCtxSetCurrent(w->context);
    for (int i = 0; i < 2000 && w->status == HONE_OK; ++i) {
        const int64_t n = 1024 * (1 + (i * 7 + w->seed) % 8);

        w->status = hone_launch(w->ctx, "axpy", &n, 1, axpy_args, 3, NULL);
    }
    return NULL;
}

/* With so few plans that they are evicted all the time, while the sum is asked
 * for and written. */
static void many_threads(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = open_recording(state);
    worker workers[N_THREADS];
    pthread_t threads[N_THREADS];
    uint64_t sum = 0;
    hone_counters counters;
    recorded file;
    char path[400];

    record_path(state, path);
    assert_hone(ctx, hone_plan_limit(ctx, 4), HONE_OK);
    for (int i = 0; i < N_THREADS; ++i) {
        workers[i] = (worker){ctx, fixture->context, i, HONE_OK};
        assert_int_equal(
            pthread_create(&threads[i], NULL, launch_many, &workers[i]), 0);
    }
    for (int i = 0; i < 50; ++i) {
        assert_hone(ctx, hone_counters_get(ctx, &counters), HONE_OK);
        assert_hone(ctx, hone_record_write(ctx), HONE_OK);
    }
    for (int i = 0; i < N_THREADS; ++i) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].status, HONE_OK);
    }
    hone_close(ctx);
    file = read_record(path);
    for (int i = 0; i < MOST_SHAPES; ++i)
        sum += file.n[i];
    assert_int_equal(sum, N_THREADS * 2000);
    assert_int_equal(file.n[1], N_THREADS * 2000 / 8);
    hone__text_free(&file.text);
}

/* A counter that is given back starts again at 0, in the arrays of all. */
static void counters_start_at_zero(void **state)
{
    uint32_t counters[200];

    (void)state;
    for (int i = 0; i < 200; ++i) {
        counters[i] = hone__count_take();
        assert_int_not_equal(counters[i], 0);
        for (int j = 0; j <= i; ++j)
            hone__count_add(counters[i]);
    }
    for (int i = 0; i < 200; ++i)
        assert_int_equal(hone__count_sum(counters[i]), i + 1);
    for (int i = 0; i < 200; ++i)
        hone__count_give(counters[i]);
    for (int i = 0; i < 200; ++i) {
        counters[i] = hone__count_take();
        assert_int_equal(hone__count_sum(counters[i]), 0);
    }
    for (int i = 0; i < 200; ++i)
        hone__count_give(counters[i]);
}

/* ---- the file ------------------------------------------------------------ */

/* The child: never returns. */
static void launch_as_process(void **state, const char *path, int closes)
{
    const runtime_fixture *fixture = *state;
    hone_ctx *ctx = NULL;
    int failed;

    (void)setenv("HONE_RECORD", path, 1);
    failed = hone_open(fixture->path, &ctx) != HONE_OK;
    for (int i = 0; i < 50; ++i) {
        const int64_t n = 1024 * (1 + i % 5);

        failed |=
            hone_launch(ctx, "axpy", &n, 1, axpy_args, 3, NULL) != HONE_OK;
        while (hone_record_write(ctx) == HONE_ERR_BUSY)
            ; /* others have the file for longer than it waits */
    }
    if (closes)
        hone_close(ctx);
    failed ? _exit(1) : exit(0); /* what exit() runs is what is tested */
}

static void wait_for(pid_t child)
{
    int status = 0;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void many_processes(void **state)
{
    pid_t children[N_PROCESSES];
    recorded file;
    char path[400];

    put_axpy(state);
    record_path(state, path);
    (void)fflush(NULL);
    for (int i = 0; i < N_PROCESSES; ++i) {
        children[i] = fork();
        if (!children[i])
            launch_as_process(state, path, i % 2);
    }
    for (int i = 0; i < N_PROCESSES; ++i)
        wait_for(children[i]);
    file = read_record(path);
    assert_int_equal(file.n_titles, 1);
    assert_int_equal(file.n_torn, 0);
    assert_int_equal(file.n_lines, N_PROCESSES * 50);
    for (int i = 1; i <= 5; ++i)
        assert_int_equal(file.n[i], N_PROCESSES * 10);
    hone__text_free(&file.text);
}

/* Both sides of a fork write what they launched themselves. */
static void parent_and_child(void **state)
{
    const hone_launched launched = {
        "axpy", "1024", HONE_MATCH_EXACT, 0, "axpy.cu", "cpu", 2, "Fake"};
    hone_record *record = NULL;
    hone_record_shape *shape;
    recorded file;
    char path[400];
    pid_t child;

    record_path(state, path);
    assert_int_equal(hone__record_open(path, &record, NULL), HONE_OK);
    shape = hone__record_enter(record, &launched);
    assert_non_null(shape);
    for (int i = 0; i < 3; ++i)
        hone__count_add(hone__record_counter(shape));
    (void)fflush(NULL);
    child = fork();
    for (int i = 0; i < (child ? 10 : 200); ++i)
        hone__count_add(hone__record_counter(shape));
    if (!child)
        exit(0);
    wait_for(child);
    file = read_record(path);
    assert_int_equal(file.n[1], 200);
    hone__text_free(&file.text);
    hone__record_close(record);
    file = read_record(path);
    assert_int_equal(file.n[1], 213);
    hone__text_free(&file.text);
}

static void put_in_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "ae");

    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* What a process left that was killed while it wrote costs its own line. */
static void torn_lines(void **state)
{
    hone_ctx *ctx = open_recording(state);
    recorded file;
    char path[400];

    record_path(state, path);
    launch(ctx, 1024, 2);
    assert_hone(ctx, hone_record_write(ctx), HONE_OK);
    put_in_file(path, "axpy 1024 77");
    launch(ctx, 1024, 1);
    assert_hone(ctx, hone_record_write(ctx), HONE_OK);
    put_in_file(path, "axpy 1024 1 arch=sm_90 sum=00000000\n sum=\n");
    hone_close(ctx);
    file = read_record(path);
    assert_int_equal(file.n_torn, 3);
    assert_int_equal(file.n_lines, 2);
    assert_int_equal(file.n[1], 3);
    hone__text_free(&file.text);
}

/* A file that may not grow is as it was, and the counts come when it may. */
static void a_full_disk(void **state)
{
    hone_ctx *ctx = open_recording(state);
    struct rlimit before, small;
    recorded file;
    char path[400];

    record_path(state, path);
    launch(ctx, 1024, 2);
    assert_hone(ctx, hone_record_write(ctx), HONE_OK);
    launch(ctx, 1024, 3);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 150; /* half of the second line */
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    /* hone.h: hone_record_write, HONE_ERR_IO */
    assert_int_equal(hone_record_write(ctx), HONE_ERR_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    file = read_record(path);
    assert_int_equal(file.n_torn, 0);
    assert_int_equal(file.n[1], 2);
    hone__text_free(&file.text);
    launch(ctx, 1024, 1);
    hone_close(ctx);
    file = read_record(path);
    assert_int_equal(file.n_torn, 0);
    assert_int_equal(file.n[1], 6);
    hone__text_free(&file.text);
}

static int n_warnings;

static void hear(void *user, hone_log_level level, const char *message)
{
    hone_text *text = user;

    n_warnings += level == HONE_LOG_WARNING;
    hone__text_printf(text, "%s\n", message);
}

/* Launches go on, and one message says so. */
static void nowhere_to_write(void **state)
{
    hone_text said = {0};
    hone_ctx *ctx;

    put_axpy(state);
    n_warnings = 0;
    assert_int_equal(hone_log_set(hear, &said, HONE_LOG_INFO), HONE_OK);
    (void)setenv("HONE_RECORD", "/nowhere/launched", 1);
    ctx = runtime_open(*state);
    (void)unsetenv("HONE_RECORD");
    launch(ctx, 1024, 3);
    hone_close(ctx);
    assert_int_equal(n_warnings, 1);
    assert_contains(said.data, "HONE_RECORD: cannot record launches in "
                               "'/nowhere/launched': ");
    assert_contains(said.data, "closed: 1 plans (1 exact), 0 failed; 1 misses, "
                               "0 evictions; ");
    ctx = runtime_open(*state);
    /* hone.h: hone_record_start, HONE_ERR_IO */
    assert_int_equal(hone_record_start(ctx, "/nowhere/launched"), HONE_ERR_IO);
    assert_int_equal(hone_record_start(ctx, "/dev/null"), HONE_ERR_IO);
    assert_hone(ctx, hone_record_start(ctx, NULL), HONE_OK);
    assert_int_equal(hone_record_start(ctx, NULL), HONE_ERR_ARGUMENT);
    launch(ctx, 1024, 3);
    hone_close(ctx);
    assert_contains(said.data, "; 3 launches (3 exact)\n");
    (void)hone_log_set(NULL, NULL, HONE_LOG_INFO);
    hone__text_free(&said);
}

/* Another process that keeps the file does not keep us. */
static void a_locked_file(void **state)
{
    hone_ctx *ctx = open_recording(state);
    recorded record;
    char path[400];
    int file;

    record_path(state, path);
    file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(flock(file, LOCK_EX), 0);
    launch(ctx, 1024, 2);
    /* hone.h: hone_record_write, HONE_ERR_BUSY */
    assert_int_equal(hone_record_write(ctx), HONE_ERR_BUSY);
    (void)close(file);
    hone_close(ctx);
    record = read_record(path);
    assert_int_equal(record.n[1], 2);
    hone__text_free(&record.text);
}

/* A launch does not fail for lack of memory to count it. */
static void no_memory_to_count(void **state)
{
    hone_launched launched = {
        "axpy", "1024", HONE_MATCH_EXACT, 0, "axpy.cu", "sm_90", 132, "Fake"};
    hone_record_shape *shape = NULL;
    hone_record *record = NULL;

    (void)state;
    for (long n = 0; !shape; ++n) {
        hone__alloc_fail_after(n);
        if (hone__record_open(NULL, &record, NULL) == HONE_OK)
            shape = hone__record_enter(record, &launched);
        (void)hone__alloc_fail_end();
        hone__record_close(record);
    }
}

static void no_memory_to_write(void **state)
{
    hone_ctx *ctx;
    char path[400];

    put_axpy(state);
    record_path(state, path);
    ctx = runtime_open(*state);
    hone__alloc_fail_after(0);
    /* hone.h: hone_record_start, HONE_ERR_NO_MEMORY */
    assert_int_equal(hone_record_start(ctx, path), HONE_ERR_NO_MEMORY);
    (void)hone__alloc_fail_end();
    assert_hone(ctx, hone_record_start(ctx, path), HONE_OK);
    launch(ctx, 1024, 2);
    hone__alloc_fail_after(0);
    /* hone.h: hone_record_write, HONE_ERR_NO_MEMORY */
    assert_int_equal(hone_record_write(ctx), HONE_ERR_NO_MEMORY);
    (void)hone__alloc_fail_end();
    assert_hone(ctx, hone_record_write(ctx), HONE_OK);
    hone_close(ctx);
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: no child goes on with a driver that its parent started. */
        WITH_DATABASE(many_processes),
        WITH_DATABASE(counts_launches),
        WITH_DATABASE(evicted_plans_too),
        WITH_DATABASE(counters_without_record),
        WITH_DATABASE(workspaces_are_counted),
        WITH_DATABASE(many_threads),
        WITH_DATABASE(parent_and_child),
        WITH_DATABASE(torn_lines),
        WITH_DATABASE(a_full_disk),
        WITH_DATABASE(nowhere_to_write),
        WITH_DATABASE(a_locked_file),
        cmocka_unit_test(counters_start_at_zero),
        cmocka_unit_test(no_memory_to_count),
        WITH_DATABASE(no_memory_to_write),
    };

    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
