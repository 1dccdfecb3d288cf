/* SPDX-License-Identifier: Apache-2.0 */
/* The final between the best variants and the rivals: see final.h. */
#include "tuner/final.h"

#include "runtime/alloc.h"
#include "tuner/awkward.h"
#include "tuner/baseline.h"
#include "tuner/verify.h"

#include <stdio.h>
#include <string.h>

/* A rival and the way of it that is used. */
typedef struct rival {
    hone_baseline *baseline;
    size_t choice;
} rival;

/* One runner of the final. */
typedef struct runner {
    hone_finalist *item;
    hone_variant variant;
    rival rival;
    hone_timer timer;
    int timed; /* the timer is open */
    double samples_ns[HONE_FINAL_ROUNDS]; /* of the rounds, in turns */
    double series_ns[HONE_SERIES];        /* of its own series */
    const hone_trial_job *job;            /* NULL: a rival */
    hone_variant moved[HONE_PLACEMENTS];  /* with workspaces elsewhere */
} runner;

typedef struct final {
    hone_problem *problem;
    int n;
    runner runners[HONE_MAX_FINALISTS + HONE_MAX_BASELINES];
} final;

static hone_status enqueue_rival(void *user, void *const *args,
                                 hone_stream stream, hone_error *err)
{
    rival *r = user;

    return hone__baseline_enqueue(r->baseline, r->choice, args, stream, err);
}

static void set_out(hone_finalist *item, hone_outcome outcome,
                    const char *text)
{
    item->outcome = outcome;
    (void)snprintf(item->message, sizeof item->message, "%.300s", text);
}

/* Anything but the loss of the context is the runner's own misfortune. */
static hone_status runner_failed(hone_status status, hone_finalist *item,
                                 hone_error *err)
{
    if (status == HONE_OK)
        return HONE_OK;
    if (err->domain == HONE_DOMAIN_CUDA && hone__cuda_is_fatal(err->native))
        return status;
    set_out(item, hone__outcome_of(err), err->text);
    return HONE_OK;
}

static hone_status add_variant(final *f, const hone_problem_setup *setup,
                               const hone_trial_job *job, runner *r,
                               hone_error *err)
{
    hone_problem *problem = f->problem;
    hone_verdict verdict = {.outcome = HONE_OUTCOME_OK};
    hone_status status;

    r->item->id = job->id;
    r->job = job;
    status = hone__variant_load(problem->device, job->launch_spec, job->cubin,
                                job->cubin_bytes, problem->resolved.dims,
                                problem->resolved.n_dims, &r->variant,
                                &r->item->outcome, err);
    if (status == HONE_OK)
        status = hone__awkward_verify(problem->device, setup, job, &verdict,
                                      err);
    if (status == HONE_OK && verdict.outcome != HONE_OUTCOME_OK)
        set_out(r->item, verdict.outcome, verdict.message);
    if (status == HONE_OK && r->item->outcome == HONE_OUTCOME_OK)
        status = hone__verify(problem, hone__variant_subject(&r->variant),
                              r->variant.workspaces,
                              r->variant.resolved.n_workspaces, &verdict,
                              err);
    r->item->error_ratio = verdict.error_ratio;
    if (status == HONE_OK && verdict.outcome != HONE_OUTCOME_OK)
        set_out(r->item, verdict.outcome, verdict.message);
    return runner_failed(status, r->item, err);
}

/* Time each way of a rival shortly and keep the fastest. */
static hone_status choose_way(final *f, runner *r, hone_error *err)
{
    const size_t n = hone__baseline_n_choices(r->rival.baseline);
    double best_ns = 0;
    size_t best = 0;

    for (size_t choice = 0; n > 1 && choice < n; ++choice) {
        double samples[3] = {0, 0, 0};
        hone_timer timer;
        hone_status status;

        r->rival.choice = choice;
        status = hone__timer_open(f->problem,
                                  (hone_subject){enqueue_rival, &r->rival},
                                  &timer, err);
        for (int i = 0; status == HONE_OK && i < 3; ++i)
            status = hone__timer_sample(&timer, &samples[i], err);
        if (status == HONE_OK)
            hone__timer_close(&timer);
        else if (hone__cuda_is_fatal(err->native))
            return status;
        if (status == HONE_OK &&
            (best_ns <= 0 || hone__median(samples, 3) < best_ns)) {
            best_ns = hone__median(samples, 3);
            best = choice;
        }
    }
    r->rival.choice = best;
    r->item->choice = (int)best;
    r->item->n_choices = (int)n;
    return HONE_OK;
}

static hone_status add_rival(final *f, const char *name, int number,
                             runner *r, hone_error *err)
{
    hone_problem *problem = f->problem;
    hone_verdict verdict = {.outcome = HONE_OUTCOME_OK};
    hone_status status;

    r->item->id = -1 - number;
    r->item->n_choices = 1;
    (void)snprintf(r->item->label, sizeof r->item->label, "%s", name);
    status = hone__baseline_open(name, problem->tmpl->op, &problem->resolved,
                                 problem->device->cuda, &r->rival.baseline,
                                 err);
    if (status == HONE_OK) {
        (void)snprintf(r->item->label, sizeof r->item->label, "%.90s",
                       hone__baseline_label(r->rival.baseline));
        status = choose_way(f, r, err);
    }
    if (status == HONE_OK && hone__baseline_computes(r->rival.baseline)) {
        status = hone__verify(problem,
                              (hone_subject){enqueue_rival, &r->rival}, NULL,
                              0, &verdict, err);
        r->item->error_ratio = verdict.error_ratio;
        /* A rival may round differently: said, not excluded. */
        if (status == HONE_OK && verdict.outcome != HONE_OUTCOME_OK)
            (void)snprintf(r->item->message, sizeof r->item->message,
                           "%.300s", verdict.message);
    }
    return runner_failed(status, r->item, err);
}

static hone_status open_timers(final *f, hone_error *err)
{
    for (int i = 0; i < f->n; ++i) {
        runner *r = &f->runners[i];
        const hone_subject subject =
            r->item->id >= 0 ? hone__variant_subject(&r->variant)
                             : (hone_subject){enqueue_rival, &r->rival};
        hone_status status;

        if (r->item->outcome != HONE_OUTCOME_OK)
            continue;
        status = hone__timer_open(f->problem, subject, &r->timer, err);
        r->timed = status == HONE_OK;
        HONE_TRY(runner_failed(status, r->item, err));
    }
    return HONE_OK;
}

static hone_status run_rounds(final *f, hone_error *err)
{
    for (int round = 0; round < HONE_FINAL_ROUNDS; ++round) {
        for (int k = 0; k < f->n; ++k) {
            runner *r = &f->runners[round % 2 ? f->n - 1 - k : k];

            if (!r->timed)
                continue;
            HONE_TRY(hone__timer_sample(&r->timer, &r->samples_ns[round],
                                        err));
            r->item->rounds_ns[round] = r->samples_ns[round];
            r->item->n_samples = round + 1;
        }
    }
    return HONE_OK;
}

/* A series with workspaces that lie elsewhere; the earlier ones stay, so that
 * they do. */
static hone_status run_moved(final *f, runner *r, int placement,
                             hone_error *err)
{
    hone_variant *moved = &r->moved[placement];
    hone_outcome outcome = HONE_OUTCOME_OK;
    hone_timer timer;
    hone_status status = hone__variant_load(
        f->problem->device, r->job->launch_spec, r->job->cubin,
        r->job->cubin_bytes, f->problem->resolved.dims,
        f->problem->resolved.n_dims, moved, &outcome, err);

    if (status == HONE_OK)
        status = hone__timer_open(f->problem, hone__variant_subject(moved),
                                  &timer, err);
    if (status != HONE_OK)
        return status;
    status = hone__timer_series(&timer, HONE_FINAL_ROUNDS,
                                r->series_ns + placement * HONE_FINAL_ROUNDS,
                                err);
    hone__timer_close(&timer);
    return status;
}

static int has_workspace(const hone_resolved *resolved)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < resolved->n_workspaces; ++i)
        bytes += resolved->workspaces[i].size_bytes;
    return bytes > 0;
}

/* The time each runner is known by: a series of its own. */
static hone_status run_series(final *f, hone_error *err)
{
    for (int i = 0; i < f->n; ++i) {
        runner *r = &f->runners[i];
        size_t n = HONE_FINAL_ROUNDS;

        if (!r->timed)
            continue;
        HONE_TRY(hone__timer_series(&r->timer, HONE_FINAL_ROUNDS,
                                    r->series_ns, err));
        if (r->job && has_workspace(&r->variant.resolved)) {
            for (int p = 1; p < HONE_PLACEMENTS; ++p)
                HONE_TRY(run_moved(f, r, p, err));
            n = HONE_SERIES;
        }
        r->item->time_ns = hone__median(r->series_ns, n);
        r->item->spread_ns = hone__half_iqr(r->series_ns, n);
        hone__median_interval(r->series_ns, n, &r->item->ci_low_ns,
                              &r->item->ci_high_ns);
    }
    return HONE_OK;
}

/* How much longer than `first` it took, round by round. */
static void compare(runner *r, const runner *first)
{
    double ratio[HONE_FINAL_ROUNDS];
    const size_t n = HONE_FINAL_ROUNDS;

    if (!r->timed || !first)
        return;
    for (size_t i = 0; i < n; ++i)
        ratio[i] = r->samples_ns[i] / first->samples_ns[i];
    r->item->ratio = hone__median(ratio, n);
    hone__median_interval(ratio, n, &r->item->ratio_low,
                          &r->item->ratio_high);
}

/* The reference of the paired ratios: the variant with the fastest median of
 * the rounds. */
static const runner *find_fastest(const final *f)
{
    const runner *fastest = NULL;
    double fastest_ns = 0;

    for (int i = 0; i < f->n; ++i) {
        const runner *r = &f->runners[i];
        double sorted[HONE_FINAL_ROUNDS];
        double median_ns;

        if (!r->timed || r->item->id < 0)
            continue;
        memcpy(sorted, r->samples_ns, sizeof sorted);
        median_ns = hone__median(sorted, HONE_FINAL_ROUNDS);
        if (!fastest || median_ns < fastest_ns) {
            fastest = r;
            fastest_ns = median_ns;
        }
    }
    return fastest;
}

static hone_status run_final(final *f, const hone_problem_setup *setup,
                             const hone_trial_job *jobs, int n_jobs,
                             hone_final_report *out, hone_error *err)
{
    const hone_template *tmpl = f->problem->tmpl;
    const runner *fastest;

    for (int i = 0; i < n_jobs && i < HONE_MAX_FINALISTS; ++i) {
        runner *r = &f->runners[f->n];

        r->item = &out->items[f->n++];
        HONE_TRY(add_variant(f, setup, &jobs[i], r, err));
    }
    for (size_t i = 0; i < tmpl->n_baselines && i < HONE_MAX_BASELINES; ++i) {
        runner *r = &f->runners[f->n];

        r->item = &out->items[f->n++];
        HONE_TRY(add_rival(f, tmpl->baselines[i], (int)i, r, err));
    }
    HONE_TRY(open_timers(f, err));
    HONE_TRY(run_rounds(f, err));
    HONE_TRY(run_series(f, err));
    fastest = find_fastest(f);
    for (int i = 0; i < f->n; ++i)
        compare(&f->runners[i], fastest);
    out->n = f->n;
    return HONE_OK;
}

hone_status hone__final_run(hone_problem *problem,
                            const hone_problem_setup *setup,
                            const hone_trial_job *jobs, int n_jobs,
                            hone_final_report *out, hone_error *err)
{
    final *f = hone__alloc(sizeof *f);
    hone_nvml_sample sample;
    hone_status status;

    memset(out, 0, sizeof *out);
    if (!f)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    f->problem = problem;
    status = run_final(f, setup, jobs, n_jobs, out, err);
    hone__nvml_sample(problem->device->nvml, &sample);
    out->sm_clock_mhz = sample.sm_clock_mhz;
    out->power_mw = sample.power_mw;
    out->temperature_c = sample.temperature_c;
    out->clock_reasons = sample.clock_reasons;
    for (int i = 0; i < f->n; ++i) {
        runner *r = &f->runners[i];

        if (r->timed)
            hone__timer_close(&r->timer);
        hone__variant_unload(&r->variant);
        for (int p = 1; p < HONE_PLACEMENTS; ++p)
            hone__variant_unload(&r->moved[p]);
        hone__baseline_close(r->rival.baseline);
    }
    hone__free(f);
    return status;
}
