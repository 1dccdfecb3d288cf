/* SPDX-License-Identifier: Apache-2.0 */
/* Commands whose memory ends, allocation by allocation: what they print with
 * exit code 0 is the whole answer, or they say that memory ran out. */
#include "runtime/base/alloc.h"
#include "runtime/base/text.h"
#include "tests/fail_every.h"
#include "tools/base/commands.h"
#include "tools/base/message.h"

#include "db/db.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

enum { MAX_ARGS = 24, MOST_ALLOCATIONS = 20000 };

static char folder[] = "/tmp/hone-memory-XXXXXX";
static char db_path[64];
static char out_path[64];

typedef hone_exit command_fn(const hone_options *options);

/* In a child: the command prints into a file. */
static void run_child(command_fn *command, const hone_options *options, long n)
{
    const int out = open(out_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int null = open("/dev/null", O_WRONLY);
    hone_exit code;

    if (out < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(null, STDERR_FILENO) < 0)
        _exit(99);
    hone__alloc_fail_after(n);
    code = command(options);
    hone__alloc_fail_after(-1);
    _exit((int)code);
}

/* Times differ from run to run. */
static void remove_times(hone_text *out)
{
    for (char *at = out->data; at && (at = strstr(at, "time_ms"));) {
        char *end;

        at += strlen("time_ms");
        end = at + strcspn(at, ",\n}");
        memmove(at, end, strlen(end) + 1);
    }
}

/* The exit code, and what it printed. */
static int run(command_fn *command, const hone_options *options, long n,
               hone_text *out)
{
    int status = 0;
    pid_t child;

    (void)fflush(NULL);
    child = fork();
    if (child == 0)
        run_child(command, options, n);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    hone__text_clear(out);
    assert_int_equal(hone__text_read_file(out, out_path, NULL), HONE_OK);
    remove_times(out);
    return WEXITSTATUS(status);
}

static void check(command_fn *command, const char *words)
{
    char storage[1024];
    char *argv[MAX_ARGS + 1] = {NULL};
    hone_options options;
    hone_text whole = {0};
    hone_text out = {0};
    char *rest = storage, *word;
    int argc = 0, code;
    long n = 0;

    (void)snprintf(storage, sizeof storage, "hone %s", words);
    while ((word = strtok_r(rest, " ", &rest)) && argc < MAX_ARGS)
        argv[argc++] = word;
    assert_int_equal(hone__options_parse(argc, argv, &options, NULL), HONE_OK);
    assert_int_equal(run(command, &options, -1, &whole), HONE_EXIT_DONE);
    assert_true(whole.length > 0);
    do {
        code = run(command, &options, n, &out);
        if (code == HONE_EXIT_DONE &&
            strcmp(hone__text_str(&out), hone__text_str(&whole)) != 0)
            fail_msg("hone %s: without allocation %ld it prints\n%s", words, n,
                     hone__text_str(&out));
        if (code != HONE_EXIT_DONE && code != HONE_EXIT_ENVIRONMENT)
            fail_msg("hone %s: without allocation %ld it exits with %d", words,
                     n, code);
        /* Each at first, or every few, then a sample. */
        n += n < 200 ? fail_every() : 17;
        assert_true(n < MOST_ALLOCATIONS);
    } while (code != HONE_EXIT_DONE);
    hone__text_free(&whole);
    hone__text_free(&out);
    hone__options_free(&options);
}

static void show(void **state)
{
    static const char *const formats[] = {"text", "json", "csv"};
    char words[256];

    (void)state;
    for (size_t i = 0; i < 3; ++i) {
        (void)snprintf(words, sizeof words, "show devices --db %s --format %s",
                       db_path, formats[i]);
        check(hone__cmd_show, words);
    }
}

static void space(void **state)
{
    static const char *const forms[] = {
        "--explain", "--explain --format json", "--explain --format csv",
        "--list --format json --limit 3", "--count"};
    char words[256];

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        (void)snprintf(words, sizeof words, "space fixtures/mini.cu %s",
                       forms[i]);
        check(hone__cmd_space, words);
    }
}

static void simulate(void **state)
{
    static const char *const forms[] = {"", "--format json --curves --score",
                                        "--format csv", "--format csv --curves",
                                        "--curves --score"};
    char words[256];

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        (void)snprintf(words, sizeof words,
                       "simulate ../replay/recordings/small_t4.json --strategy "
                       "random --repeats 1 --jobs 1 %s",
                       forms[i]);
        check(hone__cmd_simulate, words);
    }
}

static void expand(void **state)
{
    (void)state;
    (void)unsetenv("HONE_TEMPLATE_PATH");
    check(hone__cmd_expand, "expand fixtures/mini.cu --config BLOCK=64");
}

static int make_db(void **state)
{
    const hone_db_device devices[] = {
        {"cuda", "first", "sm_90", 132, 1, 1, "13000", NULL},
        {"cuda", "second, third", "sm_80", 108, 1, 1, "13000", NULL}};
    hone_db *db = NULL;
    int64_t id;

    (void)state;
    json_set_alloc_funcs(hone__alloc, hone__free);
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(db_path, sizeof db_path, "%s/hone.db", folder);
    (void)snprintf(out_path, sizeof out_path, "%s/out", folder);
    if (hone__db_open(db_path, HONE_DB_CREATE, &db, NULL) != HONE_OK)
        return -1;
    for (size_t i = 0; i < 2; ++i)
        if (hone__db_device_put(db, &devices[i], &id, NULL) != HONE_OK)
            return -1;
    hone__db_close(db);
    return 0;
}

static int remove_db(void **state)
{
    char command[128];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command); /* NOLINT(cert-env33-c) */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(show),
        cmocka_unit_test(space),
        cmocka_unit_test(simulate),
        cmocka_unit_test(expand),
    };

    return cmocka_run_group_tests_name("memory of the commands", tests, make_db,
                                       remove_db);
}
