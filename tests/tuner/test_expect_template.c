/* SPDX-License-Identifier: Apache-2.0 */
/* Another template as reference and as baseline on the fake GPU. */
#include "tests/tuner/gpu_fixture.h"
#include "tuner/compile/host_unit.h"
#include "tuner/judge/final.h"
#include "tuner/judge/check_data.h"
#include "tuner/trial/verify.h"
#include "tuner/trial/trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static gpu_fixture f;
static hone_reference_templates others;
static int plain_is_wrong;
static int n_plain;        /* launches */
static int64_t plain_n[2]; /* the sizes it was last launched with, and before */

static const char plain[] =
    "#pragma hone op plain(n, m default 7)\n"
    "#pragma hone arg alpha: f32, x: in %s[n], y: inout f32[n]\n"
    "#pragma hone param A in {1}\n"
    "#pragma hone require n %% 2 == %d || n < 100 \"even ones only\"\n"
    "#pragma hone constant taps: %s[min(n, 8)] from x\n"
    "#pragma hone launch plain args(alpha, x, y, i64(n), i64(m))\n"
    "__constant__ float taps[8];\n"
    "extern \"C\" __global__ void plain() {}\n";

/* The first elements come from constant memory, which must be that of this
 * run: copies of the inputs may lie where those of the last run did. */
static void run_plain(void **params)
{
    const float *x = (const float *)(uintptr_t) * (hone_cu_ptr *)params[1];
    float *y = (float *)(uintptr_t) * (hone_cu_ptr *)params[2];
    const int64_t n = *(int64_t *)params[3];
    float alpha;

    memcpy(&alpha, params[0], sizeof alpha);
    assert_int_equal(*(int64_t *)params[4], 7);
    plain_n[1] = plain_n[0];
    plain_n[0] = n;
    for (int64_t i = 0; i < n; ++i)
        y[i] = alpha * (i < 8 ? fake_gpu_taps[i] : x[i]) + y[i];
    y[n / 2] += (float)plain_is_wrong;
    ++n_plain;
}

/* What hone__reference_templates_open() makes, without a compiler. */
static void make_other(const char *type, int parity)
{
    hone_reference_template *other = &others.items[0];
    hone_diagnostics diagnostics = {0};
    hone_error err = {.status = HONE_OK};
    hone_space *space = NULL;
    hone_properties properties = {0};
    int64_t index = 0;
    char text[1024];

    (void)snprintf(text, sizeof text, plain, type, parity, type);
    others.n = 1;
    *other = (hone_reference_template){
        .name = "template.plain", .line = 7, .role = HONE_ROLE_CHECK};
    other->from[0] = 0;
    other->from[1] = -1;
    hone__text_puts(&other->code, "cubin");
    if (hone__template_read("plain.cu", "", text, strlen(text), &other->tmpl,
                            &diagnostics, &err) ||
        hone__space_create(other->tmpl, NULL, &properties, &space, &err) ||
        hone__default_plan(other->tmpl, space, &index, &other->spec, &err))
        fail_msg("%s", err.text);
    other->by = other->tmpl; /* who is named in messages */
    hone__space_free(space);
}

static hone_status open_with(const char *type, int parity, hone_error *err)
{
    fake_gpu_reset();
    memset(&f, 0, sizeof f);
    memset(&others, 0, sizeof others);
    memset(plain_n, 0, sizeof plain_n);
    n_plain = 0;
    make_other(type, parity);
    (void)fake_gpu_kernel("plain", run_plain, 5, 9000);
    f.reference_templates = &others;
    return gpu_fixture_open(&f,
                            "check template.plain tolerance(4) exact(8)\n"
                            "#pragma hone baseline template.plain",
                            "1", 20000, err);
}

static int setup(void **state)
{
    hone_error err = {.status = HONE_OK};

    (void)state;
    plain_is_wrong = 0;
    if (open_with("f32", 0, &err))
        fail_msg("%s", err.text);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hone__template_free(others.items[0].tmpl);
    hone__launch_spec_free(others.items[0].spec);
    hone__text_free(&others.items[0].code);
    gpu_fixture_close(&f);
    return 0;
}

static void judges_variants(void **state)
{
    hone_trial_report report;

    (void)state;
    assert_int_equal(plain_n[0], GPU_FIXTURE_N);
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK);
    assert_true(report.verified);
    report = gpu_fixture_try(&f, WRONG);
    assert_int_equal(report.outcome, HONE_OUTCOME_WRONG);
    assert_non_null(strstr(report.message, "template.plain"));
    /* It is the other's word that counts. */
    teardown(NULL);
    plain_is_wrong = 1;
    {
        hone_error err = {.status = HONE_OK};

        assert_int_equal(open_with("f32", 0, &err), HONE_OK);
    }
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_WRONG);
}

/* It is in proportion to |alpha*x| and |y|, where alpha*x + y is near 0 too. */
static void magnitude_bounds_what_cancels(void **state)
{
    const hone_expectation *e = &f.problem->checks[0].expected[HONE_PASS_REALS];
    const double *value = (const double *)(uintptr_t)e->value.data;
    const double *magnitude = (const double *)(uintptr_t)e->magnitude.data;
    const float *x =
        (const float *)(uintptr_t)f.problem->pristine[HONE_PASS_REALS][1].data;
    const float *y =
        (const float *)(uintptr_t)f.problem->pristine[HONE_PASS_REALS][2].data;
    float alpha;
    int n_cancel = 0;

    (void)state;
    memcpy(&alpha, &f.problem->scalar[HONE_PASS_REALS][0], sizeof alpha);
    assert_int_equal(e->count, GPU_FIXTURE_N);
    for (int i = 0; i < GPU_FIXTURE_N; ++i) {
        const double a = fabs((double)alpha * (double)x[i]);
        const double b = fabs((double)y[i]);

        assert_true(fabs(value[i] -
                         ((double)alpha * (double)x[i] + (double)y[i])) < 1e-5);
        assert_true(magnitude[i] >= sqrt(2 * a * a + b * b));
        assert_true(magnitude[i] <= 20 * (2 * a + b));
        n_cancel += fabs(value[i]) < 0.01 * (a + b);
    }
    assert_true(n_cancel > 0);
    /* On integers there is no bound, and one run. */
    assert_int_equal(
        f.problem->checks[0].expected[HONE_PASS_EXACT].magnitude.base, 0);
    assert_int_equal(n_plain, 2 + HONE_MAGNITUDE_RUNS);
}

static void refuses_the_problem(void **state)
{
    hone_error err = {.status = HONE_OK};

    (void)state;
    teardown(NULL);
    assert_int_equal(open_with("f32", 1, &err), HONE_OK);
    assert_int_equal(plain_n[0], 0);
    if (!strstr(f.problem->checks[0].skipped, "n % 2 == 1"))
        fail_msg("%s", f.problem->checks[0].skipped);
    assert_int_equal(f.problem->checks[0].expected[HONE_PASS_REALS].count, 0);
    assert_int_equal(gpu_fixture_try(&f, WRONG).outcome, HONE_OUTCOME_OK);
    /* Or the parent found out before. */
    hone__problem_close(f.problem);
    (void)snprintf(others.items[0].why, sizeof others.items[0].why,
                   "no such type");
    assert_int_equal(hone__problem_open(&f.device, &f.setup, f.problem, &err),
                     HONE_OK);
    assert_string_equal(f.problem->checks[0].skipped, "no such type");
}

static void takes_other_arguments(void **state)
{
    hone_error err = {.status = HONE_OK};

    (void)state;
    teardown(NULL);
    assert_int_equal(open_with("f64", 0, &err), HONE_ERR_INPUT);
    assert_string_equal(err.text,
                        "plain.cu:7: template.plain: its argument 'x' is "
                        "f64[1000] here, and that of plain is f32[1000]");
}

/* ---- in a final ---------------------------------------------------------
 */

static hone_final_report *final_of(fake_kernel_run *run)
{
    static hone_final_report report;
    hone_final_request *request = calloc(1, sizeof *request);
    FILE *answers = tmpfile();
    hone_edge_shapes shapes = {.device = &f.device, .setup = &f.setup};
    hone_error err = {.status = HONE_OK};
    hone_text payload = {0};
    uint32_t kind = 0;
    hone_unpack in;

    assert_non_null(request);
    assert_non_null(answers);
    (void)fake_gpu_kernel("plain", run, 5, 9000);
    request->n_entries = 1;
    request->entries[0] =
        (hone_final_entry){.job = f.job, .keep = 1, .wants_series = 1};
    hone__final_request_pack(&payload, request);
    in = (hone_unpack){payload.data, payload.data + payload.length, 0};
    if (hone__final_answer(f.problem, &shapes, &in, fileno(answers), &err))
        fail_msg("%s", err.text);
    hone__edge_shapes_forget(&shapes);
    rewind(answers);
    while (kind != HONE_DEVICE_RANKED &&
           hone__message_receive(fileno(answers), &kind, &payload, NULL) ==
               HONE_OK) {
    }
    assert_int_equal(kind, HONE_DEVICE_RANKED);
    in = (hone_unpack){payload.data, payload.data + payload.length, 0};
    {
        size_t size_bytes = 0;
        const void *bytes = hone__unpack_bytes(&in, &size_bytes);

        assert_int_equal(size_bytes, sizeof report);
        memcpy(&report, bytes, sizeof report);
    }
    hone__text_free(&payload);
    (void)fclose(answers);
    free(request);
    return &report;
}

static void is_a_baseline(void **state)
{
    const hone_final_report *report;

    (void)state;
    axpy_defect = GOOD;
    report = final_of(run_plain);
    assert_int_equal(report->n, 2);
    assert_int_equal(report->winner, 0);
    assert_int_equal(report->items[1].id, -1);
    assert_int_equal(report->items[1].outcome, HONE_OUTCOME_OK);
    assert_string_equal(report->items[1].message, "");
    assert_string_equal(report->items[1].label, "template.plain");
    assert_int_equal(report->items[1].n_algorithms, 1);
    assert_true(report->items[1].time_ns > 8500 &&
                report->items[1].time_ns < 9500);
    assert_true(report->items[1].time_ns > report->items[0].time_ns);
    assert_int_equal(report->items[1].n_series, HONE_SERIES_SAMPLES);
    /* On the edge shapes it was a reference, here it ran last. */
    assert_int_equal(plain_n[0], GPU_FIXTURE_N);
}

/* Right as a reference of the edge shapes. */
static void run_wrong_here(void **params)
{
    plain_is_wrong = *(int64_t *)params[3] == GPU_FIXTURE_N;
    run_plain(params);
    plain_is_wrong = 0;
}

static void a_baseline_may_differ_or_refuse(void **state)
{
    const hone_final_report *report;

    (void)state;
    axpy_defect = GOOD;
    /* The references are made; now it does something else. */
    report = final_of(run_wrong_here);
    assert_int_equal(report->items[1].outcome, HONE_OUTCOME_OK);
    assert_non_null(strstr(report->items[1].message, "differ"));
    assert_int_equal(report->winner, 0);
    (void)snprintf(others.items[0].why, sizeof others.items[0].why,
                   "not this size");
    report = final_of(run_plain);
    assert_int_equal(report->items[1].outcome, HONE_OUTCOME_CONSTRAINT);
    assert_string_equal(report->items[1].message, "not this size");
    assert_int_equal(report->winner, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(judges_variants, setup, teardown),
        cmocka_unit_test_setup_teardown(magnitude_bounds_what_cancels, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(refuses_the_problem, setup, teardown),
        cmocka_unit_test_setup_teardown(takes_other_arguments, setup, teardown),
        cmocka_unit_test_setup_teardown(is_a_baseline, setup, teardown),
        cmocka_unit_test_setup_teardown(a_baseline_may_differ_or_refuse, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
