/* SPDX-License-Identifier: Apache-2.0 */
/* A program at the other end of two pipes that answers line by line, within a
 * limit of time. It ends when we do, however that is: its standard input comes
 * to an end, and the kernel kills it. */
#ifndef HONE_TUNER_SEARCH_ASKED_PROGRAM_H
#define HONE_TUNER_SEARCH_ASKED_PROGRAM_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

#include <signal.h>
#include <sys/types.h>

typedef struct hone_program {
    pid_t pid; /* 0: there is none */
    int to, from;
    double answer_s;                   /* that an answer may take */
    const volatile sig_atomic_t *stop; /* NULL ok */
    hone_text out;                     /* not written yet */
    hone_text in;                      /* read, and not taken yet */
    size_t taken;                      /* of `in` */
} hone_program;

/* A command of the shell, in a process group of its own; what it writes on
 * stderr is the user's to see. HONE_ERR_IO: no process, no pipe. */
hone_status hone__program_start(const char *command, double answer_s,
                                const volatile sig_atomic_t *stop,
                                hone_program *out, hone_error *err);

/* Write what is in `out`, and take a line of its answers, without the newline;
 * with `out_line` NULL write only. The line is valid until the next call.
 * HONE_ERR_IO: it ended, says nothing in time, or a line has no end;
 * HONE_ERR_INTERRUPTED. */
hone_status hone__program_ask(hone_program *program, char **out_line,
                              hone_error *err);

/* It may end by itself for a moment; then it is killed, with all that it
 * started and that did not leave its group. */
void hone__program_stop(hone_program *program);

#endif
