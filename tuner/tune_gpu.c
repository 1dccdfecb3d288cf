/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's side of the GPU worker: jobs to it, reports from it, and what
 * to do when it dies, hangs or cannot start. */
#include "tuner/cpu_worker.h"
#include "tuner/sanitizer_log.h"
#include "tuner/tune_state.h"

#include <stdio.h>
#include <string.h>

enum {
    SETUP_TIMEOUT_S = 180, /* inputs and references of large problems */
    MAX_SETUP_FAILURES = 3
};

static double trial_timeout_s(const hone_tune_run *run)
{
    return run->request->trial_timeout_s > 0 ? run->request->trial_timeout_s
                                             : 10;
}

hone_status hone__tune_gpu_start(hone_tune_run *run, hone_error *err)
{
    run->gpu_ready = 0;
    run->gpu_deadline_s = hone__now_s() + SETUP_TIMEOUT_S;
    return hone__worker_start(
        &run->gpu,
        run->request->farm.backend == HONE_BACKEND_CPU ? hone__cpu_worker
                                                       : hone__gpu_worker,
        &run->gpu_setup, run->worker_log ? fileno(run->worker_log) : -1, err);
}

hone_status hone__tune_gpu_feed(hone_tune_run *run, hone_error *err)
{
    hone_tune_job *job = run->queue_head;
    hone_text payload = {0};
    hone_trial_job wire;
    hone_status status;

    if (!job || run->gpu_job || !run->gpu_ready)
        return HONE_OK;
    run->queue_head = job->next;
    if (!run->queue_head)
        run->queue_tail = NULL;
    job->next = NULL;
    --run->n_queued;
    run->gpu_job = job;
    wire = (hone_trial_job){.id = job->id,
                            .launch_spec = hone__text_str(&job->spec),
                            .cubin = job->compiled.cubin.data,
                            .cubin_bytes = job->compiled.cubin.length,
                            .incumbent_ns = run->progress.best_ns};
    hone__trial_job_pack(&payload, &wire);
    status = hone__message_send(run->gpu.to,
                                run->request->verify_only ? HONE_GPU_VERIFY
                                                          : HONE_GPU_TRIAL,
                                &payload, NULL);
    hone__text_free(&payload);
    run->gpu_deadline_s = hone__now_s() + trial_timeout_s(run);
    /* A worker that is already gone is found by the pump. */
    return status == HONE_ERR_NO_MEMORY
               ? hone__fail(err, status, "out of memory")
               : HONE_OK;
}

static hone_status finish_job(hone_tune_run *run,
                              const hone_trial_report *report,
                              hone_error *err)
{
    hone_tune_job *job = run->gpu_job;
    const hone_status status =
        hone__tune_record_trial(run, job, report, err);

    run->gpu_job = NULL;
    hone__tune_job_free(job);
    return status;
}

/* The worker says that it cannot go on. Before it was ready, this is the
 * run's own failure; later, the job's. */
static hone_status take_failure(hone_tune_run *run, hone_unpack *in,
                                hone_error *err)
{
    const hone_status status = (hone_status)hone__unpack_i64(in);
    const hone_domain domain = (hone_domain)hone__unpack_i64(in);
    const int native = (int)hone__unpack_i64(in);
    const char *text = hone__unpack_string(in);
    hone_trial_report report = {.outcome = HONE_OUTCOME_FAULT,
                                .sm_clock_mhz = -1};

    if (run->gpu_ready && run->gpu_job) {
        (void)snprintf(report.message, sizeof report.message, "%.300s", text);
        return finish_job(run, &report, err);
    }
    return hone__fail_native(err, status, domain, native, "%s", text);
}

static hone_status take_message(hone_tune_run *run, uint32_t kind,
                                hone_unpack *in, hone_error *err)
{
    hone_trial_report report;
    hone_ready_report ready;

    switch (kind) {
    case HONE_GPU_READY:
        hone__ready_report_unpack(in, &ready);
        run->gpu_ready = 1;
        run->gpu_setups_failed = 0;
        (void)snprintf(run->notes, sizeof run->notes, "%.500s", ready.notes);
        return HONE_OK;
    case HONE_GPU_FAILED:
        return take_failure(run, in, err);
    case HONE_GPU_RESULT:
        hone__trial_report_unpack(in, &report);
        if (in->broken || !run->gpu_job || report.id != run->gpu_job->id)
            return hone__fail(err, HONE_ERR_INTERNAL,
                              "the GPU worker answered something else");
        return finish_job(run, &report, err);
    default:
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "unknown answer %u of the GPU worker",
                          (unsigned)kind);
    }
}

/* The worker is gone, or is killed because its time is up: that is its job's
 * outcome, and a new worker starts. */
static hone_status replace(hone_tune_run *run, hone_outcome outcome,
                           hone_error *err)
{
    hone_trial_report report = {.outcome = outcome, .sm_clock_mhz = -1};
    char how[128];

    hone__worker_stop(&run->gpu, 0, how, sizeof how);
    if (run->gpu_job) {
        if (outcome == HONE_OUTCOME_TIMEOUT)
            (void)snprintf(report.message, sizeof report.message,
                           "did not finish within %g s",
                           trial_timeout_s(run));
        else if (!run->worker_log ||
                 !hone__sanitizer_summary(run->worker_log,
                                          run->request->tmpl->path,
                                          report.message,
                                          sizeof report.message))
            (void)snprintf(report.message, sizeof report.message,
                           "the worker process ended: %s", how);
        HONE_TRY(finish_job(run, &report, err));
    } else if (!run->gpu_ready &&
               ++run->gpu_setups_failed >= MAX_SETUP_FAILURES) {
        return hone__fail(err, HONE_ERR_CUDA,
                          "the GPU does not come back: %d workers in a row "
                          "ended in their set-up (the last: %s). Everything "
                          "measured so far is kept; look at the device with "
                          "hone doctor, then run the same command again",
                          run->gpu_setups_failed, how);
    }
    return hone__tune_gpu_start(run, err);
}

hone_status hone__tune_gpu_pump(hone_tune_run *run, hone_error *err)
{
    struct pollfd ready = {run->gpu.from, POLLIN, 0};
    uint32_t kind = 0;
    hone_unpack in;

    while (poll(&ready, 1, 0) > 0) {
        const int open = hone__inbox_fill(&run->gpu.inbox, run->gpu.from);

        while (hone__inbox_next(&run->gpu.inbox, &kind, &in))
            HONE_TRY(take_message(run, kind, &in, err));
        if (!open)
            return replace(run, HONE_OUTCOME_FAULT, err);
    }
    if ((run->gpu_job || !run->gpu_ready) &&
        hone__now_s() > run->gpu_deadline_s)
        return replace(run, HONE_OUTCOME_TIMEOUT, err);
    return HONE_OK;
}
