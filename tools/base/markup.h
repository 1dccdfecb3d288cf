/* SPDX-License-Identifier: Apache-2.0 */
/* Writing XML and HTML: what is filled in can never become markup. */
#ifndef HONE_TOOLS_MARKUP_H
#define HONE_TOOLS_MARKUP_H

#include "runtime/base/text.h"

/* Append the first `length` bytes as XML and HTML take them, between tags and
 * in attributes: markup is escaped, bytes that are not UTF-8 and characters
 * that XML does not allow become U+FFFD. */
void hone__markup_bytes(hone_text *out, const char *text, size_t length);

/* Append the format, in which
 *   %s  is text, escaped      %d %zu %lld  are integers
 *   %f  is a number as coordinates have it: at most two digits behind a point,
 *       whatever the locale says; what is not finite becomes 0
 *   %g  is a number to read: four digits that count
 *   %%  is a percent sign
 * and nothing else may stand, no widths and no precisions. */
void hone__markup(hone_text *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The number of %g as text: "12.34", "1234", "0.001234", "1.234e+09". */
void hone__markup_number(double value, char out[32]);

#endif
