/* SPDX-License-Identifier: Apache-2.0 */
/* The best of an operation on other shapes and devices: what a search tries
 * first. Which of them is near is the tuner's business. */
#include "db/db_internal.h"

/* X(column of the query): in this order in every row. */
#define RANKED_COLUMNS(X)                                                      \
    X(CONFIG, "v.config")                                                      \
    X(DIMS, "p.dims")                                                          \
    X(LABEL, "p.label")                                                        \
    X(MODE, "r.mode")                                                          \
    X(DEVICE_NAME, "d.name")                                                   \
    X(ARCH, "d.arch")                                                          \
    X(SM_COUNT, "d.sm_count")                                                  \
    X(DEVICE_ID, "r.device_id")                                                \
    X(PROBLEM_ID, "r.problem_id")                                              \
    X(RANK, "r.rank")

enum {
#define COLUMN_ENUM(name, sql) COLUMN_##name,
    RANKED_COLUMNS(COLUMN_ENUM)
#undef COLUMN_ENUM
};

#define COLUMN_SQL(name, sql) sql ","
static const char ranked_sql[] = "SELECT " RANKED_COLUMNS(
    COLUMN_SQL) " 0"
                " FROM problem p JOIN ranking r ON r.problem_id = "
                "p.problem_id"
                " JOIN device d ON d.device_id = r.device_id"
                " JOIN trial t ON t.trial_id = r.trial_id"
                " JOIN variant v ON v.variant_id = t.variant_id"
                " WHERE p.op = ?1 AND d.kind = ?2 AND r.rank <= ?3"
                " ORDER BY r.problem_id, r.device_id, r.mode, r.rank";
#undef COLUMN_SQL

typedef struct ranked_walk {
    hone_db_ranked_fn callback;
    void *user;
} ranked_walk;

static hone_status on_ranked(void *user, size_t n_columns,
                             const char *const *names,
                             const hone_db_value *values, hone_error *err)
{
    const ranked_walk *const todo = user;
    const hone_db_ranked_row row = {
        .config = values[COLUMN_CONFIG].text,
        .dims = values[COLUMN_DIMS].text,
        .label = values[COLUMN_LABEL].text,
        .mode = values[COLUMN_MODE].text,
        .device_name = values[COLUMN_DEVICE_NAME].text,
        .arch = values[COLUMN_ARCH].text,
        .sm_count = values[COLUMN_SM_COUNT].integer,
        .device_id = values[COLUMN_DEVICE_ID].integer,
        .problem_id = values[COLUMN_PROBLEM_ID].integer,
        .rank = values[COLUMN_RANK].integer};

    (void)n_columns;
    (void)names;
    return todo->callback(todo->user, &row, err);
}

hone_status hone__db_ranked_configs(hone_db *db, const char *op,
                                    const char *device_kind, int64_t n_ranks,
                                    hone_db_ranked_fn callback, void *user,
                                    hone_error *err)
{
    ranked_walk todo = {callback, user};
    const hone_db_value values[] = {hone__db_text(op),
                                    hone__db_text(device_kind),
                                    hone__db_integer(n_ranks)};

    HONE_TRY(hone__db_need("ranked configurations", "op", op, err));
    HONE_TRY(hone__db_need("ranked configurations", "device kind", device_kind,
                           err));
    return hone__db_query(db, ranked_sql, values,
                          sizeof values / sizeof values[0], on_ranked, &todo,
                          err);
}
