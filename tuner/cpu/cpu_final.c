/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a final on the cpu device: see final.h. Its baselines are
 * other templates. */
#include "tuner/cpu/cpu_worker.h"
#include "tuner/trial/expect_template.h"
#include "tuner/judge/final.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

/* A sample is the median of up to so many runs, as far as they take no more
 * than a millisecond: a run that loses its core for a while is not seen. */
enum { MOST_RUNS = 20 };
static const double sample_ns = 1e6;
static const double race_s = 5; /* slow variants: fewer rounds */

typedef struct runner {
    hone_cpu_variant variant;
    int is_loaded;
    int n_runs; /* per sample */
} runner;

typedef struct final {
    hone_cpu_problem *problem;
    const hone_problem_setup *setup;
    const hone_final_request *request;
    hone_cpu_edge_shapes *edge_shapes;
    int to_parent;
    runner runners[HONE_MAX_RUNNERS + 1]; /* the last is the A/A control */
} final;

static int control_of(const final *f)
{
    return f->request->n_entries + f->request->n_baselines;
}

static void unload(runner *r)
{
    if (r->is_loaded)
        hone__cpu_variant_unload(&r->variant);
    r->is_loaded = 0;
}

static void set_out(hone_finalist *item, hone_outcome outcome, const char *text)
{
    item->outcome = outcome;
    (void)snprintf(item->message, sizeof item->message, "%.300s", text);
}

/* As on a GPU: what left traces in memory that cannot be put right ends the
 * process. */
static hone_status take_verdict(const hone_verdict *verdict,
                                hone_finalist *item, hone_error *err)
{
    if (verdict->error_ratio > item->error_ratio)
        item->error_ratio = verdict->error_ratio;
    if (verdict->outcome == HONE_OUTCOME_OK)
        return HONE_OK;
    set_out(item, verdict->outcome, verdict->message);
    return verdict->leaving
               ? hone__fail(err, HONE_ERR_KERNEL, "%s", item->message)
               : HONE_OK;
}

static hone_status load(final *f, int of, runner *r, hone_error *err)
{
    const hone_trial_job *job = &f->request->entries[of].job;
    const hone_status status =
        hone__cpu_variant_load(f->problem, job->launch_spec, job->cubin,
                               job->cubin_bytes, &r->variant, err);

    r->is_loaded = status == HONE_OK;
    return status;
}

static hone_status recheck(void *user, int i, hone_finalist *item,
                           hone_error *err)
{
    final *f = user;
    hone_cpu_variant *variant = &f->runners[i].variant;
    hone_verdict verdict;

    HONE_TRY(hone__cpu_verify(f->problem, hone__cpu_variant_subject(variant),
                              variant->workspaces,
                              variant->resolved.n_workspaces, &verdict, err));
    return take_verdict(&verdict, item, err);
}

/* Another template. It may round differently: said, not excluded. */
static hone_status enter_baseline(final *f, int i, hone_finalist *item,
                                  hone_error *err)
{
    const char *name =
        f->problem->tmpl->baselines[i - f->request->n_entries].name;
    runner *r = &f->runners[i];
    hone_verdict verdict;
    char why[256] = "it is for GPUs";

    item->n_algorithms = 1;
    (void)snprintf(item->label, sizeof item->label, "%s", name);
    if (hone__reference_template_is(name))
        HONE_TRY(hone__cpu_reference_template_load(
            f->problem, f->setup->reference_templates, name, &r->variant, why,
            err));
    if (why[0]) {
        set_out(item, HONE_OUTCOME_CONSTRAINT, why);
        return HONE_OK;
    }
    r->is_loaded = 1;
    HONE_TRY(hone__cpu_verify(f->problem,
                              hone__cpu_variant_subject(&r->variant),
                              r->variant.workspaces,
                              r->variant.resolved.n_workspaces, &verdict, err));
    item->error_ratio = verdict.error_ratio;
    if (verdict.leaving)
        return hone__fail(err, HONE_ERR_KERNEL, "%s", verdict.message);
    if (verdict.outcome != HONE_OUTCOME_OK)
        (void)snprintf(item->message, sizeof item->message, "%.300s",
                       verdict.message);
    return HONE_OK;
}

static hone_status enter(void *user, int i, hone_finalist *item,
                         hone_error *err)
{
    final *f = user;
    hone_verdict verdict;

    if (i >= f->request->n_entries)
        return enter_baseline(f, i, item, err);
    if (load(f, i, &f->runners[i], err) != HONE_OK) {
        set_out(item, hone__outcome_of(err), err->text);
        return HONE_OK;
    }
    HONE_TRY(hone__cpu_edge_shapes_check(
        f->edge_shapes, &f->request->entries[i].job, &verdict, err));
    HONE_TRY(take_verdict(&verdict, item, err));
    if (item->outcome == HONE_OUTCOME_OK)
        return recheck(f, i, item, err);
    /* Was it only wrong, or did it reach as far as the problem itself? */
    HONE_TRY(hone__cpu_verify_again(f->problem, (hone_subject){NULL, NULL},
                                    NULL, 0, 1, &verdict, err));
    return take_verdict(&verdict, item, err);
}

static hone_status choose_n_runs(final *f, runner *r, hone_error *err)
{
    double ns = 0;

    HONE_TRY(hone__cpu_time(f->problem, hone__cpu_variant_subject(&r->variant),
                            1, &ns, err));
    r->n_runs = ns * MOST_RUNS <= sample_ns ? MOST_RUNS
                : ns >= sample_ns           ? 1
                                            : (int)(sample_ns / ns);
    return HONE_OK;
}

static hone_status open_runner(void *user, int i, hone_finalist *item,
                               hone_error *err)
{
    final *f = user;

    (void)item;
    return choose_n_runs(f, &f->runners[i], err);
}

static hone_status load_control(void *user, int of, int *out, hone_error *err)
{
    final *f = user;
    runner *r = &f->runners[control_of(f)];

    unload(r);
    HONE_TRY(load(f, of, r, err));
    *out = 1;
    return choose_n_runs(f, r, err);
}

static hone_status sample(void *user, int i, double *out_ns, hone_error *err)
{
    final *f = user;
    runner *r = &f->runners[i];
    double runs_ns[MOST_RUNS];

    HONE_TRY(hone__cpu_time(f->problem, hone__cpu_variant_subject(&r->variant),
                            r->n_runs, runs_ns, err));
    *out_ns = hone__median(runs_ns, (size_t)r->n_runs);
    return HONE_OK;
}

/* A core has no power limit that turns could run into: its rounds serve. */
static hone_status series(void *user, int i, hone_finalist *item,
                          hone_error *err)
{
    double rounds_ns[HONE_RACE_MOST];

    (void)user;
    (void)i;
    (void)err;
    memcpy(rounds_ns, item->rounds_ns, sizeof rounds_ns);
    hone__final_set_time(item, rounds_ns, item->n_samples);
    return HONE_OK;
}

static void at(void *user, int i, hone_final_stage stage)
{
    const final *f = user;

    hone__final_say_at(f->to_parent, i, stage);
}

static const hone_final_ops ops = {
    enter, open_runner, load_control, sample, recheck, series, at};

static hone_status run(final *f, hone_final_report *report, hone_error *err)
{
    hone_status status = hone__cpu_edge_shapes_open(
        f->setup, f->problem->guarded, &f->edge_shapes, err);

    if (status == HONE_OK)
        status = hone__final_run(&ops, f, f->request, report, err);
    if (status == HONE_OK)
        status = hone__final_say(f->to_parent, report, err);
    for (int i = 0; i <= control_of(f); ++i)
        unload(&f->runners[i]);
    hone__cpu_edge_shapes_close(f->edge_shapes);
    return status;
}

/* If only vendors' libraries are named, which this device cannot run, nobody
 * has to hear so of each. */
static int count_baselines(const hone_template *tmpl)
{
    int n_templates = 0;

    for (size_t i = 0; i < tmpl->n_baselines; ++i)
        n_templates += hone__reference_template_is(tmpl->baselines[i].name);
    return n_templates ? hone__final_count_baselines(tmpl) : 0;
}

hone_status hone__cpu_final(hone_cpu_problem *problem,
                            const hone_problem_setup *setup, hone_unpack *in,
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
        hone__final_request_unpack(in, request);
        request->n_baselines = count_baselines(problem->tmpl);
        if (request->race_s <= 0)
            request->race_s = race_s;
        f->problem = problem;
        f->setup = setup;
        f->request = request;
        f->to_parent = to_parent;
        status = in->broken ? hone__fail(err, HONE_ERR_INTERNAL,
                                         "a final arrived broken")
                            : run(f, report, err);
    }
    hone__free(report);
    hone__free(request);
    hone__free(f);
    return status;
}
