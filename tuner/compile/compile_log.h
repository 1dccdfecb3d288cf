/* SPDX-License-Identifier: Apache-2.0 */
/* What ptxas says about the kernels of one compile (`--ptxas-options=-v`), why
 * a C++ compiler failed, and what a sanitizer wrote before it ended a worker.
 */
#ifndef HONE_TUNER_COMPILE_LOG_H
#define HONE_TUNER_COMPILE_LOG_H

#include <stddef.h>
#include <stdio.h>

/* One kernel, or the most of all kernels. */
typedef struct hone_kernel_use {
    int registers;   /* -1: the log does not say */
    int spill_bytes; /* stores + loads */
    int static_shared_bytes;
} hone_kernel_use;

/* Of the kernel with this symbol; 0 if the log does not have it. */
int hone__compile_log_kernel(const char *log, const char *kernel,
                             hone_kernel_use *out);
/* The most of all kernels. */
void hone__compile_log_most(const char *log, hone_kernel_use *out);

/* Codes of warnings that mark a wgmma kernel the compiler gave up on, each
 * once, in the order of the log: "C7510,C7508", "" for none. The first ten. */
void hone__compile_log_warnings(const char *log, char out[64]);

/* What the log says behind the first of these codes: a sentence, cut to
 * `size`; "" if it says nothing. */
void hone__compile_log_sentence(const char *log, const char *found, char *out,
                                size_t size);

/* Does the log, or what a compiler said as it died, tell that it ran out of
 * memory? */
int hone__compile_log_no_memory(const char *log);

/* Whose fault a failed compile of the C++ compiler was. */
typedef enum hone_compile_blame {
    HONE_BLAME_MACHINE,  /* no room, no process, killed; or nobody can say */
    HONE_BLAME_SOURCE,   /* it names a line, or what cannot be linked */
    HONE_BLAME_COMPILER, /* it broke */
} hone_compile_blame;

/* By what it says in the language of LC_ALL=C (compile_blame.c). */
hone_compile_blame hone__compile_log_blame(const char *log);

/* ---- sanitizers --------------------------------------------------------- */

/* A worker adds a line to a report that says which argument it is about. */
#define HONE_FAULT_PLACE "hone: the address is "

/* Read the log and empty it. 1 with a sentence such as "AddressSanitizer:
 * heap-buffer-overflow, WRITE of size 4 (scan.cu:57)", where the place is
 * the innermost one in the template; 0 if there is no report. */
int hone__sanitizer_summary(FILE *log, const char *template_path, char *out,
                            size_t size);

#endif
