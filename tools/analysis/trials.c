/* SPDX-License-Identifier: Apache-2.0 */
/* Trials as numbers: see trials.h. */
#include "tools/analysis/trials.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- configurations ------------------------------------------------------ */

static size_t param_of(hone_trials *trials, const char *name, size_t length)
{
    hone_trials_param *param = trials->params;
    size_t i = 0;

    for (; i < trials->n_params; ++i, ++param)
        if (strncmp(param->name, name, length) == 0 && !param->name[length])
            return i;
    if (i == HONE_TRIALS_MOST_PARAMS || length >= sizeof param->name)
        return HONE_TRIALS_MOST_PARAMS;
    memcpy(param->name, name, length);
    param->name[length] = '\0';
    ++trials->n_params;
    return i;
}

static size_t level_of(hone_trials_param *param, const char *value,
                       size_t length)
{
    size_t i = 0;

    if (length >= sizeof param->levels[0])
        length = sizeof param->levels[0] - 1;
    for (; i < param->n_levels; ++i)
        if (strncmp(param->levels[i], value, length) == 0 &&
            !param->levels[i][length])
            return i;
    if (i == HONE_TRIALS_MOST_LEVELS)
        return i - 1;
    memcpy(param->levels[i], value, length);
    param->levels[i][length] = '\0';
    ++param->n_levels;
    return i;
}

/* "BM=128,BN=64"; a value that is not stated is a level of its own. */
static void split(hone_trials *trials, const char *config, hone_trials_row *row)
{
    int is_stated[HONE_TRIALS_MOST_PARAMS] = {0};

    for (const char *at = config; *at;) {
        const size_t length = strcspn(at, ",");
        const char *value = memchr(at, '=', length);

        if (value) {
            const size_t p = param_of(trials, at, (size_t)(value - at));

            ++value;
            if (p < HONE_TRIALS_MOST_PARAMS) {
                is_stated[p] = 1;
                row->level[p] = (unsigned char)level_of(
                    &trials->params[p], value, (size_t)(at + length - value));
            }
        }
        at += length + (at[length] == ',');
    }
    for (size_t p = 0; p < trials->n_params; ++p)
        if (!is_stated[p])
            row->level[p] = (unsigned char)level_of(&trials->params[p], "", 0);
}

hone_status hone__trials_add(hone_trials *trials, const char *config,
                             int64_t problem_id, double time, hone_error *err)
{
    if (!(time > 0))
        return HONE_OK;
    if (!HONE_GROW(trials->rows, trials->n))
        return hone__out_of_memory(err, "");
    trials->rows[trials->n] =
        (hone_trials_row){.problem_id = problem_id, .log_time = log(time)};
    split(trials, config, &trials->rows[trials->n]);
    ++trials->n;
    return HONE_OK;
}

/* ---- all of them --------------------------------------------------------- */

static int by_problem(const void *a, const void *b)
{
    const hone_trials_row *one = a, *other = b;

    return (one->problem_id > other->problem_id) -
           (one->problem_id < other->problem_id);
}

/* One that has a single value explains nothing. */
static void drop_constants(hone_trials *trials)
{
    for (size_t p = trials->n_params; p-- > 0;) {
        if (trials->params[p].n_levels > 1)
            continue;
        --trials->n_params;
        memmove(&trials->params[p], &trials->params[p + 1],
                (trials->n_params - p) * sizeof trials->params[0]);
        memset(&trials->params[trials->n_params], 0, sizeof trials->params[0]);
        for (size_t i = 0; i < trials->n; ++i)
            memmove(&trials->rows[i].level[p], &trials->rows[i].level[p + 1],
                    trials->n_params - p);
    }
}

void hone__trials_finish(hone_trials *trials)
{
    trials->n_problems = 0;
    if (trials->n)
        qsort(trials->rows, trials->n, sizeof *trials->rows, by_problem);
    for (size_t from = 0, to; from < trials->n; from = to) {
        double sum = 0;

        for (to = from; to < trials->n && trials->rows[to].problem_id ==
                                              trials->rows[from].problem_id;
             ++to)
            sum += trials->rows[to].log_time;
        for (size_t i = from; i < to; ++i)
            trials->rows[i].log_time -= sum / (double)(to - from);
        ++trials->n_problems;
    }
    drop_constants(trials);
}

/* From the problems' index on op inwards, so that a large file is read no
 * further than the limit. */
static const char trials_sql[] =
    "SELECT v.config, s.problem_id, t.time_ns FROM problem p"
    " CROSS JOIN session s ON s.problem_id = p.problem_id"
    " AND s.device_id = ?3 AND s.mode = ?4"
    " CROSS JOIN trial t ON t.session_id = s.session_id"
    " CROSS JOIN variant v ON v.variant_id = t.variant_id"
    " CROSS JOIN template k ON k.template_id = v.template_id"
    " WHERE p.op = ?1 AND k.name = ?2 AND t.outcome = 'ok'"
    " AND (?6 = '' OR (p.dims >= ?6 AND p.dims < ?6 || '-')) LIMIT ?5";

static hone_status on_trial(void *user, const hone_db_row *row, hone_error *err)
{
    return hone__trials_add(user, row->values[0].text, row->values[1].integer,
                            row->values[2].real, err);
}

hone_status hone__trials_read(hone_db *db, const hone_trials_query *query,
                              hone_trials *out, hone_error *err)
{
    const hone_db_value values[] = {hone__db_text(query->op),
                                    hone__db_text(query->implementation),
                                    hone__db_integer(query->device_id),
                                    hone__db_text(query->mode),
                                    hone__db_integer(HONE_TRIALS_MOST),
                                    hone__db_text(query->dims)};

    memset(out, 0, sizeof *out);
    HONE_TRY(hone__db_query(db, trials_sql, values,
                            sizeof values / sizeof values[0], on_trial, out,
                            err));
    hone__trials_finish(out);
    return HONE_OK;
}

void hone__trials_free(hone_trials *trials)
{
    hone__free(trials->rows);
    trials->rows = NULL;
    trials->n = 0;
}
