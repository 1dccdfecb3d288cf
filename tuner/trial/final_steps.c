/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a final: see trial.h. Who enters it is final_enter.c's. */
#include "tuner/trial/final_runner.h"

#include "runtime/base/alloc.h"
#include "tuner/process/worker.h"
#include "tuner/trial/energy.h"

#include <string.h>

/* ---- the table ----------------------------------------------------------- */

static hone_status open_runner(void *user, int i, hone_finalist *item,
                               hone_error *err)
{
    hone_final_state *f = user;
    hone_final_runner *r = &f->runners[i];
    hone_status status = HONE_OK;

    if (!r->vendor)
        status = hone__variant_spread(&r->variant, HONE_PLACES, err);
    if (status == HONE_OK)
        status = hone__timer_open(f->problem, hone__final_subject(r), 0,
                                  &r->timer, err);
    r->is_timed = status == HONE_OK;
    if (r->is_timed) /* the first: the others are timed likewise */
        f->problem->timing = r->timer.timing;
    return hone__final_failed(status, item, err);
}

static void close_runner(hone_final_runner *r)
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
    hone_final_state *f = user;
    const int control = f->request.n_entries + f->request.n_baselines;
    hone_final_runner *r = &f->runners[control];
    hone_finalist ignored = {.outcome = HONE_OUTCOME_OK};
    hone_status status;

    close_runner(r);
    status = hone__final_load(f, of, &r->variant, err);
    status = status == HONE_OK ? open_runner(f, control, &ignored, err)
                               : hone__final_failed(status, &ignored, err);
    *out = r->is_timed;
    return status;
}

static hone_status sample(void *user, int i, double *out_ns, hone_error *err)
{
    hone_final_state *f = user;

    return hone__timer_sample(&f->runners[i].timer, out_ns, err);
}

/* Baselines that change their inputs (some transforms of libraries do) have
 * been timed since then: nobody is wrong for that. */
static hone_status restore(hone_final_state *f, hone_error *err)
{
    int restored = 1;

    for (int k = f->request.n_entries; restored && k < f->report.n; ++k)
        if (f->runners[k].spoils)
            HONE_TRY(hone__problem_restore(f->problem, &(hone_subject){0},
                                           &restored, err));
    return restored ? HONE_OK
                    : hone__fail(err, HONE_ERR_INTERNAL,
                                 "inputs that a baseline has changed cannot "
                                 "be made again");
}

static hone_status recheck(void *user, int i, hone_finalist *item,
                           hone_error *err)
{
    HONE_TRY(restore(user, err));
    return hone__final_verify(user, i, item, err);
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

static hone_status take_series(hone_final_state *f, int i, hone_finalist *item,
                               hone_error *err)
{
    hone_timer *timer = &f->runners[i].timer;
    const int n = series_length(timer);
    double series_ns[HONE_RACE_MOST];

    _Static_assert((int)HONE_SERIES_SAMPLES <= (int)HONE_RACE_MOST, "room");
    HONE_TRY(hone__timer_series(timer, hone__rounds_median(item), &f->rest, n,
                                series_ns, err));
    hone__final_set_time(item, series_ns, n);
    return HONE_OK;
}

/* Runner `i` has shown that all need a long rest: those before it once more.
 * Who is at it is said, should it crash or hang. */
static hone_status take_again(hone_final_state *f, int i, hone_error *err)
{
    HONE_TRY(restore(f, err));
    for (int k = 0; k < i; ++k) {
        if (!f->report.items[k].n_series)
            continue;
        hone__final_say_at(f->to_parent, k, HONE_FINAL_SERIES);
        HONE_TRY(take_series(f, k, &f->report.items[k], err));
    }
    hone__final_say_at(f->to_parent, i, HONE_FINAL_SERIES);
    return HONE_OK;
}

static hone_status series(void *user, int i, hone_finalist *item,
                          hone_error *err)
{
    hone_final_state *f = user;
    hone_rest before;

    if (!f->problem->device->kind->rests) {
        /* Nothing lowers the clock of a core that works on. */
        double rounds_ns[HONE_RACE_MOST];

        memcpy(rounds_ns, item->rounds_ns, sizeof rounds_ns);
        hone__final_set_time(item, rounds_ns, item->n_samples);
        return HONE_OK;
    }
    if (!f->is_rest_chosen)
        f->rest = hone__rest_choose(&f->request, &f->report);
    f->is_rest_chosen = 1;
    before = f->rest;
    HONE_TRY(take_series(f, i, item, err));
    return before == HONE_REST_SHORT && f->rest != before
               ? take_again(f, i, err)
               : HONE_OK;
}

static void at(void *user, int i, hone_final_stage stage)
{
    const hone_final_state *f = user;

    hone__final_say_at(f->to_parent, i, stage);
}

static hone_status energy(void *user, int i, hone_finalist *item,
                          hone_error *err)
{
    hone_final_state *f = user;
    hone_energy measured;

    HONE_TRY(hone__energy_measure(&f->runners[i].timer, &measured, err));
    item->energy_uj = measured.energy_uj;
    return HONE_OK;
}

static const hone_final_ops ops = {
    hone__final_enter, open_runner, load_control, sample,
    recheck,           series,      at,           energy};

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

static hone_status read_request(hone_final_state *f, hone_unpack *in,
                                hone_error *err)
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

static hone_status run(hone_final_state *f, hone_error *err)
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
    hone_final_state *f = hone__alloc(sizeof *f);
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
