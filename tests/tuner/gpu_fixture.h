/* SPDX-License-Identifier: Apache-2.0 */
/* A problem on the fake GPU: y = alpha*x + y over n elements, checked by a
 * CPU reference, and a kernel that a test makes misbehave. */
#ifndef HONE_TESTS_GPU_FIXTURE_H
#define HONE_TESTS_GPU_FIXTURE_H

#include "tests/tuner/fake_gpu.h"
#include "tuner/gpu_worker.h"

/* What is wrong with the kernel, if anything. */
typedef enum defect {
    GOOD,
    WRONG,
    WRONG_LATER,      /* from run `gpu_defect_from` on */
    CHANGES_INPUT,    /* one element of x */
    WRITES_BEHIND,    /* one byte behind y */
    WRITES_ELSEWHERE, /* one byte at gpu_victim, from gpu_defect_from on */
    DIRTY_WORKSPACE   /* leaves its ticket counted, and trips over it after
                         gpu_defect_from runs */
} defect;

extern defect gpu_defect;
extern long gpu_defect_from;
extern hone_cu_ptr gpu_victim;
extern char gpu_damage; /* is written there */
/* The last 8 addresses of x that the kernel got. */
extern const float *gpu_seen[8];

typedef struct gpu_fixture {
    hone_gpu device;
    hone_problem *problem;
    hone_problem_setup setup;
    hone_template *tmpl;
    hone_text spec;
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
/* One trial of a variant with this defect. */
hone_trial_report gpu_fixture_try(gpu_fixture *f, defect d);

#endif
