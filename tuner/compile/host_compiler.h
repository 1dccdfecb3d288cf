/* SPDX-License-Identifier: Apache-2.0 */
/* One variant through the system's C++ compiler: expanded source to a shared
 * object for the cpu device. */
#ifndef HONE_TUNER_HOST_COMPILER_H
#define HONE_TUNER_HOST_COMPILER_H

#include "gen/parse/template.h"
#include "tuner/compile/compiler.h"
#include "tuner/compile/farm.h"

typedef struct hone_host_compiler {
    char path[1024]; /* $CXX, else c++ */
    hone_host_build build;
    int tls_descriptors; /* it has them */
    int lists_assembled; /* its assembler says what it opens */
    double at_most_s;    /* processor time of one compile; 0: no limit */
    int headers_ready;   /* 1: ours are in the folder and precompiled;
                            2: so are the files of a template, */
    uint64_t files_sum;  /* with this hash */
} hone_host_compiler;

/* Find the compiler and its version. HONE_ERR_NO_COMPILER says what to
 * install, or why it could not be asked what it knows. */
hone_status hone__host_compiler_open(hone_host_compiler *compiler,
                                     hone_host_build build,
                                     hone_toolchain *out_toolchain,
                                     hone_error *err);

/* Path of the sanitizer's library that belongs to the compiler.
 * HONE_ERR_NO_COMPILER if it has none. */
hone_status hone__host_sanitizer_library(hone_text *out, hone_error *err);

/* Compile a unit of host_unit.c. `folder` is this process's own; it
 * gets our headers, precompiled, and the temporary files. A unit that does
 * not compile is HONE_OK with ok 0 and the log; HONE_ERR_IO if the folder
 * cannot be written. */
hone_status hone__host_compile(hone_host_compiler *compiler,
                               const hone_compile_input *input,
                               const char *folder, hone_compile_output *out,
                               hone_error *err);

/* Refuse a unit for which the compiler or its assembler opened what is neither
 * hone's nor theirs: HONE_ERR_INPUT with its name. The lists that both wrote
 * are files of `folder`; `assembled` may be NULL. */
hone_status hone__host_opened_check(const char *folder, const char *compiled,
                                    const char *assembled, hone_error *err);

/* ---- asking it (host_questions.c) -----------------------------------------
 */

/* $CXX, else c++. */
void hone__host_compiler_path(char *out, size_t size);
/* The first line that `PATH OPTION` prints; 0 if there is none. */
int hone__host_ask_option(const char *path, const char *option, hone_text *out);

/* An option that not all compilers have. */
typedef struct hone_host_question {
    const char *option;
    const char *stage; /* as far as it has to compile: -S or -c */
    const char *word;  /* of the option, which is in every refusal */
} hone_host_question;

/* Whether it compiles with the option. A compiler that fails for another reason
 * has not said no: there may be no process to be had, or no memory, and the
 * variants would be those of another compiler. It is asked again, and the run
 * ends if that does not help. */
hone_status hone__host_ask_knows(const char *path, const hone_host_question *q,
                                 int *out, hone_error *err);

/* ---- running it --------------------------------------------------------- */

enum { HONE_MAX_WORDS = 48 };

/* A command line; its words are borrowed. */
typedef struct hone_command_line {
    const char *words[HONE_MAX_WORDS + 1]; /* a NULL behind the last */
    int n;                                 /* more than fit: it does not run */
} hone_command_line;

void hone__command_start(hone_command_line *c, const char *program);
/* Add words up to a NULL. */
void hone__command_add(hone_command_line *c, ...) __attribute__((sentinel));

/* Run it in `folder` with stdout and stderr in the file `log`, for so many
 * seconds of processor time at most (0: no limit). Exit status, -1 if it could
 * not be started. */
int hone__command_run(const hone_command_line *c, const char *folder,
                      const char *log, double at_most_s);

/* ---- what it compiles against ------------------------------------------- */

/* Our headers (tuner/cpu/host/): name and text; the last has a NULL name. */
typedef struct hone_host_file {
    const char *name;
    const char *text;
} hone_host_file;

extern const hone_host_file hone__host_files[];

#endif
