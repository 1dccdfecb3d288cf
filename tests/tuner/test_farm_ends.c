/* SPDX-License-Identifier: Apache-2.0 */
/* How jobs of the compile farm end when the compiler does not: too slow,
 * crashed, killed; and one that opened what it must not. A shell script plays
 * the compiler. */
#include "tests/tuner/farm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* LIMIT_S is what the compiles that are too slow take, and many times what
 * the others take. */
enum { LIMIT_S = 10 };

/* What the compiler opened is looked at. */
static void test_foreign_header(void **state)
{
    answers got;
    hone_farm *farm = farm_open(1, 0, &got);
    hone_error err = {.status = HONE_OK};
    hone_status status = HONE_OK;

    (void)state;
    farm_submit(farm, 0, "foreign");
    while (status == HONE_OK && !got.n)
        status = hone__farm_turn(farm, NULL, 0, &err);
    assert_int_equal(status, HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "'/usr/local/include/own.h'"));
    hone__farm_close(farm);
}

/* ---- too slow ---------------------------------------------------------- */

/* Is the process that the compiler started gone, or a zombie that nobody
 * collects? */
static int child_is_gone(void)
{
    char path[128];
    hone_text text = {0};
    const char *state;
    int gone;

    (void)snprintf(path, sizeof path, "%s/child", farm_folder);
    assert_int_equal(hone__text_read_file(&text, path, NULL), HONE_OK);
    (void)snprintf(path, sizeof path, "/proc/%d/stat", atoi(text.data));
    hone__text_free(&text);
    gone = hone__text_read_file(&text, path, NULL) != HONE_OK;
    state = gone ? NULL : strrchr(text.data, ')');
    gone = gone || (state && state[2] == 'Z');
    hone__text_free(&text);
    return gone;
}

static void test_too_slow(void **state)
{
    const struct timespec nap = {0, 10000000};
    answers got;
    hone_farm *farm = farm_open(1, LIMIT_S, &got);

    (void)state;
    farm_submit(farm, 0, "slow");
    farm_submit(farm, 1, "slow"); /* follows the first */
    farm_wait_for(farm, &got, 2);
    for (int i = 0; i < 2; ++i) {
        assert_true(got.of[i].timed_out && !got.of[i].ok);
        farm_log_has(&got, i, "the compile was ended after");
        farm_log_has(&got, i, "the limit was the most any compile may take");
    }
    assert_false(got.of[0].cached);
    assert_true(got.of[1].cached);
    while (!child_is_gone()) /* with its process group */
        (void)nanosleep(&nap, NULL);
    /* Not tried again, and the farm goes on. */
    farm_submit(farm, 2, "slow");
    farm_submit(farm, 3, "quick");
    farm_wait_for(farm, &got, 4);
    assert_true(got.of[2].timed_out && got.of[2].cached);
    assert_true(got.of[3].ok);
    assert_int_equal(farm_n_runs(), 2);
    hone__farm_close(farm);
    /* Nor kept: another run may have more time. */
    farm = farm_open(1, LIMIT_S, &got);
    farm_submit(farm, 0, "quick");
    farm_wait_for(farm, &got, 1);
    assert_true(got.of[0].ok && got.of[0].cached);
    farm_submit(farm, 1, "slow");
    farm_wait_for(farm, &got, 2);
    assert_true(got.of[1].timed_out && !got.of[1].cached);
    assert_int_equal(farm_n_runs(), 3);
    hone__farm_close(farm);
}

/* ---- killed and crashed ------------------------------------------------ */

static void test_crashed(void **state)
{
    answers got;
    hone_farm *farm = farm_open(1, 0, &got);

    (void)state;
    farm_submit(farm, 0, "crash");
    farm_wait_for(farm, &got, 1);
    assert_true(got.of[0].crashed && !got.of[0].ok);
    farm_log_has(&got, 0, "the compiler crashed (killed by signal 6");
    farm_submit(farm, 1, "crash");
    farm_submit(farm, 2, "good");
    farm_wait_for(farm, &got, 3);
    assert_true(got.of[1].crashed);
    assert_true(got.of[2].ok);
    assert_int_equal(farm_n_runs(), 2);
    hone__farm_close(farm);
    farm_ask("crash", &got); /* not kept */
    assert_int_equal(farm_n_runs(), 3);
}

static void test_killed_from_outside(void **state)
{
    answers got;
    hone_farm *farm = farm_open(1, 0, &got);

    (void)state;
    farm_submit(farm, 0, "unlucky"); /* once: gets another worker */
    farm_wait_for(farm, &got, 1);
    assert_true(got.of[0].ok);
    assert_int_equal(farm_n_runs(), 2);
    assert_false(got.of[0].interrupted);
    farm_submit(farm, 1, "killed"); /* twice is enough */
    farm_wait_for(farm, &got, 2);
    assert_true(got.of[1].interrupted && !got.of[1].crashed);
    farm_log_has(&got, 1, "two compile processes were killed");
    assert_int_equal(farm_n_runs(), 4);
    /* While it has nothing to do. */
    (void)kill(farm->slots[0].worker.pid, SIGKILL);
    farm_submit(farm, 2, "fine");
    farm_wait_for(farm, &got, 3);
    assert_true(got.of[2].ok);
    hone__farm_close(farm);
}

/* ---- killed by the system, for want of memory -----------------------------
 */

static void write_file(const char *name, const char *text)
{
    char path[128];

    (void)snprintf(path, sizeof path, "%s/%s", farm_folder, name);
    assert_int_equal(hone__file_replace(path, text, strlen(text), NULL),
                     HONE_OK);
}

/* A farm of four whose next `n` compiles of "starved" are killed. */
static hone_farm *starving_farm(const char *n, answers *got)
{
    char path[128];
    hone_farm *farm;

    (void)snprintf(path, sizeof path, "%s/sys/fs/cgroup", farm_folder);
    assert_int_equal(hone__folder_create(path, NULL), HONE_OK);
    (void)snprintf(path, sizeof path, "%s/proc/self", farm_folder);
    assert_int_equal(hone__folder_create(path, NULL), HONE_OK);
    write_file("proc/self/cgroup", "0::/\n");
    write_file("sys/fs/cgroup/memory.events", "oom_kill 1\n");
    write_file("starved", n);
    farm = farm_open(4, 0, got);
    farm->root = farm_folder;
    farm->n_oom = 1;
    assert_int_equal(hone__farm_n_workers(farm), 4);
    return farm;
}

/* It is tried with fewer processes, at last with one; the others finish what
 * they are at. */
static void test_killed_for_memory(void **state)
{
    answers got;
    hone_farm *farm = starving_farm("2", &got);

    (void)state;
    farm_submit(farm, 0, "starved");
    farm_submit(farm, 1, "one");
    farm_submit(farm, 2, "two");
    farm_wait_for(farm, &got, 3);
    assert_true(got.of[0].ok && got.of[1].ok && got.of[2].ok);
    assert_int_equal(hone__farm_n_workers(farm), 1);
    assert_int_equal(hone__farm_n_idle(farm), 1);
    farm_submit(farm, 3, "three");
    assert_int_equal(hone__farm_n_idle(farm), 0);
    farm_wait_for(farm, &got, 4);
    assert_true(got.of[3].ok);
    hone__farm_close(farm);
}

static void test_killed_for_memory_alone(void **state)
{
    answers got;
    hone_farm *farm = starving_farm("8", &got);

    (void)state;
    farm_submit(farm, 0, "starved");
    farm_wait_for(farm, &got, 1);
    assert_true(got.of[0].interrupted && got.of[0].out_of_memory);
    assert_false(got.of[0].crashed || got.of[0].ok);
    farm_log_has(&got, 0, "the compiler ran out of memory");
    farm_log_has(&got, 0, "the system killed its process");
    assert_int_equal(farm_n_runs(), 3); /* beside 3, 1 and 0 others */
    hone__farm_close(farm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_too_slow),
        IN_FOLDER(test_crashed),
        IN_FOLDER(test_killed_from_outside),
        IN_FOLDER(test_killed_for_memory),
        IN_FOLDER(test_killed_for_memory_alone),
        IN_FOLDER(test_foreign_header),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
