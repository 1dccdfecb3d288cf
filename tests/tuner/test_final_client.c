/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's side of a final: its messages, and workers that crash, hang
 * and lie. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/tuner/final_fixture.h"
#include "tuner/process/wire.h"
#include "tuner/session/final_client.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

/* ---- the wire ---------------------------------------------------------- */

static void requests_travel(void **state)
{
    static hone_final_request back;
    hone_text payload = {0};
    hone_unpack in;

    (void)state;
    memset(&request, 0, sizeof request);
    request.n_entries = 2;
    request.race_s = 7;
    request.careful = 1;
    request.entries[1] = (hone_final_entry){.job = {.id = 5,
                                                    .launch_spec = "plan",
                                                    .cubin = "cubin",
                                                    .cubin_bytes = 5},
                                            .time_ns = 25020,
                                            .is_trial = 1,
                                            .keep = 1,
                                            .wants_series = 1,
                                            .features = {1, 2, 3, 4}};
    request.entries[0].job.launch_spec = "";
    request.disqualified[3].outcome = HONE_OUTCOME_TIMEOUT;
    hone__final_request_pack(&payload, &request);
    in = (hone_unpack){payload.data, payload.data + payload.length, 0};
    hone__final_request_unpack(&in, &back);
    assert_false(in.broken);
    assert_int_equal(back.n_entries, 2);
    assert_true(back.race_s == 7);
    assert_int_equal(back.careful, 1);
    assert_int_equal(back.entries[1].job.id, 5);
    assert_string_equal(back.entries[1].job.launch_spec, "plan");
    assert_int_equal(back.entries[1].job.cubin_bytes, 5);
    assert_true(back.entries[1].time_ns == 25020);
    assert_int_equal(back.entries[1].is_trial, 1);
    assert_true(back.entries[1].keep && back.entries[1].wants_series);
    assert_int_equal(back.entries[1].features.index, 4);
    assert_false(back.entries[0].keep);
    assert_int_equal(back.disqualified[3].outcome, HONE_OUTCOME_TIMEOUT);
    in = (hone_unpack){payload.data, payload.data + payload.length - 9, 0};
    hone__final_request_unpack(&in, &back);
    assert_true(in.broken);
    payload.data[0] = 127; /* more entries than there can be */
    in = (hone_unpack){payload.data, payload.data + payload.length, 0};
    hone__final_request_unpack(&in, &back);
    assert_true(in.broken);
    hone__text_free(&payload);
}

/* ---- workers that fail ------------------------------------------------- */

typedef struct worker_plan {
    hone_status fails_setup; /* says FAILED before it is ready */
    int n_die_in_setup;      /* so many of the first workers */
    int n_killed;            /* from outside, when they are ready */
    int dies_at_once;        /* when it is asked, before it says where it is */
    int hangs;               /* somewhere: do not wait for minutes */
} worker_plan;

static worker_plan plan;
static int *n_workers; /* that were started; shared with them */

/* Runs `scene` with whatever stays in the request. */
static int play_worker(void *user, int from_parent, int to_parent)
{
    const worker_plan *p = user;
    static hone_final_request asked;
    hone_error err = {.status = HONE_OK};
    hone_text message = {0};
    hone_unpack in;
    uint32_t kind = 0;
    hone_status status;

    ++*n_workers;
    if (*n_workers <= p->n_die_in_setup)
        return 5;
    if (p->fails_setup) {
        (void)hone__fail(&err, p->fails_setup, "no such device");
        hone__serve_failed(to_parent, HONE_DEVICE_FAILED, &err);
        return 1;
    }
    (void)hone__message_send(to_parent, HONE_DEVICE_READY, &message, NULL);
    if (hone__message_receive(from_parent, &kind, &message, NULL) != HONE_OK ||
        kind != HONE_DEVICE_FINAL)
        return 9;
    if (*n_workers <= p->n_killed)
        (void)raise(SIGKILL);
    if (p->dies_at_once)
        return 6;
    in = (hone_unpack){message.data, message.data + message.length, 0};
    hone__final_request_unpack(&in, &asked);
    asked.n_baselines = scene.n - asked.n_entries;
    scene.to_parent = to_parent;
    status = hone__final_run(&final_ops, &scene, &asked, &report, &err);
    if (status == HONE_OK)
        status = hone__struct_send(to_parent, HONE_DEVICE_RANKED, &report,
                                   sizeof report, &err);
    else
        hone__serve_failed(to_parent, HONE_DEVICE_FAILED, &err);
    hone__text_free(&message);
    return status == HONE_OK ? 0 : 1;
}

/* For who hangs; a machine that is slow must not be taken for one. */
enum { PATIENCE_S = 8 };

static hone_status ask(hone_error *err)
{
    const double patience_s = plan.hangs ? PATIENCE_S : 300;
    const hone_final_host host = {play_worker, &plan, patience_s,
                                  NULL,        NULL,  0};

    for (int i = 0; i < request.n_entries; ++i)
        request.entries[i].job.launch_spec = "";
    memset(err, 0, sizeof *err);
    *n_workers = 0;
    memset(&report, 0, sizeof report);
    return hone__final_ask(&host, &request, NULL, &report, err);
}

static void a_worker_reports(void **state)
{
    const double ns[] = {103, 100, 95};
    hone_error err;

    (void)state;
    plan = (worker_plan){.n_killed = 0};
    final_set_up(2, 1, ns);
    assert_int_equal(ask(&err), HONE_OK);
    assert_int_equal(report.winner, 1);
    assert_int_equal(report.n, 3);
    assert_true(report.items[2].time_ns > 0);
}

static void who_ruins_the_worker_stays_outside(void **state)
{
    const double ns[] = {90, 91, 92, 93, 100, 104, 70};
    hone_error err;

    (void)state;
    plan = (worker_plan){.hangs = 1};
    final_set_up(6, 1, ns);
    scene.runners[0].crashes_in = HONE_FINAL_ENTER + 1;
    scene.runners[1].hangs_in = HONE_FINAL_ENTER + 1;
    scene.runners[2].ruins = 1;
    scene.runners[3].crashes_in = HONE_FINAL_RECHECK + 1; /* when it wins */
    scene.runners[6].crashes_in = HONE_FINAL_ENTER + 1;   /* a baseline */
    assert_int_equal(ask(&err), HONE_OK);
    assert_int_equal(report.winner, 4);
    assert_int_equal(report.n_raced, 2);
    assert_int_equal(report.items[0].outcome, HONE_OUTCOME_FAULT);
    assert_non_null(strstr(report.items[0].message, "the process of the "
                                                    "final ended"));
    assert_int_equal(report.items[1].outcome, HONE_OUTCOME_TIMEOUT);
    assert_true(request.disqualified[1].waited_s == PATIENCE_S);
    assert_true(request.disqualified[0].waited_s == 0);
    assert_int_equal(report.items[2].outcome, HONE_OUTCOME_WRONG);
    assert_string_equal(report.items[2].message, "wrote everywhere");
    assert_int_equal(report.items[3].outcome, HONE_OUTCOME_FAULT);
    assert_int_equal(report.items[6].outcome, HONE_OUTCOME_FAULT);
    assert_int_equal(report.items[5].outcome, HONE_OUTCOME_OK);
}

/* What a right variant needs at its pace is more than that. */
static void slow_runners_have_longer_steps(void **state)
{
    hone_final_host host = {0};

    (void)state;
    memset(&request, 0, sizeof request);
    request.n_entries = 2;
    request.entries[0].time_ns = 1e6;
    request.entries[1].time_ns = 16e9;
    assert_true(hone__final_step_s(&host, &request, 0, HONE_FINAL_ENTER) == 30);
    /* Ten edge problems and its own, twice each. */
    assert_true(hone__final_step_s(&host, &request, 1, HONE_FINAL_ENTER) >
                2 * 22 * 16);
    assert_true(hone__final_step_s(&host, &request, 1, HONE_FINAL_SERIES) >
                2 * 18 * 16);
    assert_true(hone__final_step_s(&host, &request, -1, HONE_FINAL_RACE) >
                2 * 9 * 16);
    assert_true(hone__final_step_s(&host, &request, 2, HONE_FINAL_ENTER) >
                2 * 22 * 16); /* a baseline */
    request.entries[1].time_ns = 0;
    assert_true(hone__final_step_s(&host, &request, -1, HONE_FINAL_RACE) ==
                180);
    host.least_s = 200; /* --trial-timeout */
    assert_true(hone__final_step_s(&host, &request, 0, HONE_FINAL_ENTER) ==
                200);
    host.step_s = 5;
    assert_true(hone__final_step_s(&host, &request, -1, HONE_FINAL_RACE) == 5);
}

/* In a race nobody says whose turn it is, until a worker has died of it. */
static void who_crashes_in_the_race_is_found(void **state)
{
    const double ns[] = {100, 95, 104};
    hone_error err;

    (void)state;
    plan = (worker_plan){.n_killed = 0};
    final_set_up(3, 0, ns);
    scene.runners[1].crashes_in = HONE_FINAL_RACE + 1;
    assert_int_equal(ask(&err), HONE_OK);
    assert_int_equal(request.careful, 1);
    assert_int_equal(report.items[1].outcome, HONE_OUTCOME_FAULT);
    assert_int_equal(report.winner, 0);
    /* And its A/A control counts as the one it is of. */
    final_set_up(3, 0, ns);
    scene.runners[0].crashes_in = HONE_FINAL_RACE + 1;
    assert_int_equal(ask(&err), HONE_OK);
    assert_int_equal(report.items[0].outcome, HONE_OUTCOME_FAULT);
    assert_int_equal(report.winner, 1);
    final_set_up(3, 0, ns);
    scene.control_crashes = 1;
    assert_int_equal(ask(&err), HONE_OK);
    for (int i = 0; i < 3; ++i) /* one after the other lost its A/A control */
        assert_int_equal(report.items[i].outcome, HONE_OUTCOME_FAULT);
    assert_int_equal(report.winner, -1);
    plan = (worker_plan){.hangs = 1};
    final_set_up(3, 0, ns);
    scene.runners[2].hangs_in = HONE_FINAL_RACE + 1;
    assert_int_equal(ask(&err), HONE_OK);
    assert_int_equal(report.items[2].outcome, HONE_OUTCOME_TIMEOUT);
    assert_int_equal(report.winner, 1);
}

static void all_of_them_crash(void **state)
{
    const double ns[] = {100, 95};
    hone_error err;

    (void)state;
    plan = (worker_plan){.n_killed = 0};
    final_set_up(2, 0, ns);
    scene.runners[0].crashes_in = scene.runners[1].crashes_in =
        HONE_FINAL_ENTER + 1;
    assert_int_equal(ask(&err), HONE_OK);
    assert_int_equal(report.winner, -1);
}

static void a_set_up_that_fails_is_an_error(void **state)
{
    const double ns[] = {100};
    hone_error err;

    (void)state;
    final_set_up(1, 0, ns);
    plan = (worker_plan){.fails_setup = HONE_ERR_NO_GPU};
    assert_int_equal(ask(&err), HONE_ERR_NO_GPU);
    assert_string_equal(err.text, "no such device");
    assert_int_equal(*n_workers, 1);
    /* The device may have had a bad moment: it gets a second one. */
    plan = (worker_plan){.fails_setup = HONE_ERR_CUDA};
    assert_int_equal(ask(&err), HONE_ERR_CUDA);
    assert_int_equal(*n_workers, 2);
    plan = (worker_plan){.n_die_in_setup = 2};
    assert_int_equal(ask(&err), HONE_ERR_CUDA);
    assert_non_null(strstr(err.text, "exit status 5"));
    assert_int_equal(request.disqualified[0].outcome, HONE_OUTCOME_OK);
    plan = (worker_plan){.n_die_in_setup = 1};
    assert_int_equal(ask(&err), HONE_OK);
    assert_int_equal(report.winner, 0);
    assert_int_equal(*n_workers, 2);
}

static void nobody_is_blamed_for_a_kill(void **state)
{
    const double ns[] = {100, 102};
    hone_error err;

    (void)state;
    final_set_up(2, 0, ns);
    plan = (worker_plan){.n_killed = 3};
    assert_int_equal(ask(&err), HONE_OK);
    assert_int_equal(*n_workers, 4);
    assert_int_equal(request.careful, 0);
    assert_int_equal(report.winner, 0);
    assert_int_equal(report.n_raced, 2);
}

static void without_anybody_to_blame_it_ends(void **state)
{
    const double ns[] = {100, 102};
    hone_error err;

    (void)state;
    final_set_up(2, 0, ns);
    plan = (worker_plan){.dies_at_once = 1};
    assert_int_equal(ask(&err), HONE_ERR_CUDA);
    assert_non_null(strstr(err.text, "exit status 6"));
    assert_in_range(*n_workers, 2, 4);
}

static void ctrl_c_ends_it(void **state)
{
    const double ns[] = {100};
    const hone_final_host host = {play_worker, &plan, 0, NULL, NULL, 0};
    const volatile sig_atomic_t stop = 1;
    hone_error err = {.status = HONE_OK};

    (void)state;
    plan = (worker_plan){.n_killed = 0};
    final_set_up(1, 0, ns);
    request.entries[0].job.launch_spec = "";
    scene.runners[0].hangs_in = HONE_FINAL_ENTER + 1;
    assert_int_equal(hone__final_ask(&host, &request, &stop, &report, &err),
                     HONE_ERR_INTERRUPTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_travel),
        cmocka_unit_test(a_worker_reports),
        cmocka_unit_test(who_ruins_the_worker_stays_outside),
        cmocka_unit_test(slow_runners_have_longer_steps),
        cmocka_unit_test(who_crashes_in_the_race_is_found),
        cmocka_unit_test(all_of_them_crash),
        cmocka_unit_test(a_set_up_that_fails_is_an_error),
        cmocka_unit_test(nobody_is_blamed_for_a_kill),
        cmocka_unit_test(without_anybody_to_blame_it_ends),
        cmocka_unit_test(ctrl_c_ends_it),
    };

    n_workers = mmap(NULL, sizeof *n_workers, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (n_workers == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
