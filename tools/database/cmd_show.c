/* SPDX-License-Identifier: Apache-2.0 */
/* hone show: the database's views as tables. */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/database/show.h"
#include "tools/inputs/open_to_read.h"
#include "tuner/process/process_mark.h"

#include <stdio.h>
#include <string.h>

/* ---- rows ---------------------------------------------------------------- */

static json_t *value_json(const hone_db_value *value)
{
    char text[40];

    switch (value->kind) {
    case HONE_DB_INTEGER:
        return json_integer(value->integer);
    case HONE_DB_REAL:
        return hone__json_real(value->real);
    case HONE_DB_TEXT:
        return hone__json_string(value->text, value->size_bytes);
    case HONE_DB_BLOB: /* a cubin is nothing to read, and is there */
        (void)snprintf(text, sizeof text, "<%zu bytes>", value->size_bytes);
        return json_string(text);
    case HONE_DB_NULL:
        break;
    }
    return json_null();
}

static int is_taken(const char *name, const hone_column *before, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (strcmp(before[i].key, name) == 0)
            return 1;
    return 0;
}

void hone__show_name(const char *name, const hone_column *before, size_t n,
                     char out[40])
{
    (void)snprintf(out, 40, "%s", name);
    for (int i = 2; is_taken(out, before, n) && i < 100; ++i)
        (void)snprintf(out, 40, "%.30s_%d", name, i);
}

json_t *hone__show_row(const hone_db_row *row)
{
    hone_column names[HONE_SHOW_MOST_COLUMNS];
    json_t *object = json_object();

    for (size_t i = 0;
         object && i < row->n_columns && i < HONE_SHOW_MOST_COLUMNS; ++i) {
        hone__show_name(row->names[i], names, i, names[i].key);
        if (json_object_set_new(object, names[i].key,
                                value_json(&row->values[i]))) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

typedef struct show_rows {
    hone_output *output;
    size_t n;
    int n_interrupted; /* with that verdict */
} show_rows;

/* "" if it has none. */
static const char *column(const hone_db_row *row, const char *name)
{
    for (size_t i = 0; i < row->n_columns; ++i)
        if (strcmp(row->names[i], name) == 0)
            return row->values[i].text;
    return "";
}

/* A session that was killed cannot say so itself. */
static json_t *correct(const hone_db_row *row, json_t *out)
{
    return strcmp(column(row, "status"), "running") == 0 &&
                   hone__process_mark_is_gone(column(row, "process"), NULL)
               ? hone__json_add(out, "status:s", "lost")
               : out;
}

static hone_status on_row(void *user, const hone_db_row *row, hone_error *err)
{
    show_rows *rows = user;

    (void)err;
    for (size_t i = 0; i < row->n_columns; ++i)
        rows->n_interrupted += strcmp(row->names[i], "verdict") == 0 &&
                               row->values[i].kind == HONE_DB_TEXT &&
                               strcmp(row->values[i].text, "interrupted") == 0;
    ++rows->n;
    hone__output_row(rows->output, correct(row, hone__show_row(row)));
    return HONE_OK;
}

/* ---- an empty answer ----------------------------------------------------- */

static hone_status on_op(void *user, const hone_db_row *row, hone_error *err)
{
    hone_text *out = user;

    (void)err;
    hone__text_printf(out, "%s%s", out->length ? ", " : "",
                      row->values[0].text);
    return HONE_OK;
}

/* Which filters there are, and what the database has. */
static void say_nothing(const hone_options *options, const hone_show_view *view,
                        hone_db *db)
{
    static const struct {
        hone_option_id option;
        const char *name;
    } filters[] = {{HONE_OPT_OP, "--op"},
                   {HONE_OPT_DIMS, "--dims"},
                   {HONE_OPT_MODE, "--mode"},
                   {HONE_OPT_WHERE, "--where"}};
    hone_text text = {0}, ops = {0};

    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; ++i)
        if (options->text[filters[i].option])
            hone__text_printf(&text, "%s %s %s", text.length ? "," : " for",
                              filters[i].name,
                              options->text[filters[i].option]);
    (void)hone__db_query(db, "SELECT DISTINCT op FROM problem ORDER BY op",
                         NULL, 0, on_op, &ops, NULL);
    hone__message_note("there is no %s%s; the database has %s", view->noun,
                       hone__text_str(&text),
                       ops.length ? hone__text_str(&ops)
                                  : "nothing yet: 'hone tune' fills it");
    hone__text_free(&text);
    hone__text_free(&ops);
}

/* ---- what was left out --------------------------------------------------- */

static hone_status on_more(void *user, const hone_db_row *row, hone_error *err)
{
    int *there_is = user;

    (void)row;
    (void)err;
    *there_is = 1;
    return HONE_OK;
}

static void say_left_out(hone_db *db, const hone_show_query *query)
{
    int there_is = 0;

    if (query->more.length)
        (void)hone__db_query(db, query->more.data, query->values, 4, on_more,
                             &there_is, NULL);
    if (there_is)
        hone__message_note("of the last " HONE_SHOW_MOST_TRIALS
                           " trials; --op, --dims and --mode choose others");
}

/* ---- the command --------------------------------------------------------- */

/* Configurations are shown as what differs from the default, unless --full. */
static void columns_of(const hone_options *options, const hone_show_view *view,
                       char out[512])
{
    char *at;

    (void)snprintf(out, 512, "%s", view->columns);
    while (options->text[HONE_OPT_FULL] && (at = strstr(out, ":c")) != NULL)
        memmove(at, at + 2, strlen(at + 2) + 1);
}

static hone_exit print_view(const hone_options *options,
                            const hone_show_view *view, hone_db *db,
                            const hone_show_query *query)
{
    char columns[512];
    hone_text all = {0};
    show_rows rows = {.n = 0};
    hone_error err = {0};
    hone_status status = HONE_OK;
    hone_exit code;

    columns_of(options, view, columns);
    if (options->text[HONE_OPT_FULL] &&
        hone__options_is(options, HONE_OPT_FORMAT, "csv"))
        status = hone__db_columns(db, hone__text_str(&query->sql), &all, &err);
    if (status != HONE_OK)
        return hone__message_error(&err);
    rows.output = hone__output_begin(
        options, view->name, all.length ? hone__text_str(&all) : columns,
        hone__json(""));
    hone__text_free(&all);
    hone__output_hoist(rows.output);
    status = hone__db_query(db, hone__text_str(&query->sql), query->values,
                            query->n_values, on_row, &rows, &err);
    code = hone__output_end(rows.output, hone__json(""));
    if (status != HONE_OK)
        return hone__message_error(&err);
    if (!rows.n)
        say_nothing(options, view, db);
    say_left_out(db, query);
    if (rows.n_interrupted && strcmp(view->name, "winners") == 0)
        hone__message_note("%d winner%s of interrupted runs: verified on the "
                           "own shape only, not on edge shapes, until the "
                           "same 'hone tune' ends",
                           rows.n_interrupted,
                           rows.n_interrupted == 1 ? "" : "s");
    return code;
}

hone_exit hone__cmd_show(const hone_options *options)
{
    hone_show_query query = {.n_values = 0};
    hone_text path = {0};
    hone_db *db = NULL;
    hone_error err = {0};
    hone_exit code;
    hone_status status = HONE_OK;
    const hone_show_view *view =
        hone__show_view_find(hone__options_arg(options, 0), &err);

    if (!view)
        return hone__message_error(&err);
    status = hone__locate_db(options, &path, &err);
    if (status == HONE_OK)
        status = hone__open_to_read(hone__text_str(&path), &db, &err);
    if (status == HONE_OK)
        status = hone__read_needs(db, hone__text_str(&path), view->least, &err);
    if (status == HONE_OK)
        status = hone__show_query_make(options, view, db, &query, &err);
    code = status == HONE_OK ? print_view(options, view, db, &query)
                             : hone__message_error(&err);
    hone__db_close(db);
    hone__text_free(&path);
    hone__show_query_free(&query);
    return code;
}
