/* SPDX-License-Identifier: Apache-2.0 */
/* Plans on the cpu device, without a CUDA driver: which rows answer, results,
 * workspaces, threads (run it under the tsan preset), objects that do not
 * load, and every allocation failing once. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/alloc.h"
#include "runtime/facts.h"
#include "runtime/text.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char sum_plan[] = "hone-launch 1\n"
                               "op sum\n"
                               "dim n int\n"
                               "arg x in 4 n\n"
                               "arg out out 4 1\n"
                               "workspace partial 4 n > 0 ? 5 : 0\n"
                               "workspace ticket 10 zero 1\n"
                               "launch sum_parts\n"
                               "grid 1\nblock 32\n"
                               "pass x\npass partial\npass ticket\n"
                               "value i32 n\n"
                               "launch sum_all\n"
                               "grid 1\nblock 32\n"
                               "pass partial\npass ticket\npass out\n";

enum { N = 1000, N_THREADS = 8, N_ROUNDS = 200 };

/* The two objects, as files. */
static hone_text objects[2];
static char host_name[HONE_HOST_NAME_BYTES];
static int64_t n_cores;

static int memfd_fails;
int __real_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags);

int __wrap_memfd_create(const char *name, unsigned flags)
{
    if (!memfd_fails)
        return __real_memfd_create(name, flags);
    errno = ENOSYS;
    return -1;
}

static int load_objects(void **state)
{
    static const char *const paths[] = {HOST_KERNELS_0, HOST_KERNELS_1};
    hone_facts facts;

    (void)state;
    for (size_t i = 0; i < 2; ++i) {
        if (hone__text_read_file(&objects[i], paths[i], NULL))
            return -1;
    }
    hone__facts_of_host(&facts);
    hone__host_name(host_name, sizeof host_name);
    n_cores = facts.value[HONE_FACT_sm_count];
    return 0;
}

static int free_objects(void **state)
{
    (void)state;
    hone__text_free(&objects[0]);
    hone__text_free(&objects[1]);
    return 0;
}

static int setup(void **state)
{
    const int failed = runtime_setup(state);

    (void)setenv("HONE_CUDA_LIBRARY", "/nonexistent/libcuda.so.1", 1);
    (void)unsetenv("HONE_DEVICE");
    return failed;
}

static int teardown(void **state)
{
    (void)unsetenv("HONE_DEVICE");
    (void)unsetenv("TMPDIR");
    memfd_fails = 0;
    return runtime_teardown(state);
}

/* A row of this machine, completed from what is set. */
static tuned_row host_row(tuned_row row)
{
    static const int64_t dims[] = {N};

    row.dims = row.dims ? row.dims : dims;
    row.n_dims = 1;
    row.device_kind = "cpu";
    row.arch = "cpu";
    row.sm_count = row.sm_count ? row.sm_count : n_cores;
    row.device_name = row.device_name ? row.device_name : host_name;
    if (!row.cubin) {
        row.cubin = objects[0].data;
        row.cubin_bytes = objects[0].length;
    }
    if (!row.launch_plan)
        row.launch_plan =
            row.op && strcmp(row.op, "sum") == 0 ? sum_plan : axpy_plan;
    return row;
}

static void put(runtime_fixture *fixture, tuned_row row)
{
    const tuned_row full = host_row(row);

    runtime_put(fixture, &full);
}

static void put_both(runtime_fixture *fixture)
{
    put(fixture, (tuned_row){.op = "axpy", .is_default = 1});
    put(fixture, (tuned_row){.op = "sum", .is_default = 1});
}

static hone_ctx *open_host(const runtime_fixture *fixture)
{
    hone_ctx *ctx = runtime_open(fixture);

    assert_hone(ctx, hone_use_device(ctx, "cpu"), HONE_OK);
    return ctx;
}

static hone_plan *plan_of(hone_ctx *ctx, const char *op, int64_t n)
{
    hone_plan *plan = NULL;

    assert_hone(ctx, hone_plan_create(ctx, op, &n, 1, &plan, NULL), HONE_OK);
    return plan;
}

/* Run axpy on 1, 1, 1, ..; the sum that each y has now. */
static float run_axpy(hone_ctx *ctx, hone_plan *plan)
{
    float x[N];
    float y[N];
    float alpha = 2.0f;
    float *x_host = x;
    float *y_host = y;
    void *args[] = {&alpha, &x_host, &y_host};

    for (size_t i = 0; i < N; ++i)
        x[i] = y[i] = 1.0f;
    assert_hone(ctx, hone_plan_run(plan, args, NULL), HONE_OK);
    for (size_t i = 1; i < N; ++i)
        assert_true(y[i] == y[0]);
    return y[0];
}

static hone_status run_sum(hone_plan *plan, float first, float *out)
{
    float x[N];
    float *x_host = x;
    void *args[] = {&x_host, &out};

    for (size_t i = 0; i < N; ++i)
        x[i] = first;
    return hone_plan_run(plan, args, (hone_stream)(uintptr_t)0x40);
}

static long count_lines(const char *path, const char *part)
{
    FILE *file = fopen(path, "r");
    char line[600];
    long n = 0;

    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        n += strstr(line, part) != NULL;
    (void)fclose(file);
    return n;
}

static void this_machine_as_a_device(void **state)
{
    char name[300];
    hone_facts facts;
    hone_facts gpu;

    (void)state;
    hone__facts_of_host(&facts);
    assert_int_equal(hone__facts_of_arch("sm_90", &gpu, NULL), HONE_OK);
    assert_int_equal(facts.value[HONE_FACT_sm_count],
                     sysconf(_SC_NPROCESSORS_ONLN));
    assert_int_equal(facts.value[HONE_FACT_memory],
                     (int64_t)sysconf(_SC_PHYS_PAGES) *
                         sysconf(_SC_PAGESIZE));
    assert_true(facts.value[HONE_FACT_l2] > 0);
    assert_int_equal(facts.value[HONE_FACT_smem_optin],
                     gpu.value[HONE_FACT_smem_optin]);
    assert_int_equal(facts.value[HONE_FACT_sm], 90);
    hone__host_name(name, sizeof name);
    assert_contains(name, ", ");
    assert_in_range(strlen(name), 4, HONE_HOST_NAME_BYTES - 1);
    assert_null(strchr(name, '\n'));
    assert_true(name[strlen(name) - 1] != ' ');
    hone__host_name(name, 5);
    assert_int_equal(strlen(name), 4);
    assert_memory_equal(name, host_name, 4);
}

static void runs_without_a_driver(void **state)
{
    const int64_t n = N;
    hone_ctx *ctx = open_host(*state);
    hone_plan *plan = NULL;
    hone_match match;
    hone_ctx *gpu;
    float sum = 0;

    put_both(*state);
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, &match),
                HONE_OK);
    assert_int_equal(match.kind, HONE_MATCH_EXACT);
    assert_contains(match.reason, host_name);
    assert_true(run_axpy(ctx, plan) == 3.0f);
    hone_plan_destroy(plan);
    plan = plan_of(ctx, "sum", N);
    assert_hone(ctx, hone_plan_prepare(plan, NULL), HONE_OK);
    for (int i = 1; i < 4; ++i) {
        assert_hone(ctx, run_sum(plan, (float)i, &sum), HONE_OK);
        assert_true(sum == (float)(i * N));
    }
    hone_plan_destroy(plan);
    hone_close(ctx);
    gpu = runtime_open(*state);
    assert_int_equal(hone_plan_create(gpu, "axpy", &n, 1, &plan, NULL),
                     HONE_ERR_NO_GPU);
    assert_int_equal(hone_launch(gpu, "axpy", &n, 1, NULL, NULL),
                     HONE_ERR_NO_GPU);
    hone_close(gpu);
}

/* Ask, and compare what was chosen: kind and config. */
static void expect(const runtime_fixture *fixture, int64_t n,
                   hone_match_kind kind, const char *config)
{
    hone_ctx *ctx = open_host(fixture);
    hone_plan *plan = NULL;
    hone_match match;

    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, &match),
                HONE_OK);
    assert_string_equal(match.config, config);
    assert_int_equal(match.kind, kind);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void refuse(const runtime_fixture *fixture, hone_status status,
                   const char *part)
{
    const int64_t n = N;
    hone_ctx *ctx = open_host(fixture);
    hone_plan *plan = NULL;

    assert_int_equal(hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                     status);
    assert_null(plan);
    assert_contains(hone_errmsg(ctx), part);
    hone_close(ctx);
}

static void the_same_rules_as_on_a_gpu(void **state)
{
    runtime_fixture *fixture = *state;
    const tuned_row fallback = host_row(
        (tuned_row){.config = "A=default", .launch_plan = axpy_plan});

    put(fixture, (tuned_row){.sm_count = n_cores + 1, .config = "A=cores"});
    refuse(fixture, HONE_ERR_NOT_FOUND, "cores; the database has it for cpu");
    refuse(fixture, HONE_ERR_NOT_FOUND,
           "run: hone tune axpy --dims 1000 --device cpu");
    put(fixture, (tuned_row){.device_name = "other, CPU", .config = "A=1"});
    expect(fixture, N, HONE_MATCH_EXACT, "A=1");
    put(fixture, (tuned_row){.config = "A=2"});
    expect(fixture, N, HONE_MATCH_EXACT, "A=2");
    expect(fixture, 2 * N, HONE_MATCH_NEIGHBOUR, "A=2");
    runtime_put_default(fixture, &fallback);
    expect(fixture, 3, HONE_MATCH_DEFAULT, "A=default");
}

static void rows_of_gpus_do_not_count(void **state)
{
    static const int64_t dims[] = {N};
    runtime_fixture *fixture = *state;
    tuned_row row = {.dims = dims,
                     .n_dims = 1,
                     .sm_count = n_cores,
                     .device_name = host_name,
                     .is_default = 1,
                     .launch_plan = axpy_plan,
                     .cubin = objects[0].data,
                     .cubin_bytes = objects[0].length,
                     .time_ns = 1};

    runtime_put(fixture, &row);
    refuse(fixture, HONE_ERR_NOT_FOUND,
           "which has none for the cpu device; run: hone tune axpy "
           "--device cpu");
    put(fixture, (tuned_row){.config = "A=cpu", .time_ns = 2000});
    expect(fixture, N, HONE_MATCH_EXACT, "A=cpu");
}

static void the_device_is_chosen_first(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    hone_plan *plan;

    put_both(fixture);
    assert_int_equal(hone_use_device(NULL, "cpu"), HONE_ERR_ARGUMENT);
    assert_contains(hone_errmsg(NULL), "ctx is NULL");
    assert_int_equal(hone_use_device(ctx, NULL), HONE_ERR_ARGUMENT);
    assert_int_equal(hone_use_device(ctx, "CPU"), HONE_ERR_ARGUMENT);
    assert_contains(hone_errmsg(ctx), "'CPU'; it is 'cuda' or 'cpu'");
    assert_hone(ctx, hone_use_device(ctx, "cpu"), HONE_OK);
    assert_hone(ctx, hone_use_device(ctx, "cuda"), HONE_OK);
    assert_hone(ctx, hone_use_device(ctx, "cpu"), HONE_OK);
    plan = plan_of(ctx, "axpy", N);
    assert_hone(ctx, hone_use_device(ctx, "cpu"), HONE_OK);
    assert_int_equal(hone_use_device(ctx, "cuda"), HONE_ERR_ARGUMENT);
    assert_contains(hone_errmsg(ctx), "right after hone_open()");
    assert_true(run_axpy(ctx, plan) == 3.0f);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void the_environment_names_a_device(void **state)
{
    const int64_t n = N;
    runtime_fixture *fixture = *state;
    hone_plan *plan = NULL;
    hone_ctx *ctx;

    put_both(fixture);
    (void)setenv("HONE_DEVICE", "cpu", 1);
    ctx = runtime_open(fixture);
    plan = plan_of(ctx, "axpy", N);
    assert_true(run_axpy(ctx, plan) == 3.0f);
    hone_plan_destroy(plan);
    hone_close(ctx);
    ctx = runtime_open(fixture);
    assert_hone(ctx, hone_use_device(ctx, "cuda"), HONE_OK);
    assert_int_equal(hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                     HONE_ERR_NO_GPU);
    hone_close(ctx);
    (void)setenv("HONE_DEVICE", "gpu", 1);
    assert_int_equal(hone_open(fixture->path, &ctx), HONE_ERR_ARGUMENT);
    assert_contains(hone_errmsg(ctx), "HONE_DEVICE: there is no device");
    assert_int_equal(hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                     HONE_ERR_DATABASE);
    hone_close(ctx);
    (void)setenv("HONE_DEVICE", "", 1);
    ctx = runtime_open(fixture);
    assert_int_equal(hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                     HONE_ERR_NO_GPU);
    hone_close(ctx);
}

/* What a kernel reports is what the caller reads; the plan works again
 * afterwards, its ticket zeroed though the run broke off behind it. */
static void reports_become_errors(void **state)
{
    hone_ctx *ctx = open_host(*state);
    hone_plan *plan;
    float sum = 0;

    put_both(*state);
    plan = plan_of(ctx, "sum", N);
    assert_int_equal(run_sum(plan, -2, &sum), HONE_ERR_KERNEL);
    assert_contains(hone_errmsg(ctx), "the workspace begins with ff");
    assert_int_equal(run_sum(plan, -1, &sum), HONE_ERR_KERNEL);
    assert_string_equal(hone_errmsg(ctx),
                        "kernel 'sum_parts' of sum: block (1,0,0), line 7: "
                        "thread (3,0,0) left");
    assert_int_equal(run_sum(plan, -3, &sum), HONE_ERR_NO_MEMORY);
    assert_contains(hone_errmsg(ctx), "no memory for stacks");
    assert_int_equal(run_sum(plan, -4, &sum), HONE_ERR_KERNEL);
    assert_contains(hone_errmsg(ctx), "failed with report 7");
    assert_hone(ctx, run_sum(plan, 1, &sum), HONE_OK);
    assert_true(sum == (float)N);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

static void misuse(void **state)
{
    hone_ctx *ctx = open_host(*state);
    void *without[] = {NULL, NULL};
    hone_plan *plan;

    put_both(*state);
    put(*state, (tuned_row){.op = "other",
                            .launch_plan = "hone-launch 1\nop other\n"
                                           "dim n int\nlaunch missing\n"
                                           "grid 1\nblock 1\n"});
    plan = plan_of(ctx, "sum", N);
    assert_int_equal(hone_plan_run(plan, NULL, NULL), HONE_ERR_ARGUMENT);
    assert_int_equal(hone_plan_run(plan, without, NULL), HONE_ERR_ARGUMENT);
    assert_contains(hone_errmsg(ctx), "args[0] of sum is NULL");
    assert_contains(hone_errmsg(ctx), "host pointer");
    hone_plan_destroy(plan);
    plan = plan_of(ctx, "other", N);
    assert_int_equal(hone_plan_run(plan, NULL, NULL), HONE_ERR_KERNEL);
    assert_contains(hone_errmsg(ctx), "'missing' of other: there is no such");
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* An object is loaded once per hone_ctx, is not taken for another one, and
 * goes with its last plan. */
static void objects_come_and_go(void **state)
{
    hone_ctx *ctx = open_host(*state);
    hone_plan *plans[3];

    put_both(*state);
    put(*state, (tuned_row){.op = "biased",
                            .launch_plan = axpy_plan,
                            .cubin = objects[1].data,
                            .cubin_bytes = objects[1].length});
    for (int round = 0; round < 3; ++round) {
        plans[0] = plan_of(ctx, "axpy", N);
        plans[1] = plan_of(ctx, "biased", N);
        plans[2] = plan_of(ctx, "axpy", N);
        hone_plan_destroy(plans[0]);
        assert_true(run_axpy(ctx, plans[1]) == 4.0f);
        assert_true(run_axpy(ctx, plans[2]) == 3.0f);
        assert_true(count_lines("/proc/self/maps", "hone-kernels") > 1);
        hone_plan_destroy(plans[1]);
        hone_plan_destroy(plans[2]);
        assert_int_equal(count_lines("/proc/self/maps", "hone-kernels"), 0);
    }
    hone_close(ctx);
}

/* A plan needs nothing of the database once it is made. */
static void a_plan_outlives_what_was_read(void **state)
{
    hone_ctx *ctx = open_host(*state);
    hone_plan *plan;
    hone_plan *later;

    put_both(*state);
    plan = plan_of(ctx, "axpy", N);
    put(*state, (tuned_row){.op = "axpy", .config = "A=new"});
    later = plan_of(ctx, "axpy", N);
    assert_true(run_axpy(ctx, plan) == 3.0f);
    assert_true(run_axpy(ctx, later) == 3.0f);
    hone_plan_destroy(plan);
    hone_plan_destroy(later);
    hone_close(ctx);
}

/* Without memfd_create(): a file that is gone once it is loaded. */
static void a_file_where_memory_has_none(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = open_host(fixture);
    hone_plan *plan = NULL;
    char file[400];

    put_both(fixture);
    memfd_fails = 1;
    (void)setenv("TMPDIR", fixture->folder, 1);
    plan = plan_of(ctx, "axpy", N);
    assert_true(run_axpy(ctx, plan) == 3.0f);
    (void)snprintf(file, sizeof file, "%s/hone-kernels", fixture->folder);
    assert_true(count_lines("/proc/self/maps", file) > 0);
    assert_true(count_lines("/proc/self/maps", "(deleted)") > 0);
    hone_plan_destroy(plan);
    hone_close(ctx);
    (void)setenv("TMPDIR", "/nonexistent", 1);
    refuse(fixture, HONE_ERR_IO, "cannot make a file for kernels");
    refuse(fixture, HONE_ERR_IO, "set TMPDIR to a folder");
}

static void objects_that_do_not_load(void **state)
{
    runtime_fixture *fixture = *state;
    hone_text foreign = {0};

    put(fixture, (tuned_row){.cubin = "not an object", .config = "A=bad"});
    refuse(fixture, HONE_ERR_UNSUPPORTED,
           "does not load the kernels of A=bad, compiled for the cpu device: "
           "file too short; tune again");
    put(fixture, (tuned_row){.cubin = objects[0].data,
                             .cubin_bytes = objects[0].length / 3,
                             .config = "A=cut"});
    refuse(fixture, HONE_ERR_UNSUPPORTED, "the cpu device: it is cut short");
    put(fixture, (tuned_row){.cubin = objects[0].data,
                             .cubin_bytes = 70,
                             .config = "A=shorter"});
    refuse(fixture, HONE_ERR_UNSUPPORTED, "the cpu device: it is cut short");
    assert_int_equal(hone__text_read_file(&foreign, FAKE_CUDA_PATH, NULL),
                     HONE_OK);
    put(fixture, (tuned_row){.cubin = foreign.data,
                             .cubin_bytes = foreign.length,
                             .config = "A=foreign"});
    refuse(fixture, HONE_ERR_UNSUPPORTED, "there is no hone_host_run in it");
    hone__text_free(&foreign);
    assert_int_equal(count_lines("/proc/self/maps", "hone-kernels"), 0);
}

typedef struct worker {
    hone_ctx *ctx;
    hone_plan *plan; /* shared by all */
    int number;
    int n_bad;
} worker;

static void *work(void *user)
{
    worker *w = user;

    for (int i = 0; i < N_ROUNDS; ++i) {
        const int64_t n = 1 + (i + w->number) % 16;
        float x[16];
        float y[16];
        float alpha = (float)w->number;
        float *x_host = x;
        float *y_host = y;
        void *args[] = {&alpha, &x_host, &y_host};
        float sum = 0;

        for (size_t k = 0; k < 16; ++k)
            x[k] = y[k] = 1.0f;
        w->n_bad += hone_launch(w->ctx, "axpy", &n, 1, args, NULL) != HONE_OK;
        for (int64_t k = 0; k < 16; ++k)
            w->n_bad += y[k] != (k < n ? 1.0f + alpha : 1.0f);
        w->n_bad += run_sum(w->plan, 1.0f + alpha, &sum) != HONE_OK ||
                    sum != (1.0f + alpha) * N;
    }
    return NULL;
}

static void many_threads(void **state)
{
    hone_ctx *ctx = open_host(*state);
    worker workers[N_THREADS];
    pthread_t threads[N_THREADS];
    hone_plan *plan;

    put_both(*state);
    plan = plan_of(ctx, "sum", N);
    for (int i = 0; i < N_THREADS; ++i) {
        workers[i] = (worker){ctx, plan, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]),
                         0);
    }
    for (int i = 0; i < N_THREADS; ++i) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].n_bad, 0);
    }
    hone_plan_destroy(plan);
    hone_close(ctx);
    assert_int_equal(count_lines("/proc/self/maps", "hone-kernels"), 0);
}

static hone_status whole_life(const runtime_fixture *fixture)
{
    const int64_t n = N;
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;
    float value = 1.0f;
    float sum = 0;
    float x[N] = {0};
    float *x_host = x;
    void *args[] = {&value, &x_host, &x_host};
    hone_status status = hone_open(fixture->path, &ctx);

    if (status == HONE_OK)
        status = hone_use_device(ctx, "cpu");
    if (status == HONE_OK)
        status = hone_plan_create(ctx, "sum", &n, 1, &plan, NULL);
    if (status == HONE_OK)
        status = run_sum(plan, value, &sum);
    if (status == HONE_OK)
        status = hone_launch(ctx, "axpy", &n, 1, args, NULL);
    if (status != HONE_OK)
        assert_true(strlen(hone_errmsg(ctx)) > 10);
    hone_plan_destroy(plan);
    hone_close(ctx);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    hone_status status = HONE_ERR_NO_MEMORY;
    long n = 0;

    put_both(*state);
    for (; status != HONE_OK && n < 2000; ++n) {
        hone__alloc_fail_after(n);
        status = whole_life(*state);
        hone__alloc_fail_after(-1);
        if (status != HONE_OK)
            assert_int_equal(status, HONE_ERR_NO_MEMORY);
        assert_int_equal(count_lines("/proc/self/maps", "hone-kernels"), 0);
    }
    assert_in_range(n, 20, 1999);
}

#define WITH_DATABASE(test)                                                  \
    cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_machine_as_a_device),
        WITH_DATABASE(runs_without_a_driver),
        WITH_DATABASE(the_same_rules_as_on_a_gpu),
        WITH_DATABASE(rows_of_gpus_do_not_count),
        WITH_DATABASE(the_device_is_chosen_first),
        WITH_DATABASE(the_environment_names_a_device),
        WITH_DATABASE(reports_become_errors),
        WITH_DATABASE(misuse),
        WITH_DATABASE(objects_come_and_go),
        WITH_DATABASE(a_plan_outlives_what_was_read),
        WITH_DATABASE(a_file_where_memory_has_none),
        WITH_DATABASE(objects_that_do_not_load),
        WITH_DATABASE(many_threads),
        WITH_DATABASE(any_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("host", tests, load_objects,
                                       free_objects);
}
