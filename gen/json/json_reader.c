/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of json_reader.h: a small state machine with one byte of stack
 * per level. */
#include "gen/json/json_parts.h"

#include "runtime/base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* `text` NULL: the file is read. */
static hone_status open_bytes(const char *name, const char *text, size_t length,
                              hone_json_reader **out, hone_error *err)
{
    hone_json_reader *reader = hone__alloc(sizeof *reader);
    hone_status status;

    *out = NULL;
    if (!reader)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    status =
        text ? hone__bytes_open_text(name, text, length, &reader->bytes, err)
             : hone__bytes_open(name, &reader->bytes, err);
    if (status != HONE_OK) {
        hone__json_close(reader);
        return status;
    }
    reader->event_line = 1;
    reader->event_column = 1;
    *out = reader;
    return HONE_OK;
}

hone_status hone__json_open(const char *path, hone_json_reader **out,
                            hone_error *err)
{
    return open_bytes(path, NULL, 0, out, err);
}

hone_status hone__json_open_text(const char *name, const char *text,
                                 size_t length, hone_json_reader **out,
                                 hone_error *err)
{
    return open_bytes(name, text, length, out, err);
}

void hone__json_close(hone_json_reader *reader)
{
    if (!reader)
        return;
    hone__bytes_close(&reader->bytes);
    hone__text_free(&reader->text);
    hone__free(reader);
}

int hone__json_ended_early(const hone_json_reader *reader)
{
    return reader->ended_early;
}

const char *hone__json_mistake(const hone_json_reader *reader, int *out_line,
                               int *out_column)
{
    *out_line = (int)reader->bytes.line;
    *out_column = (int)reader->bytes.column;
    return reader->bytes.sentence;
}

static size_t position(const hone_json_reader *reader)
{
    return reader->bytes.before + reader->bytes.at;
}

/* ---- pieces -------------------------------------------------------------
 */

static int next_visible(hone_json_reader *reader)
{
    int c = hone__json_peek(reader);

    while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        hone__json_advance(reader);
        c = hone__json_peek(reader);
    }
    return c;
}

static void after_value(hone_json_reader *reader)
{
    reader->state =
        reader->depth ? HONE_JSON_WANT_COMMA_OR_END : HONE_JSON_WANT_NOTHING;
}

static void open_level(hone_json_reader *reader, int c, hone_json_event *out)
{
    if (reader->depth == HONE_JSON_DEPTH) {
        hone__bytes_broken(&reader->bytes,
                           "values are nested more than %d deep",
                           HONE_JSON_DEPTH);
        return;
    }
    hone__json_advance(reader);
    reader->closer[reader->depth++] = c == '{' ? '}' : ']';
    reader->state =
        c == '{' ? HONE_JSON_WANT_KEY_OR_END : HONE_JSON_WANT_VALUE_OR_END;
    out->kind = c == '{' ? HONE_JSON_OBJECT : HONE_JSON_ARRAY;
}

static void close_level(hone_json_reader *reader, int c, hone_json_event *out)
{
    hone__json_advance(reader);
    --reader->depth;
    out->kind = c == '}' ? HONE_JSON_OBJECT_END : HONE_JSON_ARRAY_END;
    after_value(reader);
}

static void key_event(hone_json_reader *reader, int c, hone_json_event *out)
{
    if (c != '"') {
        hone__json_unexpected(reader, c, "a name in quotes");
        return;
    }
    hone__json_read_string(reader);
    out->kind = HONE_JSON_KEY;
    c = next_visible(reader);
    if (c != ':')
        hone__json_unexpected(reader, c, "':'");
    else
        hone__json_advance(reader);
    reader->state = HONE_JSON_WANT_VALUE;
}

static void value_event(hone_json_reader *reader, int c, hone_json_event *out)
{
    if (c == '{' || c == '[') {
        open_level(reader, c, out);
        return;
    }
    if (c == '"') {
        hone__json_read_string(reader);
        out->kind = HONE_JSON_STRING;
    } else if (c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
               (c >= 'A' && c <= 'Z')) {
        hone__json_read_word(reader, out);
    } else {
        hone__json_unexpected(reader, c, "a value");
    }
    after_value(reader);
}

static void event(hone_json_reader *reader, hone_json_event *out)
{
    int c = next_visible(reader);
    const char closer = reader->depth ? reader->closer[reader->depth - 1] : 0;

    if (reader->state == HONE_JSON_WANT_COMMA_OR_END && c == ',') {
        hone__json_advance(reader);
        reader->state =
            closer == '}' ? HONE_JSON_WANT_KEY : HONE_JSON_WANT_VALUE;
        c = next_visible(reader);
    }
    reader->event_line = reader->bytes.line;
    reader->event_column = reader->bytes.column;
    out->begin = position(reader);
    switch (reader->state) {
    case HONE_JSON_WANT_NOTHING:
        if (c != HONE_END_OF_BYTES)
            hone__json_unexpected(reader, c, "nothing after the value");
        break;
    case HONE_JSON_WANT_COMMA_OR_END:
        if (c == closer)
            close_level(reader, c, out);
        else
            hone__json_unexpected(reader, c,
                                  closer == '}' ? "',' or '}'" : "',' or ']'");
        break;
    case HONE_JSON_WANT_KEY_OR_END:
        if (c == closer) {
            close_level(reader, c, out);
            break;
        }
        key_event(reader, c, out);
        break;
    case HONE_JSON_WANT_KEY:
        key_event(reader, c, out);
        break;
    case HONE_JSON_WANT_VALUE_OR_END:
        if (c == closer) {
            close_level(reader, c, out);
            break;
        }
        value_event(reader, c, out);
        break;
    case HONE_JSON_WANT_VALUE:
        value_event(reader, c, out);
        break;
    }
}

hone_status hone__json_next(hone_json_reader *reader, hone_json_event *out,
                            hone_error *err)
{
    *out = (hone_json_event){.kind = HONE_JSON_END};
    if (reader->bytes.error.status == HONE_OK)
        event(reader, out);
    if (reader->bytes.error.status == HONE_OK)
        (void)hone__text_check(&reader->text, &reader->bytes.error);
    if (reader->bytes.error.status != HONE_OK) {
        if (err)
            *err = reader->bytes.error;
        return reader->bytes.error.status;
    }
    out->text = hone__text_str(&reader->text);
    out->length = reader->text.length;
    out->end = position(reader);
    return HONE_OK;
}

hone_status hone__json_skip(hone_json_reader *reader,
                            const hone_json_event *begin, hone_error *err)
{
    const int depth = reader->depth;
    hone_json_event event;

    if (begin->kind != HONE_JSON_OBJECT && begin->kind != HONE_JSON_ARRAY)
        return HONE_OK;
    while (reader->depth >= depth)
        HONE_TRY(hone__json_next(reader, &event, err));
    return HONE_OK;
}

hone_status hone__json_expect(hone_json_reader *reader, hone_json_kind kind,
                              const char *what, hone_json_event *out,
                              hone_error *err)
{
    HONE_TRY(hone__json_next(reader, out, err));
    if (out->kind != kind)
        return hone__json_fail(reader, err, "expected %s", what);
    return HONE_OK;
}

hone_status hone__json_fail(const hone_json_reader *reader, hone_error *err,
                            const char *format, ...)
{
    char sentence[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return hone__fail(err, HONE_ERR_INPUT, "%s:%lld:%lld: %s",
                      reader->bytes.path, reader->event_line,
                      reader->event_column, sentence);
}
