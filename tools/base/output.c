/* SPDX-License-Identifier: Apache-2.0 */
/* The result printer: see output.h. */
#include "tools/base/output.h"

#include "runtime/base/alloc.h"
#include "tools/base/grid.h"
#include "tools/base/wrap.h"
#include "tools/base/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Text rows are held back to find the column widths; after so many the
 * widths are settled and rows are printed as they come. */
enum { ROWS_FOR_WIDTH = 1000 };

typedef enum output_format {
    FORMAT_TEXT,
    FORMAT_JSON,
    FORMAT_CSV
} output_format;

struct hone_output {
    output_format format;
    const char *rows_key;
    hone_grid grid; /* of CSV its columns alone */
    size_t n_rows;
    json_t *head;  /* CSV without rows: printed with the tail */
    json_t *held;  /* text: rows until the widths are settled */
    int n_members; /* JSON: members of the top object so far */
    int failed;    /* memory ran out: nothing is printed from there on */
};

/* ---- text ------------------------------------------------------------- */

/* The widths are known: print what was held back. */
static void settle(hone_output *output, int is_all)
{
    hone__grid_begin(&output->grid, output->held, is_all);
    for (size_t j = 0;
         j < json_array_size(output->held) && !output->grid.failed; ++j)
        hone__grid_row(&output->grid, json_array_get(output->held, j));
    output->failed |= output->grid.failed;
    json_decref(output->held);
    output->held = NULL;
}

static void print_text_row(hone_output *output, json_t *row)
{
    hone__grid_row(&output->grid, row);
    output->failed |= output->grid.failed;
}

static void print_text_members(hone_output *output, json_t *object)
{
    hone_text text = {0}, lines = {0};
    const char *key;
    json_t *value;

    json_object_foreach (object, key, value) {
        const size_t n = strlen(key);
        const int is_time = n > 3 && strcmp(key + n - 3, "_ns") == 0;

        hone__text_clear(&text);
        hone__text_clear(&lines);
        /* The unit stands with the value. */
        hone__text_printf(&text, "%.*s: ", (int)(is_time ? n - 3 : n), key);
        hone__value_text(value, is_time ? HONE_CELL_TIME_NS : HONE_CELL_TEXT,
                         &text);
        if (json_is_string(value) && !json_string_length(value))
            hone__text_puts(&text, "-");
        hone__wrap(hone__text_str(&text), 0, 4, output->grid.limit, &lines);
        output->failed |= text.failed || lines.failed;
        if (!output->failed)
            (void)fwrite(lines.data, 1, lines.length, stdout);
    }
    hone__text_free(&text);
    hone__text_free(&lines);
}

/* ---- JSON and CSV ----------------------------------------------------- */

static void print_json(hone_output *output, const char *before, json_t *value)
{
    hone_text text = {0};

    hone__text_puts(&text, before);
    hone__value_json(value, 0, &text);
    output->failed |= text.failed;
    if (!text.failed)
        (void)fwrite(text.data, 1, text.length, stdout);
    hone__text_free(&text);
}

static void print_json_members(hone_output *output, json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach (object, key, value) {
        char before[80];

        if (output->failed)
            return;
        (void)snprintf(before, sizeof before,
                       "%s  \"%.64s\": ", output->n_members++ ? ",\n" : "",
                       key);
        print_json(output, before, value);
    }
}

static void print_csv_head(hone_output *output)
{
    hone_text line = {0};

    for (size_t i = 0; i < output->grid.n_columns; ++i) {
        const char *key = output->grid.columns[i].key;
        json_t *name = hone__json_string(key, strlen(key));

        if (i)
            hone__text_puts(&line, ",");
        hone__value_csv(name, &line);
        output->failed |= !name;
        json_decref(name);
    }
    output->failed |= line.failed;
    if (!output->failed)
        (void)printf("%s\n", hone__text_str(&line));
    hone__text_free(&line);
}

static void print_csv_row(hone_output *output, json_t *row)
{
    hone_text line = {0};

    for (size_t i = 0; i < output->grid.n_columns; ++i) {
        if (i)
            hone__text_puts(&line, ",");
        hone__value_csv(json_object_get(row, output->grid.columns[i].key),
                        &line);
    }
    output->failed |= line.failed;
    if (!output->failed)
        (void)printf("%s\n", hone__text_str(&line));
    hone__text_free(&line);
}

/* Without rows the members are the only row. */
static void print_csv_members(hone_output *output, json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach (object, key, value)
        if (output->grid.n_columns < HONE_GRID_COLUMNS)
            (void)hone__columns_read(
                key, &output->grid.columns[output->grid.n_columns++], 1);
    print_csv_head(output);
    print_csv_row(output, object);
}

/* ---- the life of a result --------------------------------------------- */

static void begin_format(hone_output *output, json_t *head)
{
    switch (output->format) {
    case FORMAT_TEXT:
        print_text_members(output, head);
        output->held = json_array();
        output->failed |= !output->held;
        break;
    case FORMAT_JSON:
        (void)printf("{\n  \"schema_version\": %d", HONE_SCHEMA_VERSION);
        output->n_members = 1;
        print_json_members(output, head);
        if (output->rows_key)
            (void)printf(",\n  \"%s\": [", output->rows_key);
        break;
    case FORMAT_CSV:
        if (output->rows_key)
            print_csv_head(output);
        else
            output->head = json_incref(head);
        break;
    }
}

int hone__output_is_text(const hone_options *options)
{
    return !hone__options_is(options, HONE_OPT_FORMAT, "json") &&
           !hone__options_is(options, HONE_OPT_FORMAT, "csv");
}

hone_output *hone__output_begin_columns(const hone_options *options,
                                        const char *rows_key,
                                        const hone_column *columns,
                                        size_t n_columns, json_t *head)
{
    hone_output *output = hone__alloc(sizeof *output);

    if (output) {
        output->format =
            hone__options_is(options, HONE_OPT_FORMAT, "json")  ? FORMAT_JSON
            : hone__options_is(options, HONE_OPT_FORMAT, "csv") ? FORMAT_CSV
                                                                : FORMAT_TEXT;
        output->rows_key = rows_key;
        output->grid.n_columns =
            n_columns < HONE_GRID_COLUMNS ? n_columns : HONE_GRID_COLUMNS;
        for (size_t i = 0; i < output->grid.n_columns; ++i)
            output->grid.columns[i] = columns[i];
        output->grid.limit = hone__wrap_limit();
        output->failed = !head;
        if (head)
            begin_format(output, head);
    }
    json_decref(head);
    return output;
}

hone_output *hone__output_begin(const hone_options *options,
                                const char *rows_key, const char *columns,
                                json_t *head)
{
    hone_column list[HONE_GRID_COLUMNS];
    const size_t n = hone__columns_read(columns, list, HONE_GRID_COLUMNS);

    return hone__output_begin_columns(options, rows_key, list, n, head);
}

void hone__output_hoist(hone_output *output)
{
    if (output)
        output->grid.hoists = 1;
}

static void print_row(hone_output *output, json_t *row)
{
    switch (output->format) {
    case FORMAT_TEXT:
        if (output->held && output->n_rows < ROWS_FOR_WIDTH) {
            output->failed |= json_array_append(output->held, row) != 0;
            break;
        }
        if (output->held)
            settle(output, 0);
        print_text_row(output, row);
        break;
    case FORMAT_JSON:
        print_json(output, output->n_rows ? ",\n    " : "\n    ", row);
        break;
    case FORMAT_CSV:
        print_csv_row(output, row);
        break;
    }
    ++output->n_rows;
}

void hone__output_row(hone_output *output, json_t *row)
{
    if (output) {
        output->failed |= !row;
        if (!output->failed)
            print_row(output, row);
    }
    json_decref(row);
}

void hone__output_line(hone_output *output, const char *text, size_t length)
{
    if (!output || output->failed)
        return;
    if (output->held)
        settle(output, 0);
    if (output->format == FORMAT_JSON)
        (void)fputs(output->n_rows ? ",\n    " : "\n    ", stdout);
    (void)fwrite(text, 1, length, stdout);
    if (output->format != FORMAT_JSON)
        (void)putchar('\n');
    ++output->n_rows;
}

static void end_format(hone_output *output, json_t *tail)
{
    switch (output->format) {
    case FORMAT_TEXT:
        if (output->held)
            settle(output, 1);
        print_text_members(output, tail);
        break;
    case FORMAT_JSON:
        if (output->rows_key)
            (void)printf("%s]", output->n_rows ? "\n  " : "");
        print_json_members(output, tail);
        if (!output->failed)
            (void)printf("\n}\n");
        break;
    case FORMAT_CSV:
        if (output->head) {
            output->failed |= json_object_update(output->head, tail) != 0;
            print_csv_members(output, output->head);
        }
        break;
    }
}

/* A result that did not reach its reader is a failure. */
static hone_exit flush(void)
{
    hone_error err = {0};

    if (!fflush(stdout) && !ferror(stdout))
        return HONE_EXIT_DONE;
    (void)hone__fail_native(&err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                            "cannot write the result: %s", strerror(errno));
    return hone__message_error(&err);
}

hone_exit hone__output_end(hone_output *output, json_t *tail)
{
    hone_error err = {0};
    int failed = !output || output->failed || !tail;
    hone_exit code;

    if (!failed) {
        end_format(output, tail);
        failed = output->failed;
    }
    if (output) {
        json_decref(output->held);
        json_decref(output->head);
    }
    json_decref(tail);
    hone__free(output);
    code = flush();
    if (!failed)
        return code;
    (void)hone__fail(&err, HONE_ERR_NO_MEMORY,
                     "out of memory: the result is not complete");
    return hone__message_error(&err);
}

hone_exit hone__output_text(hone_text *text)
{
    hone_error err = {0};
    hone_exit code;

    if (hone__text_check(text, &err) == HONE_OK) {
        (void)fwrite(hone__text_str(text), 1, text->length, stdout);
        code = flush();
    } else {
        code = hone__message_error(&err);
    }
    hone__text_free(text);
    return code;
}
