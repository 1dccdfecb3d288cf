/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a tuning session that need no device: how workers end, the lock
 * of a device, waiting for the disk, the noise a run has seen. */
#include "tuner/process/ask.h"
#include "tuner/process/device_lock.h"
#include "tuner/process/process_mark.h"
#include "tuner/session/tune_state.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- which process it was -------------------------------------------------
 */

static void a_process_that_has_ended_is_gone(void **state)
{
    char mark[HONE_PROCESS_MARK] = "", other[HONE_PROCESS_MARK];
    int ends[2];
    pid_t child;
    long pid = 0;

    (void)state;
    hone__process_mark_write(mark, sizeof mark);
    assert_false(hone__process_mark_is_gone(mark, &pid));
    assert_int_equal(pid, getpid());
    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        hone__process_mark_write(mark, sizeof mark);
        _exit(write(ends[1], mark, sizeof mark) != (ssize_t)sizeof mark);
    }
    assert_int_equal(read(ends[0], mark, sizeof mark), sizeof mark);
    /* Also while nobody has asked how it ended. */
    while (!hone__process_mark_is_gone(mark, &pid))
        (void)sched_yield();
    assert_int_equal(pid, child);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(hone__process_mark_is_gone(mark, NULL));
    assert_int_equal(close(ends[0]) + close(ends[1]), 0);
    /* Another one has its number by now. */
    hone__process_mark_write(mark, sizeof mark);
    (void)snprintf(other, sizeof other, "%.*s begun=1 %s",
                   (int)(strstr(mark, " begun=") - mark), mark,
                   strstr(mark, "in="));
    assert_true(hone__process_mark_is_gone(other, NULL));
    /* Elsewhere, and what is no mark: nobody knows. */
    (void)snprintf(other, sizeof other, "host=other%s", strchr(mark, ' '));
    assert_false(hone__process_mark_is_gone(other, NULL));
    (void)snprintf(other, sizeof other, "%.*s in=pid:[1]",
                   (int)(strstr(mark, " in=") - mark), mark);
    assert_false(hone__process_mark_is_gone(other, NULL));
    assert_false(hone__process_mark_is_gone("", &pid));
    assert_false(hone__process_mark_is_gone(NULL, &pid));
}

/* ---- how a worker ends --------------------------------------------------
 */

static int ends_as_told(void *user, int from_parent, int to_parent)
{
    const char *what = user;
    hone_text request = {0};
    uint32_t kind = 0;

    (void)hone__message_send(to_parent, 1, &request, NULL);
    if (what[0] == 'k')
        (void)raise(SIGKILL);
    if (what[0] == 'f')
        return 3;
    while (what[0] == 'h')
        (void)sleep(1);
    (void)hone__message_receive(from_parent, &kind, &request, NULL);
    hone__text_free(&request);
    return 0;
}

static hone_worker_end end_of(const char *what, double grace_s)
{
    hone_worker worker;
    char user[8], how[64];
    uint32_t kind = 0;
    hone_text payload = {0};

    (void)snprintf(user, sizeof user, "%s", what);
    assert_int_equal(hone__worker_start(&worker, ends_as_told, user, -1, NULL),
                     HONE_OK);
    assert_int_equal(hone__message_receive(worker.from, &kind, &payload, NULL),
                     HONE_OK);
    hone__text_free(&payload);
    return hone__worker_stop(&worker, grace_s, how, sizeof how);
}

static void test_how_a_worker_ended(void **state)
{
    (void)state;
    assert_int_equal(end_of("leave", 60), HONE_WORKER_LEFT);
    assert_int_equal(end_of("fail", 60), HONE_WORKER_FAILED);
    assert_int_equal(end_of("killed", 60), HONE_WORKER_KILLED);
    assert_int_equal(end_of("hang", 0.05), HONE_WORKER_OVERDUE);
}

/* A worker that said with its last answer that it leaves, and whose end is not
 * a good one. What it had not begun is tried by another one, which cannot be
 * started here. */
static void check_leaver(const char *what)
{
    static hone_tune_request request;
    static hone_tune_result result;
    static hone_tune_run run;
    static hone_tune_job jobs[2];
    hone_tune_worker *w = &run.workers[0];
    struct rlimit was, none;
    hone_error err = {.status = HONE_OK};
    hone_status status;
    char user[8];

    memset(&run, 0, sizeof run);
    memset(jobs, 0, sizeof jobs);
    run.request = &request;
    run.result = &result;
    run.n_workers = 1;
    (void)snprintf(user, sizeof user, "%s", what);
    assert_int_equal(
        hone__worker_start(&w->process, ends_as_told, user, -1, NULL), HONE_OK);
    w->is_ready = w->leaves = 1;
    hone__tune_queue_add(&w->trying, &jobs[0]);
    hone__tune_queue_add(&w->trying, &jobs[1]);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    none = (struct rlimit){3, was.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    status = hone__tune_worker_replace(&run, w, HONE_OUTCOME_FAULT, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
    assert_int_equal(status, HONE_ERR_IO);
    assert_int_equal(w->trying.n, 0);
    assert_int_equal(run.queued.n, 2);
    assert_ptr_equal(run.queued.head, &jobs[0]);
    assert_int_equal(run.progress.n_done, 0);
}

static void test_nobody_is_blamed_for_who_leaves(void **state)
{
    (void)state;
    check_leaver("fail");
    check_leaver("hang"); /* needs longer than it is waited for */
}

/* ---- the lock of a device -----------------------------------------------
 */

typedef struct waiting {
    int n;
    long holder;
    pid_t end_it; /* the holder, to be killed after some turns */
} waiting;

static void count_turns(void *user, long holder)
{
    waiting *w = user;

    w->holder = holder;
    if (++w->n == 2)
        (void)kill(w->end_it, SIGKILL);
}

static void lock_name(char *out, size_t size)
{
    (void)snprintf(out, size, "test-%ld", (long)getpid());
}

/* A second process holds the lock; the first waits, sees who has it, and gets
 * it when the holder is killed. */
static void test_the_second_waits_until_the_first_is_gone(void **state)
{
    hone_device_lock lock;
    waiting w = {0, 0, 0};
    char name[64], byte;
    int ready[2];

    (void)state;
    lock_name(name, sizeof name);
    assert_int_equal(pipe(ready), 0);
    w.end_it = fork();
    if (w.end_it == 0) {
        if (hone__device_lock_take(name, NULL, NULL, NULL, &lock, NULL) !=
                HONE_OK ||
            write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(
        hone__device_lock_take(name, NULL, count_turns, &w, &lock, NULL),
        HONE_OK);
    assert_true(w.n >= 2);
    assert_int_equal(w.holder, w.end_it);
    assert_true(lock.fd >= 0);
    hone__device_lock_drop(&lock);
    assert_int_equal(lock.fd, -1);
    (void)waitpid(w.end_it, NULL, 0);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

static void test_waiting_can_be_interrupted(void **state)
{
    const volatile sig_atomic_t stop = 1;
    hone_device_lock held, second;
    hone_error err = {.status = HONE_OK};
    char name[64];

    (void)state;
    lock_name(name, sizeof name);
    assert_int_equal(
        hone__device_lock_take(name, NULL, NULL, NULL, &held, NULL), HONE_OK);
    assert_int_equal(
        hone__device_lock_take(name, &stop, NULL, NULL, &second, &err),
        HONE_ERR_INTERRUPTED);
    hone__device_lock_drop(&held);
    assert_int_equal(
        hone__device_lock_take(name, &stop, NULL, NULL, &second, NULL),
        HONE_OK);
    hone__device_lock_drop(&second);
}

/* A holder that says when it is waited for, then ends. */
static void end_the_holder(void *user, long holder)
{
    (void)holder;
    hone__device_lock_drop(user);
}

/* Nothing is left behind, and whoever waited for a file that was removed has
 * the one that the others find. */
static void test_lock_file_is_removed(void **state)
{
    hone_device_lock held, second, third;
    volatile sig_atomic_t stop = 1;
    char name[32];

    (void)state;
    lock_name(name, sizeof name);
    assert_int_equal(
        hone__device_lock_take(name, NULL, NULL, NULL, &held, NULL), HONE_OK);
    assert_int_equal(access(held.path, F_OK), 0);
    assert_int_equal(hone__device_lock_take(name, NULL, end_the_holder, &held,
                                            &second, NULL),
                     HONE_OK);
    assert_int_equal(access(second.path, F_OK), 0);
    assert_int_equal(
        hone__device_lock_take(name, &stop, NULL, NULL, &third, NULL),
        HONE_ERR_INTERRUPTED);
    hone__device_lock_drop(&second);
    assert_int_equal(access(second.path, F_OK), -1);
}

/* A lock that cannot be had is an error that says how to get one, not
 * measuring without it. */
static void test_no_lock_is_an_error(void **state)
{
    hone_device_lock lock = {.fd = 7};
    hone_error err = {.status = HONE_OK};
    char folder[] = "/tmp/hone-locks-XXXXXX";
    char path[64];

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("HONE_LOCK_DIR", folder, 1), 0);
    assert_int_equal(hone__device_lock_take("a", NULL, NULL, NULL, &lock, NULL),
                     HONE_OK);
    assert_true(lock.fd >= 0);
    hone__device_lock_drop(&lock);
    (void)snprintf(path, sizeof path, "%s/hone-a.lock", folder);
    /* Somebody's link there is not followed. */
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(hone__device_lock_take("a", NULL, NULL, NULL, &lock, &err),
                     HONE_ERR_IO);
    assert_int_equal(lock.fd, -1);
    assert_int_equal(err.native, ELOOP);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(hone__device_lock_take("a", NULL, NULL, NULL, &lock, &err),
                     HONE_ERR_IO);
    assert_int_equal(err.native, ENOENT);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "set HONE_LOCK_DIR to a folder"));
    assert_int_equal(unsetenv("HONE_LOCK_DIR"), 0);
}

static mode_t mode_of_lock(const char *folder)
{
    hone_device_lock lock;
    struct stat status;

    assert_int_equal(setenv("HONE_LOCK_DIR", folder, 1), 0);
    assert_int_equal(hone__device_lock_take("m", NULL, NULL, NULL, &lock, NULL),
                     HONE_OK);
    assert_int_equal(stat(lock.path, &status), 0);
    hone__device_lock_drop(&lock);
    assert_int_equal(unsetenv("HONE_LOCK_DIR"), 0);
    return status.st_mode & 0777;
}

/* The user's alone, unless its folder was named for others. */
static void test_modes_of_locks(void **state)
{
    char folder[] = "/tmp/hone-locks-XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(mode_of_lock(folder), 0600);
    assert_int_equal(chmod(folder, 0775), 0);
    assert_int_equal(mode_of_lock(folder), 0660);
    assert_int_equal(chmod(folder, 01777), 0);
    assert_int_equal(mode_of_lock(folder), 0666);
    assert_int_equal(rmdir(folder), 0);
}

/* Without $HONE_LOCK_DIR the file is in the user's folder, and users see each
 * other by a name without a file. */
static void test_locks_of_users(void **state)
{
    const char *given = getenv("XDG_RUNTIME_DIR");
    char first[] = "/tmp/hone-run-XXXXXX", second[] = "/tmp/hone-run-XXXXXX";
    hone_device_lock held, other;
    hone_error err = {.status = HONE_OK};
    struct stat status;
    char name[64], self[32], before[512] = "";

    (void)state;
    (void)snprintf(before, sizeof before, "%s", given ? given : "");
    lock_name(name, sizeof name);
    assert_int_equal(unsetenv("HONE_LOCK_DIR"), 0);
    assert_non_null(mkdtemp(first));
    assert_non_null(mkdtemp(second));
    assert_int_equal(setenv("XDG_RUNTIME_DIR", first, 1), 0);
    assert_int_equal(
        hone__device_lock_take(name, NULL, NULL, NULL, &held, NULL), HONE_OK);
    assert_int_equal(strncmp(held.path, first, strlen(first)), 0);
    assert_int_equal(stat(held.path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    /* Another user's folder is another one. */
    assert_int_equal(setenv("XDG_RUNTIME_DIR", second, 1), 0);
    assert_int_equal(setenv("HONE_LOCK_WAIT", "0.1", 1), 0);
    assert_int_equal(
        hone__device_lock_take(name, NULL, NULL, NULL, &other, &err),
        HONE_ERR_BUSY);
    (void)snprintf(self, sizeof self, "process %ld (", (long)getpid());
    assert_non_null(strstr(err.text, self));
    assert_non_null(strstr(err.text, "of user "));
    assert_non_null(strstr(err.text, "after 0.1 s"));
    hone__device_lock_drop(&held);
    assert_int_equal(
        hone__device_lock_take(name, NULL, NULL, NULL, &other, &err), HONE_OK);
    hone__device_lock_drop(&other);
    assert_int_equal(setenv("HONE_LOCK_WAIT", "soon", 1), 0);
    assert_int_equal(
        hone__device_lock_take(name, NULL, NULL, NULL, &other, &err),
        HONE_ERR_INPUT);
    assert_int_equal(unsetenv("HONE_LOCK_WAIT"), 0);
    assert_int_equal(rmdir(first) | rmdir(second), 0);
    /* Neither is there: a folder that is the user's alone. */
    assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
    assert_int_equal(
        hone__device_lock_take(name, NULL, NULL, NULL, &held, NULL), HONE_OK);
    *strrchr(held.path, '/') = '\0';
    assert_int_equal(lstat(held.path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    held.path[strlen(held.path)] = '/';
    hone__device_lock_drop(&held);
    if (before[0])
        assert_int_equal(setenv("XDG_RUNTIME_DIR", before, 1), 0);
}

/* ---- waiting for the disk -----------------------------------------------
 */

static void test_disk_sync_takes_any_number_of_wishes(void **state)
{
    hone_worker sync = {.pid = 0};

    (void)state;
    assert_int_equal(hone__disk_sync_soon(&sync), 0); /* nobody is there */
    (void)hone__worker_stop(&sync, HONE_DISK_SYNC_S, NULL, 0);
    assert_int_equal(hone__disk_sync_start(&sync, "/nonexistent/file", NULL),
                     HONE_OK);
    for (int i = 0; i < 100000; ++i)
        assert_int_equal(hone__disk_sync_soon(&sync), 1);
    assert_int_equal(kill(sync.pid, SIGKILL), 0);
    while (hone__disk_sync_soon(&sync)) /* it notices that it is alone */
        continue;
    (void)hone__worker_stop(&sync, HONE_DISK_SYNC_S, NULL, 0);
    assert_int_equal(sync.pid, 0);
}

/* ---- noise --------------------------------------------------------------
 */

static void add(hone_tune_noise *noise, hone_outcome outcome, int n_samples,
                double relative)
{
    const hone_trial_report report = {.outcome = outcome,
                                      .n_samples = n_samples,
                                      .time_ns = 1000,
                                      .spread_ns = 1000 * relative};

    hone__tune_noise_add(noise, outcome == HONE_OUTCOME_OK ? report.time_ns : 0,
                         report.spread_ns, report.n_samples);
}

static void test_noise_is_the_typical_spread(void **state)
{
    hone_tune_noise noise = {.n = 0};

    (void)state;
    for (int i = 0; i < 7; ++i)
        add(&noise, HONE_OUTCOME_OK, 8, 0.01);
    assert_true(hone__tune_noise_level(&noise) == 0); /* too few */
    add(&noise, HONE_OUTCOME_OK, 2, 0.5);    /* two samples: no spread */
    add(&noise, HONE_OUTCOME_WRONG, 8, 0.5); /* not a time */
    assert_true(hone__tune_noise_level(&noise) == 0);
    add(&noise, HONE_OUTCOME_OK, 8, 0.9); /* one odd trial among many */
    assert_true(hone__tune_noise_level(&noise) == 0.01);
    for (int i = 0; i < HONE_NOISE_WINDOW; ++i)
        add(&noise, HONE_OUTCOME_OK, 8, 0.002);
    assert_true(hone__tune_noise_level(&noise) == 0.002); /* the last ones */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_has_ended_is_gone),
        cmocka_unit_test(test_how_a_worker_ended),
        cmocka_unit_test(test_nobody_is_blamed_for_who_leaves),
        cmocka_unit_test(test_the_second_waits_until_the_first_is_gone),
        cmocka_unit_test(test_waiting_can_be_interrupted),
        cmocka_unit_test(test_lock_file_is_removed),
        cmocka_unit_test(test_no_lock_is_an_error),
        cmocka_unit_test(test_modes_of_locks),
        cmocka_unit_test(test_locks_of_users),
        cmocka_unit_test(test_disk_sync_takes_any_number_of_wishes),
        cmocka_unit_test(test_noise_is_the_typical_spread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
