/* SPDX-License-Identifier: Apache-2.0 */
/* What json_reader.c, which reads pieces, and json_words.c, which reads
 * strings, numbers and words, share. Private to them. */
#ifndef HONE_GEN_JSON_PARTS_H
#define HONE_GEN_JSON_PARTS_H

#include "gen/json/json_bytes.h"
#include "gen/json/json_reader.h"
#include "runtime/base/text.h"

enum { HONE_JSON_DEPTH = 64 };

/* What may come next. */
typedef enum hone_json_state {
    HONE_JSON_WANT_VALUE,
    HONE_JSON_WANT_VALUE_OR_END, /* after [ */
    HONE_JSON_WANT_KEY,          /* after a comma in an object */
    HONE_JSON_WANT_KEY_OR_END,   /* after { */
    HONE_JSON_WANT_COMMA_OR_END,
    HONE_JSON_WANT_NOTHING /* after the one value */
} hone_json_state;

struct hone_json_reader {
    hone_bytes bytes;
    long long event_line; /* of the last event */
    long long event_column;
    hone_json_state state;
    int depth;
    char closer[HONE_JSON_DEPTH]; /* '}' or ']' per level */
    hone_text text;
    int ended_early;
};

/* --- json_words.c --- */
/* Break the text: it ends here, or this byte (or HONE_END_OF_BYTES) is not what
 * was wanted. */
void hone__json_too_short(hone_json_reader *reader, const char *what);
void hone__json_unexpected(hone_json_reader *reader, int c, const char *wanted);
/* The quote comes next; into reader->text. */
void hone__json_read_string(hone_json_reader *reader);
/* A number or a bare word comes next. */
void hone__json_read_word(hone_json_reader *reader, hone_json_event *out);

static inline int hone__json_peek(hone_json_reader *reader)
{
    return hone__bytes_peek(&reader->bytes);
}

static inline void hone__json_advance(hone_json_reader *reader)
{
    hone__bytes_advance(&reader->bytes);
}

#endif
