/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel a problem gets: exact, neighbour with its guards, default, or
 * a sentence that says what there is. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/store/code_arch.h"
#include "runtime/store/store.h"

#include <stdio.h>
#include <string.h>

static void put(runtime_fixture *fixture, const char *op, int64_t m, int64_t n,
                int64_t k, const char *config)
{
    const int is_gemm = strcmp(op, "gemm") == 0;
    const int64_t dims[] = {m, n, k, HONE_TYPE_F32};
    const tuned_row row = {.op = op,
                           .dims = dims,
                           .n_dims = is_gemm ? 4 : 1,
                           .types = is_gemm ? "4" : "",
                           .label = config,
                           .config = config,
                           .launch_plan = is_gemm ? gemm_plan : axpy_plan,
                           .cubin = is_gemm ? gemm_cubin : axpy_cubin};

    runtime_put(fixture, &row);
}

static void put_row(runtime_fixture *fixture, tuned_row row)
{
    static const int64_t dims[] = {1024};

    row.dims = row.dims ? row.dims : dims;
    row.n_dims = row.n_dims ? row.n_dims : 1;
    row.launch_plan = row.launch_plan ? row.launch_plan : axpy_plan;
    row.cubin = row.cubin ? row.cubin : axpy_cubin;
    runtime_put(fixture, &row);
}

static void put_default(runtime_fixture *fixture, const char *compile_arch,
                        const char *types, const char *config)
{
    const tuned_row row = {.op = "axpy",
                           .compile_arch = compile_arch,
                           .types = types,
                           .config = config,
                           .launch_plan = axpy_plan,
                           .cubin = axpy_cubin};

    runtime_put_default(fixture, &row);
}

/* Ask, and compare what was chosen: kind and config. */
static void expect(const runtime_fixture *fixture, const char *op,
                   const int64_t *dims, size_t n_dims, hone_match_kind kind,
                   const char *config)
{
    hone_ctx *ctx = runtime_open(fixture);
    hone_plan *plan = NULL;
    hone_match match;

    assert_hone(ctx, hone_plan_create(ctx, op, dims, n_dims, &plan, &match),
                HONE_OK);
    if (strcmp(match.config, config) != 0 || match.kind != kind)
        print_error("%s\n", match.reason);
    assert_string_equal(match.config, config);
    assert_int_equal(match.kind, kind);
    assert_true(match.reason[0]);
    assert_int_equal(match.tuned_time_ns,
                     kind == HONE_MATCH_DEFAULT ? 0 : 1000);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void refuse(const runtime_fixture *fixture, const char *op,
                   const int64_t *dims, size_t n_dims, hone_status status,
                   const char *part)
{
    hone_ctx *ctx = runtime_open(fixture);
    hone_plan *plan = NULL;

    assert_int_equal(hone_plan_create(ctx, op, dims, n_dims, &plan, NULL),
                     status);
    assert_null(plan);
    assert_contains(hone_error_text(ctx), part);
    hone_close(ctx);
}

static void expect_axpy(const runtime_fixture *fixture, int64_t n,
                        hone_match_kind kind, const char *config)
{
    expect(fixture, "axpy", &n, 1, kind, config);
}

static void refuse_axpy(const runtime_fixture *fixture, int64_t n,
                        const char *part)
{
    refuse(fixture, "axpy", &n, 1, HONE_ERR_NOT_FOUND, part);
}

static void exact_and_neighbours(void **state)
{
    runtime_fixture *fixture = *state;

    put(fixture, "axpy", 1 << 20, 0, 0, "A=1");
    put(fixture, "axpy", 1 << 16, 0, 0, "A=2");
    put(fixture, "axpy", 1 << 26, 0, 0, "A=3");
    expect_axpy(fixture, 1 << 20, HONE_MATCH_EXACT, "A=1");
    expect_axpy(fixture, 1 << 16, HONE_MATCH_EXACT, "A=2");
    expect_axpy(fixture, (1 << 20) + 16, HONE_MATCH_NEIGHBOUR, "A=1");
    expect_axpy(fixture, 1 << 22, HONE_MATCH_NEIGHBOUR, "A=1");
    expect_axpy(fixture, 1 << 14, HONE_MATCH_NEIGHBOUR, "A=2");
    expect_axpy(fixture, 1 << 17, HONE_MATCH_NEIGHBOUR, "A=2");
    expect_axpy(fixture, 1 << 25, HONE_MATCH_NEIGHBOUR, "A=3");
    /* 4.0001 times, and worse aligned than what was tuned: no neighbour. */
    refuse_axpy(fixture, (1 << 22) + 16, "nothing tuned for axpy on sm_90");
    refuse_axpy(fixture, (1 << 20) + 8, "run: hone tune axpy --dims 1048584");
    refuse_axpy(fixture, (1 << 14) - 16, "132 multiprocessors");
}

static void alignment_is_no_obstacle_upwards(void **state)
{
    runtime_fixture *fixture = *state;

    put(fixture, "axpy", 1000004, 0, 0, "A=1");
    expect_axpy(fixture, 1000008, HONE_MATCH_NEIGHBOUR, "A=1");
    expect_axpy(fixture, 1000000, HONE_MATCH_NEIGHBOUR, "A=1");
    refuse_axpy(fixture, 1000002, "nothing tuned");
    refuse_axpy(fixture, 1000001, "nothing tuned");
}

static void neighbours_are_near_in_every_dim(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t same_size[] = {64, 64, 16384};
    const int64_t near[] = {512, 1024, 1024};
    const int64_t bf16[] = {1024, 1024, 1024, HONE_TYPE_BF16};
    const int64_t uneven[] = {1024, 1024, 1026};
    const int64_t exact[] = {1024, 1024, 1024, HONE_TYPE_F32};

    put(fixture, "gemm", 1024, 1024, 1024, "A=1");
    put(fixture, "gemm", 512, 2048, 1024, "A=2");
    put(fixture, "gemm", 4096, 4096, 4, "A=3");
    expect(fixture, "gemm", exact, 3, HONE_MATCH_EXACT, "A=1");
    expect(fixture, "gemm", exact, 4, HONE_MATCH_EXACT, "A=1");
    expect(fixture, "gemm", near, 3, HONE_MATCH_NEIGHBOUR, "A=1");
    refuse(fixture, "gemm", same_size, 3, HONE_ERR_NOT_FOUND, "nothing");
    refuse(fixture, "gemm", bf16, 4, HONE_ERR_NOT_FOUND,
           "hone tune gemm --dims 1024,1024,1024,bf16");
    refuse(fixture, "gemm", uneven, 3, HONE_ERR_NOT_FOUND, "nothing");
}

static void requires_are_checked_again(void **state)
{
    static const char strict[] = "hone-launch 1\nop axpy\ndim n int\n"
                                 "require n % 64 == 0\n"
                                 "launch axpy\ngrid 1\nblock 1\n";
    runtime_fixture *fixture = *state;
    const int64_t near[] = {1024 + 64};
    const int64_t far[] = {2048};

    put_row(fixture, (tuned_row){.config = "A=strict",
                                 .dims = near,
                                 .launch_plan = strict,
                                 .cubin = "axpy 0"});
    put_row(fixture, (tuned_row){.config = "A=easy", .dims = far});
    expect_axpy(fixture, 1024, HONE_MATCH_NEIGHBOUR, "A=strict");
    expect_axpy(fixture, 1024 + 16, HONE_MATCH_NEIGHBOUR, "A=easy");
    refuse_axpy(fixture, 480, "'n % 64 == 0', which does not hold");
}

static void other_architectures_do_not_count(void **state)
{
    runtime_fixture *fixture = *state;

    put_row(fixture, (tuned_row){.arch = "sm_80", .sm_count = 108});
    refuse_axpy(fixture, 1024, "nothing tuned for axpy on sm_90 with 132");
    fake_device(80, 108, "Fake A100");
    expect_axpy(fixture, 1024, HONE_MATCH_EXACT, "BLOCK=256");
    fake_device(87, 16, "Fake Orin");
    refuse_axpy(fixture, 1024, "nothing tuned for axpy on sm_87 with 16");
}

/* Another number of multiprocessors: a card that has fewer, a MIG slice. */
static void other_counts_are_family(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t near[] = {2048};

    put_row(fixture, (tuned_row){.sm_count = 78, .config = "A=78"});
    expect_axpy(fixture, 1024, HONE_MATCH_FAMILY, "A=78");
    expect_axpy(fixture, 4096, HONE_MATCH_FAMILY, "A=78");
    refuse_axpy(fixture, 4096 + 16, "nothing tuned");
    refuse_axpy(fixture, 1026, "nothing tuned");
    /* The nearest in shape and multiprocessors together: 1 + 0.76, 3.04. */
    put_row(fixture, (tuned_row){.sm_count = 16, .config = "A=16"});
    expect_axpy(fixture, 1024, HONE_MATCH_FAMILY, "A=78");
    put_row(fixture,
            (tuned_row){.sm_count = 114, .config = "A=114", .dims = near});
    expect_axpy(fixture, 1024, HONE_MATCH_FAMILY, "A=78");
    expect_axpy(fixture, 1536, HONE_MATCH_FAMILY, "A=114");
    /* One of this device comes first, whatever its distance. */
    put_row(fixture, (tuned_row){.config = "A=132", .dims = near});
    expect_axpy(fixture, 1024, HONE_MATCH_NEIGHBOUR, "A=132");
    fake_device(90, 78, "Fake H200");
    expect_axpy(fixture, 1024, HONE_MATCH_EXACT, "A=78");
}

/* An older minor version of the same major one, the same one before it. */
static void older_minor_versions_are_family(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t far[] = {4096};

    put_row(fixture, (tuned_row){.arch = "sm_80",
                                 .compile_arch = "sm_80",
                                 .sm_count = 108,
                                 .config = "A=80"});
    put_row(fixture, (tuned_row){.arch = "sm_89",
                                 .compile_arch = "sm_89",
                                 .sm_count = 84,
                                 .config = "A=89"});
    put_default(fixture, "sm_80", "", "A=default");
    fake_device(86, 84, "Fake A10");
    expect_axpy(fixture, 1024, HONE_MATCH_FAMILY, "A=80");
    expect_axpy(fixture, 64, HONE_MATCH_DEFAULT, "A=default");
    put_row(fixture, (tuned_row){.arch = "sm_86",
                                 .compile_arch = "sm_86",
                                 .sm_count = 28,
                                 .config = "A=86",
                                 .dims = far});
    expect_axpy(fixture, 1024, HONE_MATCH_FAMILY, "A=86");
    fake_device(89, 58, "Fake L4");
    expect_axpy(fixture, 1024, HONE_MATCH_FAMILY, "A=89");
    /* Code for one architecture alone is no other's. */
    put_row(fixture, (tuned_row){.arch = "sm_100",
                                 .compile_arch = "sm_100a",
                                 .sm_count = 148,
                                 .config = "A=100"});
    fake_device(103, 148, "Fake B300");
    refuse_axpy(fixture, 1024, "nothing tuned for axpy on sm_103");
    fake_device(100, 132, "Fake B100");
    expect_axpy(fixture, 1024, HONE_MATCH_FAMILY, "A=100");
}

static void family_checks_requires_on_this_device(void **state)
{
    static const char strict[] = "hone-launch 1\nop axpy\ndim n int\n"
                                 "require device.sm_count >= 100\n"
                                 "launch axpy\ngrid 1\nblock 1\n";
    runtime_fixture *fixture = *state;

    put_row(
        fixture,
        (tuned_row){.config = "A=1", .launch_plan = strict, .cubin = "axpy 0"});
    fake_device(90, 114, "Fake H100");
    expect_axpy(fixture, 1024, HONE_MATCH_FAMILY, "A=1");
    fake_device(90, 16, "Fake H200 MIG 1g");
    refuse_axpy(fixture, 1024, "which does not hold");
}

static void family_says_where_it_was_tuned(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t n = 1024;
    hone_plan *plan = NULL;
    hone_match match;
    hone_ctx *ctx;

    put_row(fixture, (tuned_row){.label = "n=1024"});
    fake_device(90, 16, "Fake H200 MIG 1g");
    ctx = runtime_open(fixture);
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, &match),
                HONE_OK);
    assert_contains(match.reason, "nothing is tuned on sm_90 with 16 multi");
    assert_contains(match.reason, "tuned on Fake H200 (sm_90 with 132)");
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* What was compiled for the cpu device is code of another kind: not even its
 * operations are known here. */
static void rows_of_the_cpu_do_not_count(void **state)
{
    runtime_fixture *fixture = *state;
    const tuned_row fallback = {.op = "axpy",
                                .compile_arch = "cpu",
                                .launch_plan = axpy_plan,
                                .cubin = axpy_cubin};

    put_row(fixture, (tuned_row){.device_kind = "cpu",
                                 .device_name = "Fake H200",
                                 .arch = "cpu",
                                 .is_default = 1});
    runtime_put_default(fixture, &fallback);
    refuse_axpy(fixture, 1024, "which has none; run: hone tune axpy");
    put_row(fixture, (tuned_row){.config = "A=gpu", .time_ns = 1000});
    expect_axpy(fixture, 1024, HONE_MATCH_EXACT, "A=gpu");
    refuse_axpy(fixture, 3, "the database has it for sm_90");
}

static void the_same_device_is_preferred(void **state)
{
    runtime_fixture *fixture = *state;

    put_row(fixture, (tuned_row){.device_name = "Fake H100",
                                 .config = "A=100",
                                 .time_ns = 1000});
    expect_axpy(fixture, 1024, HONE_MATCH_EXACT, "A=100");
    put_row(fixture, (tuned_row){.mode = "hot", .config = "A=hot"});
    expect_axpy(fixture, 1024, HONE_MATCH_EXACT, "A=hot");
    put_row(fixture, (tuned_row){.config = "A=cold"});
    expect_axpy(fixture, 1024, HONE_MATCH_EXACT, "A=cold");
}

static void defaults_fit_architecture_and_types(void **state)
{
    runtime_fixture *fixture = *state;

    put_default(fixture, "sm_80", "", "A=80");
    refuse_axpy(fixture, 5, "the database has it for sm_80");
    put_default(fixture, "sm_90", "", "A=90");
    expect_axpy(fixture, 5, HONE_MATCH_DEFAULT, "A=90");
    fake_device(86, 84, "Fake A10");
    expect_axpy(fixture, 5, HONE_MATCH_DEFAULT, "A=80");
    fake_device(100, 148, "Fake B200");
    refuse_axpy(fixture, 5, "nothing tuned for axpy on sm_100");
    fake_device(75, 40, "Fake T4");
    refuse_axpy(fixture, 5, "nothing tuned for axpy on sm_75");
}

static void defaults_of_other_types_are_none(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t f32[] = {5, 6, 8, HONE_TYPE_F32};
    const int64_t f16[] = {5, 6, 8, HONE_TYPE_F16};
    const tuned_row row = {.op = "gemm",
                           .types = "4",
                           .launch_plan = gemm_plan,
                           .cubin = gemm_cubin};

    runtime_put_default(fixture, &row);
    expect(fixture, "gemm", f32, 3, HONE_MATCH_DEFAULT, "BLOCK=256");
    expect(fixture, "gemm", f32, 4, HONE_MATCH_DEFAULT, "BLOCK=256");
    refuse(fixture, "gemm", f16, 4, HONE_ERR_NOT_FOUND, "5,6,8,f16");
}

static void a_default_winner_is_a_default(void **state)
{
    runtime_fixture *fixture = *state;

    put_row(fixture, (tuned_row){.is_default = 1, .config = "A=1"});
    expect_axpy(fixture, 1024, HONE_MATCH_EXACT, "A=1");
    expect_axpy(fixture, 3, HONE_MATCH_DEFAULT, "A=1");
}

static void binary_compatibility(void **state)
{
    (void)state;
    assert_true(hone__arch_runs_on("sm_90", 90));
    assert_true(hone__arch_runs_on("sm_80", 86));
    assert_true(hone__arch_runs_on("sm_80", 89));
    assert_false(hone__arch_runs_on("sm_86", 80));
    assert_false(hone__arch_runs_on("sm_80", 90));
    assert_false(hone__arch_runs_on("sm_90", 100));
    assert_true(hone__arch_runs_on("sm_90a", 90));
    assert_false(hone__arch_runs_on("sm_100a", 103));
    assert_true(hone__arch_runs_on("sm_100f", 103));
    assert_true(hone__arch_runs_on("sm_120", 121));
    /* Chips with a processor beside the GPU take their own code alone. */
    assert_false(hone__arch_runs_on("sm_80", 87));
    assert_true(hone__arch_runs_on("sm_87", 87));
    assert_false(hone__arch_runs_on("sm_87", 89));
    assert_false(hone__arch_runs_on("sm_100f", 101));
    assert_false(hone__arch_runs_on("native", 90));
    assert_false(hone__arch_runs_on("sm_", 90));
    assert_false(hone__arch_runs_on("sm_90x", 90));
    assert_false(hone__arch_runs_on("", 0));
}

static void families(void **state)
{
    (void)state;
    assert_int_equal(hone__arch_family_distance("sm_90", "sm_90"), 0);
    assert_int_equal(hone__arch_family_distance("cpu", "cpu"), 0);
    assert_int_equal(hone__arch_family_distance("sm_80", "sm_86"), 6);
    assert_int_equal(hone__arch_family_distance("sm_86", "sm_80"), -1);
    assert_int_equal(hone__arch_family_distance("sm_80", "sm_90"), -1);
    assert_int_equal(hone__arch_family_distance("sm_86", "sm_87"), -1);
    assert_int_equal(hone__arch_family_distance("cpu", "sm_90"), -1);
    assert_int_equal(hone__arch_family_distance("sm_90", "cpu"), -1);
}

/* What was tuned with a template that has changed since is not used, and
 * the answer says so. */
static void winners_of_older_templates(void **state)
{
    static const char newer[] = "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2"
                                "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2";
    runtime_fixture *fixture = *state;
    const tuned_row row = {.launch_plan = axpy_plan,
                           .cubin = axpy_cubin,
                           .template_sha256 = newer};
    const int64_t n = 1024;
    hone_plan *plan = NULL;
    hone_match match;
    hone_ctx *ctx;

    put_row(fixture, (tuned_row){.config = "A=old"});
    expect_axpy(fixture, n, HONE_MATCH_EXACT, "A=old");
    runtime_put_default(fixture, &row);
    expect_axpy(fixture, n, HONE_MATCH_DEFAULT, "BLOCK=256");
    ctx = runtime_open(fixture);
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, &match),
                HONE_OK);
    assert_contains(match.reason, "(1 kernels of an older template");
    hone_plan_destroy(plan);
    hone_close(ctx);
    fake_device(80, 108, "Fake A100");
    refuse_axpy(fixture, n, "(1 kernels of an older template");
}

static void unknown_operation(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t n = 5;

    refuse(fixture, "axpy", &n, 1, HONE_ERR_NOT_FOUND, "which has none");
    put(fixture, "axpy", 64, 0, 0, "A=1");
    put(fixture, "gemm", 64, 64, 64, "A=1");
    refuse(fixture, "fft", &n, 1, HONE_ERR_NOT_FOUND,
           "which has axpy, gemm; run: hone tune fft");
    refuse(fixture, "", &n, 1, HONE_ERR_NOT_FOUND, "operation ''");
}

static void bad_dims(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t dims[9] = {-1, -1, 1, 1, 1, 1, 1, 1, 1};

    put(fixture, "axpy", 64, 0, 0, "A=1");
    refuse(fixture, "axpy", dims, 1, HONE_ERR_DIMS, "dim n of axpy(n) is -1");
    refuse(fixture, "axpy", dims + 1, 1, HONE_ERR_DIMS, "is -1");
    refuse(fixture, "axpy", dims, 0, HONE_ERR_DIMS, "1 dims, not 0");
    refuse(fixture, "axpy", NULL, 0, HONE_ERR_DIMS, "1 dims, not 0");
    refuse(fixture, "axpy", dims, 9, HONE_ERR_DIMS, "1 dims, not 9");
    refuse(fixture, "axpy", NULL, 1, HONE_ERR_ARGUMENT, "dims is NULL");
}

/* Whatever was tuned serves where nothing is to be done. */
static void nothing_to_write(void **state)
{
    runtime_fixture *fixture = *state;
    hone_plan *plan = NULL;
    hone_match match;
    hone_ctx *ctx;

    put(fixture, "axpy", 1 << 20, 0, 0, "A=1");
    ctx = runtime_open(fixture);
    assert_hone(ctx,
                hone_plan_create(ctx, "axpy", &(int64_t){0}, 1, &plan, &match),
                HONE_OK);
    assert_contains(match.reason, "nothing is to be written");
    assert_int_equal(match.kind, HONE_MATCH_DEFAULT);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* Eight numbers of nineteen digits. */
static void the_longest_dims(void **state)
{
    char plan[600] = "hone-launch 2\nop axpy\n",
         types[] = "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
    runtime_fixture *fixture = *state;
    int64_t dims[HONE_MAX_DIMS];
    const tuned_row row = {
        .types = types, .launch_plan = plan, .cubin = "axpy 0"};

    for (int i = 0; i < HONE_MAX_DIMS; ++i) {
        const size_t used = strlen(plan);

        (void)snprintf(plan + used, sizeof plan - used, "dim %c choice 0\n",
                       'a' + i);
    }
    (void)strcat(plan, "launch axpy\ngrid 1\nblock 1\n");
    assert_int_equal(sizeof types, 2 * HONE_MAX_DIMS);
    runtime_put_default(fixture, &row);
    for (size_t i = 0; i < HONE_MAX_DIMS; ++i)
        dims[i] = INT64_MAX - (int64_t)i;
    refuse(fixture, "axpy", dims, HONE_MAX_DIMS, HONE_ERR_NOT_FOUND,
           "9223372036854775789,9223372036854775788");
    expect(fixture, "axpy", NULL, 0, HONE_MATCH_DEFAULT, "BLOCK=256");
}

static void unreadable_launch_plan(void **state)
{
    runtime_fixture *fixture = *state;

    put_row(fixture,
            (tuned_row){.launch_plan = "hone-launch 9\n", .config = "A=9"});
    refuse(fixture, "axpy", &(const int64_t){1024}, 1, HONE_ERR_INPUT,
           "a newer hone may have written this");
    put_default(fixture, "sm_90", "", "A=1");
    expect_axpy(fixture, 1024, HONE_MATCH_DEFAULT, "A=1");
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(exact_and_neighbours),
        WITH_DATABASE(alignment_is_no_obstacle_upwards),
        WITH_DATABASE(neighbours_are_near_in_every_dim),
        WITH_DATABASE(requires_are_checked_again),
        WITH_DATABASE(other_architectures_do_not_count),
        WITH_DATABASE(other_counts_are_family),
        WITH_DATABASE(older_minor_versions_are_family),
        WITH_DATABASE(family_checks_requires_on_this_device),
        WITH_DATABASE(family_says_where_it_was_tuned),
        WITH_DATABASE(rows_of_the_cpu_do_not_count),
        WITH_DATABASE(the_same_device_is_preferred),
        WITH_DATABASE(defaults_fit_architecture_and_types),
        WITH_DATABASE(defaults_of_other_types_are_none),
        WITH_DATABASE(a_default_winner_is_a_default),
        cmocka_unit_test(binary_compatibility),
        cmocka_unit_test(families),
        WITH_DATABASE(winners_of_older_templates),
        WITH_DATABASE(unknown_operation),
        WITH_DATABASE(bad_dims),
        WITH_DATABASE(nothing_to_write),
        WITH_DATABASE(the_longest_dims),
        WITH_DATABASE(unreadable_launch_plan),
    };

    return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
