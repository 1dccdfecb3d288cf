/* SPDX-License-Identifier: Apache-2.0 */
/* What a sanitizer wrote before it ended a worker. */
#ifndef HONE_TUNER_SANITIZER_LOG_H
#define HONE_TUNER_SANITIZER_LOG_H

#include <stddef.h>
#include <stdio.h>

/* A worker adds a line to a report that says which argument it is about. */
#define HONE_FAULT_PLACE "hone: the address is "

/* Read the log and empty it. 1 with a sentence such as "AddressSanitizer:
 * heap-buffer-overflow, WRITE of size 4 (saxpy.cu:57)", where the place is
 * the innermost one in the template; 0 if there is no report. */
int hone__sanitizer_summary(FILE *log, const char *template_path, char *out,
                            size_t size);

/* The same for a text. */
int hone__sanitizer_read(const char *text, const char *template_path, char *out,
                         size_t size);

#endif
