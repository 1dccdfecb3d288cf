/* SPDX-License-Identifier: Apache-2.0 */
/* Text from elsewhere (a database, a template, a compiler, a driver) on its way
 * to a terminal, which control characters would command. */
#ifndef HONE_TOOLS_VISIBLE_H
#define HONE_TOOLS_VISIBLE_H

#include "runtime/base/text.h"

/* Bytes of the control character that begins here, of seven bits or (U+0080 to
 * U+009F, in UTF-8 or alone) of eight; 0: it is none. `before` is the byte in
 * front of it, or 0. */
size_t hone__control_bytes(const char *at, size_t length, unsigned char before);
/* Append with a blank for each, but for those that `kept` has ("\n\t"). */
void hone__text_visible(const char *text, size_t length, const char *kept,
                        hone_text *out);
/* The same in place, in a string; what is no whole character stays out. */
void hone__string_visible(char *text);

#endif
