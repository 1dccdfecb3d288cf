/* SPDX-License-Identifier: Apache-2.0 */
/* The one printer of results on stdout: head values, then rows of a table,
 * then more values, as text, JSON or CSV. Rows are printed as they come, so
 * a long list takes no memory. */
#ifndef HONE_TOOLS_OUTPUT_H
#define HONE_TOOLS_OUTPUT_H

#include "runtime/base/text.h"
#include "tools/base/exit_code.h"
#include "tools/base/arguments.h"
#include "tools/base/json.h"

#include <stddef.h>

enum { HONE_SCHEMA_VERSION = 1 }; /* of the JSON; changes when a key does */

typedef struct hone_output hone_output;

/* Is the format text, not JSON or CSV? */
int hone__output_is_text(const hone_options *options);

/* Begin a result. `head` (stolen) is an object of values known already;
 * `rows_key` names the list of rows in JSON, NULL if there is none. `columns`
 * are those of text and CSV, as hone__columns_read() takes them; JSON rows are
 * printed whole. Where a
 * value is NULL because memory ran out (json.h), or runs out here, nothing
 * more is printed, and the end says so. NULL: it ran out at once. */
hone_output *hone__output_begin(const hone_options *options,
                                const char *rows_key, const char *columns,
                                json_t *head);
/* The same for columns that somebody else names. */
hone_output *hone__output_begin_columns(const hone_options *options,
                                        const char *rows_key,
                                        const hone_column *columns,
                                        size_t n_columns, json_t *head);
/* As text, say once above the rows what is the same in all of them. */
void hone__output_hoist(hone_output *output);
/* One row, an object (stolen). */
void hone__output_row(hone_output *output, json_t *row);
/* One row that is written in the output's format already, where an object for
 * each would take too long. The first such row ends the search for widths. */
void hone__output_line(hone_output *output, const char *text, size_t length);
/* Finish. `tail` (stolen): values known only now. Returns the exit code: INPUT
 * if stdout could not be written, ENVIRONMENT if memory ran out; both are
 * said. */
hone_exit hone__output_end(hone_output *output, json_t *tail);

/* Text that is the result as it is, such as source; freed. */
hone_exit hone__output_text(hone_text *text);

#endif
