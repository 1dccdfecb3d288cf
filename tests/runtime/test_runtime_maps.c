/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps in plans, on the fake driver: what a kernel gets, for which
 * pointers and streams, and what is said where there can be no map. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

static const char copy_plan[] = "hone-launch 2\n"
                                "op copy\n"
                                "dim M int\n"
                                "dim K int\n"
                                "param BM 64\n"
                                "param SWIZZLE 128\n"
                                "arg x in 1 M*K\n"
                                "arg y out 1 M*K\n"
                                "workspace part 4 zero M > 100 ? 4*M : 0\n"
                                "tensormap X_MAP x\n"
                                "map dims K ; M\n"
                                "map strides 2*K\n"
                                "map box 64 ; BM\n"
                                "map swizzle SWIZZLE\n"
                                "map l2 256\n"
                                "tensormap P_MAP part\n"
                                "map if M > 100\n"
                                "map dims 4*M\n"
                                "map box 128\n"
                                "map fill 1\n"
                                "launch copy\n"
                                "grid ceildiv(K,64) ; ceildiv(M,BM)\n"
                                "block 128\n"
                                "pass y\n"
                                "pass X_MAP\n"
                                "pass P_MAP\n"
                                "value i32 M\n"
                                "launch tail\n"
                                "grid 1\n"
                                "block 32\n"
                                "pass X_MAP\n";
static const char copy_cubin[] = "copy 0 8,128,128,4\ntail 0 128";

static uint64_t x_device = 0x10000;
static uint64_t y_device = 0x20008;
static void *args[] = {&x_device, &y_device};

static hone_ctx *open_copy(void **state)
{
    const tuned_row row = {
        .op = "copy", .launch_plan = copy_plan, .cubin = copy_cubin};

    runtime_put_default(*state, &row);
    x_device = 0x10000;
    args[0] = &x_device;
    return runtime_open(*state);
}

static hone_plan *plan_of(hone_ctx *ctx, int64_t m, int64_t k)
{
    const int64_t dims[] = {m, k};
    hone_plan *plan = NULL;

    assert_hone(ctx, hone_plan_create(ctx, "copy", dims, 2, &plan, NULL),
                HONE_OK);
    return plan;
}

static void what_kernels_get(void **state)
{
    hone_ctx *ctx = open_copy(state);
    hone_plan *plan = plan_of(ctx, 90, 512);
    const fake_map *map = fake_map_at(0);

    assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                HONE_OK);
    assert_int_equal(fake_n_maps(), 1);
    assert_int_equal(map->type, 6);
    assert_int_equal(map->rank, 2);
    assert_int_equal(map->address, 0x10000);
    assert_int_equal(map->dims[0], 512);
    assert_int_equal(map->dims[1], 90);
    assert_int_equal(map->strides[0], 1024);
    assert_int_equal(map->box[0], 64);
    assert_int_equal(map->box[1], 64);
    assert_int_equal(map->steps[0], 1);
    assert_int_equal(map->steps[1], 1);
    assert_int_equal(map->modes[0], 0);
    assert_int_equal(map->modes[1], 3);
    assert_int_equal(map->modes[2], 3);
    assert_int_equal(map->modes[3], 0);
    assert_int_equal(fake_n_launches(), 2);
    assert_int_equal(fake_launch_at(0)->params[0], 0x20008);
    assert_int_equal(fake_launch_at(0)->params[1], 0x10000);
    assert_int_equal(fake_launch_at(0)->params[2], 0); /* if M > 100 */
    assert_int_equal(fake_launch_at(0)->params[3], 90);
    assert_int_equal(fake_launch_at(0)->grid[1], 2);
    assert_int_equal(fake_launch_at(1)->params[0], 0x10000);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void one_map_for_a_pointer(void **state)
{
    hone_ctx *ctx = open_copy(state);
    hone_plan *plan = plan_of(ctx, 300, 64);

    for (uintptr_t i = 0; i < 12; ++i) {
        const uint64_t *got = fake_launch_at((long)i * 2)->params;

        x_device = 0x10000 * (1 + i % 3);
        assert_hone(ctx,
                    hone_plan_run(plan, args, HONE_COUNT(args),
                                  (hone_stream)(8 + 8 * (i % 2))),
                    HONE_OK);
        assert_int_equal(got[1], x_device);
        assert_true(got[2] != 0); /* the workspace of this stream */
        assert_int_equal(got[2], fake_launch_at((long)(i % 2) * 2)->params[2]);
    }
    /* Three of x, two of the workspace. */
    assert_int_equal(fake_n_maps(), 5);
    assert_true(fake_launch_at(0)->params[2] != fake_launch_at(2)->params[2]);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void by_shape_and_captured(void **state)
{
    const int64_t dims[] = {300, 64};
    const int64_t others[] = {200, 64};
    hone_ctx *ctx = open_copy(state);
    hone_plan *plan = plan_of(ctx, 300, 64);

    assert_hone(ctx, hone_plan_prepare(plan, NULL), HONE_OK);
    fake_capture(1);
    assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                HONE_OK);
    fake_capture(0);
    assert_int_equal(fake_n_maps(), 2);
    for (int i = 0; i < 3; ++i) {
        assert_hone(
            ctx,
            hone_launch(ctx, "copy", dims, 2, args, HONE_COUNT(args), NULL),
            HONE_OK);
        assert_hone(
            ctx,
            hone_launch(ctx, "copy", others, 2, args, HONE_COUNT(args), NULL),
            HONE_OK);
    }
    assert_int_equal(fake_n_maps(), 6);
    assert_int_equal(fake_map_at(4)->dims[1], 200);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void sizes_without_a_map(void **state)
{
    static const struct {
        int64_t dims[2];
        const char *part;
    } rows[] = {
        {{90, 60},
         "tensor map 'X_MAP': the stride of dimension 1 is 120 "
         "bytes, which is no multiple of 16; pad the rows of 'x'"},
        {{INT64_C(1) << 33, 64}, "dimension 1 is 8589934592"},
    };
    hone_ctx *ctx = open_copy(state);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_plan *plan = NULL;

        assert_int_equal(
            hone_plan_create(ctx, "copy", rows[i].dims, 2, &plan, NULL),
            HONE_ERR_NOT_FOUND);
        assert_null(plan);
        assert_contains(hone_error_text(ctx), rows[i].part);
        assert_contains(hone_error_text(ctx), "run: hone tune copy --dims");
    }
    hone_close(ctx);
}

static void pointers_without_a_map(void **state)
{
    hone_ctx *ctx = open_copy(state);
    hone_plan *plan = plan_of(ctx, 90, 64);

    x_device = 0x10004;
    assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx),
                    "tensor map 'X_MAP' cannot be made: 'x' lies at 0x10004, "
                    "which is no multiple of 16 bytes");
    args[0] = NULL;
    assert_hone(ctx, hone_plan_run(plan, args, HONE_COUNT(args), NULL),
                HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "args[0] is NULL");
    assert_int_equal(fake_n_launches(), 0);
    assert_int_equal(fake_n_maps(), 0);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void every_call_may_fail(void **state)
{
    hone_ctx *ctx = open_copy(state);
    hone_plan *plan = plan_of(ctx, 300, 64);
    hone_status status = HONE_ERR_CUDA;
    long n = 1;

    for (; status != HONE_OK; ++n) {
        assert_true(n < 50);
        fake_fail_call(n, 1);
        status = hone_plan_run(plan, args, HONE_COUNT(args), NULL);
        fake_fail_call(0, 0);
        assert_true(status == HONE_OK || status == HONE_ERR_CUDA);
    }
    assert_true(n > 5);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void memory_may_run_out(void **state)
{
    const int64_t dims[] = {300, 64};
    hone_ctx *ctx = open_copy(state);
    hone_status status = HONE_ERR_NO_MEMORY;

    for (long n = 0; status != HONE_OK; ++n) {
        hone_plan *plan = NULL;

        assert_true(n < 500);
        hone__alloc_fail_after(n);
        status = hone_plan_create(ctx, "copy", dims, 2, &plan, NULL);
        hone__alloc_fail_after(-1);
        assert_true(status == HONE_OK || status == HONE_ERR_NO_MEMORY);
        hone_plan_destroy(plan);
    }
    hone_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_kernels_get, runtime_setup,
                                        runtime_teardown),
        cmocka_unit_test_setup_teardown(one_map_for_a_pointer, runtime_setup,
                                        runtime_teardown),
        cmocka_unit_test_setup_teardown(by_shape_and_captured, runtime_setup,
                                        runtime_teardown),
        cmocka_unit_test_setup_teardown(sizes_without_a_map, runtime_setup,
                                        runtime_teardown),
        cmocka_unit_test_setup_teardown(pointers_without_a_map, runtime_setup,
                                        runtime_teardown),
        cmocka_unit_test_setup_teardown(every_call_may_fail, runtime_setup,
                                        runtime_teardown),
        cmocka_unit_test_setup_teardown(memory_may_run_out, runtime_setup,
                                        runtime_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
