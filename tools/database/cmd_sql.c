/* SPDX-License-Identifier: Apache-2.0 */
/* hone sql: one statement of a person's. */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/database/show.h"
#include "tools/inputs/open_to_read.h"

#include <stdio.h>
#include <string.h>

typedef struct sql_rows {
    const hone_options *options;
    hone_column columns[HONE_SHOW_MOST_COLUMNS];
    size_t n_columns;
    hone_output *output; /* NULL: no row yet */
} sql_rows;

/* As hone__show_row() calls them. */
static hone_status on_column(void *user, const char *name, hone_error *err)
{
    sql_rows *rows = user;
    hone_column *column = &rows->columns[rows->n_columns];

    if (!name)
        return hone__out_of_memory(err, "");
    if (rows->n_columns == HONE_SHOW_MOST_COLUMNS)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "a table has at most %d columns",
                          HONE_SHOW_MOST_COLUMNS);
    hone__show_name(name, rows->columns, rows->n_columns, column->key);
    memcpy(column->title, column->key, sizeof column->key);
    ++rows->n_columns;
    return HONE_OK;
}

static void begin(sql_rows *rows)
{
    if (!rows->output)
        rows->output =
            hone__output_begin_columns(rows->options, "rows", rows->columns,
                                       rows->n_columns, hone__json(""));
}

/* Numbers to the right, as the first row has them. */
static hone_status on_row(void *user, const hone_db_row *row, hone_error *err)
{
    sql_rows *rows = user;

    (void)err;
    for (size_t i = 0; !rows->output && i < rows->n_columns; ++i)
        if (row->values[i].kind == HONE_DB_INTEGER ||
            row->values[i].kind == HONE_DB_REAL)
            rows->columns[i].cell = HONE_CELL_NUMBER;
    begin(rows);
    hone__output_row(rows->output, hone__show_row(row));
    return HONE_OK;
}

static hone_exit ask(const hone_options *options, hone_db *db, const char *sql)
{
    sql_rows rows = {.options = options};
    const hone_db_asker asker = {on_column, on_row, &rows};
    hone_error err = {0};
    const hone_status status = hone__db_ask(db, sql, &asker, &err);
    hone_exit code = HONE_EXIT_DONE;

    if (status == HONE_OK)
        begin(&rows);
    if (rows.output)
        code = hone__output_end(rows.output, hone__json(""));
    return status == HONE_OK ? code : hone__message_error(&err);
}

static hone_exit change(const hone_options *options, hone_db *db,
                        const char *sql)
{
    hone_error err = {0};
    int64_t n = 0;

    if (hone__db_change(db, sql, &n, &err) != HONE_OK)
        return hone__message_error(&err);
    return hone__output_end(
        hone__output_begin(options, NULL, "", hone__json("changed:I", n)),
        hone__json(""));
}

static hone_status read_query(const char *argument, hone_text *out,
                              hone_error *err)
{
    char bytes[4096];
    size_t n;

    if (strcmp(argument, "-") != 0) {
        hone__text_puts(out, argument);
        return hone__text_check(out, err);
    }
    while ((n = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        hone__text_append(out, bytes, n);
    if (ferror(stdin))
        return hone__fail(err, HONE_ERR_IO,
                          "the statement cannot be read from standard input");
    return hone__text_check(out, err);
}

hone_exit hone__cmd_sql(const hone_options *options)
{
    const int writes = options->text[HONE_OPT_WRITE] != NULL;
    hone_text path = {0}, sql = {0};
    hone_db *db = NULL;
    hone_error err = {0};
    hone_exit code;
    hone_status status = read_query(hone__options_arg(options, 0), &sql, &err);

    if (status == HONE_OK)
        status = hone__locate_db(options, &path, &err);
    if (status == HONE_OK)
        status = writes ? hone__db_open(hone__text_str(&path), 0, &db, &err)
                        : hone__open_to_read(hone__text_str(&path), &db, &err);
    if (status != HONE_OK)
        code = hone__message_error(&err);
    else
        code = (writes ? change : ask)(options, db, hone__text_str(&sql));
    hone__db_close(db);
    hone__text_free(&path);
    hone__text_free(&sql);
    return code;
}
