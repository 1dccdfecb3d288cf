/* SPDX-License-Identifier: Apache-2.0 */
/* Launch plans that are not those of their kernels: too few arguments, too
 * many, others, a kernel that is not there. Hashes are right: somebody made
 * them on purpose. Such rows are left out, on CUDA and on the cpu device; none
 * is ever launched. */
#include "tests/runtime/host_fixture.h"

#include "runtime/execute/program.h"

#include <stdio.h>
#include <string.h>

#define AXPY(args, launch)                                                     \
    "hone-launch 7\nop axpy\ndim n int\n"                                      \
    "arg alpha scalar " args "\narg x in 4 n\narg y inout 4 n\n" launch
#define LAUNCH "launch axpy\ngrid (n + 31)/32\nblock 32\n"
#define PASSED "pass alpha\npass x\npass y\n"

/* The kernel has 4, 8, 8, 4, 8 bytes. */
static const char good[] =
    AXPY("4", LAUNCH PASSED "value i32 n\nvalue i64 4*n\n");
static const char cubin[] = "axpy 0 4,8,8,4,8";

static const struct {
    const char *plan;
    const char *reason;
} bad[] = {
    {AXPY("4", LAUNCH), "its parameter 1 takes 4 bytes and gets 0"},
    {AXPY("4", LAUNCH PASSED "value i32 n\n"),
     "its parameter 5 takes 8 bytes and gets 0"},
    {AXPY("4", LAUNCH PASSED "value i32 n\nvalue i64 4*n\nvalue i32 n\n"),
     "its parameter 6 takes 0 bytes and gets 4"},
    {AXPY("4", LAUNCH PASSED "value i64 n\nvalue i64 4*n\n"),
     "its parameter 4 takes 4 bytes and gets 8"},
    {AXPY("4", LAUNCH PASSED "value f64 n\nvalue i64 4*n\n"),
     "its parameter 4 takes 4 bytes and gets 8"},
    {AXPY("4", LAUNCH PASSED "value i32 n\nvalue f32 n\n"),
     "its parameter 5 takes 8 bytes and gets 4"},
    {AXPY("5", LAUNCH PASSED "value i32 n\nvalue i64 4*n\n"),
     "its parameter 1 takes 4 bytes and gets 8"},
    {AXPY("2", LAUNCH PASSED "value i32 n\nvalue i64 4*n\n"),
     "its parameter 1 takes 4 bytes and gets 2"},
    {AXPY("4", LAUNCH "pass x\npass alpha\npass y\nvalue i32 n\n"
                      "value i64 4*n\n"),
     "its parameter 1 takes 4 bytes and gets 8"},
    {AXPY("4", "launch missing\ngrid 1\nblock 32\n" PASSED),
     "no kernel 'missing'"},
    {AXPY("4", LAUNCH PASSED "value i32 n\nvalue i64 4*n\n"
                             "launch axpy\ngrid 1\nblock 32\npass alpha\n"),
     "its parameter 2 takes 8 bytes and gets 0"},
    {AXPY("4", "launch axpy\nrepeat I 3\ngrid 1\nblock 32\npick alpha x ; I%2\n"
               "pass x\npass y\nvalue i32 n\nvalue i64 4*n\n"),
     "parameters of different sizes"},
};

static void put(runtime_fixture *fixture, int on_cpu, const char *plan,
                const char *config)
{
    const int64_t n = HOST_N;
    tuned_row row = {.dims = &n,
                     .n_dims = 1,
                     .launch_plan = plan,
                     .config = config,
                     .cubin = cubin};

    if (on_cpu) {
        row.cubin = NULL;
        host_put(fixture, row);
    } else {
        runtime_put(fixture, &row);
    }
}

static void put_default(runtime_fixture *fixture, int on_cpu)
{
    tuned_row row = {.launch_plan = good, .config = "A=good", .cubin = cubin};

    if (on_cpu) {
        row.cubin = NULL;
        row = host_row(row);
    }
    runtime_put_default(fixture, &row);
}

static hone_ctx *open_on(const runtime_fixture *fixture, int on_cpu)
{
    return on_cpu ? host_open(fixture) : runtime_open(fixture);
}

/* The bad row alone; then another one answers in its place. */
static void left_out(void **state, int on_cpu)
{
    runtime_fixture *fixture = *state;
    const int64_t n = HOST_N;
    float alpha = 1, *none = NULL;
    void *args[] = {&alpha, &none, &none};

    for (size_t i = 0; i < HONE_COUNT(bad); ++i) {
        hone_ctx *ctx = open_on(fixture, on_cpu);
        char config[16];
        hone_plan *plan = NULL;

        (void)snprintf(config, sizeof config, "A=%zu", i);
        put(fixture, on_cpu, bad[i].plan, config);
        assert_hone(ctx, hone_launch(ctx, "axpy", &n, 1, args, 3, NULL),
                    HONE_ERR_NOT_FOUND);
        assert_contains(hone_error_text(ctx), bad[i].reason);
        assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                    HONE_ERR_NOT_FOUND);
        hone_close(ctx);
    }
    assert_int_equal(fake_n_launches(), 0);
    put_default(fixture, on_cpu);
    for (size_t i = 0; i < HONE_COUNT(bad); ++i) {
        hone_ctx *ctx = open_on(fixture, on_cpu);
        hone_plan *plan = NULL;
        hone_match match;
        char config[16];

        (void)snprintf(config, sizeof config, "B=%zu", i);
        put(fixture, on_cpu, bad[i].plan, config);
        assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, &match),
                    HONE_OK);
        assert_string_equal(match.config, "A=good");
        assert_contains(match.reason, "left out: damaged in the database");
        hone_plan_destroy(plan);
        hone_close(ctx);
    }
}

static void left_out_on_cuda(void **state)
{
    left_out(state, 0);
}

static void left_out_on_the_cpu(void **state)
{
    left_out(state, 1);
}

/* As a driver before 12.4: it is taken at its word. */
static void a_driver_that_cannot_be_asked(void **state)
{
    const int64_t n = HOST_N;
    const hone_driver *driver = NULL;
    hone_launch_spec *spec = NULL;
    hone_resolved resolved;
    hone_properties properties;
    hone_program *program = NULL;
    hone_cu_module module = NULL;
    hone_error err = {0};
    hone_driver older;

    (void)state;
    assert_int_equal(hone__cuda_get(&driver, &err), HONE_OK);
    assert_int_equal(hone__driver_properties(driver, 0, &properties, &err),
                     HONE_OK);
    assert_int_equal(hone__launch_spec_parse(bad[1].plan, &spec, &err),
                     HONE_OK);
    assert_int_equal(
        hone__launch_spec_resolve(&(hone_launch_case){spec, &n, 1, &properties},
                                  &resolved, &err),
        HONE_OK);
    older = *driver;
    for (int i = 0; i < 2; ++i) {
        const hone_driver *const of[] = {driver, &older};

        older.param_info = NULL;
        assert_int_equal(hone__driver_load(of[i], cubin, sizeof cubin - 1, "",
                                           &module, &err),
                         HONE_OK);
        assert_int_equal(hone__program_create(
                             &(hone_program_setup){.driver = of[i],
                                                   .properties = &properties,
                                                   .module = module,
                                                   .op = "axpy",
                                                   .resolved = &resolved},
                             &program, &err),
                         i ? HONE_OK : HONE_ERR_DATABASE);
        hone__program_free(program);
        assert_int_equal(driver->module_unload(module), 0);
    }
    hone__launch_spec_free(spec);
}

/* An object whose parameters nobody can tell is not loaded. */
static void an_object_of_an_older_hone(void **state)
{
    hone_text old = {0};

    assert_int_equal(hone__text_read_file(&old, HOST_KERNELS_OLD, NULL),
                     HONE_OK);
    host_put(*state, (tuned_row){.launch_plan = good,
                                 .cubin = old.data,
                                 .cubin_bytes = old.length,
                                 .config = "A=old"});
    host_refuse(*state, HONE_ERR_UNSUPPORTED,
                "it is of another hone, there is no "
                "hone_host_param in it; tune again here");
    hone__text_free(&old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(left_out_on_cuda, runtime_setup,
                                        runtime_teardown),
        cmocka_unit_test_setup_teardown(left_out_on_the_cpu, host_setup,
                                        host_teardown),
        cmocka_unit_test_setup_teardown(a_driver_that_cannot_be_asked,
                                        runtime_setup, runtime_teardown),
        cmocka_unit_test_setup_teardown(an_object_of_an_older_hone, host_setup,
                                        host_teardown),
    };

    return cmocka_run_group_tests_name("params", tests, host_load_objects,
                                       host_free_objects);
}
