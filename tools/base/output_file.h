/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a command is asked to write. */
#ifndef HONE_TOOLS_OUTPUT_FILE_H
#define HONE_TOOLS_OUTPUT_FILE_H

#include "runtime/base/error.h"

#include <stddef.h>

/* May a result take the place of what is there? Not of a database, which holds
 * what took hours to measure: HONE_ERR_ARGUMENT. What cannot be read is no
 * matter of this. */
hone_status hone__output_may_replace(const char *path, hone_error *err);
/* hone__file_replace() where it may. */
hone_status hone__output_replace(const char *path, const void *bytes,
                                 size_t size_bytes, hone_error *err);

#endif
