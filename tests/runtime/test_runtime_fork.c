/* SPDX-License-Identifier: Apache-2.0 */
/* What a child of fork() has of its parent's hone_ctx: all of it on the cpu
 * device, and nothing once CUDA was started; and contexts of several devices in
 * one process. */
#include "tests/runtime/host_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `work` in a child, whose failed assertion is a number. */
static void in_child(int (*work)(runtime_fixture *, hone_ctx *, hone_plan *),
                     runtime_fixture *fixture, hone_ctx *ctx, hone_plan *plan)
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0)
        _exit(work(fixture, ctx, plan));
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static int says(hone_ctx *ctx, const char *part)
{
    if (strstr(hone_error_text(ctx), part))
        return 1;
    (void)fprintf(stderr, "'%s' is not in: %s\n", part, hone_error_text(ctx));
    return 0;
}

/* ---- the cpu device -------------------------------------------------------
 */

/* Descriptors of the database that are open. */
static int n_open(const runtime_fixture *fixture)
{
    int n = 0;

    for (int fd = 0; fd < 200; ++fd) {
        char link[40], target[400] = "";

        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (readlink(link, target, sizeof target - 1) > 0)
            n += strcmp(target, fixture->path) == 0;
    }
    return n;
}

/* As daemon() does: the path that was opened may be relative. SQLite does not
 * allow a child to use its parent's connection. */
static int use_all(runtime_fixture *fixture, hone_ctx *ctx, hone_plan *plan)
{
    const int64_t n = HOST_N;
    hone_plan *own = NULL;
    hone_names *names = NULL;
    float x[HOST_N] = {0}, y[HOST_N] = {0};
    float a = 1, *x_host = x, *y_host = y;
    void *args[] = {&a, &x_host, &y_host};
    const int n_inherited = n_open(fixture);

    if (!n_inherited || chdir("/"))
        return 1;
    if (hone_operation_list(ctx, &names) || names->n_names != 2 ||
        n_open(fixture) == n_inherited)
        return 2;
    hone_names_free(names);
    if (hone_plan_run(plan, args, HONE_COUNT(args), NULL))
        return 3;
    if (hone_plan_create(ctx, "axpy", &n, 1, &own, NULL) ||
        hone_plan_run(own, args, HONE_COUNT(args), NULL))
        return 4;
    hone_plan_destroy(own);
    if (hone_launch(ctx, "axpy", &n, 1, args, HONE_COUNT(args), NULL))
        return 5;
    hone_plan_destroy(plan);
    hone_close(ctx);
    return 0;
}

static void the_cpu_device_goes_on(void **state)
{
    runtime_fixture *fixture = *state;
    char folder[400];
    hone_plan *plan;
    hone_ctx *ctx = NULL;

    host_put_both(fixture);
    assert_non_null(getcwd(folder, sizeof folder));
    assert_int_equal(chdir(fixture->folder), 0);
    assert_hone(ctx, hone_open("hone.db", &ctx), HONE_OK);
    assert_hone(ctx, hone_device_select(ctx, "cpu"), HONE_OK);
    plan = host_plan_of(ctx, "axpy", HOST_N);
    for (int i = 0; i < 2; ++i)
        in_child(use_all, fixture, ctx, plan);
    /* The parent as well, and what was tuned meanwhile is seen. */
    assert_true(host_run_axpy(ctx, plan) == 3.0f);
    hone_plan_destroy(plan);
    host_put(fixture, (tuned_row){.config = "A=7"});
    plan = host_plan_of(ctx, "axpy", HOST_N);
    hone_plan_destroy(plan);
    hone_close(ctx);
    assert_int_equal(chdir(folder), 0);
}

static int sees_what_is_new(runtime_fixture *fixture, hone_ctx *ctx,
                            hone_plan *plan)
{
    const int64_t n = HOST_N;
    hone_match match;

    (void)plan;
    fixture->db = NULL; /* that is the parent's, too */
    if (hone__db_open(fixture->path, 0, &fixture->db, NULL))
        return 1;
    host_put(fixture, (tuned_row){.config = "A=9"});
    hone__db_close(fixture->db);
    if (hone_plan_create(ctx, "axpy", &n, 1, &plan, &match))
        return 2;
    hone_plan_destroy(plan);
    hone_close(ctx);
    return strcmp(match.config, "A=9") ? 3 : 0;
}

static void a_child_reads_the_file_itself(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = host_open(fixture);
    hone_plan *plan;

    host_put_both(fixture);
    plan = host_plan_of(ctx, "axpy", HOST_N);
    in_child(sees_what_is_new, fixture, ctx, NULL);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* ---- CUDA -----------------------------------------------------------------
 */

static void put_axpy(runtime_fixture *fixture, const char *arch,
                     int64_t sm_count, const char *config)
{
    static const int64_t dims[] = {1024};
    const tuned_row row = {.dims = dims,
                           .n_dims = 1,
                           .arch = arch,
                           .sm_count = sm_count,
                           .config = config,
                           .launch_plan = axpy_plan,
                           .cubin = axpy_cubin};

    runtime_put(fixture, &row);
}

static void *axpy_args[3];

static int is_refused(runtime_fixture *fixture, hone_ctx *ctx, hone_plan *plan)
{
    const int64_t n = 1024, other = 512;
    hone_plan *own = NULL;
    hone_ctx *second = NULL;

    if (hone_plan_create(ctx, "axpy", &n, 1, &own, NULL) != HONE_ERR_NO_GPU ||
        !says(ctx, "forked after its parent had started CUDA"))
        return 1;
    for (int i = 0; i < 2; ++i)
        if (hone_launch(ctx, "axpy", i ? &other : &n, 1, axpy_args, 3, NULL) !=
                HONE_ERR_NO_GPU ||
            !says(ctx, "forked after"))
            return 2;
    if (hone_plan_run(plan, axpy_args, 3, NULL) != HONE_ERR_CUDA ||
        !says(ctx, "before this process was forked"))
        return 3;
    if (hone_stream_release(ctx, NULL) != HONE_ERR_NO_GPU)
        return 4;
    hone_plan_destroy(plan);
    hone_close(ctx);
    /* Another one is no better; the cpu device needs no driver. */
    if (hone_open(fixture->path, &second) ||
        hone_plan_create(second, "axpy", &n, 1, &own, NULL) != HONE_ERR_NO_GPU)
        return 5;
    hone_close(second);
    return 0;
}

static int starts_itself(runtime_fixture *fixture, hone_ctx *ctx,
                         hone_plan *plan)
{
    const int64_t n = 1024;

    (void)fixture;
    if (hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL) ||
        hone_plan_run(plan, axpy_args, 3, NULL)) {
        (void)says(ctx, "nothing");
        return 1;
    }
    hone_plan_destroy(plan);
    hone_close(ctx);
    return 0;
}

/* First of all: the driver is started once in a process. */
static void before_cuda_is_started(void **state)
{
    hone_ctx *ctx = runtime_open(*state);

    put_axpy(*state, NULL, 0, "A=1");
    in_child(starts_itself, *state, ctx, NULL);
    in_child(starts_itself, *state, ctx, NULL);
    hone_close(ctx);
}

static void after_cuda_is_started(void **state)
{
    const int64_t n = 1024;
    hone_ctx *ctx = runtime_open(*state);
    hone_plan *plan = NULL;

    put_axpy(*state, NULL, 0, "A=1");
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                HONE_OK);
    assert_hone(ctx, hone_launch(ctx, "axpy", &n, 1, axpy_args, 3, NULL),
                HONE_OK);
    in_child(is_refused, *state, ctx, plan);
    assert_hone(ctx, hone_plan_run(plan, axpy_args, 3, NULL), HONE_OK);
    hone_plan_destroy(plan);
    hone_close(ctx);
}

/* Each context gets what is for its device: two GPUs, one of them in slices. */
static void contexts_of_several_devices(void **state)
{
    static const struct {
        int sm, sm_count;
        const char *config;
        hone_match_kind kind;
    } devices[] = {{90, 132, "A=90", HONE_MATCH_EXACT},
                   {80, 108, "A=80", HONE_MATCH_EXACT},
                   {90, 16, "A=16", HONE_MATCH_EXACT},
                   {90, 32, "A=16", HONE_MATCH_FAMILY}};
    enum { N = sizeof devices / sizeof devices[0] };
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    hone_cu_context contexts[N];
    const int64_t n = 1024;

    put_axpy(fixture, "sm_90", 132, "A=90");
    put_axpy(fixture, "sm_80", 108, "A=80");
    put_axpy(fixture, "sm_90", 16, "A=16");
    for (size_t i = 0; i < 3 * N; ++i) {
        const size_t at = i % N;
        hone_plan *plan = NULL;
        hone_match match;

        fake_device(devices[at].sm, devices[at].sm_count, "Fake GPU");
        if (i < N)
            contexts[at] = fake_context_create();
        (void)cuCtxSetCurrent(contexts[at]);
        assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, &match),
                    HONE_OK);
        assert_string_equal(match.config, devices[at].config);
        assert_int_equal(match.kind, devices[at].kind);
        assert_hone(ctx, hone_launch(ctx, "axpy", &n, 1, axpy_args, 3, NULL),
                    HONE_OK);
        hone_plan_destroy(plan);
    }
    assert_int_equal(fake_n_modules(), N);
    hone_close(ctx);
    assert_int_equal(fake_n_modules(), 0);
}

#define HOST_TEST(test)                                                        \
    cmocka_unit_test_setup_teardown(test, host_setup, host_teardown)
#define CUDA_TEST(test)                                                        \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    static float alpha;
    static hone_cu_ptr x = 4096, y = 8192;
    const struct CMUnitTest tests[] = {
        CUDA_TEST(before_cuda_is_started),
        CUDA_TEST(after_cuda_is_started),
        CUDA_TEST(contexts_of_several_devices),
        HOST_TEST(the_cpu_device_goes_on),
        HOST_TEST(a_child_reads_the_file_itself),
    };

    axpy_args[0] = &alpha;
    axpy_args[1] = &x;
    axpy_args[2] = &y;
    return cmocka_run_group_tests_name("fork", tests, host_load_objects,
                                       host_free_objects);
}
