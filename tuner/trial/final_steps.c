/* SPDX-License-Identifier: Apache-2.0 */
/* See final_steps.h. */
#include "tuner/trial/final_steps.h"

#include "runtime/base/alloc.h"
#include "tuner/baselines/baseline.h"
#include "tuner/trial/expect_template.h"
#include "tuner/judge/final.h"
#include "tuner/judge/statistics.h"
#include "tuner/process/worker.h"
#include "tuner/trial/timer.h"
#include "tuner/trial/verify.h"

#include <stdio.h>
#include <string.h>

typedef struct runner {
    hone_variant variant; /* also of a baseline that is another template */
    hone_baseline *vendor;
    hone_timer timer;
    int is_timed; /* the timer is open */
} runner;

typedef struct final {
    hone_problem *problem;
    const hone_problem_setup *setup;
    const hone_final_request *request;
    hone_edge_shapes *edge_shapes;
    int to_parent;
    runner runners[HONE_MAX_RUNNERS + 1]; /* the last is the A/A control */
} final;

static int control_of(const final *f)
{
    return f->request->n_entries + f->request->n_baselines;
}

static const hone_trial_job *job_of(const final *f, int i)
{
    return &f->request->entries[i].job;
}

static int is_baseline(const final *f, int i)
{
    return i >= f->request->n_entries && i < control_of(f);
}

static const char *baseline_name(const final *f, int i)
{
    return f->problem->tmpl->baselines[i - f->request->n_entries].name;
}

/* Is it a kernel of somebody else's? */
static int is_foreign(const final *f, int i)
{
    return is_baseline(f, i) &&
           !hone__reference_template_is(baseline_name(f, i));
}

static hone_subject subject_of(final *f, int i)
{
    return is_foreign(f, i)
               ? (hone_subject){hone__baseline_enqueue, f->runners[i].vendor}
               : hone__variant_subject(&f->runners[i].variant);
}

/* ---- what a failure means ------------------------------------------------
 */

static void set_out(hone_finalist *item, hone_outcome outcome, const char *text)
{
    item->outcome = outcome;
    (void)snprintf(item->message, sizeof item->message, "%.300s", text);
}

/* Is the context lost? Codes of other libraries mean something else. */
static int is_fatal(const hone_error *err)
{
    return err->domain == HONE_DOMAIN_CUDA &&
           hone__driver_is_fatal(err->native);
}

/* Anything but the loss of the context is the runner's own misfortune. All of
 * them are loaded at once, each with its workspaces and its graph: the last
 * ones may find no room, which is not even their fault. */
static hone_status runner_failed(hone_status status, hone_finalist *item,
                                 hone_error *err)
{
    if (status == HONE_OK)
        return HONE_OK;
    if (status == HONE_ERR_NO_MEMORY) {
        item->is_left_out = 1;
        set_out(item, HONE_OUTCOME_OK,
                "no room on the device beside the others");
        return HONE_OK;
    }
    if (is_fatal(err))
        return status;
    set_out(item, hone__outcome_of(err), err->text);
    return HONE_OK;
}

static hone_status context_lost(const char *text, hone_error *err)
{
    enum { LAUNCH_FAILED = 719 };

    return hone__fail_native(err, HONE_ERR_CUDA, HONE_DOMAIN_CUDA,
                             LAUNCH_FAILED, "%s", text);
}

/* What a verdict means for the final: a runner that is wrong is out; one
 * whose traces in memory cannot be put right ends the process with it. */
static hone_status take_verdict(const hone_verdict *verdict,
                                hone_finalist *item, hone_error *err)
{
    if (verdict->error_ratio > item->error_ratio)
        item->error_ratio = verdict->error_ratio;
    if (verdict->outcome == HONE_OUTCOME_OK)
        return HONE_OK;
    set_out(item, verdict->outcome, verdict->message);
    if (verdict->outcome == HONE_OUTCOME_FAULT)
        return context_lost(item->message, err);
    return verdict->leaving
               ? hone__fail(err, HONE_ERR_KERNEL, "%s", item->message)
               : HONE_OK;
}

/* ---- enter: variants -----------------------------------------------------
 */

static hone_status load(final *f, int of, hone_variant *out,
                        hone_outcome *outcome, hone_error *err)
{
    const hone_trial_job *job = job_of(f, of);

    return hone__variant_load(f->problem->device, job->spec, job->cubin,
                              job->cubin_bytes, f->problem->resolved.dims,
                              f->problem->resolved.n_dims, out, outcome, err);
}

static hone_status read_features(const hone_variant *variant,
                                 hone_tie_features *features, hone_error *err)
{
    const hone_driver *driver = variant->device->driver;

    features->registers = features->shared_bytes = 0;
    for (size_t i = 0; i < variant->resolved.n_launches; ++i) {
        const int64_t dynamic = variant->resolved.launches[i].shared_bytes;
        int registers = 0;
        int bytes = 0;

        HONE_TRY(hone__driver_check(
            driver,
            driver->function_get(&registers, HONE_CU_FUNC_REGISTERS,
                                 variant->program->launches[i].function),
            "reading a kernel's registers", err));
        HONE_TRY(hone__driver_check(
            driver,
            driver->function_get(&bytes, HONE_CU_FUNC_SHARED_BYTES,
                                 variant->program->launches[i].function),
            "reading a kernel's shared memory", err));
        if (registers > features->registers)
            features->registers = registers;
        if (bytes + dynamic > features->shared_bytes)
            features->shared_bytes = bytes + dynamic;
    }
    return HONE_OK;
}

static hone_status verify(final *f, int i, hone_finalist *item, hone_error *err)
{
    hone_variant *variant = &f->runners[i].variant;
    hone_verdict verdict;

    HONE_TRY(hone__verify(f->problem, hone__variant_subject(variant),
                          variant->workspaces, variant->resolved.n_workspaces,
                          &verdict, err));
    return take_verdict(&verdict, item, err);
}

static hone_status verify_edge_shapes(final *f, int i, hone_finalist *item,
                                      hone_error *err)
{
    hone_verdict verdict;

    HONE_TRY(
        hone__edge_shapes_check(f->edge_shapes, job_of(f, i), &verdict, err));
    HONE_TRY(take_verdict(&verdict, item, err));
    if (item->outcome == HONE_OUTCOME_OK)
        return HONE_OK;
    /* Was it only wrong, or did it reach as far as the problem itself? */
    HONE_TRY(hone__verify_memory(f->problem, NULL, 0, &verdict, err));
    return take_verdict(&verdict, item, err);
}

static hone_status enter_variant(final *f, int i, hone_finalist *item,
                                 hone_error *err)
{
    hone_variant *variant = &f->runners[i].variant;
    hone_outcome ignored;
    hone_status status = load(f, i, variant, &ignored, err);

    if (status == HONE_OK)
        status = read_features(variant, &item->features, err);
    if (status != HONE_OK)
        return runner_failed(status, item, err);
    status = verify_edge_shapes(f, i, item, err);
    if (status == HONE_ERR_NO_MEMORY) {
        hone__variant_unload(variant);
        return runner_failed(status, item, err);
    }
    HONE_TRY(status);
    return item->outcome == HONE_OUTCOME_OK ? verify(f, i, item, err) : HONE_OK;
}

/* ---- enter: baselines
 * -------------------------------------------------------
 */

static hone_status time_algorithm(final *f, hone_baseline *vendor,
                                  double *out_ns, hone_error *err)
{
    double samples[3] = {0, 0, 0};
    hone_status status;
    hone_timer timer;

    HONE_TRY(hone__timer_open(f->problem,
                              (hone_subject){hone__baseline_enqueue, vendor},
                              &timer, err));
    status = hone__timer_sample(&timer, &samples[0], err);
    for (int i = 1; status == HONE_OK && i < 3; ++i)
        status = hone__timer_sample(&timer, &samples[i], err);
    hone__timer_close(&timer);
    *out_ns = hone__median(samples, 3);
    return status;
}

/* Time each algorithm of a library shortly and keep the fastest. */
static hone_status choose_algorithm(final *f, hone_baseline *vendor,
                                    hone_finalist *item, hone_error *err)
{
    const size_t n = vendor->n_algorithms;
    double best_ns = 0;
    size_t best = 0;

    for (size_t algorithm = 0; n > 1 && algorithm < n; ++algorithm) {
        double ns = 0;

        vendor->algorithm = algorithm;
        if (time_algorithm(f, vendor, &ns, err) != HONE_OK) {
            if (is_fatal(err))
                return err->status;
            continue; /* this one cannot do it */
        }
        if (best_ns <= 0 || ns < best_ns) {
            best_ns = ns;
            best = algorithm;
        }
    }
    vendor->algorithm = best;
    item->algorithm = (int)best;
    item->n_algorithms = (int)n;
    return HONE_OK;
}

/* It may round differently: said, not excluded. */
static hone_status judge_baseline(final *f, int i, hone_finalist *item,
                                  hone_error *err)
{
    const hone_variant *variant = &f->runners[i].variant;
    hone_verdict verdict = {.outcome = HONE_OUTCOME_OK};
    const hone_status status =
        hone__verify(f->problem, subject_of(f, i), variant->workspaces,
                     variant->resolved.n_workspaces, &verdict, err);

    item->error_ratio = verdict.error_ratio;
    if (verdict.outcome == HONE_OUTCOME_FAULT)
        return context_lost(verdict.message, err);
    if (status != HONE_OK)
        return runner_failed(status, item, err);
    if (verdict.leaving && !is_foreign(f, i))
        return hone__fail(err, HONE_ERR_KERNEL, "%s", verdict.message);
    if (verdict.outcome != HONE_OUTCOME_OK)
        (void)snprintf(item->message, sizeof item->message, "%.300s",
                       verdict.message);
    return HONE_OK;
}

static hone_status enter_template(final *f, int i, hone_finalist *item,
                                  hone_error *err)
{
    char why[256];
    hone_status status = hone__reference_template_load(
        f->problem, f->setup->reference_templates, baseline_name(f, i),
        &f->runners[i].variant, why, err);

    if (status == HONE_OK && why[0])
        set_out(item, HONE_OUTCOME_CONSTRAINT, why);
    else if (status == HONE_OK)
        return judge_baseline(f, i, item, err);
    return runner_failed(status, item, err);
}

static hone_status enter_baseline(final *f, int i, hone_finalist *item,
                                  hone_error *err)
{
    hone_problem *problem = f->problem;
    const char *name = baseline_name(f, i);
    hone_baseline **vendor = &f->runners[i].vendor;
    hone_status status;

    item->n_algorithms = 1;
    (void)snprintf(item->label, sizeof item->label, "%s", name);
    if (hone__reference_template_is(name))
        return enter_template(f, i, item, err);
    if (!problem->device->kind->has_vendors) {
        set_out(item, HONE_OUTCOME_CONSTRAINT, "it is for GPUs");
        return HONE_OK;
    }
    status = hone__baseline_open(name, problem->tmpl->op, &problem->resolved,
                                 problem->device->driver, vendor, err);
    if (status == HONE_OK) {
        (void)snprintf(item->label, sizeof item->label, "%.90s",
                       (*vendor)->label);
        status = choose_algorithm(f, *vendor, item, err);
    }
    if (status == HONE_OK && (*vendor)->kind->computes)
        return judge_baseline(f, i, item, err);
    return runner_failed(status, item, err);
}

/* ---- the table -----------------------------------------------------------
 */

static hone_status enter(void *user, int i, hone_finalist *item,
                         hone_error *err)
{
    final *f = user;

    return i < f->request->n_entries ? enter_variant(f, i, item, err)
                                     : enter_baseline(f, i, item, err);
}

static hone_status open_runner(void *user, int i, hone_finalist *item,
                               hone_error *err)
{
    final *f = user;
    runner *r = &f->runners[i];
    hone_status status = HONE_OK;

    if (!is_foreign(f, i))
        status = hone__variant_spread(&r->variant, HONE_PLACES, err);
    if (status == HONE_OK)
        status = hone__timer_open(f->problem, subject_of(f, i), &r->timer, err);
    r->is_timed = status == HONE_OK;
    if (r->is_timed) /* the first: the others are timed likewise */
        f->problem->timing = r->timer.timing;
    return runner_failed(status, item, err);
}

static hone_status load_control(void *user, int of, int *out, hone_error *err)
{
    final *f = user;
    runner *r = &f->runners[control_of(f)];
    hone_finalist ignored = {.outcome = HONE_OUTCOME_OK};
    hone_status status;

    if (r->is_timed)
        hone__timer_close(&r->timer);
    r->is_timed = 0;
    hone__variant_unload(&r->variant);
    status = load(f, of, &r->variant, &ignored.outcome, err);
    status = status == HONE_OK ? open_runner(f, control_of(f), &ignored, err)
                               : runner_failed(status, &ignored, err);
    *out = r->is_timed;
    return status;
}

static hone_status sample(void *user, int i, double *out_ns, hone_error *err)
{
    final *f = user;

    return hone__timer_sample(&f->runners[i].timer, out_ns, err);
}

static hone_status recheck(void *user, int i, hone_finalist *item,
                           hone_error *err)
{
    return verify(user, i, item, err);
}

/* Samples of a series: fewer of a default variant that takes seconds. */
static int series_length(const hone_timer *timer)
{
    enum { LEAST = 4 };
    const double most_ns = 2e9;
    const double n = most_ns / (timer->estimate_ns * timer->n_launches + 1);

    return n >= HONE_SERIES_SAMPLES ? HONE_SERIES_SAMPLES
           : n <= LEAST             ? LEAST
                                    : (int)n;
}

static hone_status series(void *user, int i, hone_finalist *item,
                          hone_error *err)
{
    final *f = user;
    hone_timer *timer = &f->runners[i].timer;
    const int n = series_length(timer);
    double series_ns[HONE_SERIES_SAMPLES];

    /* Nothing lowers the clock of a core that works on: its rounds serve. */
    if (!f->problem->device->kind->rests) {
        double rounds_ns[HONE_RACE_MOST];

        memcpy(rounds_ns, item->rounds_ns, sizeof rounds_ns);
        hone__final_set_time(item, rounds_ns, item->n_samples);
        return HONE_OK;
    }
    HONE_TRY(hone__timer_series(timer, n, series_ns, err));
    hone__final_set_time(item, series_ns, n);
    return HONE_OK;
}

static void at(void *user, int i, hone_final_stage stage)
{
    const final *f = user;

    hone__final_say_at(f->to_parent, i, stage);
}

static const hone_final_ops ops = {
    enter, open_runner, load_control, sample, recheck, series, at};

/* ---- the request ---------------------------------------------------------
 */

static void close_all(final *f)
{
    for (int i = 0; i <= control_of(f); ++i) {
        runner *r = &f->runners[i];

        if (r->is_timed)
            hone__timer_close(&r->timer);
        hone__variant_unload(&r->variant);
        hone__baseline_close(r->vendor);
    }
}

static void read_clocks(const final *f, hone_final_report *report)
{
    hone_clocks now;

    hone__device_clocks(f->problem->device, &now);
    report->sm_clock_mhz = now.sm_clock_mhz;
    report->power_mw = now.power_mw;
    report->temperature_c = now.temperature_c;
    report->clock_reasons = now.clock_reasons;
}

static hone_status run(final *f, hone_final_report *report, hone_error *err)
{
    hone_status status = hone__final_run(&ops, f, f->request, report, err);

    if (status == HONE_OK) {
        report->timing = (int)f->problem->timing;
        read_clocks(f, report);
        status = hone__final_say(f->to_parent, report, err);
    }
    /* A context that is lost could hang in it. */
    if (status == HONE_OK || err->domain != HONE_DOMAIN_CUDA)
        close_all(f);
    return status;
}

/* If only vendors' libraries are named, and the device cannot run them, nobody
 * has to hear so of each. */
static int count_baselines(const hone_problem *problem)
{
    const hone_template *tmpl = problem->tmpl;
    int n_templates = 0;

    for (size_t i = 0; i < tmpl->n_baselines; ++i)
        n_templates += hone__reference_template_is(tmpl->baselines[i].name);
    return n_templates || problem->device->kind->has_vendors
               ? hone__final_count_baselines(tmpl)
               : 0;
}

hone_status hone__final_answer(hone_problem *problem,
                               const hone_problem_setup *setup,
                               hone_edge_shapes *edge_shapes, hone_unpack *in,
                               int to_parent, hone_error *err)
{
    final *f = hone__alloc(sizeof *f);
    hone_final_request *request = hone__alloc(sizeof *request);
    hone_final_report *report = hone__alloc(sizeof *report);
    hone_status status;

    hone__worker_name("hone-final");
    if (!f || !request || !report) {
        status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    } else {
        *f = (final){.problem = problem,
                     .setup = setup,
                     .request = request,
                     .edge_shapes = edge_shapes,
                     .to_parent = to_parent};
        hone__final_request_unpack(in, request);
        status = in->broken ? hone__fail(err, HONE_ERR_INTERNAL,
                                         "a final arrived broken")
                            : hone__final_request_open(request, err);
        request->n_baselines = count_baselines(problem);
        if (request->race_s <= 0)
            request->race_s = problem->device->kind->race_s;
        if (status == HONE_OK)
            status = run(f, report, err);
    }
    if (request)
        hone__final_request_close(request);
    hone__free(report);
    hone__free(request);
    hone__free(f);
    return status;
}
