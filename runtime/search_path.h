/* SPDX-License-Identifier: Apache-2.0 */
/* Where winners are looked for when nobody says where: of the user before those
 * of the site, before those of the system, before those in the program. */
#ifndef HONE_RUNTIME_SEARCH_PATH_H
#define HONE_RUNTIME_SEARCH_PATH_H

#include "runtime/store/store.h"

/* Call `visit` for each place, in order; files need not be there.
 *
 *   $HONE_PATH   its entries, between colons; an empty one is the user's
 *                database ($HONE_DB, else where `hone tune` writes)
 *   $HONE_DB     else this alone
 *   else         the user's database; then in each folder D of $XDG_DATA_DIRS
 *                (/usr/local/share:/usr/share) D/hone/hone.pack and
 *                D/hone/hone.db
 *   behind all   the packs that were registered, the last one first */
hone_status hone__search_path(
    hone_status (*visit)(void *user, const hone_store_source *source,
                         hone_error *err),
    void *user, hone_error *err);
/* HONE_ERR_NOT_FOUND, and where all was looked. HONE_ERR_NO_MEMORY. */
hone_status hone__search_path_failed(hone_error *err);
/* Thread-safe. The same pack again changes nothing. HONE_ERR_NO_MEMORY. */
hone_status hone__search_path_register(const void *pack, size_t pack_bytes,
                                       hone_error *err);

#endif
