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

static hone_status on_version(void *user, const hone_db_row *row,
                              hone_error *err)
{
    (void)err;
    *(int64_t *)user = row->values[0].integer;
    return HONE_OK;
}

hone_status hone__read_needs(hone_db *db, const char *path, int64_t least,
                             hone_error *err)
{
    int64_t version = 0;

    HONE_TRY(hone__db_query(db, "PRAGMA main.user_version", NULL, 0, on_version,
                            &version, err));
    return version >= least
               ? HONE_OK
               : hone__fail(
                     err, HONE_ERR_UNSUPPORTED,
                     "database '%s' is of the older format %lld, which "
                     "does not have all that this shows; make one of "
                     "the current format of it first; run: hone merge %s "
                     "--db NEW",
                     path, (long long)version, path);
}
