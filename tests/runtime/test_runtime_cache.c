/* SPDX-License-Identifier: Apache-2.0 */
/* Which plans hone_launch() keeps, and that none goes while a thread is in
 * it (run it under the asan and tsan presets). */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/base/alloc.h"
#include "runtime/plan.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static float alpha = 2.0f;
static uint64_t x_device = 0x1000;
static uint64_t y_device = 0x2000;
static void *axpy_args[] = {&alpha, &x_device, &y_device};
static void *gemm_args[] = {&x_device, &x_device, &y_device};

static hone_ctx *open_axpy(void **state)
{
    const tuned_row axpy = {.launch_plan = axpy_plan, .cubin = axpy_cubin};
    const tuned_row gemm = {.op = "gemm",
                            .types = "4",
                            .launch_plan = gemm_plan,
                            .cubin = gemm_cubin};

    runtime_put_default(*state, &axpy);
    runtime_put_default(*state, &gemm);
    return runtime_open(*state);
}

static void launch(hone_ctx *ctx, int64_t n)
{
    const long at = fake_n_launches();

    assert_hone(
        ctx,
        hone_launch(ctx, "axpy", &n, 1, axpy_args, HONE_COUNT(axpy_args), NULL),
        HONE_OK);
    assert_int_equal(fake_launch_at(at)->params[3], n);
}

static hone_plan *find(const hone_ctx *ctx, const char *op, const int64_t *dims,
                       size_t n_dims)
{
    hone_plan_key key = {0, op, dims, n_dims};

    key.context_id = ctx->contexts->context_id;
    return hone__plan_cache_find(ctx, &key);
}

static int has(const hone_ctx *ctx, int64_t n)
{
    return find(ctx, "axpy", &n, 1) != NULL;
}

static void no_more_than_the_limit(void **state)
{
    hone_ctx *ctx = open_axpy(state);

    assert_int_equal(ctx->cache.most_plans, 4096);
    assert_hone(ctx, hone_plan_limit(ctx, 100), HONE_OK);
    for (int64_t n = 1; n <= 1000; ++n) {
        launch(ctx, n);
        assert_true(has(ctx, n));
        assert_int_equal(ctx->cache.n_plans, n < 100 ? n : 100);
        assert_in_range(ctx->cache.n_retired, 0, 40);
    }
    assert_int_equal(fake_n_loads(), 1); /* the kernel stays loaded */
    assert_hone(ctx, hone_plan_limit(ctx, 3), HONE_OK);
    assert_int_equal(ctx->cache.n_plans, 3);
    launch(ctx, 5);
    assert_int_equal(ctx->cache.n_plans, 3);
    assert_hone(ctx, hone_plan_limit(ctx, 1), HONE_OK);
    launch(ctx, 6);
    assert_true(has(ctx, 6));
    launch(ctx, 6);
    assert_int_equal(ctx->cache.n_plans, 1);
    assert_int_equal(hone_plan_limit(ctx, 0), HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "n_plans is 0");
    assert_int_equal(hone_plan_limit(NULL, 5), HONE_ERR_ARGUMENT);
    hone_close(ctx);
}

/* Second chance: what is launched again and again outlives what is launched
 * once, however many those are. */
static void what_is_used_stays(void **state)
{
    hone_ctx *ctx = open_axpy(state);
    hone_plan *kept[8];

    assert_hone(ctx, hone_plan_limit(ctx, 32), HONE_OK);
    for (int64_t i = 0; i < 2000; ++i) {
        for (int64_t k = 0; k < 8; ++k) {
            launch(ctx, 1 + k);
            if (i == 0)
                kept[k] = find(ctx, "axpy", &(int64_t){1 + k}, 1);
            assert_ptr_equal(kept[k], find(ctx, "axpy", &(int64_t){1 + k}, 1));
        }
        launch(ctx, 100 + i);
    }
    assert_false(has(ctx, 100));
    hone_close(ctx);
}

/* With the defaults or without them: one plan, found by both, and no trace of
 * it when it goes. */
static void one_plan_by_all_its_dims(void **state)
{
    const int64_t dims[] = {64, 64, 256, HONE_TYPE_F32};
    hone_ctx *ctx = open_axpy(state);

    for (size_t n = 3; n <= 4; ++n)
        assert_hone(ctx,
                    hone_launch(ctx, "gemm", dims, n, gemm_args,
                                HONE_COUNT(gemm_args), NULL),
                    HONE_OK);
    assert_int_equal(ctx->cache.n_plans, 1);
    assert_int_equal(ctx->cache.table.n, 2);
    assert_non_null(find(ctx, "gemm", dims, 3));
    assert_ptr_equal(find(ctx, "gemm", dims, 3), find(ctx, "gemm", dims, 4));
    assert_null(find(ctx, "gemm", dims, 2));
    assert_hone(ctx, hone_plan_limit(ctx, 1), HONE_OK);
    launch(ctx, 5);
    assert_null(find(ctx, "gemm", dims, 3));
    assert_null(find(ctx, "gemm", dims, 4));
    assert_int_equal(ctx->cache.table.n, 1);
    /* The other way round. */
    for (size_t n = 4; n >= 3; --n)
        assert_hone(ctx,
                    hone_launch(ctx, "gemm", dims, n, gemm_args,
                                HONE_COUNT(gemm_args), NULL),
                    HONE_OK);
    assert_int_equal(ctx->cache.n_plans, 1);
    hone_close(ctx);
}

static void from_the_environment(void **state)
{
    runtime_fixture *fixture = *state;
    static const char *const wrong[] = {"0",  "-1", "12x",
                                        " 7", "x",  "99999999999999999999999"};
    hone_ctx *ctx = NULL;

    (void)setenv("HONE_PLAN_LIMIT", "12", 1);
    assert_int_equal(hone_open(fixture->path, &ctx), HONE_OK);
    assert_int_equal(ctx->cache.most_plans, 12);
    hone_close(ctx);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        (void)setenv("HONE_PLAN_LIMIT", wrong[i], 1);
        assert_int_equal(hone_open(fixture->path, &ctx), HONE_ERR_ARGUMENT);
        assert_contains(hone_error_text(ctx), "HONE_PLAN_LIMIT: '");
        hone_close(ctx);
    }
    (void)setenv("HONE_PLAN_LIMIT", "", 1);
    assert_int_equal(hone_open(fixture->path, &ctx), HONE_OK);
    assert_int_equal(ctx->cache.most_plans, 4096);
    hone_close(ctx);
    (void)unsetenv("HONE_PLAN_LIMIT");
}

/* A batch size that varies: memory of host and device stays what it is. */
static void flat_over_many_shapes(void **state)
{
    enum { N = 20000 };
    hone_ctx *ctx = open_axpy(state);
    size_t before = 0;

    assert_hone(ctx, hone_plan_limit(ctx, 64), HONE_OK);
    for (int64_t i = 0; i < N; ++i) {
        const int64_t dims[] = {1 + i * 7919 % N, 64, 128};
        struct mallinfo2 now;

        launch(ctx, 1 + i);
        assert_hone(ctx,
                    hone_launch(ctx, "gemm", dims, 3, gemm_args,
                                HONE_COUNT(gemm_args), NULL),
                    HONE_OK);
        now = mallinfo2();
        if (i == N / 4)
            before = now.uordblks + now.hblkhd;
        else if (i > N / 4)
            assert_in_range(now.uordblks + now.hblkhd, 0, before + (64 << 10));
    }
    assert_int_equal(fake_n_modules(), 2);
    assert_in_range(fake_n_allocations(), 32, 64 + 60);
    hone_close(ctx);
}

/* ---- threads ------------------------------------------------------------- */

enum { N_THREADS = 8, N_SHAPES = 40, N_ROUNDS = 3000 };

typedef struct worker {
    hone_ctx *ctx;
    hone_cu_context context;
    int64_t number;
    int n_bad;
} worker;

static void *launch_often(void *user)
{
    worker *w = user;

    (void)cuCtxSetCurrent(w->context);
    for (int64_t i = 0; i < N_ROUNDS; ++i) {
        /* Each shape twice: through the table, and as the last one. */
        const int64_t n = 16 * (1 + (i / 2 * 7 + w->number * 5) % N_SHAPES);
        const int64_t gemm[] = {16, n, 128, HONE_TYPE_F32};

        w->n_bad += hone_launch(w->ctx, "axpy", &n, 1, axpy_args,
                                HONE_COUNT(axpy_args), NULL) != 0;
        if (i % 8 == 0)
            w->n_bad += hone_launch(w->ctx, "gemm", gemm, 3 + (size_t)i / 8 % 2,
                                    gemm_args, HONE_COUNT(gemm_args),
                                    (hone_stream)(0x40 * (w->number + 1))) != 0;
        if (i % 100 == 99)
            w->n_bad += hone_plan_limit(w->ctx, 1 + (size_t)i % 17) != 0;
        if (i % 500 == 499)
            w->n_bad += hone_stream_release(
                            w->ctx, (hone_stream)(0x40 * (w->number + 1))) != 0;
    }
    return NULL;
}

static void launch_together(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = open_axpy(state);
    pthread_t threads[N_THREADS];
    worker workers[N_THREADS];

    fake_record(0);
    assert_hone(ctx, hone_plan_limit(ctx, 8), HONE_OK);
    for (int i = 0; i < N_THREADS; ++i) {
        workers[i] = (worker){ctx, fixture->context, i, 0};
        assert_int_equal(
            pthread_create(&threads[i], NULL, launch_often, &workers[i]), 0);
    }
    for (int i = 0; i < N_THREADS; ++i) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].n_bad, 0);
    }
    /* Nobody is in a plan any more: all of them can go. */
    assert_hone(ctx, hone_plan_limit(ctx, 1), HONE_OK);
    for (int64_t n = 1; n <= 100; ++n)
        assert_hone(ctx,
                    hone_launch(ctx, "axpy", &n, 1, axpy_args,
                                HONE_COUNT(axpy_args), NULL),
                    HONE_OK);
    assert_in_range(ctx->cache.n_retired, 0, 40);
    hone_close(ctx);
}

static void evicted_among_threads(void **state)
{
    launch_together(state);
}

/* As on a kernel without membarrier(). */
static void evicted_among_threads_with_fences(void **state)
{
    const int before = atomic_load(&hone__hazard_fences);

    hone__hazard_start();
    atomic_store(&hone__hazard_fences, 1);
    launch_together(state);
    atomic_store(&hone__hazard_fences, before);
}

/* What the thread launched last is evicted, and freed if nothing kept it:
 * launching it again must not touch it (asan). */
static void the_memo_keeps_its_plan(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = open_axpy(state);
    worker other = {ctx, fixture->context, 3, 0};
    pthread_t thread;

    assert_hone(ctx, hone_plan_limit(ctx, 2), HONE_OK);
    for (int64_t i = 0; i < 5; ++i) {
        launch(ctx, 7);
        assert_int_equal(pthread_create(&thread, NULL, launch_often, &other),
                         0);
        (void)pthread_join(thread, NULL);
        assert_int_equal(other.n_bad, 0);
        launch(ctx, 7);
    }
    hone_close(ctx);
}

static void *launch_once(void *user)
{
    worker *w = user;
    const int64_t n = 1 + w->number;

    (void)cuCtxSetCurrent(w->context);
    w->n_bad += hone_launch(w->ctx, "axpy", &n, 1, axpy_args,
                            HONE_COUNT(axpy_args), NULL) != 0;
    return NULL;
}

/* Threads come and go: what they leave behind is used by the next. */
static void any_number_of_threads(void **state)
{
    enum { N = 2000 };
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = open_axpy(state);
    size_t before = 0;

    assert_hone(ctx, hone_plan_limit(ctx, 2), HONE_OK);
    for (int64_t i = 0; i < N; ++i) {
        worker w = {ctx, fixture->context, i % 5, 0};
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, launch_once, &w), 0);
        (void)pthread_join(thread, NULL);
        assert_int_equal(w.n_bad, 0);
        if (i == N / 2)
            before = mallinfo2().uordblks;
    }
    assert_in_range(ctx->cache.n_retired, 0, 40);
    assert_in_range(mallinfo2().uordblks, 0, before + (64 << 10));
    hone_close(ctx);
}

static void memory_may_run_out(void **state)
{
    const int64_t dims[] = {64, 64, 256};
    hone_status status = HONE_ERR_NO_MEMORY;

    for (long n = 0; status != HONE_OK; ++n) {
        hone_ctx *ctx = open_axpy(state);

        assert_in_range(n, 0, 500);
        hone__alloc_fail_after(n);
        status = hone_launch(ctx, "gemm", dims, 3, gemm_args,
                             HONE_COUNT(gemm_args), NULL);
        hone__alloc_fail_after(-1);
        assert_true(status == HONE_OK || status == HONE_ERR_NO_MEMORY);
        assert_hone(ctx,
                    hone_launch(ctx, "gemm", dims, 3, gemm_args,
                                HONE_COUNT(gemm_args), NULL),
                    HONE_OK);
        assert_int_equal(ctx->cache.n_plans, 1);
        hone_close(ctx);
    }
}

/* Rows of one operation that do not agree about the default of a dim, as after
 * a change of its contract: the plan that answers is not one of the short key.
 */
static void rows_with_other_defaults(void **state)
{
#define TWO(dim)                                                               \
    "hone-launch 1\nop two\ndim n int\ndim m int " dim "\nparam BLOCK 256\n"   \
    "arg x inout 4 n*m\nlaunch two\ngrid ceildiv(n,BLOCK)\nblock BLOCK\n"      \
    "pass x\n"
    static const int64_t dims[][2] = {{100, 5}, {200, 7}};
    const tuned_row rows[] = {{.op = "two",
                               .dims = dims[0],
                               .n_dims = 2,
                               .launch_plan = TWO("7\nparam V 1"),
                               .config = "BLOCK=256,V=1",
                               .cubin = "two 0 8\nother 0 8"},
                              {.op = "two",
                               .dims = dims[1],
                               .n_dims = 2,
                               .launch_plan = TWO("5"),
                               .config = "BLOCK=256",
                               .cubin = "two 0 8"}};
    uint64_t x = 0x1000;
    void *args[] = {&x};
    hone_ctx *ctx;

    for (size_t i = 0; i < HONE_COUNT(rows); ++i)
        runtime_put(*state, &rows[i]);
    ctx = runtime_open(*state);
    for (int i = 0; i < 40; ++i)
        assert_hone(ctx, hone_launch(ctx, "two", dims[1], 1, args, 1, NULL),
                    HONE_OK);
    assert_int_equal(ctx->cache.n_plans, 1);
    hone_close(ctx); /* no entry leads to a plan that is gone */
#undef TWO
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(no_more_than_the_limit),
        WITH_DATABASE(what_is_used_stays),
        WITH_DATABASE(one_plan_by_all_its_dims),
        WITH_DATABASE(from_the_environment),
        WITH_DATABASE(flat_over_many_shapes),
        WITH_DATABASE(evicted_among_threads),
        WITH_DATABASE(evicted_among_threads_with_fences),
        WITH_DATABASE(the_memo_keeps_its_plan),
        WITH_DATABASE(any_number_of_threads),
        WITH_DATABASE(memory_may_run_out),
        WITH_DATABASE(rows_with_other_defaults),
    };

    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
