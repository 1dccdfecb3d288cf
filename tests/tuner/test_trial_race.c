/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of a trial against a made-up source: how many are taken, which
 * are thrown away, what becomes of a card that stays slow; and the messages
 * between the tuner and its workers. */
#include "tuner/judge/samples.h"

#include "tuner/cuda/cuda_device.h"
#include "tuner/process/worker.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

typedef struct source {
    double time_ns;
    double late_ns; /* > 0: every second sample */
    int n_taken;
    int n_asked;   /* for the clocks */
    int slow_from; /* asked for the n-th time (from 1), they are slow */
    int slow_until;
    int fail_at;    /* this sample fails; 0: none */
    double takes_s; /* a sample */
    double began_s; /* the trial; 0: with its samples */
} source;

static hone_status take(void *user, double *out_ns, hone_error *err)
{
    source *s = user;
    const struct timespec pause = {0, (long)(1e9 * s->takes_s)};

    (void)nanosleep(&pause, NULL);
    if (++s->n_taken == s->fail_at)
        return hone__fail(err, HONE_ERR_CUDA, "planned");
    *out_ns = s->late_ns > 0 && s->n_taken % 2 ? s->late_ns : s->time_ns;
    return HONE_OK;
}

static int64_t slowed(void *user)
{
    source *s = user;

    ++s->n_asked;
    return s->n_asked >= s->slow_from && s->n_asked <= s->slow_until
               ? 0x40 /* hardware thermal slowdown */
               : 0;
}

static hone_status race(source *s, const hone_trial_job *job,
                        hone_trial_report *report)
{
    /* All samples, however slow this machine is. */
    const hone_sample_source from = {take, slowed, s, 600, 0, s->began_s};
    hone_error err = {.status = HONE_OK};

    memset(report, 0, sizeof *report);
    return hone__trial_race(job, &from, report, &err);
}

static void test_counts(void **state)
{
    source s = {.time_ns = 200};
    hone_trial_job job = {.incumbent_ns = 100};
    hone_trial_report report;

    (void)state;
    assert_int_equal(race(&s, &job, &report), HONE_OK);
    assert_int_equal(report.n_samples, 2);
    assert_int_equal(report.screened, 1);
    assert_true(report.screen_ratio == 2);
    assert_true(report.time_ns == 200);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK);
    s = (source){.time_ns = 100};
    assert_int_equal(race(&s, &job, &report), HONE_OK);
    assert_int_equal(report.n_samples, 8);
    assert_int_equal(report.screened, 0);
    job.fixed_samples = 30;
    s = (source){.time_ns = 500};
    assert_int_equal(race(&s, &job, &report), HONE_OK);
    assert_int_equal(report.n_samples, 30);
    assert_int_equal(s.n_taken, 30);
    assert_int_equal(report.screened, 0);
    s = (source){.time_ns = 500, .fail_at = 5};
    assert_int_equal(race(&s, &job, &report), HONE_ERR_CUDA);
}

static void test_scatter_is_unstable(void **state)
{
    source s = {.time_ns = 100, .late_ns = 300};
    const hone_trial_job job = {.incumbent_ns = 0};
    hone_trial_report report;

    (void)state;
    assert_int_equal(race(&s, &job, &report), HONE_OK);
    assert_int_equal(report.n_samples, 24);
    assert_int_equal(report.outcome, HONE_OUTCOME_UNSTABLE);
    assert_non_null(strstr(report.message, "scatters by 50 %"));
}

/* The second reading (after the first two samples) and the third (before the
 * second try) are slow: two samples are thrown away, then all goes well. */
static void test_slow_samples_are_repeated(void **state)
{
    source s = {.time_ns = 100, .slow_from = 2, .slow_until = 3};
    const hone_trial_job job = {.incumbent_ns = 0};
    hone_trial_report report;

    (void)state;
    assert_int_equal(race(&s, &job, &report), HONE_OK);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK);
    assert_int_equal(report.n_discarded, 2);
    assert_int_equal(report.n_samples, 8);
    assert_int_equal(s.n_taken, 10);
}

static void test_slow_card(void **state)
{
    source s = {.time_ns = 100, .slow_from = 4, .slow_until = 1000};
    const hone_trial_job job = {.incumbent_ns = 0, .timeout_s = 0.3};
    hone_trial_report report;

    (void)state;
    assert_int_equal(race(&s, &job, &report), HONE_OK);
    assert_int_equal(report.outcome, HONE_OUTCOME_UNSTABLE);
    assert_non_null(strstr(report.message, "hardware thermal slowdown"));
    assert_non_null(strstr(report.message, "2 samples were thrown away"));
    assert_int_equal(report.n_discarded, 2);
    assert_int_equal(report.n_samples, 2); /* from before */
}

/* Samples that are thrown away take time, too, as did what was before them: of
 * a trial that has none left it is said at once. */
static void test_slow_card_and_slow_samples(void **state)
{
    const source sources[] = {
        {.time_ns = 100, .slow_from = 2, .slow_until = 1000, .takes_s = 0.2},
        {.time_ns = 100,
         .slow_from = 2,
         .slow_until = 1000,
         .began_s = hone__now_s() - 0.3}};
    const hone_trial_job job = {.incumbent_ns = 0, .timeout_s = 0.3};

    (void)state;
    for (int i = 0; i < 2; ++i) {
        source s = sources[i];
        hone_trial_report report;

        assert_int_equal(race(&s, &job, &report), HONE_OK);
        assert_int_equal(report.outcome, HONE_OUTCOME_UNSTABLE);
        assert_int_equal(report.n_discarded, 2);
        assert_int_equal(s.n_asked, 2); /* and not once more after a pause */
    }
}

static void test_alarm_is_unstable(void **state)
{
    hone_selfcheck check = {.time_ns = 0, .n_launches = 1};
    hone_trial_report report = {.outcome = HONE_OUTCOME_OK};

    (void)state;
    hone__trial_check(&check, &report);
    assert_int_equal(report.outcome, HONE_OUTCOME_UNSTABLE);
    assert_int_equal(report.alarm, HONE_ALARM_ZERO);
    assert_non_null(strstr(report.message, "0 ns"));
    report =
        (hone_trial_report){.outcome = HONE_OUTCOME_WRONG, .message = "first"};
    hone__trial_check(&check, &report); /* worse is known already */
    assert_int_equal(report.outcome, HONE_OUTCOME_WRONG);
    assert_string_equal(report.message, "first");
    report = (hone_trial_report){.outcome = HONE_OUTCOME_OK};
    check.time_ns = 5;
    hone__trial_check(&check, &report);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK);
    assert_int_equal(report.alarm, HONE_ALARM_NONE);
}

static void test_messages(void **state)
{
    const hone_trial_job job = {.id = 7,
                                .launch_spec = "spec",
                                .cubin = "\1\2",
                                .cubin_bytes = 2,
                                .incumbent_ns = 1.5,
                                .noise = 0.25,
                                .fixed_samples = 30,
                                .timeout_s = 2.5};
    const hone_ready_report ready = {
        .notes = "a note", .event_floor_ns = 3, .warm_up_s = 0.5};
    hone_trial_job back;
    hone_ready_report ready_back;
    hone_text text = {0};
    hone_unpack in;

    (void)state;
    hone__trial_job_pack(&text, &job);
    hone__pack_bytes(&text, &ready, sizeof ready);
    in = (hone_unpack){text.data, text.data + text.length, 0};
    hone__trial_job_unpack(&in, &back);
    hone__struct_unpack(&in, &ready_back, sizeof ready_back);
    assert_false(in.broken);
    assert_int_equal(back.id, 7);
    assert_string_equal(back.launch_spec, "spec");
    assert_int_equal(back.cubin_bytes, 2);
    assert_memory_equal(back.cubin, "\1\2", 2);
    assert_true(back.incumbent_ns == 1.5 && back.noise == 0.25 &&
                back.timeout_s == 2.5);
    assert_int_equal(back.fixed_samples, 30);
    assert_memory_equal(&ready_back, &ready, sizeof ready);
    in = (hone_unpack){text.data, text.data + 4, 0};
    hone__struct_unpack(&in, &ready_back, sizeof ready_back);
    assert_true(in.broken);
    assert_true(ready_back.event_floor_ns == 0);
    hone__text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_scatter_is_unstable),
        cmocka_unit_test(test_slow_samples_are_repeated),
        cmocka_unit_test(test_slow_card),
        cmocka_unit_test(test_slow_card_and_slow_samples),
        cmocka_unit_test(test_alarm_is_unstable),
        cmocka_unit_test(test_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
