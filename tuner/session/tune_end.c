/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a tuning run: when it tries no more and why, what it leaves if it
 * was interrupted, and why nothing won. */
#include "tuner/session/tune_state.h"

#include "tuner/judge/outcome.h"

#include <stdio.h>
#include <string.h>

int64_t hone__tune_budget_left(const hone_tune_run *run)
{
    return run->request->budget_trials + run->n_beside - run->progress.n_done -
           hone__tune_under_way(run);
}

static int budget_is_spent(const hone_tune_run *run)
{
    const hone_tune_request *request = run->request;

    /* While another process had the device there was nothing to spend. */
    if (request->budget_s > 0 && hone__tune_elapsed_s(run) >= request->budget_s)
        return 1;
    return request->budget_trials > 0 && hone__tune_budget_left(run) <= 0;
}

int hone__tune_is_enough(const hone_tune_run *run)
{
    return run->strategy_why || hone__until_is_reached(&run->until) ||
           budget_is_spent(run);
}

/* Nothing is left: a budget that is spent with the last one did not matter.
 */
static int is_exhausted(const hone_tune_run *run)
{
    return (run->exhausted && !run->deferred.n) ||
           run->progress.n_done >= run->result->space_valid;
}

static void explain_stop(hone_tune_run *run, hone_status status, char *text,
                         size_t size)
{
    hone_tune_result *result = run->result;
    const long long n = run->progress.n_done;
    const char *reason = "budget";

    if (status != HONE_OK) {
        reason = "interrupted";
        (void)snprintf(text, size, "interrupted after %lld trials", n);
    } else if (run->strategy_why) {
        reason = "strategy";
        (void)snprintf(text, size, "after %lld trials %s", n,
                       run->strategy_why);
    } else if (is_exhausted(run)) {
        reason = "exhausted";
        (void)snprintf(text, size, "after %lld trials there was no more", n);
    } else if (hone__until_is_reached(&run->until)) {
        reason = "unlikely";
        (void)snprintf(text, size,
                       "after %lld trials another %g %% is unlikely: the last "
                       "%lld gained less",
                       n, 100 * run->until.gain,
                       (long long)(run->until.n_told - run->until.last_gain));
    } else {
        (void)snprintf(text, size, "after %lld trials the budget was spent", n);
    }
    (void)snprintf(result->stopped, sizeof result->stopped, "%s", reason);
    (void)snprintf(result->stopped_why, sizeof result->stopped_why, "%s", text);
}

hone_status hone__tune_stop(hone_tune_run *run, hone_status status,
                            hone_error *err)
{
    const char *stopped = run->result->stopped;
    const hone_db_session_summary properties = {-1, -1,   -1,     -1,
                                                -1, NULL, stopped};
    char text[sizeof run->result->stopped_why];

    if (status != HONE_OK && status != HONE_ERR_INTERRUPTED)
        return HONE_OK;
    explain_stop(run, status, text, sizeof text);
    if (!hone__tune_is_recorded(run))
        return HONE_OK;
    for (size_t i = 0; i < run->n_impls; ++i)
        HONE_TRY(hone__db_session_measured(
            run->request->db, run->impls[i].session_id, &properties, err));
    return hone__tune_record_decision(run, "stopped", text, err);
}

/* ---- without a winner ----------------------------------------------------
 * The sentence comes from the database and not from what passed through the
 * run: so it also counts earlier runs' trials, and those that the final
 * refuted. */

static hone_status add_ends(void *user, const hone_db_ends *ends,
                            hone_error *err)
{
    const hone_outcome outcome = hone__outcome_find(ends->outcome);

    (void)err;
    if (outcome != HONE_N_OUTCOMES)
        hone__failures_add(user, outcome, ends->message, ends->n);
    return HONE_OK;
}

/* What has nothing to do with failures. */
static const char *other_reason(const hone_tune_run *run, int interrupted)
{
    if (!run->progress.n_done)
        return "no trial came to its end";
    return interrupted && run->n_candidates
               ? "interrupted before the final came to its end"
               : "";
}

hone_status hone__tune_explain(hone_tune_run *run, int interrupted,
                               hone_error *err)
{
    const char *reason = other_reason(run, interrupted);
    hone_tune_result *result = run->result;
    hone_failures failures = {.n_complaints = 0};

    if (result->has_winner || !hone__tune_is_recorded(run))
        return HONE_OK;
    (void)snprintf(result->message, sizeof result->message, "%s", reason);
    if (reason[0])
        return HONE_OK;
    for (size_t i = 0; i < run->n_impls; ++i) {
        const hone_db_trial_key key = hone__tune_trial_key(run, &run->impls[i]);

        HONE_TRY(
            hone__db_ends(run->request->db, &key, add_ends, &failures, err));
    }
    hone__failures_text(&failures, result->message, sizeof result->message);
    return HONE_OK;
}

/* ---- interrupted ---------------------------------------------------------
 * The best that was found, if nothing better is known: it was verified and
 * timed, but in no final. */

static hone_status on_count(void *user, const hone_db_row *row, hone_error *err)
{
    (void)err;
    *(int64_t *)user += row->values[0].integer;
    return HONE_OK;
}

/* Winners that were decided, and are not stale: an interrupted run replaces
 * none of them. */
static hone_status count_decided(const hone_tune_run *run, int64_t *out,
                                 hone_error *err)
{
    static const char sql[] =
        "SELECT count(*) FROM ranking r"
        " JOIN session s ON s.session_id = r.session_id"
        " JOIN trial t ON t.trial_id = r.trial_id"
        " JOIN variant v ON v.variant_id = t.variant_id"
        " WHERE r.problem_id = ?1 AND r.device_id = ?2 AND r.mode = ?3"
        " AND r.rank = 1 AND v.template_id = ?4"
        " AND (s.verdict IS NOT NULL OR s.status <> 'interrupted')";

    for (size_t i = 0; i < run->n_impls; ++i) {
        const hone_db_value key[] = {
            hone__db_integer(run->problem_id), hone__db_integer(run->device_id),
            hone__db_text(hone__mode_name(run->request->mode)),
            hone__db_integer(run->impls[i].template_id)};

        HONE_TRY(
            hone__db_query(run->request->db, sql, key, 4, on_count, out, err));
    }
    return HONE_OK;
}

/* Fastest first by their trials; those that a final refuted are left out. */
static hone_status put_best(hone_tune_run *run, size_t n, const char *sentence,
                            hone_error *err)
{
    const hone_candidate *best = &run->candidates[0];
    const hone_db_decision row = {.trial_id = best->trial_id,
                                  .variant_id = best->variant_id,
                                  .kind = "interrupted",
                                  .text = sentence};
    hone_db_ranked ranked[HONE_TUNE_RANKED];

    for (size_t i = 0; i < n; ++i)
        ranked[i] =
            (hone_db_ranked){.trial_id = run->candidates[i].trial_id,
                             .time_ns = run->candidates[i].time_ns,
                             .decided_by = i ? HONE_DB_BY_TRIAL : sentence};
    HONE_TRY(hone__tune_decide(run, best->impl, &row, err));
    return hone__db_ranking_put(run->request->db, best->impl->session_id,
                                ranked, n, err);
}

static hone_status fill_result(hone_tune_run *run, const char *sentence,
                               hone_error *err)
{
    hone_tune_result *result = run->result;
    const hone_candidate *best = &run->candidates[0];
    hone_tune_job *job = NULL;

    HONE_TRY(hone__tune_job_make(run, best->impl, best->index, &job, err));
    (void)snprintf(result->winner, sizeof result->winner, "%.255s",
                   hone__text_str(&job->config));
    hone__tune_job_free(job);
    result->has_winner = 1;
    result->time_ns = best->time_ns;
    (void)snprintf(result->implementation, sizeof result->implementation, "%s",
                   best->impl->name);
    for (size_t i = 0; i < run->n_candidates; ++i)
        if (hone__tune_is_default(run, &run->candidates[i]) &&
            run->candidates[i].time_ns > 0)
            result->default_ns = run->candidates[i].time_ns;
    (void)snprintf(result->verdict, sizeof result->verdict, "interrupted");
    (void)snprintf(result->decided_by, sizeof result->decided_by, "%s",
                   sentence);
    return HONE_OK;
}

hone_status hone__tune_keep_best(hone_tune_run *run, hone_error *err)
{
    char sentence[160];
    int64_t n_decided = 0;
    size_t n = 0;

    if (!hone__tune_is_recorded(run) || !run->n_candidates ||
        run->request->verify_only || run->request->list)
        return HONE_OK;
    hone__tune_sort_candidates(run);
    while (n < run->n_candidates && n < HONE_TUNE_RANKED &&
           run->candidates[n].time_ns > 0)
        ++n;
    HONE_TRY(count_decided(run, &n_decided, err));
    if (n_decided || !n)
        return HONE_OK;
    (void)snprintf(sentence, sizeof sentence,
                   "interrupted: the fastest of %zu by its trial, without a "
                   "final; verified on its own shape only, not on edge shapes",
                   run->n_candidates);
    HONE_TRY(hone__db_begin(run->request->db, err));
    HONE_TRY(
        hone__db_end(run->request->db, put_best(run, n, sentence, err), err));
    return fill_result(run, sentence, err);
}
