/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch through hone costs beside a bare cuLaunchKernel of the same
 * kernel, with thousands of shapes in the plan cache. Only the time on the
 * calling thread counts: batches are short enough for the driver's queue and
 * are waited for outside the measurement. The ways are measured in turn, and
 * their differences to the bare launch of the same round are what is shown;
 * random shapes are compared with bare launches of random shapes. Several
 * threads, each with a stream of its own, are in the same way at a time, and
 * what is shown is the median of all.
 *
 *   bench_dispatch [--json] [--shapes N] [--rounds N] [--threads N]
 *       on the fake driver, with a database of its own
 *   bench_dispatch --db FILE --op OP ...
 *       on the GPU; OP has one integer dim (saxpy) and a default variant that
 *       is a kernel: tune one implementation (saxpy/stream) */
#include "runtime/plan.h"
#include "tests/runtime/bench_fake.h"
#include "tests/runtime/tuned_db.h"

#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    BATCH = 256,
    MAX_SHAPES = 1 << 20,
    MAX_ROUNDS = 10000,
    MAX_THREADS = 256
};

typedef enum way {
    WAY_BARE,
    WAY_RUN,
    WAY_SAME,
    WAY_RANDOM_BARE, /* the same three, another shape each time */
    WAY_RANDOM_RUN,
    WAY_RANDOM,
    N_WAYS
} way;

static const char *const way_names[N_WAYS] = {
    "bare_launch",        "plan_run",        "launch_same_shape",
    "bare_launch_random", "plan_run_random", "launch_random_shape"};
static const char *const way_texts[N_WAYS] = {
    "one shape: cuLaunchKernel",    "one shape: hone_plan_run",
    "one shape: hone_launch",       "random shapes: cuLaunchKernel",
    "random shapes: hone_plan_run", "random shapes: hone_launch"};

/* A launch with its parameters at hand, as good as a program can have it. */
typedef struct bare_launch {
    hone_program_launch launch;
    hone_program_param values[HONE_MAX_PASSED];
    void *params[HONE_MAX_PASSED];
} bare_launch;

typedef struct bench {
    const char *db;
    const char *op;
    int json;
    int n_shapes;
    int n_rounds;
    const hone_driver *driver;
    hone_ctx *ctx;
    hone_plan **plans; /* those of hone_launch(), one per shape */
    bare_launch *bare; /* of a batch */
    int64_t *shapes;
    void *args[HONE_MAX_ARGS];
    size_t n_args;
    uint64_t arg_values[HONE_MAX_ARGS];
    hone_stream stream;
    double plan_create_ns;
    double *ns[N_WAYS]; /* per call, of each round and thread */
    int n_threads;
    int thread; /* of this copy, which has a stream and `bare` of its own */
    pthread_barrier_t *together;
    hone_cu_context context;
} bench;

static void die(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench_dispatch: %s: %s\n", what, why);
    exit(4);
}

static void need(const bench *b, hone_status status, const char *what)
{
    if (status != HONE_OK)
        die(what, hone_error_text(b->ctx));
}

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int64_t shape_of(int index)
{
    return 1024 + 16 * (int64_t)index;
}

/* A database with one default variant that every shape takes. */
static void make_database(char path[64])
{
    static const tuned_row row = {
        .launch_plan = "hone-launch 1\nop axpy\ndim n int\n"
                       "arg alpha scalar 4\narg x in 4 n\narg y inout 4 n\n"
                       "launch axpy\ngrid ceildiv(n,256)\nblock 256\n"
                       "pass alpha\npass x\npass y\nvalue i64 n\n",
        .cubin = "axpy 0 4,8,8,8"};
    hone_error error = {0};
    hone_db *db = NULL;
    const int fd = mkstemp(path);

    if (fd < 0)
        die(path, "cannot create");
    (void)close(fd);
    (void)unlink(path);
    if (hone__db_open(path, HONE_DB_CREATE, &db, &error) ||
        tuned_put_default(db, &row, &error))
        die(path, error.text);
    hone__db_close(db);
}

static void remove_database(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};

    for (size_t i = 0; i < 3; ++i) {
        char name[80];

        (void)snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        (void)unlink(name);
    }
}

/* The fake driver with a context, and a database for it. */
static void start_fake(bench *b)
{
    static char path[64] = "/tmp/hone-bench-XXXXXX";

    bench_fake_start();
    make_database(path);
    b->db = path;
    b->op = "axpy";
}

static void make_stream(bench *b)
{
    if (b->driver->stream_create(&b->stream, HONE_CU_STREAM_NON_BLOCKING))
        die("CUDA", "no stream");
}

static void start_gpu(bench *b)
{
    hone_error error = {0};
    hone_cu_context context = NULL;

    if (hone__cuda_get(&b->driver, &error))
        die("CUDA", error.text);
    if (b->driver->primary_retain(&context, 0) ||
        b->driver->context_set(context))
        die("CUDA", "no primary context");
    make_stream(b);
}

/* Memory for the largest shape serves all; scalars are 1. */
static void make_args(bench *b)
{
    const int64_t n = shape_of(b->n_shapes - 1);
    hone_error error = {0};
    hone_context *device = NULL;
    hone_answer answer;

    if (hone__context_current(b->ctx, &device, &error) ||
        hone__match_find(&(hone_query){.stores = b->ctx->stores,
                                       .n_stores = b->ctx->n_stores,
                                       .target = &device->target,
                                       .op = b->op,
                                       .dims = &n,
                                       .n_dims = 1},
                         &answer, &error))
        die(b->op, error.text);
    b->n_args = answer.resolved.n_args;
    for (size_t i = 0; i < b->n_args; ++i) {
        const hone_resolved_arg *arg = &answer.resolved.args[i];
        const float f32 = 1.0f;
        const double f64 = 1.0;

        b->args[i] = &b->arg_values[i];
        if (arg->mode != HONE_ARG_SCALAR) {
            if (b->driver->memory_alloc(&b->arg_values[i],
                                        (size_t)arg->size_bytes))
                die(arg->name, "no device memory");
        } else if (arg->type == HONE_TYPE_F32) {
            memcpy(&b->arg_values[i], &f32, sizeof f32);
        } else if (arg->type == HONE_TYPE_F64) {
            memcpy(&b->arg_values[i], &f64, sizeof f64);
        } else {
            b->arg_values[i] = 1;
        }
    }
}

/* Every shape in the cache of hone_launch(). */
static void make_plans(bench *b)
{
    hone_plan_key key = {0, b->op, NULL, 1};
    hone_plan *plan = NULL;
    double start;

    b->plans = calloc((size_t)b->n_shapes, sizeof(hone_plan *));
    b->shapes = calloc((size_t)b->n_shapes, sizeof *b->shapes);
    b->bare = calloc(BATCH, sizeof *b->bare);
    if (!b->plans || !b->shapes || !b->bare ||
        b->driver->context_id(NULL, &key.context_id))
        die("plans", "out of memory");
    for (int i = 0; i < b->n_shapes; ++i) {
        b->shapes[i] = shape_of(i);
        need(b,
             hone_launch(b->ctx, b->op, &b->shapes[i], 1, b->args, b->n_args,
                         b->stream),
             "hone_launch");
        if (i % BATCH == 0)
            (void)b->driver->stream_synchronize(b->stream);
        key.dims = &b->shapes[i];
        b->plans[i] = hone__plan_cache_find(b->ctx, &key);
    }
    start = now_ns();
    for (int i = 0; i < BATCH; ++i) {
        need(b,
             hone_plan_create(b->ctx, b->op, &b->shapes[i % b->n_shapes], 1,
                              &plan, NULL),
             "hone_plan_create");
        hone_plan_destroy(plan);
    }
    b->plan_create_ns = (now_ns() - start) / BATCH;
}

static void prepare_bare(const bench *b, const hone_plan *plan,
                         bare_launch *out)
{
    if (!plan || plan->program.n_launches == 0)
        die(b->op, "is answered by no kernel; tune one implementation of it");
    out->launch = plan->program.launches[0];
    for (unsigned i = 0; i < out->launch.n_params; ++i) {
        out->values[i] = out->launch.params[i];
        if (out->values[i].kind == HONE_PASS_WORKSPACE)
            die(b->op, "needs a workspace; take an operation without");
        out->params[i] = out->values[i].kind == HONE_PASS_ARG
                             ? b->args[out->values[i].of.index]
                             : (void *)&out->values[i].of;
    }
}

static int launch_bare(const bench *b, bare_launch *bare)
{
    const hone_program_launch *launch = &bare->launch;

    return b->driver->launch(
        launch->function, launch->grid[0], launch->grid[1], launch->grid[2],
        launch->block[0], launch->block[1], launch->block[2],
        launch->shared_bytes, b->stream, bare->params, NULL);
}

/* One batch of a way; ns per call. `picks` are the random shapes. */
static double measure(bench *b, way w, const int *picks)
{
    const int step = w >= WAY_RANDOM_BARE; /* 0: always the first */
    int failed = 0;
    double start;
    double elapsed;

    /* Not for the others: it would bring their plans into the cache. */
    for (int i = 0; i < BATCH && (w == WAY_BARE || w == WAY_RANDOM_BARE); ++i)
        prepare_bare(b, b->plans[picks[i] * step], &b->bare[i]);
    start = now_ns();
    switch (w) {
    case WAY_BARE:
    case WAY_RANDOM_BARE:
        for (int i = 0; i < BATCH; ++i)
            failed |= launch_bare(b, &b->bare[i * step]);
        break;
    case WAY_RUN:
    case WAY_RANDOM_RUN:
        for (int i = 0; i < BATCH; ++i)
            failed |= (int)hone_plan_run(b->plans[picks[i] * step], b->args,
                                         b->n_args, b->stream);
        break;
    case WAY_SAME:
    case WAY_RANDOM:
    default:
        for (int i = 0; i < BATCH; ++i)
            failed |=
                (int)hone_launch(b->ctx, b->op, &b->shapes[picks[i] * step], 1,
                                 b->args, b->n_args, b->stream);
    }
    elapsed = now_ns() - start;
    if (failed || b->driver->stream_synchronize(b->stream))
        die(way_texts[w], hone_error_text(b->ctx));
    return elapsed / BATCH;
}

/* All rounds of one thread. */
static void *measure_thread(void *of)
{
    bench *b = of;
    uint64_t random = 88172645463325252u + (uint64_t)b->thread * 7919u;
    int picks[BATCH];

    if (b->thread && b->driver->context_set(b->context))
        die("CUDA", "the context cannot be made current");
    for (int round = -5; round < b->n_rounds; ++round) { /* 5 warm up */
        for (int w = 0; w < N_WAYS; ++w) {
            double ns;

            for (int i = 0; i < BATCH; ++i) {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                picks[i] = (int)(random % (uint64_t)b->n_shapes);
            }
            (void)pthread_barrier_wait(b->together);
            ns = measure(b, (way)w, picks);
            if (round >= 0)
                b->ns[w][b->thread * b->n_rounds + round] = ns;
        }
    }
    return NULL;
}

static void measure_all(bench *b)
{
    const int n = b->n_threads;
    pthread_barrier_t together;
    pthread_t threads[MAX_THREADS];
    static bench copies[MAX_THREADS];

    for (int w = 0; w < N_WAYS; ++w) {
        b->ns[w] = calloc((size_t)(b->n_rounds * n), sizeof(double));
        if (!b->ns[w])
            die("samples", "out of memory");
    }
    if (pthread_barrier_init(&together, NULL, (unsigned)n))
        die("threads", "no barrier");
    b->together = &together;
    for (int i = 0; i < n; ++i) {
        copies[i] = *b;
        copies[i].thread = i;
        if (i == 0)
            continue;
        copies[i].bare = calloc(BATCH, sizeof *b->bare);
        if (b->stream)
            make_stream(&copies[i]);
        if (!copies[i].bare ||
            pthread_create(&threads[i], NULL, measure_thread, &copies[i]))
            die("threads", "cannot be made");
    }
    (void)measure_thread(&copies[0]);
    for (int i = 1; i < n; ++i) {
        (void)pthread_join(threads[i], NULL);
        free(copies[i].bare);
    }
    (void)pthread_barrier_destroy(&together);
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Of values, or of their differences to `minus`. */
static double median_of(const double *values, const double *minus, int n)
{
    double *sorted = malloc((size_t)n * sizeof *sorted);
    double result;

    if (!sorted)
        die("samples", "out of memory");
    for (int i = 0; i < n; ++i)
        sorted[i] = values[i] - (minus ? minus[i] : 0);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    result = sorted[n / 2];
    free(sorted);
    return result;
}

static void report(bench *b, const char *driver)
{
    const int n = b->n_rounds * b->n_threads;
    double over[N_WAYS];
    double at[N_WAYS];

    for (int w = N_WAYS - 1; w >= 0; --w) { /* the bare ones last */
        const int base = w >= WAY_RANDOM_BARE ? WAY_RANDOM_BARE : WAY_BARE;

        at[w] = median_of(b->ns[w], NULL, n);
        over[w] = median_of(b->ns[w], b->ns[base], n);
    }
    if (b->json) {
        (void)printf(
            "{\"driver\": \"%s\", \"op\": \"%s\", \"shapes\": %d, "
            "\"rounds\": %d, \"threads\": %d, \"plan_create_ns\": %.0f",
            driver, b->op, b->n_shapes, b->n_rounds, b->n_threads,
            b->plan_create_ns);
        for (int w = 0; w < N_WAYS; ++w)
            (void)printf(", \"%s_ns\": %.1f, \"%s_over_ns\": %.1f",
                         way_names[w], at[w], way_names[w], over[w]);
        (void)printf("}\n");
        return;
    }
    (void)printf("%s, %s, %d threads, %d shapes cached, %d rounds of %d calls, "
                 "medians\n",
                 driver, b->op, b->n_threads, b->n_shapes, b->n_rounds, BATCH);
    (void)printf("%-36s %9s %12s\n", "", "ns/call", "over bare ns");
    for (int w = 0; w < N_WAYS; ++w)
        (void)printf("%-36s %9.1f %12.1f\n", way_texts[w], at[w], over[w]);
    (void)printf("%-36s %9.0f\n", "hone_plan_create", b->plan_create_ns);
}

static void clean_up(bench *b, int is_fake)
{
    hone_close(b->ctx);
    if (is_fake)
        remove_database(b->db);
    for (int w = 0; w < N_WAYS; ++w)
        free(b->ns[w]);
    free(b->plans);
    free(b->bare);
    free(b->shapes);
}

static int read_number(const char *text, int most)
{
    char *end = NULL;
    const long value = strtol(text, &end, 10);

    if (*end || value < 1 || value > most) {
        (void)fprintf(stderr, "bench_dispatch: '%s' is not 1 to %d\n", text,
                      most);
        exit(2);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"db", required_argument, NULL, 'd'},
        {"op", required_argument, NULL, 'o'},
        {"shapes", required_argument, NULL, 's'},
        {"rounds", required_argument, NULL, 'r'},
        {"threads", required_argument, NULL, 't'},
        {"json", no_argument, NULL, 'j'},
        {0}};
    bench b = {
        .op = "saxpy", .n_shapes = 4096, .n_rounds = 300, .n_threads = 1};
    int is_fake;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'd':
            b.db = optarg;
            break;
        case 'o':
            b.op = optarg;
            break;
        case 's':
            b.n_shapes = read_number(optarg, MAX_SHAPES);
            break;
        case 'r':
            b.n_rounds = read_number(optarg, MAX_ROUNDS);
            break;
        case 't':
            b.n_threads = read_number(optarg, MAX_THREADS);
            break;
        case 'j':
            b.json = 1;
            break;
        default:
            return 2;
        }
    }
    is_fake = !b.db;
    if (is_fake)
        start_fake(&b);
    else
        start_gpu(&b);
    if (hone__cuda_get(&b.driver, NULL) || b.driver->context_get(&b.context))
        die("CUDA", "no driver, or no context");
    need(&b, hone_open(b.db, &b.ctx), "hone_open");
    need(&b, hone_plan_limit(b.ctx, MAX_SHAPES), "hone_plan_limit");
    make_args(&b);
    make_plans(&b);
    measure_all(&b);
    report(&b, is_fake ? "fake driver" : "CUDA driver");
    clean_up(&b, is_fake);
    return 0;
}
