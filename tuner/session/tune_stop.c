/* SPDX-License-Identifier: Apache-2.0 */
/* When a tuning run tries no more, and why. */
#include "tuner/session/tune_state.h"

#include <stdio.h>
#include <string.h>

int hone__tune_budget_is_spent(const hone_tune_run *run)
{
    const hone_tune_request *request = run->request;

    if (request->budget_s > 0 &&
        hone__now_s() - run->start_s >= request->budget_s)
        return 1;
    return request->budget_trials > 0 &&
           run->progress.n_done + hone__tune_under_way(run) >=
               request->budget_trials;
}

int hone__tune_is_enough(const hone_tune_run *run)
{
    return hone__until_is_reached(&run->until) ||
           hone__tune_budget_is_spent(run);
}

/* Nothing is left: a budget that is spent with the last one did not matter.
 */
static int is_exhausted(const hone_tune_run *run)
{
    return (run->exhausted && !run->deferred.n) ||
           run->progress.n_done >= run->result->space_valid;
}

static void explain(hone_tune_run *run, hone_status status, char *text,
                    size_t size)
{
    hone_tune_result *result = run->result;
    const long long n = run->progress.n_done;
    const char *reason = "budget";

    if (status != HONE_OK) {
        reason = "interrupted";
        (void)snprintf(text, size, "interrupted after %lld trials", n);
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
    hone_db_session_summary properties = {.event_floor_ns = -1,
                                          .noise_floor = -1,
                                          .warm_up_ns = -1,
                                          .gpu_busy_ns = -1,
                                          .gpu_wall_ns = -1};
    char text[160];

    if (status != HONE_OK && status != HONE_ERR_INTERRUPTED)
        return HONE_OK;
    explain(run, status, text, sizeof text);
    if (!run->session_id)
        return HONE_OK;
    properties.stopped = run->result->stopped;
    HONE_TRY(hone__db_session_measured(run->request->db, run->session_id,
                                       &properties, err));
    return hone__tune_record_decision(run, "stopped", text, err);
}
