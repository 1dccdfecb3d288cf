/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of json_reader.h: a small state machine with one byte of stack
 * per level. The bytes are zlib's, which reads plain files too. */
#include "gen/json/json_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER_BYTES = 1 << 16 };

static hone_status out_of_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

/* ---- bytes -------------------------------------------------------------- */

/* NULL if memory ran out. */
static hone_json_reader *make_reader(const char *name)
{
    hone_json_reader *reader = hone__alloc(sizeof *reader);

    if (!reader)
        return NULL;
    reader->path = hone__strdup(name);
    reader->line = reader->column = 1;
    reader->event_line = reader->event_column = 1;
    if (reader->path)
        return reader;
    hone__json_close(reader);
    return NULL;
}

hone_status hone__gz_open(const char *path, struct gzFile_s **out,
                          hone_error *err)
{
    hone_error why = {0};
    int fd;
    const hone_status status =
        hone__file_open(path, HONE_MOST_RECORDING_BYTES, &fd, &why);

    *out = NULL;
    if (status != HONE_OK)
        return hone__fail_native(
            err, why.native == ENOENT ? HONE_ERR_NOT_FOUND : status, why.domain,
            why.native, "%s", why.text);
    *out = gzdopen(fd, "rb");
    if (*out)
        return HONE_OK;
    (void)close(fd);
    return out_of_memory(err);
}

hone_status hone__json_open(const char *path, hone_json_reader **out,
                            hone_error *err)
{
    hone_json_reader *reader = make_reader(path);
    hone_status status = HONE_OK;

    *out = reader;
    if (reader)
        reader->buffer = reader->own_buffer = hone__alloc(BUFFER_BYTES);
    if (!reader || !reader->buffer)
        status = out_of_memory(err);
    else
        status = hone__gz_open(path, &reader->file, err);
    if (status == HONE_OK)
        return HONE_OK;
    hone__json_close(reader);
    *out = NULL;
    return status;
}

hone_status hone__json_open_text(const char *name, const char *text,
                                 size_t length, hone_json_reader **out,
                                 hone_error *err)
{
    *out = make_reader(name);
    if (!*out)
        return out_of_memory(err);
    (*out)->buffer = text;
    (*out)->n = length;
    (*out)->ended = 1;
    return HONE_OK;
}

void hone__json_close(hone_json_reader *reader)
{
    if (!reader)
        return;
    if (reader->file)
        (void)gzclose(reader->file);
    hone__free(reader->own_buffer);
    hone__free(reader->path);
    hone__text_free(&reader->text);
    hone__free(reader);
}

void hone__json_broken(hone_json_reader *reader, const char *format, ...)
{
    va_list arguments;

    if (reader->error.status != HONE_OK)
        return;
    va_start(arguments, format);
    (void)vsnprintf(reader->sentence, sizeof reader->sentence, format,
                    arguments);
    va_end(arguments);
    (void)hone__fail(&reader->error, HONE_ERR_INPUT, "%s:%lld:%lld: %s",
                     reader->path, reader->line, reader->column,
                     reader->sentence);
}

void hone__json_refill(hone_json_reader *reader)
{
    const int n = gzread(reader->file, reader->own_buffer, BUFFER_BYTES);
    int code = Z_OK;
    const char *message;

    reader->before += reader->n;
    reader->at = 0;
    reader->n = n > 0 ? (size_t)n : 0;
    if (reader->n)
        return;
    reader->ended = 1;
    message = gzerror(reader->file, &code);
    if (code == Z_ERRNO)
        hone__json_broken(reader, "the file cannot be read: %s",
                          strerror(errno));
    else if (code == Z_BUF_ERROR)
        hone__json_broken(reader, "the gzip file is truncated; copy it again");
    else if (code != Z_OK && code != Z_STREAM_END)
        hone__json_broken(
            reader, "the gzip file is damaged (%s); copy it again", message);
}

int hone__json_ended_early(const hone_json_reader *reader)
{
    return reader->ended_early;
}

const char *hone__json_mistake(const hone_json_reader *reader, int *out_line,
                               int *out_column)
{
    *out_line = (int)reader->line;
    *out_column = (int)reader->column;
    return reader->sentence;
}

/* ---- pieces ------------------------------------------------------------- */

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
    reader->want =
        reader->depth ? HONE_JSON_WANT_COMMA : HONE_JSON_WANT_NOTHING;
    reader->may_close = reader->depth > 0;
}

static void open_level(hone_json_reader *reader, int c, hone_json_event *out)
{
    if (reader->depth == HONE_JSON_DEPTH) {
        hone__json_broken(reader, "values are nested more than %d deep",
                          HONE_JSON_DEPTH);
        return;
    }
    hone__json_advance(reader);
    reader->closer[reader->depth++] = c == '{' ? '}' : ']';
    reader->want = c == '{' ? HONE_JSON_WANT_KEY : HONE_JSON_WANT_VALUE;
    reader->may_close = 1;
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
    reader->want = HONE_JSON_WANT_VALUE;
    reader->may_close = 0;
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

    if (reader->want == HONE_JSON_WANT_COMMA && c == ',') {
        hone__json_advance(reader);
        reader->want =
            closer == '}' ? HONE_JSON_WANT_KEY : HONE_JSON_WANT_VALUE;
        reader->may_close = 0;
        c = next_visible(reader);
    }
    out->line = reader->event_line = reader->line;
    out->column = reader->event_column = reader->column;
    out->begin = reader->before + reader->at;
    if (reader->may_close && c == closer)
        close_level(reader, c, out);
    else if (reader->want == HONE_JSON_WANT_COMMA)
        hone__json_unexpected(reader, c,
                              closer == '}' ? "',' or '}'" : "',' or ']'");
    else if (reader->want == HONE_JSON_WANT_KEY)
        key_event(reader, c, out);
    else if (reader->want == HONE_JSON_WANT_VALUE)
        value_event(reader, c, out);
    else if (c != HONE_END_OF_BYTES)
        hone__json_unexpected(reader, c, "nothing after the value");
}

hone_status hone__json_next(hone_json_reader *reader, hone_json_event *out,
                            hone_error *err)
{
    *out = (hone_json_event){.kind = HONE_JSON_END};
    if (reader->error.status == HONE_OK)
        event(reader, out);
    if (reader->error.status == HONE_OK)
        (void)hone__text_check(&reader->text, &reader->error);
    if (reader->error.status != HONE_OK) {
        if (err)
            *err = reader->error;
        return reader->error.status;
    }
    out->text = hone__text_str(&reader->text);
    out->length = reader->text.length;
    out->end = reader->before + reader->at;
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
    return hone__fail(err, HONE_ERR_INPUT, "%s:%lld:%lld: %s", reader->path,
                      reader->event_line, reader->event_column, sentence);
}

/* ---- the tree ----------------------------------------------------------- */

/* `event` is the value, or begins it. The reader bounds how deep this goes. */
static hone_status read_value(hone_json_reader *reader, hone_arena *arena,
                              hone_json_event event, hone_json_tree *out,
                              hone_error *err)
{
    const int is_object = event.kind == HONE_JSON_OBJECT;
    const size_t begin = event.begin;
    const size_t quote = event.kind == HONE_JSON_STRING;
    hone_json_tree **link = &out->first;

    out->kind = event.kind;
    out->line = (int)event.line;
    out->column = (int)event.column + (int)quote;
    out->width = is_object ? 1 : event.end - event.begin - 2 * quote;
    if (!is_object && event.kind != HONE_JSON_ARRAY) {
        out->text = hone__arena_strndup(arena, event.text, event.length);
        out->length = event.length;
        out->is_plain = quote && out->width == event.length;
        return out->text ? HONE_OK : out_of_memory(err);
    }
    for (;;) {
        hone_json_tree *item;

        HONE_TRY(hone__json_next(reader, &event, err));
        out->width = is_object ? 1 : event.end - begin;
        if (event.kind == HONE_JSON_OBJECT_END ||
            event.kind == HONE_JSON_ARRAY_END)
            return HONE_OK;
        item = hone__arena_alloc(arena, sizeof *item);
        if (!item)
            return out_of_memory(err);
        if (is_object) {
            item->key = hone__arena_strndup(arena, event.text, event.length);
            if (!item->key)
                return out_of_memory(err);
            HONE_TRY(hone__json_next(reader, &event, err));
        }
        HONE_TRY(read_value(reader, arena, event, item, err));
        *link = item;
        link = &item->next;
        ++out->n;
    }
}

hone_status hone__json_tree_read(hone_json_reader *reader, hone_arena *arena,
                                 hone_json_tree **out, hone_error *err)
{
    hone_json_event event;

    *out = hone__arena_alloc(arena, sizeof **out);
    if (!*out)
        return out_of_memory(err);
    HONE_TRY(hone__json_next(reader, &event, err));
    HONE_TRY(read_value(reader, arena, event, *out, err));
    return hone__json_next(reader, &event, err); /* that nothing follows */
}

const hone_json_tree *hone__json_tree_find(const hone_json_tree *object,
                                           const char *key)
{
    const hone_json_tree *item;

    if (!object || object->kind != HONE_JSON_OBJECT)
        return NULL;
    item = object->first;
    while (item && strcmp(item->key, key) != 0)
        item = item->next;
    return item;
}
