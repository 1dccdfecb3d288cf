/* SPDX-License-Identifier: Apache-2.0 */
/* Is the database whole? Each check looks at all rows of its kind, and goes on
 * behind what it finds. */
#include "db/db_model.h"
#include "db/db_internal.h"
#include "runtime/choose/chooser.h"
#include "runtime/store/launch_hash.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct check_walk {
    hone_db *db;
    hone_db_checked *out;
} check_walk;

/* The first finding is kept as a sentence. */
__attribute__((format(printf, 2, 3))) static void find(hone_db_checked *out,
                                                       const char *format, ...)
{
    va_list list;

    if (!out->n_damaged++) {
        va_start(list, format);
        (void)sqlite3_vsnprintf((int)sizeof out->first, out->first, format,
                                list);
        va_end(list);
    }
}

/* ---- the file
 * ---------------------------------------------------------------- */

static hone_status on_page(void *user, const hone_db_row *row, hone_error *err)
{
    check_walk *walk = user;

    (void)err;
    if (strcmp(row->values[0].text, "ok") != 0)
        find(walk->out, "SQLite says: %s", row->values[0].text);
    return HONE_OK;
}

static hone_status on_reference(void *user, const hone_db_row *row,
                                hone_error *err)
{
    check_walk *walk = user;

    (void)err;
    find(walk->out,
         "a row of %s (%lld) refers to a row of %s that is not there",
         row->values[0].text, (long long)row->values[1].integer,
         row->values[2].text);
    return HONE_OK;
}

/* ---- hashes
 * -------------------------------------------------------------------- */

static hone_status on_artifact(void *user, const hone_db_row *row,
                               hone_error *err)
{
    check_walk *walk = user;
    hone_text content = {0};
    hone_error why = {0};
    const hone_status status =
        hone__db_artifact_get(walk->db, row->values[0].text, &content, &why);

    hone__text_free(&content);
    if (status == HONE_ERR_NO_MEMORY)
        return hone__out_of_memory(err, "");
    ++walk->out->n;
    if (status != HONE_OK)
        find(walk->out, "%s", why.text);
    return HONE_OK;
}

static hone_status on_variant(void *user, const hone_db_row *row,
                              hone_error *err)
{
    const hone_db_value *v = row->values;
    const hone_launch_parts parts = {v[0].text, v[1].text, v[2].text, v[3].text,
                                     v[4].text};
    check_walk *walk = user;
    char hash[HONE_SHA256_HEX];

    HONE_TRY(hone__launch_hash(&parts, hash, err));
    ++walk->out->n;
    if (strcmp(hash, v[5].text) != 0)
        find(walk->out,
             "what variant %lld (%s of %s) is launched with is not what was "
             "stored",
             (long long)v[6].integer, v[0].text, v[7].text);
    return HONE_OK;
}

/* Its first line says what it is. A version that this hone does not know is no
 * damage; of those of the time (tuner/) only that line is looked at. */
static hone_status read_model(const char *kind, const char *text,
                              hone_error *err)
{
    static const char title[] = "hone-chooser ";
    hone_chooser *chooser = NULL;
    hone_status status = HONE_OK;

    if (strcmp(kind, "chooser") != 0)
        return strncmp(text, "hone-model ", 11) == 0
                   ? HONE_OK
                   : hone__fail(err, HONE_ERR_INPUT,
                                "its first line is not that of a model");
    if (strncmp(text, title, sizeof title - 1) != 0 ||
        strtol(text + sizeof title - 1, NULL, 10) <= HONE_CHOOSER_VERSION)
        status = hone__chooser_parse(text, &chooser, err);
    hone__chooser_free(chooser);
    return status;
}

static hone_status on_model(void *user, const hone_db_row *row, hone_error *err)
{
    const hone_db_value *v = row->values;
    const hone_db_model key = {.op = v[0].text,
                               .device_id = v[1].integer,
                               .types = v[2].text,
                               .mode = v[3].text,
                               .kind = v[4].text};
    check_walk *walk = user;
    hone_db_model_row model;
    hone_error why = {0};
    hone_status status = hone__db_model_get(walk->db, &key, &model, &why);

    if (status == HONE_OK)
        status = read_model(key.kind, hone__text_str(&model.text), &why);
    hone__text_free(&model.text);
    if (status == HONE_ERR_NO_MEMORY)
        return hone__out_of_memory(err, "");
    ++walk->out->n;
    if (status != HONE_OK)
        find(walk->out, "the %s model of %s: %s", key.kind, key.op, why.text);
    return HONE_OK;
}

/* ---- counts
 * ---------------------------------------------------------------------- */

static hone_status on_count(void *user, const hone_db_row *row, hone_error *err)
{
    check_walk *walk = user;

    (void)err;
    find(walk->out,
         "the counts of %s on device %lld in mode %s are not those "
         "of its rows",
         row->values[0].text, (long long)row->values[1].integer,
         row->values[2].text);
    return HONE_OK;
}

static hone_status on_answer(void *user, const hone_db_row *row,
                             hone_error *err)
{
    check_walk *walk = user;

    (void)err;
    find(walk->out,
         "what answers %s with the dimensions %s on device %lld in mode %s is "
         "not its winner",
         row->values[0].text, row->values[1].text,
         (long long)row->values[2].integer, row->values[3].text);
    return HONE_OK;
}

/* As schema_8.sql begins them. */
#define COUNTED                                                                \
    "SELECT p.op, s.device_id, s.mode, count(DISTINCT s.problem_id),"          \
    " count(*), sum((SELECT count(*) FROM trial t"                             \
    "  WHERE t.session_id = s.session_id)),"                                   \
    " sum((SELECT count(*) FROM trial t WHERE t.session_id = s.session_id"     \
    "  AND t.outcome = 'ok')), max(s.started_unix_s) FROM session s"           \
    " JOIN problem p ON p.problem_id = s.problem_id"                           \
    " GROUP BY p.op, s.device_id, s.mode"
#define KEPT                                                                   \
    "SELECT op, device_id, mode, n_problems, n_sessions, n_trials, n_ok,"      \
    " last_unix_s FROM tally"

#define WON                                                                    \
    "SELECT p.op, r.device_id, r.mode, k.name, count(*) FROM ranking r"        \
    " JOIN problem p ON p.problem_id = r.problem_id"                           \
    " JOIN trial t ON t.trial_id = r.trial_id"                                 \
    " JOIN variant v ON v.variant_id = t.variant_id"                           \
    " JOIN template k ON k.template_id = v.template_id"                        \
    " WHERE r.rank = 1 GROUP BY p.op, r.device_id, r.mode, k.name"
#define KEPT_WON "SELECT op, device_id, mode, name, n_won FROM tally_won"

/* As schema_11.sql begins them. */
#define ANSWERS                                                                \
    "SELECT p.op, p.dims, r.device_id, r.mode, p.problem_id, p.label,"         \
    " t.trial_id, t.variant_id, r.time_ns FROM problem p"                      \
    " JOIN ranking r ON r.problem_id = p.problem_id AND r.rank = 1"            \
    " JOIN trial t ON t.trial_id = r.trial_id"
#define KEPT_ANSWERS                                                           \
    "SELECT op, dims, device_id, mode, problem_id, label, trial_id,"           \
    " variant_id, time_ns FROM answer"

static const struct {
    const char *name;
    const char *sql;
    const char *count;     /* what is looked at; NULL: its rows */
    int64_t least_version; /* of the file */
    hone_db_row_fn each;
    const char *advice;
} checks[] = {
    {"pages", "PRAGMA integrity_check(100)", "PRAGMA main.page_count", 1,
     on_page,
     "save what can be read with the sqlite3 command '.recover' into a new "
     "file"},
    {"references", "PRAGMA foreign_key_check",
     "SELECT (SELECT count(*) FROM trial) + (SELECT count(*) FROM decision)"
     " + (SELECT count(*) FROM ranking) + (SELECT count(*) FROM variant)",
     1, on_reference,
     "such rows are of no use; merging the file elsewhere is refused"},
    {"artifacts", "SELECT sha256 FROM artifact", NULL, 1, on_artifact,
     "tuning again stores a good one; until then what it belongs to is left "
     "out"},
    {"launches",
     "SELECT config, types, arch, coalesce(cubin_sha256, ''), launch_plan,"
     " launch_sha256, variant_id, op FROM launch_v1"
     " WHERE launch_sha256 IS NOT NULL",
     NULL, 4, on_variant, "it is not launched; tuning again stores a good one"},
    {"counts",
     "SELECT * FROM (" COUNTED " EXCEPT " KEPT ") UNION SELECT * FROM (" KEPT
     " EXCEPT " COUNTED ")",
     "SELECT count(*) FROM tally", 8, on_count,
     "'hone show coverage' and which default variant is taken rely on them; "
     "hone merge FILE --db NEW makes a file with right ones"},
    {"winners",
     "SELECT * FROM (" WON " EXCEPT " KEPT_WON
     ") UNION SELECT * FROM (" KEPT_WON " EXCEPT " WON ")",
     "SELECT count(*) FROM tally_won", 8, on_count,
     "which default variant is taken relies on these counts; hone merge FILE "
     "--db NEW makes a file with right ones"},
    {"answers",
     "SELECT * FROM (" ANSWERS " EXCEPT " KEPT_ANSWERS
     ") UNION SELECT * FROM (" KEPT_ANSWERS " EXCEPT " ANSWERS ")",
     "SELECT count(*) FROM answer", 11, on_answer,
     "a launch relies on it; hone merge FILE --db NEW makes a file with right "
     "ones"},
    {"models", "SELECT op, device_id, types, mode, kind FROM model_v1", NULL,
     10, on_model,
     "it is not used; hone tune OP --portfolio trains a chooser again"}};

hone_status hone__db_check(hone_db *db, hone_db_check_fn each, void *user,
                           hone_error *err)
{
    int64_t version;

    hone__database_limit(db, HONE_DB_WRITE_SECONDS);
    HONE_TRY(hone__database_integer(db, "read its version",
                                    "PRAGMA main.user_version", &version, err));
    for (size_t i = 0; i < N_OF(checks); ++i) {
        hone_db_checked found = {.name = checks[i].name,
                                 .advice = checks[i].advice};
        check_walk walk = {db, &found};
        hone_error why = {0};
        hone_status status;

        found.is_left_out = version < checks[i].least_version;
        status = found.is_left_out
                     ? HONE_OK
                     : hone__db_query(db, checks[i].sql, NULL, 0,
                                      checks[i].each, &walk, &why);
        if (checks[i].count && !found.is_left_out)
            (void)hone__database_integer(db, "count rows", checks[i].count,
                                         &found.n, NULL);
        /* A damaged page ends a look at rows, not the other checks. */
        if (status == HONE_ERR_DATABASE)
            find(&found, "%s", why.text);
        else if (status != HONE_OK)
            return hone__fail_native(err, status, why.domain, why.native, "%s",
                                     why.text);
        HONE_TRY(each(user, &found, err));
    }
    return HONE_OK;
}
