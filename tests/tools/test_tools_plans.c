/* SPDX-License-Identifier: Apache-2.0 */
/* Every view of `hone show`, with each filter, `hone top` and `hone export`
 * are answered by the indexes that are there for it: plans.golden has how. A
 * line with SCAN reads a whole table: of one that grows with use there is none,
 * but that sessions and decisions are read from the last one on until there are
 * enough.
 */
#include "db/db.h"
#include "runtime/base/text.h"
#include "tests/db/plans.h"
#include "tools/base/commands.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_ARGS = 24 };

typedef hone_exit command_fn(const hone_options *options);

static void run(command_fn *command, hone_exit expected, const char *words)
{
    char storage[1024];
    char *argv[MAX_ARGS + 1] = {NULL};
    char *rest = storage, *word;
    hone_options options;
    int argc = 0;

    (void)snprintf(storage, sizeof storage, "hone %s", words);
    while ((word = strtok_r(rest, " ", &rest)) && argc < MAX_ARGS)
        argv[argc++] = word;
    assert_int_equal(hone__options_parse(argc, argv, &options, NULL), HONE_OK);
    assert_int_equal(command(&options), expected);
    hone__options_free(&options);
}

static void show(const char *path, const char *view, const char *filter)
{
    char words[512];

    (void)snprintf(words, sizeof words, "show %s --db %s --limit 20 %s", view,
                   path, filter);
    run(hone__cmd_show, HONE_EXIT_DONE, words);
}

/* What it asks twice a second; there is no tune to be seen. */
static void top(const char *path)
{
    char words[512];

    (void)snprintf(words, sizeof words, "top --once --db %s", path);
    run(hone__cmd_top, HONE_EXIT_INPUT, words);
}

/* There is no trial. */
static void export(const char *path)
{
    char words[512];

    (void)snprintf(words, sizeof words, "export sum -o - --db %s", path);
    run(hone__cmd_export, HONE_EXIT_INPUT, words);
}

static void plans(void **state)
{
    static const char *const views[] = {
        "winners",  "trials",   "sessions", "decisions",  "devices",
        "coverage", "problems", "stale",    "parameters", "pareto"};
    static const char *const filters[] = {"", "--op sum", "--dims 64",
                                          "--op sum --dims 64 --mode cold"};
    char folder[] = "/tmp/hone-plans-XXXXXX";
    const int out = dup(STDOUT_FILENO);
    const int null = open("/dev/null", O_WRONLY);
    char path[64];
    hone_text text = {0};
    hone_db *db = NULL;

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/hone.db", folder);
    assert_int_equal(hone__db_open(path, HONE_DB_CREATE, &db, NULL), HONE_OK);
    hone__db_close(db);
    assert_int_equal(dup2(null, STDOUT_FILENO), STDOUT_FILENO);
    plans_begin();
    for (size_t v = 0; v < sizeof views / sizeof views[0]; ++v)
        for (size_t i = 0; i < sizeof filters / sizeof filters[0]; ++i)
            show(path, views[v], filters[i]);
    top(path);
    export(path);
    plans_end(path, &text);
    (void)fflush(stdout);
    assert_int_equal(dup2(out, STDOUT_FILENO), STDOUT_FILENO);
    assert_int_equal(close(out) + close(null), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_true(plans_are(&text, "plans.golden"));
    hone__text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans)};

    return cmocka_run_group_tests_name("plans of commands", tests, NULL, NULL);
}
