/* SPDX-License-Identifier: Apache-2.0 */
/* See host_build.h. */
#include "tests/host/host_build.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

extern char **environ;

/* stderr goes to the file `log`, if there is one. */
static int execute(const char *const *words, const char *log)
{
    posix_spawn_file_actions_t actions;
    char *arguments[32] = {NULL};
    pid_t child;
    int how = 0;

    for (int i = 0; words[i]; ++i)
        memcpy(&arguments[i], &words[i], sizeof words[i]);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    if (log)
        (void)posix_spawn_file_actions_addopen(
            &actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(
        posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ),
        0);
    (void)posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(waitpid(child, &how, 0), child);
    return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

/* As hone compiles, where the compiler can: the loader places what is
 * thread-local otherwise then. */
#define DESCRIPTORS "-mtls-dialect=gnu2"

static int has_descriptors(const char *compiler)
{
    static int can = -1;
    const char *const words[] = {compiler,    DESCRIPTORS, "-x",
                                 "c++",       "-c",        "-o",
                                 "/dev/null", "/dev/null", NULL};

    if (can < 0)
        can = execute(words, "/dev/null") == 0;
    return can;
}

static const char *const plain_flags[] = {"-shared", NULL};
static const char *const ucontext_flags[] = {"-shared", "-DHONE_HOST_UCONTEXT",
                                             NULL};
static const char *const race_flags[] = {"-c", "-fsanitize=thread",
                                         "-DHONE_HOST_RACE=1", NULL};
static const char *const sanitize_flags[] = {
    "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined",
    "-fno-omit-frame-pointer", "-DHONE_TEST_MAIN", NULL};
static const char *const *const kind_flags[] = {plain_flags, ucontext_flags,
                                                race_flags, sanitize_flags};

void build_open(build *b, const char *file, build_kind kind)
{
    const char *root = getenv("HONE_SOURCE");
    const char *compiler = getenv("CXX");
    char ours[512], abi[512], source[512], half[128];
    const char *words[32] = {compiler && *compiler ? compiler : "c++",
                             "-std=c++17",
                             "-O1",
                             "-g1",
                             "-fPIC",
                             "-pthread",
                             "-ffp-contract=off",
                             "-fvisibility=hidden",
                             "-Wall",
                             "-Wextra",
                             "-Werror",
                             "-Wno-unknown-pragmas",
                             "-DHONE_HOST=1"};
    int n = 13;

    if (has_descriptors(words[0]))
        words[n++] = DESCRIPTORS;
    if (!root)
        root = "../.."; /* run in the folder of the tests' sources */
    memset(b, 0, sizeof *b);
    (void)snprintf(b->folder, sizeof b->folder, "/tmp/hone-host-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    (void)snprintf(b->path, sizeof b->path, "%s/kernels.so", b->folder);
    (void)snprintf(half, sizeof half, "%s/kernels.o", b->folder);
    (void)snprintf(ours, sizeof ours, "-I%s/tuner/cpu/host", root);
    (void)snprintf(abi, sizeof abi, "-I%s/runtime/driver", root);
    (void)snprintf(source, sizeof source, "%s/tests/host/%s", root, file);
    for (const char *const *flag = kind_flags[kind]; *flag; ++flag)
        words[n++] = *flag;
    words[n++] = ours;
    words[n++] = abi;
    words[n++] = "-x";
    words[n++] = "c++";
    words[n++] = source;
    words[n++] = "-o";
    words[n++] = kind == BUILD_RACE ? half : b->path;
    words[n] = NULL;
    assert_int_equal(execute(words, NULL), 0);
    if (kind == BUILD_RACE) {
        const char *link[] = {words[0], "-shared", "-pthread", "-Wl,-z,defs",
                              half,     "-o",      b->path,    NULL};
        assert_int_equal(execute(link, NULL), 0);
    }
    if (kind == BUILD_SANITIZED)
        return;
    b->object = dlopen(b->path, RTLD_NOW | RTLD_LOCAL);
    if (!b->object)
        fail_msg("%s", dlerror());
    *(void **)&b->run = dlsym(b->object, HONE_HOST_SYMBOL);
    assert_non_null(b->run);
}

void build_close(build *b)
{
    char half[128];

    if (b->object)
        assert_int_equal(dlclose(b->object), 0);
    (void)snprintf(half, sizeof half, "%s/kernels.o", b->folder);
    (void)unlink(half);
    (void)snprintf(half, sizeof half, "%s/log", b->folder);
    (void)unlink(half);
    (void)unlink(b->path);
    (void)rmdir(b->folder);
}

int build_run(const build *b, const char *kernel, unsigned blocks,
              unsigned threads, unsigned shared, void *const *params,
              hone_host_report *report)
{
    const hone_host_launch launch = {kernel, {blocks, 1, 1}, {threads, 1, 1},
                                     shared, params,         2};

    const int kind = b->run(&launch, report);

    assert_int_equal(kind, report->kind);
    return kind;
}

void build_run_ok(const build *b, const char *kernel, unsigned blocks,
                  unsigned threads, unsigned shared, void *const *params)
{
    hone_host_report report;

    if (build_run(b, kernel, blocks, threads, shared, params, &report))
        fail_msg("%s: %s", kernel, report.text);
    assert_string_equal(report.text, "");
}

int line_of(const char *file, const char *name)
{
    char path[512], mark[64], line[256];
    const char *root = getenv("HONE_SOURCE");
    FILE *f;
    int number = 0;

    (void)snprintf(path, sizeof path, "%s/tests/host/%s", root ? root : "../..",
                   file);
    (void)snprintf(mark, sizeof mark, "MARK: %s ", name);
    f = fopen(path, "r");
    assert_non_null(f);
    for (int n = 1; fgets(line, sizeof line, f); ++n) {
        if (strstr(line, mark))
            number = n;
    }
    assert_int_equal(fclose(f), 0);
    assert_true(number > 0);
    return number;
}

int build_execute(const build *b, const char *argument, char *out, int size)
{
    const char *words[] = {b->path, argument, NULL};
    char log[128];
    FILE *f;
    int code;
    size_t n;

    (void)snprintf(log, sizeof log, "%s/log", b->folder);
    code = execute(words, log);
    f = fopen(log, "r");
    assert_non_null(f);
    n = fread(out, 1, (size_t)size - 1, f);
    out[n] = '\0';
    assert_int_equal(fclose(f), 0);
    return code;
}
