/* SPDX-License-Identifier: Apache-2.0 */
/* The baselines from cuFFT against a library that has its symbols and
 * computes by definition. The filter kernel between two transforms is played
 * by a function of ours. */
#include "tests/tuner/baseline_fixture.h"
#include "tests/tuner/fake_driver.h"
#include "runtime/vendor/vendor_problem.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define FAKE_FFT HONE_FAKES "/libfake_fft.so"

enum { N = 8, BATCH = 3, LANES = 2 * N * BATCH };

static int (*fft_live)(void);
static int (*fft_streams)(void);

/* ---- a driver that can load and launch the filter kernel ----------------
 */

static int modules;
static int launches;

static hone_cu_result module_load(hone_cu_module *out, const void *image)
{
    assert_non_null(strstr(image, ".visible .entry hone_filter("));
    *out = (hone_cu_module)(uintptr_t)0x1000;
    modules++;
    return 0;
}

static hone_cu_result module_unload(hone_cu_module m)
{
    assert_true(m == (hone_cu_module)(uintptr_t)0x1000);
    modules--;
    return 0;
}

static hone_cu_result module_function(hone_cu_function *out, hone_cu_module m,
                                      const char *name)
{
    (void)m;
    assert_string_equal(name, "hone_filter");
    *out = (hone_cu_function)(uintptr_t)0x2000;
    return 0;
}

static hone_cu_result launch(hone_cu_function f, unsigned gx, unsigned gy,
                             unsigned gz, unsigned bx, unsigned by, unsigned bz,
                             unsigned shared_bytes, hone_stream s,
                             void **params, void **extra)
{
    float *const y = (float *)(uintptr_t) * (hone_cu_ptr *)params[0];
    const float *const h =
        (const float *)(uintptr_t) * (hone_cu_ptr *)params[1];
    const long long n = *(long long *)params[2];
    const long long total = *(long long *)params[3];

    (void)s;
    (void)extra;
    assert_true(f == (hone_cu_function)(uintptr_t)0x2000);
    assert_int_equal(gy * gz * by * bz, 1);
    assert_int_equal(shared_bytes, 0);
    assert_in_range((long long)gx * bx * 2, total, total + 2 * bx - 1);
    for (long long i = 0; i < total; i++) {
        const float re = h[2 * (i % n)], im = h[2 * (i % n) + 1];
        const float old = y[2 * i];

        y[2 * i] = old * re - y[2 * i + 1] * im;
        y[2 * i + 1] = old * im + y[2 * i + 1] * re;
    }
    launches++;
    return 0;
}

static hone_driver driver(void)
{
    hone_driver table = fake_driver;

    table.module_load = module_load;
    table.module_unload = module_unload;
    table.module_function = module_function;
    table.launch = launch;
    return table;
}

/* ---- problems -----------------------------------------------------------
 */

static hone_resolved fft_problem(int64_t n, int64_t batch, int64_t direction,
                                 int is_filter)
{
    hone_resolved problem;

    memset(&problem, 0, sizeof problem);
    problem.n_dims = is_filter ? 2 : 3;
    problem.dims[0] = n;
    problem.dims[1] = batch;
    problem.dims[2] = direction;
    problem_arg(&problem, "x", HONE_ARG_IN, HONE_TYPE_C32, n * batch);
    if (is_filter)
        problem_arg(&problem, "h", HONE_ARG_IN, HONE_TYPE_C32, n);
    problem_arg(&problem, "y", HONE_ARG_OUT, HONE_TYPE_C32, n * batch);
    return problem;
}

static float x[LANES], y[LANES], h[2 * N];

static void make_arrays(void)
{
    for (int i = 0; i < LANES; i++) {
        x[i] = (float)(i * 5 % 13 - 6);
        y[i] = NAN;
    }
    for (int i = 0; i < 2 * N; i++)
        h[i] = (float)(i * 7 % 11 - 5);
}

/* One transform of doubles by its definition. */
static void transform(const double *from, int sign, double *to)
{
    for (int k = 0; k < N; k++) {
        to[2 * k] = to[2 * k + 1] = 0;
        for (int j = 0; j < N; j++) {
            const double angle = sign * 6.283185307179586 * (j * k % N) / N;
            const double c = cos(angle), s = sin(angle);

            to[2 * k] += from[2 * j] * c - from[2 * j + 1] * s;
            to[2 * k + 1] += from[2 * j] * s + from[2 * j + 1] * c;
        }
    }
}

static void expect(int sign, int is_filter)
{
    for (int b = 0; b < BATCH; b++) {
        double in[2 * N], out[2 * N];

        for (int i = 0; i < 2 * N; i++)
            in[i] = (double)x[2 * N * b + i];
        transform(in, is_filter ? -1 : sign, out);
        for (int k = 0; k < N && is_filter; k++) {
            const double re = (double)h[2 * k], im = (double)h[2 * k + 1];

            in[2 * k] = out[2 * k] * re - out[2 * k + 1] * im;
            in[2 * k + 1] = out[2 * k] * im + out[2 * k + 1] * re;
        }
        if (is_filter)
            transform(in, 1, out);
        for (int i = 0; i < 2 * N; i++)
            if (!(fabs((double)y[2 * N * b + i] - out[i]) <= 1e-2))
                fail_msg("lane %d of transform %d is %g, not %g", i, b,
                         (double)y[2 * N * b + i], out[i]);
    }
}

static void refused(const char *name, const hone_resolved *problem,
                    hone_status status, const char *words)
{
    const hone_driver table = driver();
    hone_baseline *baseline = NULL;
    hone_error err = {0};

    assert_int_equal(
        hone__baseline_open(name, "an_op", problem, &table, &baseline, &err),
        status);
    assert_null(baseline);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
    assert_int_equal(modules, 0);
    if (fft_live)
        assert_int_equal(fft_live(), 0);
    assert_int_equal(fake_driver_live, 0);
}

/* Before the library is loaded: this test stands first. */
static void test_missing(void **state)
{
    const hone_resolved problem = fft_problem(N, BATCH, 1, 0);

    (void)state;
    setenv("HONE_CUFFT_LIBRARY", "/nonexistent/libcufft.so", 1);
    refused("cufft", &problem, HONE_ERR_UNSUPPORTED, "HONE_CUFFT_LIBRARY");
    setenv("HONE_CUFFT_LIBRARY", HONE_FAKES "/libfake_nvml.so", 1);
    refused("cufft", &problem, HONE_ERR_UNSUPPORTED, "cufftGetVersion");
    setenv("HONE_CUFFT_LIBRARY", FAKE_FFT, 1);
}

static void load_fake(void)
{
    void *const library = dlopen(FAKE_FFT, RTLD_NOW);

    assert_non_null(library);
    *(void **)&fft_live = dlsym(library, "fake_fft_live");
    *(void **)&fft_streams = dlsym(library, "fake_fft_streams");
    assert_non_null(fft_live);
    assert_non_null(fft_streams);
}

/* Both directions and a filter; the stream is set once for each stream. */
static void run(const char *name, int64_t direction, int is_filter)
{
    const hone_resolved problem = fft_problem(N, BATCH, direction, is_filter);
    const hone_driver table = driver();
    hone_cu_ptr at[] = {(hone_cu_ptr)(uintptr_t)x, (hone_cu_ptr)(uintptr_t)y,
                        (hone_cu_ptr)(uintptr_t)h};
    void *plain[] = {&at[0], &at[1]};
    void *filter[] = {&at[0], &at[2], &at[1]};
    hone_baseline *baseline = NULL;
    hone_error err = {0};
    int before;

    if (hone__baseline_open(name, "fft", &problem, &table, &baseline, &err))
        fail_msg("%s", err.text);
    assert_int_equal(baseline->n_algorithms, 1);
    assert_int_equal(baseline->kind->computes, 1);
    assert_non_null(strstr(baseline->label, "cuFFT"));
    before = fft_streams();
    for (int i = 0; i < 3; i++) {
        const hone_stream stream = (hone_stream)(uintptr_t)(i / 2 * 64);

        make_arrays();
        if (enqueue_algorithm(baseline, 0, is_filter ? filter : plain, stream,
                              &err))
            fail_msg("%s", err.text);
        expect(direction == 2 ? 1 : -1, is_filter);
    }
    assert_int_equal(fft_streams() - before, 2);
    hone__baseline_close(baseline);
    assert_int_equal(fft_live(), 0);
    assert_int_equal(modules, 0);
}

static void test_transforms(void **state)
{
    (void)state;
    load_fake();
    run("cufft", 1, 0);
    run("cufft", 2, 0);
    run("cufft.c2c", 2, 0);
}

/* The layout of an operation fft, with arrays of `count` numbers. */
static void apart(hone_resolved *problem, int64_t stride, int64_t distance,
                  int64_t count)
{
    problem->n_dims = 5;
    problem->dim_names[3] = "STRIDE";
    problem->dim_names[4] = "DISTANCE";
    problem->dims[3] = stride;
    problem->dims[4] = distance;
    problem->args[0].count = problem->args[1].count = count;
    problem->args[1].mode = HONE_ARG_INOUT;
}

/* Three transforms as columns 0 to 2 of four, where those of run() lie one
 * after another. */
static void test_apart(void **state)
{
    enum { WIDE = BATCH + 1, COUNT = (N - 1) * WIDE + BATCH };
    hone_resolved problem = fft_problem(N, BATCH, 2, 0);
    const hone_driver table = driver();
    float columns[2 * COUNT] = {0}, result[2 * COUNT];
    hone_cu_ptr at[] = {(hone_cu_ptr)(uintptr_t)columns,
                        (hone_cu_ptr)(uintptr_t)result};
    void *args[] = {&at[0], &at[1]};
    hone_baseline *baseline = NULL;
    hone_error err = {0};

    (void)state;
    make_arrays();
    apart(&problem, WIDE, 1, COUNT);
    for (int i = 0; i < LANES; i++)
        columns[i / 2 % N * 2 * WIDE + i / 2 / N * 2 + i % 2] = x[i];
    for (int i = 0; i < 2 * COUNT; i++)
        result[i] = -7.0f;
    if (hone__baseline_open("cufft", "fft", &problem, &table, &baseline, &err))
        fail_msg("%s", err.text);
    if (enqueue_algorithm(baseline, 0, args, NULL, &err))
        fail_msg("%s", err.text);
    for (int i = 0; i < LANES; i++)
        y[i] = result[i / 2 % N * 2 * WIDE + i / 2 / N * 2 + i % 2];
    expect(1, 0);
    assert_true(result[2 * BATCH] <= -7.0f && result[2 * BATCH + 1] <= -7.0f);
    hone__baseline_close(baseline);
}

/* Runs the baseline NAME from `from` to `to`. */
static void run_once(const char *name, const hone_resolved *problem,
                     float *from, float *to)
{
    const hone_driver table = driver();
    hone_cu_ptr at[] = {(hone_cu_ptr)(uintptr_t)from,
                        (hone_cu_ptr)(uintptr_t)to};
    void *args[] = {&at[0], &at[1]};
    hone_baseline *baseline = NULL;
    hone_error err = {0};

    if (hone__baseline_open(name, "fft", problem, &table, &baseline, &err) ||
        enqueue_algorithm(baseline, 0, args, NULL, &err))
        fail_msg("%s", err.text);
    hone__baseline_close(baseline);
    assert_int_equal(fft_live(), 0);
}

/* Real numbers there, as the complex transform has them, and back. */
static void test_real(void **state)
{
    enum { HALF = N / 2 + 1 };
    hone_resolved problem = {.n_dims = 2, .dims = {N, BATCH}};
    float real[N * BATCH], half[2 * HALF * BATCH], back[N * BATCH];

    (void)state;
    for (int i = 0; i < N * BATCH; i++)
        real[i] = (float)(i * 5 % 13 - 6);
    problem_arg(&problem, "x", HONE_ARG_IN, HONE_TYPE_F32, N * BATCH);
    problem_arg(&problem, "y", HONE_ARG_OUT, HONE_TYPE_C32, HALF * BATCH);
    run_once("cufft.r2c", &problem, real, half);
    for (int b = 0; b < BATCH; b++) {
        double in[2 * N] = {0}, out[2 * N];

        for (int i = 0; i < N; i++)
            in[2 * i] = (double)real[b * N + i];
        transform(in, -1, out);
        for (int i = 0; i < 2 * HALF; i++)
            assert_true(fabs((double)half[2 * HALF * b + i] - out[i]) < 1e-3);
    }
    refused("cufft", &problem, HONE_ERR_UNSUPPORTED, "an input x");
    refused("cufft.c2r", &problem, HONE_ERR_UNSUPPORTED, "an input x");
    problem.args[0].type = HONE_TYPE_C32;
    problem.args[0].count = HALF * BATCH;
    problem.args[1].type = HONE_TYPE_F32;
    problem.args[1].count = N * BATCH;
    run_once("cufft.c2r", &problem, half, back);
    for (int i = 0; i < N * BATCH; i++)
        assert_true(fabs((double)(back[i] - N * real[i])) < 1e-2);
    /* Halves that no real numbers have: other elements, all of them. That
     * is why the inputs of fft_c2r are made as they are. */
    half[1] = 3;
    run_once("cufft.c2r", &problem, half, back);
    for (int i = 0; i < N; i++)
        assert_true(fabs((double)(back[i] - N * real[i])) > 1);
    for (int i = N; i < N * BATCH; i++)
        assert_true(fabs((double)(back[i] - N * real[i])) < 1e-2);
    refused("cufft.r2c", &problem, HONE_ERR_UNSUPPORTED, "an input x");
}

/* An image of 2 rows: the sum and the difference of their transforms. */
static void test_images(void **state)
{
    hone_resolved problem = {.n_dims = 4, .dims = {2, N, 1, 2}};
    double in[4 * N], low[2 * N], high[2 * N];
    float image[4 * N], result[4 * N];

    (void)state;
    for (int i = 0; i < 4 * N; i++) {
        image[i] = (float)(i * 5 % 13 - 6);
        in[i] = (double)image[i];
    }
    problem_arg(&problem, "x", HONE_ARG_IN, HONE_TYPE_C32, 2 * N);
    problem_arg(&problem, "y", HONE_ARG_OUT, HONE_TYPE_C32, 2 * N);
    run_once("cufft.c2c_2d", &problem, image, result);
    transform(in, 1, low);
    transform(in + 2 * N, 1, high);
    for (int i = 0; i < 2 * N; i++) {
        assert_true(fabs((double)result[i] - low[i] - high[i]) < 1e-3);
        assert_true(fabs((double)result[2 * N + i] - low[i] + high[i]) < 1e-3);
    }
    problem.args[1].count--;
    refused("cufft.c2c_2d", &problem, HONE_ERR_UNSUPPORTED, "its dimensions");
}

static void test_filter(void **state)
{
    (void)state;
    launches = 0;
    run("cufft.filter", 1, 1);
    assert_int_equal(launches, 3);
}

static void test_unfit(void **state)
{
    hone_resolved problem = fft_problem(N, BATCH, 1, 0);

    (void)state;
    refused("cufft.filter", &problem, HONE_ERR_UNSUPPORTED, "a filter h");
    problem.args[1].mode = HONE_ARG_IN;
    refused("cufft", &problem, HONE_ERR_UNSUPPORTED, "an output y");
    problem = fft_problem(N, BATCH, 1, 0);
    problem.args[0].type = HONE_TYPE_F32;
    refused("cufft", &problem, HONE_ERR_UNSUPPORTED, "c32");
    problem = fft_problem(N, BATCH, 1, 0);
    problem.args[0].count--;
    refused("cufft", &problem, HONE_ERR_UNSUPPORTED, "as many");
    apart(&problem, 0, 1, LANES / 2);
    refused("cufft", &problem, HONE_ERR_UNSUPPORTED, "STRIDE");
    apart(&problem, 2, N, LANES / 2);
    refused("cufft", &problem, HONE_ERR_UNSUPPORTED, "its dimensions");
    problem.n_dims = 0;
    refused("cufft", &problem, HONE_ERR_UNSUPPORTED, "dimension");
}

static void test_failures(void **state)
{
    static const struct {
        const char *function;
        const char *code;
        hone_status status;
        const char *words;
    } rows[] = {
        {"cufftCreate", "7", HONE_ERR_CUDA, "set-up failed (code 7)"},
        {"cufftMakePlanMany64", "8", HONE_ERR_UNSUPPORTED, "invalid size"},
        {"cufftMakePlanMany64", "2", HONE_ERR_NO_MEMORY, "allocation"},
        {"cufftMakePlanMany64", "99", HONE_ERR_CUDA, "unknown status"},
    };
    const hone_resolved problem = fft_problem(N, BATCH, 1, 0);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setenv("FAKE_FFT_FAIL", rows[i].function, 1);
        setenv("FAKE_FFT_CODE", rows[i].code, 1);
        refused("cufft", &problem, rows[i].status, rows[i].words);
    }
    unsetenv("FAKE_FFT_FAIL");
}

/* A failure of a run, and a problem in one dimension. */
static void test_failing_run(void **state)
{
    static const char *const functions[] = {"cufftSetStream", "cufftExecC2C"};
    hone_resolved problem = fft_problem(N, 1, 1, 0);
    const hone_driver table = driver();
    hone_cu_ptr at[] = {(hone_cu_ptr)(uintptr_t)x, (hone_cu_ptr)(uintptr_t)y};
    void *args[] = {&at[0], &at[1]};
    hone_baseline *baseline = NULL;
    hone_error err = {0};

    (void)state;
    problem.n_dims = 1;
    setenv("FAKE_FFT_CODE", "6", 1);
    assert_int_equal(
        hone__baseline_open("cufft", "fft", &problem, &table, &baseline, &err),
        HONE_OK);
    for (size_t i = 0; i < 2; i++) {
        setenv("FAKE_FFT_FAIL", functions[i], 1);
        assert_int_equal(enqueue_algorithm(baseline, 0, args, NULL, &err),
                         HONE_ERR_CUDA);
        assert_non_null(strstr(err.text, functions[i]));
        hone__error_clear(&err);
    }
    unsetenv("FAKE_FFT_FAIL");
    assert_int_equal(enqueue_algorithm(baseline, 0, args, NULL, &err), HONE_OK);
    hone__baseline_close(baseline);
    assert_int_equal(fft_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),     cmocka_unit_test(test_transforms),
        cmocka_unit_test(test_apart),       cmocka_unit_test(test_real),
        cmocka_unit_test(test_images),      cmocka_unit_test(test_filter),
        cmocka_unit_test(test_unfit),       cmocka_unit_test(test_failures),
        cmocka_unit_test(test_failing_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
