/* SPDX-License-Identifier: Apache-2.0 */
/* Constant memory, workspaces that are zeroed for each run, clusters,
 * cooperative launches and types that are parameters, on the fake GPU. */
#include "gen/expand/expand.h"
#include "tests/tuner/fake_gpu.h"
#include "tuner/trial/device_worker.h"
#include "gen/space.h"
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

enum { N = 1000, N_TAPS = 5, L2_BYTES = 20000 };

static const char text[] =
    "#pragma hone op fir(n, K)\n"
    "#pragma hone arg x: in f32[n], h: in f32[K], y: out f32[n]\n"
    "#pragma hone param USE in {1, 0}\n"
    "#pragma hone param CLUSTER in {1, 2, 16}\n"
    "#pragma hone param GRID in {4, 264, 265}\n"
    "#pragma hone param ACC in {f32, f64}\n"
    "#pragma hone workspace sums: ACC[2] zero each\n"
    "#pragma hone constant taps: f32[K] from h if(USE == 1)\n"
    "#pragma hone launch fir grid(GRID*CLUSTER) block(32) cluster(CLUSTER)"
    " args(x, h, y, sums, i64(K), i64(USE), i64(ACC))\n"
    "#pragma hone launch wait if(CLUSTER == 1) grid(GRID) block(32)"
    " cooperative args(x)\n"
    "#pragma hone check cpu.fir tolerance(8) exact(4)\n"
    "__constant__ float taps[64];\n"
    "extern \"C\" __global__ void fir() {}\n"
    "extern \"C\" __global__ void wait() {}\n";

static hone_device device;
static hone_problem *problem;
static hone_template *tmpl;
static hone_text spec;
static hone_launch_spec *plan, *first_plan; /* of spec now, and at first */
static const int64_t dims[] = {N, N_TAPS};
static fake_kernel *fir;
static const float *seen_h[8];
static const float *seen_x[8];
static int leaves_it_wrong; /* takes the taps for what they were first */
static float first_taps[N_TAPS];

/* y[i] = x[i] * sum(h) + sums, which are zero. */
static void run_fir(void **params)
{
    const float *x = (const float *)(uintptr_t) * (hone_cu_ptr *)params[0];
    const float *h = (const float *)(uintptr_t) * (hone_cu_ptr *)params[1];
    float *y = (float *)(uintptr_t) * (hone_cu_ptr *)params[2];
    void *sums = (void *)(uintptr_t) * (hone_cu_ptr *)params[3];
    const int64_t type = *(int64_t *)params[6];
    const float *taps = *(int64_t *)params[5] ? fake_gpu_taps : h;
    double start[2] = {0, 0};
    float sum = 0;

    memcpy(start, sums, type == HONE_TYPE_F64 ? 16 : 8);
    if (fir->n_runs == 1)
        memcpy(first_taps, taps, sizeof first_taps);
    if (leaves_it_wrong)
        taps = first_taps;
    for (int64_t k = 0; k < *(int64_t *)params[4]; ++k)
        sum += taps[k];
    for (int64_t i = 0; i < N; ++i)
        y[i] = x[i] * sum + (float)(start[0] + start[1]);
    start[0] = start[1] = 1e3; /* whoever comes next must not see it */
    memcpy(sums, start, type == HONE_TYPE_F64 ? 16 : 8);
    seen_h[fir->n_runs % 8] = h;
    seen_x[fir->n_runs % 8] = x;
}

static void reference(const int64_t *d, const void *const *args, int64_t first,
                      int64_t count, double *value, double *magnitude)
{
    const float *x = args[0];
    const float *h = args[1];

    for (int64_t i = 0; i < count; ++i) {
        value[i] = magnitude[i] = 0;
        for (int64_t k = 0; k < d[1]; ++k) {
            const double term = (double)x[first + i] * (double)h[k];

            value[i] += term;
            magnitude[i] += fabs(term);
        }
    }
}

static double cost(const int64_t *d)
{
    return 2.0 * (double)d[1];
}

static const hone_reference references[] = {
    {"fir", {reference}, cost, NULL, 0}};

static void use_config(const char *config_text)
{
    int64_t config[8];
    hone_error err = {.status = HONE_OK};

    hone__text_clear(&spec);
    if (hone__config_parse(tmpl, config_text, config, &err) ||
        hone__expand_launch_spec(tmpl, config, &spec, &err))
        fail_msg("%s", err.text);
    hone__launch_spec_free(plan);
    if (hone__launch_spec_parse(hone__text_str(&spec), &plan, &err))
        fail_msg("%s", err.text);
}

static int setup(void **state)
{
    hone_diagnostics diagnostics = {0};
    hone_error err = {.status = HONE_OK};
    hone_problem_setup of = {.dims = dims,
                             .mode = HONE_MODE_COLD,
                             .rotation = HONE_ROTATION_TRIAL,
                             .seed = 1,
                             .references = references,
                             .n_references = 1};

    (void)state;
    fake_gpu_reset();
    leaves_it_wrong = 0;
    fir = fake_gpu_kernel("fir", run_fir, 7, 5000);
    (void)fake_gpu_kernel("wait", NULL, 1, 0);
    fake_gpu_open(&device, L2_BYTES);
    if (hone__template_read("fir.cu", "", text, strlen(text), &tmpl,
                            &diagnostics, &err))
        fail_msg("%s", err.text);
    use_config("");
    of.tmpl = tmpl;
    if (hone__launch_spec_parse(hone__text_str(&spec), &first_plan, &err))
        fail_msg("%s", err.text);
    of.spec = first_plan;
    problem = calloc(1, sizeof *problem);
    if (hone__problem_open(&device, &of, problem, &err))
        fail_msg("%s", err.text);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hone__problem_close(problem);
    free(problem);
    hone__device_close(&device);
    hone__text_free(&spec);
    hone__launch_spec_free(plan);
    hone__launch_spec_free(first_plan);
    plan = first_plan = NULL;
    hone__template_free(tmpl);
    assert_int_equal(fake_gpu_live_bytes, 0);
    assert_int_equal(fake_gpu_live_graphs, 0);
    return 0;
}

static hone_trial_report try_config(const char *config)
{
    hone_trial_job job = {.id = 3, .cubin = "cubin", .cubin_bytes = 6};
    hone_trial_report report;
    hone_error err = {.status = HONE_OK};

    use_config(config);
    job.launch_spec = hone__text_str(&spec);
    job.spec = plan;
    memset(fake_gpu_taps, 0xff, sizeof fake_gpu_taps);
    fir->n_runs = 0;
    fir->cluster = 0;
    fake_gpu_find("wait")->cooperative = 0;
    if (hone__trial_run(problem, &job, &report, &err) != HONE_OK)
        fail_msg("%s", err.text);
    return report;
}

static void expect(const char *config, hone_outcome outcome, const char *part)
{
    const hone_trial_report report = try_config(config);

    if (report.outcome != outcome || !strstr(report.message, part))
        fail_msg("%s: %s: %s", config, hone__outcome_name(report.outcome),
                 report.message);
}

static void verified_with_taps_of_each_run(void **state)
{
    (void)state;
    expect("", HONE_OUTCOME_OK, "");
    assert_true(fir->n_runs > 100);
    assert_true(fake_gpu_find("wait")->cooperative);
    assert_int_equal(fir->cluster, 0);
    expect("USE=0", HONE_OUTCOME_OK, "");
    expect("ACC=f64", HONE_OUTCOME_OK, "");
    expect("CLUSTER=16", HONE_OUTCOME_OK, "");
    assert_int_equal(fir->cluster, 16);
    assert_false(fake_gpu_find("wait")->cooperative);
    /* Both runs have other taps: an old copy would be seen. */
    leaves_it_wrong = 1;
    expect("", HONE_OUTCOME_WRONG, "");
}

/* x rotates, the taps stay: no copy is timed. */
static void constants_do_not_rotate(void **state)
{
    int n_places = 1;

    (void)state;
    assert_true(problem->n_sets > 4);
    expect("USE=0", HONE_OUTCOME_OK, "");
    for (size_t set = 1; set < problem->n_sets; ++set) {
        assert_true(problem->pointer[set][1] == problem->pointer[0][1]);
        assert_true(problem->pointer[set][0] != problem->pointer[0][0]);
    }
    for (int i = 1; i < 8; ++i)
        n_places += seen_x[i] != seen_x[0];
    assert_true(n_places > 4);
}

static void what_the_device_cannot_hold(void **state)
{
    (void)state;
    expect("GRID=264", HONE_OUTCOME_OK, "");
    expect("GRID=265", HONE_OUTCOME_LIMITS,
           "kernel 'wait' is a cooperative launch of 265 blocks, but only "
           "264");
    assert_int_equal(fir->n_runs, 0);
    fake_gpu_resident_clusters = 0;
    expect("CLUSTER=2", HONE_OUTCOME_LIMITS,
           "no cluster of 2 blocks of kernel 'fir' fits");
    fake_gpu_taps_bytes = 4 * N_TAPS - 4;
    expect("", HONE_OUTCOME_LIMITS,
           "the constant 'taps' of fir holds 16 bytes, and "
           "20 are");
    fake_gpu_taps_bytes = 0;
    expect("", HONE_OUTCOME_LIMITS, "has no constant 'taps'");
    expect("USE=0", HONE_OUTCOME_OK, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(verified_with_taps_of_each_run),
        TEST(constants_do_not_rotate),
        TEST(what_the_device_cannot_hold),
    };

    return cmocka_run_group_tests_name("trial_special", tests, NULL, NULL);
}
