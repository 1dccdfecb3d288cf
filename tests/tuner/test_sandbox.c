/* SPDX-License-Identifier: Apache-2.0 */
/* What processes that run a template's code may not do, each in a process of
 * its own; and what they still may. */
#define _GNU_SOURCE /* syscall */
#include "tuner/process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char given[64], other[64];

static int make_folders(void **state)
{
    (void)state;
    (void)snprintf(given, sizeof given, "/tmp/hone-given-XXXXXX");
    (void)snprintf(other, sizeof other, "/tmp/hone-other-XXXXXX");
    return !mkdtemp(given) || !mkdtemp(other) || unsetenv("HONE_SANDBOX");
}

static int remove_folders(void **state)
{
    char command[160];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s %s", given, other);
    return system(command);
}

/* 0, or errno. */
static int write_in(const char *folder)
{
    char path[96];
    int fd;

    (void)snprintf(path, sizeof path, "%s/file", folder);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 ? errno : 0;
}

typedef int attempt(void);

/* What the attempt came to in a sandbox; 200: files are not protected here. */
static int try_it(attempt *what)
{
    int how = 0;
    const pid_t pid = fork();

    if (pid == 0) {
        const char *const folders[] = {given, NULL};

        _exit(hone__sandbox_enter(folders, 2) ? what() : 200);
    }
    assert_int_equal(waitpid(pid, &how, 0), pid);
    assert_true(WIFEXITED(how));
    if (WEXITSTATUS(how) == 200) {
        print_message("this kernel has no Landlock\n");
        skip();
    }
    return WEXITSTATUS(how);
}

static int writes_its_own(void)
{
    return write_in(given);
}
static int writes_elsewhere(void)
{
    return write_in(other);
}
static int removes_elsewhere(void)
{
    char path[96];

    (void)snprintf(path, sizeof path, "%s/precious", other);
    return unlink(path) == 0 ? 0 : errno;
}
static int changes_its_home(void)
{
    return write_in(getenv("HOME") ? getenv("HOME") : "/");
}
static int opens_a_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}
static int opens_a_local_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}
static int signals_its_parent(void)
{
    return kill(getppid(), 0) == 0 ? 0 : errno;
}
static int traces_its_parent(void)
{
    return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0 ? 0 : errno;
}
static int makes_a_ring(void)
{
    return syscall(425, 1, NULL) < 0 ? errno : 0;
}
static int makes_name_spaces(long flags)
{
    const long pid = syscall(SYS_clone, flags | SIGCHLD, 0L, 0L, 0L, 0L);

    if (pid == 0)
        _exit(0);
    return pid < 0 ? errno : 0;
}
static int makes_a_user(void)
{
    return makes_name_spaces(0x10000000);
}
static int makes_mounts(void)
{
    return makes_name_spaces(0x10000000 | 0x20000);
}
static int makes_processes(void)
{
    return makes_name_spaces(0x20000000);
}
static int makes_a_user_anew(void)
{
    uint64_t args[8] = {0x10000000, 0, 0, 0, SIGCHLD};
    const long pid = syscall(435, args, sizeof args);

    if (pid == 0)
        _exit(0);
    return pid < 0 ? errno : 0;
}

static void test_what_is_forbidden(void **state)
{
    static const struct {
        const char *what;
        attempt *run;
        int code;
    } rows[] = {
        {"a file elsewhere", writes_elsewhere, EACCES},
        {"removing a file elsewhere", removes_elsewhere, EACCES},
        {"a file at home", changes_its_home, EACCES},
        {"a socket", opens_a_socket, EACCES},
        {"a local socket", opens_a_local_socket, EACCES},
        {"a signal to the parent", signals_its_parent, EPERM},
        {"tracing the parent", traces_its_parent, EACCES},
        {"io_uring", makes_a_ring, EACCES},
        {"a name space of users", makes_a_user, EACCES},
        {"one of mounts", makes_mounts, EACCES},
        {"one of processes", makes_processes, EACCES},
        {"one of users, by clone3", makes_a_user_anew, ENOSYS},
    };
    char path[96];

    (void)state;
    (void)snprintf(path, sizeof path, "%s/precious", other);
    assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const int code = try_it(rows[i].run);

        if (code != rows[i].code && code != EPERM && code != EACCES)
            fail_msg("%s: %s", rows[i].what, strerror(code));
    }
    assert_int_equal(access(path, F_OK), 0);
}

static void *add_one(void *number)
{
    ++*(int *)number;
    return NULL;
}

/* A compiler starts programs and signals its own; a kernel's process maps code,
 * has threads and may abort. */
static int works(void)
{
    const int fd = memfd_create("code", 0);
    struct rlimit core;
    pthread_t thread;
    int how = 0, n = 0;
    pid_t pid;

    if (write_in(given) || fd < 0 || ftruncate(fd, 4096) ||
        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
            MAP_FAILED)
        return 1;
    if (system("cat /etc/passwd >/dev/null") != 0)
        return 2;
    pid = fork();
    if (pid == 0)
        abort();
    if (waitpid(pid, &how, 0) != pid || !WIFSIGNALED(how) ||
        WTERMSIG(how) != SIGABRT)
        return 3;
    if (getrlimit(RLIMIT_CORE, &core) || core.rlim_cur)
        return 4;
    if (pthread_create(&thread, NULL, add_one, &n) ||
        pthread_join(thread, NULL) || n != 1)
        return 5;
    return 0;
}

static void test_what_is_allowed(void **state)
{
    (void)state;
    assert_int_equal(try_it(writes_its_own), 0);
    assert_int_equal(try_it(works), 0);
}

static void test_it_can_be_switched_off(void **state)
{
    char text[512];
    int how = 0;
    pid_t pid;

    (void)state;
    (void)hone__sandbox_describe(text, sizeof text);
    assert_non_null(strstr(text, "HONE_SANDBOX=off"));
    assert_int_equal(setenv("HONE_SANDBOX", "off", 1), 0);
    assert_int_equal(hone__sandbox_describe(text, sizeof text), 0);
    assert_non_null(strstr(text, "switched off"));
    pid = fork();
    if (pid == 0)
        _exit(hone__sandbox_enter(NULL, 0) ? 1 : write_in(other));
    assert_int_equal(waitpid(pid, &how, 0), pid);
    assert_int_equal(how, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_forbidden, make_folders,
                                        remove_folders),
        cmocka_unit_test_setup_teardown(test_what_is_allowed, make_folders,
                                        remove_folders),
        cmocka_unit_test_setup_teardown(test_it_can_be_switched_off,
                                        make_folders, remove_folders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
