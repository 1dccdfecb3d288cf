/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a final: see trial.h. */
#include "tuner/trial/trial.h"

#include "runtime/base/alloc.h"
#include "tuner/baselines/baseline.h"
#include "tuner/judge/final.h"
#include "tuner/judge/statistics.h"
#include "tuner/process/worker.h"
#include "tuner/trial/expectations.h"
#include "tuner/trial/timer.h"
#include "tuner/trial/verify.h"

#include <stdio.h>
#include <string.h>

typedef struct runner {
    hone_variant variant;  /* also of a baseline that is another template */
    hone_baseline *vendor; /* a kernel of somebody else's; NULL: it is not */
    hone_timer timer;
    int is_timed; /* the timer is open */
    int spoils;   /* a baseline that changes its inputs */
} runner;

typedef struct final {
    hone_problem *problem;
    hone_edge_shapes *shapes;
    int to_parent;
    hone_final_request request;
    hone_final_report report;
    runner runners[HONE_MAX_RUNNERS + 1]; /* the last is the A/A control */
} final;

static hone_subject subject_of(runner *r)
{
    return r->vendor ? (hone_subject){.enqueue = hone__baseline_enqueue,
                                      .user = r->vendor}
                     : hone__variant_subject(&r->variant);
}

/* ---- what a failure means ------------------------------------------------ */

static void set_out(hone_finalist *item, hone_outcome outcome, const char *text)
{
    item->outcome = outcome;
    (void)snprintf(item->message, sizeof item->message, "%.300s", text);
}

/* Codes of other libraries mean something else. */
static int is_context_lost(const hone_error *err)
{
    return hone__outcome_of(err) == HONE_OUTCOME_FAULT;
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
        char text[sizeof item->message];

        (void)snprintf(text, sizeof text,
                       "no room on the device beside the others: %.230s",
                       err->text);
        item->is_left_out = 1;
        set_out(item, HONE_OUTCOME_OK, text);
        return HONE_OK;
    }
    if (is_context_lost(err))
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

/* ---- enter: variants ----------------------------------------------------- */

static hone_status load(final *f, int of, hone_variant *out, hone_error *err)
{
    const hone_trial_job *job = &f->request.entries[of].job;

    return hone__variant_load(f->problem->device, job->spec, job->cubin,
                              job->cubin_bytes, f->problem->resolved.dims,
                              f->problem->resolved.n_dims, out, err);
}

static hone_status read_features(const hone_variant *variant,
                                 hone_tie_features *features, hone_error *err)
{
    const hone_driver *driver = variant->device->driver;

    features->registers = features->shared_bytes = 0;
    for (size_t i = 0; i < variant->resolved.n_launches; ++i) {
        const hone_cu_function function =
            variant->program->launches[i].function;
        const int64_t dynamic =
            variant->resolved.launches[i].shape.shared_bytes;
        int registers = 0;
        int bytes = 0;

        HONE_TRY(hone__driver_check(
            driver,
            driver->function_get(&registers, HONE_CU_FUNC_REGISTERS, function),
            "reading a kernel's registers", err));
        HONE_TRY(hone__driver_check(
            driver,
            driver->function_get(&bytes, HONE_CU_FUNC_SHARED_BYTES, function),
            "reading a kernel's shared memory", err));
        if (registers > features->registers)
            features->registers = registers;
        if (bytes + dynamic > features->shared_bytes)
            features->shared_bytes = bytes + dynamic;
    }
    return HONE_OK;
}

static hone_status verify(void *user, int i, hone_finalist *item,
                          hone_error *err)
{
    final *f = user;
    hone_verdict verdict;

    HONE_TRY(hone__verify(f->problem, subject_of(&f->runners[i]),
                          HONE_VERIFY_FIRST, &verdict, err));
    return take_verdict(&verdict, item, err);
}

/* Baselines that change their inputs (some transforms of libraries do) have
 * been timed since then: nobody is wrong for that. */
static hone_status recheck(void *user, int i, hone_finalist *item,
                           hone_error *err)
{
    final *f = user;
    int restored = 1;

    for (int k = f->request.n_entries; restored && k < f->report.n; ++k)
        if (f->runners[k].spoils)
            HONE_TRY(hone__problem_restore(f->problem, &restored, err));
    return restored ? verify(f, i, item, err)
                    : hone__fail(err, HONE_ERR_INTERNAL,
                                 "inputs that a baseline has changed cannot "
                                 "be made again");
}

static hone_status verify_edge_shapes(final *f, int i, hone_finalist *item,
                                      hone_error *err)
{
    hone_verdict verdict;

    HONE_TRY(hone__edge_shapes_check(f->shapes, &f->request.entries[i].job,
                                     &verdict, err));
    HONE_TRY(take_verdict(&verdict, item, err));
    if (item->outcome == HONE_OUTCOME_OK)
        return HONE_OK;
    /* Was it only wrong, or did it reach as far as the problem itself? */
    HONE_TRY(hone__verify(f->problem, (hone_subject){0}, HONE_VERIFY_MEMORY,
                          &verdict, err));
    return take_verdict(&verdict, item, err);
}

static hone_status enter_variant(final *f, int i, hone_finalist *item,
                                 hone_error *err)
{
    hone_variant *variant = &f->runners[i].variant;
    hone_status status = load(f, i, variant, err);

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

/* ---- enter: baselines ---------------------------------------------------- */

static hone_status time_algorithm(final *f, hone_baseline *vendor,
                                  double *out_ns, hone_error *err)
{
    const hone_subject subject = {.enqueue = hone__baseline_enqueue,
                                  .user = vendor};
    double samples[3] = {0, 0, 0};
    hone_status status = HONE_OK;
    hone_timer timer;

    HONE_TRY(hone__timer_open(f->problem, subject, 0, &timer, err));
    for (int i = 0; status == HONE_OK && i < 3; ++i)
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

    for (size_t i = 0; n > 1 && i < n; ++i) {
        double ns = 0;

        vendor->algorithm = i;
        if (time_algorithm(f, vendor, &ns, err) != HONE_OK) {
            if (is_context_lost(err))
                return err->status;
            continue; /* this one cannot do it */
        }
        if (best_ns <= 0 || ns < best_ns) {
            best_ns = ns;
            best = i;
        }
    }
    vendor->algorithm = best;
    item->algorithm = (int)best;
    item->n_algorithms = (int)n;
    return HONE_OK;
}

/* It may round differently: said, not excluded. */
static hone_status judge_baseline(final *f, runner *r, hone_finalist *item,
                                  hone_error *err)
{
    hone_verdict verdict = {.outcome = HONE_OUTCOME_OK};
    const hone_status status = hone__verify(f->problem, subject_of(r),
                                            HONE_VERIFY_FIRST, &verdict, err);

    item->error_ratio = verdict.error_ratio;
    r->spoils = verdict.damaged;
    if (verdict.outcome == HONE_OUTCOME_FAULT)
        return context_lost(verdict.message, err);
    if (status != HONE_OK)
        return runner_failed(status, item, err);
    if (verdict.leaving && !r->vendor)
        return hone__fail(err, HONE_ERR_KERNEL, "%s", verdict.message);
    if (verdict.outcome != HONE_OUTCOME_OK)
        (void)snprintf(item->message, sizeof item->message, "%.300s",
                       verdict.message);
    return HONE_OK;
}

static hone_status enter_template(final *f, runner *r, const char *name,
                                  hone_finalist *item, hone_error *err)
{
    char why[256];
    const hone_status status =
        hone__reference_template_load(f->problem, name, &r->variant, why, err);

    if (status != HONE_OK)
        return runner_failed(status, item, err);
    if (!why[0])
        return judge_baseline(f, r, item, err);
    set_out(item, HONE_OUTCOME_CONSTRAINT, why);
    return HONE_OK;
}

static hone_status enter_baseline(final *f, runner *r, const char *name,
                                  hone_finalist *item, hone_error *err)
{
    hone_problem *problem = f->problem;
    hone_status status;

    item->n_algorithms = 1;
    (void)snprintf(item->label, sizeof item->label, "%s", name);
    if (hone__reference_template_is(name))
        return enter_template(f, r, name, item, err);
    if (!problem->device->kind->has_vendors) {
        set_out(item, HONE_OUTCOME_CONSTRAINT, "it is for GPUs");
        return HONE_OK;
    }
    status = hone__baseline_open(name, problem->tmpl->op, &problem->resolved,
                                 problem->device->driver, &r->vendor, err);
    if (status == HONE_OK) {
        (void)snprintf(item->label, sizeof item->label, "%.90s",
                       r->vendor->label);
        status = choose_algorithm(f, r->vendor, item, err);
    }
    if (status == HONE_OK && r->vendor->kind->computes)
        return judge_baseline(f, r, item, err);
    return runner_failed(status, item, err);
}

/* ---- the table ----------------------------------------------------------- */

static hone_status enter(void *user, int i, hone_finalist *item,
                         hone_error *err)
{
    final *f = user;
    const int baseline = i - f->request.n_entries;

    return baseline < 0
               ? enter_variant(f, i, item, err)
               : enter_baseline(f, &f->runners[i],
                                f->problem->tmpl->baselines[baseline].name,
                                item, err);
}

static hone_status open_runner(void *user, int i, hone_finalist *item,
                               hone_error *err)
{
    final *f = user;
    runner *r = &f->runners[i];
    hone_status status = HONE_OK;

    if (!r->vendor)
        status = hone__variant_spread(&r->variant, HONE_PLACES, err);
    if (status == HONE_OK)
        status = hone__timer_open(f->problem, subject_of(r), 0, &r->timer, err);
    r->is_timed = status == HONE_OK;
    if (r->is_timed) /* the first: the others are timed likewise */
        f->problem->timing = r->timer.timing;
    return runner_failed(status, item, err);
}

static void close_runner(runner *r)
{
    if (r->is_timed)
        hone__timer_close(&r->timer);
    r->is_timed = 0;
    hone__variant_unload(&r->variant);
    hone__baseline_close(r->vendor);
    r->vendor = NULL;
}

static hone_status load_control(void *user, int of, int *out, hone_error *err)
{
    final *f = user;
    const int control = f->request.n_entries + f->request.n_baselines;
    runner *r = &f->runners[control];
    hone_finalist ignored = {.outcome = HONE_OUTCOME_OK};
    hone_status status;

    close_runner(r);
    status = load(f, of, &r->variant, err);
    status = status == HONE_OK ? open_runner(f, control, &ignored, err)
                               : runner_failed(status, &ignored, err);
    *out = r->is_timed;
    return status;
}

static hone_status sample(void *user, int i, double *out_ns, hone_error *err)
{
    final *f = user;

    return hone__timer_sample(&f->runners[i].timer, out_ns, err);
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
    int n = item->n_samples;
    double series_ns[HONE_RACE_MOST];

    _Static_assert((int)HONE_SERIES_SAMPLES <= (int)HONE_RACE_MOST, "room");
    if (f->problem->device->kind->rests) {
        n = series_length(timer);
        HONE_TRY(hone__timer_series(timer, n, series_ns, err));
    } else { /* Nothing lowers the clock of a core that works on: its rounds
                serve. */
        memcpy(series_ns, item->rounds_ns, sizeof series_ns);
    }
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

/* ---- the request --------------------------------------------------------- */

/* If only vendors' libraries are named, and the device cannot run them, nobody
 * has to hear so of each. */
static int count_baselines(const hone_problem *problem)
{
    const hone_template *tmpl = problem->tmpl;
    const int n = tmpl->n_baselines < HONE_MAX_BASELINES
                      ? (int)tmpl->n_baselines
                      : HONE_MAX_BASELINES;
    int n_templates = 0;

    for (size_t i = 0; i < tmpl->n_baselines; ++i)
        n_templates += hone__reference_template_is(tmpl->baselines[i].name);
    return n_templates || problem->device->kind->has_vendors ? n : 0;
}

static hone_status read_request(final *f, hone_unpack *in, hone_error *err)
{
    hone_final_request *request = &f->request;

    hone__final_request_unpack(in, request);
    if (in->broken)
        return hone__fail(err, HONE_ERR_INTERNAL, "a final arrived broken");
    request->n_baselines = count_baselines(f->problem);
    if (request->race_s <= 0)
        request->race_s = f->problem->device->kind->race_s;
    for (int i = 0; i < request->n_entries; ++i)
        HONE_TRY(hone__launch_spec_parse(request->entries[i].job.launch_spec,
                                         &request->entries[i].job.spec, err));
    return HONE_OK;
}

static hone_status run(final *f, hone_error *err)
{
    hone_final_report *report = &f->report;
    hone_status status = hone__final_run(&ops, f, &f->request, report, err);

    if (status == HONE_OK) {
        report->timing = (int)f->problem->timing;
        hone__device_clocks(f->problem->device, &report->clocks);
        status = hone__struct_send(f->to_parent, HONE_DEVICE_RANKED, report,
                                   sizeof *report, err);
    }
    /* A context that is lost could hang in it. */
    if (status == HONE_OK || err->domain != HONE_DOMAIN_CUDA)
        for (int i = 0; i <= HONE_MAX_RUNNERS; ++i)
            close_runner(&f->runners[i]);
    return status;
}

hone_status hone__final_answer(hone_problem *problem, hone_edge_shapes *shapes,
                               hone_unpack *in, int to_parent, hone_error *err)
{
    final *f = hone__alloc(sizeof *f);
    hone_status status;

    hone__worker_name("hone-final");
    if (!f)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    f->problem = problem;
    f->shapes = shapes;
    f->to_parent = to_parent;
    status = read_request(f, in, err);
    if (status == HONE_OK)
        status = run(f, err);
    for (int i = 0; i < f->request.n_entries; ++i)
        hone__launch_spec_free(f->request.entries[i].job.spec);
    hone__free(f);
    return status;
}
