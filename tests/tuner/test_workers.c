/* SPDX-License-Identifier: Apache-2.0 */
/* Talking to processes that may hang, crash or not read: whoever waits for
 * them gets an answer, comes to the end of its time or is interrupted. */
#define _DEFAULT_SOURCE /* setitimer */
#include "tuner/process/ask.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ECHO = 1, LEAVE = 2, FAIL = 3, CANNOT = 4, LARGE_BYTES = 8 << 20 };

/* No test waits so long unless it fails. */
static const double long_s = 100;

static hone_wait for_s(double seconds)
{
    return (hone_wait){hone__now_s() + seconds, NULL};
}

static void nap(double seconds)
{
    const struct timespec t = {
        (time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};

    (void)nanosleep(&t, NULL);
}

/* ---- workers ------------------------------------------------------------
 */

static int hangs(void *user, int from_parent, int to_parent)
{
    (void)user;
    (void)from_parent;
    (void)to_parent;
    while (getppid() != 1)
        (void)pause();
    return 0;
}

static hone_status serve_one(void *user, uint32_t kind, hone_unpack *in,
                             int *out_leave, hone_error *err)
{
    const int *to_parent = user;
    hone_text payload = {0};
    hone_status status;

    if (kind == FAIL)
        return hone__fail_native(err, HONE_ERR_CUDA, HONE_DOMAIN_CUDA, 700,
                                 "as asked");
    hone__text_append(&payload, in->at, (size_t)(in->end - in->at));
    status = hone__message_send(*to_parent, kind, &payload, err);
    hone__text_free(&payload);
    *out_leave = kind == LEAVE;
    return status;
}

static int serves(void *user, int from_parent, int to_parent)
{
    hone_error err = {.status = HONE_OK};
    const hone_status status =
        hone__serve(from_parent, serve_one, &to_parent, &err);

    (void)user;
    if (status != HONE_OK)
        hone__serve_failed(to_parent, CANNOT, &err);
    return status == HONE_OK ? 0 : 7;
}

static hone_worker start(hone_worker_main *run)
{
    hone_worker worker;

    assert_int_equal(hone__worker_start(&worker, run, NULL, -1, NULL), HONE_OK);
    return worker;
}

static hone_text large(void)
{
    hone_text text = {0};

    for (int64_t i = 0; i < LARGE_BYTES / 8; ++i)
        hone__pack_i64(&text, i);
    return text;
}

/* ---- messages -----------------------------------------------------------
 */

/* More than any pipe holds. */
static void a_worker_that_does_not_read_is_not_waited_for(void **state)
{
    hone_wait wait = for_s(0.01);
    hone_worker worker = start(hangs);
    hone_text payload = large();
    uint32_t kind = 0;
    hone_unpack in;

    (void)state;
    for (int i = 0; i < 3; ++i)
        assert_int_equal(hone__worker_send(&worker, ECHO, &payload, NULL),
                         HONE_OK);
    assert_int_equal(hone__worker_hear(&worker, &wait, &kind, &in, NULL),
                     HONE_OK);
    assert_int_equal(kind, HONE_HEARD_NOTHING);
    assert_int_equal(hone__worker_stop(&worker, 0, NULL, 0),
                     HONE_WORKER_OVERDUE);
    hone__text_free(&payload);
}

/* Both pipes are full for most of the time. */
static void large_messages_arrive_in_both_directions(void **state)
{
    hone_wait wait = for_s(long_s);
    hone_worker worker = start(serves);
    hone_text payload = large();

    (void)state;
    for (int i = 0; i < 3; ++i)
        assert_int_equal(hone__worker_send(&worker, ECHO, &payload, NULL),
                         HONE_OK);
    for (int i = 0; i < 3; ++i) {
        uint32_t kind = 0;
        hone_unpack in;

        assert_int_equal(hone__worker_hear(&worker, &wait, &kind, &in, NULL),
                         HONE_OK);
        assert_int_equal(kind, ECHO);
        assert_int_equal(in.end - in.at, LARGE_BYTES);
        assert_memory_equal(in.at, payload.data, LARGE_BYTES);
    }
    assert_int_equal(hone__worker_stop(&worker, long_s, NULL, 0),
                     HONE_WORKER_LEFT);
    hone__text_free(&payload);
}

static void many_are_waited_for_at_once(void **state)
{
    hone_wait wait = for_s(long_s);
    hone_worker a = start(hangs), b = start(serves), none = {.pid = 0};
    hone_worker *const workers[] = {&a, &none, &b};
    hone_text empty = {0};
    uint32_t kind = 0;
    hone_unpack in;

    (void)state;
    assert_int_equal(hone__worker_send(&b, ECHO, &empty, NULL), HONE_OK);
    assert_int_equal(hone__workers_wait(workers, 3, &wait, NULL), HONE_OK);
    assert_true(hone__inbox_next(&b.inbox, &kind, &in));
    assert_int_equal(kind, ECHO);
    assert_int_equal(kill(a.pid, SIGKILL), 0);
    assert_int_equal(hone__workers_wait(workers, 3, &wait, NULL), HONE_OK);
    assert_true(a.is_over && !b.is_over);
    assert_int_equal(hone__worker_stop(&a, long_s, NULL, 0),
                     HONE_WORKER_KILLED);
    hone__worker_kill(&b);
    assert_int_equal(b.pid, 0);
}

static void who_is_gone_is_heard_of(void **state)
{
    hone_wait wait = for_s(long_s);
    hone_worker worker = start(serves);
    hone_text payload = {0};
    uint32_t kind = 0;
    hone_unpack in;

    (void)state;
    hone__pack_string(&payload, "bye");
    assert_int_equal(hone__worker_send(&worker, LEAVE, &payload, NULL),
                     HONE_OK);
    assert_int_equal(hone__worker_hear(&worker, &wait, &kind, &in, NULL),
                     HONE_OK);
    assert_int_equal(kind, LEAVE);
    assert_string_equal(hone__unpack_string(&in), "bye");
    assert_int_equal(hone__worker_hear(&worker, &wait, &kind, &in, NULL),
                     HONE_OK);
    assert_int_equal(kind, HONE_HEARD_END);
    assert_int_equal(hone__worker_send(&worker, ECHO, &payload, NULL),
                     HONE_ERR_IO);
    assert_int_equal(hone__worker_stop(&worker, long_s, NULL, 0),
                     HONE_WORKER_LEFT);
    hone__text_free(&payload);
}

static void an_error_travels_whole(void **state)
{
    hone_wait wait = for_s(long_s);
    hone_worker worker = start(serves);
    hone_text empty = {0};
    hone_error err = {.status = HONE_OK};
    uint32_t kind = 0;
    hone_unpack in;

    (void)state;
    assert_int_equal(hone__worker_send(&worker, FAIL, &empty, NULL), HONE_OK);
    assert_int_equal(hone__worker_hear(&worker, &wait, &kind, &in, NULL),
                     HONE_OK);
    assert_int_equal(kind, CANNOT);
    assert_int_equal(hone__unpack_error(&in, &err), HONE_ERR_CUDA);
    assert_int_equal(err.domain, HONE_DOMAIN_CUDA);
    assert_int_equal(err.native, 700);
    assert_string_equal(err.text, "as asked");
    in.end = in.at; /* a payload that holds no error */
    assert_int_equal(hone__unpack_error(&in, &err), HONE_ERR_INTERNAL);
    assert_int_equal(hone__worker_stop(&worker, long_s, NULL, 0),
                     HONE_WORKER_FAILED);
}

/* ---- those that nobody waits for ----------------------------------------
 */

/* Ends a while after nothing more can be said to it. */
static int leaves_late(void *user, int from_parent, int to_parent)
{
    char byte;

    (void)user;
    (void)to_parent;
    while (read(from_parent, &byte, 1) > 0)
        continue;
    nap(0.1);
    return 0;
}

static void nothing_is_left_of_who_was_let_go(void **state)
{
    enum { N_WORKERS = 3 };
    const double until_s = hone__now_s() + long_s;
    pid_t pids[N_WORKERS];

    (void)state;
    for (int i = 0; i < N_WORKERS; ++i) {
        hone_worker worker = start(leaves_late);

        pids[i] = worker.pid;
        hone__worker_release(&worker);
        assert_int_equal(worker.pid, 0);
    }
    for (int i = 0; i < N_WORKERS; ++i)
        while (kill(pids[i], 0) == 0 && hone__now_s() < until_s) {
            hone_wait wait = for_s(0.02);

            assert_int_equal(hone__workers_wait(NULL, 0, &wait, NULL), HONE_OK);
        }
    for (int i = 0; i < N_WORKERS; ++i)
        assert_int_equal(kill(pids[i], 0), -1); /* not even a zombie */
}

/* ---- time that nobody watched -------------------------------------------
 */

static void no_look_counts_more_than_a_second(void **state)
{
    const double now_s = hone__now_s();
    double looked_s = now_s - 100;

    (void)state;
    assert_true(hone__watched_s(&looked_s) == 1);
    assert_true(looked_s >= now_s);
    assert_true(hone__watched_s(&looked_s) <= 1);
}

/* Stops who waits for it, longer than that wanted to wait, and answers a little
 * later. */
static int stops_its_parent(void *user, int from_parent, int to_parent)
{
    hone_text payload = {0};

    (void)user;
    (void)from_parent;
    nap(0.05);
    (void)kill(getppid(), SIGSTOP);
    nap(2.5);
    (void)kill(getppid(), SIGCONT);
    nap(0.2);
    return hone__message_send(to_parent, ECHO, &payload, NULL) == HONE_OK ? 0
                                                                          : 7;
}

/* A machine that has no time for either of them may need more than one turn. */
static void who_was_stopped_has_waited_for_nobody(void **state)
{
    uint32_t kind = HONE_HEARD_NOTHING;

    (void)state;
    for (int i = 0; i < 5 && kind != ECHO; ++i) {
        hone_worker worker = start(stops_its_parent);
        hone_wait wait = for_s(2);
        hone_unpack in;

        assert_int_equal(hone__worker_hear(&worker, &wait, &kind, &in, NULL),
                         HONE_OK);
        (void)hone__worker_stop(&worker, long_s, NULL, 0);
    }
    assert_int_equal(kind, ECHO);
}

/* ---- Ctrl-C -------------------------------------------------------------
 */

static volatile sig_atomic_t stop;

static void on_alarm(int number)
{
    (void)number;
    stop = 1;
}

/* The flag is set in the middle of what follows. */
static void interrupt_soon(void)
{
    const struct itimerval soon = {.it_value = {0, 20000}};

    stop = 0;
    (void)signal(SIGALRM, on_alarm);
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
}

static void ctrl_c_ends_the_waiting(void **state)
{
    hone_wait wait = {hone__now_s() + long_s, &stop};
    hone_worker worker = start(hangs);
    hone_error err = {.status = HONE_OK};
    uint32_t kind = 0;
    hone_unpack in;

    (void)state;
    interrupt_soon();
    assert_int_equal(hone__worker_hear(&worker, &wait, &kind, &in, &err),
                     HONE_ERR_INTERRUPTED);
    assert_true(hone__now_s() < wait.until_s);
    hone__worker_kill(&worker);
}

/* ---- one question -------------------------------------------------------
 */

static const hone_step patient = {"the second step", "Have patience", 100,
                                  HONE_ERR_KERNEL};
static const hone_step hasty = {"the second step", "Do not hurry", 0.05,
                                HONE_ERR_KERNEL};

/* Does what `user` says: "answer", "fail", "crash" or, in a step that may not
 * take long, "hang". */
static int is_asked(void *user, int from_parent, int to_parent)
{
    const char *what = user;
    const int answer = 42;
    hone_error err = {.status = HONE_OK};
    hone_status status = HONE_OK;

    (void)from_parent;
    hone__ask_step(to_parent, what[0] == 'h' ? &hasty : &patient);
    if (strcmp(what, "hang") == 0)
        return hangs(NULL, -1, -1);
    if (strcmp(what, "crash") == 0)
        return 9;
    if (strcmp(what, "fail") == 0)
        status = hone__fail(&err, HONE_ERR_NO_GPU, "no such device");
    return hone__ask_answer(to_parent, &answer, sizeof answer, status, &err);
}

static hone_status ask(hone_worker_main *run, const char *what, double first_s,
                       int *out, hone_error *err)
{
    char user[16];

    (void)snprintf(user, sizeof user, "%s", what);
    memset(err, 0, sizeof *err);
    return hone__ask(
        &(hone_question){.run = run,
                         .user = user,
                         .first = {"the first step", "Look at the clock",
                                   first_s, HONE_ERR_CUDA},
                         .stop = &stop},
        out, sizeof *out, err);
}

static void a_question_is_answered(void **state)
{
    hone_error err;
    int answer = 0;

    (void)state;
    stop = 0;
    assert_int_equal(ask(is_asked, "answer", long_s, &answer, &err), HONE_OK);
    assert_int_equal(answer, 42);
    assert_int_equal(ask(is_asked, "fail", long_s, &answer, &err),
                     HONE_ERR_NO_GPU);
    assert_string_equal(err.text, "no such device");
}

static void a_question_that_is_not_answered_ends(void **state)
{
    hone_error err;
    int answer = 0;

    (void)state;
    stop = 0;
    assert_int_equal(ask(is_asked, "crash", long_s, &answer, &err),
                     HONE_ERR_KERNEL);
    assert_string_equal(err.text, "the second step ended its process without "
                                  "an answer: exit status 9. Have patience");
    assert_int_equal(ask(is_asked, "hang", long_s, &answer, &err),
                     HONE_ERR_KERNEL);
    assert_string_equal(err.text, "the second step did not end within 0.05 s. "
                                  "Do not hurry");
    assert_int_equal(ask(hangs, "", 0.05, &answer, &err), HONE_ERR_CUDA);
    assert_string_equal(err.text, "the first step did not end within 0.05 s. "
                                  "Look at the clock");
    interrupt_soon();
    assert_int_equal(ask(hangs, "", long_s, &answer, &err),
                     HONE_ERR_INTERRUPTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_that_does_not_read_is_not_waited_for),
        cmocka_unit_test(large_messages_arrive_in_both_directions),
        cmocka_unit_test(many_are_waited_for_at_once),
        cmocka_unit_test(who_is_gone_is_heard_of),
        cmocka_unit_test(an_error_travels_whole),
        cmocka_unit_test(nothing_is_left_of_who_was_let_go),
        cmocka_unit_test(no_look_counts_more_than_a_second),
        cmocka_unit_test(who_was_stopped_has_waited_for_nobody),
        cmocka_unit_test(ctrl_c_ends_the_waiting),
        cmocka_unit_test(a_question_is_answered),
        cmocka_unit_test(a_question_that_is_not_answered_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
