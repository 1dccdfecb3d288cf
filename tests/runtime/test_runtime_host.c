/* SPDX-License-Identifier: Apache-2.0 */
/* Plans on the cpu device, without a CUDA driver: results, workspaces,
 * threads (run it under the tsan preset), objects that do not load, and every
 * allocation failing once. */
#include "tests/runtime/host_fixture.h"

#include "runtime/base/alloc.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREADS = 8, N_ROUNDS = 200 };

static int memfd_fails;
int __real_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags);

int __wrap_memfd_create(const char *name, unsigned flags)
{
    if (!memfd_fails)
        return __real_memfd_create(name, flags);
    errno = ENOSYS;
    return -1;
}

static int setup_without_memfd(void **state)
{
    memfd_fails = 1;
    return host_setup(state);
}

static int teardown_without_memfd(void **state)
{
    memfd_fails = 0;
    return host_teardown(state);
}

static hone_status run_sum(hone_plan *plan, float first, float *out)
{
    float x[HOST_N];
    float *x_host = x;
    void *args[] = {&x_host, &out};

    for (size_t i = 0; i < HOST_N; ++i)
        x[i] = first;
    return hone_plan_run(plan, args, HONE_COUNT(args),
                         (hone_stream)(uintptr_t)0x40);
}

static long count_lines(const char *path, const char *part)
{
    FILE *file = fopen(path, "r");
    char line[600];
    long n = 0;

    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        n += strstr(line, part) != NULL;
    (void)fclose(file);
    return n;
}

static void runs_without_a_driver(void **state)
{
    const int64_t n = HOST_N;
    hone_ctx *ctx = host_open(*state);
    hone_plan *plan = NULL;
    hone_match match;
    hone_ctx *gpu;
    float sum = 0;

    host_put_both(*state);
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, &match),
                HONE_OK);
    assert_int_equal(match.kind, HONE_MATCH_EXACT);
    assert_contains(match.reason, host_device_name);
    assert_true(host_run_axpy(ctx, plan) == 3.0f);
    hone_plan_destroy(plan);
    plan = host_plan_of(ctx, "sum", HOST_N);
    assert_hone(ctx, hone_plan_prepare(plan, NULL), HONE_OK);
    for (int i = 1; i < 4; ++i) {
        assert_hone(ctx, run_sum(plan, (float)i, &sum), HONE_OK);
        assert_true(sum == (float)(i * HOST_N));
    }
    hone_plan_destroy(plan);
    hone_close(ctx);
    gpu = runtime_open(*state);
    assert_int_equal(hone_plan_create(gpu, "axpy", &n, 1, &plan, NULL),
                     HONE_ERR_NO_GPU);
    assert_int_equal(hone_launch(gpu, "axpy", &n, 1, NULL, 0, NULL),
                     HONE_ERR_NO_GPU);
    hone_close(gpu);
}

static const char fir_plan[] = "hone-launch 2\nop fir\ndim n int\n"
                               "arg h in 4 n\narg y out 4 1\n"
                               "workspace sums 4 zero-each 1\n"
                               "constant taps 4 h n\n"
                               "launch fir\ngrid 1\nblock 32\n%s"
                               "pass y\npass sums\n";

static void put_fir(runtime_fixture *fixture, int64_t n, const char *more)
{
    char plan[400];

    (void)snprintf(plan, sizeof plan, fir_plan, more);
    host_put(fixture,
             (tuned_row){.op = "fir", .dims = &n, .launch_plan = plan});
}

static float run_fir(hone_ctx *ctx, hone_plan *plan, float *h)
{
    float y = 0;
    float *y_host = &y;
    void *args[] = {&h, &y_host};

    assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                HONE_OK);
    return y;
}

/* Each plan has its own constants, though both are of one object. */
static void constants_belong_to_a_plan(void **state)
{
    const int64_t n = 4;
    hone_ctx *ctx = host_open(*state);
    hone_plan *plans[2];
    float ones[] = {1, 1, 1, 1};
    float twos[] = {2, 2, 2, 2};

    put_fir(*state, n, "");
    plans[0] = host_plan_of(ctx, "fir", n);
    plans[1] = host_plan_of(ctx, "fir", n);
    for (int i = 0; i < 2; ++i) {
        assert_true(run_fir(ctx, plans[0], ones) == 4);
        assert_true(run_fir(ctx, plans[1], twos) == 8);
    }
    ones[0] = 5; /* and nobody says so */
    assert_true(run_fir(ctx, plans[0], ones) == 4);
    assert_hone(ctx, hone_plan_refresh(plans[0]), HONE_OK);
    assert_true(run_fir(ctx, plans[0], ones) == 8);
    assert_true(run_fir(ctx, plans[0], twos) == 8);
    twos[0] = 3;
    assert_hone(ctx, hone_refresh(ctx), HONE_OK);
    assert_true(run_fir(ctx, plans[1], twos) == 9);
    hone_plan_destroy(plans[0]);
    hone_plan_destroy(plans[1]);
    hone_close(ctx);
}

static void refuse_fir(runtime_fixture *fixture, int64_t n, const char *more,
                       hone_status status, const char *part)
{
    hone_ctx *ctx = host_open(fixture);
    hone_plan *plan = NULL;

    put_fir(fixture, n, more);
    assert_int_equal(hone_plan_create(ctx, "fir", &n, 1, &plan, NULL), status);
    assert_null(plan);
    assert_contains(hone_error_text(ctx), part);
    hone_close(ctx);
}

static void what_the_cpu_device_lacks(void **state)
{
    refuse_fir(*state, 5, "", HONE_ERR_INPUT, "holds 16 bytes, and 20 are");
    refuse_fir(*state, 4, "cooperative\n", HONE_ERR_UNSUPPORTED,
               "kernel 'fir' is launched cooperatively, which the cpu device "
               "does not have");
}

/* hone.h: hone_plan_run, HONE_ERR_KERNEL
 *
 * What a kernel reports is what the caller reads; the plan works again
 * afterwards, its ticket zeroed though the run broke off behind it. */
static void reports_become_errors(void **state)
{
    hone_ctx *ctx = host_open(*state);
    hone_plan *plan;
    float sum = 0;

    host_put_both(*state);
    plan = host_plan_of(ctx, "sum", HOST_N);
    assert_int_equal(run_sum(plan, -2, &sum), HONE_ERR_KERNEL);
    assert_contains(hone_error_text(ctx), "the workspace begins with ff");
    assert_int_equal(run_sum(plan, -1, &sum), HONE_ERR_KERNEL);
    assert_string_equal(hone_error_text(ctx),
                        "kernel sum_parts: block (1,0,0), line 7: thread "
                        "(3,0,0) left");
    assert_int_equal(run_sum(plan, -3, &sum), HONE_ERR_NO_MEMORY);
    assert_contains(hone_error_text(ctx), "no memory for stacks");
    assert_int_equal(run_sum(plan, -4, &sum), HONE_ERR_KERNEL);
    assert_contains(hone_error_text(ctx), "kernel sum_parts: report 7");
    assert_hone(ctx, run_sum(plan, 1, &sum), HONE_OK);
    assert_true(sum == (float)HOST_N);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void misuse(void **state)
{
    hone_ctx *ctx = host_open(*state);
    void *without[] = {NULL, NULL};
    hone_plan *plan;

    host_put_both(*state);
    host_put(*state, (tuned_row){.op = "other",
                                 .launch_plan = "hone-launch 1\nop other\n"
                                                "dim n int\nlaunch missing\n"
                                                "grid 1\nblock 1\n"});
    plan = host_plan_of(ctx, "sum", HOST_N);
    assert_int_equal(hone_plan_run(plan, NULL, 0, NULL), HONE_ERR_ARGUMENT);
    assert_int_equal(hone_plan_run(plan, without, HONE_COUNT(without), NULL),
                     HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "args[0] of sum is NULL");
    assert_contains(hone_error_text(ctx), "host pointer");
    hone_plan_destroy(plan);
    assert_int_equal(
        hone_plan_create(ctx, "other", &(int64_t){HOST_N}, 1, &plan, NULL),
        HONE_ERR_NOT_FOUND);
    assert_contains(hone_error_text(ctx), "the code has no kernel 'missing'");
    hone_close(ctx);
}

/* An object is loaded once per hone_ctx, is not taken for another one, and
 * goes with that. */
static void objects_come_and_go(void **state)
{
    hone_ctx *ctx = host_open(*state);
    hone_plan *plans[3];
    long lines = 0;

    host_put_both(*state);
    host_put(*state, (tuned_row){.op = "biased",
                                 .launch_plan = axpy_plan,
                                 .cubin = host_objects[1].data,
                                 .cubin_bytes = host_objects[1].length});
    for (int round = 0; round < 3; ++round) {
        plans[0] = host_plan_of(ctx, "axpy", HOST_N);
        plans[1] = host_plan_of(ctx, "biased", HOST_N);
        plans[2] = host_plan_of(ctx, "axpy", HOST_N);
        hone_plan_destroy(plans[0]);
        assert_true(host_run_axpy(ctx, plans[1]) == 4.0f);
        assert_true(host_run_axpy(ctx, plans[2]) == 3.0f);
        assert_true(count_lines("/proc/self/maps", "hone-kernels") > 1);
        hone_plan_destroy(plans[1]);
        hone_plan_destroy(plans[2]);
        lines = lines ? lines : count_lines("/proc/self/maps", "hone-kernels");
        assert_int_equal(count_lines("/proc/self/maps", "hone-kernels"), lines);
    }
    hone_close(ctx);
    assert_int_equal(count_lines("/proc/self/maps", "hone-kernels"), 0);
}

/* A plan needs nothing of the database once it is made. */
static void a_plan_outlives_what_was_read(void **state)
{
    hone_ctx *ctx = host_open(*state);
    hone_plan *plan;
    hone_plan *later;

    host_put_both(*state);
    plan = host_plan_of(ctx, "axpy", HOST_N);
    host_put(*state, (tuned_row){.op = "axpy", .config = "A=new"});
    later = host_plan_of(ctx, "axpy", HOST_N);
    assert_true(host_run_axpy(ctx, plan) == 3.0f);
    assert_true(host_run_axpy(ctx, later) == 3.0f);
    hone_plan_destroy(plan);
    hone_plan_destroy(later);
    hone_close(ctx);
}

/* Without memfd_create(): a file that is gone once it is loaded. */
static void a_file_where_memory_has_none(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = host_open(fixture);
    hone_plan *plan = NULL;
    char file[400];

    host_put_both(fixture);
    (void)setenv("TMPDIR", fixture->folder, 1);
    plan = host_plan_of(ctx, "axpy", HOST_N);
    assert_true(host_run_axpy(ctx, plan) == 3.0f);
    (void)snprintf(file, sizeof file, "%s/hone-kernels", fixture->folder);
    assert_true(count_lines("/proc/self/maps", file) > 0);
    assert_true(count_lines("/proc/self/maps", "(deleted)") > 0);
    hone_plan_destroy(plan);
    hone_close(ctx);
    (void)setenv("TMPDIR", "/nonexistent", 1);
    host_refuse(fixture, HONE_ERR_IO, "cannot make a file for kernels");
    host_refuse(fixture, HONE_ERR_IO, "set TMPDIR to another");
}

static void objects_that_do_not_load(void **state)
{
    runtime_fixture *fixture = *state;
    hone_text foreign = {0};

    host_put(fixture, (tuned_row){.cubin = "not an object", .config = "A=bad"});
    host_refuse(
        fixture, HONE_ERR_UNSUPPORTED,
        "does not load the kernels of A=bad, compiled for the cpu device: "
        "it is cut short; tune again");
    host_put(fixture, (tuned_row){.cubin = host_objects[0].data,
                                  .cubin_bytes = host_objects[0].length / 3,
                                  .config = "A=cut"});
    host_refuse(fixture, HONE_ERR_UNSUPPORTED,
                "the cpu device: it is cut short");
    host_put(fixture, (tuned_row){.cubin = host_objects[0].data,
                                  .cubin_bytes = 70,
                                  .config = "A=shorter"});
    host_refuse(fixture, HONE_ERR_UNSUPPORTED,
                "the cpu device: it is cut short");
    assert_int_equal(hone__text_read_file(&foreign, FAKE_CUDA_PATH, NULL),
                     HONE_OK);
    host_put(fixture, (tuned_row){.cubin = foreign.data,
                                  .cubin_bytes = foreign.length,
                                  .config = "A=foreign"});
    host_refuse(fixture, HONE_ERR_UNSUPPORTED,
                "there is no hone_host_param in it");
    hone__text_free(&foreign);
    assert_int_equal(count_lines("/proc/self/maps", "hone-kernels"), 0);
}

typedef struct worker {
    hone_ctx *ctx;
    hone_plan *plan; /* shared by all */
    int number;
    int n_bad;
} worker;

static void *work(void *user)
{
    worker *w = user;

    for (int i = 0; i < N_ROUNDS; ++i) {
        const int64_t n = 1 + (i + w->number) % 16;
        float x[16];
        float y[16];
        float alpha = (float)w->number;
        float *x_host = x;
        float *y_host = y;
        void *args[] = {&alpha, &x_host, &y_host};
        float sum = 0;

        for (size_t k = 0; k < 16; ++k)
            x[k] = y[k] = 1.0f;
        w->n_bad += hone_launch(w->ctx, "axpy", &n, 1, args, HONE_COUNT(args),
                                NULL) != HONE_OK;
        for (int64_t k = 0; k < 16; ++k)
            w->n_bad += y[k] != (k < n ? 1.0f + alpha : 1.0f);
        w->n_bad += run_sum(w->plan, 1.0f + alpha, &sum) != HONE_OK ||
                    sum != (1.0f + alpha) * HOST_N;
    }
    return NULL;
}

static void many_threads(void **state)
{
    hone_ctx *ctx = host_open(*state);
    worker workers[N_THREADS];
    pthread_t threads[N_THREADS];
    hone_plan *plan;

    host_put_both(*state);
    plan = host_plan_of(ctx, "sum", HOST_N);
    for (int i = 0; i < N_THREADS; ++i) {
        workers[i] = (worker){ctx, plan, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]),
                         0);
    }
    for (int i = 0; i < N_THREADS; ++i) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].n_bad, 0);
    }
    hone_plan_destroy(plan);
    hone_close(ctx);
    assert_int_equal(count_lines("/proc/self/maps", "hone-kernels"), 0);
}

static hone_status whole_life(const runtime_fixture *fixture)
{
    const int64_t n = HOST_N;
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;
    float value = 1.0f;
    float sum = 0;
    float x[HOST_N] = {0};
    float *x_host = x;
    void *args[] = {&value, &x_host, &x_host};
    hone_status status = hone_open(fixture->path, &ctx);

    if (status == HONE_OK)
        status = hone_device_select(ctx, "cpu");
    if (status == HONE_OK)
        status = hone_plan_create(ctx, "sum", &n, 1, &plan, NULL);
    if (status == HONE_OK)
        status = run_sum(plan, value, &sum);
    if (status == HONE_OK)
        status = hone_launch(ctx, "axpy", &n, 1, args, HONE_COUNT(args), NULL);
    if (status != HONE_OK)
        assert_true(strlen(hone_error_text(ctx)) > 10);
    hone_plan_destroy(plan);
    hone_close(ctx);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    hone_status status = HONE_ERR_NO_MEMORY;
    long n = 0;

    host_put_both(*state);
    for (; status != HONE_OK && n < 2000; ++n) {
        hone__alloc_fail_after(n);
        status = whole_life(*state);
        hone__alloc_fail_after(-1);
        if (status != HONE_OK)
            assert_int_equal(status, HONE_ERR_NO_MEMORY);
        assert_int_equal(count_lines("/proc/self/maps", "hone-kernels"), 0);
    }
    assert_in_range(n, 20, 1999);
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, host_setup, host_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(runs_without_a_driver),
        WITH_DATABASE(constants_belong_to_a_plan),
        WITH_DATABASE(what_the_cpu_device_lacks),
        WITH_DATABASE(reports_become_errors),
        WITH_DATABASE(misuse),
        WITH_DATABASE(objects_come_and_go),
        WITH_DATABASE(a_plan_outlives_what_was_read),
        cmocka_unit_test_setup_teardown(a_file_where_memory_has_none,
                                        setup_without_memfd,
                                        teardown_without_memfd),
        WITH_DATABASE(objects_that_do_not_load),
        WITH_DATABASE(many_threads),
        WITH_DATABASE(any_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("host", tests, host_load_objects,
                                       host_free_objects);
}
