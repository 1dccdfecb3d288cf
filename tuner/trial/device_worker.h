/* SPDX-License-Identifier: Apache-2.0 */
/* The process that owns the GPU: verifies and times variants one by one.
 * Anything may happen to it; its parent records what did and starts another.
 */
#ifndef HONE_TUNER_GPU_WORKER_H
#define HONE_TUNER_GPU_WORKER_H

#include "tuner/trial/timer.h"
#include "tuner/trial/problem.h"
#include "tuner/judge/selfcheck.h"
#include "tuner/process/worker.h"

enum {
    /* to it */
    HONE_DEVICE_TRIAL = 1,    /* hone_trial_job */
    HONE_DEVICE_FINAL = 2,    /* count, hone_trial_job .. */
    HONE_DEVICE_VERIFY = 3,   /* hone_trial_job: on edge shapes, not timed */
    HONE_DEVICE_CODE_JOB = 4, /* the cubin of device_code.cu, if it did not
                          inherit it: first of all */
    /* from it */
    HONE_DEVICE_READY = 16,  /* the problem is set up; hone_ready_report */
    HONE_DEVICE_FAILED = 17, /* hone_status, domain, native, sentence */
    HONE_DEVICE_RESULT = 18, /* hone_trial_report */
    HONE_DEVICE_RANKED = 19  /* hone_final_report, see final.h */
};

/* What it inherits by fork. */
typedef struct hone_worker_setup {
    int device;
    const void *device_code; /* cubin of device_code.cu, of a GPU; NULL: it
                                comes as HONE_DEVICE_CODE_JOB, being compiled
                                while the context is made */
    int verify_only; /* no problem is set up: only HONE_DEVICE_VERIFY comes */
    int sanitized;   /* cpu: a sanitizer watches the bounds of arrays */
    hone_timing timing; /* forced, or AUTO */
    hone_problem_setup problem;
} hone_worker_setup;

/* One variant to try. Pointers are borrowed. */
typedef struct hone_trial_job {
    int64_t id;
    const char *launch_spec;
    const void *cubin;
    size_t cubin_bytes;
    double incumbent_ns; /* best so far; 0: none */
    double noise;        /* of the session so far, see screen.h; 0: unknown */
    int fixed_samples;   /* > 0: so many, no racing */
    double timeout_s;    /* when the parent gives up; 0: 10. A trial waits for
                            a slowed card only within it */
} hone_trial_job;

typedef struct hone_trial_report {
    int64_t id;
    hone_outcome outcome;
    char message[320];
    double time_ns;
    double spread_ns;
    int n_samples;
    double samples_ns[HONE_MAX_SAMPLES];
    int n_launches; /* per sample */
    double error_ratio;
    int verified;
    int sm_clock_mhz;
    int power_mw;
    int temperature_c;
    int64_t clock_reasons;
    double gpu_s; /* spent in the worker */
    int timing;   /* hone_timing that was used; AUTO: not timed, or the cpu */
    int n_discarded;     /* samples during a slowdown, thrown away */
    int screened;        /* 1: dropped by the rule of screen.h */
    double screen_ratio; /* to the incumbent, where the rule stopped; 0: none */
    int alarm;           /* hone_alarm; not NONE: outcome unstable */
    double sample_s;     /* spent in samples, discarded ones included */
    int leaving;         /* the worker ends after this report: its memory or
                            its context is damaged, a new one must start */
} hone_trial_report;

/* What a worker says when its problem is set up. */
typedef struct hone_ready_report {
    char notes[512];       /* checks left out, a smaller set-up; "" : nothing */
    double event_floor_ns; /* of an empty sample; 0: unknown */
    double warm_up_s;
    double setup_s;    /* all of it, the warm-up included */
    int n_sets;        /* copies of the arguments that cold mode rotates */
    int n_sets_wanted; /* to cover the cache three times */
    double peak_bytes_per_s; /* of the device's memory; 0: unknown */
    double peak_flops;
} hone_ready_report;

void hone__trial_job_pack(hone_text *out, const hone_trial_job *job);
void hone__trial_job_unpack(hone_unpack *in, hone_trial_job *out);
void hone__trial_report_pack(hone_text *out, const hone_trial_report *report);
void hone__trial_report_unpack(hone_unpack *in, hone_trial_report *out);
void hone__ready_report_pack(hone_text *out, const hone_ready_report *report);
void hone__ready_report_unpack(hone_unpack *in, hone_ready_report *out);

/* `user` is a hone_worker_setup. */
int hone__device_worker(void *user, int from_parent, int to_parent);

/* What the farm compiles for one configuration: the expanded source and the
 * options for NVRTC, or a unit for the C++ compiler (host_unit.c). */
hone_status hone__variant_source(const hone_template *tmpl,
                                 const int64_t *config, const int64_t *dims,
                                 hone_backend backend, hone_text *out_source,
                                 hone_text *out_options, hone_error *err);

/* The cpu device, without asking a child process. */
void hone__host_describe(hone_device_report *out);

/* Start a worker for one answer and wait for it: HONE_DEVICE_READY with
 * `out_bytes` packed bytes, or HONE_DEVICE_FAILED (describe.c). */
hone_status hone__worker_ask(hone_worker_main *run, void *user, void *out,
                             size_t out_bytes, hone_error *err);

/* Tell the parent about an error of the worker's own. */
void hone__device_worker_failed(int to_parent, const hone_error *err);

/* Only verify a variant, on edge shapes. */
hone_status hone__trial_verify(hone_problem *problem,
                               const hone_problem_setup *setup,
                               const hone_trial_job *job,
                               hone_trial_report *out, hone_error *err);
/* Verify and time one variant (trial.c). HONE_OK with the report. */
hone_status hone__trial_run(hone_problem *problem, const hone_trial_job *job,
                            hone_trial_report *out, hone_error *err);

#endif
