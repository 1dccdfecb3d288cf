/* SPDX-License-Identifier: Apache-2.0 */
/* When PTX is compiled: now, later by hone_compile_pending(), never. */
#include "tests/runtime/runtime_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Another kernel than axpy_cubin, and its launch. */
static char other_code[300];
static char other_plan[600];
static hone_cu_context shared_context;

static void put(runtime_fixture *fixture, tuned_row row)
{
    row.op = "axpy";
    row.launch_plan = row.launch_plan ? row.launch_plan : axpy_plan;
    row.cubin = row.cubin ? row.cubin : axpy_cubin;
    runtime_put_default(fixture, &row);
}

static void *axpy_args[3];

static hone_status launch(hone_ctx *ctx, int64_t n)
{
    return hone_launch(ctx, "axpy", &n, 1, axpy_args, 3, NULL);
}

static hone_match plan_of(hone_ctx *ctx, int64_t n)
{
    hone_plan *plan = NULL;
    hone_match match = {.kind = HONE_MATCH_EXACT};

    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, &match),
                HONE_OK);
    hone_plan_destroy(plan);
    return match;
}

/* The reference implementation as a cubin, a winner and a default as PTX. */
static void put_reference(runtime_fixture *fixture)
{
    static const char newer[] = "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2"
                                "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2";

    put(fixture, (tuned_row){.compile_arch = "sm_100", .config = "A=1"});
    runtime_sql(fixture->path, "UPDATE template SET kind = 'reference'");
    runtime_sql(fixture->path, "UPDATE template SET name = 'plain.cu'");
    put(fixture, (tuned_row){.compile_arch = "compute_90",
                             .config = "A=2",
                             .launch_plan = other_plan,
                             .cubin = other_code,
                             .template_sha256 = newer});
    fake_device(100, 148, "Fake B200");
}

static unsigned last_block(void)
{
    return fake_launch_at(fake_n_launches() - 1)->block[0];
}

static void compiled_later(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx;
    hone_match match;
    size_t n_left = 7;

    put_reference(fixture);
    ctx = runtime_open(fixture);
    assert_int_equal(plan_of(ctx, 64).kind, HONE_MATCH_PTX);
    hone_close(ctx);
    ctx = runtime_open(fixture);
    assert_hone(ctx, hone_compile_select(ctx, "later"), HONE_OK);
    assert_hone(ctx, hone_compile_pending(ctx, &n_left), HONE_OK);
    assert_int_equal(n_left, 0);
    match = plan_of(ctx, 64);
    assert_int_equal(match.kind, HONE_MATCH_REFERENCE);
    assert_contains(match.reason, "(until PTX is compiled)");
    /* Noted once for each problem. */
    for (int i = 0; i < 3; ++i)
        assert_hone(ctx, launch(ctx, 64), HONE_OK);
    assert_hone(ctx, launch(ctx, 65), HONE_OK);
    assert_hone(ctx, hone_compile_pending(ctx, &n_left), HONE_OK);
    assert_int_equal(n_left, 1);
    assert_int_equal(last_block(), 256);
    /* Though it was this thread's last, the plan is a new one. */
    assert_hone(ctx, hone_compile_pending(ctx, &n_left), HONE_OK);
    assert_hone(ctx, launch(ctx, 65), HONE_OK);
    assert_int_equal(last_block(), 64);
    assert_hone(ctx, launch(ctx, 64), HONE_OK);
    assert_int_equal(last_block(), 64);
    assert_int_equal(n_left, 0);
    assert_int_equal(fake_n_loads(), 1 + 2);
    match = plan_of(ctx, 64);
    assert_int_equal(match.kind, HONE_MATCH_PTX);
    assert_true(match.compile_time_ns > 0);
    hone_close(ctx);
}

static void compiled_later_if_nothing_else_runs(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx;
    size_t n_left = 7;

    put(fixture, (tuned_row){.compile_arch = "compute_80", .config = "A=1"});
    ctx = runtime_open(fixture);
    assert_hone(ctx, hone_compile_select(ctx, "later"), HONE_OK);
    assert_int_equal(plan_of(ctx, 64).kind, HONE_MATCH_PTX);
    assert_hone(ctx, hone_compile_pending(ctx, &n_left), HONE_OK);
    assert_int_equal(n_left, 0);
    hone_close(ctx);
}

static void never_compiled(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t n = 64;
    hone_plan *plan = NULL;
    hone_match match;
    hone_ctx *ctx = NULL;

    put_reference(fixture);
    (void)setenv("HONE_COMPILE", "never", 1);
    ctx = runtime_open(fixture);
    match = plan_of(ctx, n);
    assert_int_equal(match.kind, HONE_MATCH_REFERENCE);
    assert_contains(match.reason, "(PTX is not to be compiled)");
    fake_device(120, 170, "Fake 5090");
    (void)fake_context_create();
    assert_int_equal(hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                     HONE_ERR_NOT_FOUND);
    assert_hone(ctx, hone_compile_select(ctx, "now"), HONE_OK);
    assert_int_equal(plan_of(ctx, n).kind, HONE_MATCH_PTX);
    hone_close(ctx);
    (void)setenv("HONE_COMPILE", "soon", 1);
    assert_int_equal(hone_open(fixture->path, &ctx), HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "HONE_COMPILE: 'soon' is not 'now'");
    assert_int_equal(hone_compile_select(ctx, NULL), HONE_ERR_ARGUMENT);
    assert_int_equal(hone_compile_select(ctx, ""), HONE_ERR_ARGUMENT);
    hone_close(ctx);
    (void)unsetenv("HONE_COMPILE");
}

/* What the driver refuses waits no more; nothing of a context that is gone. */
static void pending_that_fails(void **state)
{
    runtime_fixture *fixture = *state;
    hone_cu_context other;
    hone_ctx *ctx;
    size_t n_left = 7;

    put_reference(fixture);
    ctx = runtime_open(fixture);
    assert_hone(ctx, hone_compile_select(ctx, "later"), HONE_OK);
    other = fake_context_create();
    assert_hone(ctx, launch(ctx, 64), HONE_OK);
    fake_context_destroy(other);
    fake_lose_all();
    (void)cuCtxSetCurrent(fixture->context);
    assert_hone(ctx, launch(ctx, 64), HONE_OK);
    (void)cuCtxSetCurrent(NULL); /* it is made current for the call */
    assert_hone(ctx, hone_compile_pending(ctx, &n_left), HONE_OK);
    assert_int_equal(n_left, 1);
    fake_fail_call(3, 222); /* after asking for its id, and pushing it */
    assert_int_equal(hone_compile_pending(ctx, &n_left), HONE_ERR_CUDA);
    assert_int_equal(n_left, 0);
    (void)cuCtxSetCurrent(fixture->context);
    assert_int_equal(plan_of(ctx, 64).kind, HONE_MATCH_REFERENCE);
    assert_hone(ctx, hone_compile_pending(ctx, NULL), HONE_OK);
    assert_int_equal(plan_of(ctx, 64).kind, HONE_MATCH_PTX);
    hone_close(ctx);
}

static hone_status later_life(const runtime_fixture *fixture)
{
    hone_ctx *ctx = NULL;
    size_t n_left = 0;
    hone_status status = hone_open(fixture->path, &ctx);

    if (status == HONE_OK)
        status = hone_compile_select(ctx, "later");
    if (status == HONE_OK)
        status = launch(ctx, 64);
    if (status == HONE_OK)
        status = hone_compile_pending(ctx, &n_left);
    if (status == HONE_OK)
        status = launch(ctx, 64);
    hone_close(ctx);
    return status;
}

static void every_allocation_later(void **state)
{
    put_reference(*state);
    runtime_short_of_memory(*state, later_life);
}

enum { N_THREADS = 8 };

static void *launch_on(void *user)
{
    hone_ctx *ctx = user;

    (void)cuCtxSetCurrent(shared_context);
    for (int64_t i = 0; i < 400; ++i)
        if (launch(ctx, 64 + i / 100) || launch(ctx, 64))
            return ctx;
    return NULL;
}

/* One compiles what the others launch. */
static void compiled_while_others_launch(void **state)
{
    runtime_fixture *fixture = *state;
    pthread_t threads[N_THREADS];
    hone_ctx *ctx;

    put_reference(fixture);
    shared_context = fixture->context;
    ctx = runtime_open(fixture);
    assert_hone(ctx, hone_compile_select(ctx, "later"), HONE_OK);
    for (int i = 0; i < N_THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_on, ctx), 0);
    for (int i = 0; i < 200; ++i)
        assert_hone(ctx, hone_compile_pending(ctx, NULL), HONE_OK);
    for (int i = 0; i < N_THREADS; ++i) {
        void *failed = NULL;

        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    for (size_t n_left = 1; n_left;)
        assert_hone(ctx, hone_compile_pending(ctx, &n_left), HONE_OK);
    assert_int_equal(plan_of(ctx, 64).kind, HONE_MATCH_PTX);
    hone_close(ctx);
}

typedef struct other_launch {
    runtime_fixture *fixture;
    hone_ctx *ctx;
} other_launch;

static void *launch_66(void *user)
{
    const other_launch *other = user;

    assert_int_equal(cuCtxSetCurrent(other->fixture->context), 0);
    assert_hone(other->ctx, launch(other->ctx, 66), HONE_OK);
    return NULL;
}

/* A plan that was evicted while it is what a thread launched last. */
static void evicted_ones_are_renewed(void **state)
{
    other_launch other = {*state, NULL};
    pthread_t thread;
    hone_ctx *ctx;
    size_t n_left = 1;

    put_reference(*state);
    ctx = other.ctx = runtime_open(*state);
    assert_hone(ctx, hone_compile_select(ctx, "later"), HONE_OK);
    assert_hone(ctx, hone_plan_limit(ctx, 1), HONE_OK);
    assert_hone(ctx, launch(ctx, 65), HONE_OK);
    assert_int_equal(last_block(), 256);
    assert_int_equal(pthread_create(&thread, NULL, launch_66, &other), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    while (n_left)
        assert_hone(ctx, hone_compile_pending(ctx, &n_left), HONE_OK);
    assert_hone(ctx, launch(ctx, 65), HONE_OK);
    assert_int_equal(last_block(), 64);
    hone_close(ctx);
}

#define TEST(test)                                                             \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(compiled_later),
        TEST(compiled_later_if_nothing_else_runs),
        TEST(never_compiled),
        TEST(pending_that_fails),
        TEST(every_allocation_later),
        TEST(compiled_while_others_launch),
        TEST(evicted_ones_are_renewed),
    };
    static float alpha;
    static hone_cu_ptr x = 4096, y = 8192;

    axpy_args[0] = &alpha;
    axpy_args[1] = &x;
    axpy_args[2] = &y;
    (void)snprintf(other_plan, sizeof other_plan, "%s", axpy_plan);
    memcpy(strstr(other_plan, "block BLOCK"), "block 64   ", 11);
    (void)snprintf(other_code, sizeof other_code, "%s\n@spare 16\n",
                   axpy_cubin);
    return cmocka_run_group_tests_name("compile", tests, NULL, NULL);
}
