/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of operations whose arrays are in host memory, on the fake GPU: what
 * variants get is pageable or page-locked memory as the problem says, it is
 * guarded and compared like any other, and timed by events. */
#include "gen/expand/expand.h"
#include "gen/space.h"
#include "tests/tuner/fake_gpu.h"
#include "tuner/trial/trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 1000, CHUNK = 64 };

static const char text[] =
    "#pragma hone op twice(n, PINNED in {0, 1})\n"
    "#pragma hone arg x: in host(PINNED) f32[n], y: out host(PINNED) f32[n]\n"
    "#pragma hone param STREAMS in 1..3\n"
    "#pragma hone param STAGING : bool\n"
    "#pragma hone pipeline chunks(n, 64) streams(STREAMS) staging(STAGING)\n"
    "#pragma hone launch twice block(32) args(x, y, i64(n))\n"
    "#pragma hone check cpu.twice tolerance(2) exact(4)\n"
    "extern \"C\" __global__ void twice() {}\n";

static hone_device device;
static hone_problem *problem;
static hone_template *tmpl;
static hone_launch_spec *first_plan;
static hone_text first_text;
static fake_kernel *twice;
static int last_of_chunk_is_lost;
static int x_is_changed; /* in the array of the caller, behind our back */
static int flips;        /* the next chunk alone is wrong */
static long n_whole;     /* launches of a whole chunk */

static void run_twice(void **params)
{
    const float *x = (const float *)(uintptr_t) * (hone_cu_ptr *)params[0];
    float *y = (float *)(uintptr_t) * (hone_cu_ptr *)params[1];
    const int64_t n = *(int64_t *)params[2];

    n_whole += n == CHUNK;
    for (int64_t i = 0; i < n - last_of_chunk_is_lost; ++i)
        y[i] = 2 * x[i];
    y[0] += (float)flips;
    flips = 0;
    if (x_is_changed) {
        float *own = (float *)(uintptr_t)problem->pointer[0][0];

        own[N / 2] += 1;
    }
}

static void reference(const int64_t *d, const void *const *args, int64_t first,
                      int64_t count, double *value, double *magnitude)
{
    const float *x = args[0];

    (void)d;
    for (int64_t i = 0; i < count; ++i) {
        value[i] = 2.0 * (double)x[first + i];
        magnitude[i] = fabs(value[i]);
    }
}

static double cost(const int64_t *d)
{
    (void)d;
    return 1;
}

static const hone_reference references[] = {
    {"twice", {reference}, cost, NULL, 0}};

static hone_launch_spec *plan_of(const char *config_text, hone_text *out)
{
    int64_t config[8];
    hone_launch_spec *plan = NULL;
    hone_error err = {.status = HONE_OK};

    hone__text_clear(out);
    if (hone__config_parse(tmpl, config_text, config, &err) ||
        hone__expand_launch_spec(tmpl, config, out, &err) ||
        hone__launch_spec_parse(hone__text_str(out), &plan, &err))
        fail_msg("%s", err.text);
    return plan;
}

static void open_problem(int64_t pinned)
{
    const int64_t dims[] = {N, pinned};
    hone_diagnostics diagnostics = {0};
    hone_error err = {.status = HONE_OK};
    hone_problem_setup of = {.dims = dims,
                             .mode = HONE_MODE_COLD,
                             .rotation = HONE_ROTATION_TRIAL,
                             .seed = 1,
                             .references = references,
                             .n_references = 1};

    fake_gpu_reset();
    last_of_chunk_is_lost = x_is_changed = flips = 0;
    n_whole = 0;
    twice = fake_gpu_kernel("twice", run_twice, 3, 3000);
    fake_gpu_open(&device, 20000);
    if (hone__template_read("twice.cu", "", text, strlen(text), &tmpl,
                            &diagnostics, &err))
        fail_msg("%s", err.text);
    of.tmpl = tmpl;
    of.spec = first_plan = plan_of("", &first_text);
    problem = calloc(1, sizeof *problem);
    if (hone__problem_open(&device, &of, problem, &err))
        fail_msg("%s", err.text);
}

static void close_problem(void)
{
    hone__problem_close(problem);
    free(problem);
    hone__device_close(&device);
    hone__launch_spec_free(first_plan);
    hone__text_free(&first_text);
    hone__template_free(tmpl);
    assert_int_equal(fake_gpu_live_bytes, 0);
}

static hone_trial_report try_config(const char *config)
{
    hone_text plan_text = {0};
    hone_launch_spec *plan = plan_of(config, &plan_text);
    hone_trial_job job = {.id = 3,
                          .cubin = "cubin",
                          .cubin_bytes = 6,
                          .launch_spec = hone__text_str(&plan_text),
                          .spec = plan};
    hone_trial_report report;
    hone_error err = {.status = HONE_OK};

    if (hone__trial_run(problem, &job, &report, &err) != HONE_OK)
        fail_msg("%s", err.text);
    hone__launch_spec_free(plan);
    hone__text_free(&plan_text);
    return report;
}

static void expect(const char *config, hone_outcome outcome, const char *part)
{
    const hone_trial_report report = try_config(config);

    if (report.outcome != outcome || !strstr(report.message, part))
        fail_msg("%s: %s: %s", config, hone__outcome_name(report.outcome),
                 report.message);
}

static void trials(void **state)
{
    static const char *const configs[] = {
        "STREAMS=1,STAGING=false", "STREAMS=3,STAGING=false",
        "STREAMS=1,STAGING=true", "STREAMS=3,STAGING=true"};

    (void)state;
    for (int64_t pinned = 0; pinned < 2; ++pinned) {
        open_problem(pinned);
        /* Pageable memory is not what the helper kernels work on. */
        assert_int_equal(problem->pointer[0][0] !=
                             problem->pristine[HONE_PASS_REALS][0].data,
                         !pinned);
        assert_int_equal(problem->n_sets, 1);
        for (int i = 0; i < 4; ++i) {
            expect(configs[i], HONE_OUTCOME_OK, "");
            assert_int_equal(try_config(configs[i]).timing, HONE_TIMING_EVENT);
        }
        assert_int_equal(fake_gpu_n_graphs, 0);
        assert_true(n_whole > 8 * (N / CHUNK));
        close_problem();
    }
}

static void wrong_ones(void **state)
{
    (void)state;
    for (int64_t pinned = 0; pinned < 2; ++pinned) {
        open_problem(pinned);
        last_of_chunk_is_lost = 1;
        expect("STREAMS=3", HONE_OUTCOME_WRONG, "cpu.twice");
        last_of_chunk_is_lost = 0;
        /* It is put right, and what comes next is not blamed. */
        x_is_changed = 1;
        expect("STREAMS=2", HONE_OUTCOME_WRONG, "array 'x'");
        x_is_changed = 0;
        expect("STREAMS=2", HONE_OUTCOME_OK, "");
        close_problem();
    }
}

/* What is right when it is run again is not wrong for good. */
static void wrong_once(void **state)
{
    (void)state;
    for (int64_t pinned = 0; pinned < 2; ++pinned) {
        open_problem(pinned);
        flips = 1;
        expect("STREAMS=2", HONE_OUTCOME_UNSTABLE, "right in 2 of 3 such runs");
        expect("STREAMS=2", HONE_OUTCOME_OK, "");
        close_problem();
    }
}

/* Neither the lane's page-locked memory nor anything before it is left. */
static void without_memory(void **state)
{
    (void)state;
    open_problem(1);
    fake_gpu_limit_bytes = fake_gpu_live_bytes + 256;
    expect("STREAMS=3,STAGING=true", HONE_OUTCOME_LIMITS, "page-locked memory");
    fake_gpu_limit_bytes = fake_gpu_live_bytes + 2 * 3 * 256 + 256;
    expect("STREAMS=3,STAGING=true", HONE_OUTCOME_LIMITS, "the workspace 'x'");
    fake_gpu_limit_bytes = 0;
    expect("STREAMS=3,STAGING=true", HONE_OUTCOME_OK, "");
    close_problem();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials),
        cmocka_unit_test(wrong_ones),
        cmocka_unit_test(wrong_once),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests_name("trial_host", tests, NULL, NULL);
}
