/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of `hone tune`, several of them or on several devices: what is dealt,
 * what comes back, and where the time went. */
#include "tools/base/message.h"
#include "tools/tune_work.h"

#include "runtime/base/alloc.h"
#include "runtime/base/text.h"
#include "tuner/trial/devices.h"

#include <stdio.h>
#include <string.h>

/* What its callbacks share. */
typedef struct several {
    hone_tune_work *work;
    hone_problem_costs costs;
    hone_dispatch_request request;
    int is_shown;       /* on one device: there is a progress line */
    hone_status status; /* what a callback could not return */
    hone_error error;
} several;

static several state;

static const hone_shape *shape_of(const hone_tune_work *work,
                                  const hone_dispatch_job *job)
{
    return &work->shapes.items[(size_t)job->place % work->shapes.n];
}

/* In the lane. */
static void fill(void *user, const hone_dispatch_job *job,
                 hone_tune_request *out)
{
    const hone_tune_work *work = ((const several *)user)->work;

    *out = work->request;
    hone__tune_shape_request(work, shape_of(work, job), out);
    out->budget_trials = job->budget_trials;
    out->budget_s = job->budget_s;
    hone__tune_shape_part(work, shape_of(work, job), out);
    out->learn = job->is_last && !job->is_look;
}

/* On one device they keep their order, for that is how rows are printed. */
static double cost(void *user, const hone_dispatch_job *job)
{
    const several *s = user;
    const hone_shape *shape = shape_of(s->work, job);

    if (!s->work->is_several)
        return 0;
    return hone__problem_cost_s(
        &s->costs,
        &(hone_problem_size){shape->tmpl->op, shape->dims, shape->tmpl->n_dims,
                             job->budget_trials, job->budget_s});
}

/* ---- while it runs ------------------------------------------------------- */

/* One device has the line to itself, and gives it back for the row. */
static void show_alone(several *s, const hone_dispatch_job *job,
                       const hone_tune_progress *progress)
{
    hone_text title = {0};

    if (!job) {
        hone__progress_end();
        s->is_shown = 0;
    } else if (!s->is_shown) {
        hone__tune_title(shape_of(s->work, job), &title);
        hone__progress_begin(hone__text_str(&title));
        hone__text_free(&title);
        s->is_shown = 1;
    }
    if (progress)
        hone__tune_on_progress(NULL, progress);
}

static void show_row(const several *s, size_t device,
                     const hone_dispatch_job *job,
                     const hone_tune_progress *progress)
{
    const char *name =
        s->work->dispatch
            ? hone__dispatch_device(s->work->dispatch, device)->name
            : "devices";
    char best[320], failures[160];
    hone_text label = {0};

    hone__text_printf(&label, "%s%s ", name,
                      job && !progress ? " helps with" : "");
    if (job)
        hone__tune_title(shape_of(s->work, job), &label);
    if (progress) {
        const hone_progress_step step =
            hone__tune_step(progress, best, failures);

        hone__progress_show_row(device, hone__text_str(&label), &step);
    } else {
        hone__progress_show_row(device, hone__text_str(&label), NULL);
    }
    hone__text_free(&label);
}

static void on_progress(void *user, size_t device, const hone_dispatch_job *job,
                        const hone_tune_progress *progress)
{
    several *s = user;

    if (s->work->is_several)
        show_row(s, device, job, progress);
    else
        show_alone(s, job, progress);
}

static void remember(several *s, const hone_dispatch_outcome *outcome)
{
    const hone_shape *shape = shape_of(s->work, outcome->job);
    const hone_tune_result *result = outcome->result;
    hone_problem_sample sample = {.n_dims = shape->tmpl->n_dims,
                                  .seconds = result->seconds,
                                  .n_trials =
                                      result->n_trials - result->n_resumed};

    (void)snprintf(sample.op, sizeof sample.op, "%s", shape->tmpl->op);
    memcpy(sample.dims, shape->dims, sizeof sample.dims);
    if (s->work->is_several && outcome->status == HONE_OK &&
        sample.n_trials > 0)
        s->status = hone__problem_costs_add(&s->costs, &sample, &s->error);
}

/* One that several devices have given up has no winner; the others go on. */
static void on_outcome(void *user, const hone_dispatch_outcome *outcome)
{
    several *s = user;
    hone_tune_work *work = s->work;
    hone_tune_request request = work->request;
    hone_error error = *outcome->error;
    const hone_status status =
        work->is_several && outcome->status == HONE_ERR_CUDA
            ? HONE_ERR_NO_MEMORY
            : outcome->status;

    if (s->status != HONE_OK)
        return;
    hone__tune_shape_request(work, shape_of(work, outcome->job), &request);
    work->place = (size_t)outcome->job->place;
    work->is_look = outcome->job->is_look;
    if (work->is_several)
        work->on = hone__dispatch_device(work->dispatch, outcome->device)->name;
    (void)hone__tune_shape_outcome(work, &request, outcome->result, status,
                                   &error);
    work->on = NULL;
    remember(s, outcome);
}

static void on_note(void *user, const char *sentence)
{
    (void)user;
    hone__message_note("%s", sentence);
}

hone_status hone__tune_devices_tune(void *user, const hone_tune_piece *pieces,
                                    size_t n, hone_error *err)
{
    hone_tune_work *work = user;
    hone_dispatch_job *jobs = hone__alloc((n + 1) * sizeof *jobs);
    hone_status status;

    if (!jobs)
        return hone__out_of_memory(err, " for the shapes");
    for (size_t i = 0; i < n; ++i) {
        const hone_tune_piece *piece = &pieces[i];
        const size_t model = piece->place / work->shapes.n;

        jobs[i] = (hone_dispatch_job){
            .place = (int64_t)piece->place,
            .model = (int)model,
            .group = (int)work->shapes.items[piece->place % work->shapes.n].op,
            .budget_trials = piece->budget.trials,
            .budget_s = piece->budget.seconds,
            .is_look = piece->budget.is_look};
    }
    if (work->is_several)
        hone__progress_begin_rows(hone__dispatch_n_devices(work->dispatch));
    status = hone__dispatch_run(work->dispatch, jobs, n, err);
    hone__progress_end();
    hone__free(jobs);
    if (status == HONE_OK && state.status != HONE_OK) {
        *err = state.error;
        status = state.status;
    }
    return status;
}

/* ---- before and after ---------------------------------------------------- */

hone_status hone__tune_devices_open(hone_tune_work *work, hone_error *err)
{
    const hone_devices *devices = &work->devices;

    state = (several){.work = work};
    if (work->is_several)
        HONE_TRY(hone__problem_costs_read(
            work->request.db, hone__device_kind(devices->backend)->name,
            &state.costs, err));
    hone__db_close(work->request.db);
    work->request.db = NULL;
    state.request = (hone_dispatch_request){
        .backend = devices->backend,
        .n_devices = devices->n,
        .prepares =
            work->shapes.n > 1 && hone__dispatch_prepares(devices->backend),
        .farm = &work->request.farm,
        .db_path = hone__text_str(&work->db_path),
        .fill = fill,
        .cost = cost,
        .on_progress = on_progress,
        .on_outcome = on_outcome,
        .on_note = on_note,
        .user = &state};
    memcpy(state.request.ordinals, devices->ordinals, sizeof devices->ordinals);
    HONE_TRY(hone__dispatch_open(&state.request, &work->dispatch, err));
    work->n_models = hone__dispatch_n_models(work->dispatch);
    return HONE_OK;
}

static void put_device(hone_tune_work *work, size_t i)
{
    const hone_dispatch_device *device =
        hone__dispatch_device(work->dispatch, i);
    hone_dispatch_use u;
    double all_s, part;

    hone__dispatch_use_of(work->dispatch, i, &u);
    all_s = u.busy_s + u.setup_s + u.final_s + u.starved_s + u.locked_s +
            u.lent_s + u.idle_s + u.rest_s;
    part = all_s > 0 ? 100 / all_s : 0;
    hone__message_note(
        "%s: %lld problems, %lld trials in %.1f s: %.0f %% at variants, %.0f "
        "%% set-up, %.0f %% finals, %.0f %% lent; it waited for the compiler "
        "%.0f %%, for another process %.0f %%, for hone %.0f %%, had no "
        "problem %.0f %%",
        device->name, (long long)u.n_problems, (long long)u.n_trials, all_s,
        part * u.busy_s, part * u.setup_s, part * u.final_s, part * u.lent_s,
        part * u.starved_s, part * u.locked_s, part * u.rest_s,
        part * u.idle_s);
    work->device_rows = hone__json_append(
        work->device_rows,
        hone__json("on:s device:s fell_off:s problems:I trials:I seconds:f "
                   "busy_s:f setup_s:f final_s:f starved_s:f locked_s:f "
                   "lent_s:f idle_s:f rest_s:f",
                   device->name, device->report.name,
                   device->is_out ? device->why : NULL, u.n_problems,
                   u.n_trials, all_s, u.busy_s, u.setup_s, u.final_s,
                   u.starved_s, u.locked_s, u.lent_s, u.idle_s, u.rest_s));
}

static void put_compilers(hone_tune_work *work)
{
    const hone_farm_use *f = hone__dispatch_farm_use(work->dispatch);
    const double wall_s = f->wall_s * f->n_workers;
    const double busy = wall_s > 0 ? f->busy_s / wall_s : 0;
    const double wait_s = f->n_jobs ? f->queued_s / (double)f->n_jobs : 0;

    hone__message_note("compile processes: %d, %.0f %% busy; %lld variants, "
                       "%lld of them from the cache; each waited %.3f s for a "
                       "process",
                       f->n_workers, 100 * busy, (long long)f->n_jobs,
                       (long long)f->n_cached, wait_s);
    work->compile_row = hone__json(
        "processes:i seconds:f busy_ratio:f variants:I cached:I wait_s:f",
        f->n_workers, f->wall_s, busy, f->n_jobs, f->n_cached, wait_s);
}

/* The devices of each model that are left: they measure portfolios. */
static void choose_models(hone_tune_work *work)
{
    size_t chosen[HONE_DISPATCH_MOST_DEVICES];

    work->n_model_devices =
        hone__dispatch_of_each_model(work->dispatch, chosen);
    for (size_t i = 0; i < work->n_model_devices; ++i) {
        const hone_dispatch_device *device =
            hone__dispatch_device(work->dispatch, chosen[i]);
        hone_tune_model *model = &work->models[i];

        model->report = device->report;
        (void)snprintf(model->name, sizeof model->name, "%s", device->name);
        for (size_t k = 0; k < hone__dispatch_n_devices(work->dispatch); ++k) {
            const hone_dispatch_device *other =
                hone__dispatch_device(work->dispatch, k);

            if (other->model == device->model && !other->is_out)
                model->ordinals[model->n++] = other->ordinal;
        }
    }
}

hone_status hone__tune_devices_close(hone_tune_work *work, hone_status status,
                                     hone_error *err)
{
    if (work->dispatch && work->is_several) {
        work->device_rows = json_array();
        for (size_t i = 0; i < hone__dispatch_n_devices(work->dispatch); ++i)
            put_device(work, i);
        put_compilers(work);
        choose_models(work);
    }
    hone__dispatch_close(work->dispatch);
    work->dispatch = NULL;
    hone__problem_costs_free(&state.costs);
    return status == HONE_OK && !work->request.db
               ? hone__db_open(hone__text_str(&work->db_path), 0,
                               &work->request.db, err)
               : status;
}
