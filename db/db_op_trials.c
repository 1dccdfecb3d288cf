/* SPDX-License-Identifier: Apache-2.0 */
/* All trials of an operation on a device, whatever the problem: what a model
 * learns from. */
#include "db/db_internal.h"
#include "db/db_model.h"
#include "runtime/base/alloc.h"

#define FROM_TRIALS                                                            \
    " FROM problem p"                                                          \
    " JOIN session s ON s.problem_id = p.problem_id AND s.device_id = ?2"      \
    " AND s.mode = ?4"                                                         \
    " JOIN trial t ON t.session_id = s.session_id"                             \
    " JOIN variant v ON v.variant_id = t.variant_id AND v.types = ?3"          \
    " JOIN template k ON k.template_id = v.template_id"                        \
    " WHERE p.op = ?1"

typedef struct walk {
    hone_db_op_trial_fn callback;
    void *user;
} walk;

static hone_status take(void *user, const hone_db_row *row, hone_error *err)
{
    const walk *w = user;
    const hone_db_op_trial trial = {.problem_id = row->values[0].integer,
                                    .dims = row->values[1].text,
                                    .template_name = row->values[2].text,
                                    .template_sha256 = row->values[3].text,
                                    .config = row->values[4].text,
                                    .outcome = row->values[5].text,
                                    .time_ns = row->values[6].real};

    return w->callback(w->user, &trial, err);
}

hone_status hone__db_op_trials(hone_db *db, const hone_db_model *key,
                               hone_db_op_trial_fn callback, void *user,
                               hone_error *err)
{
    walk w = {callback, user};
    const hone_db_value values[] = {
        hone__db_text(key->op), hone__db_integer(key->device_id),
        hone__db_text_or_empty(key->types), hone__db_text(key->mode)};

    return hone__db_query(
        db,
        "SELECT p.problem_id, p.dims, k.name, k.sha256, v.config, t.outcome,"
        " coalesce(t.time_ns, 0.0)" FROM_TRIALS
        " ORDER BY p.problem_id, k.template_id, t.trial_id",
        values, N_OF(values), take, &w, err);
}

static hone_status take_count(void *user, const hone_db_row *row,
                              hone_error *err)
{
    int64_t *const out = user;

    (void)err;
    out[0] = row->values[0].integer;
    out[1] = row->values[1].integer;
    return HONE_OK;
}

hone_status hone__db_op_trials_count(hone_db *db, const hone_db_model *key,
                                     int64_t *out_trials, int64_t *out_problems,
                                     hone_error *err)
{
    int64_t counts[2] = {0, 0};
    const hone_db_value values[] = {
        hone__db_text(key->op), hone__db_integer(key->device_id),
        hone__db_text_or_empty(key->types), hone__db_text(key->mode)};

    HONE_TRY(hone__db_query(
        db, "SELECT count(*), count(DISTINCT p.problem_id)" FROM_TRIALS, values,
        N_OF(values), take_count, counts, err));
    *out_trials = counts[0];
    *out_problems = counts[1];
    return HONE_OK;
}
