/* SPDX-License-Identifier: Apache-2.0 */
/* The cpu device as a device: what is known of this machine, which rows
 * answer, and how a hone_ctx comes to be for it. */
#include "tests/runtime/host_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void this_machine_as_a_device(void **state)
{
    char name[300];
    hone_properties properties;
    hone_properties gpu;

    (void)state;
    hone__properties_of_host(&properties);
    assert_int_equal(hone__properties_of_arch("sm_90", &gpu, NULL), HONE_OK);
    assert_int_equal(properties.value[HONE_PROPERTY_sm_count],
                     sysconf(_SC_NPROCESSORS_ONLN));
    assert_int_equal(properties.value[HONE_PROPERTY_memory],
                     (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    assert_true(properties.value[HONE_PROPERTY_l2] > 0);
    assert_int_equal(properties.value[HONE_PROPERTY_smem_optin],
                     gpu.value[HONE_PROPERTY_smem_optin]);
    assert_int_equal(properties.value[HONE_PROPERTY_sm], 90);
    assert_int_equal(hone__host_name(name, sizeof name, NULL), HONE_OK);
    assert_contains(name, ", ");
    assert_in_range(strlen(name), 4, HONE_HOST_NAME_BYTES - 1);
    assert_null(strchr(name, '\n'));
    assert_true(name[strlen(name) - 1] != ' ');
    assert_int_equal(hone__host_name(name, 5, NULL), HONE_OK);
    assert_int_equal(strlen(name), 4);
    assert_memory_equal(name, host_device_name, 4);
}

/* Ask, and compare what was chosen: kind and config. */
static void expect(const runtime_fixture *fixture, int64_t n,
                   hone_match_kind kind, const char *config)
{
    hone_ctx *ctx = host_open(fixture);
    hone_plan *plan = NULL;
    hone_match match;

    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, &match),
                HONE_OK);
    assert_string_equal(match.config, config);
    assert_int_equal(match.kind, kind);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void the_same_rules_as_on_a_gpu(void **state)
{
    runtime_fixture *fixture = *state;
    const tuned_row fallback =
        host_row((tuned_row){.config = "A=default", .launch_plan = axpy_plan});

    host_put(fixture,
             (tuned_row){.sm_count = host_n_cores + 1, .config = "A=cores"});
    expect(fixture, HOST_N, HONE_MATCH_FAMILY, "A=cores");
    host_refuse_n(fixture, 3, HONE_ERR_NOT_FOUND,
                  "cores; the database has it for cpu");
    host_refuse_n(fixture, 3, HONE_ERR_NOT_FOUND,
                  "run: hone tune axpy --dims 3 --device cpu");
    host_put(fixture,
             (tuned_row){.device_name = "other, CPU", .config = "A=1"});
    expect(fixture, HOST_N, HONE_MATCH_EXACT, "A=1");
    host_put(fixture, (tuned_row){.config = "A=2"});
    expect(fixture, HOST_N, HONE_MATCH_EXACT, "A=2");
    expect(fixture, 2 * HOST_N, HONE_MATCH_NEIGHBOUR, "A=2");
    runtime_put_default(fixture, &fallback);
    expect(fixture, 3, HONE_MATCH_DEFAULT, "A=default");
}

static void rows_of_gpus_do_not_count(void **state)
{
    static const int64_t dims[] = {HOST_N};
    runtime_fixture *fixture = *state;
    tuned_row row = {.dims = dims,
                     .n_dims = 1,
                     .sm_count = host_n_cores,
                     .device_name = host_device_name,
                     .is_default = 1,
                     .launch_plan = axpy_plan,
                     .cubin = host_objects[0].data,
                     .cubin_bytes = host_objects[0].length,
                     .time_ns = 1};

    runtime_put(fixture, &row);
    host_refuse(fixture, HONE_ERR_NOT_FOUND,
                "which has none for the cpu device; run: hone tune axpy "
                "--dims 1000 --device cpu --db ");
    host_put(fixture, (tuned_row){.config = "A=cpu", .time_ns = 2000});
    expect(fixture, HOST_N, HONE_MATCH_EXACT, "A=cpu");
}

static void the_device_is_chosen_first(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    hone_plan *plan;

    host_put_both(fixture);
    assert_int_equal(hone_device_select(NULL, "cpu"), HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(NULL), "ctx is NULL");
    assert_int_equal(hone_device_select(ctx, NULL), HONE_ERR_ARGUMENT);
    assert_int_equal(hone_device_select(ctx, "CPU"), HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "'CPU'; it is 'cuda' or 'cpu'");
    assert_hone(ctx, hone_device_select(ctx, "cpu"), HONE_OK);
    assert_hone(ctx, hone_device_select(ctx, "cuda"), HONE_OK);
    assert_hone(ctx, hone_device_select(ctx, "cpu"), HONE_OK);
    plan = host_plan_of(ctx, "axpy", HOST_N);
    assert_hone(ctx, hone_device_select(ctx, "cpu"), HONE_OK);
    assert_int_equal(hone_device_select(ctx, "cuda"), HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "right after hone_open()");
    assert_true(host_run_axpy(ctx, plan) == 3.0f);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void the_environment_names_a_device(void **state)
{
    const int64_t n = HOST_N;
    runtime_fixture *fixture = *state;
    hone_plan *plan = NULL;
    hone_ctx *ctx;

    host_put_both(fixture);
    (void)setenv("HONE_DEVICE", "cpu", 1);
    ctx = runtime_open(fixture);
    plan = host_plan_of(ctx, "axpy", HOST_N);
    assert_true(host_run_axpy(ctx, plan) == 3.0f);
    hone_plan_destroy(plan);
    hone_close(ctx);
    ctx = runtime_open(fixture);
    assert_hone(ctx, hone_device_select(ctx, "cuda"), HONE_OK);
    assert_int_equal(hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                     HONE_ERR_NO_GPU);
    hone_close(ctx);
    (void)setenv("HONE_DEVICE", "gpu", 1);
    assert_int_equal(hone_open(fixture->path, &ctx), HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "HONE_DEVICE: there is no device");
    assert_int_equal(hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                     HONE_ERR_DATABASE);
    hone_close(ctx);
    (void)setenv("HONE_DEVICE", "", 1);
    ctx = runtime_open(fixture);
    assert_int_equal(hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                     HONE_ERR_NO_GPU);
    hone_close(ctx);
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, host_setup, host_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_machine_as_a_device),
        WITH_DATABASE(the_same_rules_as_on_a_gpu),
        WITH_DATABASE(rows_of_gpus_do_not_count),
        WITH_DATABASE(the_device_is_chosen_first),
        WITH_DATABASE(the_environment_names_a_device),
    };

    return cmocka_run_group_tests_name("host_device", tests, host_load_objects,
                                       host_free_objects);
}
