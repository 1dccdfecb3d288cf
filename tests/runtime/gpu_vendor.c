/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of vendors' libraries through the runtime on a real GPU: right
 * results of every choice, first runs that are captured, arrays at lesser
 * addresses, batches, a workspace that is not there, a context that is reset;
 * and what a run costs above the library's own call. Needs no test library.
 * Exit 0: passed; 1: failed; 77: no GPU or no cuBLASLt here. */
#include "runtime/vendor/vendor_handles.h"
#include "tests/runtime/tuned_db.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { M = 96, N = 80, K = 64, BATCH = 3, LDC = 88, FFT = 1000, MANY = 5 };

#define GEMM                                                                   \
    "hone-launch 4\nop gemm\ndim M int\ndim N int\ndim K int\n"                \
    "arg A in 1 M*K\narg B in 1 K*N\narg C inout 4 M*N\n"                      \
    "arg alpha scalar 4\narg beta scalar 4\n"
#define BATCHED                                                                \
    "hone-launch 4\nop batched\ndim M int\ndim N int\ndim K int\n"             \
    "dim TRANS_B choice 0\ndim LDC int 1\ndim BATCH int 1\n"                   \
    "dim STRIDE_B int 1\ndim STRIDE_C int 1\n"                                 \
    "arg A in 1 BATCH*M*K\narg B in 1 (BATCH-1)*STRIDE_B+K*N\n"                \
    "arg C inout 4 (BATCH-1)*STRIDE_C+(M-1)*LDC+N\n"                           \
    "arg alpha scalar 4\narg beta scalar 4\n"
#define AXPY                                                                   \
    "hone-launch 4\nop axpy\ndim n int\n"                                      \
    "arg alpha scalar 4\narg x in 4 n\narg y inout 4 n\n"
#define C2C                                                                    \
    "hone-launch 4\nop c2c\ndim n int\ndim batch int\n"                        \
    "arg x in 8 n*batch\narg y out 8 n*batch\n"
#define FILTER                                                                 \
    "hone-launch 4\nop filter\ndim n int\ndim batch int\n"                     \
    "arg x in 8 n*batch\narg h in 8 n\narg y out 8 n*batch\n"

static const hone_driver *driver;
static hone_properties properties;
static char db_path[] = "/tmp/hone-gpu-XXXXXX";
static hone_ctx *ctx;
static hone_error error;

static void check_at(int good, const char *what, int line)
{
    if (good)
        return;
    (void)fprintf(stderr, "gpu_vendor.c:%d: %s; %s; %s\n", line, what,
                  hone_errmsg(ctx), error.text);
    exit(1);
}

#define CHECK(condition) check_at(condition, #condition, __LINE__)

static void skip(const char *why)
{
    (void)printf("skipped: %s\n", why);
    exit(77);
}

/* ---- numbers ------------------------------------------------------------- */

static int small(int64_t i, int step)
{
    return (int)(i * step % 9) - 4;
}

static uint16_t half_of(int value)
{
    static const uint16_t bits[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};

    return (uint16_t)(value < 0 ? bits[-value] | 0x8000 : bits[value]);
}

static hone_cu_ptr upload(const void *from, size_t size_bytes, size_t shift)
{
    hone_cu_ptr at = 0;

    CHECK(!driver->memory_alloc(&at, size_bytes + 256));
    CHECK(!driver->copy_to_device(at + shift, from, size_bytes));
    return at + shift;
}

static hone_cu_ptr halves(int64_t n, int step, size_t shift)
{
    uint16_t *host = malloc((size_t)n * sizeof *host);
    hone_cu_ptr at;

    for (int64_t i = 0; i < n; i++)
        host[i] = half_of(small(i, step));
    at = upload(host, (size_t)n * sizeof *host, shift);
    free(host);
    return at;
}

static hone_cu_ptr floats(int64_t n, int step, size_t shift)
{
    float *host = malloc((size_t)n * sizeof *host);
    hone_cu_ptr at;

    for (int64_t i = 0; i < n; i++)
        host[i] = (float)small(i, step);
    at = upload(host, (size_t)n * sizeof *host, shift);
    free(host);
    return at;
}

/* A, B, C = 2*A*B - C, which is the same after each two runs. */
typedef struct product {
    const int64_t *dims; /* M, N, K; and those of BATCHED */
    int is_batched;
    hone_cu_ptr at[3];
    float alpha, beta;
    void *args[5];
} product;

static int64_t count_c(const product *p)
{
    return p->is_batched ? (BATCH - 1) * p->dims[7] + (M - 1) * LDC + N : M * N;
}

static product make_product(const int64_t *dims, int is_batched, size_t shift)
{
    product p = {
        .dims = dims, .is_batched = is_batched, .alpha = 2, .beta = -1};
    const int64_t batch = is_batched ? BATCH : 1;

    p.at[0] = halves(batch * M * K, 5, shift);
    p.at[1] =
        halves((batch - 1) * (is_batched ? dims[6] : 0) + K * N, 7, shift);
    p.at[2] = floats(count_c(&p), 4, shift);
    return p;
}

static void bind(product *p)
{
    for (int i = 0; i < 3; i++)
        p->args[i] = &p->at[i];
    p->args[3] = &p->alpha;
    p->args[4] = &p->beta;
}

static int64_t product_at(const product *p, int64_t b, int64_t i, int64_t j)
{
    int64_t sum = 0;

    for (int64_t l = 0; l < K; l++) {
        const int64_t of_b =
            p->is_batched ? b * p->dims[6] + j * K + l : l * N + j;

        sum += (int64_t)small((b * M + i) * K + l, 5) * small(of_b, 7);
    }
    return sum;
}

/* After an odd number of runs. */
static void check_product(product *p)
{
    const int64_t n = count_c(p);
    float *c = malloc((size_t)n * sizeof *c);

    CHECK(!driver->context_synchronize());
    CHECK(!driver->copy_to_host(c, p->at[2], (size_t)n * sizeof *c));
    for (int64_t b = 0; b < (p->is_batched ? BATCH : 1); b++)
        for (int64_t i = 0; i < M; i++)
            for (int64_t j = 0; j < N; j++) {
                const int64_t at =
                    p->is_batched ? b * p->dims[7] + i * LDC + j : i * N + j;
                const float want =
                    2 * (float)product_at(p, b, i, j) - (float)small(at, 4);

                if (c[at] - want != 0) {
                    (void)fprintf(stderr, "[%d,%d,%d] is %g, not %g\n", (int)b,
                                  (int)i, (int)j, (double)c[at], (double)want);
                    CHECK(0);
                }
            }
    free(c);
}

/* ---- a database ---------------------------------------------------------- */

static void put(hone_db *db, const char *op, const int64_t *dims, size_t n_dims,
                const char *head, const char *function)
{
    char device[256] = "", arch[16], plan[2048];

    (void)driver->device_name(device, sizeof device, 0);
    (void)snprintf(arch, sizeof arch, "sm_%d",
                   (int)properties.value[HONE_PROPERTY_sm]);
    (void)snprintf(plan, sizeof plan, "%svendor %s\n", head, function);
    CHECK(!tuned_put(
        db,
        &(tuned_row){.op = op,
                     .dims = dims,
                     .n_dims = n_dims,
                     .device_name = device,
                     .arch = arch,
                     .sm_count = properties.value[HONE_PROPERTY_sm_count],
                     .config = "LIBRARY=1",
                     .types = n_dims == 8 ? "1" : "", /* TRANS_B */
                     .launch_plan = plan},
        &error));
}

static const int64_t gemm_dims[] = {M, N, K};
static const int64_t batched_dims[] = {M,   N,     K,        1,
                                       LDC, BATCH, K *N + 8, M *LDC + 16};
static const int64_t axpy_dims[] = {1000};
static const int64_t fft_dims[] = {FFT, MANY};

static void make_database(void)
{
    hone_db *db = NULL;

    CHECK(close(mkstemp(db_path)) == 0 && unlink(db_path) == 0);
    CHECK(!hone__db_open(db_path, HONE_DB_CREATE, &db, &error));
    put(db, "gemm", gemm_dims, 3, GEMM, "cublaslt.gemm");
    put(db, "blas", gemm_dims, 3, GEMM, "cublas.gemm");
    put(db, "batched", batched_dims, 8, BATCHED, "cublaslt.gemm");
    put(db, "batched_blas", batched_dims, 8, BATCHED, "cublas.gemm");
    put(db, "axpy", axpy_dims, 1, AXPY, "cublas.axpy");
    put(db, "c2c", fft_dims, 2, C2C, "cufft.c2c");
    put(db, "filter", fft_dims, 2, FILTER, "cufft.filter");
    hone__db_close(db);
}

static hone_plan *plan_of(const char *op, const int64_t *dims, size_t n_dims)
{
    hone_plan *plan = NULL;
    hone_match match = {.kind = HONE_MATCH_DEFAULT};

    CHECK(!hone_plan_create(ctx, op, dims, n_dims, &plan, &match));
    (void)printf("%s: %s\n", op, match.reason);
    return plan;
}

/* The first run is captured, `mode` 0: whatever is unsafe breaks it. */
static void run_captured(hone_plan *plan, void *const *args)
{
    hone_stream stream = NULL;
    hone_cu_graph graph = NULL;
    hone_cu_graph_exec exec = NULL;

    CHECK(!driver->stream_create(&stream, HONE_CU_STREAM_NON_BLOCKING));
    CHECK(!hone_plan_prepare(plan, stream));
    CHECK(!driver->capture_begin(stream, 0));
    CHECK(!hone_plan_run(plan, args, stream));
    CHECK(!driver->capture_end(stream, &graph));
    CHECK(!driver->graph_instantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(!driver->graph_launch(exec, stream));
    CHECK(!driver->stream_synchronize(stream));
    (void)driver->graph_exec_destroy(exec);
    (void)driver->graph_destroy(graph);
    CHECK(!hone_stream_release(ctx, stream));
    (void)driver->stream_destroy(stream);
}

static void check_gemm(const char *op, const int64_t *dims, size_t n_dims)
{
    /* Aligned; where f16 still is and f32 is; where f32 just is. */
    static const size_t shifts[] = {0, 8, 4};
    hone_plan *plan = plan_of(op, dims, n_dims);

    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        product p = make_product(dims, n_dims > 3, shifts[i]);

        bind(&p);
        run_captured(plan, p.args);
        check_product(&p);
        p = make_product(dims, n_dims > 3, shifts[i]);
        bind(&p);
        CHECK(!hone_plan_run(plan, p.args, NULL));
        check_product(&p);
    }
    hone_plan_destroy(plan);
}

/* ---- the others ---------------------------------------------------------- */

static void check_axpy(void)
{
    hone_plan *plan = plan_of("axpy", axpy_dims, 1);
    hone_cu_ptr x = floats(1000, 5, 0), y = floats(1000, 7, 0);
    float alpha = 2, host[1000];
    void *args[] = {&alpha, &x, &y};

    run_captured(plan, args);
    CHECK(!hone_plan_run(plan, args, NULL));
    CHECK(!driver->context_synchronize());
    CHECK(!driver->copy_to_host(host, y, sizeof host));
    for (int i = 0; i < 1000; i++)
        CHECK(host[i] - (float)(8 * small(i, 5) + small(i, 7)) == 0);
    hone_plan_destroy(plan);
}

/* sum_j x[j] e^(sign*2*pi*i*j*k/n) */
static void transform(const double *from, double *to, int sign)
{
    for (int k = 0; k < FFT; k++) {
        to[2 * k] = to[2 * k + 1] = 0;
        for (int j = 0; j < FFT; j++) {
            const double angle =
                sign * 6.283185307179586 * ((double)j * k / FFT);

            to[2 * k] +=
                from[2 * j] * cos(angle) - from[2 * j + 1] * sin(angle);
            to[2 * k + 1] +=
                from[2 * j] * sin(angle) + from[2 * j + 1] * cos(angle);
        }
    }
}

static void check_fft(const char *op, int is_filter)
{
    static double in[2 * FFT], out[2 * FFT];
    static float host[2 * FFT * MANY];
    hone_plan *plan = plan_of(op, fft_dims, 2);

    for (size_t shift = 0; shift <= 8; shift += 8) {
        hone_cu_ptr x = floats(2 * FFT * MANY, 5, shift);
        hone_cu_ptr h = floats(2 * FFT, 7, shift);
        hone_cu_ptr y = floats(2 * FFT * MANY, 1, shift);
        void *plain[] = {&x, &y}, *filter[] = {&x, &h, &y};

        run_captured(plan, is_filter ? filter : plain);
        CHECK(!hone_plan_run(plan, is_filter ? filter : plain, NULL));
        CHECK(!driver->context_synchronize());
        CHECK(!driver->copy_to_host(host, y, sizeof host));
        for (int b = 0; b < MANY; b += MANY - 1) {
            double worst = 0;

            for (int i = 0; i < 2 * FFT; i++)
                in[i] = small(b * 2 * FFT + i, 5);
            transform(in, out, -1);
            for (int k = 0; is_filter && k < FFT; k++) {
                const double re = small(2 * k, 7), im = small(2 * k + 1, 7);

                in[2 * k] = out[2 * k] * re - out[2 * k + 1] * im;
                in[2 * k + 1] = out[2 * k] * im + out[2 * k + 1] * re;
            }
            if (is_filter)
                transform(in, out, 1);
            for (int i = 0; i < 2 * FFT; i++)
                worst =
                    fmax(worst, fabs(out[i] - (double)host[b * 2 * FFT + i]));
            CHECK(worst < (is_filter ? 10 : 0.02));
        }
    }
    hone_plan_destroy(plan);
}

/* ---- choices ------------------------------------------------------------- */

static void check_choices(void)
{
    hone_vendor_choice choices[HONE_VENDOR_MOST_CHOICES];
    const int64_t dims[] = {M, N, K};
    hone_launch_spec *spec = NULL;
    hone_vendors *vendors = NULL;
    hone_resolved problem;
    size_t n = 0;

    CHECK(!hone__launch_spec_parse(GEMM "vendor any\n", &spec, &error));
    CHECK(!hone__launch_spec_resolve(
        &(hone_launch_case){spec, dims, 3, &properties}, &problem, &error));
    CHECK(!hone__vendors_create(driver, &vendors, &error));
    CHECK(!hone__vendor_choices(vendors, "cublaslt.gemm", "gemm", &problem,
                                choices, HONE_VENDOR_MOST_CHOICES, &n, &error));
    for (size_t i = 0; i < n; i++) {
        hone_vendor *vendor = NULL;
        hone_cu_ptr workspace = 0;
        product p = make_product(gemm_dims, 0, 0);

        bind(&p);
        CHECK(!hone__vendor_open(vendors, "gemm", &problem, &choices[i],
                                 &vendor, &error));
        CHECK(!hone__vendor_warm(vendor, &problem, &error));
        if (vendor->workspace_bytes)
            CHECK(!driver->memory_alloc(&workspace, vendor->workspace_bytes));
        CHECK(!hone__vendor_enqueue(vendor, p.args, workspace, NULL, &error));
        check_product(&p);
        p = make_product(gemm_dims, 0, 0);
        bind(&p);
        CHECK(!hone__vendor_enqueue(vendor, p.args, 0, NULL, &error));
        check_product(&p);
        hone__vendor_close(vendor);
    }
    (void)printf("%zu choices of cuBLASLt %lld\n", n,
                 (long long)choices[0].version);
    hone__vendors_free(vendors, 1);
    hone__launch_spec_free(spec);
}

/* ---- cost ---------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { ROUNDS = 200, CALLS = 64 };

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Medians of the calling thread's time: the library's call with everything at
 * hand, and hone_plan_run(). */
static void measure(void)
{
    hone_vendor_choice choice = {.function = "cublaslt.gemm"};
    static double times[2][ROUNDS], over[ROUNDS];
    hone_plan *plan = plan_of("gemm", gemm_dims, 3);
    hone_launch_spec *spec = NULL;
    hone_vendors *vendors = NULL;
    hone_vendor *vendor = NULL;
    hone_cu_ptr workspace = 0;
    hone_resolved problem;
    product p = make_product(gemm_dims, 0, 0);

    bind(&p);
    CHECK(!hone__launch_spec_parse(GEMM "vendor any\n", &spec, &error));
    CHECK(!hone__launch_spec_resolve(
        &(hone_launch_case){spec, gemm_dims, 3, &properties}, &problem,
        &error));
    CHECK(!hone__vendors_create(driver, &vendors, &error));
    CHECK(!hone__vendor_open(vendors, "gemm", &problem, &choice, &vendor,
                             &error));
    CHECK(!driver->memory_alloc(&workspace, vendor->workspace_bytes + 1));
    for (int r = 0; r < ROUNDS; r++) {
        for (int way = 0; way < 2; way++) {
            const double start = seconds();

            for (int i = 0; i < CALLS; i++)
                CHECK(way ? !hone_plan_run(plan, p.args, NULL)
                          : !hone__vendor_enqueue(vendor, p.args, workspace,
                                                  NULL, &error));
            times[way][r] = (seconds() - start) / CALLS * 1e9;
            CHECK(!driver->context_synchronize());
        }
        over[r] = times[1][r] - times[0][r];
    }
    qsort(times[0], ROUNDS, sizeof(double), compare);
    qsort(over, ROUNDS, sizeof(double), compare);
    (void)printf("cublasLtMatmul as it is called %.0f ns, hone_plan_run "
                 "%+.0f ns\n",
                 times[0][ROUNDS / 2], over[ROUNDS / 2]);
    (void)driver->memory_free(workspace);
    hone__vendor_close(vendor);
    hone__vendors_free(vendors, 1);
    hone__launch_spec_free(spec);
    hone_plan_destroy(plan);
}

/* Of a shape whose handle and kernels are there. */
static void measure_plans(void)
{
    static const char *const ops[] = {"gemm", "blas", "c2c"};

    for (size_t i = 0; i < 3; i++) {
        const int64_t *dims = i < 2 ? gemm_dims : fft_dims;
        double times[20];

        for (int r = 0; r < 20; r++) {
            const double start = seconds();
            hone_plan *plan = NULL;

            CHECK(!hone_plan_create(ctx, ops[i], dims, i < 2 ? 3 : 2, &plan,
                                    NULL));
            times[r] = (seconds() - start) * 1e6;
            hone_plan_destroy(plan);
        }
        qsort(times, 20, sizeof(double), compare);
        (void)printf("hone_plan_create of %s %.0f us\n", ops[i], times[10]);
    }
}

/* ---- contexts ------------------------------------------------------------ */

static void launch_product(void)
{
    product p = make_product(gemm_dims, 0, 0);

    bind(&p);
    CHECK(!hone_launch(ctx, "gemm", gemm_dims, 3, p.args, NULL));
    check_product(&p);
}

/* What cudaDeviceReset() does, and a context of the caller's own that is
 * destroyed: each has handles of its own, which go with it. */
static void check_contexts(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    hone_cu_result (*reset)(hone_cu_device);
    hone_cu_result (*create)(hone_cu_context *, unsigned, hone_cu_device);
    hone_cu_result (*destroy)(hone_cu_context);
    hone_cu_context primary = NULL, own = NULL;

    *(void **)&reset = dlsym(library, "cuDevicePrimaryCtxReset_v2");
    *(void **)&create = dlsym(library, "cuCtxCreate_v2");
    *(void **)&destroy = dlsym(library, "cuCtxDestroy_v2");
    launch_product();
    CHECK(!driver->context_get(&primary));
    CHECK(!create(&own, 0, 0));
    launch_product();
    CHECK(!driver->context_set(primary));
    launch_product();
    CHECK(!destroy(own));
    CHECK(!driver->context_set(primary));
    launch_product();
    CHECK(!reset(0));
    CHECK(!driver->primary_retain(&primary, 0));
    CHECK(!driver->context_set(primary));
    launch_product();
}

int main(void)
{
    const hone_lt *lt = NULL;
    hone_cu_context context = NULL;

    if (hone__cuda_get(&driver, &error) || hone__lt_get(&lt, &error))
        skip(error.text);
    CHECK(!driver->primary_retain(&context, 0));
    CHECK(!driver->context_set(context));
    CHECK(!hone__driver_properties(driver, 0, &properties, &error));
    make_database();
    CHECK(!hone_open(db_path, &ctx));
    check_gemm("gemm", gemm_dims, 3);
    check_gemm("batched", batched_dims, 8);
    check_gemm("blas", gemm_dims, 3);
    check_gemm("batched_blas", batched_dims, 8);
    check_axpy();
    check_fft("c2c", 0);
    check_fft("filter", 1);
    check_choices();
    measure();
    measure_plans();
    check_contexts();
    hone_close(ctx);
    (void)driver->context_set(NULL);
    (void)unlink(db_path);
    (void)printf("passed\n");
    return 0;
}
