/* SPDX-License-Identifier: Apache-2.0 */
/* A plan that is a function of a vendor's library: it runs, and each fault
 * that the library, its version or the arrays may have has its answer. */
#include "tests/runtime/vendor_fixture.h"

#include <stdlib.h>
#include <string.h>

/* With what is stored, the answer is our kernel, and says why. */
static void ours_answers(runtime_fixture *fixture, const char *why)
{
    hone_ctx *ctx = runtime_open(fixture);
    vendor_case c;
    hone_match match;
    hone_plan *plan = vendor_plan(ctx, &match);

    assert_string_equal(match.config, "LIBRARY=0");
    assert_int_equal(match.kind, HONE_MATCH_EXACT);
    assert_contains(match.reason, "1 better left out");
    assert_contains(match.reason, why);
    vendor_make(&c, 0);
    assert_hone(ctx, hone_plan_run(plan, c.args, HONE_COUNT(c.args), NULL),
                HONE_OK);
    assert_string_equal(fake_launch_at(fake_n_launches() - 1)->kernel, "ours");
    vendor_free(&c);
    vendor_close(ctx, plan);
}

static void library_answers(runtime_fixture *fixture, const char *why)
{
    hone_ctx *ctx = runtime_open(fixture);
    hone_match match;
    hone_plan *plan = vendor_plan(ctx, &match);

    assert_string_equal(match.config, "LIBRARY=1");
    assert_contains(match.reason, why);
    vendor_run(ctx, plan, 0);
    vendor_run(ctx, plan, 0);
    vendor_close(ctx, plan);
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

static void test_run(void **state)
{
    static const char *const functions[] = {"cublaslt.gemm", "cublas.gemm"};

    for (size_t i = 0; i < 2; i++) {
        vendor_put_chosen(state, functions[i], 0);
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

    vendor_put_chosen(state, "cublaslt.gemm", 1);
    ctx = runtime_open(*state);
    n = vendor_n_heuristics();
    plan = vendor_plan(ctx, NULL);
    vendor_run(ctx, plan, 0);
    assert_int_equal(vendor_n_heuristics(), n);
    vendor_close(ctx, plan);
}

static void test_other_version(void **state)
{
    vendor_put_chosen(state, "cublaslt.gemm", 1);
    (void)setenv("FAKE_BLAS_VERSION", "130200", 1);
    library_answers(*state, "found with cuBLASLt 130100, this is 130200");
}

static void test_shorter_list(void **state)
{
    vendor_put_chosen(state, "cublaslt.gemm", 1);
    (void)setenv("FAKE_BLAS_VERSION", "130200", 1);
    (void)setenv("FAKE_BLAS_GUESSES", "2", 1);
    library_answers(*state,
                    "algorithm 1 is not among the 1 of cuBLASLt 130200");
}

static void test_refused(void **state)
{
    vendor_put_chosen(state, "cublaslt.gemm", 0);
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
    hone_ctx *ctx = vendor_open(state, "cublaslt.gemm", 0);
    hone_plan *plan = vendor_plan(ctx, NULL);
    vendor_case c;
    long n;

    n = vendor_n_heuristics();
    for (int i = 0; i < 6; i++)
        vendor_run(ctx, plan, 4u << i % 3);
    assert_int_equal(vendor_n_heuristics(), n + 2);
    vendor_make(&c, 2);
    assert_hone(ctx,
                hone_plan_run(plan, c.args, HONE_COUNT(c.args), VENDOR_STREAM),
                HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "multiple of the size");
    vendor_free(&c);
    vendor_close(ctx, plan);
}

static void test_arguments(void **state)
{
    hone_ctx *ctx = vendor_open(state, "cublaslt.gemm", 0);
    hone_plan *plan = vendor_plan(ctx, NULL);
    vendor_case c;
    void *kept;

    vendor_make(&c, 0);
    kept = c.args[3];
    c.args[3] = NULL;
    assert_hone(ctx, hone_plan_run(plan, c.args, HONE_COUNT(c.args), NULL),
                HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "args[3]");
    c.args[3] = kept;
    c.at[1] = 0;
    assert_hone(ctx, hone_plan_run(plan, c.args, HONE_COUNT(c.args), NULL),
                HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "args[1] of axpy points to a null");
    vendor_free(&c);
    vendor_close(ctx, plan);
}

/* Other libraries take whatever addresses their elements may have. */
static void test_misplaced(void **state)
{
    hone_ctx *ctx = vendor_open(state, "cublas.gemm", 0);
    hone_plan *plan = vendor_plan(ctx, NULL);
    vendor_case c;

    vendor_run(ctx, plan, 4);
    for (int i = 0; i < 3; i++) {
        vendor_make(&c, 0);
        c.at[i] += i < 2 ? 1 : 2;
        assert_hone(
            ctx, hone_plan_run(plan, c.args, HONE_COUNT(c.args), VENDOR_STREAM),
            HONE_ERR_ARGUMENT);
        assert_contains(hone_error_text(ctx),
                        "cublas.gemm: an array does not lie");
        vendor_free(&c);
    }
    vendor_close(ctx, plan);
}

/* The library's kernels are loaded when a plan is made, and when another
 * algorithm is asked for: the first run of both may be captured. */
static void test_first_run_is_captured(void **state)
{
    hone_ctx *ctx;
    hone_plan *plan;

    ctx = vendor_open(state, "cublaslt.gemm", 0);
    vendor_unload();
    plan = vendor_plan(ctx, NULL);
    assert_hone(ctx, hone_plan_prepare(plan, VENDOR_STREAM), HONE_OK);
    fake_capture(1);
    vendor_capture((void *)VENDOR_STREAM);
    vendor_run(ctx, plan, 0);
    vendor_run(ctx, plan, 8);
    vendor_capture(NULL);
    fake_capture(0);
    assert_int_equal(fake_n_graphs(), 0);
    vendor_close(ctx, plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        VENDOR_TEST(test_no_library),
        VENDOR_TEST(test_run),
        VENDOR_TEST(test_stored_algorithm),
        VENDOR_TEST(test_other_version),
        VENDOR_TEST(test_shorter_list),
        VENDOR_TEST(test_refused),
        VENDOR_TEST(test_unknown_function),
        VENDOR_TEST(test_alignment),
        VENDOR_TEST(test_arguments),
        VENDOR_TEST(test_misplaced),
        VENDOR_TEST(test_first_run_is_captured),
    };

    vendor_load();
    return cmocka_run_group_tests_name("runtime_vendor", tests, NULL, NULL);
}
