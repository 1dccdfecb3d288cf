/* SPDX-License-Identifier: Apache-2.0 */
/* See asked_program.h. fork and not posix_spawn, since only the child itself
 * can ask the kernel to be killed when its parent is gone. */
#define _GNU_SOURCE /* pipe2 */
#include "tuner/search/asked_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LINE = 1 << 16, SLICE_MS = 50 };
static const double grace_s = 1;

static double now_s(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- life ---------------------------------------------------------------- */

/* Words of the shell, in front of which `exec` finds no file. */
static const char *const of_shell[] = {"exec", ".", "eval", "command", "time"};

/* A plain command takes the place of its shell: then its end is told as it was,
 * and the kernel kills it and not the shell alone. */
static void put_script(const char *command, hone_text *out)
{
    const char *word = command + strspn(command, " \t");
    const size_t length = strcspn(word, " \t");
    int is_own = strpbrk(command, ";&|()<>{}!=\n`\"'") != NULL;

    for (size_t i = 0; i < sizeof of_shell / sizeof of_shell[0]; ++i)
        is_own |= strlen(of_shell[i]) == length &&
                  strncmp(word, of_shell[i], length) == 0;
    if (!is_own)
        hone__text_puts(out, "exec ");
    hone__text_puts(out, command);
}

/* Other threads may hold any lock: only calls that a signal handler may make.
 */
static void run_child(pid_t parent, const char *command, int from, int to)
{
    sigset_t none;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    (void)setpgid(0, 0); /* Ctrl-C is ours to handle */
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(from, 0) < 0 || dup2(to, 1) < 0)
        _exit(126);
    (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

hone_status hone__program_start(const char *command, double answer_s,
                                const volatile sig_atomic_t *stop,
                                hone_program *out, hone_error *err)
{
    const pid_t parent = getpid();
    int ends[4] = {-1, -1, -1, -1};
    hone_text script = {0};
    int is_piped, code;

    *out = (hone_program){
        .to = -1, .from = -1, .answer_s = answer_s, .stop = stop};
    put_script(command, &script);
    if (hone__text_check(&script, err) != HONE_OK) {
        hone__text_free(&script);
        return HONE_ERR_NO_MEMORY;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* its end is an EPIPE, not ours */
    is_piped = pipe2(ends, O_CLOEXEC) == 0 && pipe2(ends + 2, O_CLOEXEC) == 0;
    out->pid = is_piped ? fork() : -1;
    code = errno;
    if (out->pid == 0)
        run_child(parent, script.data, ends[0], ends[3]);
    hone__text_free(&script);
    if (out->pid > 0) {
        (void)setpgid(out->pid, out->pid); /* whoever comes first */
        (void)close(ends[0]);
        (void)close(ends[3]);
        out->to = ends[1];
        out->from = ends[2];
        (void)fcntl(out->to, F_SETFL, O_NONBLOCK);
        (void)fcntl(out->from, F_SETFL, O_NONBLOCK);
        return HONE_OK;
    }
    for (int i = 0; i < 4; ++i)
        if (ends[i] >= 0)
            (void)close(ends[i]);
    out->pid = 0;
    return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code,
                             "cannot start the strategy '%s': %s", command,
                             strerror(code));
}

/* How it ended, or NULL: it has not within that time. */
static const char *wait_end(pid_t pid, double limit_s, char *out, size_t size)
{
    const double until_s = now_s() + limit_s;
    const struct timespec nap = {0, 1000000};
    int how = 0;

    for (;;) {
        const pid_t gone = waitpid(pid, &how, WNOHANG);

        if (gone < 0 && errno != EINTR)
            return "nobody knows how";
        if (gone == pid)
            break;
        if (now_s() >= until_s)
            return NULL;
        (void)nanosleep(&nap, NULL);
    }
    if (WIFSIGNALED(how))
        (void)snprintf(out, size, "killed by signal %d", WTERMSIG(how));
    else
        (void)snprintf(out, size, "exit status %d", WEXITSTATUS(how));
    return out;
}

static void forget(hone_program *program)
{
    if (program->to >= 0)
        (void)close(program->to);
    if (program->from >= 0)
        (void)close(program->from);
    hone__text_free(&program->out);
    hone__text_free(&program->in);
    *program = (hone_program){.to = -1, .from = -1};
}

void hone__program_stop(hone_program *program)
{
    char how[64];

    if (!program->pid)
        return;
    (void)close(program->to);
    program->to = -1;
    if (!wait_end(program->pid, grace_s, how, sizeof how)) {
        (void)kill(-program->pid, SIGKILL);
        (void)kill(program->pid, SIGKILL);
        (void)wait_end(program->pid, 10 * grace_s, how, sizeof how);
    } else {
        (void)kill(-program->pid, SIGKILL); /* what it left behind */
    }
    forget(program);
}

/* ---- lines --------------------------------------------------------------- */

static hone_status ended(hone_program *program, const char *closed,
                         hone_error *err)
{
    char text[64];
    const char *how = wait_end(program->pid, grace_s, text, sizeof text);

    if (how) {
        (void)kill(-program->pid, SIGKILL);
        program->pid = 0;
        forget(program);
    } else {
        hone__program_stop(program);
        how = closed;
    }
    return hone__fail(err, HONE_ERR_IO, "it ended: %s", how);
}

static hone_status write_some(hone_program *program, hone_error *err)
{
    const ssize_t n =
        write(program->to, program->out.data, program->out.length);

    if (n < 0)
        return errno == EAGAIN || errno == EINTR
                   ? HONE_OK
                   : ended(program, "it closed its input", err);
    program->out.length -= (size_t)n;
    memmove(program->out.data, program->out.data + n, program->out.length);
    return HONE_OK;
}

static hone_status read_some(hone_program *program, hone_error *err)
{
    char bytes[4096];
    const ssize_t n = read(program->from, bytes, sizeof bytes);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        return ended(program, "it closed its output", err);
    if (n > 0)
        hone__text_append(&program->in, bytes, (size_t)n);
    if (program->in.length > MOST_LINE)
        return hone__fail(err, HONE_ERR_IO,
                          "it wrote more than %d bytes that nobody asked for",
                          MOST_LINE);
    return hone__text_check(&program->in, err);
}

/* What was taken goes; the line that is there, or NULL. */
static char *next_line(hone_program *program)
{
    hone_text *in = &program->in;
    char *end;

    if (program->taken) {
        in->length -= program->taken;
        memmove(in->data, in->data + program->taken, in->length);
        program->taken = 0;
    }
    end = in->length ? memchr(in->data, '\n', in->length) : NULL;
    if (!end)
        return NULL;
    *end = '\0';
    program->taken = (size_t)(end - in->data) + 1;
    return in->data;
}

hone_status hone__program_ask(hone_program *program, char **out_line,
                              hone_error *err)
{
    const double until_s = now_s() + program->answer_s;

    HONE_TRY(hone__text_check(&program->out, err));
    for (;;) {
        struct pollfd rows[2] = {{program->from, POLLIN, 0},
                                 {program->to, POLLOUT, 0}};

        if (out_line && !program->out.length &&
            (*out_line = next_line(program)) != NULL)
            return HONE_OK;
        if (!out_line && !program->out.length)
            return HONE_OK;
        if (program->stop && *program->stop)
            return hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted");
        if (now_s() >= until_s)
            return hone__fail(err, HONE_ERR_IO, "it did not answer within %g s",
                              program->answer_s);
        if (!program->out.length)
            rows[1].fd = -1;
        if (poll(rows, 2, SLICE_MS) <= 0)
            continue;
        if (rows[1].revents)
            HONE_TRY(write_some(program, err));
        if (program->pid && rows[0].revents)
            HONE_TRY(read_some(program, err));
    }
}
