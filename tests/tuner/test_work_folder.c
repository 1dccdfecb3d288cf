/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of compile processes: whose are removed, and that nothing else is. */
#include "runtime/base/text.h"
#include "tuner/compile/work_folder.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char base[64];

/* $TMPDIR of a test. */
static int enter(void **state)
{
    (void)state;
    (void)snprintf(base, sizeof base, "/tmp/hone-folders-XXXXXX");
    return !mkdtemp(base) || setenv("TMPDIR", base, 1);
}

static int leave(void **state)
{
    char command[96];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", base);
    return system(command);
}

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void run(const char *format, ...)
{
    char command[512];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(command, sizeof command, format, args);
    va_end(args);
    assert_int_equal(system(command), 0);
}

static int is_there(const char *name)
{
    char path[512];

    (void)snprintf(path, sizeof path, "%s%s%s", name[0] == '/' ? "" : base,
                   name[0] == '/' ? "" : "/", name);
    return access(path, F_OK) == 0;
}

/* A process that has a folder until it is killed. */
static pid_t start_owner(char *path, size_t size)
{
    int pipe_ends[2];
    pid_t pid;

    assert_int_equal(pipe(pipe_ends), 0);
    pid = fork();
    if (pid == 0) {
        const char *made = hone__work_folder_make(path, size);

        if (!made || write(pipe_ends[1], path, size) != (ssize_t)size)
            _exit(1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(pipe_ends[0], path, size), (ssize_t)size);
    (void)close(pipe_ends[0]);
    (void)close(pipe_ends[1]);
    return pid;
}

/* Whoever lives keeps it: nothing but the lock says so, neither a process
 * number nor an age. */
static void test_the_living_keep_theirs(void **state)
{
    char path[128];
    const pid_t pid = start_owner(path, sizeof path);

    (void)state;
    run("mkdir %s/units && echo x > %s/units/file && touch -d '3 days ago' %s",
        path, path, path);
    hone__work_folder_sweep();
    assert_true(is_there(path));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    hone__work_folder_sweep();
    assert_false(is_there(path));
}

/* One that has no lock yet is about to get it. */
static void test_without_a_lock(void **state)
{
    (void)state;
    run("mkdir %s/hone-work-new %s/hone-work-old", base, base);
    run("touch -d '2 hours ago' %s/hone-work-old", base);
    run("touch -d '+1 minute' %s/hone-work-new",
        base); /* however long it took */
    hone__work_folder_sweep();
    assert_true(is_there("hone-work-new"));
    assert_false(is_there("hone-work-old"));
}

/* Who sweeps may be killed at any moment, and what is not removed stays with
 * its lock: the next sweep goes on. */
static void test_sweeping_is_interrupted(void **state)
{
    (void)state;
    run("mkdir -p %s/hone-work-deep/a/b/c/d/e/f && cd %s/hone-work-deep && "
        "touch lock file",
        base, base);
    hone__work_folder_sweep();
    assert_false(is_there("hone-work-deep/file"));
    assert_true(is_there("hone-work-deep/lock"));
    run("rm -r %s/hone-work-deep/a/b/c", base);
    run("mkdir %s/hone-work-gone && touch -d '1 minute ago' %s/hone-work-gone",
        base, base);
    hone__work_folder_sweep();
    assert_false(is_there("hone-work-deep"));
    assert_false(is_there("hone-work-gone"));
}

static void test_links_are_not_followed(void **state)
{
    (void)state;
    run("mkdir %s/mine && touch %s/mine/lock %s/mine/file", base, base, base);
    run("touch -d '2 hours ago' %s/mine", base);
    run("ln -s %s/mine %s/hone-work-link", base, base);
    /* One that is left behind, with links in it. */
    run("mkdir %s/hone-work-dead && cd %s/hone-work-dead && touch lock && "
        "ln -s ../mine folder && ln -s ../mine/file file",
        base, base);
    /* A lock that is a link says nothing. */
    run("mkdir %s/hone-work-odd && ln -s ../mine/lock %s/hone-work-odd/lock",
        base, base);
    hone__work_folder_sweep();
    assert_true(is_there("mine/file"));
    assert_true(is_there("hone-work-link"));
    assert_false(is_there("hone-work-dead"));
    assert_true(is_there("hone-work-odd/lock"));
    {
        char path[128];

        (void)snprintf(path, sizeof path, "%s/hone-work-link", base);
        hone__work_folder_remove(path);
    }
    assert_true(is_there("mine/file"));
}

static void test_others_keep_theirs(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* only root can give a folder away */
    run("mkdir %s/hone-work-other && touch %s/hone-work-other/lock && "
        "chown -R 65534 %s/hone-work-other && "
        "touch -d '2 hours ago' %s/hone-work-other",
        base, base, base, base);
    hone__work_folder_sweep();
    assert_true(is_there("hone-work-other/lock"));
}

static void test_removed_by_its_owner(void **state)
{
    char path[128];

    (void)state;
    assert_ptr_equal(hone__work_folder_make(path, sizeof path), path);
    run("mkdir -p %s/a/b && touch %s/a/b/c %s/d", path, path, path);
    hone__work_folder_sweep(); /* by another process of the same farm */
    assert_true(is_there(path));
    hone__work_folder_remove(path);
    assert_false(is_there(path));
    hone__work_folder_remove(NULL);
    (void)setenv("TMPDIR", "/nonexistent", 1);
    assert_null(hone__work_folder_make(path, sizeof path));
    hone__work_folder_sweep();
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_the_living_keep_theirs),
        IN_FOLDER(test_without_a_lock),
        IN_FOLDER(test_sweeping_is_interrupted),
        IN_FOLDER(test_links_are_not_followed),
        IN_FOLDER(test_others_keep_theirs),
        IN_FOLDER(test_removed_by_its_owner),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
