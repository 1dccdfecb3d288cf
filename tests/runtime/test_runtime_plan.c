/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: what reaches the driver, workspaces, shared modules, contexts that
 * come and go, and every driver call and allocation failing once. */
#include "runtime/plan.h"
#include "tests/runtime/runtime_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const int64_t axpy_dims[] = {1000};
static const int64_t gemm_dims[] = {128, 64, 256, HONE_TYPE_F32};

static float alpha = 2.0f;
static uint64_t x_device = 0x1000;
static uint64_t y_device = 0x2000;
static uint64_t c_device = 0x3000;
static void *axpy_args[] = {&alpha, &x_device, &y_device};
static void *gemm_args[] = {&x_device, &y_device, &c_device};

static void put_both(runtime_fixture *fixture)
{
    const tuned_row axpy = {.dims = axpy_dims,
                            .n_dims = 1,
                            .launch_plan = axpy_plan,
                            .cubin = axpy_cubin};
    const tuned_row gemm = {.op = "gemm",
                            .dims = gemm_dims,
                            .n_dims = 4,
                            .types = "4",
                            .launch_plan = gemm_plan,
                            .cubin = gemm_cubin};

    runtime_put(fixture, &axpy);
    runtime_put(fixture, &gemm);
}

static hone_plan *plan_of(hone_ctx *ctx, const char *op)
{
    const int is_gemm = strcmp(op, "gemm") == 0;
    hone_plan *plan = NULL;

    assert_hone(ctx,
                hone_plan_create(ctx, op, is_gemm ? gemm_dims : axpy_dims,
                                 is_gemm ? 4 : 1, &plan, NULL),
                HONE_OK);
    return plan;
}

static hone_stream stream_of(uintptr_t handle)
{
    return (hone_stream)handle;
}

static void one_launch(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    const fake_launch *launch = fake_launch_at(0);
    hone_plan *plan;
    uint32_t bits;

    put_both(*state);
    plan = plan_of(ctx, "axpy");
    assert_hone(
        ctx,
        hone_plan_run(plan, axpy_args, HONE_COUNT(axpy_args), stream_of(0x50)),
        HONE_OK);
    /* 56 bytes, a dim, the name, a launch of 48 and 5 parameters of 16. */
    assert_int_equal(plan->n_lines, 4);
    assert_int_equal((uintptr_t)plan % HONE_LINE_BYTES, 0);
    assert_int_equal(fake_n_launches(), 1);
    assert_string_equal(launch->kernel, "axpy");
    assert_int_equal(launch->grid[0], 4);
    assert_int_equal(launch->grid[1], 1);
    assert_int_equal(launch->block[0], 256);
    assert_int_equal(launch->shared_bytes, 0);
    assert_ptr_equal(launch->stream, stream_of(0x50));
    memcpy(&bits, &alpha, sizeof bits);
    assert_int_equal(launch->params[0], bits);
    assert_int_equal(launch->params[1], 0x1000);
    assert_int_equal(launch->params[2], 0x2000);
    assert_int_equal(launch->params[3], 1000);
    assert_int_equal(launch->params[4], 4000);
    assert_int_equal(fake_n_allocations(), 0);
    assert_hone(ctx, hone_plan_prepare(plan, NULL), HONE_OK);
    assert_int_equal(fake_n_allocations(), 0);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void two_launches_with_workspaces(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    const fake_launch *main_launch = fake_launch_at(0);
    const fake_launch *reduce = fake_launch_at(1);
    const unsigned char *partial;
    const unsigned char *ticket;
    hone_plan *plan;

    put_both(*state);
    plan = plan_of(ctx, "gemm");
    assert_hone(ctx,
                hone_plan_run(plan, gemm_args, HONE_COUNT(gemm_args), NULL),
                HONE_OK);
    assert_int_equal(fake_n_launches(), 2);
    assert_string_equal(main_launch->kernel, "gemm_main");
    assert_int_equal(main_launch->shared_bytes, 65536);
    assert_string_equal(reduce->kernel, "gemm_reduce");
    assert_int_equal(reduce->grid[0], 2);
    assert_true(reduce->params[0] == main_launch->params[3]);
    assert_int_equal(reduce->params[1], 0x3000);
    assert_int_equal(main_launch->params[5], 64);
    assert_int_equal(fake_n_allocations(), 2); /* scratch, zeros */
    assert_int_equal(fake_n_streams(), 0);
    partial = (const unsigned char *)(uintptr_t)main_launch->params[3];
    ticket = (const unsigned char *)(uintptr_t)main_launch->params[4];
    /* Parts are 256-byte aligned, and only the one declared so is zeroed. */
    assert_int_equal((uintptr_t)partial % 256, 0);
    assert_int_equal((uintptr_t)ticket % 256, 0);
    assert_int_equal(partial[4 * 128 * 64 * 4 - 1], 0xa5);
    for (size_t i = 0; i < 8; ++i)
        assert_int_equal(ticket[i], 0);
    /* Memory is the stream's, not the plan's. */
    hone_plan_destroy(plan);
    assert_int_equal(fake_n_allocations(), 2);
    assert_hone(ctx, hone_stream_release(ctx, NULL), HONE_OK);
    assert_int_equal(fake_n_allocations(), 0);
    hone_close(ctx);
}

typedef struct run_in_thread {
    hone_plan *plan;
    hone_cu_context context;
    hone_status status;
} run_in_thread;

static void *run_per_thread_stream(void *user)
{
    run_in_thread *job = user;

    job->status = (hone_status)cuCtxSetCurrent(job->context);
    if (job->status == HONE_OK)
        job->status = hone_plan_run(job->plan, gemm_args, HONE_COUNT(gemm_args),
                                    stream_of(2));
    return NULL;
}

/* CU_STREAM_PER_THREAD is one handle for as many streams as threads. */
static void per_thread_streams_share_nothing(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    run_in_thread job = {.context = fixture->context};
    pthread_t thread;

    put_both(fixture);
    job.plan = plan_of(ctx, "gemm");
    assert_hone(
        ctx,
        hone_plan_run(job.plan, gemm_args, HONE_COUNT(gemm_args), stream_of(2)),
        HONE_OK);
    assert_int_equal(pthread_create(&thread, NULL, run_per_thread_stream, &job),
                     0);
    (void)pthread_join(thread, NULL);
    assert_int_equal(job.status, HONE_OK);
    assert_int_equal(fake_n_allocations(), 4);
    assert_false(fake_launch_at(0)->params[4] == fake_launch_at(2)->params[4]);
    assert_hone(ctx, hone_stream_release(ctx, stream_of(2)), HONE_OK);
    assert_int_equal(fake_n_allocations(), 2); /* the thread's own is gone */
    hone_plan_destroy(job.plan);
    hone_close(ctx);
}

static void prepared_streams_can_be_captured(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    const char *domain = NULL;
    hone_plan *plan;

    put_both(*state);
    plan = plan_of(ctx, "gemm");
    fake_capture(1);
    assert_hone(
        ctx,
        hone_plan_run(plan, gemm_args, HONE_COUNT(gemm_args), stream_of(0x40)),
        HONE_ERR_CUDA);
    assert_contains(hone_error_text(ctx), "hone_plan_prepare()");
    assert_int_equal(hone_error_native(ctx, &domain), 900);
    assert_string_equal(domain, "cuda");
    fake_capture(0);
    assert_hone(ctx, hone_plan_prepare(plan, stream_of(0x40)), HONE_OK);
    fake_capture(1);
    assert_hone(
        ctx,
        hone_plan_run(plan, gemm_args, HONE_COUNT(gemm_args), stream_of(0x40)),
        HONE_OK);
    fake_capture(0);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void modules_are_shared(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    hone_plan *plans[3];

    put_both(*state);
    for (size_t i = 0; i < 3; ++i)
        plans[i] = plan_of(ctx, "axpy");
    assert_int_equal(fake_n_loads(), 1);
    hone_plan_destroy(plans[0]);
    hone_plan_destroy(plans[2]);
    assert_hone(ctx,
                hone_plan_run(plans[1], axpy_args, HONE_COUNT(axpy_args), NULL),
                HONE_OK);
    hone_plan_destroy(plans[1]);
    /* Graphs may still use it, and the next plan does. */
    assert_int_equal(fake_n_modules(), 1);
    plans[0] = plan_of(ctx, "axpy");
    assert_int_equal(fake_n_loads(), 1);
    hone_plan_destroy(plans[0]);
    hone_close(ctx);
    assert_int_equal(fake_n_modules(), 0);
}

static void contexts_have_their_own_modules(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    hone_cu_context second;
    hone_plan *plans[2];

    put_both(fixture);
    plans[0] = plan_of(ctx, "gemm");
    second = fake_context_create();
    plans[1] = plan_of(ctx, "gemm");
    assert_int_equal(fake_n_modules(), 2);
    assert_hone(ctx,
                hone_plan_run(plans[1], gemm_args, HONE_COUNT(gemm_args), NULL),
                HONE_OK);
    /* A plan of the other context: its workspace must not come from here. */
    assert_hone(ctx,
                hone_plan_run(plans[0], gemm_args, HONE_COUNT(gemm_args), NULL),
                HONE_ERR_CUDA);
    assert_contains(hone_error_text(ctx), "another CUDA context");
    (void)cuCtxSetCurrent(fixture->context);
    assert_hone(ctx,
                hone_plan_run(plans[0], gemm_args, HONE_COUNT(gemm_args), NULL),
                HONE_OK);
    (void)cuCtxSetCurrent(NULL);
    hone_plan_destroy(plans[0]); /* from a thread with no context at all */
    hone_plan_destroy(plans[1]);
    (void)second;
    hone_close(ctx);
}

static void a_context_dies_before_its_plans(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    hone_plan *plan;
    long n_modules;
    long n_allocations;

    put_both(fixture);
    plan = plan_of(ctx, "gemm");
    assert_hone(ctx,
                hone_plan_run(plan, gemm_args, HONE_COUNT(gemm_args), NULL),
                HONE_OK);
    assert_hone(ctx,
                hone_launch(ctx, "axpy", axpy_dims, 1, axpy_args,
                            HONE_COUNT(axpy_args), NULL),
                HONE_OK);
    n_modules = fake_n_modules();
    n_allocations = fake_n_allocations();
    fake_context_reset(fixture->context); /* as cudaDeviceReset() */
    /* The cached plan is of the old context: a new one is made. */
    assert_hone(ctx,
                hone_launch(ctx, "axpy", axpy_dims, 1, axpy_args,
                            HONE_COUNT(axpy_args), NULL),
                HONE_OK);
    assert_int_equal(fake_n_modules(), n_modules + 1);
    /* What went down with the context is not freed again. */
    hone_plan_destroy(plan);
    assert_int_equal(fake_n_allocations(), n_allocations);
    hone_close(ctx);
    assert_int_equal(fake_n_modules(), n_modules);
    fake_lose_all();
}

/* What the dims leave out at the end of the list may be missing there. */
static void shorter_lists(void **state)
{
    static const char text[] = "hone-launch 3\nop linear\ndim BIAS choice 0\n"
                               "arg a in 4 8\narg x in 4 8\narg b in 4 8\n"
                               "optional b BIAS\nlaunch linear\ngrid 1\n"
                               "block 32\npass x\npass b\n";
    hone_ctx *ctx = runtime_open(*state);
    void *x = &alpha;
    void *args[] = {&x, &x, &x};

    for (int64_t bias = 0; bias < 2; ++bias) {
        const tuned_row row = {.op = "linear",
                               .dims = &bias,
                               .n_dims = 1,
                               .types = bias ? "1" : "0",
                               .launch_plan = text,
                               .cubin = "linear 0 8,8"};

        runtime_put(*state, &row);
    }
    for (int64_t bias = 0; bias < 2; ++bias) {
        const hone_status status = bias ? HONE_ERR_ARGUMENT : HONE_OK;
        hone_plan *plan = NULL;

        assert_hone(ctx, hone_plan_create(ctx, "linear", &bias, 1, &plan, NULL),
                    HONE_OK);
        assert_hone(ctx, hone_plan_run(plan, args, 2, NULL), status);
        if (bias)
            assert_string_equal(hone_error_text(ctx),
                                "linear takes 3 arguments, not 2");
        assert_hone(ctx, hone_plan_run(plan, args, 1, NULL), HONE_ERR_ARGUMENT);
        assert_string_equal(hone_error_text(ctx),
                            "linear takes 3 arguments, not 1");
        assert_hone(ctx, hone_plan_run(plan, args, 4, NULL), HONE_ERR_ARGUMENT);
        args[2] = bias ? &x : NULL;
        assert_hone(ctx, hone_plan_run(plan, args, 3, NULL), HONE_OK);
        hone_plan_destroy(plan);
    }
    assert_int_equal(fake_n_launches(), 3);
    hone_close(ctx);
}

static void misuse(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    void *without[] = {&alpha, NULL, &y_device};
    hone_match match;
    hone_plan *none = NULL;
    hone_plan *plan;

    put_both(fixture);
    plan = plan_of(ctx, "axpy");
    assert_int_equal(
        hone_plan_run(NULL, axpy_args, HONE_COUNT(axpy_args), NULL),
        HONE_ERR_ARGUMENT);
    assert_int_equal(hone_plan_prepare(NULL, NULL), HONE_ERR_ARGUMENT);
    assert_hone(ctx, hone_plan_run(plan, NULL, 3, NULL), HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "args is NULL");
    assert_hone(ctx, hone_plan_run(plan, without, HONE_COUNT(without), NULL),
                HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "args[1] of axpy is NULL");
    assert_hone(ctx, hone_plan_run(plan, axpy_args, 2, NULL),
                HONE_ERR_ARGUMENT);
    assert_string_equal(hone_error_text(ctx), "axpy takes 3 arguments, not 2");
    assert_hone(ctx, hone_plan_run(plan, NULL, 4, NULL), HONE_ERR_ARGUMENT);
    assert_string_equal(hone_error_text(ctx), "axpy takes 3 arguments, not 4");
    assert_hone(ctx, hone_launch(ctx, "axpy", axpy_dims, 1, axpy_args, 0, NULL),
                HONE_ERR_ARGUMENT);
    assert_string_equal(hone_error_text(ctx), "axpy takes 3 arguments, not 0");
    assert_int_equal(fake_n_launches(), 0);
    assert_int_equal(
        hone_plan_create(NULL, "axpy", axpy_dims, 1, &none, &match),
        HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(NULL), "ctx is NULL");
    assert_null(none);
    assert_int_equal(hone_plan_create(ctx, NULL, axpy_dims, 1, &none, NULL),
                     HONE_ERR_ARGUMENT);
    assert_int_equal(hone_plan_create(ctx, "axpy", axpy_dims, 1, NULL, NULL),
                     HONE_ERR_ARGUMENT);
    assert_int_equal(hone_open(fixture->path, NULL), HONE_ERR_ARGUMENT);
    (void)cuCtxSetCurrent(NULL);
    assert_int_equal(hone_plan_create(ctx, "axpy", axpy_dims, 1, &none, NULL),
                     HONE_ERR_NO_GPU);
    assert_contains(hone_error_text(ctx), "no current CUDA context");
    (void)cuCtxSetCurrent(fixture->context);
    hone_plan_destroy(NULL);
    hone_close(NULL);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void a_cubin_without_the_kernel(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    const tuned_row row = {.dims = axpy_dims,
                           .n_dims = 1,
                           .launch_plan = axpy_plan,
                           .cubin = "other 0 8"};
    const tuned_row bad = {.dims = axpy_dims,
                           .n_dims = 1,
                           .launch_plan = axpy_plan,
                           .cubin = "notacubin"};
    hone_plan *plan = NULL;

    runtime_put(*state, &row);
    assert_int_equal(hone_plan_create(ctx, "axpy", axpy_dims, 1, &plan, NULL),
                     HONE_ERR_NOT_FOUND);
    assert_contains(hone_error_text(ctx), "no kernel 'axpy'");
    runtime_put(*state, &bad);
    assert_int_equal(hone_plan_create(ctx, "axpy", axpy_dims, 1, &plan, NULL),
                     HONE_ERR_CUDA);
    assert_contains(hone_error_text(ctx), "does not take the cubin");
    hone_close(ctx);
}

static void messages_are_per_context_and_thread(void **state)
{
    hone_ctx *one = runtime_open(*state);
    hone_ctx *two = runtime_open(*state);
    const char *domain = "?";
    hone_plan *plan = NULL;

    assert_string_equal(hone_error_text(one), "");
    assert_int_equal(hone_error_native(one, &domain), 0);
    assert_string_equal(domain, "");
    (void)hone_plan_create(one, "nothing", axpy_dims, 1, &plan, NULL);
    assert_contains(hone_error_text(one), "nothing");
    assert_string_equal(hone_error_text(two), "");
    hone_close(one);
    hone_close(two);
}

/* Open, plan, run with a workspace; whatever fails, nothing is leaked (the
 * teardown looks) and the status is one that hone.h lists. */
static hone_status whole_life(const runtime_fixture *fixture)
{
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;
    hone_status status = hone_open(fixture->path, &ctx);

    if (status == HONE_OK)
        status = hone_plan_create(ctx, "gemm", gemm_dims, 4, &plan, NULL);
    if (status == HONE_OK)
        status = hone_plan_run(plan, gemm_args, HONE_COUNT(gemm_args), NULL);
    if (status == HONE_OK)
        status = hone_launch(ctx, "axpy", axpy_dims, 1, axpy_args,
                             HONE_COUNT(axpy_args), NULL);
    if (status != HONE_OK)
        assert_true(strlen(hone_error_text(ctx)) > 10);
    hone_plan_destroy(plan);
    hone_close(ctx);
    return status;
}

static void any_driver_call_may_fail(void **state)
{
    static const int codes[] = {HONE_CU_OUT_OF_MEMORY, HONE_CU_LAUNCH_FAILED};
    runtime_fixture *fixture = *state;
    long n_calls;

    put_both(fixture);
    assert_int_equal(whole_life(fixture), HONE_OK);
    n_calls = fake_n_calls();
    assert_in_range(n_calls, 20, 200);
    for (size_t c = 0; c < sizeof codes / sizeof codes[0]; ++c) {
        int n_failed = 0;

        for (long n = 1; n <= n_calls; ++n) {
            hone_status status;

            fake_fail_call(n, codes[c]);
            status = whole_life(fixture);
            fake_fail_call(0, 0);
            n_failed += status != HONE_OK;
            assert_true(status == HONE_OK || status == HONE_ERR_CUDA ||
                        status == HONE_ERR_NO_MEMORY);
        }
        /* Only the calls that clean up may fail unnoticed. */
        assert_in_range(n_failed, n_calls * 2 / 3, n_calls);
        /* A push that failed left something behind, as it must. */
        fake_lose_all();
    }
}

static void any_allocation_may_fail(void **state)
{
    put_both(*state);
    runtime_short_of_memory(*state, whole_life);
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(one_launch),
        WITH_DATABASE(two_launches_with_workspaces),
        WITH_DATABASE(per_thread_streams_share_nothing),
        WITH_DATABASE(prepared_streams_can_be_captured),
        WITH_DATABASE(modules_are_shared),
        WITH_DATABASE(contexts_have_their_own_modules),
        WITH_DATABASE(a_context_dies_before_its_plans),
        WITH_DATABASE(shorter_lists),
        WITH_DATABASE(misuse),
        WITH_DATABASE(a_cubin_without_the_kernel),
        WITH_DATABASE(messages_are_per_context_and_thread),
        WITH_DATABASE(any_driver_call_may_fail),
        WITH_DATABASE(any_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
