/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file, plain or compressed with gzip, or of a text, with the
 * place of each for messages. Keeps the first failure. Private to gen/json. */
#ifndef HONE_GEN_JSON_BYTES_H
#define HONE_GEN_JSON_BYTES_H

#include "runtime/base/error.h"

#include <stddef.h>

enum { HONE_END_OF_BYTES = -1 };

typedef struct hone_bytes {
    char *path;
    struct gzFile_s *file; /* NULL: `buffer` is all there is */
    char *own_buffer;
    const char *buffer;
    size_t at;
    size_t n;
    size_t before; /* bytes that came before the buffer */
    long long line;
    long long column;   /* of the next byte */
    int ended;          /* the file has no more bytes */
    hone_error error;   /* the first failure */
    char sentence[512]; /* of a mistake in the text, without its place */
} hone_bytes;

/* HONE_ERR_NOT_FOUND, HONE_ERR_IO, HONE_ERR_NO_MEMORY. Close it also after a
 * failure. */
hone_status hone__bytes_open(const char *path, hone_bytes *out,
                             hone_error *err);
/* A text that stays where it is; `name` is what messages call it. */
hone_status hone__bytes_open_text(const char *name, const char *text,
                                  size_t length, hone_bytes *out,
                                  hone_error *err);
void hone__bytes_close(hone_bytes *bytes);

/* Read on. A file that is damaged or truncated is a failure. */
void hone__bytes_refill(hone_bytes *bytes);
/* Keep "FILE:LINE:COLUMN: SENTENCE" for the next byte, unless there is a
 * failure already. */
void hone__bytes_broken(hone_bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The next byte, which stays. */
static inline int hone__bytes_peek(hone_bytes *bytes)
{
    if (bytes->at == bytes->n && !bytes->ended)
        hone__bytes_refill(bytes);
    return bytes->at < bytes->n ? (unsigned char)bytes->buffer[bytes->at]
                                : HONE_END_OF_BYTES;
}

/* Past the byte that was peeked at. */
static inline void hone__bytes_advance(hone_bytes *bytes)
{
    if (bytes->buffer[bytes->at++] == '\n') {
        ++bytes->line;
        bytes->column = 1;
    } else {
        ++bytes->column;
    }
}

#endif
