/* SPDX-License-Identifier: Apache-2.0 */
/* What json_reader.c, which reads bytes and pieces, and json_words.c, which
 * reads strings, numbers and words, share. Private to them. */
#ifndef HONE_GEN_JSON_PARTS_H
#define HONE_GEN_JSON_PARTS_H

#include "gen/json/json_reader.h"
#include "runtime/base/text.h"

enum { HONE_JSON_DEPTH = 64, HONE_END_OF_BYTES = -1 };

/* What comes next. */
typedef enum hone_json_want {
    HONE_JSON_WANT_VALUE,
    HONE_JSON_WANT_KEY,
    HONE_JSON_WANT_COMMA,
    HONE_JSON_WANT_NOTHING /* after the one value */
} hone_json_want;

struct hone_json_reader {
    char *path;
    struct gzFile_s *file; /* NULL: `buffer` is all there is */
    char *own_buffer;
    const char *buffer;
    size_t at;
    size_t n;
    size_t before; /* bytes that came before the buffer */
    int ended;     /* the file has no more bytes */
    long long line;
    long long column;     /* of the next byte */
    long long event_line; /* of the last event */
    long long event_column;
    hone_json_want want;
    int may_close; /* or the level ends */
    int depth;
    char closer[HONE_JSON_DEPTH]; /* '}' or ']' per level */
    hone_text text;
    hone_error error;   /* the first failure */
    char sentence[512]; /* of a mistake in the text, without its place */
    int ended_early;
};

/* Read on. A file that is damaged or truncated is a failure. */
void hone__json_refill(hone_json_reader *reader);
/* Keep "FILE:LINE:COLUMN: SENTENCE" for the next byte, unless there is a
 * failure already. */
void hone__json_broken(hone_json_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- json_words.c --- */
/* This byte (or HONE_END_OF_BYTES) is not what was wanted. */
void hone__json_unexpected(hone_json_reader *reader, int c, const char *wanted);
/* The quote comes next; into reader->text. */
void hone__json_read_string(hone_json_reader *reader);
/* A number or a bare word comes next. */
void hone__json_read_word(hone_json_reader *reader, hone_json_event *out);

/* The next byte, which stays. */
static inline int hone__json_peek(hone_json_reader *reader)
{
    if (reader->at == reader->n && !reader->ended)
        hone__json_refill(reader);
    return reader->at < reader->n ? (unsigned char)reader->buffer[reader->at]
                                  : HONE_END_OF_BYTES;
}

/* Past the byte that was peeked at. */
static inline void hone__json_advance(hone_json_reader *reader)
{
    const int is_line = reader->buffer[reader->at++] == '\n';

    reader->line += is_line;
    reader->column = is_line ? 1 : reader->column + 1;
}

#endif
