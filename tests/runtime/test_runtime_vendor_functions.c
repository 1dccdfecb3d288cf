/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of vendors' libraries one by one: problems as launch plans
 * give them, leading dimensions and batches among them, what does not fit, what
 * is shared, and what the library proposes. The fakes compute on the host. */
#include "tests/runtime/vendor_fixture.h"
#include "runtime/vendor/vendor_handles.h"
#include "tests/tuner/baseline_fixture.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { M = 3, N = 5, K = 4, BATCH = 3, MOST = 400 };

static const hone_driver *driver;

static hone_vendors *make_vendors(void)
{
    hone_vendors *vendors = NULL;
    hone_error error = {0};

    assert_int_equal(hone__cuda_get(&driver, &error), HONE_OK);
    assert_int_equal(hone__vendors_create(driver, &vendors, &error), HONE_OK);
    return vendors;
}

/* ---- matrix products ----------------------------------------------------- */

/* How matrices lie; 0: there is no such dimension. */
typedef struct layout {
    int trans_a, trans_b;
    int64_t lda, ldb, ldc;
    int64_t batch, stride_a, stride_b, stride_c;
    int64_t epilogue; /* of the library: 2 relu, 4 a bias, 6 both */
} layout;

static void problem_dim(hone_resolved *problem, const char *name, int64_t value)
{
    if (!value)
        return;
    problem->dim_names[problem->n_dims] = name;
    problem->dims[problem->n_dims++] = value;
}

static int64_t either(int64_t value, int64_t otherwise)
{
    return value ? value : otherwise;
}

/* Everything of a layout spelled out. */
static layout spell(const layout *of)
{
    layout l = *of;

    l.batch = either(l.batch, 1);
    l.lda = either(l.lda, l.trans_a ? M : K);
    l.ldb = either(l.ldb, l.trans_b ? K : N);
    l.ldc = either(l.ldc, N);
    l.stride_a = either(l.stride_a, (l.trans_a ? K : M) * l.lda);
    l.stride_b = either(l.stride_b, (l.trans_b ? N : K) * l.ldb);
    l.stride_c = either(l.stride_c, M * l.ldc);
    return l;
}

static hone_resolved problem_of(const layout *of)
{
    const layout l = spell(of);
    hone_resolved problem;

    memset(&problem, 0, sizeof problem);
    problem_dim(&problem, "M", M);
    problem_dim(&problem, "N", N);
    problem_dim(&problem, "K", K);
    problem_dim(&problem, "TRANS_A", of->trans_a);
    problem_dim(&problem, "TRANS_B", of->trans_b);
    problem_dim(&problem, "LDA", of->lda);
    problem_dim(&problem, "LDB", of->ldb);
    problem_dim(&problem, "LDC", of->ldc);
    /* Plans of today have eight dims; what does not fit has its own test. */
    assert_true(problem.n_dims <= HONE_MAX_DIMS);
    if (of->batch) {
        problem.n_dims = 3;
        problem_dim(&problem, "LDC", of->ldc);
        problem_dim(&problem, "BATCH", of->batch);
        problem_dim(&problem, "STRIDE_A", of->stride_a);
        problem_dim(&problem, "STRIDE_B", of->stride_b);
        problem_dim(&problem, "STRIDE_C", of->stride_c);
    }
    problem_dim(&problem, "EPILOGUE", of->epilogue);
    problem_arg(&problem, "A", HONE_ARG_IN, HONE_TYPE_F32,
                (l.batch - 1) * l.stride_a + ((l.trans_a ? K : M) - 1) * l.lda +
                    (l.trans_a ? M : K));
    problem_arg(&problem, "B", HONE_ARG_IN, HONE_TYPE_F32,
                (l.batch - 1) * l.stride_b + ((l.trans_b ? N : K) - 1) * l.ldb +
                    (l.trans_b ? K : N));
    problem_arg(&problem, "C", HONE_ARG_INOUT, HONE_TYPE_F32,
                (l.batch - 1) * l.stride_c + (M - 1) * l.ldc + N);
    if (of->epilogue & 4)
        problem_arg(&problem, "bias", HONE_ARG_IN, HONE_TYPE_F32, N);
    return problem;
}

static float *numbers(int64_t n, int step)
{
    float *x = aligned_alloc(256, MOST * sizeof *x + 256 - MOST * 4 % 256);

    assert_true(x && n <= MOST);
    for (int64_t i = 0; i < MOST; i++)
        x[i] = (float)(i * step % 9 - 4);
    return x;
}

static void check_layout(const char *function, const layout *of)
{
    const layout l = spell(of);
    const hone_resolved problem = problem_of(of);
    const hone_vendor_algorithm wanted = {.function = function};
    hone_vendors *vendors = make_vendors();
    hone_vendor *vendor = NULL;
    hone_error error = {0};
    float *a = numbers(problem.args[0].count, 5);
    float *b = numbers(problem.args[1].count, 7);
    float *c = numbers(problem.args[2].count, 4);
    float *workspace = numbers(1, 1), *bias = numbers(N, 2);
    hone_cu_ptr at[] = {(uintptr_t)a, (uintptr_t)b, (uintptr_t)c,
                        (uintptr_t)bias};
    void *args[] = {&at[0], &at[1], &at[2], &at[3]};

    if (hone__vendor_open(vendors, "gemm", &problem, &wanted, &vendor, &error))
        fail_msg("%s", error.text);
    if (hone__vendor_enqueue(vendor, args, (uintptr_t)workspace, NULL, &error))
        fail_msg("%s", error.text);
    for (int64_t i = 0; i < MOST; i++) {
        const int64_t z =
            i / l.stride_c < l.batch ? i / l.stride_c : l.batch - 1;
        const int64_t row = (i - z * l.stride_c) / l.ldc;
        const int64_t column = (i - z * l.stride_c) % l.ldc;
        float want = (float)(i * 4 % 9 - 4);

        if (row < M && column < N) {
            want = 0;
            for (int64_t k = 0; k < K; k++)
                want += a[z * l.stride_a +
                          (l.trans_a ? k * l.lda + row : row * l.lda + k)] *
                        b[z * l.stride_b + (l.trans_b ? column * l.ldb + k
                                                      : k * l.ldb + column)];
            if (of->epilogue & 4)
                want += bias[column];
            if (of->epilogue & 2)
                want = want < 0 ? 0 : want;
        }
        if (c[i] - want != 0)
            fail_msg("%s: number %d is %g, not %g", function, (int)i,
                     (double)c[i], (double)want);
    }
    hone__vendor_close(vendor);
    hone__vendors_free(vendors, 1);
    free(a);
    free(b);
    free(c);
    free(workspace);
    free(bias);
    assert_int_equal(vendor_live(), 0);
}

static void test_layouts(void **state)
{
    static const layout layouts[] = {
        {0},
        {.lda = K + 2, .ldb = N + 3, .ldc = N + 1},
        {.trans_a = 1, .trans_b = 1},
        {.trans_a = 1, .trans_b = 1, .lda = M + 1, .ldb = K + 2, .ldc = 8},
        {.batch = BATCH},
        {.batch = BATCH, .stride_a = 20, .stride_b = 32, .stride_c = 24},
        {.batch = BATCH, .ldc = 7, .stride_c = 30},
        /* One B for all, as far as its rows go. */
        {.batch = BATCH, .stride_b = 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        check_layout("cublaslt.gemm", &layouts[i]);
        check_layout("cublas.gemm", &layouts[i]);
    }
}

static void refused(const char *function, const hone_resolved *problem,
                    hone_status status, const char *why)
{
    const hone_vendor_algorithm wanted = {.function = function};
    hone_vendors *vendors = make_vendors();
    hone_vendor *vendor = NULL;
    hone_error error = {0};

    assert_int_equal(
        hone__vendor_open(vendors, "an_op", problem, &wanted, &vendor, &error),
        status);
    assert_null(vendor);
    assert_contains(error.text, why);
    hone__vendors_free(vendors, 1);
    assert_int_equal(vendor_live(), 0);
}

/* A bias is of the columns of C, which are the library's rows. */
static void test_epilogues(void **state)
{
    static const layout layouts[] = {
        {.epilogue = 2},
        {.epilogue = 4},
        {.epilogue = 6, .trans_a = 1, .trans_b = 1, .ldc = N + 1},
        {.epilogue = 6, .batch = BATCH, .ldc = 7, .stride_c = 30},
    };
    hone_resolved problem;

    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        check_layout("cublaslt.gemm", &layouts[i]);
        problem = problem_of(&layouts[i]);
        refused("cublas.gemm", &problem, HONE_ERR_UNSUPPORTED,
                "nothing follows its products");
    }
    problem = problem_of(&layouts[1]);
    problem.args[3].count--;
    refused("cublaslt.gemm", &problem, HONE_ERR_UNSUPPORTED, "bias[N]");
    problem.args[3].count++;
    problem.args[3].type = HONE_TYPE_F16;
    refused("cublaslt.gemm", &problem, HONE_ERR_UNSUPPORTED, "bias[N]");
    problem.n_args--;
    refused("cublaslt.gemm", &problem, HONE_ERR_UNSUPPORTED, "bias[N]");
}

static void test_misfits(void **state)
{
    static const layout layouts[] = {
        {.lda = K - 1},
        {.ldb = N - 1},
        {.ldc = N - 1},
        {.lda = INT64_C(1) << 31},
    };
    const layout strided = {.batch = BATCH, .stride_a = 20};
    layout batched = {.batch = BATCH, .ldc = 7};
    hone_resolved problem;

    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        problem = problem_of(&layouts[i]);
        refused("cublaslt.gemm", &problem, HONE_ERR_UNSUPPORTED, "LDA ..");
    }
    problem = problem_of(&strided);
    problem.dims[4] = INT64_MAX / 2; /* not in 63 bits with what follows */
    refused("cublaslt.gemm", &problem, HONE_ERR_UNSUPPORTED, "LDA ..");
    for (size_t i = 0; i < 3; i++) { /* an array too small, and too large */
        problem = problem_of(&batched);
        problem.args[i].count--;
        refused("cublas.gemm", &problem, HONE_ERR_UNSUPPORTED, "LDA ..");
        problem.args[i].count += 2;
        refused("cublas.gemm", &problem, HONE_ERR_UNSUPPORTED, "LDA ..");
    }
    problem = problem_of(&batched);
    problem.dims[4] = INT64_C(1) << 31;
    refused("cublas.gemm", &problem, HONE_ERR_UNSUPPORTED, "32-bit");
    refused("cublas.unknown", &problem, HONE_ERR_NOT_FOUND, "a newer one may");
}

static void test_not_on_the_cpu(void **state)
{
    const hone_resolved problem = problem_of(&(layout){0});
    const hone_vendor_algorithm wanted = {.function = "cublas.gemm"};
    hone_vendors *vendors = NULL;
    hone_vendor *vendor = NULL;
    hone_error error = {0};

    (void)state;
    assert_int_equal(
        hone__vendors_create(hone__host_driver(), &vendors, &error), HONE_OK);
    assert_int_equal(
        hone__vendor_open(vendors, "gemm", &problem, &wanted, &vendor, &error),
        HONE_ERR_UNSUPPORTED);
    assert_contains(error.text, "not on the device 'cpu'");
    hone__vendors_free(vendors, 1);
}

/* ---- what a library proposes --------------------------------------------- */

static void test_algorithms(void **state)
{
    hone_vendor_algorithm list[HONE_VENDOR_MOST_ALGORITHMS];
    const hone_resolved problem = problem_of(&(layout){0});
    hone_vendors *vendors = make_vendors();
    hone_error error = {0};
    hone_text lines = {0};
    size_t n = 0;

    (void)state;
    assert_int_equal(hone__vendor_algorithms(vendors, "cublaslt.gemm", "gemm",
                                             &problem, list, 32, &n, &error),
                     HONE_OK);
    assert_int_equal(n, 2); /* of four, two are usable */
    assert_string_equal(list[1].function, "cublaslt.gemm");
    assert_int_equal(list[1].rank, 1);
    assert_int_equal(list[1].version, 130100);
    assert_int_equal(list[1].workspace_bytes, 32 << 20);
    assert_int_equal(list[1].n_algorithm_bytes, 64);
    assert_int_equal(list[1].algorithm[0], 103);
    /* Rows of C have 20 bytes: addresses of 4 are all that it may rely on. */
    hone__vendor_lines(&list[1], &lines);
    assert_contains(lines.data, "vendor cublaslt.gemm\nvendor-rank 1\n"
                                "vendor-version 130100\n"
                                "vendor-algorithm 67000000000000000400");
    assert_contains(lines.data, "\nvendor-workspace 33554432\n");
    hone__text_free(&lines);
    assert_int_equal(hone__vendor_algorithms(vendors, "cublaslt.gemm", "gemm",
                                             &problem, list, 1, &n, &error),
                     HONE_OK);
    assert_int_equal(n, 1);
    assert_int_equal(hone__vendor_algorithms(vendors, "cublas.gemm", "gemm",
                                             &problem, list, 32, &n, &error),
                     HONE_OK);
    assert_int_equal(n, 1);
    assert_int_equal(list[0].n_algorithm_bytes, 0);
    hone__vendor_lines(&list[0], &lines);
    assert_string_equal(lines.data, "vendor cublas.gemm\nvendor-rank 0\n"
                                    "vendor-version 130100\n"
                                    "vendor-workspace 33554432\n");
    hone__text_free(&lines);
    assert_int_equal(hone__vendor_algorithms(vendors, "cublas.gemm", "gemm",
                                             &problem, list, 0, &n, &error),
                     HONE_ERR_ARGUMENT);
    (void)setenv("FAKE_BLAS_FAIL", "heuristics", 1);
    assert_int_equal(hone__vendor_algorithms(vendors, "cublaslt.gemm", "gemm",
                                             &problem, list, 32, &n, &error),
                     HONE_ERR_UNSUPPORTED);
    assert_int_equal(n, 0);
    hone__vendors_free(vendors, 1);
    assert_int_equal(vendor_live(), 0);
}

/* ---- cuFFT --------------------------------------------------------------- */

static const char c2c_plan[] = "hone-launch 4\n"
                               "op axpy\n"
                               "dim n int\n"
                               "dim batch int 1\n"
                               "arg x in 8 n*batch\n"
                               "arg y out 8 n*batch\n"
                               "vendor cufft.c2c\n";

typedef struct fft_runner {
    hone_ctx *ctx;
    hone_cu_context context;
    uintptr_t stream;
    int64_t n;
} fft_runner;

/* The transform of an impulse of two is two everywhere. */
static void *transform_many(void *user)
{
    const fft_runner *r = user;

    (void)cuCtxSetCurrent(r->context);
    for (int i = 0; i < 20; i++) {
        float x[2 * 8] = {2}, y[2 * 8] = {0};
        hone_cu_ptr at[] = {(uintptr_t)x, (uintptr_t)y};
        void *args[] = {&at[0], &at[1]};

        if (hone_launch(r->ctx, "axpy", &r->n, 1, args, HONE_COUNT(args),
                        (hone_stream)r->stream))
            return (void *)(uintptr_t)1;
        for (int64_t k = 0; k < r->n; k++)
            if (y[2 * k] - 2 < -1e-6f || y[2 * k] - 2 > 1e-6f)
                return (void *)(uintptr_t)2;
    }
    return NULL;
}

/* Two lengths, two threads each: one plan of cuFFT for each length, which goes
 * with the context. */
static void test_fft(void **state)
{
    void *library = dlopen(HONE_FAKES "/libfake_fft.so", RTLD_NOW);
    runtime_fixture *fixture = *state;
    static const int64_t dims[] = {4, 1};
    int (*live)(void);
    pthread_t threads[4];
    fft_runner runners[4];
    hone_ctx *ctx;

    assert_non_null(library);
    *(void **)&live = dlsym(library, "fake_fft_live");
    runtime_put(fixture, &(tuned_row){.dims = dims,
                                      .n_dims = 2,
                                      .config = "LIBRARY=1",
                                      .launch_plan = c2c_plan});
    ctx = runtime_open(fixture);
    for (size_t i = 0; i < 4; i++) {
        runners[i] = (fft_runner){ctx, fixture->context, 0x1000 * (i + 1),
                                  i % 2 ? 4 : 8};
        assert_int_equal(
            pthread_create(&threads[i], NULL, transform_many, &runners[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *result = NULL;

        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_null(result);
    }
    assert_int_equal(live(), 2);
    assert_hone(ctx, hone_plan_limit(ctx, 1), HONE_OK);
    assert_int_equal(live(), 2);
    hone_close(ctx);
    assert_int_equal(live(), 0);
    (void)dlclose(library);
}

/* Lengths without end: of plans that nobody uses a few are kept, and those
 * that a graph may use. */
static void test_many_ffts(void **state)
{
    static const int64_t dims[] = {7, 1};
    void *library = dlopen(HONE_FAKES "/libfake_fft.so", RTLD_NOW);
    int (*live)(void);
    float x[2 * 64] = {2}, y[2 * 64];
    hone_cu_ptr at[] = {(uintptr_t)x, (uintptr_t)y};
    void *args[] = {&at[0], &at[1]};
    hone_plan *plan = NULL;
    int64_t n = 7;
    hone_ctx *ctx;

    assert_non_null(library);
    *(void **)&live = dlsym(library, "fake_fft_live");
    runtime_put(*state, &(tuned_row){.dims = dims,
                                     .n_dims = 2,
                                     .config = "LIBRARY=1",
                                     .launch_plan = c2c_plan});
    ctx = runtime_open(*state);
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                HONE_OK);
    for (int i = 0; i < 2; i++) {
        assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                    HONE_OK);
        fake_capture(!i);
    }
    hone_plan_destroy(plan);
    for (n = 8; n <= 28; n++) { /* neighbours */
        assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                    HONE_OK);
        hone_plan_destroy(plan);
    }
    assert_int_equal(live(), 1 + HONE_VENDOR_IDLE_FFTS + 1);
    n = 7; /* the captured one is there */
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                HONE_OK);
    assert_int_equal(live(), 1 + HONE_VENDOR_IDLE_FFTS + 1);
    hone_plan_destroy(plan);
    hone_close(ctx);
    assert_int_equal(live(), 0);
    (void)dlclose(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        VENDOR_TEST(test_layouts),    VENDOR_TEST(test_misfits),
        VENDOR_TEST(test_epilogues),  VENDOR_TEST(test_not_on_the_cpu),
        VENDOR_TEST(test_algorithms), VENDOR_TEST(test_fft),
        VENDOR_TEST(test_many_ffts),
    };

    vendor_load();
    return cmocka_run_group_tests_name("runtime_vendor_functions", tests, NULL,
                                       NULL);
}
