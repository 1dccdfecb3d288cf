/* SPDX-License-Identifier: Apache-2.0 */
/* Trials as JSON Lines: an object a line. What is missing is not there. */
#include "tools/exchange/exchange_trials.h"

#include <string.h>

/* ---- out ----------------------------------------------------------------- */

/* Lists and objects stand as they are stored, unless that would not be JSON in
 * one line. */
static int is_json(const hone_db_value *value)
{
    hone_json_reader *reader = NULL;
    hone_json_event event;
    hone_status status;

    if (memchr(value->text, '\n', value->size_bytes))
        return 0;
    status =
        hone__json_open_text("", value->text, value->size_bytes, &reader, NULL);
    do
        if (status == HONE_OK)
            status = hone__json_next(reader, &event, NULL);
    while (status == HONE_OK && event.kind != HONE_JSON_END);
    hone__json_close(reader);
    return status == HONE_OK;
}

static void put_value(const hone_db_field *field, const hone_db_value *value,
                      hone_text *line)
{
    const int is_nested = field->check == HONE_DB_CHECK_LIST ||
                          field->check == HONE_DB_CHECK_OBJECT;

    if (value->kind == HONE_DB_INTEGER)
        hone__text_printf(line, "%lld", (long long)value->integer);
    else if (value->kind == HONE_DB_REAL && value->real - value->real == 0)
        hone__shortest(value->real, line);
    else if (value->kind == HONE_DB_REAL)
        hone__text_puts(line, "\"inf\"");
    else if (is_nested && is_json(value))
        hone__text_append(line, value->text, value->size_bytes);
    else
        hone__json_quote_bytes(value->text, value->size_bytes, line);
}

static hone_status write_row(hone_export *export, const hone_db_value *values,
                             hone_error *err)
{
    hone_text *line = &export->line;

    hone__text_puts(line, "{\"format\":\"" HONE_TRIALS_FORMAT "\"");
    for (size_t i = 0; i < HONE_DB_N_FIELDS; ++i) {
        if (values[i].kind == HONE_DB_NULL)
            continue;
        hone__text_printf(line, ",\"%s\":", hone__db_fields[i].name);
        put_value(&hone__db_fields[i], &values[i], line);
    }
    hone__text_puts(line, "}\n");
    return hone__export_line(export, line, err);
}

hone_status hone__write_jsonl(hone_export *export, hone_error *err)
{
    return hone__trials_each(export, write_row, err);
}

/* ---- in ------------------------------------------------------------------ */

typedef struct jsonl_reader {
    hone_import *import;
    hone_lines lines;
    hone_text text;
    hone_text counters;
    hone_json_reader *json;
    unsigned char given[HONE_DB_N_FIELDS];
    int has_format;
} jsonl_reader;

/* Where the list or object ends that has begun. */
static hone_status find_end(jsonl_reader *r, size_t *out, hone_error *err)
{
    hone_json_event event;

    for (int depth = 1; depth > 0;) {
        HONE_TRY(hone__json_next(r->json, &event, err));
        depth +=
            event.kind == HONE_JSON_OBJECT || event.kind == HONE_JSON_ARRAY;
        depth -= event.kind == HONE_JSON_OBJECT_END ||
                 event.kind == HONE_JSON_ARRAY_END;
    }
    *out = event.end;
    return HONE_OK;
}

/* The member of a field; its value is next. */
static hone_status read_member(jsonl_reader *r, hone_db_field_id id,
                               hone_error *err)
{
    hone_row *row = &r->import->row;
    hone_json_event event;

    HONE_TRY(hone__json_next(r->json, &event, err));
    if (event.kind == HONE_JSON_NULL)
        return HONE_OK;
    if (event.kind == HONE_JSON_ARRAY || event.kind == HONE_JSON_OBJECT) {
        const size_t begin = event.begin;
        const hone_db_check_kind check = hone__db_fields[id].check;
        size_t end;

        if (check != HONE_DB_CHECK_LIST && check != HONE_DB_CHECK_OBJECT)
            return hone__fail(err, HONE_ERR_INPUT,
                              "'%s' cannot be a list or an object",
                              hone__db_fields[id].name);
        HONE_TRY(find_end(r, &end, err));
        if (id == HONE_DB_FIELD_counters) {
            hone__text_append(&r->counters, r->text.data + begin, end - begin);
            return HONE_OK;
        }
        return hone__row_set(row, id, r->text.data + begin, end - begin, err);
    }
    if (event.kind == HONE_JSON_TRUE || event.kind == HONE_JSON_FALSE)
        return hone__fail(err, HONE_ERR_INPUT,
                          "'%s' cannot be true or false; 1 and 0 are meant",
                          hone__db_fields[id].name);
    if ((event.kind == HONE_JSON_NUMBER) ==
            (hone__db_fields[id].type == HONE_DB_TEXT) &&
        !(event.kind == HONE_JSON_STRING && strcmp(event.text, "inf") == 0))
        return hone__fail(err, HONE_ERR_INPUT, "'%s' has to be a %s",
                          hone__db_fields[id].name,
                          hone__db_fields[id].type == HONE_DB_TEXT ? "text"
                                                                   : "number");
    if (id == HONE_DB_FIELD_counters) {
        hone__text_append(&r->counters, event.text, event.length);
        return HONE_OK;
    }
    return hone__row_set(row, id, event.text, event.length, err);
}

static hone_status read_format(jsonl_reader *r, hone_error *err)
{
    hone_json_event event;

    HONE_TRY(hone__json_next(r->json, &event, err));
    r->has_format = event.kind == HONE_JSON_STRING &&
                    strcmp(event.text, HONE_TRIALS_FORMAT) == 0;
    return r->has_format
               ? HONE_OK
               : hone__fail(err, HONE_ERR_INPUT,
                            "'format' is not %s, which is what this hone reads",
                            HONE_TRIALS_FORMAT);
}

static hone_status read_object(jsonl_reader *r, hone_error *err)
{
    hone_json_event event;
    size_t guess = 0;

    HONE_TRY(
        hone__json_expect(r->json, HONE_JSON_OBJECT, "an object", &event, err));
    for (;;) {
        hone_db_field_id id;

        HONE_TRY(hone__json_next(r->json, &event, err));
        if (event.kind == HONE_JSON_OBJECT_END)
            break;
        if (strcmp(event.text, "format") == 0) {
            HONE_TRY(read_format(r, err));
            continue;
        }
        id = hone__field_find(event.text, event.length, guess);
        if (id == HONE_DB_N_FIELDS)
            return hone__fail(err, HONE_ERR_INPUT, "there is no member '%.60s'",
                              event.text);
        if (r->given[id]++)
            return hone__fail(err, HONE_ERR_INPUT, "'%s' is there twice",
                              hone__db_fields[id].name);
        guess = (size_t)id + 1;
        HONE_TRY(read_member(r, id, err));
    }
    if (!r->has_format)
        return hone__fail(err, HONE_ERR_INPUT, "'format' is missing");
    return hone__json_next(r->json, &event, err); /* there is no more */
}

/* The sentence of a mistake in the JSON without its own place. */
static hone_status locate(const jsonl_reader *r, int64_t line,
                          const hone_error *inner, hone_error *err)
{
    int at_line = 0, column = 0;
    const char *mistake = hone__json_mistake(r->json, &at_line, &column);

    if (mistake && *mistake)
        return hone__import_fail(r->import, line, err, "column %d: %s", column,
                                 mistake);
    return hone__import_fail(r->import, line, err, "%s", inner->text);
}

static hone_status read_line(jsonl_reader *r, int64_t line, hone_error *err)
{
    hone_error inner = {0};
    hone_status status;

    hone__row_clear(&r->import->row);
    hone__text_clear(&r->counters);
    memset(r->given, 0, sizeof r->given);
    r->has_format = 0;
    status = hone__json_open_text("", r->text.data, r->text.length, &r->json,
                                  &inner);
    if (status == HONE_OK)
        status = read_object(r, &inner);
    if (status == HONE_ERR_INPUT)
        status = locate(r, line, &inner, err);
    else if (status != HONE_OK && err)
        *err = inner;
    hone__json_close(r->json);
    r->json = NULL;
    HONE_TRY(status);
    HONE_TRY(hone__import_put(r->import, line, err));
    return r->counters.length
               ? hone__import_counters(r->import, line, r->counters.data,
                                       r->counters.length, err)
               : HONE_OK;
}

static hone_status read_lines(jsonl_reader *r, hone_error *err)
{
    for (;;) {
        const int64_t line = r->lines.line;
        int is_there, has_end;

        HONE_TRY(
            hone__lines_read(&r->lines, &r->text, &is_there, &has_end, err));
        if (!is_there)
            return HONE_OK;
        if (r->text.length)
            HONE_TRY(read_line(r, line, err));
    }
}

hone_status hone__read_jsonl(hone_import *import, hone_error *err)
{
    jsonl_reader *r = hone__alloc(sizeof *r);
    hone_status status;

    if (!r)
        return hone__out_of_memory(err, "");
    r->import = import;
    status = hone__lines_open(import->path, &r->lines, err);
    if (status == HONE_OK)
        status = read_lines(r, err);
    hone__lines_close(&r->lines);
    hone__text_free(&r->text);
    hone__text_free(&r->counters);
    hone__free(r);
    return status;
}
