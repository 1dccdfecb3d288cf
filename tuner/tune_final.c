/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a tuning run: the best variants and the rivals run in turns,
 * the winner is chosen on paired differences, the ranking is stored. */
#include "tuner/tune_state.h"

#include "runtime/alloc.h"
#include "tuner/final_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N_FINALISTS = 8,
    N_RANKED = 50 /* so that another device can be seeded from them */
};

static int by_time(const void *a, const void *b)
{
    const hone_candidate *x = a;
    const hone_candidate *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Text and cubin of a finalist, as the worker takes them. */
typedef struct finalist {
    hone_tune_job *job;
    hone_text cubin;
    size_t candidate;
} finalist;

typedef struct final_state {
    finalist finalists[HONE_MAX_FINALISTS];
    int n;
    hone_final_report *report;
} final_state;

static hone_status add_finalist(hone_tune_run *run, final_state *f,
                                size_t candidate, hone_error *err)
{
    finalist *entry = &f->finalists[f->n];
    const hone_candidate *c = &run->candidates[candidate];

    for (int i = 0; i < f->n; ++i) {
        if (f->finalists[i].candidate == candidate)
            return HONE_OK;
    }
    HONE_TRY(hone__tune_job_make(run, c->index, &entry->job, err));
    ++f->n; /* from here on it is freed with the others */
    entry->candidate = candidate;
    entry->job->variant_id = c->variant_id;
    memcpy(entry->job->cubin_sha256, c->cubin_sha256,
           sizeof c->cubin_sha256);
    return hone__db_artifact_get(run->request->db, c->cubin_sha256,
                                 &entry->cubin, err);
}

static hone_status choose_finalists(hone_tune_run *run, final_state *f,
                                    hone_error *err)
{
    qsort(run->candidates, run->n_candidates, sizeof *run->candidates,
          by_time);
    for (size_t i = 0; i < run->n_candidates; ++i) {
        const int is_default = run->candidates[i].index == run->default_index;

        if (i < N_FINALISTS || is_default)
            HONE_TRY(add_finalist(run, f, i, err));
    }
    return HONE_OK;
}

static hone_status run_final(hone_tune_run *run, final_state *f,
                             hone_error *err)
{
    hone_trial_job jobs[HONE_MAX_FINALISTS];

    for (int i = 0; i < f->n; ++i) {
        const finalist *entry = &f->finalists[i];

        jobs[i] = (hone_trial_job){
            .id = i,
            .launch_spec = hone__text_str(&entry->job->spec),
            .cubin = entry->cubin.data,
            .cubin_bytes = entry->cubin.length};
    }
    /* The worker of the trials makes room on the device. */
    hone__worker_stop(&run->gpu, 1.0, NULL, 0);
    return hone__final_ask(run->request->farm.backend, &run->gpu_setup, jobs,
                           f->n, run->request->farm.stop, f->report, err);
}

/* A finalist that is wrong on an awkward shape gets a new trial with that
 * outcome: the last one counts. */
static hone_status record_losers(hone_tune_run *run, final_state *f,
                                 hone_error *err)
{
    for (int i = 0; i < f->n; ++i) {
        const hone_finalist *item = &f->report->items[i];
        const finalist *entry = &f->finalists[i];
        hone_trial_report report = {.outcome = item->outcome,
                                    .sm_clock_mhz = -1,
                                    .error_ratio = item->error_ratio,
                                    .verified = 1};

        if (item->outcome == HONE_OUTCOME_OK)
            continue;
        (void)snprintf(report.message, sizeof report.message, "%.300s",
                       item->message);
        run->candidates[entry->candidate].time_ns = -1;
        --run->progress.outcomes[HONE_OUTCOME_OK];
        --run->progress.n_done;
        HONE_TRY(hone__tune_record_trial(run, entry->job, &report, err));
    }
    return HONE_OK;
}

/* The tie rule: among the finalists whose paired interval to the fastest
 * contains 1, the one with the fewest registers wins. */
static int choose_winner(hone_tune_run *run, const final_state *f)
{
    int fastest = -1;
    int winner;
    int n_tied = 0;

    for (int i = 0; i < f->n; ++i) {
        const hone_finalist *item = &f->report->items[i];

        if (item->outcome == HONE_OUTCOME_OK && item->ratio > 0 &&
            (fastest < 0 || item->ratio < f->report->items[fastest].ratio))
            fastest = i;
    }
    winner = fastest;
    for (int i = 0; fastest >= 0 && i < f->n; ++i) {
        const hone_finalist *item = &f->report->items[i];
        const int mine = run->candidates[f->finalists[i].candidate].registers;
        const int best =
            run->candidates[f->finalists[winner].candidate].registers;

        if (item->outcome != HONE_OUTCOME_OK || item->ratio <= 0 ||
            i == fastest || item->ratio_low > 1.0 || item->ratio > 1.005)
            continue;
        ++n_tied;
        if (mine > 0 && best > 0 && mine < best)
            winner = i;
    }
    if (fastest >= 0)
        (void)snprintf(run->result->decided_by,
                       sizeof run->result->decided_by,
                       n_tied ? "%d finalists in %d interleaved rounds; %d "
                                "tied with the fastest, fewest registers"
                              : "%d finalists in %d interleaved rounds; the "
                                "fastest",
                       f->n, HONE_FINAL_ROUNDS, n_tied);
    return winner;
}

static void fill_result(hone_tune_run *run, const final_state *f, int winner)
{
    hone_tune_result *result = run->result;

    for (int i = 0; i < f->n; ++i) {
        if (f->finalists[i].job->index == run->default_index)
            result->default_ns = f->report->items[i].time_ns;
    }
    result->sm_clock_mhz = f->report->sm_clock_mhz;
    if (winner >= 0) {
        const hone_finalist *item = &f->report->items[winner];

        result->has_winner = 1;
        (void)snprintf(result->winner, sizeof result->winner, "%.255s",
                       hone__text_str(&f->finalists[winner].job->config));
        result->time_ns = item->time_ns;
        result->spread_ns = item->spread_ns;
        result->ci_low_ns = item->ci_low_ns;
        result->ci_high_ns = item->ci_high_ns;
        result->error_ratio = item->error_ratio;
    }
    for (int i = f->n; i < f->report->n; ++i) {
        const hone_finalist *item = &f->report->items[i];
        hone_tune_baseline *b = &result->baselines[result->n_baselines++];

        (void)snprintf(b->name, sizeof b->name, "%.31s",
                       run->request->tmpl->baselines[-1 - item->id]);
        (void)snprintf(b->label, sizeof b->label, "%.95s", item->label);
        (void)snprintf(b->message, sizeof b->message, "%.255s",
                       item->message);
        b->time_ns = item->outcome == HONE_OUTCOME_OK ? item->time_ns : 0;
        b->spread_ns = item->spread_ns;
        b->choice = item->choice;
        b->n_choices = item->n_choices;
    }
}

static hone_status store_baselines(hone_tune_run *run, const final_state *f,
                                   hone_error *err)
{
    for (size_t i = 0; i < run->result->n_baselines; ++i) {
        const hone_tune_baseline *b = &run->result->baselines[i];
        const hone_db_baseline row = {
            .session_id = run->session_id,
            .name = b->name,
            .label = b->label,
            .choice = b->choice,
            .n_choices = b->n_choices,
            .time_ns = b->time_ns,
            .spread_ns = b->spread_ns,
            .n_samples = HONE_FINAL_ROUNDS,
            .error_ratio = f->report->items[f->n + (int)i].error_ratio,
            .message = b->message[0] ? b->message : NULL};
        int64_t id = 0;

        HONE_TRY(hone__db_baseline_put(run->request->db, &row, &id, err));
    }
    return HONE_OK;
}

/* Winner first, the other finalists by their ratio in the final, then the
 * rest by their trial's time. */
static hone_status store_ranking(hone_tune_run *run, const final_state *f,
                                 int winner, hone_error *err)
{
    hone_db_ranked ranked[N_RANKED + HONE_MAX_FINALISTS];
    int taken[HONE_MAX_FINALISTS] = {0};
    size_t n = 0;

    for (int next = winner; next >= 0;) {
        const hone_finalist *item = &f->report->items[next];

        taken[next] = 1;
        ranked[n] = (hone_db_ranked){
            .trial_id = run->candidates[f->finalists[next].candidate].trial_id,
            .time_ns = item->time_ns,
            .ci_low_ns = item->ci_low_ns,
            .ci_high_ns = item->ci_high_ns,
            .decided_by = n ? "order of the final" : run->result->decided_by};
        ++n;
        next = -1;
        for (int i = 0; i < f->n; ++i) {
            const hone_finalist *other = &f->report->items[i];

            if (!taken[i] && other->outcome == HONE_OUTCOME_OK &&
                other->ratio > 0 &&
                (next < 0 || other->ratio < f->report->items[next].ratio))
                next = i;
        }
    }
    for (size_t i = 0; i < run->n_candidates && n < N_RANKED; ++i) {
        int in_final = 0;

        for (int k = 0; k < f->n; ++k)
            in_final |= f->finalists[k].candidate == i;
        if (!in_final && run->candidates[i].time_ns > 0)
            ranked[n++] =
                (hone_db_ranked){.trial_id = run->candidates[i].trial_id,
                                 .time_ns = run->candidates[i].time_ns,
                                 .decided_by = "time of its trial"};
    }
    return hone__db_ranking_put(run->request->db, run->session_id, ranked, n,
                                err);
}

static hone_status finish(hone_tune_run *run, final_state *f, hone_error *err)
{
    int winner;

    HONE_TRY(choose_finalists(run, f, err));
    HONE_TRY(run_final(run, f, err));
    HONE_TRY(record_losers(run, f, err));
    winner = choose_winner(run, f);
    fill_result(run, f, winner);
    HONE_TRY(store_baselines(run, f, err));
    return store_ranking(run, f, winner, err);
}

hone_status hone__tune_final(hone_tune_run *run, hone_error *err)
{
    final_state *f;
    hone_status status;

    if (!run->n_candidates || run->request->verify_only)
        return HONE_OK; /* nothing valid: the outcomes tell why */
    f = hone__alloc(sizeof *f);
    if (f)
        f->report = hone__alloc(sizeof *f->report);
    if (!f || !f->report) {
        hone__free(f);
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    }
    hone__tune_show_progress(run, "final");
    status = finish(run, f, err);
    for (int i = 0; i < f->n; ++i) {
        hone__tune_job_free(f->finalists[i].job);
        hone__text_free(&f->finalists[i].cubin);
    }
    hone__free(f->report);
    hone__free(f);
    return status;
}
