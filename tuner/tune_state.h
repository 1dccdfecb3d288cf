/* SPDX-License-Identifier: Apache-2.0 */
/* One run of hone__tune(), shared by the files that make it up: tune.c (the
 * loop), tune_setup.c, tune_record.c (database), tune_gpu.c (the GPU worker)
 * and tune_final.c. */
#ifndef HONE_TUNER_TUNE_STATE_H
#define HONE_TUNER_TUNE_STATE_H

#include "gen/expand.h"
#include "tuner/farm.h"
#include "tuner/final.h"
#include "tuner/gpu_worker.h"
#include "tuner/search.h"
#include "tuner/tuner.h"

#include <stdio.h>

/* One variant on its way through the run. */
typedef struct hone_tune_job {
    int64_t id;
    int64_t index; /* in the space */
    hone_text config;
    hone_text source;
    hone_text options;
    hone_text spec;
    hone_compile_output compiled;
    int64_t variant_id;
    char cubin_sha256[HONE_SHA256_HEX]; /* in the database; "" if none */
    struct hone_tune_job *next; /* compiling, or in the queue for the GPU */
} hone_tune_job;

/* A verified and timed variant: what the final chooses from. */
typedef struct hone_candidate {
    int64_t index;
    int64_t trial_id;
    int64_t variant_id;
    double time_ns;
    int registers;
    char cubin_sha256[HONE_SHA256_HEX];
} hone_candidate;

typedef struct hone_tune_run {
    const hone_tune_request *request;
    hone_tune_result *result;
    double start_s;
    hone_device_report device;
    char compile_arch[16]; /* "sm_90a" where the template needs it */
    hone_space *space;
    hone_search *search;
    int64_t default_index;
    unsigned char *seen; /* a bit per configuration of the space */
    hone_farm *farm;
    hone_text device_code; /* cubin of our own kernels */
    hone_text default_spec;
    hone_text folder; /* of the template, for its own headers */
    hone_gpu_setup gpu_setup;
    hone_worker gpu;
    FILE *worker_log; /* its stderr, where a sanitizer reports; or NULL */
    int gpu_ready;
    int gpu_setups_failed; /* in a row */
    double gpu_deadline_s;
    hone_tune_job *gpu_job; /* being tried */
    hone_tune_job *queue_head;
    hone_tune_job *queue_tail;
    int n_queued;
    int64_t next_job;
    hone_tune_job *compiling; /* given to the farm, unordered */
    int n_compiling;
    /* database ids */
    int64_t device_id, template_id, problem_id, toolchain_id, session_id;
    hone_candidate *candidates;
    size_t n_candidates;
    size_t candidate_capacity;
    hone_tune_progress progress;
    char best_config[256];
    char notes[512]; /* checks that were left out */
    /* What a callback of the farm could not return. */
    hone_status pending_status;
    hone_error pending_error;
} hone_tune_run;

/* tune_setup.c */
hone_status hone__tune_setup(hone_tune_run *run, hone_error *err);
void hone__tune_teardown(hone_tune_run *run);
hone_status hone__tune_job_make(hone_tune_run *run, int64_t index,
                                hone_tune_job **out, hone_error *err);
void hone__tune_job_free(hone_tune_job *job);

/* tune_record.c */
hone_status hone__tune_record_open(hone_tune_run *run, hone_error *err);
hone_status hone__tune_record_variant(hone_tune_run *run, hone_tune_job *job,
                                      hone_error *err);
/* Store the outcome and count it. */
hone_status hone__tune_record_trial(hone_tune_run *run,
                                    const hone_tune_job *job,
                                    const hone_trial_report *report,
                                    hone_error *err);

/* tune_gpu.c */
hone_status hone__tune_gpu_start(hone_tune_run *run, hone_error *err);
hone_status hone__tune_gpu_feed(hone_tune_run *run, hone_error *err);
/* Read what the worker said; handle its death and its deadline. */
hone_status hone__tune_gpu_pump(hone_tune_run *run, hone_error *err);

/* tune_final.c */
hone_status hone__tune_final(hone_tune_run *run, hone_error *err);

void hone__tune_show_progress(hone_tune_run *run, const char *stage);
int hone__tune_stopped(const hone_tune_run *run);

#endif
