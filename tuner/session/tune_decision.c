/* SPDX-License-Identifier: Apache-2.0 */
/* Why the database's trials are what they are: decisions as rows. */
#include "tuner/session/tune_state.h"

#include <stdio.h>

hone_status hone__tune_record_decision(hone_tune_run *run, const char *kind,
                                       const char *text, hone_error *err)
{
    const hone_db_decision row = {
        .session_id = run->session_id, .kind = kind, .text = text};
    int64_t id = 0;

    if (!run->session_id)
        return HONE_OK;
    return hone__db_decision_put(run->request->db, &row, &id, err);
}

/* What was decided about a trial, and why; "" kind: nothing worth a row. */
static const char *decide(const hone_tune_run *run, const hone_tune_job *job,
                          const hone_trial_report *report, char *text,
                          size_t size)
{
    const double best_ns = run->progress.best_ns;

    if (report->alarm != HONE_ALARM_NONE) {
        (void)snprintf(text, size, "%s", report->message);
        return "alarm";
    }
    if (job->is_gated) {
        (void)snprintf(text, size, "%s: %s",
                       job->compiled.ok ? "not tried" : "not compiled",
                       report->message);
        return "gated";
    }
    if (report->outcome != HONE_OUTCOME_OK)
        return "";
    if (report->screened) {
        (void)snprintf(text, size,
                       "dropped after %d samples: %.3g times the best so far",
                       report->n_samples, report->screen_ratio);
        return "screened";
    }
    if (best_ns > 0 && report->time_ns >= best_ns) {
        (void)snprintf(text, size,
                       "kept through %d samples: %.4g times the best so far",
                       report->n_samples, report->time_ns / best_ns);
        return "contender";
    }
    (void)snprintf(text, size, "the best so far: %.6g ns in %d samples",
                   report->time_ns, report->n_samples);
    return "incumbent";
}

static hone_status put_seeded(hone_tune_run *run, const hone_tune_job *job,
                              int64_t trial_id, hone_error *err)
{
    const char *origin = hone__tune_seed_origin(run, job->index);
    char text[200];
    const hone_db_decision row = {.session_id = run->session_id,
                                  .trial_id = trial_id,
                                  .variant_id = job->variant_id,
                                  .kind = "seeded",
                                  .text = text};
    int64_t id = 0;

    if (!origin)
        return HONE_OK;
    (void)snprintf(text, sizeof text, "went first: %s", origin);
    return hone__db_decision_put(run->request->db, &row, &id, err);
}

hone_status hone__tune_record_reasons(hone_tune_run *run,
                                      const hone_tune_job *job,
                                      int64_t trial_id,
                                      const hone_trial_report *report,
                                      hone_error *err)
{
    char text[400];
    const double best_ns = run->progress.best_ns;
    hone_db_decision row = {.session_id = run->session_id,
                            .trial_id = trial_id,
                            .variant_id = job->variant_id,
                            .against_trial_id = run->best_trial_id,
                            .n_samples = report->n_samples,
                            .text = text};
    int64_t id = 0;

    HONE_TRY(put_seeded(run, job, trial_id, err));
    row.kind = decide(run, job, report, text, sizeof text);
    if (best_ns > 0 && report->time_ns > 0)
        row.ratio = report->time_ns / best_ns;
    if (row.kind[0])
        HONE_TRY(hone__db_decision_put(run->request->db, &row, &id, err));
    if (!report->n_discarded)
        return HONE_OK;
    row.kind = "discarded";
    row.n_samples = report->n_discarded;
    (void)snprintf(text, sizeof text,
                   "%d samples were taken while the card slowed itself down: "
                   "thrown away and repeated",
                   report->n_discarded);
    return hone__db_decision_put(run->request->db, &row, &id, err);
}
