/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the tuner that need no GPU: messages, reading ptxas' report,
 * statistics and workers. */
#include "tuner/compile/compiler.h"
#include "tuner/trial/timer.h"
#include "tuner/process/worker.h"
#include "tuner/judge/statistics.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- messages -----------------------------------------------------------
 */

static void test_pack_round_trip(void **state)
{
    hone_text text = {0};
    hone_unpack in;
    size_t size = 0;

    (void)state;
    hone__pack_i64(&text, -42);
    hone__pack_f64(&text, 0.1);
    hone__pack_string(&text, "a string");
    hone__pack_bytes(&text, "\0\1\2", 3);
    in = (hone_unpack){text.data, text.data + text.length, 0};
    assert_int_equal(hone__unpack_i64(&in), -42);
    assert_true(hone__unpack_f64(&in) == 0.1);
    assert_string_equal(hone__unpack_string(&in), "a string");
    assert_memory_equal(hone__unpack_bytes(&in, &size), "\0\1\2", 3);
    assert_int_equal(size, 3);
    assert_false(in.broken);
    (void)hone__unpack_i64(&in); /* past the end */
    assert_true(in.broken);
    hone__text_free(&text);
}

static void test_unpack_rejects_lies(void **state)
{
    hone_text text = {0};
    hone_unpack in;
    size_t size = 1;

    (void)state;
    hone__pack_i64(&text, INT64_MAX); /* a length far beyond the payload */
    in = (hone_unpack){text.data, text.data + text.length, 0};
    (void)hone__unpack_bytes(&in, &size);
    assert_true(in.broken);
    assert_int_equal(size, 0);
    hone__text_clear(&text);
    hone__pack_bytes(&text, "no end", 6); /* a string without its NUL */
    in = (hone_unpack){text.data, text.data + text.length, 0};
    assert_string_equal(hone__unpack_string(&in), "");
    assert_true(in.broken);
    hone__text_free(&text);
}

static void test_inbox_takes_messages_apart(void **state)
{
    hone_mail inbox = {{0}, 0};
    hone_text payload = {0};
    hone_unpack in;
    uint32_t kind = 0;
    int ends[2], is_end = -1;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    hone__pack_string(&payload, "first");
    assert_int_equal(hone__message_send(ends[1], 7, &payload, NULL), HONE_OK);
    hone__text_clear(&payload);
    assert_int_equal(hone__message_send(ends[1], 8, &payload, NULL), HONE_OK);
    assert_int_equal(write(ends[1], "abc", 3), 3); /* part of a third one */
    (void)close(ends[1]);
    assert_int_equal(hone__inbox_fill(&inbox, ends[0], &is_end, NULL), HONE_OK);
    assert_false(is_end);
    assert_true(hone__inbox_next(&inbox, &kind, &in));
    assert_int_equal(kind, 7);
    assert_string_equal(hone__unpack_string(&in), "first");
    assert_true(hone__inbox_next(&inbox, &kind, &in));
    assert_int_equal(kind, 8);
    assert_false(hone__inbox_next(&inbox, &kind, &in));
    assert_int_equal(hone__inbox_fill(&inbox, ends[0], &is_end, NULL), HONE_OK);
    assert_true(is_end);
    (void)close(ends[0]);
    hone__mail_free(&inbox);
    hone__text_free(&payload);
}

/* ---- workers ------------------------------------------------------------
 */

static int echo_worker(void *user, int from_parent, int to_parent)
{
    const char *what = user;
    hone_text request = {0};
    uint32_t kind = 0;

    (void)signal(SIGSEGV, SIG_DFL); /* cmocka's is for the test */
    if (strcmp(what, "crash") == 0)
        raise(SIGSEGV);
    while (strcmp(what, "hang") == 0)
        (void)sleep(1);
    while (hone__message_receive(from_parent, &kind, &request, NULL) == HONE_OK)
        (void)hone__message_send(to_parent, kind + 1, &request, NULL);
    hone__text_free(&request);
    return 3;
}

static void test_worker_answers_and_leaves(void **state)
{
    char user[] = "echo";
    hone_worker worker;
    hone_text payload = {0};
    uint32_t kind = 0;
    char how[64];

    (void)state;
    assert_int_equal(hone__worker_start(&worker, echo_worker, user, -1, NULL),
                     HONE_OK);
    hone__pack_string(&payload, "hello");
    assert_int_equal(hone__message_send(worker.to, 1, &payload, NULL), HONE_OK);
    assert_int_equal(hone__message_receive(worker.from, &kind, &payload, NULL),
                     HONE_OK);
    assert_int_equal(kind, 2);
    hone__worker_stop(&worker, 60, how, sizeof how);
    assert_string_equal(how, "exit status 3");
    assert_int_equal(worker.pid, 0);
    hone__text_free(&payload);
}

static void test_worker_that_dies_or_hangs(void **state)
{
    char crash[] = "crash";
    char hang[] = "hang";
    hone_worker worker;
    char how[64];

    (void)state;
    assert_int_equal(hone__worker_start(&worker, echo_worker, crash, -1, NULL),
                     HONE_OK);
    hone__worker_stop(&worker, 60, how, sizeof how);
    assert_non_null(strstr(how, "signal 11"));
    assert_int_equal(hone__worker_start(&worker, echo_worker, hang, -1, NULL),
                     HONE_OK);
    hone__worker_stop(&worker, 0.05, how, sizeof how);
    assert_non_null(strstr(how, "signal 9"));
}

/* Two workers: the second must not keep the first one's pipe open. */
static void test_worker_sees_its_end_of_stream(void **state)
{
    char user[] = "echo";
    hone_worker a, b;
    char how[64];

    (void)state;
    assert_int_equal(hone__worker_start(&a, echo_worker, user, -1, NULL),
                     HONE_OK);
    assert_int_equal(hone__worker_start(&b, echo_worker, user, -1, NULL),
                     HONE_OK);
    hone__worker_stop(&a, 60, how, sizeof how);
    assert_string_equal(how, "exit status 3"); /* not killed after 60 s */
    hone__worker_stop(&b, 60, how, sizeof how);
    assert_string_equal(how, "exit status 3");
}

/* ---- numbers ------------------------------------------------------------
 */

static void test_ptxas_report(void **state)
{
    static const char log[] =
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
        "ptxas info    : Function properties for a\n"
        "    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill "
        "loads\n"
        "ptxas info    : Used 40 registers, used 1 barriers, 1056 bytes "
        "smem, 400 bytes cmem[0]\n"
        "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 128 registers, used 0 barriers\n";
    hone_compile_output out = {0};

    (void)state;
    hone__compile_read_log(log, &out);
    assert_int_equal(out.registers, 128);
    assert_int_equal(out.spill_bytes, 32);
    assert_int_equal(out.static_shared_bytes, 1056);
    hone__compile_read_log("", &out);
    assert_int_equal(out.registers, -1);
}

/* ---- statistics ---------------------------------------------------------
 */

static void test_statistics(void **state)
{
    double odd[] = {5, 1, 3, 2, 4};
    double even[] = {4, 1, 3, 2};
    double sixteen[16];
    double low, high;

    (void)state;
    assert_true(hone__median(odd, 5) == 3);
    assert_true(odd[0] == 1 && odd[4] == 5); /* sorted now */
    assert_true(hone__half_iqr(odd, 5) == 1);
    assert_true(hone__median(even, 4) == 2.5);
    for (int i = 0; i < 16; ++i)
        sixteen[i] = i + 1;
    /* Sign test, n = 16: the 95 % interval is the 4th to the 13th value. */
    hone__median_interval(sixteen, 16, &low, &high);
    assert_true(low == 4);
    assert_true(high == 13);
    hone__median_interval(sixteen, 3, &low, &high); /* too few: all */
    assert_true(low == 1 && high == 3);
}

/* ---- search -------------------------------------------------------------
 */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pack_round_trip),
        cmocka_unit_test(test_unpack_rejects_lies),
        cmocka_unit_test(test_inbox_takes_messages_apart),
        cmocka_unit_test(test_worker_answers_and_leaves),
        cmocka_unit_test(test_worker_that_dies_or_hangs),
        cmocka_unit_test(test_worker_sees_its_end_of_stream),
        cmocka_unit_test(test_ptxas_report),
        cmocka_unit_test(test_statistics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
