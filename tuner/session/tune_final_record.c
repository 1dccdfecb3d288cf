/* SPDX-License-Identifier: Apache-2.0 */
/* What the database keeps of a final: see tune_state.h. */
#include "tuner/session/tune_state.h"

#include <stdio.h>
#include <string.h>

static const hone_candidate *candidate_of(const hone_tune_run *run,
                                          const hone_tune_final_state *f, int i)
{
    return &run->candidates[f->finalists[i].candidate];
}

static hone_status put_decision(hone_tune_run *run,
                                const hone_tune_final_state *f, int i,
                                const char *kind, const char *text,
                                hone_error *err)
{
    const hone_finalist *item = &f->report.items[i];
    const int fastest = f->report.fastest;
    const int compared = fastest >= 0 && item->ratio > 0;
    const hone_db_decision row = {
        .trial_id = candidate_of(run, f, i)->trial_id,
        .variant_id = candidate_of(run, f, i)->variant_id,
        .against_trial_id = compared && fastest != i
                                ? candidate_of(run, f, fastest)->trial_id
                                : 0,
        .kind = kind,
        .ratio = compared ? item->ratio : 0,
        .ratio_low = compared ? item->ratio_low : 0,
        .ratio_high = compared ? item->ratio_high : 0,
        .n_samples = compared ? item->n_samples : 0,
        .text = text};

    return hone__tune_decide(run, candidate_of(run, f, i)->impl, &row, err);
}

/* ---- who takes part ----------------------------------------------------- */

hone_status hone__tune_final_announce(hone_tune_run *run,
                                      const hone_tune_final_state *f,
                                      hone_error *err)
{
    const double best_ns = candidate_of(run, f, 0)->time_ns;
    char text[160];

    for (int i = 0; i < f->n; ++i) {
        const hone_candidate *c = candidate_of(run, f, i);

        if (i < f->n_by_time)
            (void)snprintf(text, sizeof text,
                           "in the final: place %d of %zu by its trial, %.4f "
                           "times the best",
                           i + 1, run->n_candidates, c->time_ns / best_ns);
        else if (!hone__tune_is_default(run, c))
            (void)snprintf(text, sizeof text,
                           "in the final for an objective: %.4f times the "
                           "best by its trial",
                           c->time_ns / best_ns);
        else
            (void)snprintf(text, sizeof text,
                           "in the final as the default variant: %.4f times "
                           "the best by its trial",
                           c->time_ns / best_ns);
        HONE_TRY(put_decision(run, f, i, "finalist", text, err));
    }
    return HONE_OK;
}

/* ---- who is out ---------------------------------------------------------- */

static void take_out(hone_tune_run *run, const hone_tune_final_state *f, int i)
{
    const hone_finalist *item = &f->report.items[i];
    hone_tune_result *result = run->result;
    hone_tune_out *out;

    if (result->n_out++ >= HONE_TUNE_MOST_OUT)
        return;
    out = &result->out[result->n_out - 1];
    out->trial_ns = candidate_of(run, f, i)->time_ns;
    (void)snprintf(out->implementation, sizeof out->implementation, "%.63s",
                   candidate_of(run, f, i)->impl->name);
    (void)snprintf(out->config, sizeof out->config, "%.255s",
                   hone__text_str(&f->finalists[i].job->config));
    (void)snprintf(out->outcome, sizeof out->outcome, "%.15s",
                   item->outcome == HONE_OUTCOME_OK
                       ? "no_room"
                       : hone__outcome_name(item->outcome));
    (void)snprintf(out->message, sizeof out->message, "%s", item->message);
}

static hone_status refute(hone_tune_run *run, hone_tune_final_state *f, int i,
                          hone_error *err)
{
    const hone_finalist *item = &f->report.items[i];
    hone_trial_report report = {.outcome = item->outcome,
                                .clocks.sm_clock_mhz = -1,
                                .error_ratio = item->error_ratio,
                                .device_s = f->request.disqualified[i].waited_s,
                                .verified = 1};
    char text[400];
    const char *kind = hone__final_reason(&f->report, i, text, sizeof text);

    (void)snprintf(report.message, sizeof report.message, "%.300s",
                   item->message);
    --run->progress.outcomes[HONE_OUTCOME_OK];
    --run->progress.n_done;
    --f->finalists[i].job->impl->share.n_told; /* is told once more */
    HONE_TRY(hone__tune_record_trial(run, f->finalists[i].job, &report, err));
    HONE_TRY(put_decision(run, f, i, kind, text, err));
    take_out(run, f, i);
    run->candidates[f->finalists[i].candidate].time_ns = -1;
    return HONE_OK;
}

hone_status hone__tune_final_refute(hone_tune_run *run,
                                    hone_tune_final_state *f, hone_error *err)
{
    for (int i = 0; i < f->n; ++i) {
        if (f->report.items[i].outcome != HONE_OUTCOME_OK)
            HONE_TRY(refute(run, f, i, err));
    }
    return HONE_OK;
}

/* ---- what came of it ---------------------------------------------------- */

/* Of the winner's implementation; without one that of the first. */
static int64_t session_of(const hone_tune_run *run,
                          const hone_tune_final_state *f)
{
    return f->n && f->report.winner >= 0
               ? candidate_of(run, f, f->report.winner)->impl->session_id
               : run->impls[0].session_id;
}

static hone_status put_baselines(hone_tune_run *run,
                                 const hone_tune_final_state *f,
                                 hone_error *err)
{
    for (size_t i = 0; i < run->result->n_baselines; ++i) {
        const hone_tune_baseline *b = &run->result->baselines[i];
        const hone_finalist *item = &f->report.items[f->n + (int)i];
        const hone_db_baseline row = {.session_id = session_of(run, f),
                                      .name = b->name,
                                      .label = b->label,
                                      .algorithm = b->algorithm,
                                      .n_algorithms = b->n_algorithms,
                                      .time_ns = b->time_ns,
                                      .spread_ns = b->spread_ns,
                                      .n_samples = item->n_series,
                                      .error_ratio = item->error_ratio,
                                      .message =
                                          b->message[0] ? b->message : NULL};
        int64_t id = 0;

        HONE_TRY(hone__db_baseline_put(run->request->db, &row, &id, err));
    }
    return HONE_OK;
}

static hone_status put_decisions(hone_tune_run *run,
                                 const hone_tune_final_state *f,
                                 hone_error *err)
{
    const hone_final_report *report = &f->report;
    const char *sentence = run->result->decided_by;

    for (int i = 0; i < f->n; ++i) {
        char text[400];
        const char *kind;

        if (report->items[i].outcome != HONE_OUTCOME_OK || i == report->winner)
            continue;
        if (report->items[i].is_left_out)
            take_out(run, f, i);
        kind = hone__final_reason(report, i, text, sizeof text);
        HONE_TRY(put_decision(run, f, i, kind, text, err));
    }
    if (!f->n || report->winner < 0)
        return HONE_OK;
    if (report->verdict == HONE_RACE_TOO_NOISY)
        HONE_TRY(
            put_decision(run, f, report->winner, "too_noisy", sentence, err));
    return put_decision(run, f, report->winner, "winner", sentence, err);
}

/* The next of the final by its ratio that is not taken yet; -1: none. */
static int next_of_final(const hone_tune_final_state *f, const int *taken)
{
    int next = -1;

    for (int i = 0; i < f->n; ++i) {
        const hone_finalist *item = &f->report.items[i];

        if (!taken[i] && item->outcome == HONE_OUTCOME_OK && item->ratio > 0 &&
            (next < 0 || item->ratio < f->report.items[next].ratio))
            next = i;
    }
    return next;
}

static int was_taken(const hone_tune_final_state *f, const int *taken,
                     size_t candidate)
{
    for (int i = 0; i < f->n; ++i) {
        if (taken[i] && f->finalists[i].candidate == candidate)
            return 1;
    }
    return 0;
}

/* Implementations that have a candidate and no place yet. */
static size_t count_without(const hone_tune_run *run, const int *has_place)
{
    int counted[HONE_MAX_IMPLS] = {0};
    size_t n = 0;

    for (size_t i = 0; i < run->n_candidates; ++i) {
        const size_t impl = (size_t)(run->candidates[i].impl - run->impls);

        if (run->candidates[i].time_ns <= 0 || has_place[impl] || counted[impl])
            continue;
        counted[impl] = 1;
        ++n;
    }
    return n;
}

/* Winner first, the other finalists by their ratio in the final, then the
 * rest by their trial's time, the best of each implementation in any case:
 * it is launched where the winner cannot be. Without a winner, nobody. */
static hone_status put_ranking(hone_tune_run *run,
                               const hone_tune_final_state *f, hone_error *err)
{
    hone_db_ranked ranked[HONE_TUNE_RANKED + HONE_MAX_FINALISTS];
    int taken[HONE_MAX_FINALISTS] = {0};
    int has_place[HONE_MAX_IMPLS] = {0};
    size_t n = 0, n_without;

    for (int i = f->n ? f->report.winner : -1; i >= 0;
         i = next_of_final(f, taken)) {
        const hone_finalist *item = &f->report.items[i];

        taken[i] = 1;
        has_place[candidate_of(run, f, i)->impl - run->impls] = 1;
        ranked[n] = (hone_db_ranked){
            .trial_id = candidate_of(run, f, i)->trial_id,
            .time_ns = item->time_ns,
            .ci_low_ns = item->ci_low_ns,
            .ci_high_ns = item->ci_high_ns,
            .decided_by = n ? "order of the final" : run->result->decided_by};
        ++n;
    }
    n_without = count_without(run, has_place);
    for (size_t i = 0; n && i < run->n_candidates; ++i) {
        const hone_candidate *c = &run->candidates[i];
        const size_t impl = (size_t)(c->impl - run->impls);
        const int is_first = !has_place[impl] && c->time_ns > 0;

        has_place[impl] |= is_first;
        n_without -= (size_t)is_first;
        if (c->time_ns > 0 && !was_taken(f, taken, i) &&
            (is_first || n + n_without < HONE_TUNE_RANKED))
            ranked[n++] = (hone_db_ranked){.trial_id = c->trial_id,
                                           .time_ns = c->time_ns,
                                           .decided_by = HONE_DB_BY_TRIAL};
    }
    return hone__db_ranking_put(run->request->db, session_of(run, f), ranked, n,
                                err);
}

hone_status hone__tune_final_store(hone_tune_run *run,
                                   const hone_tune_final_state *f,
                                   hone_error *err)
{
    const hone_tune_result *result = run->result;
    const char *verdict = result->verdict[0] ? result->verdict : NULL;
    const hone_db_session_summary properties = {
        -1, result->noise_floor, -1, -1, -1, verdict, NULL};

    HONE_TRY(put_baselines(run, f, err));
    HONE_TRY(put_decisions(run, f, err));
    HONE_TRY(hone__db_session_measured(run->request->db, session_of(run, f),
                                       &properties, err));
    HONE_TRY(put_ranking(run, f, err));
    return hone__tune_objective_store(run, f, err);
}
