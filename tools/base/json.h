/* SPDX-License-Identifier: Apache-2.0 */
/* Results as JSON values. What cannot be made for lack of memory is NULL, and
 * so is everything that would contain it, up to the printer (output.h), which
 * says so and ends with its exit code: nothing is ever left out. */
#ifndef HONE_TOOLS_JSON_H
#define HONE_TOOLS_JSON_H

#include "runtime/base/text.h"

#include <jansson.h>
#include <stddef.h>

/* An object. `members` is a list of NAME:TYPE, separated by blanks, that says
 * which arguments follow:
 *   s  const char *; NULL becomes null
 *   i  int            I  int64_t
 *   f  double         b  int, as true or false
 *   P  int64_t        p  double; null unless positive
 *   F  int, double; null if the first is 0
 *   o  json_t *, stolen
 *   n  nothing, null
 * Numbers that JSON does not have are null (not a number) or strings ("inf"),
 * bytes that are not UTF-8 become U+FFFD. */
#define hone__json(...) hone__json_add(json_object(), __VA_ARGS__)
/* The object with more members, or those it has replaced. */
json_t *hone__json_add(json_t *object, const char *members, ...);
/* The array with one value (stolen) more. */
json_t *hone__json_append(json_t *array, json_t *value);

/* Bytes of the character that begins here; 0: it is not UTF-8. */
size_t hone__json_character_bytes(const unsigned char *at, size_t length);
json_t *hone__json_string(const char *bytes, size_t length);
/* The text is freed; NULL too if it has failed. */
json_t *hone__json_text(hone_text *text);
json_t *hone__json_real(double value);

/* ---- as a person reads them, and as CSV fields --------------------------- */

typedef enum hone_cell {
    HONE_CELL_TEXT,
    HONE_CELL_NUMBER,  /* right-aligned */
    HONE_CELL_RATIO,   /* "1.00" in text */
    HONE_CELL_TIME_NS, /* "12.3 us" in text, plain nanoseconds elsewhere */
    HONE_CELL_CONFIG   /* in a table, what the member default_KEY has not */
} hone_cell;

typedef struct hone_column {
    char key[40];
    char title[64];
    hone_cell cell;
} hone_column;

/* "op, time_ns:t=time": keys; what is in them unless it is text (n number, r
 * ratio, t time, c configuration); the titles that are other words. Returns how
 * many there are, `most` at most. */
size_t hone__columns_read(const char *text, hone_column *out, size_t most);

/* NULL is a missing value, "-". Lists and objects become "a, b". */
void hone__value_text(json_t *value, hone_cell cell, hone_text *out);
/* The same for a string at the end of a row, which may go on below it. */
void hone__value_lines(const char *string, hone_text *out);
/* As JSON; memory that runs out makes `out` fail, as always. */
void hone__value_json(json_t *value, size_t flags, hone_text *out);
/* RFC 4180: quoted where needed; lists and objects as JSON; missing: empty.
 */
void hone__value_csv(json_t *value, hone_text *out);

#endif
