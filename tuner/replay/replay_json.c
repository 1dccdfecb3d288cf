/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of replay_json.h: a small state machine with one byte of stack
 * per level. */
#include "tuner/replay/replay_json.h"

#include "runtime/base/alloc.h"
#include "runtime/base/text.h"
#include "tuner/replay/replay_bytes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

/* What may come next. */
typedef enum reader_state {
    WANT_VALUE,
    WANT_VALUE_OR_END, /* after [ */
    WANT_KEY,          /* after a comma in an object */
    WANT_KEY_OR_END,   /* after { */
    WANT_COMMA_OR_END,
    WANT_NOTHING /* after the one value */
} reader_state;

struct hone_json_reader {
    hone_bytes bytes;
    long long event_line; /* of the last event */
    long long event_column;
    reader_state state;
    int depth;
    char closer[MAX_DEPTH]; /* '}' or ']' per level */
    hone_text text;
    int ended_early;
};

hone_status hone__json_open(const char *path, hone_json_reader **out,
                            hone_error *err)
{
    hone_json_reader *reader = hone__alloc(sizeof *reader);
    hone_status status;

    *out = NULL;
    if (!reader)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    status = hone__bytes_open(path, &reader->bytes, err);
    if (status != HONE_OK) {
        hone__json_close(reader);
        return status;
    }
    reader->event_line = 1;
    reader->event_column = 1;
    *out = reader;
    return HONE_OK;
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

static int peek(hone_json_reader *reader)
{
    return hone__bytes_peek(&reader->bytes);
}

static void advance(hone_json_reader *reader)
{
    hone__bytes_advance(&reader->bytes);
}

static void too_short(hone_json_reader *reader, const char *what)
{
    if (reader->bytes.error.status == HONE_OK)
        reader->ended_early = 1;
    hone__bytes_broken(&reader->bytes, "the text ends %s", what);
}

static void unexpected(hone_json_reader *reader, int c, const char *wanted)
{
    if (c == HONE_END_OF_BYTES)
        too_short(reader, "too early");
    else if (c > ' ' && c < 0x7f)
        hone__bytes_broken(&reader->bytes,
                           "this is not JSON: expected %s, not '%c'", wanted,
                           c);
    else
        hone__bytes_broken(&reader->bytes,
                           "this is not JSON: expected %s, not byte 0x%02x",
                           wanted, (unsigned)c);
}

/* ---- words --------------------------------------------------------------
 */

static void put_utf8(hone_text *out, unsigned c)
{
    char bytes[4];
    size_t n = 0;

    if (c < 0x80) {
        bytes[n++] = (char)c;
    } else if (c < 0x800) {
        bytes[n++] = (char)(0xc0 | c >> 6);
        bytes[n++] = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        bytes[n++] = (char)(0xe0 | c >> 12);
        bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
        bytes[n++] = (char)(0x80 | (c & 0x3f));
    } else {
        bytes[n++] = (char)(0xf0 | c >> 18);
        bytes[n++] = (char)(0x80 | (c >> 12 & 0x3f));
        bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
        bytes[n++] = (char)(0x80 | (c & 0x3f));
    }
    hone__text_append(out, bytes, n);
}

/* Four hex digits. */
static unsigned read_hex(hone_json_reader *reader)
{
    unsigned value = 0;

    for (int i = 0; i < 4; ++i) {
        const int c = peek(reader);
        unsigned digit;

        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (unsigned)((c | 0x20) - 'a') + 10;
        else {
            unexpected(reader, c, "a hex digit");
            return 0;
        }
        value = value << 4 | digit;
        advance(reader);
    }
    return value;
}

/* After \u. A pair of surrogates is one character; half a pair is replaced.
 */
static void read_unicode(hone_json_reader *reader)
{
    unsigned c = read_hex(reader);

    if (c >= 0xd800 && c < 0xdc00 && peek(reader) == '\\') {
        unsigned low;

        advance(reader);
        if (peek(reader) != 'u') {
            unexpected(reader, peek(reader), "the second half of a pair");
            return;
        }
        advance(reader);
        low = read_hex(reader);
        c = low >= 0xdc00 && low < 0xe000
                ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00)
                : 0xfffd;
    }
    if (c == 0 || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        c = 0xfffd;
    put_utf8(&reader->text, c);
}

static void read_escape(hone_json_reader *reader)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const int c = peek(reader);
    const char *at;

    if (c == 'u') {
        advance(reader);
        read_unicode(reader);
        return;
    }
    at = c > 0 ? strchr(from, c) : NULL;
    if (!at) {
        unexpected(reader, c, "an escape");
        return;
    }
    advance(reader);
    hone__text_append(&reader->text, &to[at - from], 1);
}

static void read_string(hone_json_reader *reader)
{
    hone__text_clear(&reader->text);
    advance(reader);
    while (reader->bytes.error.status == HONE_OK) {
        int c = peek(reader);
        const size_t start = reader->bytes.at;

        while (reader->bytes.at < reader->bytes.n && c >= ' ' && c != '"' &&
               c != '\\') {
            ++reader->bytes.at;
            c = reader->bytes.at < reader->bytes.n
                    ? (unsigned char)reader->bytes.buffer[reader->bytes.at]
                    : '"';
        }
        if (reader->bytes.at > start) { /* a run of plain characters */
            hone__text_append(&reader->text, reader->bytes.buffer + start,
                              reader->bytes.at - start);
            reader->bytes.column += (long long)(reader->bytes.at - start);
            continue;
        }
        if (c == HONE_END_OF_BYTES) {
            too_short(reader, "inside a string");
        } else if (c < ' ') {
            unexpected(reader, c, "no control character in a string");
        } else {
            advance(reader);
            if (c == '"')
                return;
            if (c == '\\')
                read_escape(reader);
        }
    }
}

/* A number or a bare word, up to what cannot belong to it. */
static void read_word(hone_json_reader *reader)
{
    int c = peek(reader);

    hone__text_clear(&reader->text);
    while ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
           (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        const char byte = (char)c;

        hone__text_append(&reader->text, &byte, 1);
        advance(reader);
        c = peek(reader);
    }
    if (c == HONE_END_OF_BYTES && reader->depth) /* is it whole? */
        too_short(reader, "inside a value");
}

/* -?digits[.digits][e[+-]digits] */
static int is_number(const char *text)
{
    size_t n;

    text += *text == '-';
    n = strspn(text, "0123456789");
    if (n == 0 || (n > 1 && *text == '0'))
        return 0;
    text += n;
    if (*text == '.') {
        n = strspn(++text, "0123456789");
        if (n == 0)
            return 0;
        text += n;
    }
    if (*text == 'e' || *text == 'E') {
        ++text;
        text += *text == '-' || *text == '+';
        n = strspn(text, "0123456789");
        if (n == 0)
            return 0;
        text += n;
    }
    return *text == '\0';
}

static void word_event(hone_json_reader *reader, hone_json_event *out)
{
    static const struct {
        const char *word;
        hone_json_kind kind;
        double number;
    } words[] = {
        {"true", HONE_JSON_TRUE, 1},
        {"false", HONE_JSON_FALSE, 0},
        {"null", HONE_JSON_NULL, 0},
        {"NaN", HONE_JSON_NUMBER, NAN},
        {"Infinity", HONE_JSON_NUMBER, HUGE_VAL},
        {"-Infinity", HONE_JSON_NUMBER, -HUGE_VAL},
    };
    const char *text = hone__text_str(&reader->text);

    if (is_number(text)) {
        out->kind = HONE_JSON_NUMBER;
        out->number = strtod(text, NULL);
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strcmp(words[i].word, text) == 0) {
            out->kind = words[i].kind;
            out->number = words[i].number;
            return;
        }
    }
    reader->bytes.line = reader->event_line;
    reader->bytes.column = reader->event_column;
    hone__bytes_broken(&reader->bytes,
                       "this is not JSON: '%.40s' is not a value", text);
}

/* ---- pieces -------------------------------------------------------------
 */

static int next_visible(hone_json_reader *reader)
{
    int c = peek(reader);

    while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        advance(reader);
        c = peek(reader);
    }
    return c;
}

static void after_value(hone_json_reader *reader)
{
    reader->state = reader->depth ? WANT_COMMA_OR_END : WANT_NOTHING;
}

static void open_level(hone_json_reader *reader, int c, hone_json_event *out)
{
    if (reader->depth == MAX_DEPTH) {
        hone__bytes_broken(&reader->bytes,
                           "values are nested more than %d deep", MAX_DEPTH);
        return;
    }
    advance(reader);
    reader->closer[reader->depth++] = c == '{' ? '}' : ']';
    reader->state = c == '{' ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
    out->kind = c == '{' ? HONE_JSON_OBJECT : HONE_JSON_ARRAY;
}

static void close_level(hone_json_reader *reader, int c, hone_json_event *out)
{
    advance(reader);
    --reader->depth;
    out->kind = c == '}' ? HONE_JSON_OBJECT_END : HONE_JSON_ARRAY_END;
    after_value(reader);
}

static void key_event(hone_json_reader *reader, int c, hone_json_event *out)
{
    if (c != '"') {
        unexpected(reader, c, "a name in quotes");
        return;
    }
    read_string(reader);
    out->kind = HONE_JSON_KEY;
    c = next_visible(reader);
    if (c != ':')
        unexpected(reader, c, "':'");
    else
        advance(reader);
    reader->state = WANT_VALUE;
}

static void value_event(hone_json_reader *reader, int c, hone_json_event *out)
{
    if (c == '{' || c == '[') {
        open_level(reader, c, out);
        return;
    }
    if (c == '"') {
        read_string(reader);
        out->kind = HONE_JSON_STRING;
    } else if (c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
               (c >= 'A' && c <= 'Z')) {
        read_word(reader);
        word_event(reader, out);
    } else {
        unexpected(reader, c, "a value");
    }
    after_value(reader);
}

static void event(hone_json_reader *reader, hone_json_event *out)
{
    int c = next_visible(reader);
    const char closer = reader->depth ? reader->closer[reader->depth - 1] : 0;

    if (reader->state == WANT_COMMA_OR_END && c == ',') {
        advance(reader);
        reader->state = closer == '}' ? WANT_KEY : WANT_VALUE;
        c = next_visible(reader);
    }
    reader->event_line = reader->bytes.line;
    reader->event_column = reader->bytes.column;
    switch (reader->state) {
    case WANT_NOTHING:
        if (c != HONE_END_OF_BYTES)
            unexpected(reader, c, "nothing after the value");
        break;
    case WANT_COMMA_OR_END:
        if (c == closer)
            close_level(reader, c, out);
        else
            unexpected(reader, c, closer == '}' ? "',' or '}'" : "',' or ']'");
        break;
    case WANT_KEY_OR_END:
        if (c == closer) {
            close_level(reader, c, out);
            break;
        }
        key_event(reader, c, out);
        break;
    case WANT_KEY:
        key_event(reader, c, out);
        break;
    case WANT_VALUE_OR_END:
        if (c == closer) {
            close_level(reader, c, out);
            break;
        }
        value_event(reader, c, out);
        break;
    case WANT_VALUE:
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
