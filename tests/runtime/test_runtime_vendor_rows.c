/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the database that are functions of vendors' libraries: which of
 * them answer, what is damage, and what db/ makes of a variant without a
 * cubin. */
#include "tests/runtime/vendor_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hone_status ask(runtime_fixture *fixture, const int64_t *dims,
                       hone_match *match)
{
    hone_ctx *ctx = runtime_open(fixture);
    hone_plan *plan = NULL;
    const hone_status status =
        hone_plan_create(ctx, "axpy", dims, 3, &plan, match);

    if (status != HONE_OK)
        (void)snprintf(match->reason, sizeof match->reason, "%s",
                       hone_error_text(ctx));
    hone_plan_destroy(plan);
    hone_close(ctx);
    return status;
}

static void answers(runtime_fixture *fixture, const int64_t *dims,
                    const char *config, const char *reason)
{
    hone_match match = {.kind = HONE_MATCH_EXACT};

    if (ask(fixture, dims, &match) != HONE_OK)
        fail_msg("%s", match.reason);
    assert_string_equal(match.config, config);
    assert_contains(match.reason, reason);
}

static void test_is_whole(void **state)
{
    vendor_put_chosen(state, "cublaslt.gemm", 0);
    answers(*state, vendor_dims, "LIBRARY=1", "tuned for these dimensions");
}

/* The algorithm of another shape is not taken: the library is asked. */
static void test_neighbour(void **state)
{
    static const int64_t dims[] = {3, 8, 16};

    vendor_put_chosen(state, "cublaslt.gemm", 0);
    answers(*state, dims, "LIBRARY=1", "for the nearest shape");
    (void)setenv("FAKE_BLAS_FAIL", "cublasLtMatmulAlgoCheck", 1);
    answers(*state, dims, "LIBRARY=1", "for the nearest shape");
    answers(*state, vendor_dims, "LIBRARY=0",
            "1 better left out: cuBLASLt refuses");
}

/* What a launch relies on was changed: our kernel answers. */
static void test_damage(void **state)
{
    static const char *const changes[] = {
        /* a bit of the algorithm */
        "UPDATE launch_form SET tail ="
        " replace(tail, 'vendor-algorithm 64', 'vendor-algorithm 65')",
        /* of another configuration */
        "UPDATE variant SET config = 'LIBRARY=3' WHERE cubin_sha256 IS NULL",
        /* a cubin that it does not have; its hash is not known */
        "UPDATE variant SET launch_sha256 = NULL, cubin_sha256 ="
        " (SELECT cubin_sha256 FROM variant WHERE cubin_sha256 IS NOT NULL)"
        " WHERE cubin_sha256 IS NULL"};

    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        vendor_put_chosen(state, "cublaslt.gemm", 0);
        runtime_sql(((runtime_fixture *)*state)->path, changes[i]);
        answers(*state, vendor_dims, "LIBRARY=0",
                "1 better left out: damaged in the database");
        runtime_sql(((runtime_fixture *)*state)->path,
                    "DELETE FROM ranking; DELETE FROM trial;"
                    "DELETE FROM session; DELETE FROM variant");
    }
}

/* A kernel whose cubin was lost is none of a library's. */
static void test_lost_cubin(void **state)
{
    hone_match match = {.kind = HONE_MATCH_EXACT};

    runtime_put(*state, &(tuned_row){.dims = vendor_dims,
                                     .n_dims = 3,
                                     .launch_plan = vendor_kernel_plan});
    assert_int_equal(ask(*state, vendor_dims, &match), HONE_ERR_NOT_FOUND);
    /* A word of a comment does not make it one. */
    runtime_put(*state, &(tuned_row){.dims = vendor_dims,
                                     .n_dims = 3,
                                     .launch_plan =
                                         "hone-launch 1\nop axpy\ndim M int\n"
                                         "dim N int\ndim K int\n"
                                         "launch ours\ngrid 1\nblock 1\n#\n"
                                         "vendor x\n"});
    assert_int_not_equal(ask(*state, vendor_dims, &match), HONE_OK);
}

/* A cubin for sm_80 runs on sm_86; what a library was measured at does not
 * say anything there. */
static void test_other_architecture(void **state)
{
    hone_match match = {.kind = HONE_MATCH_EXACT};
    hone_text plan = {0};
    tuned_row row = {.dims = vendor_dims,
                     .n_dims = 3,
                     .arch = "sm_80",
                     .config = "LIBRARY=1",
                     .is_default = 1};

    hone__text_printf(&plan, "%svendor cublaslt.gemm\n", vendor_head);
    row.launch_plan = plan.data;
    runtime_put(*state, &row);
    fake_device(86, 132, "Fake A10");
    assert_int_equal(ask(*state, vendor_dims, &match), HONE_ERR_NOT_FOUND);
    row.config = "LIBRARY=0";
    row.launch_plan = vendor_kernel_plan;
    row.cubin = vendor_kernel_cubin;
    runtime_put(*state, &row);
    answers(*state, vendor_dims, "LIBRARY=0", "(sm_80 with 132)");
    hone__text_free(&plan);
}

/* A default variant has a cubin: default_v1 shows no other. */
static void test_no_default(void **state)
{
    hone_match match = {.kind = HONE_MATCH_EXACT};
    hone_text plan = {0};

    hone__text_printf(&plan, "%svendor cublaslt.gemm\n", vendor_head);
    runtime_put_default(*state, &(tuned_row){.dims = vendor_dims,
                                             .n_dims = 3,
                                             .launch_plan = plan.data});
    assert_int_equal(ask(*state, vendor_dims, &match), HONE_ERR_NOT_FOUND);
    hone__text_free(&plan);
}

/* The tuner takes it from the database as any variant, and its hash is over
 * the plan. */
static void test_launch_of_db(void **state)
{
    runtime_fixture *fixture = *state;
    hone_error error = {0};
    hone_db_launch launch;
    int64_t id = 0;

    vendor_put_chosen(state, "cublaslt.gemm", 0);
    while (hone__db_launch_get(fixture->db, ++id, &launch, &error) == HONE_OK &&
           strcmp(hone__text_str(&launch.config), "LIBRARY=1") != 0)
        hone__db_launch_free(&launch);
    if (error.status != HONE_OK)
        fail_msg("%s", error.text);
    assert_int_equal(launch.cubin.length, 0);
    assert_contains(launch.launch_plan.data, "\nvendor cublaslt.gemm\n");
    hone__db_launch_free(&launch);
    runtime_sql(fixture->path, "UPDATE variant SET launch_lines = launch_lines"
                               " || '#' WHERE cubin_sha256 IS NULL");
    assert_int_equal(hone__db_launch_get(fixture->db, id, &launch, &error),
                     HONE_ERR_DATABASE);
    assert_true(hone__db_is_damage(&error));
}

/* A template's next text keeps it, with a hash of the plan as it is then. */
static void test_moves(void **state)
{
    runtime_fixture *fixture = *state;
    hone_error error = {0};
    hone_db_variant as = {.template_id = 1};
    hone_db_launch launch;
    hone_text plan = {0};
    int64_t id = 0;
    int moved = 0;

    vendor_put_chosen(state, "cublaslt.gemm", 0);
    for (;;) {
        assert_int_equal(
            hone__db_launch_get(fixture->db, ++id, &launch, &error), HONE_OK);
        if (!strcmp(hone__text_str(&launch.config), "LIBRARY=1"))
            break;
        hone__db_launch_free(&launch);
    }
    hone__text_printf(&plan, "%slet unused 1\n", launch.launch_plan.data);
    hone__db_launch_free(&launch);
    as.launch_plan = plan.data;
    runtime_sql(fixture->path, "UPDATE variant SET options = '-other'");
    assert_int_equal(
        hone__db_variant_move(fixture->db, id, &as, &moved, &error), HONE_OK);
    assert_int_equal(moved, 1);
    answers(fixture, vendor_dims, "LIBRARY=1", "tuned for these dimensions");
    hone__text_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        VENDOR_TEST(test_is_whole),
        VENDOR_TEST(test_neighbour),
        VENDOR_TEST(test_damage),
        VENDOR_TEST(test_lost_cubin),
        VENDOR_TEST(test_other_architecture),
        VENDOR_TEST(test_no_default),
        VENDOR_TEST(test_launch_of_db),
        VENDOR_TEST(test_moves),
    };

    vendor_load();
    return cmocka_run_group_tests_name("runtime_vendor_rows", tests, NULL,
                                       NULL);
}
