/* SPDX-License-Identifier: Apache-2.0 */
/* A plan that is a function of a vendor's library: it runs, and each fault
 * that the library, its version, the arrays, memory or the order of calls may
 * have has its answer. */
#include "tests/runtime/vendor_fixture.h"

#include "runtime/base/alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STREAM ((hone_stream)(uintptr_t)0x5000)

static hone_plan *create(hone_ctx *ctx, hone_match *match)
{
    hone_plan *plan = NULL;

    assert_hone(ctx,
                hone_plan_create(ctx, "axpy", vendor_dims, 3, &plan, match),
                HONE_OK);
    return plan;
}

/* The library runs it, and no kernel of ours. */
static void run_it(hone_ctx *ctx, hone_plan *plan, size_t shift)
{
    const long n = fake_n_launches();
    vendor_case c;

    vendor_make(&c, shift);
    assert_hone(ctx, hone_plan_run(plan, c.args, STREAM), HONE_OK);
    vendor_check(&c);
    assert_int_equal(fake_n_launches(), n);
}

/* With what is stored, the answer is our kernel, and says why. */
static void ours_answers(runtime_fixture *fixture, const char *why)
{
    hone_ctx *ctx = runtime_open(fixture);
    vendor_case c;
    hone_match match;
    hone_plan *plan = create(ctx, &match);

    assert_string_equal(match.config, "LIBRARY=0");
    assert_int_equal(match.kind, HONE_MATCH_EXACT);
    assert_contains(match.reason, "1 better left out");
    assert_contains(match.reason, why);
    vendor_make(&c, 0);
    assert_hone(ctx, hone_plan_run(plan, c.args, NULL), HONE_OK);
    assert_string_equal(fake_launch_at(fake_n_launches() - 1)->kernel, "ours");
    for (int i = 0; i < 3; i++)
        free(c.blocks[i]);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void library_answers(runtime_fixture *fixture, const char *why)
{
    hone_ctx *ctx = runtime_open(fixture);
    hone_match match;
    hone_plan *plan = create(ctx, &match);

    assert_string_equal(match.config, "LIBRARY=1");
    assert_contains(match.reason, why);
    run_it(ctx, plan, 0);
    run_it(ctx, plan, 0);
    hone_plan_destroy(plan);
    hone_close(ctx);
    assert_int_equal(vendor_live(), 0);
}

static const char *const by_rank = "vendor cublaslt.gemm\n";

/* Before any library is loaded: it stands first. */
static void test_no_library(void **state)
{
    (void)setenv("HONE_CUBLASLT_LIBRARY", "/nonexistent/libcublasLt.so", 1);
    vendor_put(*state, by_rank);
    ours_answers(*state, "cuBLASLt cannot be loaded");
    vendor_fakes();
}

static void put_chosen(void **state, const char *function, size_t rank)
{
    hone_text lines = {0};

    vendor_choose(function, rank, &lines);
    vendor_put(*state, hone__text_str(&lines));
    hone__text_free(&lines);
}

static void test_run(void **state)
{
    static const char *const functions[] = {"cublaslt.gemm", "cublas.gemm"};

    for (size_t i = 0; i < 2; i++) {
        put_chosen(state, functions[i], 0);
        library_answers(*state, "tuned for these dimensions on Fake H200");
    }
    vendor_put(*state, by_rank);
    library_answers(*state, "tuned for these dimensions on Fake H200");
}

/* The stored bytes are used, and the library is not asked again. */
static void test_stored_algorithm(void **state)
{
    hone_ctx *ctx;
    hone_plan *plan;
    long n;

    put_chosen(state, "cublaslt.gemm", 1);
    ctx = runtime_open(*state);
    n = vendor_n_heuristics();
    plan = create(ctx, NULL);
    run_it(ctx, plan, 0);
    assert_int_equal(vendor_n_heuristics(), n);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void test_other_version(void **state)
{
    put_chosen(state, "cublaslt.gemm", 1);
    (void)setenv("FAKE_BLAS_VERSION", "130200", 1);
    library_answers(*state, "found with cuBLASLt 130100, this is 130200");
}

static void test_shorter_list(void **state)
{
    put_chosen(state, "cublaslt.gemm", 1);
    (void)setenv("FAKE_BLAS_VERSION", "130200", 1);
    (void)setenv("FAKE_BLAS_GUESSES", "2", 1);
    library_answers(*state, "choice 1 is not among the 1 of cuBLASLt 130200");
}

static void test_refused(void **state)
{
    put_chosen(state, "cublaslt.gemm", 0);
    (void)setenv("FAKE_BLAS_FAIL", "cublasLtMatmulAlgoCheck", 1);
    ours_answers(*state, "refuses the stored algorithm");
    (void)setenv("FAKE_BLAS_FAIL", "cublasLtCreate", 1);
    ours_answers(*state, "told to fail");
    vendor_fakes();
    library_answers(*state, "tuned for these");
}

static void test_unknown_function(void **state)
{
    vendor_put(*state, "vendor cublaslt.conv\n");
    ours_answers(*state, "no function 'cublaslt.conv'");
}

/* The least of the three decides, and what it decides is kept. */
static void test_alignment(void **state)
{
    hone_ctx *ctx;
    hone_plan *plan;
    vendor_case c;
    long n;

    put_chosen(state, "cublaslt.gemm", 0);
    ctx = runtime_open(*state);
    plan = create(ctx, NULL);
    n = vendor_n_heuristics();
    for (int i = 0; i < 6; i++)
        run_it(ctx, plan, 4u << i % 3);
    assert_int_equal(vendor_n_heuristics(), n + 2);
    vendor_make(&c, 2);
    assert_hone(ctx, hone_plan_run(plan, c.args, STREAM), HONE_ERR_ARGUMENT);
    assert_contains(hone_errmsg(ctx), "multiple of the size");
    for (int i = 0; i < 3; i++)
        free(c.blocks[i]);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void test_arguments(void **state)
{
    hone_ctx *ctx;
    hone_plan *plan;
    vendor_case c;
    void *kept;

    put_chosen(state, "cublaslt.gemm", 0);
    ctx = runtime_open(*state);
    plan = create(ctx, NULL);
    vendor_make(&c, 0);
    kept = c.args[3];
    c.args[3] = NULL;
    assert_hone(ctx, hone_plan_run(plan, c.args, NULL), HONE_ERR_ARGUMENT);
    assert_contains(hone_errmsg(ctx), "args[3]");
    c.args[3] = kept;
    c.at[1] = 0;
    assert_hone(ctx, hone_plan_run(plan, c.args, NULL), HONE_ERR_ARGUMENT);
    assert_contains(hone_errmsg(ctx), "args[1] of axpy points to a null");
    for (int i = 0; i < 3; i++)
        free(c.blocks[i]);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* Other libraries take whatever addresses their elements may have. */
static void test_misplaced(void **state)
{
    hone_ctx *ctx;
    hone_plan *plan;
    vendor_case c;

    put_chosen(state, "cublas.gemm", 0);
    ctx = runtime_open(*state);
    plan = create(ctx, NULL);
    run_it(ctx, plan, 4);
    for (int i = 0; i < 3; i++) {
        vendor_make(&c, 0);
        c.at[i] += i < 2 ? 1 : 2;
        assert_hone(ctx, hone_plan_run(plan, c.args, STREAM),
                    HONE_ERR_ARGUMENT);
        assert_contains(hone_errmsg(ctx), "cublas.gemm: an array does not lie");
        for (int k = 0; k < 3; k++)
            free(c.blocks[k]);
    }
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* An algorithm that needs none, and no more attempts to get it. */
static void test_no_memory(void **state)
{
    hone_ctx *ctx;
    hone_plan *plan;
    long n;

    put_chosen(state, "cublaslt.gemm", 0);
    ctx = runtime_open(*state);
    plan = create(ctx, NULL);
    fake_memory(1 << 20);
    run_it(ctx, plan, 0);
    run_it(ctx, plan, 8);
    n = fake_n_calls();
    run_it(ctx, plan, 0);
    assert_int_equal(fake_n_calls(), n);
    assert_hone(ctx, hone_plan_prepare(plan, STREAM), HONE_OK);
    assert_int_equal(fake_n_allocations(), 0);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* cublas.gemm cannot do without. */
static void test_no_memory_at_all(void **state)
{
    hone_ctx *ctx;
    hone_plan *plan;
    vendor_case c;

    put_chosen(state, "cublas.gemm", 0);
    ctx = runtime_open(*state);
    plan = create(ctx, NULL);
    fake_memory(1 << 20);
    vendor_make(&c, 0);
    assert_hone(ctx, hone_plan_run(plan, c.args, STREAM), HONE_ERR_NO_MEMORY);
    assert_contains(hone_errmsg(ctx), "workspace of 33554432 bytes");
    fake_memory((size_t)1 << 30);
    assert_hone(ctx, hone_plan_run(plan, c.args, STREAM), HONE_OK);
    vendor_check(&c);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* The library's kernels are loaded when a plan is made, and when another
 * algorithm is asked for: the first run of both may be captured. */
static void test_first_run_is_captured(void **state)
{
    hone_ctx *ctx;
    hone_plan *plan;

    put_chosen(state, "cublaslt.gemm", 0);
    ctx = runtime_open(*state);
    vendor_unload();
    plan = create(ctx, NULL);
    assert_hone(ctx, hone_plan_prepare(plan, STREAM), HONE_OK);
    fake_capture(1);
    vendor_capture((void *)STREAM);
    run_it(ctx, plan, 0);
    run_it(ctx, plan, 8);
    vendor_capture(NULL);
    fake_capture(0);
    assert_int_equal(fake_n_graphs(), 0);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* The native code of a run that fails. */
static void test_failing_run(void **state)
{
    const char *domain = NULL;
    hone_ctx *ctx;
    hone_plan *plan;
    vendor_case c;

    put_chosen(state, "cublaslt.gemm", 0);
    ctx = runtime_open(*state);
    plan = create(ctx, NULL);
    vendor_make(&c, 0);
    (void)setenv("FAKE_BLAS_FAIL", "cublasLtMatmul", 1);
    assert_hone(ctx, hone_plan_run(plan, c.args, STREAM), HONE_ERR_CUDA);
    assert_int_equal(hone_err_native(ctx, &domain), 13);
    assert_string_equal(domain, "cublas");
    vendor_fakes();
    assert_hone(ctx, hone_plan_run(plan, c.args, STREAM), HONE_OK);
    vendor_check(&c);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* A handle that was left half set is set again. */
static void test_failing_stream(void **state)
{
    const hone_stream other = (hone_stream)(uintptr_t)0x6000;
    hone_ctx *ctx;
    hone_plan *plan;
    vendor_case c;

    put_chosen(state, "cublas.gemm", 0);
    ctx = runtime_open(*state);
    plan = create(ctx, NULL);
    run_it(ctx, plan, 0);
    vendor_make(&c, 0);
    (void)setenv("FAKE_BLAS_FAIL", "cublasSetWorkspace", 1);
    assert_hone(ctx, hone_plan_run(plan, c.args, other), HONE_ERR_CUDA);
    assert_contains(hone_errmsg(ctx), "cublasSetWorkspace");
    vendor_fakes();
    for (int i = 0; i < 3; i++)
        free(c.blocks[i]);
    run_it(ctx, plan, 0);
    hone_plan_destroy(plan);
    hone_close(ctx);
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
    put_chosen(state, "cublaslt.gemm", 0);
    check_threads(*state);
    put_chosen(state, "cublas.gemm", 0);
    check_threads(*state);
}

/* Handles of a context that is gone are left alone; the next has its own. */
static void test_context_reset(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx;
    int lost;

    put_chosen(state, "cublaslt.gemm", 0);
    ctx = runtime_open(fixture);
    for (int i = 0; i < 2; i++) {
        vendor_case c;

        vendor_make(&c, 0);
        assert_hone(ctx,
                    hone_launch(ctx, "axpy", vendor_dims, 3, c.args, STREAM),
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

    put_chosen(state, "cublaslt.gemm", 0);
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
            status = hone_plan_run(plan, c.args, STREAM);
        done = fake_n_calls() - n_calls < n;
        if (status != HONE_OK)
            assert_int_not_equal(strlen(hone_errmsg(ctx)), 0);
        fake_fail_call(0, 0);
        for (int i = 0; i < 3; i++)
            free(c.blocks[i]);
        hone_plan_destroy(plan);
        hone_close(ctx);
        assert_int_equal(vendor_live(), live);
    }
}

static void test_failing_allocations(void **state)
{
    const int live = vendor_live();
    int failed = 1;

    put_chosen(state, "cublaslt.gemm", 0);
    for (long n = 0; failed; n++) {
        hone_ctx *ctx = runtime_open(*state);
        hone_plan *plan = NULL;
        vendor_case c;

        vendor_make(&c, 8);
        hone__alloc_fail_once(n);
        if (hone_plan_create(ctx, "axpy", vendor_dims, 3, &plan, NULL) ==
            HONE_OK)
            (void)hone_plan_run(plan, c.args, STREAM);
        failed = hone__alloc_fail_end();
        for (int i = 0; i < 3; i++)
            free(c.blocks[i]);
        hone_plan_destroy(plan);
        hone_close(ctx);
        assert_int_equal(vendor_live(), live);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, setup, runtime_teardown)

static int setup(void **state)
{
    vendor_fakes();
    return runtime_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_no_library),
        TEST(test_run),
        TEST(test_stored_algorithm),
        TEST(test_other_version),
        TEST(test_shorter_list),
        TEST(test_refused),
        TEST(test_unknown_function),
        TEST(test_alignment),
        TEST(test_arguments),
        TEST(test_misplaced),
        TEST(test_no_memory),
        TEST(test_no_memory_at_all),
        TEST(test_first_run_is_captured),
        TEST(test_failing_run),
        TEST(test_failing_stream),
        TEST(test_threads),
        TEST(test_context_reset),
        TEST(test_failing_driver),
        TEST(test_failing_allocations),
    };

    vendor_load();
    return cmocka_run_group_tests_name("runtime_vendor", tests, NULL, NULL);
}
