/* SPDX-License-Identifier: Apache-2.0 */
/* How a session came to its result: what it found out about its device, and
 * its decisions one by one. */
#include "db/db_internal.h"

#include <math.h>

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Numbers that are not negative; infinity is no measurement. */
static hone_db_value real_if_known(double value)
{
    return isfinite(value) && value >= 0 ? hone__db_real(value)
                                         : hone__db_null();
}

static hone_db_value integer_if_known(int64_t value)
{
    return hone__db_integer_if(value >= 0, value);
}

static hone_db_value id_if_given(int64_t id)
{
    return hone__db_integer_if(id != 0, id);
}

hone_status hone__db_session_measured(hone_db *db, int64_t session_id,
                                      const hone_db_session_summary *summary,
                                      hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(session_id),
                                    real_if_known(summary->event_floor_ns),
                                    real_if_known(summary->noise_floor),
                                    integer_if_known(summary->warm_up_ns),
                                    integer_if_known(summary->gpu_busy_ns),
                                    integer_if_known(summary->gpu_wall_ns),
                                    hone__db_text(summary->verdict),
                                    hone__db_text(summary->stopped)};
    int64_t found;

    HONE_TRY(hone__db_run(db, "store what a session measured",
                          "UPDATE session SET"
                          " event_floor_ns = coalesce(?2, event_floor_ns),"
                          " noise_floor = coalesce(?3, noise_floor),"
                          " warm_up_ns = coalesce(?4, warm_up_ns),"
                          " gpu_busy_ns = coalesce(?5, gpu_busy_ns),"
                          " gpu_wall_ns = coalesce(?6, gpu_wall_ns),"
                          " verdict = coalesce(?7, verdict),"
                          " stopped = coalesce(?8, stopped)"
                          " WHERE session_id = ?1 RETURNING session_id",
                          values, N_OF(values), &found, err));
    if (!found)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "there is no session %lld to complete",
                          (long long)session_id);
    return HONE_OK;
}

hone_status hone__db_decision_put(hone_db *db, const hone_db_decision *decision,
                                  int64_t *out_id, hone_error *err)
{
    const hone_db_value values[] = {
        hone__db_integer(decision->session_id),
        id_if_given(decision->trial_id),
        id_if_given(decision->variant_id),
        id_if_given(decision->against_trial_id),
        hone__db_text(decision->kind),
        hone__db_real_if_positive(decision->ratio),
        hone__db_real_if_positive(decision->ratio_low),
        hone__db_real_if_positive(decision->ratio_high),
        hone__db_integer(decision->n_samples),
        hone__db_text(decision->text),
        hone__db_integer(hone__db_now_unix_ns())};

    HONE_TRY(hone__db_need("decision", "kind", decision->kind, err));
    HONE_TRY(hone__db_need("decision", "text", decision->text, err));
    return hone__db_run(
        db, "store a decision",
        "INSERT INTO decision (session_id, trial_id, variant_id,"
        " against_trial_id, kind, ratio, ratio_low, ratio_high, n_samples,"
        " text, at_unix_ns)"
        " VALUES (?1, ?2, coalesce(?3,"
        " (SELECT variant_id FROM trial WHERE trial_id = ?2)), ?4, ?5, ?6,"
        " ?7, ?8, ?9, ?10, ?11) RETURNING decision_id",
        values, N_OF(values), out_id, err);
}
