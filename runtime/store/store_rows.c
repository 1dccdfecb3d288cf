/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one operation, read from a database's views and kept until it
 * changes. See store_database.h. */
#include "runtime/store/store_database.h"

#include "runtime/base/grow.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static hone_status no_memory(hone_error *err)
{
    return hone__out_of_memory(err, " while reading the database");
}

/* Columns of all views; defaults have no measurement. */
enum {
    COLUMN_PLAN,
    COLUMN_ID,
    COLUMN_IMPLEMENTATION,
    COLUMN_CONFIG,
    COLUMN_TYPES,
    COLUMN_ARCH,
    COLUMN_COMPILE_ARCH,
    COLUMN_SHA256,
    COLUMN_IS_DEFAULT,
    COLUMN_LAUNCH_SHA256,
    COLUMN_RANK,
    COLUMN_PREFERENCE,
    COLUMN_DIMS, /* from here on of winners, but for what is marked */
    COLUMN_LABEL,
    COLUMN_MODE,
    COLUMN_DEVICE_NAME,
    COLUMN_DRIVER,
    COLUMN_SM_COUNT,
    COLUMN_TIME_NS,
    COLUMN_IS_LATEST, /* of defaults, too */
    COLUMN_PROBLEM,
    COLUMN_DEVICE
};

typedef enum store_view {
    VIEW_DEFAULTS,
    VIEW_DEFAULTS_5, /* of format version 5 or older */
    VIEW_WINNERS,
    VIEW_SAMPLE,   /* any winner */
    VIEW_EXACT,    /* those of one problem, by its dims */
    VIEW_EXACT_10, /* the same, of format version 10 or older */
    VIEW_NEAR,     /* and by its id */
    VIEW_RUNNERS_UP,
    VIEW_RANKED,
    VIEW_MEMBERS /* of a chooser, by their launch_sha256 */
} store_view;

#define COLUMNS_OF_WINNERS                                                     \
    "dims, label, mode, device_name, driver_version, sm_count, time_ns, "      \
    "template_is_latest, problem_id, device_id FROM "
/* A function of a vendor's library has no cubin, but a line in its plan. */
#define HAS_CODE                                                               \
    "(cubin_sha256 IS NOT NULL"                                                \
    " OR instr(launch_plan, char(10) || 'vendor ') > 0)"
#define OF_WINNERS " WHERE op = ?1 AND device_kind = ?2 AND " HAS_CODE

/* As with winners: is it of the template's latest text? What was imported has
 * no plan. */
#define OF_DEFAULTS(view, name)                                                \
    ", NULL, NULL, NULL, NULL, NULL, NULL, NULL,"                              \
    " NOT EXISTS (SELECT 1 FROM template k JOIN template newer"                \
    " ON newer.op = k.op AND newer.name = k.name"                              \
    " AND newer.last_put_unix_ns > k.last_put_unix_ns"                         \
    " WHERE k.op = v.op AND k.name = v." name                                  \
    " AND k.sha256 = v.template_sha256) FROM " view " v"                       \
    " WHERE op = ?1 AND (arch = 'cpu') = (?2 = 'cpu') AND " HAS_CODE

/* What differs: how a row is called, its rank and preference, and all from
 * there on. */
static const struct {
    const char *id;
    const char *name;
    const char *is_default;
    const char *rank;
    const char *rest;
} views[] = {
    [VIEW_DEFAULTS] = {"variant_id", "implementation", "1", "0, preference",
                       OF_DEFAULTS("default_v2", "implementation")},
    [VIEW_DEFAULTS_5] = {"variant_id", "template_name", "1", "0, 2",
                         OF_DEFAULTS("default_v1", "template_name")},
    [VIEW_WINNERS] = {"trial_id", "template_name", "is_default", "1, 2",
                      ", " COLUMNS_OF_WINNERS "winner_v1" OF_WINNERS},
    [VIEW_SAMPLE] = {"trial_id", "template_name", "is_default", "1, 2",
                     ", " COLUMNS_OF_WINNERS "winner_v1" OF_WINNERS " LIMIT 1"},
    [VIEW_EXACT] = {"trial_id", "template_name", "is_default", "1, 2",
                    ", " COLUMNS_OF_WINNERS "answer_v1" OF_WINNERS
                    " AND dims = ?7"},
    [VIEW_EXACT_10] = {"trial_id", "template_name", "is_default", "1, 2",
                       ", " COLUMNS_OF_WINNERS "winner_v1" OF_WINNERS
                       " AND dims = ?7"},
    [VIEW_NEAR] = {"trial_id", "template_name", "is_default", "1, 2",
                   ", " COLUMNS_OF_WINNERS "winner_v1" OF_WINNERS
                   " AND problem_id = ?3"},
    [VIEW_RUNNERS_UP] = {"trial_id", "template_name", "is_default", "rank, 2",
                         ", " COLUMNS_OF_WINNERS "ranked_v1" OF_WINNERS
                         " AND problem_id = ?3 AND device_id = ?4"
                         " AND mode = ?5 AND rank > 1"},
    [VIEW_RANKED] = {"trial_id", "template_name", "is_default", "rank, 2",
                     ", " COLUMNS_OF_WINNERS "ranked_v1" OF_WINNERS},
    /* As with winners, those of an older template do not count. */
    [VIEW_MEMBERS] =
        {"variant_id", "template_name", "is_default", "0, 2",
         " FROM (SELECT l.*, l.arch AS compile_arch FROM launch_v1 l"
         " JOIN template k ON k.template_id = l.template_id"
         " WHERE NOT EXISTS (SELECT 1 FROM template newer"
         " WHERE newer.op = k.op AND newer.name = k.name"
         " AND newer.last_put_unix_ns > k.last_put_unix_ns))"
         " WHERE op = ?1 AND (compile_arch = 'cpu') = (?2 = 'cpu')"
         " AND launch_sha256 IN (SELECT value FROM json_each(?8))"
         " AND " HAS_CODE},
};

/* Of one configuration, in whatever order it is written. */
#define OF_LENGTH " AND length(CAST(config AS BLOB)) = ?6"

/* Copy a text column; the previous row's copy is taken if it is the same. */
static int keep(hone_store_op *op, sqlite3_stmt *statement, int column,
                const char *previous, const char **out)
{
    const int is_null = sqlite3_column_type(statement, column) == SQLITE_NULL;
    const char *text = (const char *)sqlite3_column_text(statement, column);

    if (!text && !is_null)
        return 0; /* SQLite found no memory for it */
    if (!text)
        text = "";
    if (previous && strcmp(previous, text) == 0)
        *out = previous;
    else
        *out = hone__arena_strndup(&op->arena, text, strlen(text));
    return *out != NULL;
}

int hone__store_read_dims(const char *text, int64_t dims[HONE_MAX_DIMS],
                          size_t *out_n)
{
    *out_n = 0;
    while (*out_n < HONE_MAX_DIMS) {
        char *end = NULL;

        dims[*out_n] = strtoll(text, &end, 10);
        if (end == text)
            return 0;
        ++*out_n;
        if (!*end)
            return 1;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
    return 0;
}

static int keep_plan(hone_store_op *op, sqlite3_stmt *statement,
                     const hone_store_row *previous, hone_store_row *row)
{
    const char *text;
    hone_store_plan *plan;

    if (!keep(op, statement, COLUMN_PLAN,
              previous ? previous->plan->text : NULL, &text))
        return 0;
    if (previous && text == previous->plan->text) {
        row->plan = previous->plan;
        return 1;
    }
    plan = hone__arena_alloc(&op->arena, sizeof *plan);
    if (!plan)
        return 0;
    plan->text = text;
    plan->next = op->plans;
    op->plans = plan;
    row->plan = plan;
    return 1;
}

/* The texts of a row. */
static const struct {
    size_t offset;
    int column;
    int of_measured; /* not of defaults */
} texts[] = {
    {offsetof(hone_store_row, implementation), COLUMN_IMPLEMENTATION, 0},
    {offsetof(hone_store_row, config), COLUMN_CONFIG, 0},
    {offsetof(hone_store_row, types), COLUMN_TYPES, 0},
    {offsetof(hone_store_row, arch), COLUMN_ARCH, 0},
    {offsetof(hone_store_row, compile_arch), COLUMN_COMPILE_ARCH, 0},
    {offsetof(hone_store_row, cubin_sha256), COLUMN_SHA256, 0},
    {offsetof(hone_store_row, label), COLUMN_LABEL, 1},
    {offsetof(hone_store_row, device_name), COLUMN_DEVICE_NAME, 1},
    {offsetof(hone_store_row, driver_version), COLUMN_DRIVER, 1},
};

static int keep_texts(hone_store_op *op, sqlite3_stmt *statement,
                      const hone_store_row *last, hone_store_row *row)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        const char **to =
            (const char **)(void *)((char *)row + texts[i].offset);
        const char *previous = NULL;

        if (texts[i].of_measured && !row->rank)
            continue;
        if (last)
            memcpy(&previous, (const char *)last + texts[i].offset,
                   sizeof previous);
        if (!keep(op, statement, texts[i].column, previous, to))
            return 0;
    }
    return keep_plan(op, statement, last, row) &&
           (sqlite3_column_type(statement, COLUMN_LAUNCH_SHA256) ==
                SQLITE_NULL ||
            keep(op, statement, COLUMN_LAUNCH_SHA256, NULL,
                 &row->launch_sha256));
}

/* What a winner has beside; 0: its dims make no sense. */
static int read_measured(sqlite3_stmt *statement, hone_store_row *row)
{
    const char *dims =
        (const char *)sqlite3_column_text(statement, COLUMN_DIMS);
    const char *mode =
        (const char *)sqlite3_column_text(statement, COLUMN_MODE);

    row->is_cold = mode && strcmp(mode, "cold") == 0;
    row->sm_count = sqlite3_column_int64(statement, COLUMN_SM_COUNT);
    row->time_ns = sqlite3_column_double(statement, COLUMN_TIME_NS);
    row->problem_id = sqlite3_column_int64(statement, COLUMN_PROBLEM);
    row->device_id = sqlite3_column_int64(statement, COLUMN_DEVICE);
    return dims && hone__store_read_dims(dims, row->dims, &row->n_dims);
}

/* The row that tells the dims may be one of the problem that is asked for. */
static int is_same(const hone_store_row *row, const hone_store_row *other)
{
    return row->rank == other->rank && row->id == other->id &&
           row->problem_id == other->problem_id &&
           row->device_id == other->device_id && row->is_cold == other->is_cold;
}

static hone_status add_row(hone_store_op *op, sqlite3_stmt *statement,
                           hone_error *err)
{
    const size_t n = op->n_rows;
    const int64_t rank = sqlite3_column_int64(statement, COLUMN_RANK);
    hone_store_row *row;

    if (sqlite3_column_count(statement) > COLUMN_IS_LATEST &&
        !sqlite3_column_int(statement, COLUMN_IS_LATEST)) {
        op->n_outdated += rank <= 1;
        return HONE_OK;
    }
    row = hone__arena_alloc(&op->arena, sizeof *row);
    if (!row || !HONE_GROW(op->rows, n))
        return no_memory(err);
    *row = (hone_store_row){
        .rank = rank, .label = "", .device_name = "", .driver_version = ""};
    row->id = sqlite3_column_int64(statement, COLUMN_ID);
    row->is_default = sqlite3_column_int(statement, COLUMN_IS_DEFAULT);
    row->preference = sqlite3_column_double(statement, COLUMN_PREFERENCE);
    if (!keep_texts(op, statement, n ? op->rows[n - 1] : NULL, row))
        return no_memory(err);
    if (!hone__store_op_takes(op, row->implementation, row->config))
        return HONE_OK;
    row->has_runners_up = op->config != NULL; /* those are all there are */
    op->rows[n] = row;
    if (rank && !read_measured(statement, row))
        ++op->n_unreadable;
    else if (!op->problem || !n || !is_same(row, op->rows[0]))
        ++op->n_rows;
    return HONE_OK;
}

static int is_of_problem(store_view view)
{
    return view == VIEW_SAMPLE || view == VIEW_EXACT || view == VIEW_EXACT_10 ||
           view == VIEW_NEAR;
}

/* What is bound stays for several runs of it; those of `winner` for
 * VIEW_RUNNERS_UP, ?8 for the caller. */
static hone_status prepare_rows(hone_store *store, hone_store_op *op,
                                store_view view, const hone_store_row *winner,
                                sqlite3_stmt **out, hone_error *err)
{
    const hone_store_database *from = hone__store_database(store);
    hone_text sql = {0};
    hone_status status;

    /* Many are sorted by launch plan, so that equal ones are neighbours and are
     * kept once; the few of one problem are not worth a sorter, which is a
     * tenth of their time. */
    hone__text_printf(&sql,
                      "SELECT launch_plan, %s, %s, config, types, arch, "
                      "compile_arch, cubin_sha256, %s, %s, %s%s%s%s",
                      views[view].id, views[view].name, views[view].is_default,
                      from->version < 4 ? "NULL" : "launch_sha256",
                      views[view].rank, views[view].rest,
                      op->config ? OF_LENGTH : "",
                      is_of_problem(view) ? "" : " ORDER BY launch_plan");
    status = hone__text_check(&sql, err);
    if (status == HONE_OK)
        status =
            hone__database_prepare(&from->file, "read it", sql.data, out, err);
    hone__text_free(&sql);
    HONE_TRY(status);
    (void)sqlite3_bind_text(*out, 1, op->name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(*out, 2, store->device_kind, -1, SQLITE_STATIC);
    if (winner) {
        (void)sqlite3_bind_int64(*out, 3, winner->problem_id);
        (void)sqlite3_bind_int64(*out, 4, winner->device_id);
        (void)sqlite3_bind_text(*out, 5, winner->is_cold ? "cold" : "hot", -1,
                                SQLITE_STATIC);
    }
    if (op->config)
        (void)sqlite3_bind_int64(*out, 6, (int64_t)strlen(op->config));
    if (view == VIEW_EXACT || view == VIEW_EXACT_10)
        (void)sqlite3_bind_text(*out, 7, op->problem, -1, SQLITE_STATIC);
    return HONE_OK;
}

static hone_status step_rows(hone_store *store, hone_store_op *op,
                             sqlite3_stmt *statement, hone_error *err)
{
    hone_status status = HONE_OK;
    int code = SQLITE_ROW;

    while (status == HONE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = add_row(op, statement, err);
    if (status == HONE_OK && code != SQLITE_DONE)
        status = hone__database_fail(&hone__store_database(store)->file, code,
                                     "read it", err);
    return status;
}

static hone_status add_rows(hone_store *store, hone_store_op *op,
                            store_view view, const hone_store_row *winner,
                            hone_error *err)
{
    sqlite3_stmt *statement = NULL;
    hone_status status;

    HONE_TRY(prepare_rows(store, op, view, winner, &statement, err));
    status = step_rows(store, op, statement, err);
    (void)sqlite3_finalize(statement);
    return status;
}

static hone_status add_near(hone_store *store, hone_store_op *op,
                            const hone_nearest *near, hone_error *err)
{
    sqlite3_stmt *statement = NULL;
    hone_status status;

    if (!near->n)
        return HONE_OK;
    status = prepare_rows(store, op, VIEW_NEAR, NULL, &statement, err);
    for (size_t i = 0; i < near->n && status == HONE_OK; ++i) {
        (void)sqlite3_bind_int64(statement, 3, near->list[i].id);
        status = step_rows(store, op, statement, err);
        (void)sqlite3_reset(statement);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

hone_status hone__store_database_runners_up(hone_store *store,
                                            hone_store_op *op,
                                            hone_store_row *winner,
                                            hone_error *err)
{
    if (hone__store_database(store)->version < 4)
        return HONE_OK;
    return add_rows(store, op, VIEW_RUNNERS_UP, winner, err);
}

/* The row of each member is the first that was launched as it was; they are not
 * among those that the op has. */
static void take_members(hone_store_op *op, size_t first,
                         hone_store_chooser *chooser)
{
    for (size_t i = 0; i < chooser->chooser->n_members; ++i) {
        const hone_chooser_member *member = &chooser->chooser->members[i];

        for (size_t j = first; j < op->n_rows && !chooser->rows[i]; ++j) {
            hone_store_row *row = op->rows[j];

            /* A view may say NULL to one query and not to another. */
            if (row->launch_sha256 &&
                strcmp(row->launch_sha256, member->launch_sha256) == 0 &&
                strcmp(row->implementation, member->implementation) == 0)
                chooser->rows[i] = row;
            row->is_member = 1;
        }
    }
    op->n_rows = first;
}

hone_status hone__store_database_read_members(hone_store *store,
                                              hone_store_op *op,
                                              hone_store_chooser *chooser,
                                              hone_error *err)
{
    const size_t first = op->n_rows;
    sqlite3_stmt *statement = NULL;
    hone_text names = {0};
    hone_status status;

    for (size_t i = 0; i < chooser->chooser->n_members; ++i) {
        const char *sha256 = chooser->chooser->members[i].launch_sha256;

        /* What is none is no row's, and may be no JSON either. */
        if (strspn(sha256, "0123456789abcdef") == HONE_CHOOSER_SHA256)
            hone__text_printf(&names, "%s\"%s\"", names.length ? "," : "[",
                              sha256);
    }
    hone__text_puts(&names, names.length ? "]" : "[]");
    status = hone__text_check(&names, err);
    if (status == HONE_OK)
        status = prepare_rows(store, op, VIEW_MEMBERS, NULL, &statement, err);
    if (status == HONE_OK) {
        (void)sqlite3_bind_text(statement, 8, names.data, -1, SQLITE_STATIC);
        status = step_rows(store, op, statement, err);
    }
    (void)sqlite3_finalize(statement);
    hone__text_free(&names);
    if (status == HONE_OK)
        take_members(op, first, chooser);
    op->n_rows = first;
    return status;
}

static hone_status add_defaults(hone_store *store, hone_store_op *op,
                                hone_error *err)
{
    return add_rows(store, op,
                    hone__store_database(store)->version < 6 ? VIEW_DEFAULTS_5
                                                             : VIEW_DEFAULTS,
                    NULL, err);
}

/* Instead of those of one problem. After a failure there is still a row that
 * tells the dims, if there was one: without it nobody would ask again. */
static hone_status read_whole(hone_store *store, hone_store_op *op,
                              hone_error *err)
{
    const int64_t version = hone__store_database(store)->version;
    const size_t n_before = op->n_rows > 0;
    hone_status status;

    op->problem = NULL;
    op->n_rows = 0;
    op->n_outdated = op->n_unreadable = 0;
    op->has_more = 0;
    status = add_rows(store, op,
                      op->config && version >= 4 ? VIEW_RANKED : VIEW_WINNERS,
                      NULL, err);
    if (status == HONE_OK)
        status = add_defaults(store, op, err);
    op->is_whole = status == HONE_OK;
    if (!op->is_whole && !op->n_rows)
        op->n_rows = n_before; /* the first is still where it was */
    return status;
}

hone_status hone__store_database_read_op(hone_store *store, hone_store_op *op,
                                         hone_error *err)
{
    if (!op->config)
        HONE_TRY(add_rows(store, op, VIEW_SAMPLE, NULL, err));
    return op->n_rows ? HONE_OK : read_whole(store, op, err);
}

hone_status hone__store_database_widen(hone_store *store, hone_store_op *op,
                                       hone_error *err)
{
    return op->is_whole ? HONE_OK : read_whole(store, op, err);
}

/* The winners of one problem: with 100,000 winners a millisecond instead of
 * half a second. They stay until another one is asked for, with what was found
 * out about them. */
static hone_status read_problem(hone_store *store, hone_store_op *op,
                                const hone_wanted *wanted, hone_error *err)
{
    hone_text dims = {0};
    hone_status status;

    for (size_t i = 0; i < wanted->n_dims; ++i)
        hone__text_printf(&dims, "%s%" PRId64, i ? "," : "", wanted->dims[i]);
    status = hone__text_check(&dims, err);
    if (status == HONE_OK && op->problem &&
        strcmp(op->problem, hone__text_str(&dims)) == 0) {
        hone__text_free(&dims);
        return HONE_OK;
    }
    op->problem = NULL;
    ++hone__store_database(store)->n_problems;
    op->n_rows = 1; /* the one that tells the dims */
    op->n_outdated = op->n_unreadable = 0;
    op->has_near = op->has_defaults = 0;
    if (status == HONE_OK) {
        op->problem =
            hone__arena_strndup(&op->arena, hone__text_str(&dims), dims.length);
        status = op->problem
                     ? add_rows(store, op,
                                hone__store_database(store)->version < 11
                                    ? VIEW_EXACT_10
                                    : VIEW_EXACT,
                                NULL, err)
                     : no_memory(err);
    }
    if (status != HONE_OK)
        op->problem = NULL;
    hone__text_free(&dims);
    return status;
}

/* Those of the nearest problems beside them. Whoever asks for many shapes that
 * nobody tuned has all of it in memory soon. */
static hone_status read_near(hone_store *store, hone_store_op *op,
                             const hone_wanted *wanted, hone_error *err)
{
    enum { MOST_BY_PROBLEM = 8 };
    hone_nearest near = {.most = wanted->most};
    hone_status status;

    if (op->has_near)
        return HONE_OK;
    if (wanted->most == SIZE_MAX || op->n_near++ >= MOST_BY_PROBLEM)
        return read_whole(store, op, err);
    status = hone__store_near_problems(store, op, wanted, &near, err);
    if (status == HONE_OK)
        status = add_near(store, op, &near, err);
    op->has_near = status == HONE_OK;
    op->has_more = near.has_more;
    hone__free(near.list);
    return status;
}

/* Defaults as they are listed come before winners that are defaults, which
 * count where none of those answers. */
static hone_status read_defaults(hone_store *store, hone_store_op *op,
                                 const hone_wanted *wanted, hone_error *err)
{
    if (wanted->most == SIZE_MAX)
        return read_whole(store, op, err);
    if (!op->has_defaults)
        HONE_TRY(add_defaults(store, op, err));
    op->has_defaults = 1;
    op->has_more = 1;
    return HONE_OK;
}

hone_status hone__store_database_gather(hone_store *store, hone_store_op *op,
                                        const hone_wanted *wanted,
                                        hone_error *err)
{
    int has_others = 1;

    op->has_more = 0;
    if (op->is_whole || !wanted || wanted->is_any)
        return HONE_OK;
    HONE_TRY(read_problem(store, op, wanted, err));
    switch (wanted->kind) {
    case HONE_MATCH_EXACT:
        return HONE_OK;
    case HONE_MATCH_NEIGHBOUR:
        return read_near(store, op, wanted, err);
    case HONE_MATCH_DEFAULT:
        return read_defaults(store, op, wanted, err);
    case HONE_MATCH_FAMILY:
        HONE_TRY(hone__store_has_others(store, wanted, &has_others, err));
        break;
    default:
        break;
    }
    return has_others ? read_whole(store, op, err) : HONE_OK;
}
