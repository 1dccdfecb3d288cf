/* SPDX-License-Identifier: Apache-2.0 */
/* Text in the lines of a terminal. Widths are in code points of UTF-8. */
#ifndef HONE_TOOLS_WRAP_H
#define HONE_TOOLS_WRAP_H

#include "runtime/base/text.h"

#include <stddef.h>

/* $COLUMNS, else the width of the terminal that stdout is, else 0: lines are
 * as long as they are. */
size_t hone__wrap_limit(void);

size_t hone__wrap_line(const char *text, size_t length);
/* Of the widest of its lines. */
size_t hone__wrap_width(const char *text);
/* Of the longest word: words end at blanks and behind commas. */
size_t hone__wrap_word(const char *text);

/* Of a text without line ends, how much of it fits into a line of `width`: up
 * to the end of a word, if one word does not fit behind one of "=/:_" in it, or
 * what there is room for. `*out_skip` characters are at neither line. */
size_t hone__wrap_fitting(const char *text, size_t length, size_t width,
                          size_t *out_skip);

/* Append `text`, whose first line begins at column `used` and the others at
 * `indent`, and a line end. `limit` 0: lines are as long as they are. */
void hone__wrap(const char *text, size_t used, size_t indent, size_t limit,
                hone_text *out);

#endif
