/* SPDX-License-Identifier: Apache-2.0 */
/* The database of a command that reads it. */
#ifndef HONE_TOOLS_OPEN_TO_READ_H
#define HONE_TOOLS_OPEN_TO_READ_H

#include "db/db.h"

/* As hone__db_open() with HONE_DB_READONLY; says on stderr if locks fail there.
 */
hone_status hone__open_to_read(const char *path, hone_db **out,
                               hone_error *err);
/* HONE_ERR_UNSUPPORTED with what to do: the file is of an older format than
 * `least`, and does not have what is asked for. */
hone_status hone__read_needs(hone_db *db, const char *path, int64_t least,
                             hone_error *err);

#endif
