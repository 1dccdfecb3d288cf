/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime does, for whoever asked to know: a function of the
 * program's (hone_log_set()), or HONE_LOG. One for the process; messages come
 * one at a time. Nothing here is called while a known plan is launched. */
#ifndef HONE_RUNTIME_LOG_H
#define HONE_RUNTIME_LOG_H

#include "runtime/base/error.h"

/* Where the program has not set a function, see what HONE_LOG says.
 * HONE_ERR_IO: that file cannot be opened. */
hone_status hone__log_start(hone_error *err);

/* hone_log_set(), with a level that was looked at. */
void hone__log_set(hone_log_function *function, void *user,
                   hone_log_level level);

/* Does anybody want to know? To leave out what is costly to say. */
int hone__log_wants(hone_log_level level);
void hone__log(hone_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Say why something failed, and give the status: for calls of hone.h. HONE_OK
 * says nothing. */
hone_status hone__log_failure(hone_status status, const char *what,
                              const hone_error *err);

#endif
