/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements: sessions, trials, baselines and the ranking; and how a session
 * came to its result, decision by decision. */
#include "db/db_internal.h"

#include <math.h>
#include <string.h>

static int64_t now_unix_s(void)
{
    return hone__db_now_unix_ns() / 1000000000;
}

/* ---- sessions ------------------------------------------------------------ */

static hone_status put_session(hone_db *db, const hone_db_session *session,
                               int64_t *out_id, hone_error *err)
{
    static const char doing[] = "begin a session";
    const hone_db_value values[] = {hone__db_integer(session->device_id),
                                    hone__db_integer(session->problem_id),
                                    hone__db_integer(session->template_id),
                                    hone__db_text(session->mode),
                                    hone__db_text_or_empty(session->strategy),
                                    hone__db_integer((int64_t)session->seed),
                                    hone__db_text_or_empty(session->budget),
                                    hone__db_integer(now_unix_s()),
                                    hone__db_text(HONE_VERSION)};

    HONE_TRY(hone__db_run(
        db, doing,
        "UPDATE session SET status = 'interrupted'"
        " WHERE status = 'running' AND device_id = ?1 AND problem_id = ?2"
        " AND template_id = ?3 AND mode = ?4",
        values, 4, NULL, err));
    return hone__db_run(
        db, doing,
        "INSERT INTO session (device_id, problem_id, template_id, mode,"
        " strategy, seed, budget, status, started_unix_s, hone_version)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'running', ?8, ?9)"
        " RETURNING session_id",
        values, N_OF(values), out_id, err);
}

hone_status hone__db_session_begin(hone_db *db, const hone_db_session *session,
                                   int64_t *out_id, hone_error *err)
{
    int nested;

    HONE_TRY(hone__db_need("session", "mode", session->mode, err));
    HONE_TRY(hone__db_enter(db, &nested, err));
    return hone__db_leave(db, nested, put_session(db, session, out_id, err),
                          err);
}

hone_status hone__db_session_finish(hone_db *db, int64_t session_id,
                                    const char *status, hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(session_id),
                                    hone__db_text(status),
                                    hone__db_integer(now_unix_s())};
    int64_t found;

    HONE_TRY(hone__db_need("session", "status", status, err));
    HONE_TRY(hone__db_run(db, "finish a session",
                          "UPDATE session SET status = ?2, finished_unix_s = ?3"
                          " WHERE session_id = ?1 RETURNING session_id",
                          values, N_OF(values), &found, err));
    if (!found)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "there is no session %lld to finish",
                          (long long)session_id);
    return HONE_OK;
}

/* NULL unless it is a number that is not negative; infinity is no
 * measurement. */
static hone_db_value real_if_known(double value)
{
    return hone__db_real_if(isfinite(value) && value >= 0, value);
}

static hone_db_value known(int64_t value)
{
    return hone__db_integer_if(value >= 0, value);
}

hone_status hone__db_session_measured(hone_db *db, int64_t session_id,
                                      const hone_db_session_summary *summary,
                                      hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(session_id),
                                    real_if_known(summary->event_floor_ns),
                                    real_if_known(summary->noise_floor),
                                    known(summary->warm_up_ns),
                                    known(summary->device_busy_ns),
                                    known(summary->device_wall_ns),
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

/* ---- trials -------------------------------------------------------------- */

/* "[8123.51,8100]": six digits, a millionth, which is less than any clock here
 * tells; more would be noise that takes room. SQLite's printf, since the C
 * library's writes a comma for the point in some locales. */
static void samples_json(const hone_db_trial *trial, hone_text *out)
{
    char number[64];

    hone__text_puts(out, "[");
    for (size_t i = 0; i < trial->n_samples; i++) {
        (void)sqlite3_snprintf((int)sizeof number, number, "%s%.6g",
                               i ? "," : "", trial->samples_ns[i]);
        hone__text_puts(out, isfinite(trial->samples_ns[i]) ? number
                             : i                            ? ",null"
                                                            : "null");
    }
    hone__text_puts(out, "]");
}

/* Only these have computed something to compare. */
static int has_error_ratio(const char *outcome, double error_ratio)
{
    return error_ratio >= 0 &&
           (strcmp(outcome, "ok") == 0 || strcmp(outcome, "wrong") == 0 ||
            strcmp(outcome, "unstable") == 0);
}

static const char put_trial[] =
    "INSERT INTO trial (session_id, variant_id, outcome, message, time_ns,"
    " spread_ns, n_samples, samples_ns, launches_per_sample, error_ratio,"
    " verified, sm_clock_mhz, power_mw, temperature_c, throttle_reasons,"
    " started_unix_ns, gpu_time_ns, timing, n_discarded, sample_time_ns)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
    " ?15, ?16, ?17, ?18, ?19, ?20) RETURNING trial_id";

static hone_status put_trial_row(hone_db *db, const hone_db_trial *trial,
                                 const char *samples, int64_t *out_id,
                                 hone_error *err)
{
    const int timed = trial->time_ns > 0;
    const int watched = trial->sm_clock_mhz > 0;
    const hone_db_value values[] = {
        hone__db_integer(trial->session_id),
        hone__db_integer(trial->variant_id),
        hone__db_text(trial->outcome),
        hone__db_text(trial->message),
        hone__db_real_if(timed, trial->time_ns),
        hone__db_real_if(timed && trial->spread_ns >= 0, trial->spread_ns),
        hone__db_integer((int64_t)trial->n_samples),
        hone__db_text(samples),
        hone__db_integer_if(trial->launches_per_sample > 0,
                            trial->launches_per_sample),
        hone__db_real_if(has_error_ratio(trial->outcome, trial->error_ratio),
                         trial->error_ratio),
        hone__db_integer(trial->verified ? 1 : 0),
        hone__db_integer_if(watched, trial->sm_clock_mhz),
        hone__db_integer_if(watched, trial->power_mw),
        hone__db_integer_if(watched, trial->temperature_c),
        hone__db_integer_if(watched, (int64_t)trial->throttle_reasons),
        hone__db_integer(trial->started_unix_ns ? trial->started_unix_ns
                                                : hone__db_now_unix_ns()),
        hone__db_integer(trial->device_time_ns),
        hone__db_text(trial->timing),
        hone__db_integer_if(trial->timing || trial->n_discarded,
                            trial->n_discarded),
        hone__db_integer_if(trial->sample_time_ns > 0, trial->sample_time_ns)};

    return hone__db_run(db, "store a trial", put_trial, values, N_OF(values),
                        out_id, err);
}

hone_status hone__db_trial_put(hone_db *db, const hone_db_trial *trial,
                               int64_t *out_id, hone_error *err)
{
    hone_text samples = {0};
    hone_status status;

    HONE_TRY(hone__db_need("trial", "outcome", trial->outcome, err));
    if (trial->n_samples)
        samples_json(trial, &samples);
    status = hone__text_check(&samples, err);
    if (status == HONE_OK)
        status = put_trial_row(db, trial, samples.data, out_id, err);
    hone__text_free(&samples);
    return status;
}

/* ---- baselines ----------------------------------------------------------- */

hone_status hone__db_baseline_put(hone_db *db, const hone_db_baseline *baseline,
                                  int64_t *out_id, hone_error *err)
{
    const int timed = baseline->time_ns > 0;
    const hone_db_value values[] = {
        hone__db_integer(baseline->session_id),
        hone__db_text(baseline->name),
        hone__db_text_or_empty(baseline->label),
        hone__db_integer(baseline->algorithm),
        hone__db_integer(baseline->n_algorithms),
        hone__db_real_if(timed, baseline->time_ns),
        hone__db_real_if(timed && baseline->spread_ns >= 0,
                         baseline->spread_ns),
        hone__db_integer(baseline->n_samples),
        hone__db_real_if(baseline->error_ratio >= 0, baseline->error_ratio),
        hone__db_text(baseline->message)};

    HONE_TRY(hone__db_need("baseline", "name", baseline->name, err));
    return hone__db_run(
        db, "store a baseline",
        "INSERT INTO baseline (session_id, name, label, choice, n_choices,"
        " time_ns, spread_ns, n_samples, error_ratio, message)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        " ON CONFLICT (session_id, name) DO UPDATE SET"
        " label = excluded.label, choice = excluded.choice,"
        " n_choices = excluded.n_choices, time_ns = excluded.time_ns,"
        " spread_ns = excluded.spread_ns, n_samples = excluded.n_samples,"
        " error_ratio = excluded.error_ratio, message = excluded.message"
        " RETURNING baseline_id",
        values, N_OF(values), out_id, err);
}

/* ---- ranking ------------------------------------------------------------- */

/* The SELECT finds nothing, and so nothing is ranked, unless the trial is a
 * good one of the same device, problem and mode. */
static const char put_rank[] =
    "INSERT INTO ranking (problem_id, device_id, mode, rank, trial_id,"
    " session_id, time_ns, ci_low_ns, ci_high_ns, decided_by, ranked_unix_s)"
    " SELECT s.problem_id, s.device_id, s.mode, ?2, t.trial_id,"
    " s.session_id, ?4, ?5, ?6, ?7, ?8"
    " FROM session s JOIN session ts ON ts.problem_id = s.problem_id"
    " AND ts.device_id = s.device_id AND ts.mode = s.mode"
    " JOIN trial t ON t.session_id = ts.session_id"
    " WHERE s.session_id = ?1 AND t.trial_id = ?3 AND t.outcome = 'ok'"
    " RETURNING trial_id";

static hone_status put_ranks(hone_db *db, int64_t session_id,
                             const hone_db_ranked *ranked, size_t n_ranked,
                             hone_error *err)
{
    static const char doing[] = "store a ranking";
    const hone_db_value session[] = {hone__db_integer(session_id)};
    const hone_db_value now = hone__db_integer(now_unix_s());

    HONE_TRY(
        hone__db_run(db, doing,
                     "DELETE FROM ranking WHERE (problem_id, device_id, mode) ="
                     " (SELECT problem_id, device_id, mode FROM session"
                     " WHERE session_id = ?1)",
                     session, 1, NULL, err));
    for (size_t i = 0; i < n_ranked; i++) {
        const hone_db_value values[] = {
            session[0],
            hone__db_integer((int64_t)i + 1),
            hone__db_integer(ranked[i].trial_id),
            hone__db_real(ranked[i].time_ns),
            hone__db_real_if(ranked[i].ci_low_ns > 0, ranked[i].ci_low_ns),
            hone__db_real_if(ranked[i].ci_high_ns > 0, ranked[i].ci_high_ns),
            hone__db_text_or_empty(ranked[i].decided_by),
            now};
        int64_t found;

        HONE_TRY(hone__db_run(db, doing, put_rank, values, N_OF(values), &found,
                              err));
        if (!found)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "trial %lld cannot have rank %zu: it is not an "
                              "ok trial of session %lld's device, problem "
                              "and mode",
                              (long long)ranked[i].trial_id, i + 1,
                              (long long)session_id);
    }
    return HONE_OK;
}

hone_status hone__db_ranking_put(hone_db *db, int64_t session_id,
                                 const hone_db_ranked *ranked, size_t n_ranked,
                                 hone_error *err)
{
    int nested;

    HONE_TRY(hone__db_enter(db, &nested, err));
    return hone__db_leave(
        db, nested, put_ranks(db, session_id, ranked, n_ranked, err), err);
}

/* ---- decisions --------------------------------------------------------- */

hone_status hone__db_decision_put(hone_db *db, const hone_db_decision *decision,
                                  int64_t *out_id, hone_error *err)
{
    const hone_db_value values[] = {
        hone__db_integer(decision->session_id),
        hone__db_integer_if(decision->trial_id != 0, decision->trial_id),
        hone__db_integer_if(decision->variant_id != 0, decision->variant_id),
        hone__db_integer_if(decision->against_trial_id != 0,
                            decision->against_trial_id),
        hone__db_text(decision->kind),
        hone__db_real_if(decision->ratio > 0, decision->ratio),
        hone__db_real_if(decision->ratio_low > 0, decision->ratio_low),
        hone__db_real_if(decision->ratio_high > 0, decision->ratio_high),
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

/* ---- counters ----------------------------------------------------------- */

hone_status hone__db_counter_put(hone_db *db, int64_t trial_id,
                                 const char *kernel, const char *name,
                                 const char *unit, double value,
                                 hone_error *err)
{
    const hone_db_value values[] = {
        hone__db_integer(trial_id), hone__db_text(kernel), hone__db_text(name),
        hone__db_text_or_empty(unit), hone__db_real(value)};

    return hone__db_run(
        db, "store a counter",
        "INSERT INTO counter (trial_id, kernel, name, unit, value)"
        " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (trial_id, kernel, name)"
        " DO UPDATE SET unit = excluded.unit, value = excluded.value",
        values, N_OF(values), NULL, err);
}
