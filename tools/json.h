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
json_t *hone__json(const char *members, ...);
/* The object with more members, or those it has replaced. */
json_t *hone__json_add(json_t *object, const char *members, ...);
/* The array with one value (stolen) more. */
json_t *hone__json_append(json_t *array, json_t *value);

json_t *hone__json_string(const char *bytes, size_t length);
/* NULL too if the text has failed. */
json_t *hone__json_text(const hone_text *text);
json_t *hone__json_real(double value);

#endif
