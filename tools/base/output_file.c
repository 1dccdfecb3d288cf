/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a command is asked to write: see output_file.h. */
#include "tools/base/output_file.h"

#include "runtime/base/text.h"

#include <stdio.h>
#include <string.h>

/* What every SQLite file begins with, its NUL included. */
static const char sqlite_header[16] = "SQLite format 3";

hone_status hone__output_may_replace(const char *path, hone_error *err)
{
    char header[sizeof sqlite_header];
    FILE *file = fopen(path, "rb");
    int is_database = 0;

    if (file) {
        is_database = fread(header, 1, sizeof header, file) == sizeof header &&
                      memcmp(header, sqlite_header, sizeof header) == 0;
        (void)fclose(file); /* nothing was written */
    }
    if (!is_database)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "'%s' is a database, which the result would take the "
                      "place of; name another file",
                      path);
}

hone_status hone__output_replace(const char *path, const void *bytes,
                                 size_t size_bytes, hone_error *err)
{
    HONE_TRY(hone__output_may_replace(path, err));
    return hone__file_replace(path, bytes, size_bytes, err);
}
