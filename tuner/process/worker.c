/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, hearing and ending worker processes: see worker.h. */
#define _GNU_SOURCE /* F_SETPIPE_SZ, pipe2 */
#include "tuner/process/worker.h"

#include "tuner/process/guard.h"

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

/* A process inside a driver call that never returns is not even stopped by
 * SIGKILL; waiting for it longer would hang the run with it. */
enum { UNKILLABLE_S = 5 };

static const hone_worker nobody = {.pid = 0, .to = -1, .from = -1};

double hone__now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double hone__watched_s(double *looked_s)
{
    const double now_s = hone__now_s();
    const double passed_s = now_s - *looked_s;

    *looked_s = now_s;
    return passed_s < 1 ? passed_s : 1;
}

/* ---- those that nobody waits for ----------------------------------------- */

/* Processes that were let go before they had ended; until this one asks for
 * their end they stay as zombies, one of every problem that is tuned. More than
 * so many at a time are left to init. */
static struct {
    int n;
    pid_t pids[64];
} leaving;

static void reap(void)
{
    int n = 0;

    for (int i = 0; i < leaving.n; ++i) {
        const pid_t gone = waitpid(leaving.pids[i], NULL, WNOHANG);

        if (gone == 0 || (gone < 0 && errno == EINTR))
            leaving.pids[n++] = leaving.pids[i];
    }
    leaving.n = n;
}

static void reap_later(pid_t pid)
{
    reap();
    if (leaving.n < (int)(sizeof leaving.pids / sizeof leaving.pids[0]) &&
        waitpid(pid, NULL, WNOHANG) == 0)
        leaving.pids[leaving.n++] = pid;
}

/* ---- starting them ------------------------------------------------------- */

/* The two ends of each of two pipes. */
static void close_ends(const int ends[4])
{
    for (int i = 0; i < 4; ++i) {
        if (ends[i] >= 0)
            (void)close(ends[i]);
    }
}

/* Close what the child inherited and does not need: above all the pipes of
 * the other workers, which would otherwise never see their end of stream.
 * 1024 is the usual soft limit of open files; the parent opens far fewer. */
static void close_others(int keep_a, int keep_b, int keep_c)
{
    for (int fd = 3; fd < 1024; ++fd) {
        if (fd != keep_a && fd != keep_b && fd != keep_c)
            (void)close(fd);
    }
}

/* The child: an interrupt at the terminal is for the parent to handle, which
 * then ends its workers; the death of the parent ends the child at once, even
 * inside a driver call that never returns. */
static void run_child(pid_t parent, hone_worker_main *run, void *user, int log,
                      int from_parent, int to_parent)
{
    int how;

    leaving.n = 0;    /* they are the parent's */
    (void)dup2(2, 1); /* the parent's stdout is for results */
    if (log >= 0)
        (void)dup2(log, 2);
    close_others(from_parent, to_parent, hone__guard_end());
    hone__guard_inherit();
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    how = run(user, from_parent, to_parent);
    hone__guard_stop();
    _exit(how);
}

hone_status hone__worker_start(hone_worker *worker, hone_worker_main *run,
                               void *user, int log, hone_error *err)
{
    int ends[4] = {-1, -1, -1, -1};
    const pid_t parent = getpid();
    int is_piped;

    *worker = nobody;
    reap();
    (void)signal(SIGPIPE, SIG_IGN); /* a dead worker is an EPIPE, no end */
    /* A program that is started meanwhile would else keep a worker from seeing
     * the end of its pipe. */
    is_piped = hone__guard_open() && pipe2(ends, O_CLOEXEC) == 0 &&
               pipe2(ends + 2, O_CLOEXEC) == 0;
    if (is_piped) {
        (void)fflush(NULL); /* else the child would write it a second time */
        worker->pid = fork();
    }
    if (!is_piped || worker->pid < 0) {
        const int code = errno;

        worker->pid = 0;
        close_ends(ends);
        return hone__fail_native(
            err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code, "cannot %s: %s",
            is_piped ? "start a worker process" : "make a pipe",
            strerror(code));
    }
    if (worker->pid == 0)
        run_child(parent, run, user, log, ends[0], ends[3]);
    (void)fcntl(ends[1], F_SETFL, O_NONBLOCK); /* a pipe accepts that */
    (void)close(ends[0]);
    (void)close(ends[3]);
    worker->to = ends[1];
    worker->from = ends[2];
    return HONE_OK;
}

void hone__worker_widen(const hone_worker *worker)
{
    enum { PIPE_BYTES = 1 << 20 };

    (void)fcntl(worker->to, F_SETPIPE_SZ, PIPE_BYTES);
}

void hone__worker_name(const char *name)
{
    (void)prctl(PR_SET_NAME, name);
}

/* ---- messages ----------------------------------------------------------- */

hone_status hone__worker_send(hone_worker *worker, uint32_t kind,
                              const hone_text *payload, hone_error *err)
{
    if (worker->is_over)
        return hone__fail(err, HONE_ERR_IO, "the worker process has ended");
    HONE_TRY(hone__outbox_add(&worker->outbox, kind, payload, err));
    return hone__outbox_flush(&worker->outbox, worker->to, err);
}

/* A look at the descriptors of some workers: two rows for each. */
enum { MOST_WORKERS = 512, SLICE_MS = 50 };

static void fill_rows(hone_worker *const *workers, size_t n,
                      struct pollfd *rows)
{
    for (size_t i = 0; i < n; ++i) {
        const hone_worker *w = workers[i];
        const int has_mail = !hone__outbox_is_empty(&w->outbox);

        /* poll() leaves out what is negative. */
        rows[2 * i] =
            (struct pollfd){w->pid && !w->is_over ? w->from : -1, POLLIN, 0};
        rows[2 * i + 1] =
            (struct pollfd){w->pid && has_mail ? w->to : -1, POLLOUT, 0};
    }
}

/* `*news`: some worker has said something, or has ended. */
static hone_status move_messages(hone_worker *const *workers, size_t n,
                                 const struct pollfd *rows, int *news,
                                 hone_error *err)
{
    for (size_t i = 0; i < n; ++i) {
        hone_worker *w = workers[i];

        /* One that is gone is noticed where its answers come from. */
        if (rows[2 * i + 1].revents)
            (void)hone__outbox_flush(&w->outbox, w->to, NULL);
        if (rows[2 * i].revents) {
            *news = 1;
            HONE_TRY(hone__inbox_fill(&w->inbox, w->from, &w->is_over, err));
        }
    }
    return HONE_OK;
}

hone_status hone__workers_wait(hone_worker *const *workers, size_t n,
                               const hone_wait *wait, hone_error *err)
{
    struct pollfd rows[2 * MOST_WORKERS];
    int news = 0;

    reap();
    if (n > MOST_WORKERS)
        return hone__fail(err, HONE_ERR_INTERNAL, "%zu workers are too many",
                          n);
    for (;;) {
        const double left_ms = 1e3 * (wait->until_s - hone__now_s());

        if (wait->stop && *wait->stop)
            return hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted");
        fill_rows(workers, n, rows);
        if (poll(rows, 2 * n,
                 left_ms <= 0         ? 0
                 : left_ms < SLICE_MS ? (int)left_ms + 1
                                      : SLICE_MS) > 0)
            HONE_TRY(move_messages(workers, n, rows, &news, err));
        if (news || left_ms <= 0)
            return HONE_OK;
    }
}

hone_status hone__worker_hear(hone_worker *worker, hone_wait *wait,
                              uint32_t *out_kind, hone_unpack *out,
                              hone_error *err)
{
    int is_late = 0;

    if (wait->stop && *wait->stop)
        return hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted");
    while (!hone__inbox_next(&worker->inbox, out_kind, out)) {
        const double began_s = hone__now_s();
        const double look_s = began_s + 0.5;
        const hone_wait look = {wait->until_s < look_s ? wait->until_s : look_s,
                                wait->stop};
        double looked_s = began_s, watched_s;

        *out = (hone_unpack){"", "", 0};
        *out_kind = worker->is_over ? HONE_HEARD_END : HONE_HEARD_NOTHING;
        if (worker->is_over || is_late)
            return HONE_OK;
        is_late = began_s >= wait->until_s; /* then one last look */
        HONE_TRY(hone__workers_wait(&worker, 1, &look, err));
        watched_s = hone__watched_s(&looked_s);
        wait->until_s += looked_s - began_s - watched_s;
    }
    return HONE_OK;
}

/* ---- their end ---------------------------------------------------------- */

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

static hone_worker_end end_of(int how)
{
    if (WIFEXITED(how))
        return WEXITSTATUS(how) ? HONE_WORKER_FAILED : HONE_WORKER_LEFT;
    switch (WTERMSIG(how)) {
    case SIGKILL: /* the kernel's, too, when memory runs out */
    case SIGTERM:
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
        return HONE_WORKER_KILLED;
    default:
        return HONE_WORKER_FAILED;
    }
}

/* Wait until the process is gone; 0 if it still is not at the deadline. */
static int wait_until(pid_t pid, double deadline_s, int *out_how)
{
    const struct timespec nap = {0, 1000000}; /* 1 ms */

    for (;;) {
        const pid_t gone = waitpid(pid, out_how, WNOHANG);

        if (gone == pid || (gone < 0 && errno != EINTR))
            return 1;
        if (hone__now_s() >= deadline_s)
            return 0;
        (void)nanosleep(&nap, NULL);
    }
}

void hone__worker_dismiss(hone_worker *worker)
{
    if (!worker->pid)
        return;
    if (worker->to >= 0)
        (void)close(worker->to);
    worker->to = -1;
    hone__mail_free(&worker->outbox);
}

static void forget(hone_worker *worker)
{
    hone__worker_dismiss(worker);
    (void)close(worker->from);
    hone__mail_free(&worker->inbox);
    *worker = nobody;
}

hone_worker_end hone__worker_stop(hone_worker *worker, double grace_s,
                                  char *out_how, size_t how_size)
{
    hone_worker_end end = HONE_WORKER_OVERDUE;
    int how = 0;

    if (out_how && how_size)
        out_how[0] = '\0';
    if (!worker->pid)
        return HONE_WORKER_LEFT;
    hone__worker_dismiss(worker);
    if (wait_until(worker->pid, hone__now_s() + grace_s, &how)) {
        end = end_of(how);
    } else {
        (void)kill(worker->pid, SIGKILL);
        if (!wait_until(worker->pid, hone__now_s() + UNKILLABLE_S, &how)) {
            end = HONE_WORKER_STUCK;
            reap_later(worker->pid);
        }
    }
    if (end != HONE_WORKER_STUCK)
        describe_end(how, out_how, how_size);
    else if (out_how)
        (void)snprintf(out_how, how_size, "process %d cannot be killed",
                       (int)worker->pid);
    forget(worker);
    return end;
}

void hone__worker_kill(hone_worker *worker)
{
    int how = 0;

    if (!worker->pid)
        return;
    (void)kill(worker->pid, SIGKILL);
    if (!wait_until(worker->pid, hone__now_s() + 0.5, &how))
        reap_later(worker->pid);
    forget(worker);
}

void hone__worker_release(hone_worker *worker)
{
    if (!worker->pid)
        return;
    hone__worker_dismiss(worker);
    reap_later(worker->pid);
    forget(worker);
}
