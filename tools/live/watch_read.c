/* SPDX-License-Identifier: Apache-2.0 */
/* A tune from the database: see watch.h. */
#include "tools/live/watch.h"

#include "tools/base/visible.h"

#include "runtime/base/alloc.h"
#include "runtime/base/count.h"
#include "runtime/base/grow.h"
#include "tuner/process/process_mark.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Of one tune the sessions begin within a second; of two tunes of the same
 * problem no two run at the same time on one device. */
enum { SAME_TUNE_S = 5 };

/* When a session was last seen: its last trial, or its beginning. */
#define SEEN_UNIX_S(session)                                                   \
    "max(" session ".started_unix_s, coalesce((SELECT"                         \
    " t.started_unix_ns / 1000000000 FROM trial t WHERE t.session_id "         \
    "= " session ".session_id ORDER BY t.trial_id DESC LIMIT 1), 0))"

/* Those that have not said that they ended. Of the table, whose indexes know
 * them: a look must not read all sessions. */
static const char running_sql[] =
    "SELECT session_id, (SELECT d.text FROM decision_v1 d"
    " WHERE d.session_id = s.session_id AND d.kind = 'process' LIMIT 1)"
    " FROM session s WHERE status = 'running' AND " SEEN_UNIX_S(
        "s") " > ?2"
             " ORDER BY session_id DESC LIMIT ?1";

static const char find_sql[] =
    "SELECT problem_id, device_id, mode, session_id, op, label, device_name,"
    " strategy, budget, seed, CAST(strftime('%s', started_at) AS INTEGER)"
    " FROM session_v1 WHERE session_id = coalesce(?1,"
    " (SELECT max(session_id) FROM session))";

/* Those of one tune have one process. */
static const char sessions_sql[] =
    "SELECT min(v.session_id), v.template_name, v.template_sha256,"
    " max(CASE v.status WHEN 'running' THEN coalesce("
    "  (SELECT d.text FROM decision_v1 d WHERE d.session_id = v.session_id"
    "   AND d.kind = 'process'), '') END), max(coalesce(v.verdict, '')),"
    " s.started_unix_s, v.duration_s,"
    " max(CASE v.status WHEN 'running' THEN " SEEN_UNIX_S(
        "s") " END)"
             " FROM session_v1 v JOIN session s USING (session_id, device_id, "
             "mode)"
             " WHERE v.problem_id = ?1 AND (device_id, mode) = (?2, ?3)"
             " AND abs(s.started_unix_s - ?4) <= ?5"
             " GROUP BY v.template_name, v.template_sha256"
             " ORDER BY min(v.session_id) LIMIT ?6";

static const char trials_sql[] =
    "SELECT trial_id, template_sha256, outcome, time_ns, device_time_ns,"
    " started_unix_ns, is_default, config, template_name FROM trial_v1"
    " WHERE problem_id = ?1 AND device_id = ?2 AND mode = ?3"
    " AND trial_id > ?4 ORDER BY trial_id";

/* Cut to the room there is. */
static void copy(char *out, size_t size, const char *text)
{
    (void)snprintf(out, size, "%s", text);
    hone__string_visible(out);
}
#define COPY(out, value) copy((out), sizeof(out), (value).text)

int64_t hone__watch_oldest_unix_s(void)
{
    return (int64_t)time(NULL) - HONE_WATCH_MOST_AGE_S;
}

/* ---- which tune ---------------------------------------------------------- */

/* The last one whose process runs, or may. */
static hone_status on_running(void *user, const hone_db_row *row,
                              hone_error *err)
{
    int64_t *session_id = user;

    (void)err;
    if (!*session_id && !hone__process_mark_is_gone(row->values[1].text, NULL))
        *session_id = row->values[0].integer;
    return HONE_OK;
}

static hone_status on_found(void *user, const hone_db_row *row, hone_error *err)
{
    const hone_db_value *v = row->values;
    hone_watch *found = user;

    (void)err;
    found->problem_id = v[0].integer;
    found->device_id = v[1].integer;
    COPY(found->mode, v[2]);
    found->first_session_id = v[3].integer;
    COPY(found->op, v[4]);
    COPY(found->label, v[5]);
    COPY(found->device, v[6]);
    COPY(found->strategy, v[7]);
    COPY(found->budget, v[8]);
    found->seed = v[9].integer;
    found->started_unix_s = v[10].integer;
    return HONE_OK;
}

static hone_status on_session(void *user, const hone_db_row *row,
                              hone_error *err)
{
    const hone_db_value *v = row->values;
    hone_watch *found = user;
    hone_watch_implementation *item;

    (void)err;
    if (found->n_implementations == HONE_WATCH_MOST_IMPLEMENTATIONS)
        return HONE_OK;
    item = &found->implementations[found->n_implementations++];
    *item = (hone_watch_implementation){.n_trials = 0};
    if (v[0].integer < found->first_session_id)
        found->first_session_id = v[0].integer;
    COPY(item->name, v[1]);
    COPY(item->sha256, v[2]);
    if (v[3].kind == HONE_DB_TEXT) {
        if (hone__process_mark_is_gone(v[3].text, &found->lost_pid) ||
            v[7].integer <= hone__watch_oldest_unix_s())
            found->is_lost = 1;
        else
            found->is_running = 1;
    }
    if (v[4].text[0])
        COPY(found->verdict, v[4]);
    if (v[6].kind == HONE_DB_INTEGER &&
        v[5].integer + v[6].integer > found->ended_unix_s)
        found->ended_unix_s = v[5].integer + v[6].integer;
    return HONE_OK;
}

static hone_status find_tune(hone_db *db, hone_watch *found, hone_error *err)
{
    hone_db_value key[6] = {hone__db_integer(HONE_WATCH_MOST_OTHERS),
                            hone__db_integer(hone__watch_oldest_unix_s())};
    int64_t session_id = 0;

    HONE_TRY(
        hone__db_query(db, running_sql, key, 2, on_running, &session_id, err));
    key[0] = session_id ? hone__db_integer(session_id) : hone__db_null();
    HONE_TRY(hone__db_query(db, find_sql, key, 1, on_found, found, err));
    if (!found->problem_id)
        return HONE_OK;
    key[0] = hone__db_integer(found->problem_id);
    key[1] = hone__db_integer(found->device_id);
    key[2] = hone__db_text(found->mode);
    key[3] = hone__db_integer(found->started_unix_s);
    key[4] = hone__db_integer(SAME_TUNE_S);
    key[5] = hone__db_integer(HONE_WATCH_MOST_IMPLEMENTATIONS);
    HONE_TRY(hone__db_query(db, sessions_sql, key, HONE_COUNT(key), on_session,
                            found, err));
    if (found->is_running)
        found->ended_unix_s = 0;
    return HONE_OK;
}

static int is_same(const hone_watch *a, const hone_watch *b)
{
    return a->first_session_id == b->first_session_id &&
           a->problem_id == b->problem_id && a->device_id == b->device_id &&
           strcmp(a->mode, b->mode) == 0;
}

/* What may have changed of the same tune; an implementation may be new. */
static void take_news(hone_watch *tune, const hone_watch *found)
{
    tune->is_running = found->is_running;
    tune->is_lost = found->is_lost;
    tune->lost_pid = found->lost_pid;
    tune->ended_unix_s = found->ended_unix_s;
    copy(tune->verdict, sizeof tune->verdict, found->verdict);
    for (size_t i = tune->n_implementations; i < found->n_implementations; ++i)
        tune->implementations[tune->n_implementations++] =
            found->implementations[i];
}

/* ---- its trials ---------------------------------------------------------- */

typedef struct trials {
    hone_watch *tune;
    int64_t recent_from_unix_ns;
} trials;

static hone_watch_implementation *
find_implementation(hone_watch *tune, const char *sha256, const char *name)
{
    for (size_t i = 0; i < tune->n_implementations; ++i)
        if (strcmp(tune->implementations[i].sha256, sha256) == 0 &&
            strcmp(tune->implementations[i].name, name) == 0)
            return &tune->implementations[i];
    return NULL;
}

static void take_time(hone_watch *tune, hone_watch_implementation *item,
                      const hone_db_row *row)
{
    const double time_ns = row->values[3].real;
    const double best_ns =
        tune->n_best > 1 ? tune->best_ns[tune->n_best - 2] : 0;

    ++item->n_ok;
    if (row->values[6].integer)
        item->default_ns = time_ns;
    if (!(item->best_ns > 0) || time_ns < item->best_ns)
        item->best_ns = time_ns;
    if (best_ns > 0 && best_ns <= time_ns)
        return;
    tune->best_ns[tune->n_best - 1] = time_ns;
    tune->best_of = (size_t)(item - tune->implementations);
    COPY(tune->config, row->values[7]);
}

static hone_status on_trial(void *user, const hone_db_row *row, hone_error *err)
{
    const hone_db_value *v = row->values;
    trials *t = user;
    hone_watch *tune = t->tune;
    hone_watch_implementation *item =
        find_implementation(tune, v[1].text, v[8].text);
    const hone_outcome outcome = hone__outcome_find(v[2].text);

    tune->last_trial_id = v[0].integer;
    if (!item)
        return HONE_OK;
    if (!HONE_GROW(tune->best_ns, tune->n_best))
        return hone__out_of_memory(err, " for a tune");
    tune->best_ns[tune->n_best] =
        tune->n_best ? tune->best_ns[tune->n_best - 1] : 0;
    ++tune->n_best;
    ++tune->n_trials;
    /* Others are of an earlier run, which this one did not repeat. */
    if (v[5].integer / 1000000000 >= tune->started_unix_s)
        ++tune->n_own;
    ++item->n_trials;
    item->device_time_ns += v[4].integer;
    if (outcome < HONE_N_OUTCOMES)
        ++tune->counts[outcome];
    if (v[5].integer > tune->last_trial_unix_ns)
        tune->last_trial_unix_ns = v[5].integer;
    if (outcome == HONE_OUTCOME_OK)
        take_time(tune, item, row);
    return HONE_OK;
}

static hone_status on_number(void *user, const hone_db_row *row,
                             hone_error *err)
{
    (void)err;
    *(int64_t *)user = row->values[0].integer;
    return HONE_OK;
}

/* Those since the last look, and how many the last seconds had. */
static hone_status read_trials(hone_db *db, hone_watch *tune, hone_error *err)
{
    trials t = {.tune = tune};
    hone_db_value key[] = {
        hone__db_integer(tune->problem_id), hone__db_integer(tune->device_id),
        hone__db_text(tune->mode), hone__db_integer(tune->last_trial_id)};

    HONE_TRY(hone__db_query(db, trials_sql, key, HONE_COUNT(key), on_trial, &t,
                            err));
    key[3] = hone__db_integer(((int64_t)time(NULL) - HONE_WATCH_RECENT_S) *
                              1000000000);
    return hone__db_query(db,
                          "SELECT count(*) FROM trial_v1"
                          " WHERE problem_id = ?1 AND device_id = ?2"
                          " AND mode = ?3 AND started_unix_ns > ?4",
                          key, HONE_COUNT(key), on_number, &tune->n_recent,
                          err);
}

hone_status hone__watch_read(hone_db *db, hone_watch *tune, int *out_any,
                             hone_error *err)
{
    hone_watch *found = hone__alloc(sizeof *found);
    hone_status status;

    *out_any = 0;
    if (!found)
        return hone__out_of_memory(err, " for a tune");
    memset(found, 0, sizeof *found);
    status = find_tune(db, found, err);
    if (status == HONE_OK && found->problem_id) {
        *out_any = 1;
        if (is_same(tune, found)) {
            take_news(tune, found);
        } else {
            hone__watch_free(tune);
            *tune = *found;
        }
        status = read_trials(db, tune, err);
        if (status == HONE_OK)
            status = hone__watch_read_others(db, tune, err);
    }
    hone__free(found);
    return status;
}

void hone__watch_free(hone_watch *tune)
{
    hone__free(tune->best_ns);
    *tune = (hone_watch){.problem_id = 0};
}
