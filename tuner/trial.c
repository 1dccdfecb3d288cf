/* SPDX-License-Identifier: Apache-2.0 */
/* One trial in the GPU worker: load, verify, then time; and its messages. */
#include "tuner/awkward.h"
#include "tuner/gpu_worker.h"
#include "tuner/verify.h"

#include <stdio.h>
#include <string.h>

/* Samples: two screen a variant against the best so far (replayed on
 * recorded spaces, dropping at 1.1x costs no regret where times spread;
 * 1.25x leaves room for the noise of two samples), the others get eight. */
enum { N_SCREEN = 2, N_SAMPLES = 8, N_RETRY = 24 };
static const double screen_ratio = 1.25;
static const double most_seconds = 1.0; /* of timing per trial */

void hone__trial_job_pack(hone_text *out, const hone_trial_job *job)
{
    hone__pack_i64(out, job->id);
    hone__pack_string(out, job->launch_spec);
    hone__pack_bytes(out, job->cubin, job->cubin_bytes);
    hone__pack_f64(out, job->incumbent_ns);
}

void hone__trial_job_unpack(hone_unpack *in, hone_trial_job *out)
{
    out->id = hone__unpack_i64(in);
    out->launch_spec = hone__unpack_string(in);
    out->cubin = hone__unpack_bytes(in, &out->cubin_bytes);
    out->incumbent_ns = hone__unpack_f64(in);
}

void hone__trial_report_pack(hone_text *out, const hone_trial_report *report)
{
    hone__pack_bytes(out, report, sizeof *report);
}

void hone__trial_report_unpack(hone_unpack *in, hone_trial_report *out)
{
    size_t size_bytes = 0;
    const void *bytes = hone__unpack_bytes(in, &size_bytes);

    memset(out, 0, sizeof *out);
    if (size_bytes == sizeof *out)
        memcpy(out, bytes, sizeof *out);
    else
        in->broken = 1;
}

static hone_status take_samples(hone_timer *timer, hone_trial_report *report,
                                int until, double deadline_s, hone_error *err)
{
    while (report->n_samples < until && report->n_samples < HONE_MAX_SAMPLES) {
        HONE_TRY(hone__timer_sample(
            timer, &report->samples_ns[report->n_samples], err));
        ++report->n_samples;
        if (report->n_samples >= N_SCREEN && hone__now_s() > deadline_s)
            break;
    }
    return HONE_OK;
}

static void summarise(hone_trial_report *report)
{
    double sorted[HONE_MAX_SAMPLES];
    const size_t n = (size_t)report->n_samples;

    memcpy(sorted, report->samples_ns, n * sizeof sorted[0]);
    report->time_ns = hone__median(sorted, n);
    report->spread_ns = hone__half_iqr(sorted, n);
}

/* More samples for a variant whose times scatter; if they still do, the
 * number is not worth anything. A quarter of the median is far above what a
 * steady kernel shows (below 2 % here). */
static hone_status settle(hone_timer *timer, hone_trial_report *report,
                          double deadline_s, hone_error *err)
{
    if (report->n_samples < N_SAMPLES ||
        report->spread_ns <= 0.25 * report->time_ns)
        return HONE_OK;
    HONE_TRY(take_samples(timer, report, N_RETRY, deadline_s, err));
    summarise(report);
    if (report->spread_ns > 0.25 * report->time_ns) {
        report->outcome = HONE_OUTCOME_UNSTABLE;
        (void)snprintf(report->message, sizeof report->message,
                       "the time scatters by %.0f %% over %d samples",
                       100 * report->spread_ns / report->time_ns,
                       report->n_samples);
    }
    return HONE_OK;
}

static hone_status time_variant(hone_problem *problem, hone_subject subject,
                                double incumbent_ns, hone_trial_report *report,
                                hone_error *err)
{
    const double deadline_s = hone__now_s() + most_seconds;
    hone_timer timer;
    hone_status status = hone__timer_open(problem, subject, &timer, err);

    if (status != HONE_OK)
        return status;
    report->n_launches = timer.n_launches;
    status = take_samples(&timer, report, N_SCREEN, deadline_s, err);
    if (status == HONE_OK)
        summarise(report);
    if (status == HONE_OK && (incumbent_ns <= 0 ||
                              report->time_ns < screen_ratio * incumbent_ns)) {
        status = take_samples(&timer, report, N_SAMPLES, deadline_s, err);
        if (status == HONE_OK) {
            summarise(report);
            status = settle(&timer, report, deadline_s, err);
        }
    }
    hone__timer_close(&timer);
    return status;
}

static void read_clocks(hone_problem *problem, hone_trial_report *report)
{
    hone_nvml_sample sample;

    hone__nvml_sample(problem->device->nvml, &sample);
    report->sm_clock_mhz = sample.sm_clock_mhz;
    report->power_mw = sample.power_mw;
    report->temperature_c = sample.temperature_c;
    report->clock_reasons = sample.clock_reasons;
}

/* Failures of a variant's own launches while it is timed. */
static hone_status as_outcome(hone_status status, hone_trial_report *report,
                              hone_error *err)
{
    if (status == HONE_OK || status != HONE_ERR_CUDA)
        return status;
    report->outcome = hone__outcome_of(err);
    (void)snprintf(report->message, sizeof report->message, "%.300s",
                   err->text);
    return HONE_OK;
}

hone_status hone__trial_run(hone_problem *problem, const hone_trial_job *job,
                            hone_trial_report *out, hone_error *err)
{
    const double start_s = hone__now_s();
    hone_verdict verdict;
    hone_variant variant;
    hone_subject subject;
    hone_status status;

    memset(out, 0, sizeof *out);
    out->id = job->id;
    read_clocks(problem, out);
    if (hone__variant_load(problem->device, job->launch_spec, job->cubin,
                           job->cubin_bytes, problem->resolved.dims,
                           problem->resolved.n_dims, &variant, &out->outcome,
                           err) != HONE_OK) {
        (void)snprintf(out->message, sizeof out->message, "%.300s",
                       err->text);
        out->gpu_s = hone__now_s() - start_s;
        return HONE_OK;
    }
    subject = hone__variant_subject(&variant);
    status = hone__verify(problem, subject, variant.workspaces,
                          variant.resolved.n_workspaces, &verdict, err);
    if (status == HONE_OK) {
        out->outcome = verdict.outcome;
        out->error_ratio = verdict.error_ratio;
        out->verified = verdict.n_compared > 0;
        memcpy(out->message, verdict.message, sizeof out->message);
    }
    if (status == HONE_OK && out->outcome == HONE_OUTCOME_OK)
        status = time_variant(problem, subject, job->incumbent_ns, out, err);
    status = as_outcome(status, out, err);
    if (out->outcome != HONE_OUTCOME_FAULT) { /* else the context is gone */
        read_clocks(problem, out);
        hone__variant_unload(&variant);
    }
    out->gpu_s = hone__now_s() - start_s;
    return status;
}

hone_status hone__trial_verify(hone_problem *problem,
                               const hone_problem_setup *setup,
                               const hone_trial_job *job,
                               hone_trial_report *out, hone_error *err)
{
    hone_verdict verdict;

    memset(out, 0, sizeof *out);
    out->id = job->id;
    out->sm_clock_mhz = -1;
    HONE_TRY(hone__awkward_verify(problem->device, setup, job, &verdict, err));
    out->outcome = verdict.outcome;
    out->error_ratio = verdict.error_ratio;
    out->verified = verdict.n_compared > 0;
    memcpy(out->message, verdict.message, sizeof out->message);
    return HONE_OK;
}
