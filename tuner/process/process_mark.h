/* SPDX-License-Identifier: Apache-2.0 */
/* Which process it was, for somebody who later asks whether it still runs:
 * machine, number, when it began, and the space in which the number means it.
 * A line of text, so that a database can keep it. */
#ifndef HONE_TUNER_PROCESS_MARK_H
#define HONE_TUNER_PROCESS_MARK_H

#include <stddef.h>

enum { HONE_PROCESS_MARK = 256 };

/* This process: "host=NAME pid=123 begun=456 in=pid:[4026531836]". */
void hone__process_mark_write(char *out, size_t size);

/* 1: it has ended, which only its own machine can tell. 0: it runs, or nobody
 * here knows. `out_pid` (NULL ok): its number, 0 if there is none. */
int hone__process_mark_is_gone(const char *mark, long *out_pid);

#endif
