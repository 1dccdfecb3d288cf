/* SPDX-License-Identifier: Apache-2.0 */
/* fill_pipes COMMAND ARGUMENT..: runs a program for which the system has no
 * more memory for pipes: every pipe that it makes holds 8 KiB, and cannot be
 * enlarged. That is what a user gets who is not root and has 64 pipes of 1
 * MiB. Exit 77 if this system has no such limit. */
#define _GNU_SOURCE /* F_SETPIPE_SZ, pipe2 */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* As root: a user that nobody is, so that nobody else runs short. */
enum { USER = 54321, MOST_PIPES = 400, PIPE_BYTES = 1 << 20, SMALL = 8192 };

static int skip(const char *why)
{
    (void)printf("%s\n", why);
    return 77;
}

/* 1: a new pipe is a small one now. */
static int fill(void)
{
    int pair[2];

    for (int i = 0; i < MOST_PIPES; ++i) {
        if (pipe2(pair, O_CLOEXEC))
            return 0;
        if (fcntl(pair[1], F_GETPIPE_SZ) <= SMALL)
            return 1;
        (void)fcntl(pair[1], F_SETPIPE_SZ, PIPE_BYTES);
    }
    return 0;
}

int main(int argc, char **argv)
{
    pid_t child;
    int how = 0;

    if (argc < 2)
        return 2;
    if (getuid() == 0 && (setgroups(0, NULL) || setgid(USER) || setuid(USER)))
        return skip("another user's rights cannot be had here");
    if (access(argv[1], X_OK))
        return skip("the program is not there for every user");
    if (!fill())
        return skip("this system does not limit a user's pipes");
    child = fork();
    if (child == 0) {
        (void)execv(argv[1], argv + 1);
        _exit(126);
    }
    if (child < 0 || waitpid(child, &how, 0) != child)
        return 1;
    return WIFEXITED(how) ? WEXITSTATUS(how) : 1;
}
