/* SPDX-License-Identifier: Apache-2.0 */
/* hone_launch(): the plan cache, alone and from many threads (run it under
 * the tsan preset), and a process without a GPU. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/driver/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_THREADS = 8, N_SHAPES = 300, N_ROUNDS = 20 };

static float alpha = 2.0f;
static uint64_t x_device = 0x1000;
static uint64_t y_device = 0x2000;
static void *axpy_args[] = {&alpha, &x_device, &y_device};
static void *gemm_args[] = {&x_device, &x_device, &y_device};

static void put_defaults(runtime_fixture *fixture)
{
    const tuned_row axpy = {.launch_plan = axpy_plan, .cubin = axpy_cubin};
    const tuned_row gemm = {.op = "gemm",
                            .types = "4",
                            .launch_plan = gemm_plan,
                            .cubin = gemm_cubin};

    runtime_put_default(fixture, &axpy);
    runtime_put_default(fixture, &gemm);
}

static hone_status launch_axpy(hone_ctx *ctx, int64_t n)
{
    return hone_launch(ctx, "axpy", &n, 1, axpy_args, HONE_COUNT(axpy_args),
                       NULL);
}

static void launches_what_was_asked(void **state)
{
    hone_ctx *ctx = runtime_open(*state);

    put_defaults(*state);
    for (int round = 0; round < 2; ++round) {
        /* Twice each: through the table and through the thread's memo. */
        for (int64_t i = 0; i < 2 * N_SHAPES; ++i) {
            const long at = fake_n_launches();
            const int64_t n = 256 * (i / 2 + 1);

            assert_hone(ctx, launch_axpy(ctx, n), HONE_OK);
            assert_int_equal(fake_n_launches(), at + 1);
            assert_int_equal(fake_launch_at(at)->params[3], n);
            assert_int_equal(fake_launch_at(at)->grid[0], n / 256);
        }
    }
    assert_int_equal(fake_n_loads(), 1);
    hone_close(ctx);
}

/* The caller's buffer for the name may hold another one by now. */
static void the_name_decides_not_its_address(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    const int64_t dims[] = {64, 64, 64};
    char op[8] = "axpy";

    put_defaults(*state);
    assert_hone(
        ctx,
        hone_launch(ctx, op, dims, 1, axpy_args, HONE_COUNT(axpy_args), NULL),
        HONE_OK);
    memcpy(op, "gemm", 5);
    assert_int_equal(
        hone_launch(ctx, op, dims, 1, gemm_args, HONE_COUNT(gemm_args), NULL),
        HONE_ERR_DIMS);
    assert_hone(
        ctx,
        hone_launch(ctx, op, dims, 3, gemm_args, HONE_COUNT(gemm_args), NULL),
        HONE_OK);
    assert_string_equal(fake_launch_at(1)->kernel, "gemm_main");
    memcpy(op, "axpy", 5);
    assert_hone(
        ctx,
        hone_launch(ctx, op, dims, 1, axpy_args, HONE_COUNT(axpy_args), NULL),
        HONE_OK);
    assert_string_equal(fake_launch_at(2)->kernel, "axpy");
    hone_close(ctx);
}

static void a_memo_does_not_outlive_its_context(void **state)
{
    put_defaults(*state);
    /* Reopened at once: the allocator may well return the same address. */
    for (int i = 0; i < 20; ++i) {
        hone_ctx *ctx = runtime_open(*state);

        assert_hone(ctx, launch_axpy(ctx, 1024), HONE_OK);
        assert_int_equal(fake_n_loads(), i + 1);
        hone_close(ctx);
        assert_int_equal(fake_n_modules(), 0);
    }
}

static void failures_are_not_cached(void **state)
{
    hone_ctx *ctx = runtime_open(*state);

    assert_int_equal(launch_axpy(ctx, 64), HONE_ERR_NOT_FOUND);
    put_defaults(*state);
    assert_int_equal(launch_axpy(ctx, -1), HONE_ERR_DIMS);
    assert_hone(ctx, launch_axpy(ctx, 64), HONE_OK);
    assert_int_equal(hone_launch(NULL, "axpy", NULL, 0, NULL, 0, NULL),
                     HONE_ERR_ARGUMENT);
    assert_int_equal(hone_launch(ctx, NULL, NULL, 0, NULL, 0, NULL),
                     HONE_ERR_ARGUMENT);
    assert_int_equal(hone_launch(ctx, "axpy", NULL, 1, NULL, 0, NULL),
                     HONE_ERR_ARGUMENT);
    assert_int_equal(hone_launch(ctx, "axpy", &(int64_t){64}, 1, NULL, 0, NULL),
                     HONE_ERR_ARGUMENT);
    hone_close(ctx);
}

/* Null pointers will do: the arrays have no elements. */
static void a_launch_of_nothing(void **state)
{
    void *args[] = {&alpha, NULL, NULL};
    hone_ctx *ctx = runtime_open(*state);
    long n;

    put_defaults(*state);
    assert_hone(ctx, launch_axpy(ctx, 64), HONE_OK);
    n = fake_n_launches();
    assert_hone(ctx, launch_axpy(ctx, 0), HONE_OK);
    assert_hone(ctx,
                hone_launch(ctx, "axpy", &(int64_t){0}, 1, args,
                            HONE_COUNT(args), NULL),
                HONE_OK);
    assert_int_equal(fake_n_launches(), n);
    assert_hone(ctx, launch_axpy(ctx, 64), HONE_OK);
    assert_int_equal(fake_n_launches(), n + 1);
    hone_close(ctx);
}

static void each_context_has_its_plans(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    hone_cu_context second;

    put_defaults(fixture);
    assert_hone(ctx, launch_axpy(ctx, 64), HONE_OK);
    second = fake_context_create();
    for (int i = 0; i < 4; ++i) {
        (void)cuCtxSetCurrent(i % 2 ? fixture->context : second);
        assert_hone(ctx, launch_axpy(ctx, 64), HONE_OK);
    }
    assert_int_equal(fake_n_loads(), 2);
    (void)cuCtxSetCurrent(NULL);
    assert_int_equal(launch_axpy(ctx, 64), HONE_ERR_NO_GPU);
    hone_close(ctx);
}

typedef struct worker {
    hone_ctx *ctx;
    hone_cu_context context;
    unsigned number;
    hone_status status;
    char message[300];
} worker;

static void *launch_many(void *user)
{
    worker *w = user;
    const hone_stream stream =
        (hone_stream)(uintptr_t)(0x1000 * (w->number + 1));

    (void)cuCtxSetCurrent(w->context);
    for (int64_t i = 0; i < N_ROUNDS * N_SHAPES; ++i) {
        /* Every thread in an order of its own, so that all insert. */
        const int64_t shape = (i * 7 + w->number * 41) % N_SHAPES;
        const int64_t n = 16 * (shape + 1);
        const int64_t gemm[] = {16, n, 128};

        w->status = launch_axpy(w->ctx, n);
        if (w->status == HONE_OK && shape % 10 == 0)
            w->status = hone_launch(w->ctx, "gemm", gemm, 3, gemm_args,
                                    HONE_COUNT(gemm_args), stream);
        if (w->status == HONE_OK && i % 500 == 0 &&
            launch_axpy(w->ctx, -1) != HONE_ERR_DIMS)
            w->status = HONE_ERR_INTERNAL;
        if (w->status != HONE_OK) {
            (void)snprintf(w->message, sizeof w->message, "%s",
                           hone_error_text(w->ctx));
            break;
        }
    }
    return NULL;
}

static void many_threads(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    pthread_t threads[N_THREADS];
    worker workers[N_THREADS];

    put_defaults(fixture);
    for (unsigned i = 0; i < N_THREADS; ++i) {
        workers[i] =
            (worker){.ctx = ctx, .context = fixture->context, .number = i};
        assert_int_equal(
            pthread_create(&threads[i], NULL, launch_many, &workers[i]), 0);
    }
    for (unsigned i = 0; i < N_THREADS; ++i) {
        (void)pthread_join(threads[i], NULL);
        if (workers[i].status != HONE_OK)
            print_error("%s\n", workers[i].message);
        assert_int_equal(workers[i].status, HONE_OK);
    }
    /* One module per cubin; growing scratch memory per stream, and zeros for
     * each plan. */
    assert_int_equal(fake_n_loads(), 2);
    assert_in_range(fake_n_allocations(), (N_SHAPES / 10 + 1) * N_THREADS,
                    (N_SHAPES / 10 + 20) * N_THREADS);
    hone_close(ctx);
}

/* The driver is loaded once per process, so a child looks at its absence. */
static void without_a_driver(void **state)
{
    runtime_fixture *fixture = *state;
    static const char *const libraries[] = {
        "/nowhere/libcuda.so.1", /* none */
        "libm.so.6",             /* a library that is no driver */
        FAKE_CUDA_PATH           /* a driver without a device */
    };
    static const char *const parts[] = {"no NVIDIA driver", "driver is too old",
                                        "shows no CUDA device"};

    for (size_t i = 0; i < 3; ++i) {
        const pid_t child = fork();
        int status = 0;

        if (child == 0) {
            hone_ctx *ctx = NULL;
            hone_plan *plan = NULL;
            const int64_t n = 1;

            (void)setenv("HONE_CUDA_LIBRARY", libraries[i], 1);
            fake_no_device(1);
            if (hone_open(fixture->path, &ctx) ||
                hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL) !=
                    HONE_ERR_NO_GPU ||
                launch_axpy(ctx, 1) != HONE_ERR_NO_GPU ||
                !strstr(hone_error_text(ctx), parts[i]))
                _exit(1);
            hone_close(ctx);
            _exit(0);
        }
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(without_a_driver), /* first: nothing is loaded yet */
        WITH_DATABASE(launches_what_was_asked),
        WITH_DATABASE(the_name_decides_not_its_address),
        WITH_DATABASE(a_memo_does_not_outlive_its_context),
        WITH_DATABASE(failures_are_not_cached),
        WITH_DATABASE(a_launch_of_nothing),
        WITH_DATABASE(each_context_has_its_plans),
        WITH_DATABASE(many_threads),
    };

    return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
