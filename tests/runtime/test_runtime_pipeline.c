/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in host memory: what comes of them in chunks, on the cpu device; the
 * order in which a GPU is asked for it; memory, captures, threads; and every
 * driver call and allocation failing once. */
#include "tests/runtime/host_fixture.h"

#include "runtime/base/alloc.h"
#include "runtime/plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* y = alpha*x + y, of which the kernel checks n against its bytes. */
static const char plan[] = "hone-launch 7\n"
                           "op axpy\n"
                           "dim n int\ndim CHUNK int 4\ndim STREAMS int 2\n"
                           "dim STAGED int 1\n" /* 1: it is not */
                           "arg alpha scalar 4\n"
                           "arg x in 4 n\nhost x STAGED - 1\n"
                           "arg y inout 4 n\nhost y STAGED - 1\n"
                           "arg w in 4 3\nhost w 0\n"
                           "arg d in 4 n\n"
                           "pipeline n CHUNK ; STREAMS ; STAGED - 1\n"
                           "launch axpy_more\ngrid (n + 31)/32\nblock 32\n"
                           "pass alpha\npass x\npass y\nvalue i32 n\n"
                           "value i64 4*n\npass w\npass d\n";
static const char cubin[] = "axpy_more 0 4,8,8,4,8,8,8";

enum { MOST = 300, CALLER = 0x40 };

static float alpha = 2;
static float x[MOST], y[MOST], w[3], d[MOST];
static float *x_host = x, *y_host = y, *w_host = w, *d_device = d;
static void *args[] = {&alpha, &x_host, &y_host, &w_host, &d_device};

static const hone_stream caller = (hone_stream)CALLER;

static void fill_arrays(void)
{
    for (int i = 0; i < MOST; ++i) {
        x[i] = (float)i;
        y[i] = (float)(1000 * i);
    }
}

/* Of one test. */
static hone_ctx *open_with(void **state, int on_cpu)
{
    const tuned_row row = {.op = "axpy", .launch_plan = plan, .cubin = cubin};
    hone_ctx *ctx;

    if (on_cpu) {
        const tuned_row of_host =
            host_row((tuned_row){.op = "axpy", .launch_plan = plan});

        runtime_put_default(*state, &of_host);
    } else {
        runtime_put_default(*state, &row);
    }
    ctx = runtime_open(*state);
    if (on_cpu)
        assert_hone(ctx, hone_device_select(ctx, "cpu"), HONE_OK);
    return ctx;
}

/* ---- results ------------------------------------------------------------- */

static void results_in_chunks(void **state)
{
    static const int64_t sizes[] = {1, 4, 5, 64, MOST};
    static const int64_t chunks[] = {1, 3, 64, MOST, 1000};
    static const int64_t streams[] = {1, 2, 3, 16};
    hone_ctx *ctx = open_with(state, 1);

    for (int i = 0; i < 5 * 5 * 4 * 2; ++i) {
        const int64_t dims[] = {sizes[i % 5], chunks[i / 5 % 5],
                                streams[i / 25 % 4], 1 + i / 100};

        fill_arrays();
        assert_hone(
            ctx,
            hone_launch(ctx, "axpy", dims, 4, args, HONE_COUNT(args), NULL),
            HONE_OK);
        for (int k = 0; k < MOST; ++k)
            assert_true(y[k] ==
                        (float)(1000 * k) + (k < dims[0] ? 2 * x[k] : 0));
    }
    hone_close(ctx);
}

/* ---- order --------------------------------------------------------------- */

typedef struct seen {
    long at;
    long end;
} seen;

static const fake_step *next(seen *s, int kind)
{
    const fake_step *step;

    assert_true(s->at < s->end);
    step = fake_step_at(s->at++);
    assert_int_equal(step->kind, kind);
    return step;
}

/* What a run asked the driver for, step by step. */
static void follow(const hone_lane *lane, int64_t n, int64_t chunk,
                   int64_t n_slots, int is_staged, long first_launch)
{
    const int64_t n_chunks = (n + chunk - 1) / chunk;
    seen s = {0, fake_n_steps()};
    const fake_step *step = next(&s, FAKE_COPY_IN);

    assert_ptr_equal(step->stream, caller); /* w, which is not cut */
    assert_int_equal(step->size_bytes, sizeof w);
    step = next(&s, FAKE_RECORD);
    assert_ptr_equal(step->stream, caller);
    assert_ptr_equal(step->event, lane->begins);
    for (int64_t i = 0; i < n_slots; ++i) {
        step = next(&s, FAKE_WAIT);
        assert_ptr_equal(step->stream, lane->streams[i]);
        assert_ptr_equal(step->event, lane->begins);
    }
    for (int64_t c = 0; c < n_chunks; ++c) {
        const int64_t rows = n - c * chunk < chunk ? n - c * chunk : chunk;
        const hone_stream stream = lane->streams[c % n_slots];
        const fake_launch *launch = fake_launch_at(first_launch + (long)c);

        if (is_staged && c >= n_slots)
            assert_ptr_equal(next(&s, FAKE_HOST_WAIT)->event,
                             lane->ended[c % n_slots]);
        for (int k = 0; k < 4; ++k) {
            static const int kinds[] = {FAKE_COPY_IN, FAKE_COPY_IN, FAKE_LAUNCH,
                                        FAKE_COPY_OUT};

            step = next(&s, kinds[k]);
            assert_ptr_equal(step->stream, stream);
            if (k == 2)
                continue;
            assert_int_equal(step->size_bytes, 4 * rows);
            if (k < 2) /* what the kernel gets was just copied there */
                assert_true(launch->params[1 + k] == step->to);
            else if (!is_staged)
                assert_true(step->to == (uintptr_t)(y + c * chunk));
        }
        assert_int_equal(launch->params[3], rows);
        assert_true(launch->params[6] == (uintptr_t)(d + c * chunk));
        step = next(&s, FAKE_RECORD);
        assert_ptr_equal(step->stream, stream);
        assert_ptr_equal(step->event, lane->ended[c % n_slots]);
    }
    for (int64_t c = 0; is_staged && c < n_slots; ++c)
        assert_ptr_equal(next(&s, FAKE_HOST_WAIT)->event,
                         lane->ended[(n_chunks - n_slots + c) % n_slots]);
    for (int64_t i = 0; i < n_slots; ++i) {
        step = next(&s, FAKE_WAIT);
        assert_ptr_equal(step->stream, caller);
        assert_ptr_equal(step->event, lane->ended[i]);
    }
    assert_int_equal(s.at, s.end);
}

static const hone_lane *lane_of(hone_plan *made)
{
    const hone_memory *memory =
        hone__memory_find(hone__plan_more(made)->context, caller);

    assert_non_null(memory);
    return &memory->lane;
}

static void order_of_the_steps(void **state)
{
    static const struct {
        int64_t n, chunk, streams;
    } rows[] = {{17, 4, 2}, {16, 4, 3}, {9, 8, 2}, {5, 1, 5}, {12, 6, 2}};
    hone_ctx *ctx = open_with(state, 0);

    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; ++i) {
        const int is_staged = i % 2;
        const int64_t dims[] = {rows[i / 2].n, rows[i / 2].chunk,
                                rows[i / 2].streams, 1 + is_staged};
        hone_plan *made = NULL;

        assert_hone(ctx, hone_plan_create(ctx, "axpy", dims, 4, &made, NULL),
                    HONE_OK);
        assert_hone(ctx, hone_plan_prepare(made, caller), HONE_OK);
        for (int again = 0; again < 2; ++again) {
            fake_reset(); /* nothing is made in a run */
            fill_arrays();
            assert_hone(ctx,
                        hone_plan_run(made, args, HONE_COUNT(args), caller),
                        HONE_OK);
            follow(lane_of(made), dims[0], dims[1], dims[2], is_staged, 0);
            for (int k = 0; k < MOST; ++k) /* kernels do nothing here */
                assert_true(y[k] == (float)(1000 * k));
        }
        hone_plan_destroy(made);
    }
    hone_close(ctx);
    assert_int_equal(fake_n_streams() + fake_n_events() + fake_n_host_blocks(),
                     0);
}

/* One slot: copies, kernel, copies on the caller's stream, and no events. */
static void one_stream_is_the_callers(void **state)
{
    const int64_t dims[] = {9, 4, 1, 1};
    hone_ctx *ctx = open_with(state, 0);

    fake_reset();
    assert_hone(
        ctx, hone_launch(ctx, "axpy", dims, 4, args, HONE_COUNT(args), caller),
        HONE_OK);
    assert_int_equal(fake_n_steps(), 1 + 3 * 4);
    for (long i = 0; i < fake_n_steps(); ++i)
        assert_ptr_equal(fake_step_at(i)->stream, caller);
    assert_int_equal(fake_n_streams() + fake_n_events(), 0);
    hone_close(ctx);
}

/* ---- memory -------------------------------------------------------------- */

/* As much as the largest need, and freed with the stream. */
static void memory_is_bounded(void **state)
{
    hone_ctx *ctx = open_with(state, 0);
    const int64_t large[] = {MOST, 64, 3, 2};

    for (int64_t n = 1; n < MOST; ++n) {
        const int64_t dims[] = {n, 1 + n % 64, 1 + n % 3, 1 + n % 2};

        assert_hone(
            ctx,
            hone_launch(ctx, "axpy", dims, 4, args, HONE_COUNT(args), caller),
            HONE_OK);
    }
    assert_hone(
        ctx, hone_launch(ctx, "axpy", large, 4, args, HONE_COUNT(args), caller),
        HONE_OK);
    assert_int_equal(fake_n_streams(), 3);
    assert_int_equal(fake_n_events(), 4);
    assert_int_equal(fake_n_host_blocks(), 1);
    assert_int_equal(fake_n_host_bytes(), 3 * 2 * 256);
    /* Blocks of at least twice the size, and the older ones. */
    assert_in_range(fake_n_bytes(), 3 * 2 * 256 + 256, 4 * (3 * 2 * 256 + 256));
    assert_hone(ctx, hone_stream_release(ctx, caller), HONE_OK);
    assert_int_equal(fake_n_streams() + fake_n_events() + fake_n_host_blocks() +
                         fake_n_allocations(),
                     0);
    hone_close(ctx);
}

static void refused_runs(void **state)
{
    const int64_t dims[] = {9, 4, 2, 1};
    float *nowhere = NULL;
    void *with_null[] = {&alpha, &nowhere, &y_host, &w_host, &d_device};
    void *without[] = {&alpha, &x_host, &y_host, NULL, &d_device};
    hone_ctx *ctx = open_with(state, 0);
    hone_plan *made = NULL;

    assert_hone(ctx, hone_plan_create(ctx, "axpy", dims, 4, &made, NULL),
                HONE_OK);
    assert_hone(ctx, hone_plan_prepare(made, caller), HONE_OK);
    fake_reset();
    assert_hone(ctx,
                hone_plan_run(made, with_null, HONE_COUNT(with_null), caller),
                HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "args[1] of axpy points to a null");
    assert_hone(ctx, hone_plan_run(made, without, HONE_COUNT(without), caller),
                HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "args[3] of axpy is NULL");
    fake_capture(1);
    assert_hone(ctx, hone_plan_run(made, args, HONE_COUNT(args), caller),
                HONE_ERR_CUDA);
    assert_contains(hone_error_text(ctx), "cannot be captured");
    fake_capture(0);
    assert_int_equal(fake_n_steps(), 0);
    assert_hone(ctx, hone_plan_run(made, args, HONE_COUNT(args), caller),
                HONE_OK);
    hone_plan_destroy(made);
    hone_close(ctx);
}

/* ---- failures ------------------------------------------------------------ */

/* `out_calls`: of the driver, until it is closed. */
static hone_status whole_life(runtime_fixture *fixture, long *out_calls)
{
    const long before = fake_n_calls();
    const int64_t dims[2][4] = {{9, 4, 2, 1}, {30, 5, 3, 2}};
    hone_ctx *ctx = NULL;
    hone_status status = hone_open(fixture->path, &ctx);

    for (int i = 0; status == HONE_OK && i < 2; ++i)
        status = hone_launch(ctx, "axpy", dims[i], 4, args, HONE_COUNT(args),
                             caller);
    *out_calls = fake_n_calls() - before;
    hone_close(ctx);
    assert_int_equal(fake_n_streams() + fake_n_events() + fake_n_host_blocks() +
                         fake_n_allocations(),
                     0);
    return status;
}

static void anything_may_fail(void **state)
{
    hone_status status;
    long n_calls, ignored, n;
    long n_failed = 0;

    hone_close(open_with(state, 0));
    assert_int_equal(whole_life(*state, &n_calls), HONE_OK);
    for (n = 1; n <= n_calls; ++n) {
        fake_fail_call(n, HONE_CU_LAUNCH_FAILED);
        status = whole_life(*state, &ignored);
        fake_fail_call(0, 0);
        n_failed += status != HONE_OK;
    }
    assert_true(n_calls > 80);
    assert_in_range(n_failed, n_calls - 5, n_calls); /* few may be missed */
    status = HONE_ERR_NO_MEMORY;
    for (n = 0; status != HONE_OK; ++n) {
        assert_in_range(n, 0, 2000);
        hone__alloc_fail_after(n);
        status = whole_life(*state, &ignored);
        hone__alloc_fail_after(-1);
    }
}

/* ---- threads ------------------------------------------------------------- */

typedef struct worker {
    hone_ctx *ctx;
    float x[MOST], y[MOST], w[3], d[MOST];
    int n_bad;
} worker;

static void *work(void *user)
{
    worker *me = user;
    float *pointers[] = {me->x, me->y, me->w, me->d};
    void *mine[] = {&alpha, &pointers[0], &pointers[1], &pointers[2],
                    &pointers[3]};

    for (int64_t i = 0; i < 50; ++i) {
        const int64_t dims[] = {MOST, 16, 3, 1 + i % 2};

        for (int k = 0; k < MOST; ++k) {
            me->x[k] = (float)(k + i);
            me->y[k] = 0;
        }
        me->n_bad += hone_launch(me->ctx, "axpy", dims, 4, mine,
                                 HONE_COUNT(mine), NULL) != 0;
        for (int k = 0; k < MOST; ++k)
            me->n_bad += me->y[k] != 2 * me->x[k];
    }
    return NULL;
}

/* Runs on one stream take turns with its places and buffers. */
static void threads_take_turns(void **state)
{
    enum { N = 4 };
    static worker workers[N];
    pthread_t threads[N];
    hone_ctx *ctx = open_with(state, 1);

    for (int i = 0; i < N; ++i) {
        workers[i].ctx = ctx;
        workers[i].n_bad = 0;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]),
                         0);
    }
    for (int i = 0; i < N; ++i) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].n_bad, 0);
    }
    hone_close(ctx);
}

#define WITH_DRIVER(test)                                                      \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)
#define ON_HOST(test)                                                          \
    cmocka_unit_test_setup_teardown(test, host_setup, host_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_HOST(results_in_chunks),
        WITH_DRIVER(order_of_the_steps),
        WITH_DRIVER(one_stream_is_the_callers),
        WITH_DRIVER(memory_is_bounded),
        WITH_DRIVER(refused_runs),
        WITH_DRIVER(anything_may_fail),
        ON_HOST(threads_take_turns),
    };

    return cmocka_run_group_tests_name("pipeline", tests, host_load_objects,
                                       host_free_objects);
}
