/* SPDX-License-Identifier: Apache-2.0 */
/* hone show: the database's views as tables. */
#include "tools/base/commands.h"
#include "tools/base/option_value.h"
#include "tools/base/message.h"
#include "tools/base/output.h"

#include "db/db.h"
#include "gen/parse/suggest.h"
#include "runtime/expr/expr.h"

#include <stdio.h>
#include <string.h>

/* Every statement takes the same parameters: ?1 op, ?2 dims, ?3 mode (NULL:
 * any) and ?4 the number of rows (-1: all). Trailing dims may be left out. */
#define FILTER                                                                 \
    " WHERE (?1 IS NULL OR op = ?1)"                                           \
    " AND (?2 IS NULL OR dims = ?2"                                            \
    "      OR substr(dims, 1, length(?2) + 1) = ?2 || ',')"                    \
    " AND (?3 IS NULL OR mode = ?3)"

typedef struct show_view {
    const char *name;
    const char *sql;
    const char *columns; /* those of the text form */
} show_view;

static const show_view views[] = {
    {"winners",
     "SELECT op, dims, label, mode, device_name, arch, config, time_ns,"
     " ci_low_ns, ci_high_ns, default_time_ns, gain, verdict, decided_by,"
     " is_default, registers, spill_bytes, error_ratio, toolchain, "
     "driver_version, template_name,"
     " template_is_latest, tuned_at, coalesce(verdict, '-') ||"
     " CASE template_is_latest WHEN 0 THEN ' (stale)' ELSE '' END"
     " AS verdict_text FROM winner_v1" FILTER
     " ORDER BY op, device_name, mode, problem_id LIMIT ?4",
     "op, label=problem, device_name=device, mode, time_ns:t=time, "
     "default_time_ns:t=default, gain:r, verdict_text=verdict, config=winner"},
    {"trials",
     "SELECT trial_id, op, dims, label, mode, device_name, config, outcome,"
     " message, time_ns, spread_ns, n_samples, error_ratio, verified,"
     " registers, spill_bytes, static_shared_bytes, sm_clock_mhz,"
     " power_mw, temperature_c, throttle_reasons, toolchain, strategy,"
     " seed, started_at, timing, n_discarded, sample_time_ns,"
     " compiler_warnings, template_is_latest, outcome ||"
     " CASE template_is_latest WHEN 0 THEN ' (stale)' ELSE '' END"
     " AS outcome_text FROM (SELECT *, NOT EXISTS (SELECT 1 FROM template n"
     "  WHERE n.op = y.op AND n.name = y.template_name AND n.last_put_unix_ns"
     "  > (SELECT k.last_put_unix_ns FROM template k WHERE k.op = y.op"
     "   AND k.name = y.template_name AND k.sha256 = y.template_sha256))"
     " AS template_is_latest FROM trial_v1 y)" FILTER
     " ORDER BY op, problem_id, device_id, mode, time_ns IS NULL, time_ns"
     " LIMIT ?4",
     "op, label=problem, mode, outcome_text=outcome, time_ns:t=time, "
     "registers:n=regs, config=configuration, message"},
    {"sessions",
     "SELECT session_id, op, dims, label, mode, device_name, strategy,"
     " budget, seed, status, started_at, duration_s AS seconds, n_trials,"
     " hone_version, verdict, noise_floor, event_floor_ns, warm_up_ns,"
     " device_busy_ns, device_wall_ns, stopped FROM session_v1" FILTER
     " ORDER BY session_id DESC LIMIT ?4",
     "session_id:n=session, op, label=problem, mode, strategy, budget, "
     "n_trials:n=trials, status, verdict, started_at=started (UTC), "
     "device_name=device"},
    /* The last one first: it is the result of those before it. */
    {"decisions",
     "SELECT decision_id, session_id, op, dims, label, mode, device_name,"
     " at, kind, config, against_config, ratio, ratio_low, ratio_high,"
     " n_samples, text, trial_id, against_trial_id FROM decision_v1" FILTER
     " ORDER BY session_id DESC, decision_id DESC LIMIT ?4",
     "session_id:n=session, op, label=problem, mode, kind=decision, ratio:n, "
     "n_samples:n=samples, config=configuration, against_config=against, "
     "text=reason"},
    {"devices",
     "SELECT device_id, name, kind, arch, sm_count, memory_bytes, l2_bytes,"
     " driver_version FROM device d"
     " WHERE (coalesce(?1, ?2, ?3) IS NULL OR EXISTS ("
     "  SELECT 1 FROM trial_v1 t" FILTER " AND t.device_id = d.device_id))"
     " ORDER BY device_id LIMIT ?4",
     "device_id:n=device, name, kind, arch, sm_count:n=SMs, "
     "memory_bytes:n=memory, driver_version=driver"},
    {"coverage",
     "SELECT op, device_name, arch, mode, n_problems, n_winners, n_trials,"
     " n_ok, last_tuned_at FROM coverage_v1"
     " WHERE (?1 IS NULL OR op = ?1) AND (?3 IS NULL OR mode = ?3)"
     " AND (?2 IS NULL OR EXISTS (SELECT 1 FROM problem p"
     "  WHERE p.op = coverage_v1.op AND (p.dims = ?2"
     "   OR substr(p.dims, 1, length(?2) + 1) = ?2 || ',')))"
     " ORDER BY op, device_name, mode LIMIT ?4",
     "op, device_name=device, mode, n_problems:n=problems, "
     "n_winners:n=winners, n_trials:n=trials, n_ok:n=ok, "
     "last_tuned_at=last tuned (UTC)"},
};
enum { N_VIEWS = sizeof views / sizeof views[0] };

static const show_view *find_view(const char *name, hone_error *err)
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

/* --dims as the database spells it: numbers, of types their codes. */
static hone_status dims_text(const char *text, hone_text *out, hone_error *err)
{
    for (const char *word = text;;) {
        const size_t length = strcspn(word, ",");
        hone_expr *expr = NULL;
        int64_t value = -1;

        if (hone__expr_compile(word, length, NULL, NULL, &expr, NULL, NULL) ==
            HONE_OK)
            (void)hone__expr_eval(expr, NULL, &value, NULL);
        hone__expr_free(expr);
        if (value < 0)
            return hone__fail(err, HONE_ERR_DIMS,
                              "--dims '%s': '%.*s' is neither a size nor an "
                              "element type",
                              text, (int)length, word);
        hone__text_printf(out, "%s%lld", out->length ? "," : "",
                          (long long)value);
        if (!word[length])
            return hone__text_check(out, err);
        word += length + 1;
    }
}

static json_t *value_json(const hone_db_value *value)
{
    switch (value->kind) {
    case HONE_DB_INTEGER:
        return json_integer(value->integer);
    case HONE_DB_REAL:
        return hone__json_real(value->real);
    case HONE_DB_TEXT:
        return hone__json_string(value->text, value->size_bytes);
    case HONE_DB_NULL:
    case HONE_DB_BLOB:
        break;
    }
    return json_null();
}

typedef struct show_rows {
    hone_output *output;
    int n_interrupted; /* with that verdict */
} show_rows;

static hone_status on_row(void *user, const hone_db_row *row, hone_error *err)
{
    show_rows *rows = user;
    json_t *object = json_object();

    (void)err;
    for (size_t i = 0; i < row->n_columns; ++i) {
        const hone_db_value *value = &row->values[i];
        char member[80];

        (void)snprintf(member, sizeof member, "%.70s:o", row->names[i]);
        object = hone__json_add(object, member, value_json(value));
        rows->n_interrupted += strcmp(row->names[i], "verdict") == 0 &&
                               value->kind == HONE_DB_TEXT &&
                               strcmp(value->text, "interrupted") == 0;
    }
    hone__output_row(rows->output, object);
    return HONE_OK;
}

static hone_exit print_view(const hone_options *options, const show_view *view,
                            hone_db *db, const char *dims)
{
    const hone_db_value params[] = {
        hone__db_text(options->text[HONE_OPT_OP]),
        hone__db_text(dims),
        hone__db_text(options->text[HONE_OPT_MODE]),
        hone__db_integer(options->text[HONE_OPT_LIMIT]
                             ? options->number[HONE_OPT_LIMIT]
                             : -1),
    };
    show_rows rows = {
        hone__output_begin(options, view->name, view->columns, hone__json("")),
        0};
    hone_error err = {0};
    const hone_status status =
        hone__db_query(db, view->sql, params, sizeof params / sizeof params[0],
                       on_row, &rows, &err);
    const hone_exit code = hone__output_end(rows.output, hone__json(""));

    if (rows.n_interrupted && view == &views[0])
        hone__message_note("%d winner%s of interrupted runs: verified on the "
                           "own shape only, not on edge shapes, until the "
                           "same 'hone tune' ends",
                           rows.n_interrupted,
                           rows.n_interrupted == 1 ? "" : "s");
    return status == HONE_OK ? code : hone__message_error(&err);
}

hone_exit hone__cmd_show(const hone_options *options)
{
    const char *dims = options->text[HONE_OPT_DIMS];
    hone_text path = {0}, dims_out = {0};
    hone_db *db = NULL;
    hone_error err = {0};
    hone_exit code;
    hone_status status = HONE_OK;
    const show_view *view = find_view(hone__options_arg(options, 0), &err);

    if (!view)
        return hone__message_error(&err);
    if (dims)
        status = dims_text(dims, &dims_out, &err);
    if (status == HONE_OK)
        status = hone__locate_db(options, &path, &err);
    if (status == HONE_OK)
        status =
            hone__db_open(hone__text_str(&path), HONE_DB_READONLY, &db, &err);
    code = status == HONE_OK
               ? print_view(options, view, db,
                            dims ? hone__text_str(&dims_out) : NULL)
               : hone__message_error(&err);
    hone__db_close(db);
    hone__text_free(&path);
    hone__text_free(&dims_out);
    return code;
}
