/* SPDX-License-Identifier: Apache-2.0 */
/* What libhone_sqlite shows: see store/sqlite_library.h. */
#include "runtime/store/sqlite_library.h"

const hone_sqlite_library hone__sqlite_library
    __attribute__((visibility("default"))) = {HONE_VERSION, HONE_SQLITE_LAYOUT,
                                              hone__store_open_database};
