/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's side of the device's worker: jobs to it, reports from it. */
#include "tuner/trial/device_worker.h"
#include "tuner/device/machine_fault.h"
#include "tuner/session/tune_state.h"

#include <stdio.h>
#include <string.h>

enum {
    SETUP_TIMEOUT_S = 180, /* inputs and references of large problems */
    MAX_MACHINE_FAULTS = 3 /* before the run ends */
};

double hone__tune_trial_timeout_s(const hone_tune_run *run)
{
    return run->request->trial_timeout_s > 0 ? run->request->trial_timeout_s
                                             : 10;
}

hone_status hone__tune_worker_start(hone_tune_run *run, hone_tune_worker *w,
                                    hone_error *err)
{
    w->is_ready = 0;
    w->gave_up = w->leaves = 0;
    w->reference[0] = '\0';
    w->n_answered = 0;
    w->deadline_s = run->clock_s + SETUP_TIMEOUT_S;
    HONE_TRY(hone__worker_start(&w->process, hone__device_worker, &w->setup,
                                run->worker_log ? fileno(run->worker_log) : -1,
                                err));
    hone__worker_widen(&w->process);
    return HONE_OK;
}

/* A worker that is gone already is found by the pump. */
static hone_status tell_worker(hone_tune_worker *w, uint32_t kind,
                               const hone_text *payload, hone_error *err)
{
    const hone_status status =
        hone__worker_send(&w->process, kind, payload, err);

    return status == HONE_ERR_IO ? HONE_OK : status;
}

hone_status hone__tune_worker_code(hone_tune_run *run, hone_error *err)
{
    hone_tune_worker *const w = &run->workers[0];

    if (!run->helper_kernels.done || w->setup.device_code)
        return HONE_OK;
    HONE_TRY(hone__helper_kernels_check(&run->helper_kernels, run->device.arch,
                                        err));
    w->setup.device_code = run->helper_kernels.cubin.data;
    return tell_worker(w, HONE_DEVICE_CODE_JOB, &run->helper_kernels.cubin,
                       err);
}

/* ---- to the worker ------------------------------------------------------ */

/* So many that spill may wait, whose code is in memory. */
enum { MOST_DEFERRED = 256 };

/* What spills is tried when the search has nothing better left, or comes to
 * nothing else. */
static hone_tune_job *next_job(hone_tune_run *run)
{
    const int is_last = run->exhausted && !run->compiling.n;

    if (run->queued.n)
        return hone__tune_queue_take(&run->queued);
    if (run->deferred.n && !hone__tune_is_enough(run) &&
        (is_last || run->deferred.n > MOST_DEFERRED))
        return hone__tune_queue_take(&run->deferred);
    return NULL;
}

static hone_status send_job(hone_tune_run *run, hone_tune_worker *w,
                            hone_tune_job *job, hone_error *err)
{
    const hone_trial_job wire = {.id = job->id,
                                 .launch_spec = hone__text_str(&job->spec),
                                 .cubin = job->compiled.cubin.data,
                                 .cubin_bytes = job->compiled.cubin.length,
                                 .incumbent_ns = run->progress.best_ns,
                                 .noise = hone__tune_noise_level(&run->noise),
                                 .fixed_samples = run->request->fixed_samples,
                                 .timeout_s = hone__tune_trial_timeout_s(run)};
    hone_text payload = {0};
    hone_status status;

    if (!w->trying.n)
        w->deadline_s = run->clock_s + hone__tune_trial_timeout_s(run);
    hone__tune_queue_add(&w->trying, job);
    hone__trial_job_pack(&payload, &wire);
    status = tell_worker(w,
                         run->request->verify_only || run->request->list_edges
                             ? HONE_DEVICE_VERIFY
                             : HONE_DEVICE_TRIAL,
                         &payload, err);
    hone__text_free(&payload);
    return status;
}

/* One for each, then the second: one device shall not have two and another
 * none. */
hone_status hone__tune_worker_feed(hone_tune_run *run, hone_error *err)
{
    for (int n = 1; n <= HONE_TUNE_AHEAD; ++n) {
        for (size_t i = 0; i < run->n_workers; ++i) {
            hone_tune_worker *w = &run->workers[i];
            hone_tune_job *job;

            if (!w->is_ready || w->gave_up || w->trying.n >= n)
                continue;
            job = next_job(run);
            if (!job)
                return HONE_OK;
            HONE_TRY(send_job(run, w, job, err));
        }
    }
    return HONE_OK;
}

int hone__tune_n_trying(const hone_tune_run *run)
{
    int n = 0;

    for (size_t i = 0; i < run->n_workers; ++i)
        n += run->workers[i].trying.n;
    return n;
}

/* ---- from the worker ---------------------------------------------------- */

hone_status hone__tune_finish_job(hone_tune_run *run, hone_tune_worker *w,
                                  const hone_trial_report *report,
                                  hone_error *err)
{
    hone_tune_job *job = hone__tune_queue_take(&w->trying);
    hone_status status;

    ++w->n_answered;
    w->leaves = report->leaving;
    w->deadline_s = run->clock_s + hone__tune_trial_timeout_s(run);
    if (w == run->workers)
        run->result->device_busy_s += report->device_s;
    else
        ++run->result->n_helped;
    if (report->device_s > 0)
        hone__pace_add(&run->pace.trial_s, report->device_s);
    run->result->sample_s += report->sample_s;
    run->result->n_samples += report->n_samples;
    run->result->n_discarded += report->n_discarded;
    hone__tune_noise_add(
        &run->noise, report->outcome == HONE_OUTCOME_OK ? report->time_ns : 0,
        report->spread_ns, report->n_samples);
    status = (run->request->list_edges
                  ? hone__tune_list_proved
                  : hone__tune_record_trial)(run, job, report, err);
    hone__tune_job_free(job);
    return status;
}

/* A mistake in the template, or a file that cannot be written. */
static int is_of_the_run(hone_status status)
{
    return status == HONE_ERR_INPUT || status == HONE_ERR_IO ||
           status == HONE_ERR_UNSUPPORTED;
}

/* The machine failed, and not what ran on it: other processes may do better,
 * a few times; what was tried is tried again. */
static hone_status take_machine_fault(hone_tune_run *run, hone_tune_worker *w,
                                      const hone_error *found, hone_error *err)
{
    char text[512];

    if (++w->n_machine_faults < MAX_MACHINE_FAULTS) {
        (void)snprintf(text, sizeof text, "tried again: %s (%.300s)",
                       hone__machine_fault(found), found->text);
        ++run->result->n_retried;
        return hone__tune_record_decision(run, "retried", text, err);
    }
    return hone__fail_native(
        err, found->domain == HONE_DOMAIN_CUDA ? HONE_ERR_CUDA : HONE_ERR_IO,
        found->domain, found->native,
        "%s, which says nothing about the variants. Everything measured so "
        "far is kept; look at the device with hone doctor, then run the same "
        "command again: %.300s",
        hone__machine_fault(found), found->text);
}

/* The worker says that it cannot go on. Before it was ready, this is the
 * run's own failure, as is what is of no variant; later, the job's. */
static hone_status take_failure(hone_tune_run *run, hone_tune_worker *w,
                                hone_unpack *in, hone_error *err)
{
    hone_trial_report report = {.outcome = HONE_OUTCOME_FAULT,
                                .clocks.sm_clock_mhz = -1};
    hone_error error;

    w->gave_up = 1;
    (void)hone__unpack_error(in, &error);
    /* Before it is ready, files are those of the template. */
    if (hone__machine_fault(&error) &&
        (w->is_ready || error.domain == HONE_DOMAIN_CUDA)) {
        if (!w->is_ready) /* another one will not begin either */
            w->n_machine_faults = MAX_MACHINE_FAULTS;
        return take_machine_fault(run, w, &error, err);
    }
    if (w->reference[0] && error.domain == HONE_DOMAIN_CUDA &&
        error.status != HONE_ERR_NO_MEMORY)
        return w->n_answered
                   ? HONE_OK
                   : hone__tune_blame_reference(run, w, error.text, err);
    if (w->is_ready && w->trying.n && !is_of_the_run(error.status)) {
        (void)snprintf(report.message, sizeof report.message, "%.300s",
                       error.text);
        return hone__tune_finish_job(run, w, &report, err);
    }
    if (err)
        *err = error;
    return error.status;
}

static hone_status take_ready(hone_tune_run *run, hone_tune_worker *w,
                              hone_unpack *in, hone_error *err)
{
    hone__struct_unpack(in, &run->ready, sizeof run->ready);
    if (in->broken)
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "the device's worker's set-up report is broken");
    w->is_ready = 1;
    w->setups_failed = 0;
    if (run->ready_s <= 0)
        run->ready_s = hone__now_s();
    run->result->event_floor_ns = run->ready.event_floor_ns;
    hone__tune_note(run, run->ready.notes);
    return HONE_OK;
}

static hone_status take_message(hone_tune_run *run, hone_tune_worker *w,
                                uint32_t kind, hone_unpack *in, hone_error *err)
{
    hone_trial_report report;

    switch (kind) {
    case HONE_DEVICE_READY:
        return take_ready(run, w, in, err);
    case HONE_DEVICE_REFERENCE:
        (void)snprintf(w->reference, sizeof w->reference, "%.150s",
                       hone__unpack_string(in));
        return HONE_OK;
    case HONE_DEVICE_FAILED:
        return take_failure(run, w, in, err);
    case HONE_DEVICE_RESULT:
        hone__struct_unpack(in, &report, sizeof report);
        if (in->broken || !w->trying.n || report.id != w->trying.head->id)
            return hone__fail(err, HONE_ERR_INTERNAL,
                              "the device's worker answered something else");
        return hone__tune_finish_job(run, w, &report, err);
    default:
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "unknown answer %u of the device's worker",
                          (unsigned)kind);
    }
}

hone_status hone__tune_worker_pump(hone_tune_run *run, hone_tune_worker *w,
                                   hone_error *err)
{
    uint32_t kind = 0;
    hone_unpack in;

    while (hone__inbox_next(&w->process.inbox, &kind, &in))
        HONE_TRY(take_message(run, w, kind, &in, err));
    if (w->process.is_over)
        return hone__tune_worker_replace(run, w, HONE_OUTCOME_FAULT, err);
    if ((w->trying.n || !w->is_ready) && run->clock_s > w->deadline_s)
        return hone__tune_worker_replace(run, w, HONE_OUTCOME_TIMEOUT, err);
    return HONE_OK;
}
