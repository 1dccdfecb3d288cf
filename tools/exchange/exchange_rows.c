/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are put together, and lines of files. */
#include "tools/exchange/exchange.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---------------------------------------------------------------- */

void hone__row_clear(hone_row *row)
{
    hone__arena_free(&row->arena);
    for (size_t i = 0; i < HONE_DB_N_FIELDS; ++i)
        row->values[i] = hone__db_null();
}

hone_db_field_id hone__field_find(const char *name, size_t length, size_t guess)
{
    for (size_t i = 0; i < HONE_DB_N_FIELDS; ++i) {
        const size_t at = (guess + i) % HONE_DB_N_FIELDS;
        const char *field = hone__db_fields[at].name;

        if (strncmp(field, name, length) == 0 && !field[length])
            return (hone_db_field_id)at;
    }
    return HONE_DB_N_FIELDS;
}

void hone__row_integer(hone_row *row, hone_db_field_id field, int64_t value)
{
    row->values[field] = hone__db_integer(value);
}

void hone__row_real(hone_row *row, hone_db_field_id field, double value)
{
    row->values[field] = hone__db_real(value);
}

static hone_status refuse(const hone_db_field *field, const char *text,
                          hone_error *err)
{
    const hone_db_value value = hone__db_text(text);
    hone_db_field as_number = *field;

    return hone__db_field_check(&as_number, &value, err);
}

hone_status hone__row_set(hone_row *row, hone_db_field_id id, const char *text,
                          size_t length, hone_error *err)
{
    const hone_db_field *field = &hone__db_fields[id];
    char *copy = hone__arena_strndup(&row->arena, text, length);
    char *end = copy;

    if (!copy)
        return hone__out_of_memory(err, "");
    if (field->type == HONE_DB_TEXT) {
        row->values[id] = (hone_db_value){
            .kind = HONE_DB_TEXT, .text = copy, .size_bytes = length};
        return HONE_OK;
    }
    errno = 0;
    if (field->type == HONE_DB_INTEGER)
        hone__row_integer(row, id, strtoll(copy, &end, 10));
    else
        hone__row_real(row, id, strtod(copy, &end));
    /* No blanks before it, no hexadecimal digits, nothing too large. */
    if (end == copy || (size_t)(end - copy) != length ||
        strspn(copy, "+-.0123456789eEinf") != length ||
        (errno == ERANGE &&
         (field->type == HONE_DB_INTEGER || isinf(row->values[id].real))))
        return refuse(field, copy, err);
    return HONE_OK;
}

hone_status hone__import_fail(const hone_import *import, int64_t line,
                              hone_error *err, const char *format, ...)
{
    hone_text text = {0};
    char sentence[1024];
    va_list list;

    va_start(list, format);
    (void)vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    hone__text_printf(&text, "%s:", import->path);
    if (line > 0)
        hone__text_printf(&text, "%lld:", (long long)line);
    hone__text_printf(&text, " %s", sentence);
    return hone__text_fail(&text, HONE_ERR_INPUT, err);
}

/* Whose process was on its way when the file was written, nobody can ask here:
 * for whoever imports it, it ended there. */
static void end_session(hone_row *row)
{
    hone_db_value *status = &row->values[HONE_DB_FIELD_status];

    if (status->kind == HONE_DB_TEXT && strcmp(status->text, "running") == 0)
        *status = hone__db_text("interrupted");
}

/* Views take a configuration apart as JSON: one bad text, and they fail for all
 * trials of a database. */
static hone_status check_config(const hone_row *row, hone_error *err)
{
    const hone_db_value *config = &row->values[HONE_DB_FIELD_config];

    if (config->kind != HONE_DB_TEXT)
        return HONE_OK;
    for (const char *at = config->text; *at; ++at)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ')
            return hone__fail(err, HONE_ERR_INPUT,
                              "'config' cannot be '%.100s': values have no "
                              "double quote, no backslash and no line end",
                              config->text);
    return HONE_OK;
}

hone_status hone__import_put(hone_import *import, int64_t line, hone_error *err)
{
    const int64_t number = line > 0 ? line : import->n_rows + 1;
    hone_error inner = {0};
    hone_status status;

    end_session(&import->row);
    status = check_config(&import->row, &inner);
    if (status == HONE_OK)
        status = hone__db_import_row(import->rows, number, import->row.values,
                                     &inner);
    if (status == HONE_OK) {
        ++import->n_rows;
        return HONE_OK;
    }
    if (status == HONE_ERR_INPUT && line > 0)
        return hone__import_fail(import, line, err, "%s", inner.text);
    if (err)
        *err = inner;
    return status;
}

/* One of [["kernel", "name", "unit", 1.5], ..], behind its '['. */
static hone_status read_counter(hone_import *import, hone_json_reader *reader,
                                hone_error *err)
{
    hone_text texts[3] = {{0}};
    hone_json_event event;
    hone_status status = HONE_OK;

    for (int i = 0; i < 3 && status == HONE_OK; ++i) {
        status =
            hone__json_expect(reader, HONE_JSON_STRING, "a text", &event, err);
        if (status == HONE_OK)
            hone__text_append(&texts[i], event.text, event.length);
    }
    if (status == HONE_OK)
        status = hone__json_expect(reader, HONE_JSON_NUMBER, "a number", &event,
                                   err);
    if (status == HONE_OK)
        status = hone__db_import_counter(
            import->rows, hone__text_str(&texts[0]), hone__text_str(&texts[1]),
            hone__text_str(&texts[2]), event.number, err);
    if (status == HONE_OK)
        status = hone__json_expect(reader, HONE_JSON_ARRAY_END, "a ']'", &event,
                                   err);
    for (int i = 0; i < 3; ++i)
        hone__text_free(&texts[i]);
    return status;
}

static hone_status read_counters(hone_import *import, hone_json_reader *reader,
                                 hone_error *err)
{
    hone_json_event event;

    HONE_TRY(hone__json_expect(reader, HONE_JSON_ARRAY, "a list", &event, err));
    for (;;) {
        HONE_TRY(hone__json_next(reader, &event, err));
        if (event.kind == HONE_JSON_ARRAY_END)
            return hone__json_next(reader, &event, err); /* there is no more */
        if (event.kind != HONE_JSON_ARRAY)
            return hone__json_fail(reader, err, "expected a counter [..]");
        HONE_TRY(read_counter(import, reader, err));
    }
}

hone_status hone__import_counters(hone_import *import, int64_t line,
                                  const char *text, size_t length,
                                  hone_error *err)
{
    hone_json_reader *reader = NULL;
    hone_error inner = {0};
    hone_status status =
        hone__json_open_text("counters", text, length, &reader, &inner);

    if (status == HONE_OK)
        status = read_counters(import, reader, &inner);
    hone__json_close(reader);
    if (status == HONE_ERR_INPUT)
        return hone__import_fail(import, line, err, "%s", inner.text);
    if (status != HONE_OK && err)
        *err = inner;
    return status;
}

/* ---- lines --------------------------------------------------------------- */

hone_status hone__lines_open(const char *path, hone_lines *out, hone_error *err)
{
    *out = (hone_lines){.path = path, .line = 1};
    return hone__gz_open(path, &out->file, err);
}

void hone__lines_close(hone_lines *lines)
{
    if (lines->file)
        (void)gzclose(lines->file);
    lines->file = NULL;
}

static int fill(hone_lines *lines, hone_error *err)
{
    const int n = gzread(lines->file, lines->buffer, sizeof lines->buffer);
    int code = Z_OK;
    const char *why = gzerror(lines->file, &code);

    /* A compressed file that ends too early is no failure of gzread(). */
    if (n < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR) {
        (void)hone__fail(err, code == Z_ERRNO ? HONE_ERR_IO : HONE_ERR_INPUT,
                         "cannot read '%s': %s", lines->path,
                         code == Z_ERRNO ? strerror(errno)
                         : code == Z_BUF_ERROR
                             ? "the compressed file ends too early"
                             : why);
        return -2;
    }
    lines->at = 0;
    lines->n = (size_t)n;
    return n ? 0 : -1;
}

int hone__lines_next(hone_lines *lines, hone_error *err)
{
    int c;

    if (lines->at == lines->n) {
        c = fill(lines, err);
        if (c < 0)
            return c;
    }
    c = (unsigned char)lines->buffer[lines->at++];
    lines->line += c == '\n';
    return c;
}

hone_status hone__lines_read(hone_lines *lines, hone_text *out,
                             int *out_is_there, int *out_has_end,
                             hone_error *err)
{
    int is_begun = 0;

    hone__text_clear(out);
    *out_has_end = 0;
    *out_is_there = 0;
    for (;;) {
        const char *end;
        size_t n;

        if (lines->at == lines->n) {
            const int c = fill(lines, err);

            if (c == -2)
                return err ? err->status : HONE_ERR_IO;
            if (c == -1) {
                *out_is_there = is_begun;
                return hone__text_check(out, err);
            }
        }
        is_begun = 1;
        n = lines->n - lines->at;
        end = memchr(lines->buffer + lines->at, '\n', n);
        if (end)
            n = (size_t)(end - (lines->buffer + lines->at));
        if (out->length + n > HONE_LINE_MOST_BYTES)
            return hone__fail(err, HONE_ERR_INPUT,
                              "%s:%lld: this line is longer than %d MiB",
                              lines->path, (long long)lines->line,
                              HONE_LINE_MOST_BYTES >> 20);
        hone__text_append(out, lines->buffer + lines->at, n);
        lines->at += n;
        if (end) {
            ++lines->at;
            ++lines->line;
            if (out->length && out->data[out->length - 1] == '\r')
                out->data[--out->length] = '\0';
            *out_is_there = *out_has_end = 1;
            return hone__text_check(out, err);
        }
    }
}
