/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of a configuration that the caller chooses, from databases and packs;
 * what a plan needs of memory. */
#include "tests/runtime/pack_fixture.h"

#include "runtime/base/alloc.h"

#include <string.h>

static const int64_t cube[] = {64, 64, 64, HONE_TYPE_F32};

static hone_match ask(hone_ctx *ctx, const int64_t *dims,
                      const char *implementation, const char *config)
{
    hone_match match = {.config = ""};
    hone_plan *plan = NULL;

    assert_hone(ctx,
                hone_plan_create_config(ctx, "gemm", dims, 4, implementation,
                                        config, &plan, &match),
                HONE_OK);
    hone_plan_destroy(plan);
    return match;
}

static void refuse(hone_ctx *ctx, const char *op, const int64_t *dims,
                   const char *implementation, const char *config,
                   hone_status status, const char *part)
{
    hone_plan *plan = (hone_plan *)(void *)&plan;

    assert_hone(ctx,
                hone_plan_create_config(ctx, op, dims, 4, implementation,
                                        config, &plan, NULL),
                status);
    assert_null(plan);
    assert_contains(hone_error_text(ctx), part);
}

/* The trial that was put first has the second place behind the last one. */
static void put_ranking(runtime_fixture *fixture)
{
    pack_put_gemm(fixture, 64, "BM=64,SPLIT=4,V=2", 0);
    pack_put_gemm(fixture, 64, "BM=64,SPLIT=4,V=1", 0);
    runtime_sql(fixture->path,
                "INSERT INTO ranking SELECT problem_id, device_id, mode, 2,"
                " (SELECT min(trial_id) FROM trial), session_id, 1500, NULL,"
                " NULL, '', ranked_unix_s FROM ranking");
}

static void any_place_of_a_ranking(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    hone_match match;

    put_ranking(fixture);
    match = ask(ctx, cube, NULL, "BM=64,SPLIT=4,V=2");
    assert_string_equal(match.config, "BM=64,SPLIT=4,V=2");
    assert_int_equal(match.kind, HONE_MATCH_EXACT);
    assert_int_equal(match.tuned_time_ns, 1500);
    /* In another order, of this implementation. */
    match = ask(ctx, cube, "axpy.cu", "V=1,BM=64,SPLIT=4");
    assert_string_equal(match.config, "BM=64,SPLIT=4,V=1");
    assert_int_equal(match.tuned_time_ns, 1000);
    /* It changes nothing for those who want the best. */
    match = pack_ask(ctx, "gemm", cube, 4);
    assert_string_equal(match.config, "BM=64,SPLIT=4,V=1");
    hone_close(ctx);
}

static void check_other_shapes(hone_ctx *ctx)
{
    static const int64_t far[] = {100000, 8, 8, HONE_TYPE_F32};
    static const int64_t odd[] = {64, 64, 63, HONE_TYPE_F32};
    static const int64_t half[] = {64, 64, 64, HONE_TYPE_F16};
    hone_match match = ask(ctx, far, NULL, "BM=64,SPLIT=4,V=128");

    assert_int_equal(match.kind, HONE_MATCH_NEIGHBOUR);
    assert_contains(match.reason, "asked for by its configuration; measured");
    match = ask(ctx, far, NULL, "BM=64,SPLIT=4,V=9");
    assert_int_equal(match.kind, HONE_MATCH_DEFAULT);
    assert_contains(match.reason, "the default variant of axpy.cu");
    assert_int_equal(match.tuned_time_ns, 0);
    refuse(ctx, "gemm", odd, NULL, "BM=64,SPLIT=4,V=128", HONE_ERR_NOT_FOUND,
           "requires 'K % SPLIT == 0'");
    refuse(ctx, "gemm", half, NULL, "BM=64,SPLIT=4,V=128", HONE_ERR_NOT_FOUND,
           "is not there for these dims on sm_90");
}

static void check_lacks(hone_ctx *ctx)
{
    static const char *const configs[] = {
        "BM=64,SPLIT=4,V=12",  "BM=64,SPLIT=4",        "V=128",
        "BM=64,BM=64,SPLIT=4", "BM=64,SPLIT=4,V=1288", "",
        "BM=64,BM=64,V=128x"};

    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; ++i)
        refuse(ctx, "gemm", cube, NULL, configs[i], HONE_ERR_NOT_FOUND,
               "has no kernel of 'gemm' with the configuration '");
    refuse(ctx, "gemm", cube, "wmma", "BM=64,SPLIT=4,V=128", HONE_ERR_NOT_FOUND,
           "has no kernel of 'gemm'");
    assert_contains(hone_error_text(ctx), "--config BM=64,SPLIT=4,V=128");
    refuse(ctx, "fft", cube, NULL, "A=1", HONE_ERR_NOT_FOUND,
           "has no kernel of 'fft'");
}

static void put_shapes(runtime_fixture *fixture)
{
    const tuned_row row = {.op = "gemm",
                           .types = "4",
                           .config = "BM=64,SPLIT=4,V=9",
                           .launch_plan = gemm_plan,
                           .cubin = gemm_cubin};

    pack_put_gemm(fixture, 4096, "BM=64,SPLIT=4,V=128", 0);
    runtime_put_default(fixture, &row);
}

static void other_shapes_and_defaults(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    pack_file pack;

    put_shapes(fixture);
    check_other_shapes(ctx);
    check_lacks(ctx);
    hone_close(ctx);
    pack = pack_make(fixture, "a.pack");
    assert_hone(ctx, hone_open(pack.path, &ctx), HONE_OK);
    check_other_shapes(ctx);
    check_lacks(ctx);
    hone_close(ctx);
    hone__text_free(&pack.bytes);
}

static void mistakes(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    const char *config = "BM=64,SPLIT=4,V=128";

    put_shapes(fixture);
    refuse(ctx, "gemm", cube, NULL, NULL, HONE_ERR_ARGUMENT, "config is NULL");
    refuse(ctx, NULL, cube, NULL, config, HONE_ERR_ARGUMENT, "op is NULL");
    refuse(ctx, "gemm", NULL, NULL, config, HONE_ERR_ARGUMENT, "dims is NULL");
    refuse(NULL, "gemm", cube, NULL, config, HONE_ERR_ARGUMENT, "ctx is NULL");
    assert_int_equal(
        hone_plan_create_config(ctx, "gemm", cube, 4, NULL, config, NULL, NULL),
        HONE_ERR_ARGUMENT);
    runtime_sql(fixture->path,
                "UPDATE variant SET launch_lines = launch_lines || 'x'");
    refuse(ctx, "gemm", cube, NULL, config, HONE_ERR_DATABASE, "is damaged");
    hone_close(ctx);
}

static hone_status live(const runtime_fixture *fixture)
{
    hone_plan *plan = NULL;
    hone_ctx *ctx = NULL;
    hone_status status = hone_open(fixture->path, &ctx);

    if (status == HONE_OK)
        status = hone_plan_create_config(ctx, "gemm", cube, 4, "axpy.cu",
                                         "BM=64,SPLIT=4,V=2", &plan, NULL);
    hone_plan_destroy(plan);
    hone_close(ctx);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    put_ranking(*state);
    runtime_short_of_memory(*state, live);
}

/* ---- memory -------------------------------------------------------------- */

static void workspace_of_a_plan(void **state)
{
    static const int64_t deep[] = {64, 64, 128, HONE_TYPE_F32};
    const int64_t n = 1024;
    hone_ctx *ctx = runtime_open(*state);
    hone_plan *plan = NULL;
    size_t bytes = 1;

    pack_put_all(*state);
    assert_hone(ctx, hone_plan_create(ctx, "gemm", deep, 4, &plan, NULL),
                HONE_OK);
    assert_hone(ctx, hone_plan_workspace_bytes(plan, &bytes), HONE_OK);
    /* 4 x 64 x 64 floats, and a block with one ticket. */
    assert_int_equal(bytes, 4 * 64 * 64 * 4 + 256);
    assert_int_equal(fake_n_allocations(), 0);
    assert_hone(ctx, hone_plan_prepare(plan, NULL), HONE_OK);
    assert_int_equal(fake_n_allocations(), 2);
    assert_hone(ctx, hone_plan_workspace_bytes(plan, NULL), HONE_ERR_ARGUMENT);
    assert_hone(ctx, hone_plan_workspace_bytes(NULL, &bytes),
                HONE_ERR_ARGUMENT);
    hone_plan_destroy(plan);
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                HONE_OK);
    assert_hone(ctx, hone_plan_workspace_bytes(plan, &bytes), HONE_OK);
    assert_int_equal(bytes, 0);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(any_place_of_a_ranking),
        WITH_DATABASE(other_shapes_and_defaults),
        WITH_DATABASE(mistakes),
        WITH_DATABASE(any_allocation_may_fail),
        WITH_DATABASE(workspace_of_a_plan),
    };

    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
