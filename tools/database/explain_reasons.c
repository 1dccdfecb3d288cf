/* SPDX-License-Identifier: Apache-2.0 */
/* Which parameters matter, what failed, what was decided: see explain.h. */
#include "tools/database/explain.h"

#include "runtime/base/alloc.h"
#include "tools/analysis/importance.h"

#include <stdio.h>
#include <string.h>

typedef struct reasons_walk {
    const hone_explained *about;
    json_t *rows;
} reasons_walk;

/* The rows of one section. */
static json_t *ask(const hone_explained *about, const char *sql,
                   const hone_db_value *values, size_t n_values,
                   hone_db_row_fn each, hone_error *err)
{
    reasons_walk walk = {about, json_array()};

    if (hone__db_query(about->db, sql, values, n_values, each, &walk, err) ==
        HONE_OK)
        return walk.rows;
    json_decref(walk.rows);
    return NULL;
}

/* ---- parameters ------------------------------------------------------------
 */

enum { MOST_SHARES = 12 };
static const double SMALLEST = 0.01; /* share that is worth a line */

static void add_share(json_t **rows, const char *implementation,
                      const hone_trials *trials, const hone_importance *found,
                      const hone_importance_share *share)
{
    const hone_trials_param *one = &trials->params[share->params[0]];
    const hone_trials_param *other = &trials->params[share->params[1]];
    char name[140], text[16];

    (void)snprintf(name, sizeof name, one == other ? "%s" : "%s x %s",
                   one->name, other->name);
    (void)snprintf(text, sizeof text, "%.0f %%", share->share * 100);
    *rows = hone__json_append(
        *rows,
        hone__json("implementation:s parameter:s share:f share_text:s best:s "
                   "values:I trials:I problems:I explained:f",
                   implementation, name, share->share, text,
                   one == other ? one->levels[share->best] : NULL,
                   (int64_t)(one == other ? one->n_levels
                                          : one->n_levels * other->n_levels),
                   (int64_t)found->n_trials, (int64_t)trials->n_problems,
                   found->fit));
}

static hone_status explain_one(const hone_explained *about,
                               const char *implementation, json_t **rows,
                               hone_error *err)
{
    const hone_trials_query query = {about->op, "", implementation,
                                     about->device_id, about->mode};
    hone_importance *found = hone__alloc(sizeof *found);
    hone_trials *trials = hone__alloc(sizeof *trials);
    hone_status status = found && trials
                             ? hone__trials_read(about->db, &query, trials, err)
                             : hone__out_of_memory(err, "");

    if (status == HONE_OK)
        status = hone__importance(trials, found, err);
    for (size_t i = 0; status == HONE_OK && i < found->n && i < MOST_SHARES;
         ++i)
        if (found->shares[i].share >= SMALLEST)
            add_share(rows, implementation, trials, found, &found->shares[i]);
    if (trials)
        hone__trials_free(trials);
    hone__free(trials);
    hone__free(found);
    return status;
}

static hone_status on_implementation(void *user, const hone_db_row *row,
                                     hone_error *err)
{
    reasons_walk *walk = user;

    return explain_one(walk->about, row->values[0].text, &walk->rows, err);
}

json_t *hone__explain_importance(const hone_explained *about, hone_error *err)
{
    const hone_db_value op = hone__db_text(about->op);

    return ask(about,
               "SELECT DISTINCT name FROM template WHERE op = ?1"
               " AND kind = 'template' ORDER BY name",
               &op, 1, on_implementation, err);
}

/* ---- outcomes --------------------------------------------------------------
 */

static const char outcomes_sql[] =
    "SELECT k.name, t.outcome, count(*), max(t.message), max(CASE t.outcome"
    " WHEN 'compile' THEN v.log_sha256 END)"
    " FROM session s JOIN trial t ON t.session_id = s.session_id"
    " JOIN variant v ON v.variant_id = t.variant_id"
    " JOIN template k ON k.template_id = v.template_id"
    " WHERE s.problem_id = ?1 AND s.device_id = ?2 AND s.mode = ?3"
    " GROUP BY k.name, t.outcome ORDER BY 1, 3 DESC";

/* The first line of a log, if it is there. */
static void first_line(const hone_explained *about, const hone_db_value *log,
                       hone_text *out)
{
    if (log->kind != HONE_DB_TEXT ||
        hone__db_artifact_get(about->db, log->text, out, NULL) != HONE_OK ||
        !out->data)
        return;
    out->data[strcspn(out->data, "\n")] = '\0';
}

static hone_status on_outcome(void *user, const hone_db_row *row,
                              hone_error *err)
{
    const hone_db_value *v = row->values;
    reasons_walk *walk = user;
    hone_text line = {0};
    const char *said = v[3].kind == HONE_DB_TEXT ? v[3].text : NULL;

    (void)err;
    first_line(walk->about, &v[4], &line);
    walk->rows = hone__json_append(
        walk->rows,
        hone__json("implementation:s outcome:s trials:I for_example:s",
                   v[0].text, v[1].text, v[2].integer,
                   line.data && *line.data ? line.data : said));
    hone__text_free(&line);
    return HONE_OK;
}

json_t *hone__explain_outcomes(const hone_explained *about, hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(about->problem_id),
                                    hone__db_integer(about->device_id),
                                    hone__db_text(about->mode)};

    return ask(about, outcomes_sql, values, 3, on_outcome, err);
}

/* ---- decisions -------------------------------------------------------------
 */

/* Those of the final: what the search gave up on is in `hone show decisions`.
 */
static const char decisions_sql[] =
    "SELECT kind, config, text, ratio, ratio_low, ratio_high,"
    " (SELECT d.config FROM variant o JOIN variant d"
    "  ON d.template_id = o.template_id AND d.is_default = 1"
    "  AND d.types = o.types AND d.arch = o.arch"
    "  WHERE o.variant_id = e.variant_id LIMIT 1) FROM decision_v1 e"
    " WHERE session_id = ?1 AND kind IN ('winner', 'tied', 'too_noisy',"
    " 'refuted', 'dropped', 'alarm') ORDER BY kind <> 'winner',"
    " kind <> 'tied', decision_id LIMIT 8";

static hone_status on_decision(void *user, const hone_db_row *row,
                               hone_error *err)
{
    const hone_db_value *v = row->values;
    reasons_walk *walk = user;

    (void)err;
    walk->rows = hone__json_append(
        walk->rows,
        hone__json("kind:s config:s default_config:s text:s ratio:p "
                   "ratio_low:p ratio_high:p",
                   v[0].text, v[1].kind == HONE_DB_TEXT ? v[1].text : NULL,
                   v[6].kind == HONE_DB_TEXT ? v[6].text : NULL, v[2].text,
                   v[3].real, v[4].real, v[5].real));
    return HONE_OK;
}

json_t *hone__explain_decisions(const hone_explained *about, hone_error *err)
{
    const hone_db_value session = hone__db_integer(about->session_id);

    return ask(about, decisions_sql, &session, 1, on_decision, err);
}
