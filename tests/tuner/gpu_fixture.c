/* SPDX-License-Identifier: Apache-2.0 */
/* See gpu_fixture.h. */
#include "tests/tuner/gpu_fixture.h"

#include "gen/expand.h"
#include "tuner/default_plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

defect gpu_defect;
long gpu_defect_from;
hone_cu_ptr gpu_victim;
char gpu_damage;
const float *gpu_seen[8];

static const char head[] =
    "#pragma hone op axpy(n) \"y = alpha*x + y\"\n"
    "#pragma hone arg alpha: f32, x: in f32[n], y: inout f32[n]\n"
    "#pragma hone param A in {1}\n"
    "#pragma hone workspace ticket: i64[%s] zero\n"
    "#pragma hone launch axpy grid(ceildiv(n,256)) block(256)"
    " args(alpha, x, y, ticket, i64(n))\n"
    "#pragma hone work flops(2*n) bytes(12*n)\n"
    "%s%s\n"
    "extern \"C\" __global__ void axpy() {}\n";

static void misbehave(float *x, float *y, int64_t *ticket, int64_t n,
                      long run)
{
    const int later = run >= gpu_defect_from;

    switch (gpu_defect) {
    case WRONG:
        y[n / 2] += 1;
        break;
    case WRONG_LATER:
        y[n / 2] += (float)later;
        break;
    case CHANGES_INPUT:
        x[7] += 1;
        break;
    case WRITES_BEHIND:
        ((char *)(y + n))[5] = 1;
        break;
    case WRITES_ELSEWHERE:
        if (later)
            *(char *)(uintptr_t)gpu_victim = gpu_damage;
        break;
    case DIRTY_WORKSPACE:
        y[0] += (float)(++*ticket > gpu_defect_from);
        break;
    default:
        break;
    }
}

static void run_axpy(void **params)
{
    float *const x = (float *)(uintptr_t)*(hone_cu_ptr *)params[1];
    float *const y = (float *)(uintptr_t)*(hone_cu_ptr *)params[2];
    int64_t *const ticket = (int64_t *)(uintptr_t)*(hone_cu_ptr *)params[3];
    const int64_t n = *(int64_t *)params[4];
    float alpha;

    memcpy(&alpha, params[0], sizeof alpha);
    for (int64_t i = 0; i < n; ++i)
        y[i] = alpha * x[i] + y[i];
    misbehave(x, y, ticket, n, fake_gpu_find("axpy")->n_runs);
    gpu_seen[fake_gpu_find("axpy")->n_runs % 8] = x;
}

static void reference(const int64_t *dims, const void *const *args,
                      int64_t first, int64_t count, double *value,
                      double *magnitude)
{
    float alpha;

    (void)dims;
    memcpy(&alpha, args[0], sizeof alpha);
    for (int64_t i = 0; i < count; ++i) {
        const double x = ((const float *)args[1])[first + i];
        const double y = ((const float *)args[2])[first + i];

        value[i] = (double)alpha * x + y;
        magnitude[i] = fabs((double)alpha * x) + fabs(y);
    }
}

static double cost(const int64_t *dims)
{
    (void)dims;
    return 2;
}

static const hone_reference references[] = {{"axpy", reference, cost}};

static void parse(gpu_fixture *f, const char *check, const char *ticket)
{
    hone_diagnostics diagnostics = {0, NULL};
    hone_error err = {.status = HONE_OK};
    hone_space *space = NULL;
    int64_t index = 0;
    char text[2048];

    (void)snprintf(text, sizeof text, head, ticket,
                   check[0] ? "#pragma hone " : "", check);
    assert_int_equal(hone__template_parse("axpy.cu", text, strlen(text),
                                          &f->tmpl, &diagnostics, &err),
                     HONE_OK);
    assert_int_equal(hone__space_create(f->tmpl, f->dims, &f->device.facts,
                                        &space, &err),
                     HONE_OK);
    assert_int_equal(hone__default_plan(f->tmpl, space, &index, &f->spec,
                                        &err),
                     HONE_OK);
    hone__space_free(space);
}

hone_status gpu_fixture_open(gpu_fixture *f, const char *check,
                             const char *ticket, int64_t l2_bytes,
                             hone_error *err)
{
    gpu_defect = GOOD;
    gpu_defect_from = 0;
    gpu_victim = 0;
    f->dims[0] = GPU_FIXTURE_N;
    f->kernel = fake_gpu_kernel("axpy", run_axpy, 5, 5000);
    fake_gpu_open(&f->device, l2_bytes);
    parse(f, check, ticket);
    f->problem = calloc(1, sizeof *f->problem);
    f->setup = (hone_problem_setup){.tmpl = f->tmpl,
                                    .launch_spec = hone__text_str(&f->spec),
                                    .dims = f->dims,
                                    .mode = HONE_MODE_COLD,
                                    .want_sets = 1,
                                    .seed = 1,
                                    .references = references,
                                    .n_references = 1};
    f->job = (hone_trial_job){.id = 3,
                              .launch_spec = hone__text_str(&f->spec),
                              .cubin = "cubin",
                              .cubin_bytes = 6};
    return hone__problem_open(&f->device, &f->setup, f->problem, err);
}

void gpu_fixture_setup(gpu_fixture *f)
{
    hone_error err = {.status = HONE_OK};

    fake_gpu_reset();
    memset(f, 0, sizeof *f);
    if (gpu_fixture_open(f, "check cpu.axpy tolerance(4) exact(8)", "1",
                         20000, &err) != HONE_OK)
        fail_msg("%s", err.text);
}

void gpu_fixture_close(gpu_fixture *f)
{
    if (f->problem->device)
        hone__problem_close(f->problem);
    free(f->problem);
    hone__device_close(&f->device);
    hone__text_free(&f->spec);
    hone__template_free(f->tmpl);
    memset(f, 0, sizeof *f);
    assert_int_equal(fake_gpu_live_bytes, 0);
    assert_int_equal(fake_gpu_live_graphs, 0);
    assert_int_equal(fake_driver_live, 0);
}

hone_trial_report gpu_fixture_try(gpu_fixture *f, defect d)
{
    hone_trial_report report;
    hone_error err = {.status = HONE_OK};

    gpu_defect = d;
    f->kernel->n_runs = 0;
    if (hone__trial_run(f->problem, &f->job, &report, &err) != HONE_OK)
        fail_msg("%s", err.text);
    assert_int_equal(report.id, f->job.id);
    return report;
}
