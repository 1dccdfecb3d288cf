/* SPDX-License-Identifier: Apache-2.0 */
/* What the program says on stderr. Results go to stdout: see output.h. */
#ifndef HONE_TOOLS_MESSAGE_H
#define HONE_TOOLS_MESSAGE_H

#include "runtime/base/error.h"
#include "tools/base/exit_code.h"
#include "tools/base/arguments.h"

/* Take the command, --color, --quiet and --verbose. Before it: no command, and
 * colour on a terminal. */
void hone__message_setup(const hone_options *options);

int hone__message_color(void); /* may stderr be coloured? */
int hone__message_quiet(void);

/* "hone: error: SENTENCE", and of wrong use where to read on; returns the exit
 * code of its status. */
hone_exit hone__message_error(const hone_error *err);
/* The same for a command that ran and whose answer is negative. */
void hone__message_negative(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* "hone: SENTENCE", unless --quiet. */
void hone__message_note(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* The same, only with --verbose. */
void hone__message_detail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* A text that is complete in itself, such as located diagnostics. */
void hone__message_raw(const char *text);

#endif
