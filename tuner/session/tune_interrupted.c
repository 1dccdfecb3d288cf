/* SPDX-License-Identifier: Apache-2.0 */
/* A run that was interrupted leaves the best that it has found, if nothing
 * better is known: it was verified and timed, but in no final. */
#include "tuner/session/tune_state.h"

#include <stdio.h>

static hone_status on_count(void *user, const hone_db_row *row, hone_error *err)
{
    (void)err;
    *(int64_t *)user = row->values[0].integer;
    return HONE_OK;
}

/* Winners that were decided: an interrupted run replaces none of them. */
static hone_status count_decided(const hone_tune_run *run, int64_t *out,
                                 hone_error *err)
{
    static const char sql[] =
        "SELECT count(*) FROM ranking r"
        " JOIN session s ON s.session_id = r.session_id"
        " WHERE r.problem_id = ?1 AND r.device_id = ?2 AND r.mode = ?3"
        " AND r.rank = 1"
        " AND (s.verdict IS NOT NULL OR s.status <> 'interrupted')";
    const hone_db_value key[] = {
        hone__db_integer(run->problem_id), hone__db_integer(run->device_id),
        hone__db_text(hone__mode_name(run->request->mode))};

    return hone__db_query(run->request->db, sql, key, 3, on_count, out, err);
}

/* Fastest first by their trials; those that a final refuted are left out. */
static hone_status put_ranking(const hone_tune_run *run, size_t n,
                               const char *sentence, hone_error *err)
{
    hone_db_ranked ranked[HONE_TUNE_RANKED];

    for (size_t i = 0; i < n; ++i)
        ranked[i] =
            (hone_db_ranked){.trial_id = run->candidates[i].trial_id,
                             .time_ns = run->candidates[i].time_ns,
                             .decided_by = i ? HONE_DB_BY_TRIAL : sentence};
    return hone__db_ranking_put(run->request->db, run->session_id, ranked, n,
                                err);
}

static hone_status put_best(hone_tune_run *run, size_t n, const char *sentence,
                            hone_error *err)
{
    const hone_candidate *best = &run->candidates[0];
    const hone_db_decision row = {.session_id = run->session_id,
                                  .trial_id = best->trial_id,
                                  .variant_id = best->variant_id,
                                  .kind = "interrupted",
                                  .text = sentence};
    hone_db *db = run->request->db;
    int64_t id = 0;
    hone_status status;

    HONE_TRY(hone__db_begin(db, err));
    status = hone__db_decision_put(db, &row, &id, err);
    if (status == HONE_OK)
        status = put_ranking(run, n, sentence, err);
    if (status == HONE_OK)
        status = hone__db_commit(db, err);
    if (status != HONE_OK)
        hone__db_rollback(db);
    return status;
}

static hone_status fill_result(hone_tune_run *run, const char *sentence,
                               hone_error *err)
{
    hone_tune_result *result = run->result;
    hone_tune_job *job = NULL;

    HONE_TRY(hone__tune_job_make(run, run->candidates[0].index, &job, err));
    (void)snprintf(result->winner, sizeof result->winner, "%.255s",
                   hone__text_str(&job->config));
    hone__tune_job_free(job);
    result->has_winner = 1;
    result->time_ns = run->candidates[0].time_ns;
    for (size_t i = 0; i < run->n_candidates; ++i)
        if (run->candidates[i].index == run->default_index &&
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

    if (!run->session_id || !run->n_candidates || run->request->verify_only)
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
    HONE_TRY(put_best(run, n, sentence, err));
    return fill_result(run, sentence, err);
}
