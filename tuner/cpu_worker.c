/* SPDX-License-Identifier: Apache-2.0 */
/* The worker process of the cpu device: see cpu_worker.h. */
#include "tuner/cpu_worker.h"

#include "runtime/alloc.h"
#include "tuner/trial_race.h"

#include <stdio.h>
#include <string.h>

/* ---- the final ---------------------------------------------------------- */

typedef struct runner {
    hone_finalist *item;
    hone_cpu_variant variant;
    int loaded;
    double samples_ns[HONE_FINAL_ROUNDS];
    int n_samples;
} runner;

static hone_status run_once(hone_cpu_problem *problem, runner *r, int round,
                            hone_error *err)
{
    HONE_TRY(hone__cpu_time(problem, hone__cpu_variant_subject(&r->variant), 1,
                            &r->samples_ns[round], err));
    r->n_samples = round + 1;
    return HONE_OK;
}

static void summarise(runner *r, const runner *first)
{
    double values[HONE_FINAL_ROUNDS];
    const size_t n = (size_t)r->n_samples;

    if (!n)
        return;
    memcpy(values, r->samples_ns, sizeof values);
    memcpy(r->item->rounds_ns, values, sizeof values);
    r->item->n_samples = r->n_samples;
    r->item->time_ns = hone__median(values, n);
    r->item->spread_ns = hone__half_iqr(values, n);
    hone__median_interval(values, n, &r->item->ci_low_ns,
                          &r->item->ci_high_ns);
    if (!first)
        return;
    for (size_t i = 0; i < n; ++i)
        values[i] = r->samples_ns[i] / first->samples_ns[i];
    r->item->ratio = hone__median(values, n);
    hone__median_interval(values, n, &r->item->ratio_low,
                          &r->item->ratio_high);
}

static hone_status add_runner(hone_cpu_problem *problem,
                              const hone_problem_setup *setup,
                              const hone_trial_job *job, runner *r,
                              hone_error *err)
{
    hone_verdict verdict;

    r->item->id = job->id;
    HONE_TRY(hone__cpu_awkward(setup, problem->guarded, job, &verdict, err));
    r->item->outcome = verdict.outcome;
    r->item->error_ratio = verdict.error_ratio;
    (void)snprintf(r->item->message, sizeof r->item->message, "%s",
                   verdict.message);
    if (verdict.outcome != HONE_OUTCOME_OK)
        return HONE_OK;
    HONE_TRY(hone__cpu_variant_load(problem, job->launch_spec, job->cubin,
                                    job->cubin_bytes, &r->variant, err));
    r->loaded = 1;
    return HONE_OK;
}

static hone_status run_rounds(hone_cpu_problem *problem, runner *runners,
                              int n, hone_error *err)
{
    const double deadline_s = hone__now_s() + 5; /* slow variants: fewer */

    for (int round = 0; round < HONE_FINAL_ROUNDS; ++round) {
        if (round >= 3 && hone__now_s() > deadline_s)
            break;
        for (int k = 0; k < n; ++k) {
            runner *r = &runners[round % 2 ? n - 1 - k : k];

            if (r->loaded)
                HONE_TRY(run_once(problem, r, round, err));
        }
    }
    return HONE_OK;
}

hone_status hone__cpu_final_run(hone_cpu_problem *problem,
                                const hone_problem_setup *setup,
                                const hone_trial_job *jobs, int n_jobs,
                                hone_final_report *out, hone_error *err)
{
    runner *runners = hone__alloc(HONE_MAX_FINALISTS * sizeof *runners);
    const runner *fastest = NULL;
    hone_status status = HONE_OK;

    memset(out, 0, sizeof *out);
    out->sm_clock_mhz = -1;
    if (!runners)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (int i = 0; status == HONE_OK && i < n_jobs; ++i) {
        runners[i].item = &out->items[i];
        status = add_runner(problem, setup, &jobs[i], &runners[i], err);
        ++out->n;
    }
    if (status == HONE_OK)
        status = run_rounds(problem, runners, out->n, err);
    for (int i = 0; i < out->n; ++i) {
        summarise(&runners[i], NULL);
        if (runners[i].n_samples &&
            (!fastest || runners[i].item->time_ns < fastest->item->time_ns))
            fastest = &runners[i];
    }
    for (int i = 0; i < out->n; ++i) {
        summarise(&runners[i], fastest);
        if (runners[i].loaded)
            hone__cpu_variant_unload(&runners[i].variant);
    }
    hone__free(runners);
    return status;
}

/* ---- the requests ------------------------------------------------------- */

typedef struct server {
    const hone_gpu_setup *setup;
    hone_cpu_problem *problem;
    int to_parent;
} server;

static hone_status answer_trial(const server *s, hone_unpack *in, int verify,
                                int *out_leave, hone_error *err)
{
    hone_trial_report report = {.sm_clock_mhz = -1};
    hone_trial_job job;
    hone_text payload = {0};
    hone_status status;

    hone__trial_job_unpack(in, &job);
    if (in->broken)
        return hone__fail(err, HONE_ERR_INTERNAL, "a trial arrived broken");
    if (verify) {
        hone_verdict verdict;

        HONE_TRY(hone__cpu_awkward(&s->setup->problem, s->problem->guarded,
                                   &job, &verdict, err));
        report.id = job.id;
        hone__trial_take_verdict(&report, &verdict);
    } else {
        HONE_TRY(hone__cpu_trial_run(s->problem, &job, &report, err));
    }
    hone__trial_report_pack(&payload, &report);
    status = hone__message_send(s->to_parent, HONE_GPU_RESULT, &payload, err);
    hone__text_free(&payload);
    *out_leave = report.leaving;
    return status;
}

static hone_status answer_final(const server *s, hone_unpack *in,
                                hone_error *err)
{
    hone_trial_job jobs[HONE_MAX_FINALISTS];
    hone_final_report *report = hone__alloc(sizeof *report);
    int n = (int)hone__unpack_i64(in);
    hone_text payload = {0};
    hone_status status;

    if (n > HONE_MAX_FINALISTS)
        n = HONE_MAX_FINALISTS;
    for (int i = 0; i < n; ++i)
        hone__trial_job_unpack(in, &jobs[i]);
    if (!report || in->broken) {
        hone__free(report);
        return hone__fail(err, HONE_ERR_INTERNAL, "a final arrived broken");
    }
    status = hone__cpu_final_run(s->problem, &s->setup->problem, jobs, n,
                                 report, err);
    if (status == HONE_OK) {
        hone__pack_bytes(&payload, report, sizeof *report);
        status = hone__message_send(s->to_parent, HONE_GPU_RANKED, &payload,
                                    err);
    }
    hone__text_free(&payload);
    hone__free(report);
    return status;
}

static hone_status serve(const server *s, int from_parent, hone_error *err)
{
    hone_text request = {0};
    hone_status status = HONE_OK;
    uint32_t kind = 0;
    int leave = 0;

    while (status == HONE_OK && !leave &&
           hone__message_receive(from_parent, &kind, &request, NULL) ==
               HONE_OK) {
        hone_unpack in = {request.data, request.data + request.length, 0};

        if (kind == HONE_GPU_FINAL)
            status = answer_final(s, &in, err);
        else
            status = answer_trial(s, &in, kind == HONE_GPU_VERIFY, &leave,
                                  err);
    }
    hone__text_free(&request);
    return status;
}

int hone__cpu_worker(void *user, int from_parent, int to_parent)
{
    const double start_s = hone__now_s();
    server s = {user, hone__alloc(sizeof *s.problem), to_parent};
    hone_error err = {.status = HONE_OK};
    hone_text payload = {0};
    hone_status status =
        s.problem ? HONE_OK
                  : hone__fail(&err, HONE_ERR_NO_MEMORY, "out of memory");

    hone__worker_name("hone-trial");
    if (status == HONE_OK && s.setup->verify_only)
        s.problem->guarded = !s.setup->sanitized;
    else if (status == HONE_OK)
        status = hone__cpu_problem_open(&s.setup->problem,
                                        !s.setup->sanitized, s.problem, &err);
    if (status == HONE_OK) {
        const hone_ready_report ready = {
            .setup_s = hone__now_s() - start_s, .n_sets = 1,
            .n_sets_wanted = 1};

        hone__ready_report_pack(&payload, &ready);
        (void)hone__message_send(to_parent, HONE_GPU_READY, &payload, NULL);
        status = serve(&s, from_parent, &err);
        hone__cpu_problem_close(s.problem);
    }
    if (status != HONE_OK)
        hone__gpu_say_failed(to_parent, &err);
    hone__text_free(&payload);
    hone__free(s.problem);
    return status == HONE_OK ? 0 : 1;
}
