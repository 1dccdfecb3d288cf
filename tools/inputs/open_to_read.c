/* SPDX-License-Identifier: Apache-2.0 */
/* The database of a command that reads it: see open_to_read.h. */
#include "tools/inputs/open_to_read.h"

#include "tools/base/message.h"

hone_status hone__open_to_read(const char *path, hone_db **out, hone_error *err)
{
    const char *why;

    HONE_TRY(hone__db_open(path, HONE_DB_READONLY, out, err));
    why = hone__db_lockless(*out);
    if (why)
        hone__message_note("warning: database '%s' cannot be locked (SQLite: "
                           "%s) and is read as it stands: if another process "
                           "writes to it now, what follows may be wrong; put "
                           "it on a disk with locks to be sure",
                           path, why);
    return HONE_OK;
}
