/* SPDX-License-Identifier: Apache-2.0 */
/* A program that serves for long: threads launch three operations at random
 * out of thousands of shapes, more than hone_launch() keeps plans for, or by a
 * plan that they make and destroy, each on a stream of its own. Prints a row
 * per interval: the rate, and what is taken of the device's and the host's
 * memory. Exit 1 if a result is wrong or if memory grew after the first fifth;
 * 77: no GPU or no NVRTC here.
 *
 *   soak [--device cuda|cpu] [--launches N] [--shapes N] [--threads N]
 *        [--limit N]
 *
 * On the cpu device the kernels are those of host_kernels.c. */
#include "runtime/base/text.h"
#include "runtime/driver/driver.h"
#include "runtime/driver/nvrtc_api.h"
#include "tests/runtime/tuned_db.h"

#include <getopt.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    N_INTERVALS = 20,
    N_WARM = N_INTERVALS / 5, /* intervals after which nothing may grow */
    MOST_THREADS = 64,
    N_FLOATS = 32, /* what the kernels touch, whatever the shape */
    SHAPE_STEP = 16,
    OWN_PLAN_STEP = 16 /* launches, of which one is by a plan of its own */
};

/* As host_kernels.c has them. One thread does it all: it is the launch that
 * is tried here. A wrong workspace makes a wrong result. */
static const char source[] =
    "__constant__ float taps[4];\n"
    "extern \"C\" __global__ void axpy(float a, const float *x, float *y,\n"
    "                                  int n, long long bytes)\n"
    "{\n"
    "    if (threadIdx.x < n && bytes == 4 * n)\n"
    "        y[threadIdx.x] += a * x[threadIdx.x];\n"
    "}\n"
    "extern \"C\" __global__ void sum_parts(const float *x, float *partial,\n"
    "                                       unsigned *ticket, int n)\n"
    "{\n"
    "    if (threadIdx.x) return;\n"
    "    for (int i = 0; i < 4; ++i) partial[i] = *ticket ? 1e9f : 0;\n"
    "    for (int i = 0; i < n; ++i) partial[i % 4] += x[i];\n"
    "    *ticket = 1;\n"
    "}\n"
    "extern \"C\" __global__ void sum_all(const float *partial,\n"
    "                                     unsigned *ticket, float *out)\n"
    "{\n"
    "    if (threadIdx.x) return;\n"
    "    *out = partial[0] + partial[1] + partial[2] + partial[3];\n"
    "    *out += *ticket == 1 ? 0 : 1e9f;\n"
    "    *ticket = 0;\n"
    "}\n"
    "extern \"C\" __global__ void fir(float *y, float *sums)\n"
    "{\n"
    "    if (threadIdx.x) return;\n"
    "    *y = taps[0] + taps[1] + taps[2] + taps[3] + sums[0];\n"
    "    sums[0] = 1;\n"
    "}\n";

static const struct {
    const char *op;
    const char *plan;
} ops[] = {
    {"axpy", "hone-launch 1\nop axpy\ndim n int\narg a scalar 4\n"
             "arg x in 4 32\narg y inout 4 32\nlaunch axpy\ngrid 1\nblock 32\n"
             "pass a\npass x\npass y\nvalue i32 32\nvalue i64 128\n"},
    {"sum", "hone-launch 1\nop sum\ndim n int\narg x in 4 32\narg out out 4 1\n"
            "workspace partial 4 n+8\nworkspace ticket 10 zero 1+n%64\n"
            "launch sum_parts\ngrid 1\nblock 32\npass x\npass partial\n"
            "pass ticket\nvalue i32 32\nlaunch sum_all\ngrid 1\nblock 32\n"
            "pass partial\npass ticket\npass out\n"},
    {"fir", "hone-launch 2\nop fir\ndim n int\narg h in 4 4\narg y out 4 1\n"
            "workspace sums 4 zero-each 1+n%64\nconstant taps 4 h 4\n"
            "launch fir\ngrid 1\nblock 32\npass y\npass sums\n"},
};
enum { OP_AXPY, OP_SUM, OP_FIR, N_OPS };

typedef struct soak {
    int is_cpu;
    long n_launches;
    long n_shapes;
    long n_threads;
    long limit;
    const hone_driver *driver;
    hone_cu_context context;
    hone_ctx *ctx;
    atomic_long n_done;
    atomic_int n_bad;
} soak;

typedef struct server {
    soak *all;
    uint64_t random;
    hone_stream stream;
    hone_cu_ptr x;
    hone_cu_ptr y;
    hone_cu_ptr out;
} server;

static char db_path[] = "/tmp/hone-soak-XXXXXX";

/* With what SQLite leaves beside it while readers have it open. */
static void remove_database(void)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[sizeof db_path + 8];

    for (size_t i = 0; i < HONE_COUNT(ends); ++i) {
        (void)snprintf(path, sizeof path, "%s%s", db_path, ends[i]);
        (void)unlink(path);
    }
}

static void end(int code, const char *what, const char *why)
{
    (void)printf("%s: %s\n", what, why);
    remove_database();
    exit(code);
}

static void need(int is_good, const char *what, const char *why)
{
    if (!is_good)
        end(1, what, why);
}

/* ---- the database -------------------------------------------------------- */

static void compile(int sm, hone_text *out)
{
    const hone_nvrtc *nvrtc = NULL;
    hone_nvrtc_program program = NULL;
    hone_error error = {0};
    char arch[32];
    const char *options[] = {arch};
    size_t size_bytes = 0;
    char *cubin;

    if (hone__nvrtc_get(&nvrtc, &error))
        end(77, "skipped", error.text);
    (void)snprintf(arch, sizeof arch, "-arch=sm_%d", sm);
    need(!nvrtc->create(&program, source, "soak.cu", 0, NULL, NULL) &&
             !nvrtc->compile(program, 1, options) &&
             !nvrtc->cubin_size(program, &size_bytes),
         "NVRTC", "does not compile the kernels");
    cubin = malloc(size_bytes);
    need(cubin && !nvrtc->cubin(program, cubin), "NVRTC", "gives no cubin");
    hone__text_append(out, cubin, size_bytes);
    free(cubin);
    (void)nvrtc->destroy(&program);
}

static void make_database(const soak *s)
{
    hone_properties properties;
    hone_text code = {0};
    hone_error error = {0};
    hone_db *db = NULL;
    char arch[16] = "cpu";
    tuned_row row = {.arch = arch};

    if (s->is_cpu) {
        row.device_kind = "cpu";
        need(!hone__text_read_file(&code, HOST_KERNELS, &error), HOST_KERNELS,
             error.text);
    } else {
        need(!hone__driver_properties(s->driver, 0, &properties, &error),
             "CUDA", error.text);
        (void)snprintf(arch, sizeof arch, "sm_%d",
                       (int)properties.value[HONE_PROPERTY_sm]);
        compile((int)properties.value[HONE_PROPERTY_sm], &code);
    }
    need(close(mkstemp(db_path)) == 0 && unlink(db_path) == 0, db_path,
         "cannot be made");
    need(!hone__db_open(db_path, HONE_DB_CREATE, &db, &error), db_path,
         error.text);
    row.cubin = code.data;
    row.cubin_bytes = code.length;
    for (size_t i = 0; i < N_OPS; ++i) {
        row.op = ops[i].op;
        row.launch_plan = ops[i].plan;
        need(!tuned_put_default(db, &row, &error), row.op, error.text);
    }
    hone__db_close(db);
    hone__text_free(&code);
}

static void start(soak *s)
{
    hone_error error = {0};

    s->driver = hone__host_driver();
    if (!s->is_cpu && hone__cuda_get(&s->driver, &error))
        end(77, "skipped", error.text);
    need(!s->driver->primary_retain(&s->context, 0) &&
             !s->driver->context_set(s->context),
         "device", "no context");
    make_database(s);
    need(hone_open(db_path, &s->ctx) == HONE_OK &&
             hone_device_select(s->ctx, s->is_cpu ? "cpu" : "cuda") == HONE_OK,
         db_path, hone_error_text(s->ctx));
    if (s->limit)
        need(hone_plan_limit(s->ctx, (size_t)s->limit) == HONE_OK, "limit",
             hone_error_text(s->ctx));
}

/* ---- serving ------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static hone_status launch(server *v, long shape, int with_own_plan)
{
    const int64_t n = 1 + shape * SHAPE_STEP;
    const size_t op = (size_t)(shape % N_OPS);
    const size_t n_args = op == OP_AXPY ? 3 : 2;
    float a = 0.5f;
    void *axpy_args[] = {&a, &v->x, &v->y};
    void *sum_args[] = {&v->x, &v->out};
    void *fir_args[] = {&v->x, &v->out};
    void **const args[] = {axpy_args, sum_args, fir_args};
    hone_plan *plan = NULL;
    hone_status status;

    if (!with_own_plan)
        return hone_launch(v->all->ctx, ops[op].op, &n, 1, args[op], n_args,
                           v->stream);
    status = hone_plan_create(v->all->ctx, ops[op].op, &n, 1, &plan, NULL);
    if (status == HONE_OK)
        status = hone_plan_run(plan, args[op], n_args, v->stream);
    hone_plan_destroy(plan);
    return status;
}

/* The kernels still compute what they did. `v->out` is written by sum and
 * fir alone. */
static int is_right(server *v)
{
    const hone_driver *driver = v->all->driver;
    const float expected[] = {0, 64, 8};
    int good = 1;

    for (long op = OP_SUM; op <= OP_FIR; ++op) {
        float got = -1;

        good &= launch(v, op + N_OPS * 7, 0) == HONE_OK &&
                !driver->stream_synchronize(v->stream) &&
                !driver->copy_to_host(&got, v->out, sizeof got) &&
                got == expected[op];
    }
    return good;
}

static int make_arrays(server *v)
{
    const hone_driver *driver = v->all->driver;
    float twos[N_FLOATS];

    for (int i = 0; i < N_FLOATS; ++i)
        twos[i] = 2;
    return !driver->context_set(v->all->context) &&
           !driver->stream_create(&v->stream, HONE_CU_STREAM_NON_BLOCKING) &&
           !driver->memory_alloc(&v->x, sizeof twos) &&
           !driver->memory_alloc(&v->y, sizeof twos) &&
           !driver->memory_alloc(&v->out, sizeof twos) &&
           !driver->copy_to_device(v->x, twos, sizeof twos);
}

static void *serve(void *user)
{
    server *v = user;
    soak *s = v->all;
    const long own = s->n_launches / s->n_threads;
    int good = make_arrays(v);

    /* The largest of each operation, so that memory has its size. */
    for (long op = 0; good && op < N_OPS; ++op)
        good = launch(v, s->n_shapes - 1 - op, 0) == HONE_OK;
    for (long i = 0; good && i < own; ++i) {
        good =
            launch(v, (long)(next_random(&v->random) % (uint64_t)s->n_shapes),
                   i % OWN_PLAN_STEP == 0) == HONE_OK;
        if (i % 256 == 255)
            atomic_fetch_add(&s->n_done, 256);
        if (i % 65536 == 65535)
            good = good && is_right(v);
    }
    good = good && is_right(v);
    if (!good) {
        (void)printf("a launch failed or was wrong: %s\n",
                     hone_error_text(s->ctx));
        atomic_fetch_add(&s->n_bad, 1);
        atomic_store(&s->n_done, s->n_launches);
    }
    return NULL;
}

/* When all have ended: on the cpu device they share a stream's memory. */
static void give_back(server *v)
{
    const soak *s = v->all;

    (void)s->driver->stream_synchronize(v->stream);
    (void)hone_stream_release(s->ctx, v->stream);
    (void)s->driver->stream_destroy(v->stream);
    (void)s->driver->memory_free(v->x);
    (void)s->driver->memory_free(v->y);
    (void)s->driver->memory_free(v->out);
}

/* ---- watching ------------------------------------------------------------ */

typedef struct sample {
    double device;   /* MB of the device taken, by whomever */
    double host;     /* MB from malloc() */
    double resident; /* MB of the process */
} sample;

static sample look(const soak *s)
{
    const struct mallinfo2 info = mallinfo2();
    const double mb = 1 << 20;
    size_t n_free = 0;
    size_t n_total = 0;
    long pages[2] = {0, 0};
    FILE *file = fopen("/proc/self/statm", "r");
    sample now = {0, (double)(info.uordblks + info.hblkhd) / mb, 0};

    if (file && fscanf(file, "%ld %ld", &pages[0], &pages[1]) == 2)
        now.resident = (double)pages[1] * (double)sysconf(_SC_PAGESIZE) / mb;
    if (file)
        (void)fclose(file);
    if (!s->is_cpu && !s->driver->memory_info(&n_free, &n_total))
        now.device = (double)(n_total - n_free) / mb;
    return now;
}

static double now_s(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A row whenever a twentieth is done. Is memory flat? Sanitizers hide what
 * malloc() has taken: nothing is said then. */
static int watch(soak *s)
{
    const sample begin = look(s);
    sample warm = begin;
    int is_flat = 1;
    double last_s = now_s();
    long last_n = 0;

    (void)printf("| launches | launches/s | device MB | host MB | RSS MB |\n"
                 "|---|---|---|---|---|\n");
    for (long i = 1; i <= N_INTERVALS; ++i) {
        const long until =
            (s->n_launches - 256 * (s->n_threads + 1)) / N_INTERVALS * i;
        const struct timespec pause = {0, 2000000};
        sample now;
        long n;

        while ((n = atomic_load(&s->n_done)) < until)
            (void)nanosleep(&pause, NULL);
        now = look(s);
        (void)printf("| %ld | %.0f | %.1f | %.2f | %.1f |\n", n,
                     (double)(n - last_n) / (now_s() - last_s), now.device,
                     now.host, now.resident);
        (void)fflush(stdout);
        last_s = now_s();
        last_n = n;
        if (i == N_WARM)
            warm = now;
        if (i > N_WARM && begin.host > 0)
            is_flat &= now.device <= warm.device + 8 &&
                       now.host <= warm.host + 1 &&
                       now.resident <= warm.resident + 16;
    }
    return is_flat;
}

static long read_number(const char *text)
{
    char *rest = NULL;
    const long value = strtol(text, &rest, 10);

    if (*rest || value < 1) {
        (void)fprintf(stderr, "soak: '%s' is not 1 or more\n", text);
        exit(2);
    }
    return value;
}

static void read_options(int argc, char **argv, soak *s)
{
    static const struct option options[] = {
        {"device", required_argument, NULL, 'd'},
        {"launches", required_argument, NULL, 'l'},
        {"shapes", required_argument, NULL, 's'},
        {"threads", required_argument, NULL, 't'},
        {"limit", required_argument, NULL, 'm'},
        {0}};
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'd')
            s->is_cpu = strcmp(optarg, "cpu") == 0;
        else if (option == 'l')
            s->n_launches = read_number(optarg);
        else if (option == 's')
            s->n_shapes = read_number(optarg);
        else if (option == 't')
            s->n_threads = read_number(optarg);
        else if (option == 'm')
            s->limit = read_number(optarg);
        else
            exit(2);
    }
    if (s->n_threads > MOST_THREADS || s->n_shapes < 100 ||
        s->n_launches < 10000) {
        (void)fprintf(stderr, "soak: at most 64 threads, at least 100 shapes "
                              "and 10000 launches\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    soak s = {.n_launches = 10000000, .n_shapes = 5000, .n_threads = 4};
    pthread_t threads[MOST_THREADS];
    static server servers[MOST_THREADS];
    double start_s;
    int is_flat;

    read_options(argc, argv, &s);
    start(&s);
    start_s = now_s();
    for (long i = 0; i < s.n_threads; ++i) {
        servers[i] =
            (server){.all = &s, .random = 88172645463325252u + (uint64_t)i};
        need(!pthread_create(&threads[i], NULL, serve, &servers[i]), "threads",
             "cannot be made");
    }
    is_flat = watch(&s);
    for (long i = 0; i < s.n_threads; ++i)
        (void)pthread_join(threads[i], NULL);
    for (long i = 0; i < s.n_threads; ++i)
        give_back(&servers[i]);
    hone_close(s.ctx);
    (void)printf("%ld launches of %ld shapes by %ld threads in %.1f s: %s\n",
                 s.n_launches, s.n_shapes, s.n_threads, now_s() - start_s,
                 s.n_bad   ? "wrong"
                 : is_flat ? "passed"
                           : "memory grew");
    remove_database();
    return s.n_bad || !is_flat;
}
