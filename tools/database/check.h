/* SPDX-License-Identifier: Apache-2.0 */
/* What `hone check` looks at beside databases. */
#ifndef HONE_TOOLS_CHECK_H
#define HONE_TOOLS_CHECK_H

#include "db/db.h"

/* Does the file begin as packs do? */
int hone__check_is_pack(const char *path);
/* Header and index, every blob by its checksum, every variant: its plan by the
 * hash of what it is launched with, its cubin by its SHA-256. HONE_ERR_IO,
 * HONE_ERR_NO_MEMORY; what is damaged is no failure. */
hone_status hone__check_pack(const char *path, hone_db_check_fn each,
                             void *user, hone_error *err);
/* Every entry of a cubin cache by its SHA-256. HONE_ERR_INPUT: it is none. */
hone_status hone__check_cache(const char *folder, hone_db_check_fn each,
                              void *user, hone_error *err);

#endif
