/* SPDX-License-Identifier: Apache-2.0 */
/* Constant memory, workspaces that are zeroed for each run, cooperative
 * launches and clusters, on the fake driver (threads: run it under the tsan
 * preset). */
#include "tests/runtime/runtime_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The taps are in constant memory, which holds 32 of them; from 65 on the
 * kernel reads them from the argument. */
static const char fir_plan[] = "hone-launch 2\n"
                               "op fir\n"
                               "dim K int\n"
                               "arg h in 10 K\n"
                               "arg y out 4 K\n"
                               "workspace sums 10 zero-each 4\n"
                               "workspace once 10 zero 4\n"
                               "constant taps 10 h K ; K <= 64\n"
                               "launch fir\n"
                               "grid K\nblock 32\n"
                               "pass h\npass y\npass sums\npass once\n";
static const char fir_cubin[] = "@taps 128\nfir 0 8,8,8,8";

static const char special_plan[] = "hone-launch 8\n"
                                   "op special\n"
                                   "dim n int\n"
                                   "dim c int 1\n"
                                   "launch together\n"
                                   "grid n\nblock 64\n"
                                   "cooperative\n"
                                   "value i64 n\n"
                                   "launch grouped\n"
                                   "if c > 1\n"
                                   "grid 2 ; c*n\nblock 64\nshared 60000\n"
                                   "cluster 1 ; c\n"
                                   "value i64 n\n"
                                   "launch plain\n"
                                   "grid n\nblock 32\n"
                                   "cluster 1\nearly\n";
static const char special_cubin[] = "together 0 8\ngrouped 0 8\nplain 0";

/* The second launch reads what the first one left in the stream's memory. */
static const char parts_plan[] = "hone-launch 2\n"
                                 "op parts\n"
                                 "dim n int\n"
                                 "arg y out 4 n\n"
                                 "workspace partial 10 n\n"
                                 "launch first\n"
                                 "grid n\nblock 32\n"
                                 "pass y\npass partial\n"
                                 "launch second\n"
                                 "grid n\nblock 32\n"
                                 "pass partial\npass y\n";
static const char parts_cubin[] = "first 0 8,8\nsecond 0 8,8";

static uint32_t taps_a[64] = {11};
static uint32_t taps_b[64] = {22};
static uint32_t *h = taps_a;
static uint64_t y_device = 0x2000;
static void *fir_args[] = {&h, &y_device};

static hone_stream stream_of(uintptr_t value)
{
    return (hone_stream)value;
}

static void put_all(runtime_fixture *fixture)
{
    const tuned_row fir = {
        .op = "fir", .launch_plan = fir_plan, .cubin = fir_cubin};
    const tuned_row special = {
        .op = "special", .launch_plan = special_plan, .cubin = special_cubin};

    const tuned_row parts = {
        .op = "parts", .launch_plan = parts_plan, .cubin = parts_cubin};

    runtime_put_default(fixture, &fir);
    runtime_put_default(fixture, &special);
    runtime_put_default(fixture, &parts);
    h = taps_a;
    taps_a[0] = 11;
}

static hone_plan *fir_of(hone_ctx *ctx, int64_t n_taps)
{
    hone_plan *plan = NULL;

    assert_hone(ctx, hone_plan_create(ctx, "fir", &n_taps, 1, &plan, NULL),
                HONE_OK);
    return plan;
}

/* Run; the first tap that the kernel saw. */
static uint32_t run_fir(hone_ctx *ctx, hone_plan *plan, uint32_t *taps,
                        uintptr_t stream)
{
    const long at = fake_n_launches();

    h = taps;
    assert_hone(
        ctx,
        hone_plan_run(plan, fir_args, HONE_COUNT(fir_args), stream_of(stream)),
        HONE_OK);
    assert_int_equal(fake_n_launches(), at + 1);
    return fake_launch_at(at)->constant;
}

static void copied_only_when_changed(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    hone_plan *plan;

    put_all(*state);
    plan = fir_of(ctx, 8);
    assert_int_equal(run_fir(ctx, plan, taps_a, 0), 11);
    assert_int_equal(fake_n_copies(), 1);
    taps_a[0] = 12; /* and nobody says so: the contract of hone.h */
    assert_int_equal(run_fir(ctx, plan, taps_a, 0), 11);
    assert_int_equal(fake_n_copies(), 1);
    assert_hone(ctx, hone_plan_refresh(plan), HONE_OK);
    assert_int_equal(run_fir(ctx, plan, taps_a, 0), 12);
    assert_int_equal(run_fir(ctx, plan, taps_a, 0), 12);
    assert_int_equal(fake_n_copies(), 2);
    assert_int_equal(run_fir(ctx, plan, taps_b, 0), 22);
    assert_int_equal(run_fir(ctx, plan, taps_a, 0), 12);
    assert_int_equal(fake_n_copies(), 4);
    taps_a[0] = 13;
    assert_hone(ctx, hone_refresh(ctx), HONE_OK);
    assert_int_equal(run_fir(ctx, plan, taps_a, 0), 13);
    assert_int_equal(fake_n_copies(), 5);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* Whatever another plan left in the same memory, which may have lain where this
 * one lies, and whose array was the same. */
static void new_plans_copy_anew(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    hone_plan *plans[6]; /* more than there are banks */

    put_all(*state);
    for (uint32_t i = 0; i < 3; ++i) {
        hone_plan *plan = fir_of(ctx, 8);

        taps_a[0] = 30 + i;
        assert_int_equal(run_fir(ctx, plan, taps_a, 0), 30 + i);
        hone_plan_destroy(plan);
    }
    for (uint32_t i = 0; i < HONE_COUNT(plans); ++i) {
        taps_a[0] = 40 + i;
        plans[i] = fir_of(ctx, 8);
        assert_int_equal(run_fir(ctx, plans[i], taps_a, 0), 40 + i);
    }
    for (size_t i = 0; i < HONE_COUNT(plans); ++i)
        hone_plan_destroy(plans[i]);
    hone_close(ctx);
}

static void streams_do_not_disturb_each_other(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    hone_plan *plans[2];

    put_all(*state);
    plans[0] = fir_of(ctx, 8);
    plans[1] = fir_of(ctx, 8);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(run_fir(ctx, plans[0], taps_a, 0x40), 11);
        assert_int_equal(run_fir(ctx, plans[0], taps_b, 0x80), 22);
        assert_int_equal(run_fir(ctx, plans[1], taps_b, 0x40), 22);
    }
    assert_int_equal(fake_n_copies(), 3);
    assert_int_equal(fake_n_modules(), 4); /* one that was looked at */
    hone_plan_destroy(plans[0]);
    hone_plan_destroy(plans[1]);
    assert_hone(ctx, hone_stream_release(ctx, stream_of(0x40)), HONE_OK);
    assert_int_equal(fake_n_modules(), 2);
    hone_close(ctx);
    assert_int_equal(fake_n_modules(), 0);
}

static void captured_copies_are_part_of_the_graph(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    hone_plan *plan;

    put_all(*state);
    plan = fir_of(ctx, 8);
    assert_hone(ctx, hone_plan_prepare(plan, stream_of(0x40)), HONE_OK);
    assert_int_equal(run_fir(ctx, plan, taps_a, 0x40), 11);
    fake_capture(1);
    /* Though nothing changed since: the graph may run after others did. */
    assert_int_equal(run_fir(ctx, plan, taps_a, 0x40), 11);
    assert_int_equal(run_fir(ctx, plan, taps_a, 0x40), 11);
    assert_int_equal(fake_n_copies(), 2); /* one is enough in one graph */
    assert_int_equal(run_fir(ctx, plan, taps_b, 0x40), 22);
    assert_int_equal(fake_n_copies(), 3);
    fake_capture(2); /* another graph */
    assert_int_equal(run_fir(ctx, plan, taps_b, 0x40), 22);
    assert_int_equal(fake_n_copies(), 4);
    fake_capture(0);
    /* The graphs may have run meanwhile. */
    assert_int_equal(run_fir(ctx, plan, taps_b, 0x40), 22);
    assert_int_equal(run_fir(ctx, plan, taps_b, 0x40), 22);
    assert_int_equal(fake_n_copies(), 6);
    assert_int_equal(run_fir(ctx, plan, taps_a, 0x80), 11);
    assert_int_equal(run_fir(ctx, plan, taps_a, 0x80), 11);
    assert_int_equal(fake_n_copies(), 7); /* of another stream: as ever */
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void zeroed_for_each_run(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    uint32_t *sums;
    uint32_t *once;
    hone_plan *plan;

    put_all(*state);
    plan = fir_of(ctx, 65); /* no constants, but a special plan all the same */
    (void)run_fir(ctx, plan, taps_a, 0);
    assert_int_equal(fake_n_copies(), 0);
    assert_int_equal(fake_n_modules(), 1);
    sums = (uint32_t *)(uintptr_t)fake_launch_at(0)->params[2];
    once = (uint32_t *)(uintptr_t)fake_launch_at(0)->params[3];
    for (size_t i = 0; i < 4; ++i) {
        assert_int_equal(sums[i], 0);
        assert_int_equal(once[i], 0);
        sums[i] = once[i] = 7;
    }
    assert_int_equal(fake_n_fills(), 2);
    (void)run_fir(ctx, plan, taps_a, 0);
    assert_int_equal(fake_n_fills(), 3);
    for (size_t i = 0; i < 4; ++i) {
        assert_int_equal(sums[i], 0);
        assert_int_equal(once[i], 7);
    }
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void cached_plans_are_refreshed(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    const int64_t n_taps = 8;

    put_all(*state);
    for (uint32_t i = 0; i < 3; ++i) {
        taps_a[0] = 11 + i;
        assert_hone(ctx, hone_refresh(ctx), HONE_OK);
        assert_hone(ctx,
                    hone_launch(ctx, "fir", &n_taps, 1, fir_args,
                                HONE_COUNT(fir_args), NULL),
                    HONE_OK);
        assert_int_equal(fake_launch_at(i)->constant, 11 + i);
    }
    hone_close(ctx);
}

static void refuse(runtime_fixture *fixture, const char *cubin, int64_t n_taps,
                   const char *part)
{
    const tuned_row row = {.op = "fir",
                           .dims = &n_taps,
                           .n_dims = 1,
                           .launch_plan = fir_plan,
                           .cubin = cubin};
    hone_ctx *ctx = runtime_open(fixture);
    hone_plan *plan = NULL;

    runtime_put(fixture, &row);
    assert_int_equal(hone_plan_create(ctx, "fir", &n_taps, 1, &plan, NULL),
                     HONE_ERR_INPUT);
    assert_null(plan);
    assert_contains(hone_error_text(ctx), part);
    hone_close(ctx);
}

static void constants_that_do_not_fit(void **state)
{
    void *without[] = {NULL, &y_device};
    void *null = NULL;
    void *with_null[] = {&null, &y_device};
    hone_ctx *ctx;
    hone_plan *plan;

    refuse(*state, fir_cubin, 33,
           "the constant 'taps' of fir holds 128 bytes, and 132 are");
    refuse(*state, "@tips 128\nfir 0 8,8,8,8", 8, "has no constant 'taps'");
    put_all(*state);
    ctx = runtime_open(*state);
    plan = fir_of(ctx, 32);
    assert_hone(ctx, hone_plan_run(plan, without, HONE_COUNT(without), NULL),
                HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "args[0] of fir is NULL");
    assert_hone(ctx,
                hone_plan_run(plan, with_null, HONE_COUNT(with_null), NULL),
                HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx),
                    "args[0] of fir points to a null pointer");
    assert_int_equal(hone_plan_refresh(NULL), HONE_ERR_ARGUMENT);
    assert_int_equal(hone_refresh(NULL), HONE_ERR_ARGUMENT);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* ---- launches -----------------------------------------------------------
 */

static hone_status make_special(hone_ctx *ctx, int64_t n, int64_t c,
                                hone_plan **out)
{
    const int64_t dims[] = {n, c};

    return hone_plan_create(ctx, "special", dims, 2, out, NULL);
}

static void attributes_of_launches(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    hone_plan *plan = NULL;

    put_all(*state);
    assert_hone(ctx, make_special(ctx, 10, 4, &plan), HONE_OK);
    assert_hone(ctx, hone_plan_run(plan, NULL, 0, stream_of(0x50)), HONE_OK);
    assert_int_equal(fake_n_launches(), 3);
    assert_true(fake_launch_at(0)->cooperative);
    assert_int_equal(fake_launch_at(0)->cluster[0], 0);
    assert_int_equal(fake_launch_at(0)->grid[0], 10);
    assert_int_equal(fake_launch_at(0)->params[0], 10);
    assert_ptr_equal(fake_launch_at(0)->stream, stream_of(0x50));
    assert_false(fake_launch_at(1)->cooperative);
    assert_int_equal(fake_launch_at(1)->cluster[0], 1);
    assert_int_equal(fake_launch_at(1)->cluster[1], 4);
    assert_int_equal(fake_launch_at(1)->cluster[2], 1);
    assert_int_equal(fake_launch_at(1)->grid[1], 40);
    assert_int_equal(fake_launch_at(1)->shared_bytes, 60000);
    assert_int_equal(fake_launch_at(2)->cluster[0], 0);
    assert_false(fake_launch_at(1)->early);
    assert_true(fake_launch_at(2)->early);
    assert_false(fake_allows_large_clusters());
    hone_plan_destroy(plan);
    assert_hone(ctx, make_special(ctx, 10, 16, &plan), HONE_OK);
    assert_true(fake_allows_large_clusters());
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void launches_that_the_device_cannot_hold(void **state)
{
    hone_ctx *ctx = runtime_open(*state);
    hone_plan *plan = NULL;

    put_all(*state);
    fake_occupancy(2, 0);
    assert_hone(ctx, make_special(ctx, 264, 1, &plan), HONE_OK);
    hone_plan_destroy(plan);
    assert_int_equal(make_special(ctx, 265, 1, &plan), HONE_ERR_INPUT);
    assert_contains(hone_error_text(ctx),
                    "kernel 'together' is a cooperative launch of 265 "
                    "blocks, but only 264 of them run at the same time");
    assert_int_equal(make_special(ctx, 4, 2, &plan), HONE_ERR_INPUT);
    assert_contains(hone_error_text(ctx), "no cluster of 2 blocks of kernel "
                                          "'grouped' fits this device");
    assert_contains(hone_error_text(ctx), "60000 bytes");
    hone_close(ctx);
}

/* ---- threads and failures -----------------------------------------------
 */

enum { N_RUNNERS = 4, N_RUNS = FAKE_KEPT_LAUNCHES / N_RUNNERS };

typedef struct runner {
    hone_plan *plan;
    pthread_barrier_t *start;
    hone_cu_context context;
    uint32_t taps[8];
    int failed;
} runner;

static void *run_often(void *user)
{
    runner *r = user;
    uint32_t *taps = r->taps;
    void *args[] = {&taps, &y_device};

    r->failed = cuCtxSetCurrent(r->context) != 0;
    (void)pthread_barrier_wait(r->start);
    for (int i = 0; i < N_RUNS; ++i)
        r->failed |= hone_plan_run(r->plan, args, HONE_COUNT(args),
                                   stream_of(0x40)) != HONE_OK;
    return NULL;
}

/* All of them at once. */
static void run_all(runner *runners, void *(*body)(void *))
{
    pthread_t threads[N_RUNNERS];
    pthread_barrier_t start;

    assert_int_equal(pthread_barrier_init(&start, NULL, N_RUNNERS), 0);
    for (int i = 0; i < N_RUNNERS; ++i) {
        runners[i].start = &start;
        assert_int_equal(pthread_create(&threads[i], NULL, body, &runners[i]),
                         0);
    }
    for (int i = 0; i < N_RUNNERS; ++i) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(runners[i].failed, 0);
    }
    (void)pthread_barrier_destroy(&start);
}

/* Different taps on one stream: no launch sees those of another thread. */
static void threads_take_turns_on_a_stream(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    runner runners[N_RUNNERS];
    hone_plan *plan;

    put_all(fixture);
    plan = fir_of(ctx, 8);
    assert_hone(ctx, hone_plan_prepare(plan, stream_of(0x40)), HONE_OK);
    for (uint32_t i = 0; i < N_RUNNERS; ++i)
        runners[i] = (runner){plan, NULL, fixture->context, {100 + i}, 0};
    run_all(runners, run_often);
    for (long i = 0; i < fake_n_launches(); ++i) {
        const fake_launch *l = fake_launch_at(i);

        assert_int_equal(l->constant,
                         *(const uint32_t *)(uintptr_t)l->params[0]);
    }
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void *run_parts_often(void *user)
{
    runner *r = user;
    void *args[] = {&y_device};

    r->failed = cuCtxSetCurrent(r->context) != 0;
    (void)pthread_barrier_wait(r->start);
    for (int i = 0; i < N_RUNS / 2; ++i)
        r->failed |= hone_plan_run(r->plan, args, HONE_COUNT(args),
                                   stream_of(0x40)) != HONE_OK;
    return NULL;
}

/* Plans that share the memory of a stream: no launch comes between the two of a
 * run. */
static void threads_do_not_share_partial_sums(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    runner runners[N_RUNNERS];

    put_all(fixture);
    for (int i = 0; i < N_RUNNERS; ++i) {
        const int64_t n = 100 + i;

        runners[i] = (runner){NULL, NULL, fixture->context, {0}, 0};
        assert_hone(
            ctx, hone_plan_create(ctx, "parts", &n, 1, &runners[i].plan, NULL),
            HONE_OK);
    }
    run_all(runners, run_parts_often);
    assert_int_equal(fake_n_launches(), N_RUNNERS * N_RUNS / 2 * 2);
    for (long i = 0; i < fake_n_launches(); i += 2) {
        assert_string_equal(fake_launch_at(i)->kernel, "first");
        assert_string_equal(fake_launch_at(i + 1)->kernel, "second");
        assert_int_equal(fake_launch_at(i)->grid[0],
                         fake_launch_at(i + 1)->grid[0]);
    }
    for (int i = 0; i < N_RUNNERS; ++i)
        hone_plan_destroy(runners[i].plan);
    hone_close(ctx);
}

static hone_status whole_life(const runtime_fixture *fixture)
{
    const int64_t n_taps = 8;
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;
    hone_plan *other = NULL;
    hone_status status = hone_open(fixture->path, &ctx);

    if (status == HONE_OK)
        status = hone_plan_create(ctx, "fir", &n_taps, 1, &plan, NULL);
    if (status == HONE_OK)
        status = hone_plan_run(plan, fir_args, HONE_COUNT(fir_args), NULL);
    if (status == HONE_OK)
        status = make_special(ctx, 4, 16, &other);
    if (status == HONE_OK)
        status = hone_plan_run(other, NULL, 0, NULL);
    if (status != HONE_OK)
        assert_true(strlen(hone_error_text(ctx)) > 10);
    hone_plan_destroy(plan);
    hone_plan_destroy(other);
    hone_close(ctx);
    return status;
}

static void any_driver_call_may_fail(void **state)
{
    runtime_fixture *fixture = *state;
    int n_failed = 0;
    long n_calls;

    put_all(fixture);
    assert_int_equal(whole_life(fixture), HONE_OK);
    n_calls = fake_n_calls();
    assert_in_range(n_calls, 30, 200);
    for (long n = 1; n <= n_calls; ++n) {
        hone_status status;

        fake_fail_call(n, HONE_CU_LAUNCH_FAILED);
        status = whole_life(fixture);
        fake_fail_call(0, 0);
        n_failed += status != HONE_OK;
        assert_true(status == HONE_OK || status == HONE_ERR_CUDA);
    }
    assert_in_range(n_failed, n_calls * 2 / 3, n_calls);
    fake_lose_all();
}

static void any_allocation_may_fail(void **state)
{
    put_all(*state);
    runtime_short_of_memory(*state, whole_life);
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(copied_only_when_changed),
        WITH_DATABASE(new_plans_copy_anew),
        WITH_DATABASE(streams_do_not_disturb_each_other),
        WITH_DATABASE(captured_copies_are_part_of_the_graph),
        WITH_DATABASE(zeroed_for_each_run),
        WITH_DATABASE(cached_plans_are_refreshed),
        WITH_DATABASE(constants_that_do_not_fit),
        WITH_DATABASE(attributes_of_launches),
        WITH_DATABASE(launches_that_the_device_cannot_hold),
        WITH_DATABASE(threads_take_turns_on_a_stream),
        WITH_DATABASE(threads_do_not_share_partial_sums),
        WITH_DATABASE(any_driver_call_may_fail),
        WITH_DATABASE(any_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("special", tests, NULL, NULL);
}
