/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a tuning run: the best variants and the baselines meet in a
 * final (final.h); if none of them is right, the next ones do. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"
#include "tuner/trial/device_worker.h"
#include "tuner/session/final_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Refuted ones (no time) behind all others. */
static int by_time(const void *a, const void *b)
{
    const hone_candidate *x = a;
    const hone_candidate *y = b;

    if ((x->time_ns > 0) != (y->time_ns > 0))
        return x->time_ns > 0 ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->impl != y->impl)
        return x->impl < y->impl ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

int hone__tune_is_default(const hone_tune_run *run, const hone_candidate *c)
{
    return c->impl == &run->impls[0] && c->index == c->impl->default_index;
}

void hone__tune_sort_candidates(hone_tune_run *run)
{
    qsort(run->candidates, run->n_candidates, sizeof *run->candidates, by_time);
}

/* Parameters in which it differs from its implementation's default. */
static hone_status count_changed(const hone_candidate *c, int64_t *out,
                                 hone_error *err)
{
    const hone_tune_impl *impl = c->impl;
    const size_t n = impl->tmpl->n_params;
    int64_t *configs = hone__alloc((2 * n + 1) * sizeof *configs);

    if (!configs)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    hone__space_get(impl->space, c->index, configs);
    hone__space_get(impl->space, impl->default_index, configs + n);
    *out = 0;
    for (size_t i = 0; i < n; ++i)
        *out += configs[i] != configs[n + i];
    hone__free(configs);
    return HONE_OK;
}

/* A stored cubin that is damaged (its turn comes only after the best, which
 * were compiled again) takes its variant out. */
static hone_status read_cubin(hone_tune_run *run, hone_candidate *c,
                              hone_text *out, hone_text *out_plan,
                              hone_error *err)
{
    hone_db_launch launch;
    hone_error why = {0};
    const hone_status status =
        hone__db_launch_get(run->request->db, c->variant_id, &launch, &why);

    if (status == HONE_OK) {
        *out = launch.cubin; /* moved, both */
        *out_plan = launch.launch_plan;
        launch.cubin = launch.launch_plan = (hone_text){0};
        hone__db_launch_free(&launch);
        return HONE_OK;
    }
    if (!hone__db_is_damage(&why)) {
        *err = why;
        return status;
    }
    c->time_ns = -1;
    hone__tune_note(run, why.text);
    return HONE_OK;
}

static hone_status add_finalist(hone_tune_run *run, hone_tune_final_state *f,
                                size_t candidate, hone_error *err)
{
    hone_tune_finalist *finalist = &f->finalists[f->n];
    hone_final_entry *entry = &f->request.entries[f->n];
    hone_candidate *c = &run->candidates[candidate];
    const int is_default = hone__tune_is_default(run, c);

    hone_text plan = {0};

    HONE_TRY(read_cubin(run, c, &finalist->cubin, &plan, err));
    if (c->time_ns <= 0)
        return HONE_OK;
    ++f->n; /* from here on it is freed with the others */
    HONE_TRY(hone__tune_job_make(run, c->impl, c->index, &finalist->job, err));
    if (c->impl->tmpl->call) { /* with the algorithm that was measured */
        hone__text_free(&finalist->job->spec);
        finalist->job->spec = plan;
    } else {
        hone__text_free(&plan);
    }
    finalist->candidate = candidate;
    finalist->job->variant_id = c->variant_id;
    memcpy(finalist->job->cubin_sha256, c->cubin_sha256,
           sizeof c->cubin_sha256);
    *entry = (hone_final_entry){
        .job = {.id = f->n - 1,
                .launch_spec = hone__text_str(&finalist->job->spec),
                .cubin = finalist->cubin.data,
                .cubin_bytes = finalist->cubin.length},
        .time_ns = c->time_ns,
        .is_trial = 1,
        .keep = is_default,
        .wants_series = is_default,
        .features = {-1, -1, 0, c->index}};
    f->request.n_entries = f->n;
    return count_changed(c, &entry->features.n_changed, err);
}

static size_t n_alive(const hone_tune_run *run)
{
    size_t n = 0;

    while (n < run->n_candidates && run->candidates[n].time_ns > 0)
        ++n;
    return n;
}

/* The best by their trials, and the default variant. After a final in which
 * nobody was right, as many as there is room for. */
static hone_status choose_finalists(hone_tune_run *run,
                                    hone_tune_final_state *f, int again,
                                    hone_error *err)
{
    double times_ns[HONE_MOST_FINALISTS];
    size_t others[HONE_MOST_FINALISTS];
    size_t n, count, n_others = 0;

    hone__tune_sort_candidates(run);
    n = n_alive(run);
    count = n < HONE_MOST_FINALISTS ? n : HONE_MOST_FINALISTS;
    for (size_t i = 0; i < count; ++i)
        times_ns[i] = run->candidates[i].time_ns;
    if (!again)
        count = hone__final_count(times_ns, count,
                                  hone__tune_noise_level(&run->noise));
    count = again ? count : hone__tune_objective_room(run, count);
    for (size_t i = 0; i < n; ++i) {
        if (i < count || hone__tune_is_default(run, &run->candidates[i]))
            HONE_TRY(add_finalist(run, f, i, err));
        if (i < count)
            f->n_by_time = f->n;
    }
    if (!again)
        HONE_TRY(
            hone__tune_objective_choose(run, count, others, &n_others, err));
    for (size_t i = 0; i < n_others && f->n < HONE_MAX_FINALISTS; ++i)
        HONE_TRY(add_finalist(run, f, others[i], err));
    f->request.wants_energy =
        hone__objectives_use(run->request->objectives, HONE_FACT_energy_uj);
    return HONE_OK;
}

static void let_go(hone_tune_final_state *f)
{
    for (int i = 0; i < f->n; ++i) {
        hone__tune_job_free(f->finalists[i].job);
        hone__text_free(&f->finalists[i].cubin);
    }
    memset(f, 0, sizeof *f);
}

/* There is a winner, and not only because all but the default variant are
 * wrong; or going on would change nothing. */
static int is_final(const hone_tune_final_state *f)
{
    int n_right = 0;

    for (int i = 0; i < f->n_by_time; ++i)
        n_right += f->report.items[i].outcome == HONE_OUTCOME_OK;
    return n_right == f->n_by_time || (f->report.winner >= 0 && n_right > 0);
}

/* While the final's worker makes its context, the worker of the trials makes
 * room on the device; then the new one gets our kernels and goes on. */
static hone_status make_room(void *user, hone_worker *worker, hone_error *err)
{
    hone_tune_run *run = user;

    (void)hone__worker_stop(&run->workers[0].process, 1.0, NULL, 0);
    return hone__tune_kind(run)->needs_code
               ? hone__worker_send(worker, HONE_DEVICE_CODE_JOB,
                                   &run->helper_kernels.cubin, err)
               : HONE_OK;
}

static hone_status run_finals(hone_tune_run *run, hone_tune_final_state *f,
                              hone_error *err)
{
    const hone_final_host host = {.run = hone__device_worker,
                                  .user = &run->workers[0].setup,
                                  .started = make_room,
                                  .started_user = run,
                                  .least_s = run->request->trial_timeout_s};
    hone_db *db = run->request->db;

    if (hone__tune_kind(run)->needs_code)
        HONE_TRY(hone__helper_kernels_finish(&run->helper_kernels, run->farm,
                                             run->device.arch, err));
    hone__farm_dismiss(run->farm);
    run->workers[0].setup.device_code = NULL; /* see make_room() */
    run->workers[0].setup.problem.rotation = HONE_ROTATION_FINAL;
    for (int again = 0;; again = 1) {
        let_go(f);
        HONE_TRY(choose_finalists(run, f, again, err));
        if (!f->n)
            return HONE_OK; /* all of them were refuted */
        HONE_TRY(hone__db_begin(db, err));
        HONE_TRY(hone__db_end(db, hone__tune_final_announce(run, f, err), err));
        HONE_TRY(hone__final_ask(&host, &f->request, run->request->farm.stop,
                                 &f->report, err));
        HONE_TRY(hone__tune_final_refute(run, f, err));
        if (is_final(f))
            return HONE_OK;
    }
}

/* ---- the result --------------------------------------------------------- */

static void fill_winner(hone_tune_run *run, const hone_tune_final_state *f)
{
    hone_tune_result *result = run->result;
    const hone_final_report *report = &f->report;
    const hone_finalist *item = &report->items[report->winner];

    result->has_winner = 1;
    (void)snprintf(result->implementation, sizeof result->implementation, "%s",
                   f->finalists[report->winner].job->impl->name);
    (void)snprintf(result->winner, sizeof result->winner, "%.255s",
                   hone__text_str(&f->finalists[report->winner].job->config));
    result->time_ns = item->time_ns;
    result->spread_ns = item->spread_ns;
    result->ci_low_ns = item->ci_low_ns;
    result->ci_high_ns = item->ci_high_ns;
    result->error_ratio = item->error_ratio;
    result->noise_floor = report->noise_floor;
    (void)snprintf(result->verdict, sizeof result->verdict, "%s",
                   hone__race_verdict_name(report->verdict));
    hone__final_sentence(report, result->decided_by, sizeof result->decided_by);
    if (report->verdict == HONE_RACE_TOO_NOISY)
        hone__tune_note(run, result->decided_by);
}

static void fill_result(hone_tune_run *run, const hone_tune_final_state *f)
{
    hone_tune_result *result = run->result;
    const hone_final_report *report = &f->report;

    result->noise_floor = -1;
    if (f->n && report->winner >= 0)
        fill_winner(run, f);
    for (int i = 0; i < f->n; ++i) {
        if (hone__tune_is_default(run,
                                  &run->candidates[f->finalists[i].candidate]))
            result->default_ns = report->items[i].time_ns;
    }
    result->sm_clock_mhz = f->n ? report->clocks.sm_clock_mhz : -1;
    for (int i = f->n; i < report->n; ++i) {
        const hone_finalist *item = &report->items[i];
        hone_tune_baseline *b = &result->baselines[result->n_baselines++];

        (void)snprintf(b->name, sizeof b->name, "%.63s",
                       run->request->tmpl->baselines[-1 - item->id].name);
        (void)snprintf(b->label, sizeof b->label, "%.95s", item->label);
        (void)snprintf(b->message, sizeof b->message, "%.255s", item->message);
        b->time_ns = item->outcome == HONE_OUTCOME_OK ? item->time_ns : 0;
        b->spread_ns = item->spread_ns;
        b->algorithm = item->algorithm;
        b->n_algorithms = item->n_algorithms;
    }
}

hone_status hone__tune_final(hone_tune_run *run, hone_error *err)
{
    hone_tune_final_state *f;
    hone_status status;

    if (!run->n_candidates || run->request->verify_only)
        return HONE_OK; /* nothing valid: the outcomes tell why */
    f = hone__alloc(sizeof *f);
    if (!f)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    hone__tune_show_progress(run, "final");
    for (size_t i = 0; i < run->n_impls; ++i)
        run->impls[i].n_seeds = run->impls[i].n_starts =
            0; /* a refuted one does not go first again */
    status = run_finals(run, f, err);
    if (status == HONE_OK)
        status = hone__db_begin(run->request->db, err);
    if (status == HONE_OK) {
        fill_result(run, f);
        status = hone__db_end(run->request->db,
                              hone__tune_final_store(run, f, err), err);
    }
    let_go(f);
    hone__free(f);
    return status;
}
