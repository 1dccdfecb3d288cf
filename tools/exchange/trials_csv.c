/* SPDX-License-Identifier: Apache-2.0 */
/* Trials as CSV (RFC 4180): a head, then a row for each. A missing value is an
 * empty field, an empty text is two quotes. */
#include "tools/exchange/exchange_trials.h"

#include <string.h>

/* ---- out ----------------------------------------------------------------- */

static void put_text(const char *text, size_t length, hone_text *out)
{
    if (length && !memchr(text, '"', length) && !memchr(text, ',', length) &&
        !memchr(text, '\n', length) && !memchr(text, '\r', length) &&
        text[0] != ' ' && text[length - 1] != ' ') {
        hone__text_append(out, text, length);
        return;
    }
    hone__text_puts(out, "\"");
    for (size_t i = 0; i < length; ++i) {
        if (text[i] == '"')
            hone__text_puts(out, "\"");
        hone__text_append(out, text + i, 1);
    }
    hone__text_puts(out, "\"");
}

static hone_status write_row(hone_export *export, const hone_db_value *values,
                             hone_error *err)
{
    hone_text *line = &export->line;

    hone__text_puts(line, HONE_TRIALS_FORMAT);
    for (size_t i = 0; i < HONE_DB_N_FIELDS; ++i) {
        hone__text_puts(line, ",");
        if (values[i].kind == HONE_DB_INTEGER)
            hone__text_printf(line, "%lld", (long long)values[i].integer);
        else if (values[i].kind == HONE_DB_REAL)
            hone__shortest(values[i].real, line);
        else if (values[i].kind == HONE_DB_TEXT)
            put_text(values[i].text, values[i].size_bytes, line);
    }
    hone__text_puts(line, "\n");
    return hone__export_line(export, line, err);
}

hone_status hone__write_csv(hone_export *export, hone_error *err)
{
    hone__text_puts(&export->line, "format");
    for (size_t i = 0; i < HONE_DB_N_FIELDS; ++i)
        hone__text_printf(&export->line, ",%s", hone__db_fields[i].name);
    hone__text_puts(&export->line, "\n");
    HONE_TRY(hone__export_line(export, &export->line, err));
    return hone__trials_each(export, write_row, err);
}

/* ---- in ------------------------------------------------------------------ */

enum { MOST_COLUMNS = HONE_DB_N_FIELDS + 1, FORMAT_COLUMN = HONE_DB_N_FIELDS };

typedef struct csv_reader {
    hone_import *import;
    hone_lines lines;
    hone_text field;
    int is_quoted; /* the field was */
    int is_last;   /* of its record */
    int is_end;    /* nothing came */
    int64_t begin; /* line of the record */
    hone_text counters;
    int columns[MOST_COLUMNS]; /* the field of each */
    size_t n_columns;
} csv_reader;

static hone_status cut_off(const csv_reader *r, hone_error *err)
{
    return hone__import_fail(r->import, r->lines.line, err,
                             "the last row does not end: the file was cut off "
                             "(a row ends with a line feed)");
}

/* Add what the buffer has up to one of the characters that end such a field,
 * which is not taken: a loop without calls, for most of a file's bytes. */
static hone_status take_run(csv_reader *r, hone_error *err)
{
    hone_lines *lines = &r->lines;
    const char *from = lines->buffer + lines->at;
    const char *end = lines->buffer + lines->n, *to = from;

    for (; to < end && *to != '"' &&
           (r->is_quoted || (*to != ',' && *to != '\n' && *to != '\r'));
         ++to)
        lines->line += *to == '\n';
    if (r->field.length + (size_t)(to - from) > HONE_LINE_MOST_BYTES)
        return hone__import_fail(r->import, r->begin, err,
                                 "a field is longer than %d MiB",
                                 HONE_LINE_MOST_BYTES >> 20);
    hone__text_append(&r->field, from, (size_t)(to - from));
    lines->at += (size_t)(to - from);
    return HONE_OK;
}

/* Inside quotes, behind the first. */
static hone_status read_quoted(csv_reader *r, int *out_next, hone_error *err)
{
    for (;;) {
        int c;

        HONE_TRY(take_run(r, err));
        c = hone__lines_next(&r->lines, err);
        if (c == '"') {
            c = hone__lines_next(&r->lines, err);
            if (c != '"') {
                *out_next = c;
                return c == -2 ? err->status : HONE_OK;
            }
        }
        if (c == -2)
            return err->status;
        if (c == -1)
            return cut_off(r, err);
        hone__text_append(&r->field, &(char){(char)c}, 1);
    }
}

/* The next field of the record. */
static hone_status read_field(csv_reader *r, hone_error *err)
{
    int c = hone__lines_next(&r->lines, err);

    hone__text_clear(&r->field);
    hone__text_append(&r->field, "", 0);
    r->is_quoted = c == '"';
    r->is_end = c == -1;
    if (r->is_quoted)
        HONE_TRY(read_quoted(r, &c, err));
    while (!r->is_quoted && c >= 0 && c != ',' && c != '\n' && c != '\r') {
        if (c == '"')
            return hone__import_fail(r->import, r->begin, err,
                                     "a quote inside a field that does not "
                                     "begin with one");
        hone__text_append(&r->field, &(char){(char)c}, 1);
        HONE_TRY(take_run(r, err));
        c = hone__lines_next(&r->lines, err);
    }
    if (c == '\r')
        c = hone__lines_next(&r->lines, err);
    if (c == -2)
        return err->status;
    if (c == -1 && r->is_end)
        return HONE_OK;
    if (c == -1)
        return cut_off(r, err);
    r->is_last = c == '\n';
    if (c != ',' && c != '\n')
        return hone__import_fail(r->import, r->begin, err,
                                 "there is more behind the quote that ends a "
                                 "field");
    return hone__text_check(&r->field, err);
}

static hone_status read_head(csv_reader *r, hone_error *err)
{
    do {
        const char *name;
        int field = FORMAT_COLUMN;

        HONE_TRY(read_field(r, err));
        name = hone__text_str(&r->field);
        if (r->n_columns == MOST_COLUMNS)
            return hone__import_fail(r->import, 1, err,
                                     "there are more columns than the %d that "
                                     "are known",
                                     (int)MOST_COLUMNS);
        if (r->n_columns)
            field =
                (int)hone__field_find(name, r->field.length, r->n_columns - 1);
        if (r->n_columns && field == FORMAT_COLUMN)
            return hone__import_fail(r->import, 1, err,
                                     "there is no column '%.60s'", name);
        for (size_t i = 1; i < r->n_columns; ++i)
            if (r->columns[i] == field)
                return hone__import_fail(r->import, 1, err,
                                         "column '%.60s' is there twice", name);
        r->columns[r->n_columns++] = field;
    } while (!r->is_last);
    return HONE_OK;
}

static hone_status take_field(csv_reader *r, size_t column, hone_error *err)
{
    const char *text = hone__text_str(&r->field);
    hone_error inner = {0};
    hone_status status = HONE_OK;

    if (column == 0)
        return strcmp(text, HONE_TRIALS_FORMAT) == 0
                   ? HONE_OK
                   : hone__import_fail(r->import, r->begin, err,
                                       "'format' is '%.60s'; this hone reads "
                                       "%s",
                                       text, HONE_TRIALS_FORMAT);
    if (!r->field.length && !r->is_quoted)
        return HONE_OK;
    if (r->columns[column] == HONE_DB_FIELD_counters) {
        hone__text_append(&r->counters, text, r->field.length);
        return HONE_OK;
    }
    status =
        hone__row_set(&r->import->row, (hone_db_field_id)r->columns[column],
                      text, r->field.length, &inner);
    if (status == HONE_ERR_INPUT)
        return hone__import_fail(r->import, r->begin, err, "%s", inner.text);
    if (status != HONE_OK && err)
        *err = inner;
    return status;
}

/* One record; `is_end` when there is none. */
static hone_status read_record(csv_reader *r, hone_error *err)
{
    size_t column = 0;

    hone__row_clear(&r->import->row);
    hone__text_clear(&r->counters);
    r->begin = r->lines.line;
    do {
        HONE_TRY(read_field(r, err));
        if (r->is_end && column == 0)
            return HONE_OK;
        if (r->is_end)
            return cut_off(r, err);
        if (column < r->n_columns)
            HONE_TRY(take_field(r, column, err));
        ++column;
    } while (!r->is_last);
    if (column != r->n_columns)
        return hone__import_fail(r->import, r->begin, err,
                                 "this row has %zu columns, the head %zu",
                                 column, r->n_columns);
    HONE_TRY(hone__import_put(r->import, r->begin, err));
    return r->counters.length
               ? hone__import_counters(r->import, r->begin, r->counters.data,
                                       r->counters.length, err)
               : HONE_OK;
}

hone_status hone__read_csv(hone_import *import, hone_error *err)
{
    csv_reader *r = hone__alloc(sizeof *r);
    hone_status status;

    if (!r)
        return hone__out_of_memory(err, "");
    r->import = import;
    r->begin = 1;
    status = hone__lines_open(import->path, &r->lines, err);
    if (status == HONE_OK)
        status = read_head(r, err);
    while (status == HONE_OK && !r->is_end)
        status = read_record(r, err);
    hone__lines_close(&r->lines);
    hone__text_free(&r->field);
    hone__text_free(&r->counters);
    hone__free(r);
    return status;
}
