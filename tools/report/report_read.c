/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a group: see report.h. Every statement goes from the problems' index
 * on the operation inwards, so that what other groups have is not read. */
#include "tools/report/report_read.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "tools/analysis/stored_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPY(to, value) (void)snprintf((to), sizeof(to), "%s", (value).text)

size_t hone__report_name(hone_report_names *names, const char *text)
{
    size_t i = 0;

    for (; i < names->n; ++i)
        if (strncmp(names->items[i], text, sizeof names->items[i] - 1) == 0)
            return i;
    if (i == HONE_REPORT_NAMES) {
        (void)snprintf(names->items[i - 1], sizeof names->items[i], "other");
        return i - 1;
    }
    (void)snprintf(names->items[i], sizeof names->items[i], "%s", text);
    return names->n++;
}

/* ---- which groups there are -----------------------------------------------
 */

typedef struct keys_walk {
    hone_report_key *items;
    size_t n;
} keys_walk;

static hone_status on_key(void *user, const hone_db_row *row, hone_error *err)
{
    keys_walk *walk = user;
    hone_report_key *key;
    int is_lost = 0;

    if (!HONE_GROW(walk->items, walk->n))
        return hone__out_of_memory(err, "");
    key = &walk->items[walk->n++];
    key->op = hone__report_text(&row->values[0], &is_lost);
    COPY(key->mode, row->values[1]);
    key->device_id = row->values[2].integer;
    return is_lost ? hone__out_of_memory(err, "") : HONE_OK;
}

void hone__report_keys_free(hone_report_key *keys, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        hone__free(keys[i].op);
    hone__free(keys);
}

hone_status hone__report_keys(hone_db *db, const hone_report_filter *filter,
                              hone_report_key **out, size_t *out_n,
                              hone_error *err)
{
    static const char sql[] =
        "SELECT DISTINCT p.op, s.mode, s.device_id FROM session s"
        " JOIN problem p ON p.problem_id = s.problem_id"
        " JOIN device d ON d.device_id = s.device_id"
        " WHERE (?1 IS NULL OR p.op = ?1)"
        " AND (?2 = '' OR (p.dims >= ?2 AND p.dims < ?2 || '-'))"
        " AND (?3 IS NULL OR d.name GLOB ?3) AND (?4 IS NULL OR s.mode = ?4)"
        " ORDER BY p.op, d.name, s.device_id, s.mode";
    const hone_db_value values[] = {
        hone__db_text(filter->op), hone__db_text(filter->dims),
        hone__db_text(filter->device), hone__db_text(filter->mode)};
    keys_walk walk = {NULL, 0};
    const hone_status status =
        hone__db_query(db, sql, values, 4, on_key, &walk, err);

    *out = walk.items;
    *out_n = walk.n;
    return status;
}

/* ---- the rows of a group ---------------------------------------------------
 */

char *hone__report_text(const hone_db_value *value, int *is_lost)
{
    char *copy;

    if (value->kind != HONE_DB_TEXT)
        return NULL;
    copy = hone__strdup(value->text);
    *is_lost |= !copy;
    return copy;
}

hone_report_problem *hone__report_problem_of(const hone_report_group *group,
                                             int64_t id)
{
    size_t low = 0, high = group->n_problems;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (group->problems[middle].problem_id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < group->n_problems && group->problems[low].problem_id == id
               ? &group->problems[low]
               : NULL;
}

static const char device_sql[] =
    "SELECT name, kind, arch, driver_version, facts, memory_bytes FROM device"
    " WHERE device_id = ?1";

static hone_status on_device(void *user, const hone_db_row *row,
                             hone_error *err)
{
    const hone_db_value *v = row->values;
    hone_report_group *group = ((hone_report_walk *)user)->group;

    (void)err;
    COPY(group->device, v[0]);
    COPY(group->device_kind, v[1]);
    COPY(group->arch, v[2]);
    COPY(group->driver, v[3]);
    hone__stored_properties(v[4].text, v[2].text, &group->properties);
    group->memory_bytes = v[5].integer;
    return HONE_OK;
}

static const char problems_sql[] =
    "SELECT p.problem_id, p.dims, p.label FROM problem p WHERE p.op = ?1"
    " AND (?4 = '' OR (p.dims >= ?4 AND p.dims < ?4 || '-'))"
    " AND EXISTS (SELECT 1 FROM session s WHERE s.problem_id = p.problem_id"
    "  AND s.device_id = ?2 AND s.mode = ?3) ORDER BY p.problem_id";

static hone_status on_problem(void *user, const hone_db_row *row,
                              hone_error *err)
{
    hone_report_group *group = ((hone_report_walk *)user)->group;
    hone_report_problem *problem;
    int is_lost = 0;

    if (!HONE_GROW(group->problems, group->n_problems))
        return hone__out_of_memory(err, "");
    problem = &group->problems[group->n_problems++];
    *problem = (hone_report_problem){.problem_id = row->values[0].integer,
                                     .registers = -1,
                                     .spill_bytes = -1};
    problem->dims = hone__report_text(&row->values[1], &is_lost);
    problem->label = hone__report_text(&row->values[2], &is_lost);
    return is_lost ? hone__out_of_memory(err, "") : HONE_OK;
}

static const char winners_sql[] =
    "SELECT w.problem_id, w.time_ns, w.ci_low_ns, w.ci_high_ns,"
    " w.default_time_ns, w.config, w.template_name, w.decided_by, w.verdict,"
    " w.template_is_latest OR device_kind = 'replay', w.registers, "
    "w.spill_bytes, w.launch_plan,"
    " (SELECT t.sm_clock_mhz FROM trial t WHERE t.trial_id = w.trial_id),"
    " (SELECT k.kind FROM variant v JOIN template k"
    "  ON k.template_id = v.template_id WHERE v.variant_id = w.variant_id),"
    " (SELECT d.config FROM variant o JOIN variant d"
    "  ON d.template_id = o.template_id AND d.is_default = 1"
    "  AND d.types = o.types AND d.arch = o.arch"
    "  WHERE o.variant_id = w.variant_id LIMIT 1)"
    " FROM winner_v1 w WHERE w.op = ?1 AND w.device_id = ?2 AND w.mode = ?3"
    " AND (?4 = '' OR (w.dims >= ?4 AND w.dims < ?4 || '-'))"
    " ORDER BY w.problem_id";

static hone_status on_winner(void *user, const hone_db_row *row,
                             hone_error *err)
{
    const hone_db_value *v = row->values;
    const hone_report_group *group = ((hone_report_walk *)user)->group;
    hone_report_problem *problem = hone__report_problem_of(group, v[0].integer);
    hone_stored_launch launch;
    int64_t dims[HONE_MAX_DIMS];
    int is_lost = 0;

    if (!problem || problem->implementation)
        return HONE_OK;
    problem->time_ns = v[1].real;
    problem->low_ns = v[2].real;
    problem->high_ns = v[3].real;
    problem->default_ns = v[4].real;
    problem->config = hone__report_text(&v[5], &is_lost);
    problem->implementation = hone__report_text(&v[6], &is_lost);
    problem->decided_by = hone__report_text(&v[7], &is_lost);
    problem->verdict = hone__report_text(&v[8], &is_lost);
    problem->is_latest = v[9].integer != 0;
    problem->registers = v[10].kind == HONE_DB_NULL ? -1 : v[10].integer;
    problem->spill_bytes = v[11].kind == HONE_DB_NULL ? -1 : v[11].integer;
    problem->clock_mhz = v[13].integer;
    problem->is_vendor = strcmp(v[14].text, "vendor") == 0;
    problem->default_config = hone__report_text(&v[15], &is_lost);
    launch = hone__stored_launch(v[12].text, dims,
                                 hone__stored_dims_read(problem->dims, dims),
                                 &group->properties);
    problem->flops = launch.flops;
    problem->bytes = launch.bytes;
    problem->has_bytes =
        (launch.types & (1u << HONE_TYPE_I8 | 1u << HONE_TYPE_U8 |
                         1u << HONE_TYPE_E4M3 | 1u << HONE_TYPE_E5M2)) != 0;
    return is_lost ? hone__out_of_memory(err, "") : HONE_OK;
}

/* The last measurement of each baseline of a problem. */
static const char baselines_sql[] =
    "SELECT s.problem_id, b.name, b.label, b.time_ns, b.message, b.session_id,"
    " (SELECT r.session_id FROM ranking r WHERE r.problem_id = s.problem_id"
    "  AND r.device_id = ?2 AND r.mode = ?3 AND r.rank = 1),"
    " max(b.baseline_id) FROM problem p"
    " CROSS JOIN session s ON s.problem_id = p.problem_id"
    " CROSS JOIN baseline b ON b.session_id = s.session_id" HONE_REPORT_OF_GROUP
    " GROUP BY s.problem_id, b.name ORDER BY s.problem_id, b.name";

static hone_status add_other(hone_report_group *group, int64_t problem_id,
                             const char *name, double time_ns,
                             const hone_db_value *message, int is_same,
                             hone_error *err)
{
    const hone_report_problem *problem =
        hone__report_problem_of(group, problem_id);
    hone_report_baseline *other;
    int is_lost = 0;

    if (!problem)
        return HONE_OK;
    if (!HONE_GROW(group->others, group->n_others))
        return hone__out_of_memory(err, "");
    other = &group->others[group->n_others++];
    *other = (hone_report_baseline){
        .problem = (size_t)(problem - group->problems),
        .name = hone__report_name(&group->baselines, name),
        .is_copy = strcmp(name, "memcpy") == 0,
        .time_ns = time_ns,
        .is_same_session = is_same};
    other->message = message ? hone__report_text(message, &is_lost) : NULL;
    return is_lost ? hone__out_of_memory(err, "") : HONE_OK;
}

static hone_status on_baseline(void *user, const hone_db_row *row,
                               hone_error *err)
{
    const hone_db_value *v = row->values;

    return add_other(((hone_report_walk *)user)->group, v[0].integer, v[1].text,
                     v[3].real, &v[4], v[5].integer == v[6].integer, err);
}

/* Vendors' functions that are implementations: in the final, else their best
 * trial. */
static const char vendors_sql[] =
    "SELECT s.problem_id, k.name, coalesce((SELECT min(r.time_ns)"
    "  FROM ranking r JOIN trial rt ON rt.trial_id = r.trial_id"
    "  JOIN variant rv ON rv.variant_id = rt.variant_id"
    "  JOIN template rk ON rk.template_id = rv.template_id"
    "  WHERE r.problem_id = s.problem_id AND r.device_id = ?2"
    "  AND r.mode = ?3 AND rk.name = k.name AND rk.kind = 'vendor'),"
    " min(t.time_ns)) FROM problem p"
    " CROSS JOIN session s ON s.problem_id = p.problem_id"
    " CROSS JOIN trial t ON t.session_id = s.session_id"
    " CROSS JOIN variant v ON v.variant_id = t.variant_id"
    " CROSS JOIN template k ON k.template_id = "
    "v.template_id" HONE_REPORT_OF_GROUP
    " AND k.kind = 'vendor' AND t.outcome = 'ok' AND EXISTS (SELECT 1"
    "  FROM template o WHERE o.op = ?1 AND o.kind = 'vendor')"
    " GROUP BY s.problem_id, k.name ORDER BY s.problem_id, k.name";

static hone_status on_vendor(void *user, const hone_db_row *row,
                             hone_error *err)
{
    const hone_db_value *v = row->values;
    hone_report_group *group = ((hone_report_walk *)user)->group;

    group->is_vendor[hone__report_name(&group->implementations, v[1].text)] = 1;
    return add_other(group, v[0].integer, v[1].text, v[2].real, NULL, 1, err);
}

/* ---- all of it -------------------------------------------------------------
 */

hone_status hone__report_read(hone_db *db, const hone_report_filter *filter,
                              const hone_report_key *key,
                              hone_report_group *out, hone_error *err)
{
    static const struct {
        const char *sql;
        hone_db_row_fn each;
    } parts[] = {{problems_sql, on_problem},
                 {winners_sql, on_winner},
                 {baselines_sql, on_baseline},
                 {vendors_sql, on_vendor}};
    const hone_db_value values[] = {
        hone__db_text(key->op), hone__db_integer(key->device_id),
        hone__db_text(key->mode), hone__db_text(filter->dims)};
    hone_report_walk walk = {.group = out};

    memset(out, 0, sizeof *out);
    out->key = *key;
    HONE_TRY(
        hone__db_query(db, device_sql, &values[1], 1, on_device, &walk, err));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
        HONE_TRY(hone__db_query(db, parts[i].sql, values, 4, parts[i].each,
                                &walk, err));
    return hone__report_read_trials(db, values, &walk, err);
}

static void free_problem(hone_report_problem *problem)
{
    hone__free(problem->dims);
    hone__free(problem->label);
    hone__free(problem->config);
    hone__free(problem->default_config);
    hone__free(problem->implementation);
    hone__free(problem->decided_by);
    hone__free(problem->verdict);
}

static void free_session(hone_report_session *session)
{
    hone__free(session->strategy);
    hone__free(session->budget);
    hone__free(session->verdict);
    hone__free(session->started);
    hone__free(session->version);
    hone__free(session->stopped);
}

void hone__report_free(hone_report_group *group)
{
    for (size_t i = 0; i < group->n_problems; ++i)
        free_problem(&group->problems[i]);
    for (size_t i = 0; i < group->n_sessions; ++i)
        free_session(&group->sessions[i]);
    for (size_t i = 0; i < group->n_others; ++i)
        hone__free(group->others[i].message);
    for (size_t i = 0; i < group->n_ends; ++i)
        hone__free(group->ends[i].example);
    hone__report_params_free(group);
    hone__free(group->problems);
    hone__free(group->sessions);
    hone__free(group->others);
    hone__free(group->ends);
    hone__free(group->trials);
    memset(group, 0, sizeof *group);
}
