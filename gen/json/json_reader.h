/* SPDX-License-Identifier: Apache-2.0 */
/* JSON read piece by piece: of a file, plain or compressed with gzip, or of a
 * text. Recordings are too large to be held as a tree, and one that was
 * interrupted has to be read up to where it ends. Also takes NaN and Infinity,
 * which other tuners write. */
#ifndef HONE_GEN_JSON_READER_H
#define HONE_GEN_JSON_READER_H

#include "runtime/base/alloc.h"
#include "runtime/base/error.h"

#include <stddef.h>

typedef struct hone_json_reader hone_json_reader;

typedef enum hone_json_kind {
    HONE_JSON_END, /* of the text */
    HONE_JSON_OBJECT,
    HONE_JSON_OBJECT_END,
    HONE_JSON_ARRAY,
    HONE_JSON_ARRAY_END,
    HONE_JSON_KEY,
    HONE_JSON_STRING,
    HONE_JSON_NUMBER,
    HONE_JSON_TRUE,
    HONE_JSON_FALSE,
    HONE_JSON_NULL
} hone_json_kind;

typedef struct hone_json_event {
    hone_json_kind kind;
    const char *text; /* of KEY, STRING and NUMBER; until the next event */
    size_t length;
    double number; /* of NUMBER */
    size_t begin;  /* its bytes in the text, quotes included; of KEY with */
    size_t end;    /* the ':' */
    long long line;
    long long column; /* of its first byte, from 1 */
} hone_json_event;

/* Open a file for zlib, which reads what is not compressed as it stands.
 * HONE_ERR_NOT_FOUND, HONE_ERR_IO: what is no file is none to wait for. */
struct gzFile_s;
hone_status hone__gz_open(const char *path, struct gzFile_s **out,
                          hone_error *err);
/* Bytes of a recording as it lies on the disk, and of one string in it. */
#define HONE_MOST_RECORDING_BYTES (INT64_C(16) << 30)
enum { HONE_MOST_STRING_BYTES = 64 << 20 };

/* HONE_ERR_NOT_FOUND, HONE_ERR_IO. `path` is copied. */
hone_status hone__json_open(const char *path, hone_json_reader **out,
                            hone_error *err);
/* A text that stays where it is until the reader is closed. */
hone_status hone__json_open_text(const char *name, const char *text,
                                 size_t length, hone_json_reader **out,
                                 hone_error *err);
void hone__json_close(hone_json_reader *reader); /* NULL is a no-op */

/* The next piece. HONE_ERR_INPUT: "FILE:LINE:COLUMN: what is wrong", also for
 * a damaged or truncated gzip file. After a failure it fails again. */
hone_status hone__json_next(hone_json_reader *reader, hone_json_event *out,
                            hone_error *err);
/* Did the last failure come from a text that ends too early (and not from a
 * damaged file)? */
int hone__json_ended_early(const hone_json_reader *reader);

/* Of the last failure in the text: the sentence without its place, and the
 * place. */
const char *hone__json_mistake(const hone_json_reader *reader, int *out_line,
                               int *out_column);

/* Leave out the value that `begin` is or begins. */
hone_status hone__json_skip(hone_json_reader *reader,
                            const hone_json_event *begin, hone_error *err);
/* The next piece, which must be of this kind: "expected WHAT". */
hone_status hone__json_expect(hone_json_reader *reader, hone_json_kind kind,
                              const char *what, hone_json_event *out,
                              hone_error *err);

/* "FILE:LINE:COLUMN: SENTENCE" for the place of the last event. Returns
 * HONE_ERR_INPUT. */
hone_status hone__json_fail(const hone_json_reader *reader, hone_error *err,
                            const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- a small text as a tree --------------------------------------------- */

/* Every value knows its place, so that mistakes inside its strings can be shown
 * where they are. */
typedef struct hone_json_tree {
    hone_json_kind kind; /* OBJECT, ARRAY, STRING, .. */
    const char *key;     /* of a member of an object, else NULL */
    const char *text;    /* of strings (decoded), numbers and words */
    size_t length;
    int line;
    int column;   /* of a string, behind its quote */
    size_t width; /* in the source; of an object 1 */
    int is_plain; /* a string without escapes: offsets into it are offsets
                     into the source */
    size_t n;     /* members or items */
    struct hone_json_tree *first;
    struct hone_json_tree *next;
} hone_json_tree;

/* All that is left of the text; it lives in `arena`. What hone__json_next()
 * fails with. */
hone_status hone__json_tree_read(hone_json_reader *reader, hone_arena *arena,
                                 hone_json_tree **out, hone_error *err);
/* The member of an object, NULL if it has none. */
const hone_json_tree *hone__json_tree_find(const hone_json_tree *object,
                                           const char *key);

#endif
