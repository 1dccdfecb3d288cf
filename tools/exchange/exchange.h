/* SPDX-License-Identifier: Apache-2.0 */
/* What the writers and readers of `hone export` and `hone import` share. A
 * format is a row of formats.def. */
#ifndef HONE_TOOLS_EXCHANGE_H
#define HONE_TOOLS_EXCHANGE_H

#include "db/db_exchange.h"
#include "gen/json/json_reader.h"
#include "runtime/base/alloc.h"
#include "tools/base/arguments.h"
#include "tools/base/output_file.h"

#include <stdio.h>
#include <zlib.h>

/* ---- out ----------------------------------------------------------------- */

/* "-" is stdout. */
hone_status hone__out_open(const char *path, hone_output_file *out,
                           hone_error *err);
/* Make it appear if `status` is HONE_OK; else it never was, but for what a pipe
 * or stdout has got. Returns the first failure. */
hone_status hone__out_close(hone_output_file *out, hone_status status,
                            hone_error *err);

typedef struct hone_export {
    const hone_options *options;
    hone_output_file *out;
    hone_db *db;        /* NULL if the format needs none (T1) */
    const char *wanted; /* SELECT of the trials' numbers */
    const hone_db_value *values;
    size_t n_values;
    const char *implementation; /* NULL: all of them */
    int64_t n_rows;             /* written */
    hone_text line;             /* for whoever writes */
    hone_text note;             /* what a person should know; "" */
} hone_export;

typedef hone_status hone_export_fn(hone_export *export, hone_error *err);

/* What goes out in one piece; HONE_ERR_IO. Clears the text. */
hone_status hone__export_line(hone_export *export, hone_text *text,
                              hone_error *err);

/* ---- in ------------------------------------------------------------------ */

/* A row that is being put together; its texts live until the next one. */
typedef struct hone_row {
    hone_arena arena;
    hone_db_value values[HONE_DB_N_FIELDS];
} hone_row;

void hone__row_clear(hone_row *row); /* all NULL */
/* Set a field from its spelling, of numbers as well. HONE_ERR_INPUT. */
hone_status hone__row_set(hone_row *row, hone_db_field_id field,
                          const char *text, size_t length, hone_error *err);
void hone__row_integer(hone_row *row, hone_db_field_id field, int64_t value);
void hone__row_real(hone_row *row, hone_db_field_id field, double value);
/* A field of that name, HONE_DB_N_FIELDS if there is none; `guess` is looked at
 * first. */
hone_db_field_id hone__field_find(const char *name, size_t length,
                                  size_t guess);

typedef struct hone_import {
    const hone_options *options;
    const char *path;
    hone_db_import *rows; /* NULL for a format that makes none (T1) */
    hone_row row;
    int64_t n_rows;
    int64_t n_left_out; /* rows that cannot be read, see `note` */
    hone_text note;
} hone_import;

typedef hone_status hone_import_fn(hone_import *import, hone_error *err);

/* Take import->row. `line` is where it stands, 0: it is not known, and
 * sentences have no place. HONE_ERR_INPUT "FILE:LINE: what is wrong". */
hone_status hone__import_put(hone_import *import, int64_t line,
                             hone_error *err);
/* "FILE:LINE: SENTENCE"; HONE_ERR_INPUT. */
hone_status hone__import_fail(const hone_import *import, int64_t line,
                              hone_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Counters of the last row, [["kernel", "name", "unit", 1.5], ..]. */
hone_status hone__import_counters(hone_import *import, int64_t line,
                                  const char *text, size_t length,
                                  hone_error *err);

/* A file, plain or compressed with gzip, byte by byte. */
enum { HONE_LINE_MOST_BYTES = 64 << 20 };
typedef struct hone_lines {
    gzFile file;
    const char *path;
    int64_t line; /* that of the next byte, from 1 */
    size_t at, n;
    char buffer[65536];
} hone_lines;

hone_status hone__lines_open(const char *path, hone_lines *out,
                             hone_error *err);
void hone__lines_close(hone_lines *lines);
/* The next byte, -1 at the end, -2 after a failure, which is in `err`. */
int hone__lines_next(hone_lines *lines, hone_error *err);
/* A line without its end; `*out_is_there` is 0 at the end of the file. A line
 * that has no end is there. */
hone_status hone__lines_read(hone_lines *lines, hone_text *out,
                             int *out_is_there, int *out_has_end,
                             hone_error *err);

/* ---- formats ------------------------------------------------------------- */

typedef struct hone_format {
    const char *name;      /* of --format; of those that are only read, too */
    const char *title;     /* for people */
    hone_export_fn *write; /* NULL: only read */
    hone_import_fn *read;
    int has_trials;        /* else no database is needed */
    const char *member;    /* a JSON object with this member is one, or .. */
    const char *beginning; /* .. a file that begins so; NULL: neither */
} hone_format;

extern const hone_format hone__formats[];
extern const size_t hone__n_formats;

/* Which format a file has, by its content. HONE_ERR_INPUT if it is none. */
hone_status hone__format_of_file(const char *path, const hone_format **out,
                                 hone_error *err);

#define FORMAT(name, title, writer, reader, has_trials, member, beginning)     \
    hone_export_fn writer;                                                     \
    hone_import_fn reader;
#include "tools/exchange/formats.def"
#undef FORMAT

/* ---- numbers ------------------------------------------------------------- */

/* Append a number in the fewest of 15, 16 or 17 digits that read back as it;
 * "inf", "-inf", "nan". */
void hone__shortest(double value, hone_text *out);
/* The same times 10^shift, exactly: its digits with the point elsewhere. */
void hone__shortest_shifted(double value, int shift, hone_text *out);
/* The same for a number as it is spelled, of which 48 digits count; returns how
 * much of the text it is, 0 if none. */
size_t hone__number_shifted(const char *text, int shift, hone_text *out);
/* The number nearest to value x 10^shift, taken in decimal. */
double hone__shifted(double value, int shift);
/* Append a JSON string; what is not UTF-8 is replaced. */
void hone__json_quote(const char *text, size_t length, hone_text *out);
/* The same, but bytes that are not UTF-8 are spelled \udc80 to \udcff, halves
 * of pairs that no text has (Python's surrogateescape, PEP 383): our reader of
 * JSON makes them bytes again. */
void hone__json_quote_bytes(const char *text, size_t length, hone_text *out);

#endif
