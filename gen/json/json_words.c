/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, numbers and words of JSON: see json_parts.h. */
#include "gen/json/json_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORD_BYTES = 4096 }; /* what is longer is no number */

static void too_short(hone_json_reader *reader, const char *what)
{
    if (reader->error.status == HONE_OK)
        reader->ended_early = 1;
    hone__json_broken(reader, "the text ends %s", what);
}

void hone__json_unexpected(hone_json_reader *reader, int c, const char *wanted)
{
    if (c == HONE_END_OF_BYTES)
        too_short(reader, "too early");
    else if (c > ' ' && c < 0x7f)
        hone__json_broken(reader, "this is not JSON: expected %s, not '%c'",
                          wanted, c);
    else
        hone__json_broken(reader,
                          "this is not JSON: expected %s, not byte 0x%02x",
                          wanted, (unsigned)c);
}

static void put_utf8(hone_text *out, unsigned c)
{
    static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
    const int n_more = (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
    char bytes[4];

    bytes[0] = (char)(lead[n_more] | c >> 6 * n_more);
    for (int i = 1; i <= n_more; ++i)
        bytes[i] = (char)(0x80 | (c >> 6 * (n_more - i) & 0x3f));
    hone__text_append(out, bytes, (size_t)n_more + 1);
}

/* Four hex digits. */
static unsigned read_hex(hone_json_reader *reader)
{
    unsigned value = 0;

    for (int i = 0; i < 4; ++i) {
        const int c = hone__json_peek(reader);

        if (c < 0 || !isxdigit(c)) {
            hone__json_unexpected(reader, c, "a hex digit");
            return 0;
        }
        value =
            value << 4 | (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        hone__json_advance(reader);
    }
    return value;
}

/* After \u. A pair of surrogates is one character; half a pair is replaced, but
 * for \udc80 to \udcff, which are bytes that are not UTF-8 (Python's
 * surrogateescape, and hone's own files of trials). */
static void read_unicode(hone_json_reader *reader)
{
    unsigned c = read_hex(reader);

    if (c >= 0xd800 && c < 0xdc00 && hone__json_peek(reader) == '\\') {
        unsigned low;

        hone__json_advance(reader);
        if (hone__json_peek(reader) != 'u') {
            hone__json_unexpected(reader, hone__json_peek(reader),
                                  "the second half of a pair");
            return;
        }
        hone__json_advance(reader);
        low = read_hex(reader);
        c = low >= 0xdc00 && low < 0xe000
                ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00)
                : 0xfffd;
    }
    if (c >= 0xdc80 && c <= 0xdcff) {
        const char byte = (char)(c & 0xff);

        hone__text_append(&reader->text, &byte, 1);
        return;
    }
    if (c == 0 || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        c = 0xfffd;
    put_utf8(&reader->text, c);
}

static void read_escape(hone_json_reader *reader)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const int c = hone__json_peek(reader);
    const char *at;

    if (c == 'u') {
        hone__json_advance(reader);
        read_unicode(reader);
        return;
    }
    at = c > 0 ? strchr(from, c) : NULL;
    if (!at) {
        hone__json_unexpected(reader, c, "an escape");
        return;
    }
    hone__json_advance(reader);
    hone__text_append(&reader->text, &to[at - from], 1);
}

void hone__json_read_string(hone_json_reader *reader)
{
    hone__text_clear(&reader->text);
    hone__json_advance(reader);
    while (reader->error.status == HONE_OK) {
        const int c = hone__json_peek(reader);
        const char *begin = reader->buffer + reader->at;
        size_t n = 0;

        while (reader->at + n < reader->n && (unsigned char)begin[n] >= ' ' &&
               begin[n] != '"' && begin[n] != '\\')
            ++n;
        hone__text_append(&reader->text, begin, n);
        reader->at += n;
        reader->column += (long long)n;
        if (reader->text.length > HONE_MOST_STRING_BYTES)
            hone__json_broken(reader, "this string is longer than %d MiB",
                              HONE_MOST_STRING_BYTES >> 20);
        if (n)
            continue;
        if (c == HONE_END_OF_BYTES) {
            too_short(reader, "inside a string");
        } else if (c < ' ') {
            hone__json_unexpected(reader, c,
                                  "no control character in a string");
        } else {
            hone__json_advance(reader);
            if (c == '"')
                return;
            read_escape(reader);
        }
    }
}

/* A number or a bare word, up to what cannot belong to it. */
static void read_word(hone_json_reader *reader)
{
    int c = hone__json_peek(reader);

    hone__text_clear(&reader->text);
    while (c > 0 && c < 0x80 && (isalnum(c) || strchr("+-.", c)) &&
           reader->text.length < MOST_WORD_BYTES) {
        hone__text_append(&reader->text, reader->buffer + reader->at, 1);
        hone__json_advance(reader);
        c = hone__json_peek(reader);
    }
    if (c == HONE_END_OF_BYTES && reader->depth) /* is it whole? */
        too_short(reader, "inside a value");
}

/* -?digits[.digits][e[+-]digits] */
static int is_number(const char *text, double *out)
{
    const char *digits = text + (*text == '-');
    const char *dot = strchr(digits, '.');
    char *end;

    *out = strtod(text, &end);
    return !*end && !digits[strspn(digits, "0123456789.eE+-")] &&
           isdigit((unsigned char)*digits) &&
           !(digits[0] == '0' && isdigit((unsigned char)digits[1])) &&
           !(dot && !isdigit((unsigned char)dot[1]));
}

void hone__json_read_word(hone_json_reader *reader, hone_json_event *out)
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
    const char *text;

    read_word(reader);
    text = hone__text_str(&reader->text);
    if (is_number(text, &out->number)) {
        out->kind = HONE_JSON_NUMBER;
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strcmp(words[i].word, text) == 0) {
            out->kind = words[i].kind;
            out->number = words[i].number;
            return;
        }
    }
    reader->line = reader->event_line;
    reader->column = reader->event_column;
    hone__json_broken(reader, "this is not JSON: '%.40s' is not a value", text);
}
