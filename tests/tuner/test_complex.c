/* SPDX-License-Identifier: Apache-2.0 */
/* Complex arguments on the fake GPU: inputs, poison, guards and the bound
 * of both parts of each number, for c32 and c64. */
#include "gen/expand/expand.h"
#include "tests/tuner/fake_gpu.h"
#include "tuner/trial/device_worker.h"
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

enum { N = 700 };

/* What the kernel does wrong, to the last number. */
typedef enum defect {
    NONE,
    REAL_PART,
    IMAGINARY_PART,
    UNWRITTEN_PART,
    BEHIND,
    ROUGH /* as if the accumulation were in f32 */
} defect;

static const char text[] =
    "#pragma hone op turn(n, T in {c32, c64})\n"
    "#pragma hone arg a: T, x: in T[n], y: out T[n]\n"
    "#pragma hone param A in {1}\n"
    "#pragma hone launch turn grid(1) block(32) args(a, x, y, i64(T))\n"
    "#pragma hone check cpu.turn tolerance(4) exact(8)\n"
    "extern \"C\" __global__ void turn() {}\n";

static hone_device device;
static hone_problem *problem;
static hone_template *tmpl;
static hone_text spec;
static hone_launch_spec *plan;
static defect planted;

static void run_turn(void **params)
{
    const void *x = (const void *)(uintptr_t) * (hone_cu_ptr *)params[1];
    void *y = (void *)(uintptr_t) * (hone_cu_ptr *)params[2];
    const int64_t type = *(int64_t *)params[3];
    const int part = type == HONE_TYPE_C64 ? HONE_TYPE_F64 : HONE_TYPE_F32;
    const double re = hone__element_load(part, params[0], 0);
    const double im = hone__element_load(part, params[0], 1);

    for (int64_t i = 0; i < N; ++i) {
        const double u = hone__element_load(part, x, 2 * i);
        const double v = hone__element_load(part, x, 2 * i + 1);
        double out[2] = {re * u - im * v, re * v + im * u};

        if (planted == ROUGH)
            out[1] *= 1 + 1e-5 * (type == HONE_TYPE_C64 ? 1e-3 : 1);
        if (i == N - 1)
            out[planted == IMAGINARY_PART] +=
                planted == REAL_PART || planted == IMAGINARY_PART;
        hone__element_store(part, y, 2 * i, out[0]);
        if (planted != UNWRITTEN_PART || i != N - 1)
            hone__element_store(part, y, 2 * i + 1, out[1]);
    }
    if (planted == BEHIND)
        hone__element_store(part, y, 2 * N, 1);
}

/* Complex numbers are twice as many reals. */
static void reference(const int64_t *dims, const void *const *args,
                      int64_t first, int64_t count, double *value,
                      double *magnitude)
{
    const int part = dims[1] == HONE_TYPE_C64 ? HONE_TYPE_F64 : HONE_TYPE_F32;
    const double re = hone__element_load(part, args[0], 0);
    const double im = hone__element_load(part, args[0], 1);

    for (int64_t i = first; i < first + count; ++i) {
        const double u = hone__element_load(part, args[1], i / 2 * 2);
        const double v = hone__element_load(part, args[1], i / 2 * 2 + 1);
        const double one = i % 2 ? re * v : re * u;
        const double two = i % 2 ? im * u : -im * v;

        value[i - first] = one + two;
        magnitude[i - first] = fabs(one) + fabs(two);
    }
}

static double cost(const int64_t *dims)
{
    (void)dims;
    return 3;
}

static const hone_reference references[] = {
    {"turn", {reference}, cost, NULL, 0}};

static void open_problem(hone_type type)
{
    const int64_t dims[] = {N, type};
    const int64_t config[] = {1};
    hone_diagnostics diagnostics = {0};
    hone_error err = {.status = HONE_OK};
    hone_problem_setup of = {.dims = dims,
                             .mode = HONE_MODE_COLD,
                             .rotation = HONE_ROTATION_TRIAL,
                             .seed = 1,
                             .references = references,
                             .n_references = 1};

    fake_gpu_reset();
    (void)fake_gpu_kernel("turn", run_turn, 4, 5000);
    fake_gpu_open(&device, 20000);
    assert_int_equal(hone__template_read("turn.cu", "", text, strlen(text),
                                         &tmpl, &diagnostics, &err),
                     HONE_OK);
    assert_int_equal(hone__expand_launch_spec(tmpl, config, &spec, &err),
                     HONE_OK);
    of.tmpl = tmpl;
    assert_int_equal(
        hone__launch_spec_parse(hone__text_str(&spec), &plan, &err), HONE_OK);
    of.spec = plan;
    problem = calloc(1, sizeof *problem);
    if (hone__problem_open(&device, &of, problem, &err))
        fail_msg("%s", err.text);
}

static void close_problem(void)
{
    hone__problem_close(problem);
    free(problem);
    hone__device_close(&device);
    hone__text_free(&spec);
    hone__launch_spec_free(plan);
    hone__template_free(tmpl);
    assert_int_equal(fake_gpu_live_bytes, 0);
}

static void expect(defect d, hone_outcome outcome, const char *part)
{
    const hone_trial_job job = {.cubin = "cubin",
                                .cubin_bytes = 6,
                                .launch_spec = hone__text_str(&spec),
                                .spec = plan};
    hone_trial_report report;
    hone_error err = {.status = HONE_OK};

    planted = d;
    if (hone__trial_run(problem, &job, &report, &err) != HONE_OK)
        fail_msg("%s", err.text);
    if (report.outcome != outcome || !strstr(report.message, part))
        fail_msg("defect %d: %s: %s", (int)d,
                 hone__outcome_name(report.outcome), report.message);
}

static void both_parts(void **state)
{
    static const hone_type types[] = {HONE_TYPE_C32, HONE_TYPE_C64};

    (void)state;
    for (size_t i = 0; i < 2; ++i) {
        open_problem(types[i]);
        expect(NONE, HONE_OUTCOME_OK, "");
        expect(REAL_PART, HONE_OUTCOME_WRONG, "element 1398");
        expect(IMAGINARY_PART, HONE_OUTCOME_WRONG, "element 1399");
        expect(UNWRITTEN_PART, HONE_OUTCOME_WRONG, "never written");
        expect(BEHIND, HONE_OUTCOME_WRONG, "");
        expect(ROUGH, HONE_OUTCOME_WRONG, "");
        close_problem();
    }
}

static void scalars(void **state)
{
    hone_scalar s;
    double u = 0;
    double ulp = 0;

    (void)state;
    hone__inputs_scalar(HONE_TYPE_C64, 1, 2, HONE_PASS_REALS, 0, &s);
    assert_true(s.f64[0] >= 0.25 && s.f64[0] < 1);
    assert_true(s.f64[1] == 0.5 * s.f64[0]);
    hone__inputs_scalar(HONE_TYPE_C32, 1, 2, HONE_PASS_REALS, 0, &s);
    assert_true(s.bits[1] == 0);
    hone__check_round_off(HONE_TYPE_C64, &u, &ulp);
    assert_true(u == 0x1p-53 && ulp == 0x1p-52);
    hone__check_round_off(HONE_TYPE_C32, &u, &ulp);
    assert_true(u == 0x1p-24 && ulp == 0x1p-23);
    /* The smallest f16; its steps are in proportion above 2^-14 alone. */
    assert_true(hone__check_least(HONE_TYPE_F16) == 0x1p-24);
    assert_true(hone__check_least(HONE_TYPE_F32) == 0);
    assert_int_equal(hone__type_size_bytes(HONE_TYPE_C64), 16);
    assert_string_equal(hone__type_cpp(HONE_TYPE_C64), "double2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_parts),
        cmocka_unit_test(scalars),
    };

    return cmocka_run_group_tests_name("complex", tests, NULL, NULL);
}
