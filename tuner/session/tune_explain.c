/* SPDX-License-Identifier: Apache-2.0 */
/* A tuning run without a winner says why. The sentence comes from the
 * database and not from what passed through the run: so it also counts
 * earlier runs' trials, and those that the final refuted. */
#include "tuner/session/tune_state.h"

#include "tuner/judge/failures.h"

#include <stdio.h>

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
    const hone_db_trial_key key = {.device_id = run->device_id,
                                   .problem_id = run->problem_id,
                                   .template_id = run->template_id,
                                   .toolchain_id = run->toolchain_id,
                                   .mode = hone__mode_name(run->request->mode)};
    hone_tune_result *result = run->result;
    hone_failures failures = {.n_complaints = 0};

    if (result->has_winner || !run->session_id)
        return HONE_OK;
    (void)snprintf(result->message, sizeof result->message, "%s", reason);
    if (reason[0])
        return HONE_OK;
    HONE_TRY(hone__db_ends(run->request->db, &key, add_ends, &failures, err));
    hone__failures_text(&failures, result->message, sizeof result->message);
    return HONE_OK;
}
