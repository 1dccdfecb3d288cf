/* SPDX-License-Identifier: Apache-2.0 */
/* The views of `hone show`: see show.h. */
#include "tools/database/show.h"

#include "gen/parse/suggest.h"

#include <string.h>

#define BY_PROBLEM                                                             \
    HONE_SHOW_FILTER_BY_PROBLEM " ORDER BY op, dims, device_id, mode"

/* The default configuration that was compiled beside the one of a row: of the
 * same text, types and architecture. */
#define DEFAULT_OF(row)                                                        \
    "(SELECT dv.config FROM template dk JOIN variant dv"                       \
    " ON dv.template_id = dk.template_id AND dv.is_default = 1"                \
    " WHERE dk.op = " row ".op AND dk.name = " row ".template_name"            \
    " AND dk.sha256 = " row ".template_sha256 AND dv.types = " row ".types"    \
    " AND dv.arch = " row ".compile_arch LIMIT 1)"
#define DEFAULT_OF_VARIANT(id)                                                 \
    "(SELECT dv.config FROM variant ov JOIN variant dv"                        \
    " ON dv.template_id = ov.template_id AND dv.is_default = 1"                \
    " AND dv.types = ov.types AND dv.arch = ov.arch"                           \
    " WHERE ov.variant_id = " id " LIMIT 1)"

/* A recording is of no text that could be edited. */
#define IS_LATEST "(template_is_latest OR device_kind = 'replay')"

#define DEFAULT_OF_WINNER DEFAULT_OF("w")
#define DEFAULT_OF_TRIAL DEFAULT_OF("x")

static const char winners[] =
    "SELECT op, dims, label, mode, device_name, arch, config, time_ns,"
    " ci_low_ns, ci_high_ns, default_time_ns, gain, verdict, decided_by,"
    " is_default, registers, spill_bytes, error_ratio, toolchain, "
    "driver_version, template_name,"
    " " IS_LATEST " AS template_is_latest, tuned_at, coalesce(verdict, '-') ||"
    " CASE " IS_LATEST " WHEN 0 THEN ' (stale)' ELSE '' END"
    " AS verdict_text, " DEFAULT_OF_WINNER
    " AS default_config FROM winner_v1 w" BY_PROBLEM HONE_SHOW_LIMIT;

static const char trials[] =
    "SELECT trial_id, op, dims, label, mode, device_name, config, outcome,"
    " message, time_ns, spread_ns, n_samples, error_ratio, verified,"
    " registers, spill_bytes, static_shared_bytes, sm_clock_mhz,"
    " power_mw, temperature_c, throttle_reasons, toolchain, strategy,"
    " seed, started_at, timing, n_discarded, sample_time_ns,"
    " compiler_warnings, template_name, " IS_LATEST
    " AS template_is_latest, outcome ||"
    " CASE " IS_LATEST " WHEN 0 THEN ' (stale)' ELSE '' END"
    " AS outcome_text, " DEFAULT_OF_TRIAL
    " AS default_config FROM (SELECT *, NOT EXISTS (SELECT 1 FROM template n"
    "  WHERE n.op = y.op AND n.name = y.template_name AND "
    "n.last_put_unix_ns"
    "  > (SELECT k.last_put_unix_ns FROM template k WHERE k.op = y.op"
    "   AND k.name = y.template_name AND k.sha256 = "
    "y.template_sha256))"
    " AS template_is_latest FROM trial_v1 y) x" BY_PROBLEM
    ", time_ns IS NULL, time_ns" HONE_SHOW_LIMIT;

static const char sessions[] =
    "SELECT session_id, op, dims, label, mode, device_name, strategy,"
    " budget, seed, status, started_at, duration_s AS seconds, n_trials,"
    " hone_version, verdict, noise_floor, event_floor_ns, warm_up_ns,"
    " device_busy_ns, device_wall_ns, stopped, template_name,"
    " (SELECT d.text FROM decision_v1 d WHERE d.kind = 'process'"
    "   AND d.session_id = session_v1.session_id) AS process"
    " FROM session_v1" HONE_SHOW_FILTER
    " ORDER BY session_id DESC" HONE_SHOW_LIMIT;

#define DEFAULT_OF_DECISION DEFAULT_OF_VARIANT("w.variant_id")
#define DEFAULT_OF_AGAINST                                                     \
    DEFAULT_OF_VARIANT("(SELECT a.variant_id FROM trial a"                     \
                       " WHERE a.trial_id = w.against_trial_id)")

/* The last one first: it is the result of those before it. As many sessions as
 * rows are asked for will do, of those that have any; LIMIT -1 keeps SQLite
 * from looking for decisions of all of them before it sorts. */
static const char decisions[] =
    "SELECT decision_id, session_id, op, dims, label, mode, device_name, at,"
    " kind, config, against_config, ratio, ratio_low, ratio_high, n_samples,"
    " text, trial_id, against_trial_id, " DEFAULT_OF_DECISION
    " AS default_config, " DEFAULT_OF_AGAINST " AS default_against_config"
    " FROM decision_v1 w WHERE session_id IN (SELECT session_id FROM"
    "  (SELECT session_id FROM session_v1" HONE_SHOW_FILTER
    "   ORDER BY session_id DESC LIMIT -1) s WHERE EXISTS (SELECT 1"
    "  FROM decision_v1 e WHERE e.session_id = s.session_id)" HONE_SHOW_ENOUGH
    ") ORDER BY session_id DESC, decision_id DESC" HONE_SHOW_LIMIT;

static const char devices[] =
    "SELECT device_id, name, kind, arch, sm_count, memory_bytes, l2_bytes,"
    " driver_version FROM device d"
    " WHERE coalesce(?1, ?2, ?3) IS NULL OR EXISTS ("
    "  SELECT 1 FROM trial_v1 t" HONE_SHOW_FILTER_BY_PROBLEM
    "  AND t.device_id = d.device_id)"
    " ORDER BY device_id" HONE_SHOW_LIMIT;

static const char coverage[] =
    "SELECT op, device_name, arch, mode, n_problems, n_winners, n_trials,"
    " n_ok, last_tuned_at FROM coverage_v1"
    " WHERE (?1 IS NULL OR op = ?1) AND (?3 IS NULL OR mode = ?3)"
    " AND (?2 IS NULL OR EXISTS (SELECT 1 FROM problem p"
    "  WHERE p.op = coverage_v1.op AND p.dims >= ?2 AND p.dims < ?2 || '-'))"
    " ORDER BY op, device_name, mode" HONE_SHOW_LIMIT;

/* The same by shape. Groups come in the order of the problems' index, which a
 * join keeps; ORDER BY at the end would sort all of them for the first few. */
static const char problems[] =
    "SELECT s.op, s.dims, s.label, s.device_name, s.mode, s.n_sessions,"
    " s.n_trials, z.verdict, r.time_ns, v.config, k.name AS template_name,"
    " s.last_tuned_at FROM"
    " (SELECT op, dims, label, device_name, mode, device_id, problem_id,"
    "   count(*) AS n_sessions, sum(n_trials) AS n_trials,"
    "   max(started_at) AS last_tuned_at"
    "   FROM session_v1" HONE_SHOW_FILTER_BY_PROBLEM
    "   GROUP BY op, dims, device_id, mode"
    "   ORDER BY op, dims, device_id, mode LIMIT -1) s"
    " LEFT JOIN ranking r ON r.problem_id = s.problem_id"
    "   AND r.device_id = s.device_id AND r.mode = s.mode AND r.rank = 1"
    " LEFT JOIN trial t ON t.trial_id = r.trial_id"
    " LEFT JOIN variant v ON v.variant_id = t.variant_id"
    " LEFT JOIN template k ON k.template_id = v.template_id"
    " LEFT JOIN session z ON z.session_id = r.session_id" HONE_SHOW_LIMIT;

/* Winners that may not be what would win today, a row for each reason; what was
 * recorded elsewhere stays what it is. */
#define STALE(reason, condition)                                               \
    "SELECT op, dims, label, mode, device_id, device_name, template_name,"     \
    " config, time_ns, tuned_at, " reason                                      \
    " AS reason FROM winner_v1 w WHERE " condition                             \
    " AND device_kind <> 'replay'"
#define LATER_DEVICE                                                           \
    " FROM device n WHERE n.name = w.device_name AND n.kind = w.device_kind"   \
    " AND n.device_id > w.device_id"
/* Each begins with whether anything can be stale so, which is asked once: most
 * files have no other driver, and then no winner is looked at for it. */
#define STALE_TEXT                                                             \
    STALE("'the template was edited since; it is not launched'",               \
          "EXISTS (SELECT 1 FROM template o JOIN template n"                   \
          " ON n.op = o.op AND n.name = o.name"                                \
          " AND n.last_put_unix_ns > o.last_put_unix_ns)"                      \
          " AND template_is_latest = 0")
#define STALE_RUN                                                              \
    STALE("'of an interrupted run: there was no final'",                       \
          "EXISTS (SELECT 1 FROM session WHERE status = 'interrupted')"        \
          " AND verdict = 'interrupted'")
#define STALE_DRIVER                                                           \
    STALE("'tuned with driver ' || driver_version || '; later runs have ' ||"  \
          " (SELECT n.driver_version" LATER_DEVICE                             \
          "  AND n.driver_version <> w.driver_version"                         \
          "  ORDER BY n.device_id DESC LIMIT 1)",                              \
          "EXISTS (SELECT 1 FROM device o JOIN device n ON n.name = o.name"    \
          " AND n.kind = o.kind AND n.driver_version <> o.driver_version)"     \
          " AND EXISTS (SELECT 1" LATER_DEVICE                                 \
          " AND n.driver_version <> w.driver_version)")
/* Of the same compiler: what compiles for another device is none later. */
#define LATER_TOOLCHAIN                                                        \
    " FROM toolchain o JOIN toolchain n"                                       \
    " ON n.name = o.name AND n.toolchain_id > o.toolchain_id"                  \
    " WHERE o.name || ' ' || o.version = w.toolchain"
#define STALE_COMPILER                                                         \
    STALE("'compiled by ' || toolchain || '; later runs have ' ||"             \
          " (SELECT n.name || ' ' || n.version" LATER_TOOLCHAIN                \
          "  ORDER BY n.toolchain_id DESC LIMIT 1)",                           \
          "EXISTS (SELECT 1 FROM toolchain o JOIN toolchain n"                 \
          " ON n.name = o.name AND n.version <> o.version)"                    \
          " AND EXISTS (SELECT 1" LATER_TOOLCHAIN ")")
static const char stale[] =
    "SELECT op, dims, label, mode, device_name, template_name, config,"
    " time_ns, tuned_at, reason FROM (" STALE_TEXT " UNION ALL " STALE_RUN
    " UNION ALL " STALE_DRIVER " UNION ALL " STALE_COMPILER ")" BY_PROBLEM
    ", reason" HONE_SHOW_LIMIT;

/* Texts are split once for each variant, not for each trial of it. The last
 * HONE_SHOW_MOST_TRIALS trials of what the filters choose have to do: all
 * millions of a large file would take ten seconds. LIMIT -1 keeps SQLite from
 * turning the order of the loops around. */
#define NEWEST_TRIALS                                                          \
    " FROM (SELECT s.session_id, s.device_id, s.mode, d.name AS device_name"   \
    "  FROM (SELECT session_id FROM session_v1" HONE_SHOW_FILTER               \
    "   ORDER BY session_id DESC LIMIT -1) c"                                  \
    "  CROSS JOIN session s ON s.session_id = c.session_id"                    \
    "  JOIN device d ON d.device_id = s.device_id LIMIT -1) s"                 \
    " CROSS JOIN trial t ON t.session_id = s.session_id"
static const char parameters[] =
    "SELECT v.op, v.template_name, device_name, mode,"
    " substr(j.value, 1, instr(j.value, '=') - 1) AS parameter,"
    " CASE WHEN substr(j.value, instr(j.value, '=') + 1)"
    "  = CAST(CAST(substr(j.value, instr(j.value, '=') + 1) AS INTEGER)"
    "         AS TEXT)"
    "  THEN CAST(substr(j.value, instr(j.value, '=') + 1) AS INTEGER)"
    "  ELSE substr(j.value, instr(j.value, '=') + 1) END AS value,"
    " sum(n) AS n_trials, sum(ok) AS n_ok, min(best) AS best_ns,"
    " sum(total) / sum(timed) AS mean_ns FROM"
    " (SELECT variant_id, device_id, device_name, mode, count(*) AS n,"
    "   sum(outcome = 'ok') AS ok, min(time_ns) AS best,"
    "   total(time_ns) AS total, count(time_ns) AS timed FROM"
    "   (SELECT t.variant_id, t.outcome, t.time_ns, s.device_id,"
    "     s.device_name, s.mode" NEWEST_TRIALS " LIMIT " HONE_SHOW_MOST_TRIALS
    ")"
    "   GROUP BY variant_id, device_id, mode) g"
    " CROSS JOIN launch_v1 v ON v.variant_id = g.variant_id"
    " JOIN json_each('[\"' || replace(replace(replace(v.config, '\\', '\\\\'),"
    "  '\"', '\\\"'), ',', '\",\"') || '\"]') j"
    " WHERE v.config <> ''"
    " GROUP BY v.op, v.template_name, device_id, mode, parameter, value"
    " ORDER BY v.op, v.template_name, device_id, mode, parameter,"
    " value" HONE_SHOW_LIMIT;
/* Are there more? */
static const char more_trials[] =
    "SELECT 1" NEWEST_TRIALS
    " WHERE ?4 <> 0 LIMIT 1 OFFSET " HONE_SHOW_MOST_TRIALS;

/* Of the last session that had several objectives. */
#define COUNTED(what)                                                          \
    "(SELECT c.value FROM counter c WHERE c.trial_id = w.trial_id"             \
    " AND c.kernel = '(run)' AND c.name = '" what "')"
static const char pareto[] =
    "SELECT op, dims, label, mode, device_name,"
    " (SELECT k.name FROM variant v JOIN template k"
    "  ON k.template_id = v.template_id WHERE v.variant_id = w.variant_id)"
    " AS template_name, config, " COUNTED("time_ns") " AS time_ns, " COUNTED(
        "energy_uj") " AS energy_uj, text, session_id, "
                     "trial_id, " DEFAULT_OF_DECISION " AS default_config"
                     " FROM decision_v1 w" HONE_SHOW_FILTER_BY_PROBLEM
                     " AND kind = 'pareto' AND session_id = (SELECT "
                     "max(s.session_id)"
                     "  FROM session s WHERE s.problem_id = w.problem_id"
                     "  AND +s.device_id = w.device_id AND s.mode = w.mode AND "
                     "EXISTS"
                     "  (SELECT 1 FROM decision e WHERE e.session_id = "
                     "s.session_id"
                     "   AND e.kind = 'pareto'))"
                     " ORDER BY op, dims, device_id, mode, "
                     "time_ns" HONE_SHOW_LIMIT;

/* What was learned; `types` are codes, and say nothing to most people. */
static const char models[] =
    "SELECT op, types, mode, device_name, kind, n_problems, n_trials, error,"
    " printf('%.1f %%', 100 * error) AS error_text, trained_at, hone_version,"
    " size_bytes, sha256 FROM model_v1"
    " WHERE (?1 IS NULL OR op = ?1) AND (?3 IS NULL OR mode = ?3)"
    " AND (?2 IS NULL OR EXISTS (SELECT 1 FROM problem p"
    "  WHERE p.op = model_v1.op AND p.dims >= ?2 AND p.dims < ?2 || '-'))"
    " ORDER BY op, device_name, mode, types, kind" HONE_SHOW_LIMIT;

/* Cards of one model with one driver, which are one device: by what they
 * measured of the same configurations of the same problems, each over the
 * median of all cards that did. A card disagrees where its mean is off by more
 * than the noise of its sessions, one per cent, and twice its standard error
 * (squared, for not every SQLite has a square root). */
#define FLEET_WORK "device_id, problem_id, mode, template_id, types, config"
static const char fleet[] =
    "WITH place AS MATERIALIZED (SELECT s.session_id, s.device_id,"
    "  s.problem_id, s.mode, e.text AS card, s.noise_floor FROM"
    "  (SELECT * FROM session_v1" HONE_SHOW_FILTER ") s"
    "  JOIN decision e ON e.session_id = s.session_id AND e.kind = 'place'),"
    " card AS (SELECT p.device_id, p.card, count(DISTINCT p.session_id)"
    "   AS n_sessions, count(*) AS n_trials, avg(t.sm_clock_mhz) AS clock,"
    "   avg(t.temperature_c) AS temperature,"
    "   avg(coalesce(t.throttle_reasons, 0) <> 0) AS slowed FROM place p"
    "   JOIN trial t ON t.session_id = p.session_id GROUP BY 1, 2),"
    " mean AS MATERIALIZED (SELECT p.device_id, p.problem_id, p.mode,"
    "   v.template_id, v.types, v.config, p.card, avg(t.time_ns) AS ns,"
    "   avg(p.noise_floor) AS noise FROM place p"
    "   JOIN trial t ON t.session_id = p.session_id AND t.outcome = 'ok'"
    "   JOIN variant v ON v.variant_id = t.variant_id"
    "   GROUP BY 1, 2, 3, 4, 5, 6, 7),"
    " ordered AS (SELECT *, row_number() OVER (PARTITION BY " FLEET_WORK
    "   ORDER BY ns) AS nth, count(*) OVER (PARTITION BY " FLEET_WORK
    "   ) AS n FROM mean),"
    " middle AS (SELECT " FLEET_WORK ", avg(ns) AS ns FROM ordered"
    "   WHERE n > 1 AND nth IN ((n + 1) / 2, (n + 2) / 2)"
    "   GROUP BY 1, 2, 3, 4, 5, 6),"
    " off AS (SELECT m.device_id, m.card, count(*) AS n,"
    "   avg(m.ns / o.ns) AS ratio, avg((m.ns / o.ns) * (m.ns / o.ns))"
    "   - avg(m.ns / o.ns) * avg(m.ns / o.ns) AS variance,"
    "   avg(m.noise) AS noise FROM mean m JOIN middle o"
    "   USING (" FLEET_WORK ") GROUP BY 1, 2)"
    " SELECT d.name AS device_name, d.arch, d.driver_version,"
    " substr(c.card, 6, instr(c.card, ' card=') - 6) AS host,"
    " substr(c.card, instr(c.card, ' card=') + 6) AS card, c.n_sessions,"
    " c.n_trials, c.clock AS sm_clock_mhz, c.temperature AS temperature_c,"
    " c.slowed AS slowed_share, coalesce(o.n, 0) AS n_common, o.ratio,"
    " o.noise AS noise_floor, CASE"
    "  WHEN o.n IS NULL THEN 'nothing in common with others'"
    "  WHEN o.n < 3 THEN 'too little in common'"
    "  WHEN abs(o.ratio - 1) <= max(coalesce(o.noise, 0), 0.01)"
    "    OR (o.ratio - 1) * (o.ratio - 1) <= 4 * max(o.variance, 0) / o.n"
    "  THEN 'agrees' WHEN o.ratio > 1 THEN 'slower' ELSE 'faster' END"
    " AS verdict FROM card c JOIN device d ON d.device_id = c.device_id"
    " LEFT JOIN off o ON o.device_id = c.device_id AND o.card = c.card"
    " ORDER BY d.name, d.driver_version, o.ratio DESC, c.card" HONE_SHOW_LIMIT;

static const hone_show_view views[] = {
    {"winners", winners,
     "op, label=problem, device_name=device, mode, time_ns:t=time, "
     "default_time_ns:t=default, gain:r, verdict_text=verdict, "
     "template_name=by, config:c=winner",
     "winner", NULL, 1},
    {"trials", trials,
     "op, label=problem, mode, outcome_text=outcome, time_ns:t=time, "
     "registers:n=regs, template_name=by, config:c=configuration, message",
     "trial", NULL, 1},
    {"sessions", sessions,
     "session_id:n=session, op, label=problem, mode, template_name=by, "
     "strategy, budget, n_trials:n=trials, status, verdict, "
     "started_at=started (UTC), device_name=device",
     "session", NULL, 1},
    {"decisions", decisions,
     "session_id:n=session, op, label=problem, mode, kind=decision, ratio:n, "
     "n_samples:n=samples, config:c=configuration, against_config:c=against, "
     "text=reason",
     "decision", NULL, 1},
    {"devices", devices,
     "device_id:n=device, name, kind, arch, sm_count:n=SMs, "
     "memory_bytes:n=memory (bytes), driver_version=driver",
     "device", NULL, 1},
    {"coverage", coverage,
     "op, device_name=device, mode, n_problems:n=problems, "
     "n_winners:n=winners, n_trials:n=trials, n_ok:n=ok, "
     "last_tuned_at=last tuned (UTC)",
     "operation", NULL, 1},
    {"problems", problems,
     "op, label=problem, device_name=device, mode, n_sessions:n=sessions, "
     "n_trials:n=trials, time_ns:t=winner, verdict, template_name=by, "
     "last_tuned_at=last tuned (UTC)",
     "problem", NULL, 2},
    {"stale", stale,
     "op, label=problem, device_name=device, mode, template_name=by, "
     "time_ns:t=time, tuned_at=tuned (UTC), reason",
     "stale winner", NULL, 1},
    {"pareto", pareto,
     "op, label=problem, device_name=device, mode, time_ns:t=time, "
     "energy_uj:n=energy (uJ), template_name=by, config:c=configuration, "
     "text=values",
     "configuration on a front", NULL, 9},
    {"parameters", parameters,
     "op, template_name=by, device_name=device, mode, parameter, value, "
     "n_trials:n=trials, n_ok:n=ok, best_ns:t=best, mean_ns:t=mean",
     "parameter", more_trials, 1},
    {"fleet", fleet,
     "device_name=device, driver_version=driver, host, card, "
     "n_trials:n=trials, "
     "sm_clock_mhz:n=MHz, n_common:n=in common, ratio:r=x median, "
     "noise_floor:r=noise, verdict",
     "card", NULL, 2},
    {"models", models,
     "op, types, device_name=device, mode, kind, n_problems:n=problems, "
     "n_trials:n=trials, error_text=error, trained_at=trained (UTC)",
     "model", NULL, 1},
};
enum { N_VIEWS = sizeof views / sizeof views[0] };

const hone_show_view *hone__show_view_find(const char *name, hone_error *err)
{
    hone_suggestion near = hone__suggest(name, strlen(name));
    hone_text names = {0};

    if (!name[0])
        return &views[0];
    for (size_t i = 0; i < N_VIEWS; ++i)
        if (strcmp(views[i].name, name) == 0)
            return &views[i];
    for (size_t i = 0; i < N_VIEWS; ++i) {
        hone__suggest_offer(&near, views[i].name);
        hone__text_printf(&names, "%s%s", i ? ", " : "", views[i].name);
    }
    (void)hone__fail(err, HONE_ERR_ARGUMENT,
                     "there is no view '%s'; there are %s%s", name,
                     hone__text_str(&names), hone__suggest_text(&near));
    hone__text_free(&names);
    return NULL;
}
