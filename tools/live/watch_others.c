/* SPDX-License-Identifier: Apache-2.0 */
/* Tunes that run beside the one that is watched, on other devices: a line
 * each. */
#include "tools/live/watch.h"

#include "tools/base/visible.h"

#include "runtime/base/count.h"
#include "tuner/process/process_mark.h"

#include <stdio.h>
#include <string.h>

static const char others_sql[] =
    "SELECT p.op, p.label, d.name,"
    " sum((SELECT count(*) FROM trial t WHERE t.session_id = s.session_id)),"
    " min((SELECT min(t.time_ns) FROM trial t"
    "      WHERE t.session_id = s.session_id AND t.outcome = 'ok')),"
    " max((SELECT d.text FROM decision_v1 d WHERE d.session_id = s.session_id"
    "      AND d.kind = 'process'))"
    " FROM session s JOIN problem p ON p.problem_id = s.problem_id"
    " JOIN device d ON d.device_id = s.device_id"
    " WHERE s.status = 'running' AND s.started_unix_s > ?4 AND NOT"
    " (s.problem_id = ?1 AND s.device_id = ?2 AND s.mode = ?3)"
    " GROUP BY s.problem_id, s.device_id, s.mode"
    " ORDER BY min(s.session_id) LIMIT ?5";

static hone_status on_other(void *user, const hone_db_row *row, hone_error *err)
{
    hone_watch *tune = user;
    hone_watch_other *other = &tune->others[tune->n_others];

    (void)err;
    if (hone__process_mark_is_gone(row->values[5].text, NULL))
        return HONE_OK;
    ++tune->n_others;
    (void)snprintf(other->op, sizeof other->op, "%s", row->values[0].text);
    (void)snprintf(other->label, sizeof other->label, "%s",
                   row->values[1].text);
    (void)snprintf(other->device, sizeof other->device, "%s",
                   row->values[2].text);
    hone__string_visible(other->op);
    hone__string_visible(other->label);
    hone__string_visible(other->device);
    other->n_trials = row->values[3].integer;
    other->best_ns = row->values[4].real;
    return HONE_OK;
}

hone_status hone__watch_read_others(hone_db *db, hone_watch *tune,
                                    hone_error *err)
{
    const hone_db_value key[] = {hone__db_integer(tune->problem_id),
                                 hone__db_integer(tune->device_id),
                                 hone__db_text(tune->mode),
                                 hone__db_integer(hone__watch_oldest_unix_s()),
                                 hone__db_integer(HONE_WATCH_MOST_OTHERS)};

    tune->n_others = 0;
    if (!tune->is_running)
        return HONE_OK;
    return hone__db_query(db, others_sql, key, HONE_COUNT(key), on_other, tune,
                          err);
}

json_t *hone__watch_others_json(const hone_watch *tune)
{
    json_t *array = json_array();

    for (size_t i = 0; i < tune->n_others; ++i) {
        const hone_watch_other *other = &tune->others[i];

        array = hone__json_append(
            array, hone__json("op:s label:s device_name:s trials:I "
                              "best_time_ns:p",
                              other->op, other->label, other->device,
                              other->n_trials, other->best_ns));
    }
    return array;
}
