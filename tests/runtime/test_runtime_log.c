/* SPDX-License-Identifier: Apache-2.0 */
/* What the library says it does: to a function of the program's, or to where
 * HONE_LOG says, and nothing while known shapes are launched. */
#include "tests/runtime/pack_fixture.h"

#include "runtime/base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t cube[] = {64, 64, 64, HONE_TYPE_F32};
static uint64_t x_device = 0x1000;
static void *gemm_args[] = {&x_device, &x_device, &x_device};

/* The messages so far, one a line. */
typedef struct heard {
    hone_text text;
    int n;
} heard;

static void hear(void *user, hone_log_level level, const char *message)
{
    heard *h = user;

    ++h->n;
    hone__text_printf(&h->text, "%d %s\n", (int)level, message);
}

static void forget(heard *h)
{
    hone__text_clear(&h->text);
    h->n = 0;
}

static int teardown(void **state)
{
    (void)hone_log_set(NULL, NULL, HONE_LOG_INFO);
    return runtime_teardown(state);
}

static void says_what_it_does(void **state)
{
    static const int64_t deep[] = {64, 64, 128, HONE_TYPE_F32};
    runtime_fixture *fixture = *state;
    hone_ctx *ctx;
    hone_plan *plan = NULL;
    heard h = {.n = 0};

    pack_put_all(fixture);
    assert_int_equal(hone_log_set(hear, &h, HONE_LOG_INFO), HONE_OK);
    ctx = runtime_open(fixture);
    assert_contains(hone__text_str(&h.text), "2 opened database '");
    forget(&h);
    assert_hone(ctx, hone_plan_create(ctx, "gemm", cube, 4, &plan, NULL),
                HONE_OK);
    assert_contains(hone__text_str(&h.text), "2 loaded 45 bytes of code: ");
    assert_contains(hone__text_str(&h.text),
                    "2 plan of gemm(64,64,64,4): exact, axpy.cu "
                    "BM=64,SPLIT=4: tuned for these dimensions");
    hone_plan_destroy(plan);
    forget(&h);
    assert_hone(ctx,
                hone_launch(ctx, "gemm", deep, 4, gemm_args,
                            HONE_COUNT(gemm_args), NULL),
                HONE_OK);
    assert_contains(hone__text_str(&h.text),
                    "2 plan of gemm(64,64,128,4): neighbour, ");
    assert_contains(hone__text_str(&h.text), "2 allocated a workspace of ");
    hone_close(ctx);
    hone__text_free(&h.text);
}

static void warnings_and_errors(void **state)
{
    static const int64_t far[] = {1 << 20, 64, 64, HONE_TYPE_F32};
    runtime_fixture *fixture = *state;
    hone_ctx *ctx;
    hone_plan *plan = NULL;
    heard h = {.n = 0};

    pack_put_all(fixture);
    assert_int_equal(hone_log_set(hear, &h, HONE_LOG_WARNING), HONE_OK);
    ctx = runtime_open(fixture);
    assert_hone(ctx, hone_plan_create(ctx, "gemm", cube, 4, &plan, NULL),
                HONE_OK);
    hone_plan_destroy(plan);
    assert_int_equal(h.n, 0);
    assert_hone(ctx, hone_plan_create(ctx, "gemm", far, 4, &plan, NULL),
                HONE_OK);
    hone_plan_destroy(plan);
    assert_contains(hone__text_str(&h.text),
                    "1 plan of gemm(1048576,64,64,4): default, ");
    forget(&h);
    /* A better one is damaged. */
    runtime_sql(fixture->path, "UPDATE variant SET launch_lines = launch_lines"
                               " || 'x' WHERE config = 'BM=64,SPLIT=4'");
    assert_hone(ctx, hone_plan_create(ctx, "gemm", cube, 4, &plan, NULL),
                HONE_OK);
    hone_plan_destroy(plan);
    assert_contains(hone__text_str(&h.text), "neighbour, ");
    assert_contains(hone__text_str(&h.text), "1 better left out: damaged");
    assert_int_equal(hone_log_set(hear, &h, HONE_LOG_ERROR), HONE_OK);
    forget(&h);
    assert_hone(ctx, hone_plan_create(ctx, "fft", cube, 4, &plan, NULL),
                HONE_ERR_NOT_FOUND);
    assert_int_equal(h.n, 1);
    assert_contains(hone__text_str(&h.text), "0 fft: HONE_ERR_NOT_FOUND: ");
    assert_contains(hone__text_str(&h.text), hone_error_text(ctx));
    hone_close(ctx);
    assert_int_equal(hone_open("/nowhere/hone.db", &ctx), HONE_ERR_NOT_FOUND);
    assert_contains(hone__text_str(&h.text),
                    "0 hone_open: HONE_ERR_NOT_FOUND: ");
    hone_close(ctx);
    assert_int_equal(hone_log_set(NULL, NULL, HONE_LOG_INFO), HONE_OK);
    forget(&h);
    assert_int_equal(hone_open("/nowhere/hone.db", &ctx), HONE_ERR_NOT_FOUND);
    assert_int_equal(h.n, 0);
    hone_close(ctx);
    assert_int_equal(hone_log_set(hear, &h, (hone_log_level)3),
                     HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(NULL), "there is no level 3");
    hone__text_free(&h.text);
}

static void silent_where_it_is_hot(void **state)
{
    runtime_fixture *fixture = *state;
    hone_plan *plan = NULL;
    heard h = {.n = 0};
    hone_ctx *ctx;

    pack_put_all(fixture);
    ctx = runtime_open(fixture);
    assert_hone(ctx, hone_plan_create(ctx, "gemm", cube, 4, &plan, NULL),
                HONE_OK);
    assert_hone(ctx, hone_plan_run(plan, gemm_args, 3, NULL), HONE_OK);
    assert_hone(ctx, hone_launch(ctx, "gemm", cube, 4, gemm_args, 3, NULL),
                HONE_OK);
    assert_int_equal(hone_log_set(hear, &h, HONE_LOG_INFO), HONE_OK);
    for (int i = 0; i < 100; ++i) {
        assert_hone(ctx, hone_plan_run(plan, gemm_args, 3, NULL), HONE_OK);
        assert_hone(ctx, hone_launch(ctx, "gemm", cube, 4, gemm_args, 3, NULL),
                    HONE_OK);
    }
    assert_hone(ctx, hone_plan_run(plan, gemm_args, 2, NULL),
                HONE_ERR_ARGUMENT);
    hone_plan_destroy(plan);
    assert_int_equal(h.n, 0);
    hone_close(ctx);
    assert_int_equal(h.n, 1);
    assert_contains(hone__text_str(&h.text),
                    "2 closed: 2 plans (2 exact), 0 failed; 1 misses, 0 "
                    "evictions; 45 bytes of code, ");
    hone__text_free(&h.text);
}

/* ---- HONE_LOG ------------------------------------------------------------ */

/* In a process of its own, whose standard error is this file: HONE_LOG counts
 * only as long as the program has set nothing. */
static hone_status open_with(const char *log, const char *database,
                             const char *standard_error)
{
    const pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (!child) {
        hone_ctx *ctx = NULL;
        hone_status opened;
        const int file = open(standard_error, O_WRONLY | O_CREAT, 0600);

        (void)dup2(file, STDERR_FILENO);
        (void)setenv("HONE_LOG", log, 1);
        opened = hone_open(database, &ctx);
        hone_close(ctx);
        _exit((int)opened);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (hone_status)WEXITSTATUS(status);
}

static void expect_line(const char *path, const char *part, int n_lines)
{
    hone_text text = {0};
    int n = 0;

    assert_int_equal(hone__text_read_file(&text, path, NULL), HONE_OK);
    for (size_t i = 0; i < text.length; ++i)
        n += text.data[i] == '\n';
    assert_int_equal(n, n_lines);
    if (n_lines)
        assert_contains(text.data, part);
    hone__text_free(&text);
}

static void as_the_environment_says(void **state)
{
    runtime_fixture *fixture = *state;
    char log[400], standard_error[400];

    (void)snprintf(log, sizeof log, "%s/log", fixture->folder);
    (void)snprintf(standard_error, sizeof standard_error, "%s/stderr",
                   fixture->folder);
    assert_int_equal(open_with(log, fixture->path, standard_error), HONE_OK);
    expect_line(log, " info: opened database '", 2);
    assert_int_equal(open_with(log, "/nowhere/a.db", standard_error),
                     HONE_ERR_NOT_FOUND);
    expect_line(log, " error: hone_open: HONE_ERR_NOT_FOUND: ", 3);
    expect_line(standard_error, "", 0);
    assert_int_equal(open_with("stderr", fixture->path, standard_error),
                     HONE_OK);
    expect_line(standard_error, "] info: opened database '", 2);
    assert_int_equal(open_with("", fixture->path, standard_error), HONE_OK);
    assert_int_equal(open_with("/nowhere/log", fixture->path, standard_error),
                     HONE_ERR_IO);
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: the others set a function. */
        cmocka_unit_test_setup_teardown(as_the_environment_says, runtime_setup,
                                        runtime_teardown),
        WITH_DATABASE(says_what_it_does),
        WITH_DATABASE(warnings_and_errors),
        WITH_DATABASE(silent_where_it_is_hot),
    };

    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
