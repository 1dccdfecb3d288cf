/* SPDX-License-Identifier: Apache-2.0 */
/* One JSON value as a person reads it, and as a CSV field. */
#ifndef HONE_TOOLS_OUTPUT_VALUE_H
#define HONE_TOOLS_OUTPUT_VALUE_H

#include "tools/output.h"

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
