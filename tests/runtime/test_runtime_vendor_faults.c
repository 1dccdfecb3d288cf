/* SPDX-License-Identifier: Apache-2.0 */
/* A plan that is a function of a vendor's library where memory is short, calls
 * fail, threads share it and its context is lost. */
#include "tests/runtime/vendor_fixture.h"

#include "runtime/base/alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* An algorithm that needs none, and no more attempts to get it. */
static void test_no_memory(void **state)
{
    hone_ctx *ctx = vendor_open(state, "cublaslt.gemm", 0);
    hone_plan *plan = vendor_plan(ctx, NULL);
    long n;

    fake_memory(1 << 20);
    vendor_run(ctx, plan, 0);
    vendor_run(ctx, plan, 8);
    n = fake_n_calls();
    vendor_run(ctx, plan, 0);
    assert_int_equal(fake_n_calls(), n);
    assert_hone(ctx, hone_plan_prepare(plan, VENDOR_STREAM), HONE_OK);
    assert_int_equal(fake_n_allocations(), 0);
    vendor_close(ctx, plan);
}

/* cublas.gemm cannot do without. */
static void test_no_memory_at_all(void **state)
{
    hone_ctx *ctx = vendor_open(state, "cublas.gemm", 0);
    hone_plan *plan = vendor_plan(ctx, NULL);
    vendor_case c;

    fake_memory(1 << 20);
    vendor_make(&c, 0);
    assert_hone(ctx,
                hone_plan_run(plan, c.args, HONE_COUNT(c.args), VENDOR_STREAM),
                HONE_ERR_NO_MEMORY);
    assert_contains(hone_error_text(ctx), "workspace of 33554432 bytes");
    fake_memory((size_t)1 << 30);
    assert_hone(ctx,
                hone_plan_run(plan, c.args, HONE_COUNT(c.args), VENDOR_STREAM),
                HONE_OK);
    vendor_check(&c);
    vendor_close(ctx, plan);
}

/* The native code of a run that fails. */
static void test_failing_run(void **state)
{
    const char *domain = NULL;
    hone_ctx *ctx = vendor_open(state, "cublaslt.gemm", 0);
    hone_plan *plan = vendor_plan(ctx, NULL);
    vendor_case c;

    vendor_make(&c, 0);
    (void)setenv("FAKE_BLAS_FAIL", "cublasLtMatmul", 1);
    assert_hone(ctx,
                hone_plan_run(plan, c.args, HONE_COUNT(c.args), VENDOR_STREAM),
                HONE_ERR_CUDA);
    assert_int_equal(hone_error_native(ctx, &domain), 13);
    assert_string_equal(domain, "cublas");
    vendor_fakes();
    assert_hone(ctx,
                hone_plan_run(plan, c.args, HONE_COUNT(c.args), VENDOR_STREAM),
                HONE_OK);
    vendor_check(&c);
    vendor_close(ctx, plan);
}

/* hone.h: hone_plan_run, HONE_ERR_UNSUPPORTED
 *
 * Arrays at other addresses than before, for which the library has no
 * algorithm. */
static void test_no_algorithm_for_addresses(void **state)
{
    hone_ctx *ctx = vendor_open(state, "cublaslt.gemm", 0);
    hone_plan *plan = vendor_plan(ctx, NULL);
    vendor_case c;

    vendor_run(ctx, plan, 16);
    vendor_make(&c, 4);
    (void)setenv("FAKE_BLAS_FAIL", "heuristics", 1);
    assert_hone(ctx,
                hone_plan_run(plan, c.args, HONE_COUNT(c.args), VENDOR_STREAM),
                HONE_ERR_UNSUPPORTED);
    assert_contains(hone_error_text(ctx), "arrays at multiples of 4 bytes");
    vendor_fakes();
    vendor_free(&c);
    vendor_run(ctx, plan, 4);
    vendor_close(ctx, plan);
}

/* A handle that was left half set is set again. */
static void test_failing_stream(void **state)
{
    const hone_stream other = (hone_stream)(uintptr_t)0x6000;
    hone_ctx *ctx = vendor_open(state, "cublas.gemm", 0);
    hone_plan *plan = vendor_plan(ctx, NULL);
    vendor_case c;

    vendor_run(ctx, plan, 0);
    vendor_make(&c, 0);
    (void)setenv("FAKE_BLAS_FAIL", "cublasSetWorkspace", 1);
    assert_hone(ctx, hone_plan_run(plan, c.args, HONE_COUNT(c.args), other),
                HONE_ERR_CUDA);
    assert_contains(hone_error_text(ctx), "cublasSetWorkspace");
    vendor_fakes();
    vendor_free(&c);
    vendor_run(ctx, plan, 0);
    vendor_close(ctx, plan);
}

/* ---- threads and contexts ------------------------------------------------ */

typedef struct runner {
    hone_ctx *ctx;
    hone_cu_context context;
    uintptr_t stream;
    hone_status status;
} runner;

static void *run_many(void *user)
{
    runner *r = user;

    (void)cuCtxSetCurrent(r->context);
    for (size_t i = 0; i < 24 && r->status == HONE_OK; i++) {
        vendor_case c;

        vendor_make(&c, i % 3 * 4);
        r->status = hone_launch(r->ctx, "axpy", vendor_dims, 3, c.args,
                                HONE_COUNT(c.args),
                                (hone_stream)(r->stream + i % 2 * 64));
        if (r->status == HONE_OK)
            vendor_check(&c);
    }
    return NULL;
}

static void check_threads(runtime_fixture *fixture)
{
    enum { N = 4 };
    hone_ctx *ctx = runtime_open(fixture);
    pthread_t threads[N];
    runner runners[N];

    for (size_t i = 0; i < N; i++) {
        runners[i] = (runner){ctx, fixture->context, 0x1000 * (i + 1), HONE_OK};
        assert_int_equal(
            pthread_create(&threads[i], NULL, run_many, &runners[i]), 0);
    }
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(runners[i].status, HONE_OK);
    }
    hone_close(ctx);
    assert_int_equal(vendor_live(), 0);
}

static void test_threads(void **state)
{
    vendor_put_chosen(state, "cublaslt.gemm", 0);
    check_threads(*state);
    vendor_put_chosen(state, "cublas.gemm", 0);
    check_threads(*state);
}

/* Handles of a context that is gone are left alone; the next has its own. */
static void test_context_reset(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *const ctx = vendor_open(state, "cublaslt.gemm", 0);
    int lost;

    for (int i = 0; i < 2; i++) {
        vendor_case c;

        vendor_make(&c, 0);
        assert_hone(ctx,
                    hone_launch(ctx, "axpy", vendor_dims, 3, c.args,
                                HONE_COUNT(c.args), VENDOR_STREAM),
                    HONE_OK);
        vendor_check(&c);
        if (!i)
            fake_context_reset(fixture->context);
    }
    lost = vendor_live();
    hone_close(ctx);
    /* The dead context's handle alone. */
    assert_in_range(lost, 2, 12);
    assert_int_equal(vendor_live(), 1);
    fake_lose_all();
}

/* ---- whatever fails ------------------------------------------------------ */

/* Every call of the driver fails in turn: an answer or a sentence, and
 * nothing is left. */
static void test_failing_driver(void **state)
{
    const int live = vendor_live();
    long n_calls;

    vendor_put_chosen(state, "cublaslt.gemm", 0);
    for (long n = 1, done = 0; !done; n++) {
        hone_ctx *ctx = runtime_open(*state);
        hone_plan *plan = NULL;
        vendor_case c;
        hone_status status;

        fake_reset();
        vendor_make(&c, 0);
        fake_fail_call(n, 999);
        n_calls = fake_n_calls();
        status = hone_plan_create(ctx, "axpy", vendor_dims, 3, &plan, NULL);
        if (status == HONE_OK)
            status =
                hone_plan_run(plan, c.args, HONE_COUNT(c.args), VENDOR_STREAM);
        done = fake_n_calls() - n_calls < n;
        if (status != HONE_OK)
            assert_int_not_equal(strlen(hone_error_text(ctx)), 0);
        fake_fail_call(0, 0);
        vendor_free(&c);
        vendor_close(ctx, plan);
        assert_int_equal(vendor_live(), live);
    }
}

static void test_failing_allocations(void **state)
{
    const int live = vendor_live();
    int failed = 1;

    vendor_put_chosen(state, "cublaslt.gemm", 0);
    for (long n = 0; failed; n++) {
        hone_ctx *ctx = runtime_open(*state);
        hone_plan *plan = NULL;
        vendor_case c;

        vendor_make(&c, 8);
        hone__alloc_fail_once(n);
        if (hone_plan_create(ctx, "axpy", vendor_dims, 3, &plan, NULL) ==
            HONE_OK)
            (void)hone_plan_run(plan, c.args, HONE_COUNT(c.args),
                                VENDOR_STREAM);
        failed = hone__alloc_fail_end();
        vendor_free(&c);
        vendor_close(ctx, plan);
        assert_int_equal(vendor_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        VENDOR_TEST(test_no_memory),
        VENDOR_TEST(test_no_memory_at_all),
        VENDOR_TEST(test_failing_run),
        VENDOR_TEST(test_failing_stream),
        VENDOR_TEST(test_no_algorithm_for_addresses),
        VENDOR_TEST(test_threads),
        VENDOR_TEST(test_context_reset),
        VENDOR_TEST(test_failing_driver),
        VENDOR_TEST(test_failing_allocations),
    };

    vendor_load();
    return cmocka_run_group_tests_name("runtime_vendor_faults", tests, NULL,
                                       NULL);
}
