/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of streams: one arena for all plans, bounded by the largest need,
 * any number of streams, and what graphs rely on. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/memory.h"

#include <malloc.h>
#include <string.h>

/* Scratch memory by n, and 4*m bytes of zeros. */
static const char work_plan[] = "hone-launch 1\n"
                                "op work\n"
                                "dim n int\n"
                                "dim m int 1\n"
                                "arg x in 4 4\n"
                                "workspace part 9 n\n"
                                "workspace none 9 n-n\n"
                                "workspace zeros 10 zero m\n"
                                "workspace more 9 1\n"
                                "launch work\n"
                                "grid 1\nblock 32\n"
                                "pass part\npass none\npass zeros\npass more\n";
static const char work_cubin[] = "work 0 8,8,8,8";

/* One constant, filled from x. */
static const char taps_plan[] = "hone-launch 2\n"
                                "op taps\n"
                                "dim n int\n"
                                "arg x in 4 4\n"
                                "constant taps 4 x 4\n"
                                "launch taps\n"
                                "grid 1\nblock 32\nvalue i32 n\n";
static const char taps_cubin[] = "@taps 128\ntaps 0 4";

static uint32_t x[4] = {1, 2, 3, 4};
static uint64_t x_device;
static void *args[] = {&x_device};

static hone_ctx *open_work(void **state)
{
    const tuned_row work = {
        .op = "work", .launch_plan = work_plan, .cubin = work_cubin};
    const tuned_row taps = {
        .op = "taps", .launch_plan = taps_plan, .cubin = taps_cubin};

    runtime_put_default(*state, &work);
    runtime_put_default(*state, &taps);
    x_device = (uintptr_t)x;
    return runtime_open(*state);
}

static hone_stream stream_of(uintptr_t number)
{
    return (hone_stream)((number + 1) * 0x40);
}

/* Run; what the kernel got. */
static const fake_launch *run(hone_ctx *ctx, int64_t n, int64_t m,
                              hone_stream stream)
{
    const int64_t dims[] = {n, m};
    const long at = fake_n_launches();

    assert_hone(
        ctx, hone_launch(ctx, "work", dims, 2, args, HONE_COUNT(args), stream),
        HONE_OK);
    return fake_launch_at(at);
}

static void empty_parts_are_null(void **state)
{
    hone_ctx *ctx = open_work(state);
    const fake_launch *got = run(ctx, 1000, 8, NULL);

    assert_true(got->params[0] != 0);
    assert_true(got->params[1] == 0);
    assert_true(got->params[2] != 0);
    assert_true(got->params[3] == got->params[0] + 1024);
    hone_close(ctx);
}

static void scratch_of_a_stream_is_shared(void **state)
{
    hone_ctx *ctx = open_work(state);
    uint64_t first;

    first = run(ctx, 1 << 20, 100, NULL)->params[0];
    for (int64_t i = 1; i < 500; ++i)
        assert_true(run(ctx, (1 << 20) - i, 100, NULL)->params[0] == first);
    assert_int_equal(fake_n_allocations(), 1 + 500);
    assert_int_equal(fake_n_bytes(), (1 << 20) + 256 + 500 * 512);
    assert_true(run(ctx, 100, 1, stream_of(1))->params[0] != first);
    hone_close(ctx);
}

static uint32_t *zeros_of(const fake_launch *launch)
{
    return (uint32_t *)(uintptr_t)launch->params[2];
}

/* TEMPLATE.md: a run finds what the one before it left, which may be the
 * number of the run. Plans do not see each other's. */
static void zeros_belong_to_a_plan_and_a_stream(void **state)
{
    hone_ctx *ctx = open_work(state);

    for (uint32_t round = 0; round < 5; ++round) {
        for (uint32_t s = 0; s < 3; ++s) {
            for (uint32_t n = 0; n < 20; ++n) {
                uint32_t *zeros = zeros_of(run(ctx, 1 + n, 200, stream_of(s)));

                for (int k = 0; k < 200; ++k) {
                    assert_int_equal(zeros[k],
                                     round ? (round << 16) + s * 20 + n : 0);
                    zeros[k] = ((round + 1) << 16) + s * 20 + n;
                }
            }
        }
    }
    hone_close(ctx);
}

/* When a plan goes, another one gets them, zeroed again: few are made. */
static void zeros_of_evicted_plans_are_reused(void **state)
{
    hone_ctx *ctx = open_work(state);

    assert_hone(ctx, hone_plan_limit(ctx, 10), HONE_OK);
    for (int64_t i = 0; i < 3000; ++i) {
        uint32_t *zeros = zeros_of(run(ctx, 1 + i, 100 + i % 28, NULL));

        for (int k = 0; k < 100; ++k)
            assert_int_equal(zeros[k], 0);
        memset(zeros, 7, 100 * sizeof *zeros);
    }
    /* 10 plans, and those that were not given up yet. */
    assert_in_range(fake_n_allocations(), 10, 10 + 40 + 20);
    for (int64_t i = 0; i < 500; ++i) {
        const int64_t dims[] = {10000 + i, 100};
        hone_plan *plan = NULL;

        assert_hone(ctx, hone_plan_create(ctx, "work", dims, 2, &plan, NULL),
                    HONE_OK);
        assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                    HONE_OK);
        hone_plan_destroy(plan);
    }
    assert_in_range(fake_n_allocations(), 10, 10 + 40 + 30);
    hone_close(ctx);
}

/* A graph may use them: nobody else ever does. */
static void zeros_of_captured_plans_stay(void **state)
{
    const int64_t small[] = {8, 100};
    hone_ctx *ctx = open_work(state);
    uint32_t *kept[2];
    hone_plan *plan = NULL;

    assert_hone(ctx, hone_plan_limit(ctx, 1), HONE_OK);
    assert_hone(ctx, hone_plan_create(ctx, "work", small, 2, &plan, NULL),
                HONE_OK);
    assert_hone(ctx, hone_plan_prepare(plan, NULL), HONE_OK);
    (void)run(ctx, 9, 100, NULL);
    fake_capture(1);
    assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                HONE_OK);
    kept[0] = zeros_of(fake_launch_at(1));
    kept[1] = zeros_of(run(ctx, 9, 100, NULL));
    fake_capture(0);
    hone_plan_destroy(plan);
    kept[0][0] = kept[1][0] = 99;
    for (int64_t i = 0; i < 200; ++i) {
        const uint32_t *zeros = zeros_of(run(ctx, 100 + i, 100, NULL));

        assert_int_equal(zeros[0], 0);
        assert_ptr_not_equal(zeros, kept[0]);
        assert_ptr_not_equal(zeros, kept[1]);
    }
    assert_int_equal(kept[0][0] + kept[1][0], 198);
    /* What was given up may not be zeroed inside of a graph. */
    fake_capture(2);
    assert_int_equal(
        hone_launch(ctx, "work", small, 2, args, HONE_COUNT(args), NULL),
        HONE_ERR_CUDA);
    assert_contains(hone_error_text(ctx), "hone_plan_prepare()");
    fake_capture(0);
    assert_hone(ctx, hone_stream_release(ctx, NULL), HONE_OK);
    assert_int_equal(fake_n_allocations(), 0);
    hone_close(ctx);
}

/* By one shape more each time: blocks double, so that they are few, and all
 * together are a small multiple of the largest need. Graphs may point at the
 * older ones: they stay as they are. */
static void growing_is_bounded(void **state)
{
    enum { N = 2000, STEP = 1024 };
    hone_ctx *ctx = open_work(state);
    uint64_t first = 0;

    for (int64_t i = 1; i <= N; ++i) {
        const fake_launch *got = run(ctx, i * STEP, 1, NULL);

        if (i == 1) {
            first = got->params[0];
            memset((void *)(uintptr_t)first, 7, STEP);
        }
        assert_true(fake_n_bytes() - (size_t)i * 512 <=
                    4 * (size_t)(i * STEP + 256));
    }
    assert_in_range(fake_n_allocations(), N + 10, N + 15);
    for (size_t i = 0; i < STEP; ++i)
        assert_int_equal(((unsigned char *)(uintptr_t)first)[i], 7);
    assert_hone(ctx, hone_stream_release(ctx, NULL), HONE_OK);
    assert_int_equal(fake_n_bytes(), 0);
    assert_int_equal(fake_n_allocations(), 0);
    /* And made again. */
    (void)run(ctx, 1000, 1, NULL);
    assert_int_equal(fake_n_allocations(), 2);
    hone_close(ctx);
}

/* Where twice as much is not to be had, as much as is needed. */
static void rather_little_than_nothing(void **state)
{
    const int64_t dims[] = {3 << 20, 1};
    hone_ctx *ctx = open_work(state);

    (void)run(ctx, 1 << 20, 1, NULL);
    fake_memory(((size_t)3 << 20) - 4096);
    (void)run(ctx, 3 << 19, 1, NULL);
    assert_int_equal(
        hone_launch(ctx, "work", dims, 2, args, HONE_COUNT(args), NULL),
        HONE_ERR_NO_MEMORY);
    assert_contains(hone_error_text(ctx),
                    "allocating a workspace of 3145984 bytes");
    (void)run(ctx, 1 << 20, 1, NULL);
    hone_close(ctx);
}

static size_t host_bytes(void)
{
    const struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* Streams come and go: as often as they like, a few at a time. */
static void any_number_of_streams(void **state)
{
    enum { N = 5000, TOGETHER = 50 };
    const int64_t n = 8;
    hone_ctx *ctx = open_work(state);
    uint64_t parts[TOGETHER];
    size_t before = 0;

    fake_record(1);
    for (uintptr_t i = 0; i < N; ++i) {
        parts[i % TOGETHER] = run(ctx, 1000, 1, stream_of(i))->params[0];
        assert_hone(ctx,
                    hone_launch(ctx, "taps", &n, 1, args, HONE_COUNT(args),
                                stream_of(i)),
                    HONE_OK);
        for (uintptr_t k = 0; k < i && k < TOGETHER; ++k)
            assert_true(k == i % TOGETHER || parts[k] != parts[i % TOGETHER]);
        /* Found again, whoever went meanwhile. */
        if (i >= 7)
            assert_true(run(ctx, 1000, 1, stream_of(i - 7))->params[0] ==
                        parts[(i - 7) % TOGETHER]);
        if (i >= TOGETHER - 1)
            assert_hone(ctx,
                        hone_stream_release(ctx, stream_of(i - (TOGETHER - 1))),
                        HONE_OK);
        if (i >= TOGETHER - 1)
            assert_int_equal(fake_n_allocations(), 2 * (TOGETHER - 1));
        if (i == N / 2)
            before = host_bytes();
    }
    assert_int_equal(fake_n_modules(), 2 + TOGETHER - 1);
    assert_true(host_bytes() <= before + 4096);
    assert_hone(ctx, hone_stream_release(ctx, stream_of(N + 7)), HONE_OK);
    assert_int_equal(hone_stream_release(NULL, NULL), HONE_ERR_ARGUMENT);
    (void)cuCtxSetCurrent(NULL);
    assert_int_equal(hone_stream_release(ctx, NULL), HONE_ERR_NO_GPU);
    hone_close(ctx);
}

/* Constants of more plans than a code has banks on a stream. */
static void banks_of_a_code_are_few(void **state)
{
    hone_ctx *ctx = open_work(state);
    hone_plan *plans[3 * HONE_BANKS_OF_CODE];
    uint32_t taps[3 * HONE_BANKS_OF_CODE][4];
    const size_t n_plans = sizeof plans / sizeof plans[0];

    for (size_t i = 0; i < n_plans; ++i) {
        const int64_t n = 1 + (int64_t)i;

        taps[i][0] = 100 + (uint32_t)i;
        assert_hone(ctx, hone_plan_create(ctx, "taps", &n, 1, &plans[i], NULL),
                    HONE_OK);
    }
    for (size_t i = 0; i < 3 * n_plans; ++i) {
        const long at = fake_n_launches();

        x_device = (uintptr_t)taps[i % n_plans];
        assert_hone(
            ctx,
            hone_plan_run(plans[i % n_plans], args, HONE_COUNT(args), NULL),
            HONE_OK);
        assert_int_equal(fake_launch_at(at)->constant, 100 + i % n_plans);
    }
    assert_int_equal(fake_n_modules(), 1 + HONE_BANKS_OF_CODE);
    /* The few that are used in turn keep what they have. */
    for (int i = 0; i < 3; ++i) {
        for (size_t p = 0; p < HONE_BANKS_OF_CODE; ++p) {
            x_device = (uintptr_t)taps[p];
            assert_hone(ctx,
                        hone_plan_run(plans[p], args, HONE_COUNT(args), NULL),
                        HONE_OK);
        }
    }
    assert_int_equal(fake_n_copies(), 3 * n_plans + HONE_BANKS_OF_CODE);
    /* Of one plan, but they have a code in common: all are filled again. */
    assert_hone(ctx, hone_plan_refresh(plans[0]), HONE_OK);
    taps[1][0] = 7;
    x_device = (uintptr_t)taps[1];
    assert_hone(ctx, hone_plan_run(plans[1], args, HONE_COUNT(args), NULL),
                HONE_OK);
    assert_int_equal(fake_launch_at(fake_n_launches() - 1)->constant, 7);
    for (size_t i = 0; i < n_plans; ++i)
        hone_plan_destroy(plans[i]);
    hone_close(ctx);
}

/* A larger shape while a stream is captured: the sentence says what to do,
 * and what is there already goes on. */
static void growing_while_captured(void **state)
{
    const int64_t n = 1 << 16;
    hone_ctx *ctx = open_work(state);
    hone_plan *plan = NULL;

    (void)run(ctx, 1000, 1, NULL);
    fake_capture(1);
    assert_int_equal(
        hone_launch(ctx, "work", &n, 1, args, HONE_COUNT(args), NULL),
        HONE_ERR_CUDA);
    assert_contains(hone_error_text(ctx), "hone_plan_prepare()");
    (void)run(ctx, 1000, 1, NULL);
    fake_capture(0);
    assert_hone(ctx, hone_plan_create(ctx, "work", &n, 1, &plan, NULL),
                HONE_OK);
    assert_hone(ctx, hone_plan_prepare(plan, NULL), HONE_OK);
    fake_capture(1);
    assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                HONE_OK);
    fake_capture(0);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static hone_status whole_life(const runtime_fixture *fixture)
{
    hone_ctx *ctx = NULL;
    hone_status status = hone_open(fixture->path, &ctx);

    for (int64_t n = 1000; status == HONE_OK && n < 10000; n += 4000) {
        status = hone_launch(ctx, "work", &n, 1, args, HONE_COUNT(args),
                             stream_of(1));
        if (status == HONE_OK)
            status = hone_launch(ctx, "taps", &n, 1, args, HONE_COUNT(args),
                                 stream_of(2));
    }
    if (status == HONE_OK)
        status = hone_stream_release(ctx, stream_of(2));
    if (status != HONE_OK)
        assert_true(strlen(hone_error_text(ctx)) > 10);
    hone_close(ctx);
    return status;
}

static void anything_may_fail(void **state)
{
    runtime_fixture *fixture = *state;
    hone_status status = HONE_ERR_NO_MEMORY;
    long n_calls;

    hone_close(open_work(state));
    assert_int_equal(whole_life(fixture), HONE_OK);
    n_calls = fake_n_calls();
    for (long n = 1; n <= n_calls; ++n) {
        fake_fail_call(n, HONE_CU_LAUNCH_FAILED);
        status = whole_life(fixture);
        fake_fail_call(0, 0);
        assert_true(status == HONE_OK || status == HONE_ERR_CUDA);
    }
    fake_lose_all(); /* where the last push failed, as it must */
    runtime_short_of_memory(fixture, whole_life);
}

/* Sizes whose sum is 2^64, so that it would be small. */
static void sums_do_not_wrap(void **state)
{
    static const char plan[] =
        "hone-launch 1\nop two\ndim n int\nparam BLOCK 256\n"
        "arg x inout 4 n\nworkspace a 9 2305843009213693695\n"
        "workspace b 9 9223372036854775552\n"
        "workspace c 9 6917529027641086464\n"
        "launch two\ngrid ceildiv(n,BLOCK)\nblock BLOCK\n"
        "pass x\npass a\npass b\npass c\n";
    const int64_t n = 64;
    const tuned_row row = {.op = "two",
                           .dims = &n,
                           .n_dims = 1,
                           .launch_plan = plan,
                           .cubin = "two 0 8,8,8,8"};
    hone_plan *made = NULL;
    hone_ctx *ctx;

    runtime_put(*state, &row);
    ctx = runtime_open(*state);
    assert_hone(ctx, hone_plan_create(ctx, "two", &n, 1, &made, NULL),
                HONE_ERR_OVERFLOW);
    hone_close(ctx);
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(empty_parts_are_null),
        WITH_DATABASE(scratch_of_a_stream_is_shared),
        WITH_DATABASE(zeros_belong_to_a_plan_and_a_stream),
        WITH_DATABASE(zeros_of_evicted_plans_are_reused),
        WITH_DATABASE(zeros_of_captured_plans_stay),
        WITH_DATABASE(growing_is_bounded),
        WITH_DATABASE(rather_little_than_nothing),
        WITH_DATABASE(any_number_of_streams),
        WITH_DATABASE(banks_of_a_code_are_few),
        WITH_DATABASE(growing_while_captured),
        WITH_DATABASE(anything_may_fail),
        WITH_DATABASE(sums_do_not_wrap),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
