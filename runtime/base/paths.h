/* SPDX-License-Identifier: Apache-2.0 */
/* Where the database is when nobody says, and names in commands that messages
 * suggest: shared by the library and the program. */
#ifndef HONE_RUNTIME_PATHS_H
#define HONE_RUNTIME_PATHS_H

#include "runtime/base/text.h"

/* Append $HONE_DB, else $XDG_DATA_HOME/hone/hone.db, else
 * $HOME/.local/share/hone/hone.db; the file need not exist.
 * HONE_ERR_NOT_FOUND if none of the three is set. */
hone_status hone__default_database(hone_text *out, hone_error *err);

/* Append `word` as a shell takes it: in quotes if it needs them. */
void hone__shell_word(const char *word, hone_text *out);

#endif
