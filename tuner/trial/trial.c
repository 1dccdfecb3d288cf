/* SPDX-License-Identifier: Apache-2.0 */
/* See trial.h. */
#include "tuner/trial/trial.h"
#include "tuner/device/machine_fault.h"

#include "tuner/judge/samples.h"
#include "tuner/process/worker.h"
#include "tuner/trial/timer.h"
#include "tuner/trial/verify.h"

#include <stdio.h>
#include <string.h>

static hone_status take_sample(void *user, double *out_ns, hone_error *err)
{
    return hone__timer_sample(user, out_ns, err);
}

static int64_t slowed(void *user)
{
    const hone_timer *timer = user;

    return timer->device->kind->slowed(timer->device);
}

static void check_time(const hone_problem *problem, const hone_variant *variant,
                       hone_trial_report *report)
{
    const hone_selfcheck check = {.time_ns = report->time_ns,
                                  .n_launches = report->n_launches,
                                  .event_floor_ns =
                                      problem->device->event_floor_ns,
                                  .bytes = (double)variant->resolved.bytes,
                                  .flops = (double)variant->resolved.flops,
                                  .in_cache = hone__problem_in_cache(problem),
                                  .peak = hone__problem_roofline(problem)};

    hone__trial_check(&check, report);
}

static hone_status time_variant(hone_problem *problem, hone_variant *variant,
                                const hone_trial_job *job, double began_s,
                                double run_ns, hone_trial_report *report,
                                hone_error *err)
{
    hone_timer timer;
    const hone_device_kind *kind = problem->device->kind;
    const hone_sample_source source = {
        take_sample,     kind->slowed ? slowed : NULL,
        &timer,          kind->trial_s,
        kind->is_shared, began_s};
    hone_status status;

    HONE_TRY(hone__timer_open(problem, hone__variant_subject(variant), run_ns,
                              &timer, err));
    report->n_launches = timer.n_launches;
    report->timing = (int)timer.timing;
    status = hone__trial_race(job, &source, report, err);
    if (status == HONE_OK)
        check_time(problem, variant, report);
    hone__timer_close(&timer);
    return status;
}

/* Verify, time, and look once more at what the executions left behind. */
static hone_status judge(hone_problem *problem, hone_variant *variant,
                         const hone_trial_job *job, double began_s,
                         hone_trial_report *report, hone_error *err)
{
    /* All of them would take longer than the samples do. */
    enum { PLACES_OF_A_TRIAL = 4 };
    hone_verdict verdict;

    HONE_TRY(hone__verify(problem, hone__variant_subject(variant),
                          HONE_VERIFY_FIRST, &verdict, err));
    hone__trial_take_verdict(report, &verdict);
    if (report->outcome != HONE_OUTCOME_OK)
        return HONE_OK;
    HONE_TRY(hone__variant_spread(variant, PLACES_OF_A_TRIAL, err));
    /* The first run of a library's function loads its kernels, and says nothing
     * of how long the others take. */
    HONE_TRY(time_variant(problem, variant, job, began_s,
                          variant->resolved.vendor ? 0 : verdict.run_ns, report,
                          err));
    HONE_TRY(
        hone__verify(problem, hone__variant_subject(variant),
                     report->outcome == HONE_OUTCOME_OK && !report->screened
                         ? HONE_VERIFY_AGAIN
                         : HONE_VERIFY_MEMORY,
                     &verdict, err));
    hone__trial_take_verdict(report, &verdict);
    return HONE_OK;
}

/* Failures of a variant's own launches and allocations. */
static hone_status as_outcome(hone_status status, hone_trial_report *report,
                              hone_error *err)
{
    if (status == HONE_OK ||
        (status != HONE_ERR_CUDA && status != HONE_ERR_KERNEL &&
         err->domain != HONE_DOMAIN_CUDA) ||
        hone__machine_fault(err))
        return status;
    report->outcome = hone__outcome_of(err);
    (void)snprintf(report->message, sizeof report->message, "%.300s",
                   err->text);
    return HONE_OK;
}

/* What exactly the library runs, for the plan that is stored; and whether it
 * proposes as many algorithms as were asked for. */
static hone_status settle_vendor(const hone_problem *problem,
                                 const hone_variant *variant,
                                 hone_trial_report *out, hone_error *err)
{
    const hone_vendor_algorithm *asked = variant->resolved.vendor;
    hone_vendor_algorithm list[HONE_VENDOR_MOST_ALGORITHMS];
    hone_vendors *vendors = NULL;
    hone_text lines = {0};
    size_t n = 0;
    hone_status status;

    if (!asked)
        return HONE_OK;
    HONE_TRY(hone__device_vendors(problem->device, &vendors, err));
    HONE_TRY(hone__vendor_algorithms(
        vendors, asked->function, problem->tmpl->op, &variant->resolved, list,
        HONE_VENDOR_MOST_ALGORITHMS, &n, err));
    if (asked->rank >= (int64_t)n) {
        out->outcome = HONE_OUTCOME_LIMITS;
        (void)snprintf(out->message, sizeof out->message,
                       "the library of %s proposes %zu algorithms for this "
                       "problem",
                       asked->function, n);
        return HONE_OK;
    }
    hone__vendor_lines(&list[asked->rank], &lines);
    (void)snprintf(out->vendor, sizeof out->vendor, "%s",
                   hone__text_str(&lines));
    status = hone__text_check(&lines, err);
    hone__text_free(&lines);
    return status;
}

hone_status hone__trial_run(hone_problem *problem, const hone_trial_job *job,
                            hone_trial_report *out, hone_error *err)
{
    const double start_s = hone__now_s();
    hone_variant variant;
    hone_status status;

    memset(out, 0, sizeof *out);
    out->id = job->id;
    hone__device_clocks(problem->device, &out->clocks);
    status = hone__variant_load(problem->device, job->spec, job->cubin,
                                job->cubin_bytes, problem->resolved.dims,
                                problem->resolved.n_dims, &variant, err);
    if (status != HONE_OK && hone__machine_fault(err))
        return status;
    if (status != HONE_OK) {
        out->outcome = hone__outcome_of(err);
        (void)snprintf(out->message, sizeof out->message, "%.300s", err->text);
        out->leaving = out->outcome == HONE_OUTCOME_FAULT;
        out->device_s = hone__now_s() - start_s;
        return HONE_OK;
    }
    status = settle_vendor(problem, &variant, out, err);
    if (status == HONE_OK && out->outcome == HONE_OUTCOME_OK)
        status = judge(problem, &variant, job, start_s, out, err);
    status = as_outcome(status, out, err);
    if (status == HONE_OK && out->outcome == HONE_OUTCOME_FAULT &&
        hone__device_is_lost(problem->device))
        return hone__fail_native(
            err, HONE_ERR_CUDA, HONE_DOMAIN_CUDA, HONE_CARD_IS_GONE,
            "NVML does not find the card any more: %s", out->message);
    if (out->outcome == HONE_OUTCOME_FAULT) { /* the context is gone */
        out->leaving = 1;
    } else {
        hone__device_clocks(problem->device, &out->clocks);
        hone__variant_unload(&variant);
    }
    out->device_s = hone__now_s() - start_s;
    return status;
}
