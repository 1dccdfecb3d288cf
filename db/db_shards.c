/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of problems that are shared out: see db_shards.h. */
#include "db/db_shards.h"

#include "db/db_internal.h"
#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char title[] = "hone-shards 1\n";

/* ---- writing ------------------------------------------------------------- */

void hone__db_shards_begin(int n_shards, hone_text *out)
{
    hone__text_puts(out, title);
    hone__text_printf(out, "%d\n", n_shards);
}

void hone__db_shards_add(const hone_db_listed *line, hone_text *out)
{
    hone__text_printf(out, "%d %d %s %s %s\n", line->shard, line->n_parts,
                      line->op, line->dims, line->name);
}

void hone__db_shards_id(const hone_text *list, char out[HONE_SHARD_LIST_ID])
{
    char sha256[HONE_SHA256_HEX];

    hone__sha256_hex(hone__text_str(list), list->length, sha256);
    (void)snprintf(out, HONE_SHARD_LIST_ID, "%.16s", sha256);
}

void hone__db_shards_mark(int shard, int n_shards, const char *id,
                          const hone_db_listed *line, char out[HONE_SHARD_MARK])
{
    int n = snprintf(out, HONE_SHARD_MARK, "shard %d/%d of %s", shard, n_shards,
                     id);

    if (line->n_parts > 1 && n > 0 && n < HONE_SHARD_MARK)
        (void)snprintf(out + n, (size_t)(HONE_SHARD_MARK - n), " part %d/%d",
                       shard - line->shard + 1, line->n_parts);
}

hone_status hone__db_shards_put(hone_db *db, const hone_text *list,
                                hone_error *err)
{
    char sha256[HONE_SHA256_HEX];

    return hone__db_artifact_put(db, "source", hone__text_str(list),
                                 list->length, sha256, err);
}

/* ---- marks ----------------------------------------------------------------
 */

#define MARK_OF_SESSION "substr(s.budget, instr(s.budget, 'shard '))"

typedef struct mark_walk {
    hone_db_mark_fn each;
    void *user;
} mark_walk;

static hone_status on_mark(void *user, const hone_db_row *row, hone_error *err)
{
    const mark_walk *walk = user;

    return walk->each(walk->user, row->values[0].text, row->values[1].integer,
                      err);
}

hone_status hone__db_shards_marks(hone_db *db, hone_db_mark_fn each, void *user,
                                  hone_error *err)
{
    mark_walk walk = {each, user};

    return hone__db_query(
        db,
        "SELECT CASE WHEN instr(mark, ' part ') THEN"
        " substr(mark, 1, instr(mark, ' part ') - 1) ELSE mark END, min(at)"
        " FROM (SELECT " MARK_OF_SESSION " AS mark, s.started_unix_s AS at"
        "         FROM session s WHERE s.budget GLOB '*shard [0-9]*/* of *')"
        " GROUP BY 1 ORDER BY 1",
        NULL, 0, on_mark, &walk, err);
}

/* ---- what is open ---------------------------------------------------------
 */

/* A list that sessions name, and which of its shards have any. */
typedef struct shared_list {
    char id[HONE_SHARD_LIST_ID];
    int n_shards;
    unsigned char *begun; /* [n_shards] */
} shared_list;

typedef struct shared_walk {
    shared_list *lists;
    size_t n;
} shared_walk;

static hone_status add_list(shared_walk *walk, const char *id, int n_shards,
                            hone_error *err)
{
    shared_list *list;

    if (!HONE_GROW(walk->lists, walk->n))
        return hone__out_of_memory(err, "");
    list = &walk->lists[walk->n];
    *list = (shared_list){.n_shards = n_shards};
    (void)snprintf(list->id, sizeof list->id, "%s", id);
    list->begun = hone__alloc((size_t)n_shards);
    if (!list->begun)
        return hone__out_of_memory(err, "");
    ++walk->n;
    return HONE_OK;
}

/* Marks are in text order: those of one list do not follow each other. */
static hone_status take_mark(void *user, const char *mark, int64_t first_unix_s,
                             hone_error *err)
{
    shared_walk *walk = user;
    char id[HONE_SHARD_LIST_ID];
    int shard = 0, n = 0;
    size_t i = 0;

    (void)first_unix_s;
    if (sscanf(mark, "shard %d/%d of %16[0-9a-f]", &shard, &n, id) != 3 ||
        n < 1 || n > 10000000 || shard < 1 || shard > n)
        return HONE_OK;
    while (i < walk->n &&
           (strcmp(walk->lists[i].id, id) != 0 || walk->lists[i].n_shards != n))
        ++i;
    if (i == walk->n)
        HONE_TRY(add_list(walk, id, n, err));
    walk->lists[i].begun[shard - 1] = 1;
    return HONE_OK;
}

static hone_status on_sha(void *user, const hone_db_row *row, hone_error *err)
{
    (void)err;
    (void)snprintf(user, HONE_SHA256_HEX, "%s", row->values[0].text);
    return HONE_OK;
}

/* The text of a list; empty if the database does not have it. */
static hone_status read_list(hone_db *db, const char *id, hone_text *out,
                             hone_error *err)
{
    char sha256[HONE_SHA256_HEX] = "";
    const hone_db_value value = hone__db_text(id);

    HONE_TRY(hone__db_query(db,
                            "SELECT sha256 FROM artifact WHERE sha256 >= ?1"
                            " AND sha256 < ?1 || 'g' AND kind = 'source'",
                            &value, 1, on_sha, sha256, err));
    if (!sha256[0])
        return HONE_OK;
    HONE_TRY(hone__db_artifact_get(db, sha256, out, err));
    if (strncmp(out->data, title, sizeof title - 1) != 0)
        hone__text_clear(out);
    return HONE_OK;
}

/* Devices and modes on which the list was tuned: elsewhere a session says
 * nothing of it. A session of the list is one of its own line, which another
 * shard may have with another implementation; of others, one of all of it. */
static const char is_tuned_sql[] =
    "SELECT EXISTS (SELECT 1 FROM main.problem p"
    "  CROSS JOIN main.session s ON s.problem_id = p.problem_id"
    "  WHERE p.op = ?1 AND p.dims = ?2 AND s.status = 'done'"
    "    AND (s.device_id, s.mode) IN (SELECT * FROM temp.shared_device)"
    "    AND CASE WHEN instr(s.budget, ' of ' || ?4)"
    "             THEN substr(s.budget, -length(?3)) = ?3"
    "             ELSE NOT instr(s.budget, ' part ') END)";

static hone_status find_devices(hone_db *db, const char *id, hone_error *err)
{
    const hone_db_value value = hone__db_text(id);

    HONE_TRY(hone__db_exec(db,
                           "DROP TABLE IF EXISTS temp.shared_device;"
                           "CREATE TEMP TABLE shared_device (device_id INTEGER,"
                           " mode TEXT, PRIMARY KEY (device_id, mode))",
                           "look for open problems", err));
    return hone__db_run(db, "look for open problems",
                        "INSERT OR IGNORE INTO shared_device"
                        " SELECT s.device_id, s.mode FROM main.session s"
                        "  WHERE s.budget GLOB '*shard [0-9]*/* of '"
                        " || ?1 || '*'",
                        &value, 1, NULL, err);
}

typedef struct open_walk {
    hone_db *db;
    sqlite3_stmt *is_tuned;
    const shared_list *list;
    hone_db_unshared_fn each;
    void *user;
    hone_db_shards *out;
} open_walk;

static hone_status ask_tuned(open_walk *walk, const hone_db_listed *line,
                             int shard, int *out, hone_error *err)
{
    char mark[HONE_SHARD_MARK];
    int code;

    hone__db_shards_mark(shard, walk->list->n_shards, walk->list->id, line,
                         mark);
    (void)sqlite3_reset(walk->is_tuned);
    (void)sqlite3_bind_text(walk->is_tuned, 1, line->op, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(walk->is_tuned, 2, line->dims, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(walk->is_tuned, 3, mark, -1, SQLITE_TRANSIENT);
    (void)sqlite3_bind_text(walk->is_tuned, 4, walk->list->id, -1,
                            SQLITE_STATIC);
    code = sqlite3_step(walk->is_tuned);
    if (code != SQLITE_ROW)
        return hone__database_fail(walk->db, code, "look for open problems",
                                   err);
    *out = sqlite3_column_int(walk->is_tuned, 0);
    return HONE_OK;
}

static hone_status walk_line(open_walk *walk, const hone_db_listed *line,
                             hone_error *err)
{
    for (int part = 1; part <= line->n_parts; ++part) {
        const int shard = line->shard + part - 1;
        int is_tuned = 0;

        if (shard > walk->list->n_shards)
            return HONE_OK;
        ++walk->out->n_problems;
        HONE_TRY(ask_tuned(walk, line, shard, &is_tuned, err));
        if (is_tuned)
            continue;
        ++walk->out->n_open;
        HONE_TRY(walk->each(walk->user,
                            &(hone_db_unshared){walk->list->id, shard,
                                                walk->list->n_shards,
                                                walk->list->begun[shard - 1],
                                                part, line->n_parts, line->op,
                                                line->dims, line->name},
                            err));
    }
    return HONE_OK;
}

/* "SHARD PARTS OP DIMS NAME": the name goes to the end of the line. */
static int split(char *text, hone_db_listed *out)
{
    char *end = NULL, *rest = NULL;

    out->shard = (int)strtol(text, &end, 10);
    out->n_parts = (int)strtol(end, &end, 10);
    out->op = strtok_r(end, " ", &rest);
    out->dims = strtok_r(NULL, " ", &rest);
    out->name = rest;
    return out->shard > 0 && out->n_parts > 0 && out->op && out->dims && rest;
}

static hone_status walk_list(open_walk *walk, hone_error *err)
{
    hone_text text = {0};
    hone_status status = read_list(walk->db, walk->list->id, &text, err);
    char *line = text.length ? strchr(text.data, '\n') : NULL;

    line = line ? strchr(line + 1, '\n') : NULL; /* behind the count */
    walk->out->n_lost += status == HONE_OK && !line;
    while (status == HONE_OK && line && *++line) {
        char *end = strchr(line, '\n');
        hone_db_listed listed;

        if (end)
            *end = '\0';
        if (split(line, &listed))
            status = walk_line(walk, &listed, err);
        line = end;
    }
    hone__text_free(&text);
    return status;
}

static hone_status walk_lists(open_walk *walk, const shared_walk *lists,
                              hone_error *err)
{
    hone_status status = HONE_OK;

    for (size_t i = 0; i < lists->n && status == HONE_OK; ++i) {
        walk->list = &lists->lists[i];
        ++walk->out->n_lists;
        walk->out->n_shards += walk->list->n_shards;
        /* Before the statement that asks this table. */
        status = find_devices(walk->db, walk->list->id, err);
        if (status == HONE_OK)
            status =
                hone__db_prepare(walk->db, "look for open problems",
                                 is_tuned_sql, NULL, 0, &walk->is_tuned, err);
        if (status == HONE_OK)
            status = walk_list(walk, err);
        (void)sqlite3_finalize(walk->is_tuned);
        walk->is_tuned = NULL;
    }
    return status;
}

hone_status hone__db_shards_open(hone_db *db, hone_db_unshared_fn each,
                                 void *user, hone_db_shards *out,
                                 hone_error *err)
{
    shared_walk lists = {0};
    open_walk walk = {.db = db, .each = each, .user = user, .out = out};
    hone_status status;

    *out = (hone_db_shards){0};
    status = hone__db_shards_marks(db, take_mark, &lists, err);
    if (status == HONE_OK)
        status = walk_lists(&walk, &lists, err);
    if (status == HONE_OK)
        status = hone__db_exec(db, "DROP TABLE IF EXISTS temp.shared_device",
                               "tidy up", err);
    for (size_t i = 0; i < lists.n; ++i)
        hone__free(lists.lists[i].begun);
    hone__free(lists.lists);
    return status;
}
