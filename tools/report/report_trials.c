/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions and trials of a group: see report_read.h. */
#include "tools/report/report_read.h"

#include "runtime/base/grow.h"

#include <string.h>

static const char sessions_sql[] =
    "SELECT s.session_id, s.problem_id, s.strategy, s.budget, s.verdict,"
    " strftime('%Y-%m-%d %H:%M:%S', s.started_unix_s, 'unixepoch'),"
    " s.hone_version, s.seed, s.noise_floor,"
    " s.finished_unix_s - s.started_unix_s, s.stopped FROM problem p"
    " CROSS JOIN session s ON s.problem_id = p.problem_id" HONE_REPORT_OF_GROUP
    " ORDER BY s.session_id";

static hone_status on_session(void *user, const hone_db_row *row,
                              hone_error *err)
{
    const hone_db_value *v = row->values;
    hone_report_group *group = ((hone_report_walk *)user)->group;
    const hone_report_problem *problem =
        hone__report_problem_of(group, v[1].integer);
    hone_report_session *session;
    int is_lost = 0;

    if (!problem)
        return HONE_OK;
    if (!HONE_GROW(group->sessions, group->n_sessions))
        return hone__out_of_memory(err, "");
    session = &group->sessions[group->n_sessions++];
    *session = (hone_report_session){
        .session_id = v[0].integer,
        .problem = (size_t)(problem - group->problems),
        .strategy = hone__report_text(&v[2], &is_lost),
        .budget = hone__report_text(&v[3], &is_lost),
        .verdict = hone__report_text(&v[4], &is_lost),
        .started = hone__report_text(&v[5], &is_lost),
        .version = hone__report_text(&v[6], &is_lost),
        .stopped = hone__report_text(&v[10], &is_lost),
        .seed = v[7].integer,
        .noise_floor = v[8].kind == HONE_DB_NULL ? -1 : v[8].real,
        .seconds = v[9].kind == HONE_DB_NULL ? -1 : v[9].real};
    return is_lost ? hone__out_of_memory(err, "") : HONE_OK;
}

static const char trials_sql[] =
    "SELECT t.session_id, t.trial_id, k.name, t.outcome, t.time_ns,"
    " t.sm_clock_mhz, t.power_mw, t.temperature_c, t.throttle_reasons,"
    " c.name || ' ' || c.version, t.timing, t.message FROM problem p"
    " CROSS JOIN session s ON s.problem_id = p.problem_id"
    " CROSS JOIN trial t ON t.session_id = s.session_id"
    " CROSS JOIN variant v ON v.variant_id = t.variant_id"
    " CROSS JOIN template k ON k.template_id = v.template_id"
    " CROSS JOIN toolchain c ON c.toolchain_id = "
    "v.toolchain_id" HONE_REPORT_OF_GROUP " ORDER BY t.session_id, t.trial_id";

static void widen(hone_report_range *range, const hone_db_value *value)
{
    if (value->kind == HONE_DB_NULL || !(value->real > 0))
        return;
    if (!range->n || value->real < range->least)
        range->least = value->real;
    if (!range->n || value->real > range->most)
        range->most = value->real;
    ++range->n;
}

static hone_status count_end(hone_report_group *group,
                             const hone_report_trial *trial,
                             const hone_db_value *message, hone_error *err)
{
    hone_report_outcome *end = group->ends;
    size_t i = 0;
    int is_lost = 0;

    while (i < group->n_ends &&
           (end[i].implementation != trial->implementation ||
            end[i].outcome != trial->outcome))
        ++i;
    if (i == group->n_ends) {
        if (!HONE_GROW(group->ends, group->n_ends))
            return hone__out_of_memory(err, "");
        group->ends[group->n_ends++] = (hone_report_outcome){
            .implementation = trial->implementation, .outcome = trial->outcome};
    }
    end = &group->ends[i];
    ++end->n;
    if (!end->example && message->size_bytes)
        end->example = hone__report_text(message, &is_lost);
    return is_lost ? hone__out_of_memory(err, "") : HONE_OK;
}

/* Reasons to hold clocks back that are more than idle, settings and the power
 * cap. */
static const int64_t SLOWED = 0x8 | 0x20 | 0x40 | 0x80;

static hone_status on_trial(void *user, const hone_db_row *row, hone_error *err)
{
    const hone_db_value *v = row->values;
    hone_report_walk *walk = user;
    hone_report_group *group = walk->group;
    hone_report_session *session;
    hone_report_problem *problem;
    hone_report_trial *trial;

    while (walk->session < group->n_sessions &&
           group->sessions[walk->session].session_id < v[0].integer)
        ++walk->session;
    if (walk->session == group->n_sessions)
        return HONE_OK;
    session = &group->sessions[walk->session];
    problem = &group->problems[session->problem];
    if (!HONE_GROW(group->trials, group->n_trials))
        return hone__out_of_memory(err, "");
    trial = &group->trials[group->n_trials];
    *trial =
        (hone_report_trial){.time_ns = v[4].real,
                            .trial_id = v[1].integer,
                            .problem = (uint32_t)session->problem,
                            .session = (uint32_t)walk->session,
                            .implementation = (unsigned char)hone__report_name(
                                &group->implementations, v[2].text),
                            .outcome = (unsigned char)hone__report_name(
                                &group->outcomes, v[3].text)};
    if (!session->n++)
        session->first = group->n_trials;
    ++group->n_trials;
    ++problem->n_trials;
    if (strcmp(v[3].text, "ok") != 0)
        trial->time_ns = 0;
    else if (!(problem->best_ns > 0) || trial->time_ns < problem->best_ns)
        problem->best_ns = trial->time_ns;
    widen(&group->clock_mhz, &v[5]);
    widen(&group->power_mw, &v[6]);
    widen(&group->temperature_c, &v[7]);
    group->n_throttled += (v[8].integer & SLOWED) != 0;
    (void)hone__report_name(&group->toolchains, v[9].text);
    if (v[10].kind == HONE_DB_TEXT)
        (void)hone__report_name(&group->timings, v[10].text);
    return count_end(group, trial, &v[11], err);
}

hone_status hone__report_read_trials(hone_db *db, const hone_db_value *values,
                                     hone_report_walk *walk, hone_error *err)
{
    HONE_TRY(
        hone__db_query(db, sessions_sql, values, 4, on_session, walk, err));
    return hone__db_query(db, trials_sql, values, 4, on_trial, walk, err);
}
