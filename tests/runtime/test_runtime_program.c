/* SPDX-License-Identifier: Apache-2.0 */
/* Programs, on the fake driver and on that of the cpu device: what a kernel
 * gets, memory that the caller brings, banks, limits of a device, and every
 * driver call and allocation failing once. */
#include "tests/runtime/host_fixture.h"

#include "runtime/base/alloc.h"
#include "runtime/execute/program.h"
#include "runtime/launch/launch_body.h"

#include <stdlib.h>
#include <string.h>

static const char fir_plan[] = "hone-launch 2\n"
                               "op fir\n"
                               "dim K int\n"
                               "arg h in 10 K\n"
                               "arg y out 4 K\n"
                               "workspace sums 10 zero-each 4\n"
                               "workspace once 10 zero 4\n"
                               "workspace none 10 K-K\n"
                               "constant taps 10 h K\n"
                               "launch fir\n"
                               "grid K\nblock 32\nshared K*1000\n"
                               "pass h\npass y\npass sums\npass once\n"
                               "pass none\n";
static const char fir_cubin[] = "@taps 128\nfir 1024 8,8,8,8,8";

/* A loaded module and the programs of it. */
typedef struct made {
    const hone_driver *driver;
    hone_properties properties;
    hone_cu_module module;
    hone_launch_spec *spec;
    hone_resolved *resolved;
} made;

static uint32_t taps_a[32] = {11};
static uint32_t taps_b[32] = {22};
static uint32_t *h = taps_a;
static uint64_t y_device = 0x2000;
static void *fir_args[] = {&h, &y_device};

static void begin(made *m, const char *plan, const char *code, size_t bytes)
{
    hone_error error = {0};

    m->resolved = calloc(1, sizeof *m->resolved);
    assert_non_null(m->resolved);
    assert_int_equal(hone__properties_of_arch("sm_90", &m->properties, &error),
                     HONE_OK);
    assert_int_equal(hone__launch_spec_parse(plan, &m->spec, &error), HONE_OK);
    assert_int_equal(hone__driver_load(m->driver, code, bytes, "the test",
                                       &m->module, &error),
                     HONE_OK);
}

static void begin_fir(made *m)
{
    *m = (made){.driver = NULL};
    assert_int_equal(hone__cuda_get(&m->driver, NULL), HONE_OK);
    begin(m, fir_plan, fir_cubin, sizeof fir_cubin);
}

static void end(made *m)
{
    (void)m->driver->module_unload(m->module);
    hone__launch_spec_free(m->spec);
    free(m->resolved);
}

static hone_status make(made *m, int64_t n, hone_program **out, hone_error *err)
{
    const hone_program_setup setup = {.driver = m->driver,
                                      .properties = &m->properties,
                                      .module = m->module,
                                      .op = m->spec->op,
                                      .resolved = m->resolved};

    assert_int_equal(hone__launch_spec_resolve(
                         &(hone_launch_case){m->spec, &n, 1, &m->properties},
                         m->resolved, err),
                     HONE_OK);
    return hone__program_create(&setup, out, err);
}

static hone_program *program_of(made *m, int64_t n)
{
    hone_program *program = NULL;
    hone_error error = {0};

    if (make(m, n, &program, &error) != HONE_OK)
        fail_msg("%s", error.text);
    return program;
}

/* Run; the launch that the fake driver saw. */
static const fake_launch *run(const hone_program *program, uint32_t *taps,
                              hone_cu_ptr *parts, hone_bank *bank)
{
    const long at = fake_n_launches();
    hone_error error = {0};

    h = taps;
    if (hone__program_run(program, fir_args, parts, bank, NULL, NULL, &error))
        fail_msg("%s", error.text);
    assert_int_equal(fake_n_launches(), at + 1);
    return fake_launch_at(at);
}

/* The caller's memory is what the kernel gets, zeroed where it has to be. */
static void memory_is_the_callers(void **state)
{
    uint32_t memory[12];
    hone_cu_ptr parts[HONE_MAX_WORKSPACES] = {(uintptr_t)&memory[0],
                                              (uintptr_t)&memory[4], 0};
    const fake_launch *launch;
    hone_program *program;
    hone_bank bank = {0};
    made m;

    (void)state;
    begin_fir(&m);
    program = program_of(&m, 8);
    memset(memory, 0xff, sizeof memory);
    launch = run(program, taps_a, parts, &bank);
    assert_true(launch->params[2] == parts[0]);
    assert_true(launch->params[3] == parts[1]);
    assert_true(launch->params[4] == 0);
    assert_int_equal(launch->shared_bytes, 8000);
    assert_int_equal(launch->grid[0], 8);
    for (int i = 0; i < 12; ++i)
        assert_int_equal(memory[i], i < 4 ? 0 : UINT32_MAX);
    assert_int_equal(
        hone__program_zero(program, HONE_ZERO_ONCE, parts, NULL, NULL),
        HONE_OK);
    for (int i = 0; i < 12; ++i)
        assert_int_equal(memory[i], i < 8 ? 0 : UINT32_MAX);
    hone__program_free(program);
    hone__program_free(NULL);
    end(&m);
}

/* A bank of the programs' own module: what the tuner has. */
static void filled_until_it_is_forgotten(void **state)
{
    uint32_t memory[8];
    hone_cu_ptr parts[HONE_MAX_WORKSPACES] = {(uintptr_t)&memory[0],
                                              (uintptr_t)&memory[4], 0};
    hone_bank bank = {0};
    hone_program *eight;
    hone_program *nine;
    made m;

    (void)state;
    begin_fir(&m);
    eight = program_of(&m, 8);
    nine = program_of(&m, 9);
    taps_a[0] = 11;
    assert_int_equal(run(eight, taps_a, parts, &bank)->constant, 11);
    taps_a[0] = 12;
    fake_capture(1); /* it does not follow captures */
    assert_int_equal(run(eight, taps_a, parts, &bank)->constant, 11);
    fake_capture(0);
    assert_int_equal(run(eight, taps_a, parts, &bank)->constant, 11);
    assert_int_equal(fake_n_copies(), 1);
    hone__bank_forget(&bank);
    assert_int_equal(run(eight, taps_a, parts, &bank)->constant, 12);
    /* Another program takes one element more from there. */
    assert_int_equal(run(nine, taps_a, parts, &bank)->constant, 12);
    assert_int_equal(fake_n_copies(), 3);
    assert_int_equal(run(eight, taps_a, parts, &bank)->constant, 12);
    assert_int_equal(run(nine, taps_b, parts, &bank)->constant, 22);
    assert_int_equal(run(eight, taps_b, parts, &bank)->constant, 22);
    assert_int_equal(fake_n_copies(), 4);
    assert_int_equal(fake_n_modules(), 1);
    hone__program_free(eight);
    hone__program_free(nine);
    end(&m);
}

/* A bank with a module of its own, for two programs. The second one needs
 * more shared memory than a kernel has without being asked. */
static void a_bank_with_its_own_module(void **state)
{
    uint32_t memory[8];
    hone_cu_ptr parts[HONE_MAX_WORKSPACES] = {(uintptr_t)&memory[0],
                                              (uintptr_t)&memory[4], 0};
    hone_bank banks[2] = {{0}};
    hone_program *small;
    hone_program *large;
    made m;

    (void)state;
    begin_fir(&m);
    small = program_of(&m, 8);
    large = program_of(&m, 32);
    taps_a[0] = 11;
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(hone__driver_load(m.driver, fir_cubin,
                                           sizeof fir_cubin, "the test",
                                           &banks[i].module, NULL),
                         HONE_OK);
        banks[i].follows_captures = 1;
    }
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(run(small, taps_a, parts, &banks[0])->constant, 11);
        assert_int_equal(run(small, taps_b, parts, &banks[1])->constant, 22);
    }
    assert_int_equal(fake_n_copies(), 2);
    assert_int_equal(run(large, taps_b, parts, &banks[1])->constant, 22);
    assert_int_equal(run(small, taps_b, parts, &banks[1])->constant, 22);
    assert_int_equal(fake_n_copies(), 3);
    fake_capture(1);
    assert_int_equal(run(small, taps_b, parts, &banks[1])->constant, 22);
    assert_int_equal(run(small, taps_b, parts, &banks[1])->constant, 22);
    assert_int_equal(fake_n_copies(), 4);
    fake_capture(0);
    for (int i = 0; i < 2; ++i)
        (void)m.driver->module_unload(banks[i].module);
    assert_int_equal(fake_n_modules(), 1);
    hone__program_free(small);
    hone__program_free(large);
    end(&m);
}

/* More programs of one code than a bank has entries for. */
static void entries_are_given_up(void **state)
{
    enum { N = HONE_MAX_CONSTANTS + 1 };
    uint32_t to[N] = {0};
    uint32_t from[N];
    hone_program programs[N];
    hone_program_more more[N];
    uint32_t *arg;
    void *args[] = {&arg};
    hone_bank bank = {0};
    const hone_driver *driver = hone__host_driver();

    (void)state;
    for (uint32_t i = 0; i < N; ++i) {
        from[i] = 100 + i;
        programs[i] =
            (hone_program){.driver = driver, .op = "many", .more = &more[i]};
        more[i] = (hone_program_more){
            .n_constants = 1,
            .constants = {{"c", 0, sizeof to[i], (uintptr_t)&to[i]}}};
    }
    for (int round = 0; round < 3; ++round) {
        for (uint32_t i = 0; i < N; ++i) {
            arg = &from[i];
            from[i] += 10; /* seen: the entry was given up meanwhile */
            assert_int_equal(
                hone__bank_fill(&bank, &programs[i], args, NULL, NULL),
                HONE_OK);
            assert_int_equal(to[i], from[i]);
        }
    }
}

static void limits_of_a_kernel(void **state)
{
    static const char wide_plan[] = "hone-launch 1\nop wide\ndim n int\n"
                                    "launch wide\ngrid 1\nblock n\n"
                                    "shared n*400\n";
    static const char wide_cubin[] = "wide 40000";
    hone_program *program = NULL;
    hone_error error = {0};
    made m = {.driver = NULL};

    (void)state;
    assert_int_equal(hone__cuda_get(&m.driver, NULL), HONE_OK);
    begin(&m, wide_plan, wide_cubin, sizeof wide_cubin);
    assert_int_equal(make(&m, 500, &program, &error), HONE_ERR_INPUT);
    assert_string_equal(error.text,
                        "kernel wide needs 200000 + 40000 bytes of shared "
                        "memory; the device has 232448 per block");
    assert_int_equal(make(&m, 480, &program, &error), HONE_OK);
    hone__program_free(program);
    end(&m);
    begin(&m,
          "hone-launch 1\nop wide\ndim n int\nlaunch wide\ngrid 1\n"
          "block n\n",
          wide_cubin, sizeof wide_cubin);
    assert_int_equal(make(&m, 544, &program, &error), HONE_ERR_INPUT);
    assert_null(program);
    assert_string_equal(error.text,
                        "kernel wide is launched with 544 threads per block "
                        "but can run at most 512 (registers or launch "
                        "bounds)");
    end(&m);
}

/* The same code, the other driver. */
static void on_the_cpu_device(void **state)
{
    const int64_t n = 1000;
    hone_error error = {0};
    made m = {.driver = hone__host_driver()};
    hone_program *program;
    float x[1000];
    float y[1000];
    float alpha = 2.0f;
    float *x_host = x;
    float *y_host = y;
    void *args[] = {&alpha, &x_host, &y_host};

    (void)state;
    begin(&m, axpy_plan, host_objects[0].data, host_objects[0].length);
    program = program_of(&m, n);
    assert_false(program->is_special);
    for (int i = 0; i < 1000; ++i)
        x[i] = y[i] = 1.0f;
    assert_int_equal(
        hone__program_run(program, args, NULL, NULL, NULL, NULL, &error),
        HONE_OK);
    for (int i = 0; i < 1000; ++i)
        assert_true(y[i] == 3.0f);
    args[1] = NULL;
    assert_int_equal(
        hone__program_run(program, args, NULL, NULL, NULL, NULL, &error),
        HONE_ERR_ARGUMENT);
    assert_string_equal(error.text,
                        "args[1] of axpy is NULL; each of its 3 args points to "
                        "a host pointer or to a scalar's value");
    hone__program_free(program);
    end(&m);
}

/* Null pointers, and pointers where the dims say that there is no array. */
static void optional_arguments(void **state)
{
    static const char plan[] = "hone-launch 3\nop linear\ndim BIAS choice 0\n"
                               "arg x in 4 8\narg b in 4 8\n"
                               "optional b BIAS\narg none in 4 BIAS-BIAS\n"
                               "launch linear\ngrid 1\nblock 32\n"
                               "pass x\npass b\npass none\n";
    static const char cubin[] = "linear 1024 8,8,8";
    static const struct {
        int64_t bias;
        uint64_t x, b;
        int entry;         /* of b: is there one? */
        const char *words; /* NULL: it runs */
    } rows[] = {
        {0, 16, 0, 1, NULL},
        {0, 16, 0, 0, NULL},
        {1, 16, 32, 1, NULL},
        {0, 0, 0, 1, "args[0] of linear points to a null pointer"},
        {1, 16, 0, 1, "args[1] of linear points to a null pointer"},
        {1, 16, 0, 0, "args[1] of linear is NULL"},
        {0, 16, 32, 1, "args[1] of linear is given, and at these dims it is"},
    };
    made m = {.driver = NULL};

    (void)state;
    assert_int_equal(hone__cuda_get(&m.driver, NULL), HONE_OK);
    begin(&m, plan, cubin, sizeof cubin);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_program *program = program_of(&m, rows[i].bias);
        uint64_t x = rows[i].x;
        uint64_t b = rows[i].b;
        uint64_t none = 0;
        void *args[] = {&x, rows[i].entry ? &b : NULL, &none};
        const long at = fake_n_launches();
        hone_error error = {0};
        const hone_status status =
            hone__program_run(program, args, NULL, NULL, NULL, NULL, &error);

        if (rows[i].words) {
            assert_int_equal(status, HONE_ERR_ARGUMENT);
            if (!strstr(error.text, rows[i].words))
                fail_msg("%s", error.text);
            assert_int_equal(fake_n_launches(), at);
        } else {
            assert_int_equal(status, HONE_OK);
            assert_true(fake_launch_at(at)->params[0] == x);
            assert_true(fake_launch_at(at)->params[1] == rows[i].b);
            assert_true(fake_launch_at(at)->params[2] == 0);
        }
        hone__program_free(program);
    }
    end(&m);
}

static hone_status whole_life(made *m)
{
    uint32_t memory[8];
    hone_cu_ptr parts[HONE_MAX_WORKSPACES] = {(uintptr_t)&memory[0],
                                              (uintptr_t)&memory[4], 0};
    hone_program *program = NULL;
    hone_bank bank = {0};
    hone_error error = {0};
    hone_status status =
        hone__driver_load(m->driver, fir_cubin, sizeof fir_cubin, "the test",
                          &bank.module, &error);

    bank.follows_captures = 1;
    if (status == HONE_OK)
        status = make(m, 32, &program, &error);
    if (status == HONE_OK)
        status =
            hone__program_zero(program, HONE_ZERO_ONCE, parts, NULL, &error);
    for (int i = 0; status == HONE_OK && i < 2; ++i)
        status = hone__program_run(program, fir_args, parts, &bank, NULL, NULL,
                                   &error);
    if (status != HONE_OK)
        assert_true(strlen(error.text) > 10);
    hone__program_free(program);
    if (bank.module)
        (void)m->driver->module_unload(bank.module);
    return status;
}

static void anything_may_fail(void **state)
{
    hone_status status = HONE_ERR_CUDA;
    long n = 1;
    made m;

    (void)state;
    begin_fir(&m);
    h = taps_a;
    for (; status != HONE_OK; ++n) {
        assert_in_range(n, 1, 99);
        fake_fail_call(n, HONE_CU_LAUNCH_FAILED);
        status = whole_life(&m);
        fake_fail_call(0, 0);
        assert_true(status == HONE_OK || status == HONE_ERR_CUDA);
        assert_int_equal(fake_n_modules(), 1);
    }
    assert_true(n > 15);
    status = HONE_ERR_NO_MEMORY;
    for (n = 0; status != HONE_OK; ++n) {
        assert_in_range(n, 0, 99);
        hone__alloc_fail_after(n);
        status = whole_life(&m);
        hone__alloc_fail_after(-1);
        assert_true(status == HONE_OK || status == HONE_ERR_NO_MEMORY);
    }
    end(&m);
}

#define WITH_DRIVER(test)                                                      \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DRIVER(memory_is_the_callers),
        WITH_DRIVER(filled_until_it_is_forgotten),
        WITH_DRIVER(a_bank_with_its_own_module),
        WITH_DRIVER(entries_are_given_up),
        WITH_DRIVER(limits_of_a_kernel),
        WITH_DRIVER(on_the_cpu_device),
        WITH_DRIVER(optional_arguments),
        WITH_DRIVER(anything_may_fail),
    };

    return cmocka_run_group_tests_name("program", tests, host_load_objects,
                                       host_free_objects);
}
