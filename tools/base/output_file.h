/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a command is asked to write. */
#ifndef HONE_TOOLS_OUTPUT_FILE_H
#define HONE_TOOLS_OUTPUT_FILE_H

#include "runtime/base/text.h"

#include <stdio.h>

/* What a name leads to gets it: a file that appears when it is whole, with the
 * mode of the one whose place it takes, or, of a new one, what the umask
 * leaves. What is no file, and what this process has open (/dev/stdout), is
 * written as it comes. */
typedef struct hone_output_file {
    FILE *file;
    const char *path;    /* as it was named */
    hone_text target;    /* where its links lead */
    hone_text temporary; /* its name until it is whole; "": there is none */
    int is_unnamed;      /* it has none until then, and goes with the process */
} hone_output_file;

/* May a result take the place of what is there? HONE_ERR_ARGUMENT: of a
 * database or a part of one it may not. */
hone_status hone__output_may_replace(const char *path, hone_error *err);
/* `path` is not, by whatever name, a file that the command reads. Either may be
 * NULL. HONE_ERR_ARGUMENT. */
hone_status hone__output_spares(const char *path, const char *input,
                                hone_error *err);
/* HONE_ERR_ARGUMENT: a database is there, which holds what took hours to
 * measure. HONE_ERR_IO. */
hone_status hone__output_file_open(const char *path, hone_output_file *out,
                                   hone_error *err);
/* Make it appear if `status` is HONE_OK; else what was there before is there.
 * Returns the first failure. */
hone_status hone__output_file_close(hone_output_file *out, hone_status status,
                                    hone_error *err);
/* Both, with these bytes. */
hone_status hone__output_replace(const char *path, const void *bytes,
                                 size_t size_bytes, hone_error *err);

#endif
