/* SPDX-License-Identifier: Apache-2.0 */
/* See gpu_fixture.h. */
#include "tests/tuner/gpu_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const float *gpu_seen[8];

static void run_axpy(void **params)
{
    const long run = fake_gpu_find("axpy")->n_runs;
    float *const x = (float *)(uintptr_t) * (hone_cu_ptr *)params[1];
    float *const y = (float *)(uintptr_t) * (hone_cu_ptr *)params[2];
    int64_t *const ticket = (int64_t *)(uintptr_t) * (hone_cu_ptr *)params[3];
    float alpha;

    memcpy(&alpha, params[0], sizeof alpha);
    axpy_shared = fake_gpu_shared;
    axpy_run(alpha, x, y, ticket, *(int64_t *)params[4], run);
    gpu_seen[run % 8] = x;
}

hone_status gpu_fixture_open(gpu_fixture *f, const char *check,
                             const char *ticket, int64_t l2_bytes,
                             hone_error *err)
{
    axpy_defect = GOOD;
    axpy_defect_from = 0;
    f->dims[0] = GPU_FIXTURE_N;
    f->kernel = fake_gpu_kernel("axpy", run_axpy, 5, 5000);
    fake_gpu_open(&f->device, l2_bytes);
    f->patient = *f->device.kind;
    f->patient.trial_s = 600;
    f->device.kind = &f->patient;
    axpy_parse(check, ticket, f->dims, &f->device.properties, &f->tmpl,
               &f->text, &f->spec);
    f->problem = calloc(1, sizeof *f->problem);
    f->setup =
        (hone_problem_setup){.tmpl = f->tmpl,
                             .spec = f->spec,
                             .dims = f->dims,
                             .mode = HONE_MODE_COLD,
                             .rotation = HONE_ROTATION_TRIAL,
                             .seed = 1,
                             .references = axpy_references,
                             .n_references = 1,
                             .reference_templates = f->reference_templates};
    f->job = (hone_trial_job){.id = 3,
                              .launch_spec = hone__text_str(&f->text),
                              .spec = f->spec,
                              .cubin = "cubin",
                              .cubin_bytes = 6};
    return hone__problem_open(&f->device, &f->setup, f->problem, err);
}

void gpu_fixture_setup(gpu_fixture *f)
{
    hone_error err = {.status = HONE_OK};

    fake_gpu_reset();
    memset(f, 0, sizeof *f);
    if (gpu_fixture_open(f, "check cpu.axpy tolerance(4) exact(8)", "1", 20000,
                         &err) != HONE_OK)
        fail_msg("%s", err.text);
}

void gpu_fixture_close(gpu_fixture *f)
{
    if (f->problem->device)
        hone__problem_close(f->problem);
    free(f->problem);
    hone__device_close(&f->device);
    hone__text_free(&f->text);
    hone__launch_spec_free(f->spec);
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

    axpy_defect = d;
    f->kernel->n_runs = 0;
    if (hone__trial_run(f->problem, &f->job, &report, &err) != HONE_OK)
        fail_msg("%s", err.text);
    assert_int_equal(report.id, f->job.id);
    return report;
}

void gpu_fixture_says(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("'%s' does not say '%s'", text, words);
}
