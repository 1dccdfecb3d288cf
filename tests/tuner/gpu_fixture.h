/* SPDX-License-Identifier: Apache-2.0 */
/* The problem of axpy_fixture.h on the fake GPU. */
#ifndef HONE_TESTS_GPU_FIXTURE_H
#define HONE_TESTS_GPU_FIXTURE_H

#include "tests/tuner/axpy_fixture.h"
#include "tests/tuner/fake_gpu.h"
#include "tuner/trial/device_worker.h"
#include "tuner/trial/timer.h"
#include "tuner/trial/trial.h"

/* The last 8 addresses of x that the kernel got. */
extern const float *gpu_seen[8];

typedef struct gpu_fixture {
    hone_device device;
    hone_device_kind patient; /* its kind: all samples, however slow we are */
    hone_problem *problem;
    hone_problem_setup setup;
    const hone_reference_templates
        *reference_templates; /* what the setup gets when it is opened */
    hone_template *tmpl;
    hone_text text; /* the launch plan of the default variant */
    hone_launch_spec *spec;
    int64_t dims[1];
    fake_kernel *kernel;
    hone_trial_job job;
} gpu_fixture;

enum { GPU_FIXTURE_N = 1000, GPU_FIXTURE_BYTES = 2 * 4 * GPU_FIXTURE_N };

/* A problem in cold mode; `checks` is put behind the template, "" for none
 * ("check cpu.axpy tolerance(4) exact(8)"), `ticket` is the size of the
 * workspace as an expression. Returns the status of opening it. */
hone_status gpu_fixture_open(gpu_fixture *f, const char *check,
                             const char *ticket, int64_t l2_bytes,
                             hone_error *err);
/* The same with a check on integers and reals and a cache of 20 KB. */
void gpu_fixture_setup(gpu_fixture *f);
void gpu_fixture_close(gpu_fixture *f);
/* Fails the test where the text does not have these words. */
void gpu_fixture_says(const char *text, const char *words);
/* One trial of a variant with this defect. */
hone_trial_report gpu_fixture_try(gpu_fixture *f, defect d);

#endif
