/* SPDX-License-Identifier: Apache-2.0 */
/* Trials on the fake GPU: how variants are timed, numbers that cannot be
 * true, a card that slows down, and device memory that is short. */
#include "tests/tuner/gpu_fixture.h"
#include "tuner/trial/timer.h"
#include "tuner/cuda/cuda_device.h"
#include "tuner/device/machine_fault.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define EXACT "check cpu.axpy tolerance(4) exact(8)"

static gpu_fixture f;

static int setup(void **state)
{
    (void)state;
    gpu_fixture_setup(&f);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_fixture_close(&f);
    return 0;
}

static void expect_good(void)
{
    const hone_trial_report report = gpu_fixture_try(&f, GOOD);

    if (report.outcome != HONE_OUTCOME_OK)
        fail_msg("outcome %s: %s", hone__outcome_name(report.outcome),
                 report.message);
    assert_int_equal(report.leaving, 0);
}

/* ---- timing -------------------------------------------------------------
 */

static void test_short_kernels_are_replayed(void **state)
{
    hone_trial_report report;

    (void)state;
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK);
    assert_true(report.verified);
    assert_int_equal(report.timing, HONE_TIMING_GRAPH);
    assert_in_range(report.n_launches, 100, 101); /* of 5 us: 500 us */
    assert_true(fabs(report.time_ns - 5000) < 1);
    assert_int_equal(report.n_samples, 8);
    assert_true(report.sample_s > 0 && report.device_s >= report.sample_s);
    assert_int_equal(fake_gpu_n_graphs, 1);
    f.job.incumbent_ns = 4000;
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK);
    assert_int_equal(report.screened, 1);
    assert_int_equal(report.n_samples, 2);
    assert_true(fabs(report.screen_ratio - 1.25) < 0.001);
}

static void test_long_kernels_are_launched(void **state)
{
    hone_trial_report report;

    (void)state;
    f.kernel->cost_ns = 150e3;
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK);
    assert_int_equal(report.timing, HONE_TIMING_EVENT);
    assert_int_equal(report.n_launches, 4);
    assert_true(fabs(report.time_ns - 150e3) < 10);
    assert_int_equal(fake_gpu_n_graphs, 0);
    f.problem->timing = HONE_TIMING_GRAPH;
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.timing, HONE_TIMING_GRAPH);
    assert_int_equal(report.n_launches, 8); /* a replay touches every copy */
    assert_int_equal(fake_gpu_n_graphs, 1);
    f.problem->timing = HONE_TIMING_EVENT;
    f.kernel->cost_ns = 5000;
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.timing, HONE_TIMING_EVENT);
    assert_in_range(report.n_launches, 100, 101);
}

/* In cold mode executions go round over the copies, and from one sample on to
 * the next: eight of them in a row are at eight places. */
static void test_rotation(void **state)
{
    hone_timer timer;
    double time_ns = 0;
    hone_error err = {.status = HONE_OK};
    hone_variant variant;

    (void)state;
    f.kernel->cost_ns = 200e3; /* 3 executions a sample, 8 copies */
    assert_int_equal(hone__variant_load(&f.device, f.job.spec, "c", 2, f.dims,
                                        1, &variant, &err),
                     HONE_OK);
    assert_int_equal(hone__timer_open(f.problem,
                                      hone__variant_subject(&variant), 0,
                                      &timer, &err),
                     HONE_OK);
    assert_int_equal(timer.n_launches, 3);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(hone__timer_sample(&timer, &time_ns, &err), HONE_OK);
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < i; ++k)
            assert_ptr_not_equal(gpu_seen[i], gpu_seen[k]);
    }
    hone__timer_close(&timer);
    hone__variant_unload(&variant);
}

/* What an empty pair of events takes is not part of the estimate. */
static void test_floor(void **state)
{
    hone_trial_report report;

    (void)state;
    fake_gpu_event_ns = 3000;
    f.device.event_floor_ns = 3000;
    report = gpu_fixture_try(&f, GOOD);
    assert_in_range(report.n_launches, 100, 101);
    assert_true(fabs(report.time_ns - 5030) < 1);
    /* Nothing runs: the most launches, and an alarm. */
    f.kernel->cost_ns = 0;
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_UNSTABLE);
    assert_int_equal(report.alarm, HONE_ALARM_FLOOR);
    assert_int_equal(report.n_launches, HONE_MAX_SAMPLE_LAUNCHES);
    gpu_fixture_says(report.message, "512 executions");
    /* An estimate that was disturbed makes samples too short at first. */
    assert_int_equal(hone__launches_choose(HONE_TIMING_GRAPH, 1e9, 3), 3);
    assert_int_equal(hone__launches_choose(HONE_TIMING_EVENT, 1e9, 3), 1);
    assert_int_equal(hone__launches_choose(HONE_TIMING_EVENT, -5, 3), 512);
}

static void test_zero_and_roofline(void **state)
{
    hone_trial_report report;

    (void)state;
    f.kernel->cost_ns = 0;
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_UNSTABLE);
    assert_int_equal(report.alarm, HONE_ALARM_ZERO);
    /* 12 KB in 5 us are 2.4 GB/s. */
    f.device.memory_clock_khz = 1000;
    f.device.bus_bits = 4096; /* 1.02 GB/s */
    f.kernel->cost_ns = 5000;
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_UNSTABLE);
    assert_int_equal(report.alarm, HONE_ALARM_ROOFLINE);
    gpu_fixture_says(report.message, "1.2e+04 bytes in 5 us");
    f.device.bus_bits = 16384;
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK);
}

/* ---- the card slows down ------------------------------------------------
 */

static void test_slowdown(void **state)
{
    hone_error err = {.status = HONE_OK};
    hone_trial_report report;

    (void)state;
    setenv("HONE_NVML_LIBRARY", HONE_FAKES "/libfake_nvml.so", 1);
    setenv("FAKE_NVML_UUID", "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", 1);
    setenv("FAKE_NVML_REASONS", "0x4", 1);
    hone__nvml_close(f.device.nvml); /* found nothing */
    assert_int_equal(hone__nvml_open(f.device.driver, 0, &f.device.nvml, &err),
                     HONE_OK);
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK);
    assert_int_equal(report.n_discarded, 0);
    assert_int_equal(report.clocks.sm_clock_mhz, 1980);
    assert_true(report.clocks.clock_reasons == 4);
    setenv("FAKE_NVML_REASONS", "0x48", 1);
    setenv("FAKE_NVML_SLOW_READS", "3", 1); /* the trial's own, and a batch */
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK);
    assert_int_equal(report.n_samples, 8);
    unsetenv("FAKE_NVML_SLOW_READS");
    f.job.timeout_s = 0.2;
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_UNSTABLE);
    gpu_fixture_says(report.message, "hardware thermal slowdown");
    assert_int_equal(report.leaving, 0);
}

/* ---- the machine fails --------------------------------------------------- */

/* One trial while launches fail with `code`: what it is taken for. In a process
 * of its own, for nothing is given back after a fault. */
static hone_status fail_with(int code, hone_trial_report *out, hone_error *err)
{
    struct {
        hone_status status;
        hone_outcome outcome;
        hone_error error;
    } said = {.status = HONE_OK};
    int ends[2];
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        axpy_defect = GOOD;
        fake_gpu_fails = code;
        said.status = hone__trial_run(f.problem, &f.job, out, &said.error);
        said.outcome = out->outcome;
        _exit(write(ends[1], &said, sizeof said) != (ssize_t)sizeof said);
    }
    assert_int_equal(read(ends[0], &said, sizeof said), sizeof said);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    (void)close(ends[0]);
    (void)close(ends[1]);
    *err = said.error;
    out->outcome = said.outcome;
    return said.status;
}

/* Memory errors of the card, a card that is gone, another driver: no outcome
 * of the variant that ran then. */
static void test_the_machine_is_not_the_variant(void **state)
{
    static const int codes[] = {46, 100, 101, 214, 220, 304, 721, 802, 803};
    hone_trial_report report;
    hone_error err;

    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
        assert_int_equal(fail_with(codes[i], &report, &err), HONE_ERR_CUDA);
        assert_int_equal(err.native, codes[i]);
        assert_non_null(hone__machine_fault(&err));
    }
    assert_int_equal(fail_with(700, &report, &err), HONE_OK);
    assert_int_equal(report.outcome, HONE_OUTCOME_FAULT);
    /* No place for a kernel, no descriptor left; a file that is wrong is
     * somebody's. */
    err = (hone_error){.status = HONE_ERR_IO, .domain = HONE_DOMAIN_ERRNO};
    assert_non_null(hone__machine_fault(&err));
    err.status = HONE_ERR_INPUT;
    assert_null(hone__machine_fault(&err));
}

/* A kernel seems to fail, and NVML says that the card is gone. */
static void test_a_lost_card(void **state)
{
    hone_error err = {.status = HONE_OK};
    hone_trial_report report;

    (void)state;
    setenv("HONE_NVML_LIBRARY", HONE_FAKES "/libfake_nvml.so", 1);
    setenv("FAKE_NVML_UUID", "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", 1);
    hone__nvml_close(f.device.nvml);
    assert_int_equal(hone__nvml_open(f.device.driver, 0, &f.device.nvml, &err),
                     HONE_OK);
    assert_int_equal(fail_with(719, &report, &err), HONE_OK);
    assert_int_equal(report.outcome, HONE_OUTCOME_FAULT);
    setenv("FAKE_NVML_MUTE", "1", 1);
    setenv("FAKE_NVML_LOST", "15", 1);
    assert_int_equal(fail_with(719, &report, &err), HONE_ERR_CUDA);
    gpu_fixture_says(hone__machine_fault(&err), "the card is gone");
    unsetenv("FAKE_NVML_LOST");
    assert_int_equal(fail_with(719, &report, &err), HONE_OK);
    unsetenv("FAKE_NVML_MUTE");
}

/* ---- device memory ------------------------------------------------------
 */

static void test_fewer_copies(void **state)
{
    hone_error err = {.status = HONE_OK};
    char note[300] = "";
    size_t full_bytes;

    (void)state;
    assert_int_equal(f.problem->n_sets, 8);
    assert_int_equal(f.problem->n_sets_wanted, 8);
    assert_false(hone__problem_in_cache(f.problem));
    hone__problem_note(f.problem, note, sizeof note);
    assert_string_equal(note, "");
    full_bytes = fake_gpu_live_bytes;
    gpu_fixture_close(&f);
    fake_gpu_limit_bytes = full_bytes - 60000; /* a copy takes 24 KB */
    assert_int_equal(gpu_fixture_open(&f, EXACT, "1", 20000, &err), HONE_OK);
    assert_in_range(f.problem->n_sets, 2, 6);
    assert_int_equal(f.problem->n_sets_wanted, 8);
    assert_true(hone__problem_in_cache(f.problem));
    hone__problem_note(f.problem, note, sizeof note);
    gpu_fixture_says(note, "device memory is short");
    expect_good();
    gpu_fixture_close(&f);
    /* Somebody else takes memory between the question and the allocation:
     * what was got of the last copy is given back, and one copy more. */
    fake_gpu_limit_bytes = full_bytes + 400000;
    fake_gpu_taken_bytes = 400000 + 60000;
    assert_int_equal(gpu_fixture_open(&f, EXACT, "1", 20000, &err), HONE_OK);
    assert_in_range(f.problem->n_sets, 2, 5);
    assert_true(fake_gpu_live_bytes + fake_gpu_taken_bytes + 24000 <
                fake_gpu_limit_bytes);
    expect_good();
    gpu_fixture_close(&f);
    fake_gpu_taken_bytes = 0;
    /* A tiny problem in front of a large cache. */
    fake_gpu_limit_bytes = 0;
    assert_int_equal(gpu_fixture_open(&f, EXACT, "1", 1 << 20, &err), HONE_OK);
    assert_int_equal(f.problem->n_sets, HONE_MAX_SETS);
    hone__problem_note(f.problem, note, sizeof note);
    gpu_fixture_says(note, "almost hot");
}

static void test_context_does_not_fit(void **state)
{
    hone_error err = {.status = HONE_OK};
    hone_device other = {.driver = f.device.driver, .kind = f.device.kind};

    (void)state;
    fake_gpu_limit_bytes = fake_gpu_live_bytes + 100;
    assert_int_equal(hone__device_begin(&other, NULL, &err),
                     HONE_ERR_NO_MEMORY);
    gpu_fixture_says(err.text, "not even a CUDA context fits");
    fake_gpu_limit_bytes = 0;
}

static void test_problem_does_not_fit(void **state)
{
    hone_error err = {.status = HONE_OK};

    (void)state;
    gpu_fixture_close(&f);
    fake_gpu_limit_bytes = 50000;
    assert_int_equal(gpu_fixture_open(&f, EXACT, "1", 20000, &err),
                     HONE_ERR_NO_MEMORY);
    gpu_fixture_says(err.text, "axpy needs about");
    gpu_fixture_says(err.text, "are free");
    gpu_fixture_says(err.text, "--device cuda:N");
    fake_gpu_limit_bytes = 0;
}

static void test_workspace_does_not_fit(void **state)
{
    hone_error err = {.status = HONE_OK};
    hone_trial_report report;

    (void)state;
    gpu_fixture_close(&f);
    assert_int_equal(gpu_fixture_open(&f, EXACT, "1M", 20000, &err), HONE_OK);
    fake_gpu_limit_bytes = fake_gpu_live_bytes + (4 << 20);
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_LIMITS);
    gpu_fixture_says(report.message, "the workspace 'ticket' does not fit");
    gpu_fixture_says(report.message, "no room for 8.0 MiB");
    assert_int_equal(report.leaving, 0);
    fake_gpu_limit_bytes = 0;
    expect_good();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_short_kernels_are_replayed),
        TEST(test_long_kernels_are_launched),
        TEST(test_rotation),
        TEST(test_floor),
        TEST(test_zero_and_roofline),
        TEST(test_slowdown),
        TEST(test_the_machine_is_not_the_variant),
        TEST(test_a_lost_card),
        TEST(test_fewer_copies),
        TEST(test_context_does_not_fit),
        TEST(test_problem_does_not_fit),
        TEST(test_workspace_does_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
