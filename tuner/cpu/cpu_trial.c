/* SPDX-License-Identifier: Apache-2.0 */
/* One trial on the cpu device: load, verify, then time. */
#include "tuner/cpu/cpu_worker.h"

#include "tuner/judge/trial_race.h"

#include <stdio.h>
#include <string.h>

static const double most_seconds = 0.5; /* of timing per trial */

hone_status hone__cpu_time(hone_cpu_problem *problem, hone_subject subject,
                           int n, double *out_ns, hone_error *err)
{
    void *pointers[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];

    hone__cpu_problem_prepare(problem, HONE_PASS_REALS, pointers, args);
    for (int i = -1; i < n; ++i) { /* the first warms up */
        const double start_s = hone__now_s();

        HONE_TRY(subject.enqueue(subject.user, args, NULL, err));
        if (i >= 0)
            out_ns[i] = 1e9 * (hone__now_s() - start_s);
    }
    return HONE_OK;
}

/* What a sample needs: the arguments stay as the first run left them. */
typedef struct timed {
    hone_subject subject;
    void *pointers[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];
} timed;

static hone_status take_sample(void *user, double *out_ns, hone_error *err)
{
    timed *t = user;
    const double start_s = hone__now_s();

    HONE_TRY(t->subject.enqueue(t->subject.user, t->args, NULL, err));
    *out_ns = 1e9 * (hone__now_s() - start_s);
    return HONE_OK;
}

static hone_status time_variant(hone_cpu_problem *problem, hone_subject subject,
                                const hone_trial_job *job,
                                hone_trial_report *report, hone_error *err)
{
    timed t = {.subject = subject};
    const hone_sample_source source = {take_sample, NULL, &t, most_seconds, 1};
    double ignored;

    report->n_launches = 1;
    hone__cpu_problem_prepare(problem, HONE_PASS_REALS, t.pointers, t.args);
    HONE_TRY(take_sample(&t, &ignored, err)); /* to warm up */
    HONE_TRY(hone__trial_race(job, &source, report, err));
    hone__trial_check(
        &(hone_selfcheck){.time_ns = report->time_ns, .n_launches = 1}, report);
    return HONE_OK;
}

/* Verify, time, and look once more at what the executions left behind. */
static hone_status judge(hone_cpu_problem *problem, hone_cpu_variant *variant,
                         const hone_trial_job *job, hone_trial_report *report,
                         hone_error *err)
{
    const hone_subject subject = hone__cpu_variant_subject(variant);
    const hone_cpu_block *blocks = variant->workspaces;
    const size_t n_blocks = variant->resolved.n_workspaces;
    hone_verdict verdict;

    HONE_TRY(
        hone__cpu_verify(problem, subject, blocks, n_blocks, &verdict, err));
    hone__trial_take_verdict(report, &verdict);
    if (report->outcome != HONE_OUTCOME_OK)
        return HONE_OK;
    HONE_TRY(time_variant(problem, subject, job, report, err));
    HONE_TRY(hone__cpu_verify_again(
        problem, subject, blocks, n_blocks,
        report->outcome != HONE_OUTCOME_OK || report->screened, &verdict, err));
    hone__trial_take_verdict(report, &verdict);
    return HONE_OK;
}

hone_status hone__cpu_trial_run(hone_cpu_problem *problem,
                                const hone_trial_job *job,
                                hone_trial_report *out, hone_error *err)
{
    const double start_s = hone__now_s();
    hone_cpu_variant variant;
    hone_status status;

    memset(out, 0, sizeof *out);
    out->id = job->id;
    out->sm_clock_mhz = -1;
    if (hone__cpu_variant_load(problem, job->launch_spec, job->cubin,
                               job->cubin_bytes, &variant, err) != HONE_OK) {
        out->outcome = hone__outcome_of(err);
        (void)snprintf(out->message, sizeof out->message, "%.300s", err->text);
        return HONE_OK;
    }
    status = judge(problem, &variant, job, out, err);
    hone__cpu_variant_unload(&variant);
    out->gpu_s = hone__now_s() - start_s;
    return status;
}
