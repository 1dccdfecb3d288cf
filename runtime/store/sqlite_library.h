/* SPDX-License-Identifier: Apache-2.0 */
/* Databases as a library of its own, which has SQLite: libhone loads it when
 * the first database is opened, so that a program that ships packs ships no
 * SQLite. Both are of one build: they share structures that are nobody
 * else's. */
#ifndef HONE_RUNTIME_SQLITE_LIBRARY_H
#define HONE_RUNTIME_SQLITE_LIBRARY_H

#include "runtime/hone.h"
#include "runtime/store/store_kind.h"

typedef struct hone_sqlite_library {
    const char *version; /* HONE_VERSION of the build */
    size_t layout;       /* HONE_SQLITE_LAYOUT of the build */
    hone_status (*open)(const char *path, hone_store **out, hone_error *err);
} hone_sqlite_library;

/* Changes with the sizes of what both look into. */
#define HONE_SQLITE_LAYOUT                                                     \
    (sizeof(hone_store) +                                                      \
     4096 * (sizeof(hone_store_op) + 4096 * (sizeof(hone_store_row) +          \
                                             4096 * sizeof(hone_store_kind))))

/* All that the library shows. */
extern const hone_sqlite_library hone__sqlite_library;

#endif
