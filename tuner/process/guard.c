/* SPDX-License-Identifier: Apache-2.0 */
/* A process that ends a worker's group: see guard.h. */
#define _GNU_SOURCE /* pipe2, syscall */
#include "tuner/process/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int own[2] = {-1, -1}; /* for this process's workers */
static int parents = -1;      /* ends when this process's parent does */
static pid_t guard;           /* of this process's group; 0: none */
static int to_guard = -1;     /* a byte: the worker leaves. A sandbox may forbid
                                 signals to it (sandbox.h) */

int hone__guard_open(void)
{
    if (own[0] < 0 && pipe2(own, O_CLOEXEC))
        own[0] = own[1] = -1;
    return own[0] >= 0;
}

int hone__guard_end(void)
{
    return own[0];
}

/* The writing end is closed by now, as all that the worker does not need. */
void hone__guard_inherit(void)
{
    parents = own[0];
    own[0] = own[1] = -1;
    guard = 0;
    to_guard = -1;
}

/* ---- the guard ----------------------------------------------------------- */

static void shut_out(int keep_a, int keep_b, int keep_c)
{
    static const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
                                  SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2};
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; ++i)
        (void)signal(ignored[i], SIG_IGN);
    for (int fd = 0; fd < 3 && nowhere >= 0; ++fd)
        (void)dup2(nowhere, fd);
    for (int fd = 3; fd < 1024; ++fd) {
        if (fd != keep_a && fd != keep_b && fd != keep_c)
            (void)close(fd);
    }
}

/* Until the tuner or the worker is gone. Where the system has no descriptors
 * of processes (Linux before 5.3), the parent's number is looked at. 1: the
 * worker says that it leaves. */
static int wait_for_end(pid_t worker, int worker_fd, int from_worker)
{
    struct pollfd rows[] = {
        {parents, 0, 0}, {worker_fd, POLLIN, 0}, {from_worker, POLLIN, 0}};
    char byte;

    while (getppid() == worker) {
        const int n = poll(rows, 3, worker_fd < 0 ? 200 : -1);

        if (n > 0 && (rows[2].revents & POLLIN) &&
            read(from_worker, &byte, 1) == 1)
            return 1;
        if (n > 0 || (n < 0 && errno != EINTR))
            return 0;
    }
    return 0;
}

static int tuner_is_gone(void)
{
    struct pollfd row = {parents, 0, 0};

    return poll(&row, 1, 0) > 0;
}

/* Until the group is gone, or a second has passed: dead processes that nobody
 * collects are of it, too. */
static void tidy(pid_t group, hone_guard_after *after)
{
    const struct timespec nap = {0, 50000000};

    (void)prctl(PR_SET_NAME, "hone-tidy");
    for (int i = 0; i < 20 && kill(-group, 0) == 0; ++i) {
        (void)nanosleep(&nap, NULL);
        after();
    }
    after();
    _exit(0);
}

static void watch(pid_t worker, int worker_fd, int from_worker,
                  hone_guard_after *after)
{
    (void)prctl(PR_SET_NAME, "hone-guard");
    shut_out(parents, worker_fd, from_worker);
    if (wait_for_end(worker, worker_fd, from_worker))
        _exit(0);
    if (after && tuner_is_gone()) {
        const pid_t child = fork();

        (void)setpgid(child, child); /* both: whoever comes first */
        if (child == 0)
            tidy(worker, after);
    }
    (void)kill(-worker, SIGKILL); /* this process, too */
    _exit(0);
}

/* ---- in the worker ------------------------------------------------------- */

void hone__guard_start(hone_guard_after *after)
{
    const pid_t self = getpid();
    int self_fd, ends[2];

    (void)setpgid(0, 0);
    if (parents < 0 || guard || pipe2(ends, O_CLOEXEC))
        return;
    self_fd = (int)syscall(SYS_pidfd_open, self, 0);
    guard = fork();
    if (guard == 0) {
        (void)close(ends[1]);
        watch(self, self_fd, ends[0], after);
    }
    if (guard < 0)
        guard = 0;
    to_guard = ends[1];
    (void)close(ends[0]);
    if (self_fd >= 0)
        (void)close(self_fd);
}

void hone__guard_stop(void)
{
    if (!guard)
        return;
    (void)signal(SIGPIPE, SIG_IGN);
    if (write(to_guard, "", 1) == 1)
        (void)waitpid(guard, NULL, 0);
    (void)close(to_guard);
    to_guard = -1;
    guard = 0;
}
