/* SPDX-License-Identifier: Apache-2.0 */
/* Starting and ending worker processes: see worker.h. */
#include "tuner/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double hone__now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void close_pair(int pair[2])
{
    (void)close(pair[0]);
    (void)close(pair[1]);
}

/* Close what the child inherited and does not need: above all the pipes of
 * the other workers, which would otherwise never see their end of stream.
 * 1024 is the usual soft limit of open files; the parent opens far fewer. */
static void close_others(int keep_a, int keep_b)
{
    for (int fd = 3; fd < 1024; ++fd) {
        if (fd != keep_a && fd != keep_b)
            (void)close(fd);
    }
}

/* The child: an interrupt at the terminal is for the parent to handle, which
 * then ends its workers; the death of the parent ends the child at once, even
 * inside a driver call that never returns. */
static void run_child(pid_t parent, hone_worker_main *run, void *user,
                      int log, int from_parent, int to_parent)
{
    if (log >= 0)
        (void)dup2(log, 2);
    close_others(from_parent, to_parent);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    _exit(run(user, from_parent, to_parent));
}

hone_status hone__worker_start(hone_worker *worker, hone_worker_main *run,
                               void *user, int log, hone_error *err)
{
    int down[2];
    int up[2];
    const pid_t parent = getpid();

    *worker = (hone_worker){.pid = 0, .to = -1, .from = -1};
    (void)signal(SIGPIPE, SIG_IGN); /* a dead worker is an EPIPE, no end */
    if (pipe(down))
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot make a pipe: %s", strerror(errno));
    if (pipe(up)) {
        close_pair(down);
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot make a pipe: %s", strerror(errno));
    }
    (void)fflush(NULL); /* else the child would write it a second time */
    worker->pid = fork();
    if (worker->pid < 0) {
        const int code = errno;

        worker->pid = 0;
        close_pair(down);
        close_pair(up);
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code,
                                 "cannot start a worker process: %s",
                                 strerror(code));
    }
    if (worker->pid == 0) {
        run_child(parent, run, user, log, down[0], up[1]);
    }
    (void)close(down[0]);
    (void)close(up[1]);
    worker->to = down[1];
    worker->from = up[0];
    return HONE_OK;
}

static void describe_end(int how, char *out, size_t size)
{
    if (!out)
        return;
    if (WIFSIGNALED(how))
        (void)snprintf(out, size, "killed by signal %d (%s)", WTERMSIG(how),
                       strsignal(WTERMSIG(how)));
    else
        (void)snprintf(out, size, "exit status %d", WEXITSTATUS(how));
}

void hone__worker_stop(hone_worker *worker, double grace_s, char *out_how,
                       size_t how_size)
{
    const double deadline_s = hone__now_s() + grace_s;
    const struct timespec nap = {0, 2000000}; /* 2 ms */
    int how = 0;
    pid_t gone = 0;

    if (out_how && how_size)
        out_how[0] = '\0';
    if (!worker->pid)
        return;
    (void)close(worker->to);
    while ((gone = waitpid(worker->pid, &how, WNOHANG)) == 0 &&
           hone__now_s() < deadline_s)
        (void)nanosleep(&nap, NULL);
    if (gone == 0) {
        (void)kill(worker->pid, SIGKILL);
        do {
            gone = waitpid(worker->pid, &how, 0);
        } while (gone < 0 && errno == EINTR);
    }
    describe_end(how, out_how, how_size);
    (void)close(worker->from);
    hone__inbox_free(&worker->inbox);
    *worker = (hone_worker){.pid = 0, .to = -1, .from = -1};
}
