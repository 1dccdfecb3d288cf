/* SPDX-License-Identifier: Apache-2.0 */
/* Where the database is when nobody says. */
#include "runtime/store/database.h"

#include <stdlib.h>

hone_status hone__default_database(hone_text *out, hone_error *err)
{
    const char *chosen = getenv("HONE_DB");
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");

    if (chosen && *chosen)
        hone__text_puts(out, chosen);
    else if (data && *data == '/') /* XDG: a relative one is ignored */
        hone__text_printf(out, "%s/hone/hone.db", data);
    else if (home && *home)
        hone__text_printf(out, "%s/.local/share/hone/hone.db", home);
    else
        return hone__fail(err, HONE_ERR_NOT_FOUND,
                          "no database was named, and HONE_DB, XDG_DATA_HOME "
                          "and HOME are not set; set HONE_DB");
    return hone__text_check(out, err);
}
