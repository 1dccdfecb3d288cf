/* SPDX-License-Identifier: Apache-2.0 */
/* Content that is stored compressed and named by its SHA-256: see
 * database.h. */
#include "runtime/store/database.h"

#include "runtime/base/alloc.h"
#include "runtime/base/hash.h"

#include <sqlite3.h>
#include <string.h>
#include <zstd.h>

/* Why the frame is not what its name says; NULL: it is. */
static const char *unpack(const char *sha256, const void *data,
                          size_t data_bytes, char *bytes, size_t size_bytes)
{
    const size_t n = ZSTD_decompress(bytes, size_bytes, data, data_bytes);
    char actual[HONE_SHA256_HEX];

    if (ZSTD_isError(n) || n != size_bytes)
        return "it cannot be decompressed";
    hone__sha256_hex(bytes, n, actual);
    return strcmp(actual, sha256) == 0
               ? NULL
               : "its content does not match its SHA-256";
}

hone_status hone__artifact_unpack(const hone_database *db, const char *what,
                                  const char *which, const char *sha256,
                                  sqlite3_stmt *row, hone_text *out,
                                  hone_error *err)
{
    const int64_t size_bytes = sqlite3_column_int64(row, 0);
    const void *data = sqlite3_column_blob(row, 1);
    const size_t data_bytes = (size_t)sqlite3_column_bytes(row, 1);
    const char *wrong = "its size is wrong";
    char *bytes = NULL;

    if (!data && sqlite3_errcode(db->handle) == SQLITE_NOMEM)
        return hone__database_fail(db, SQLITE_NOMEM, "read an artifact", err);
    /* Before memory is taken: a damaged size may be any. */
    if (data && size_bytes >= 0 && size_bytes <= HONE_ARTIFACT_MOST_BYTES &&
        ZSTD_getFrameContentSize(data, data_bytes) ==
            (unsigned long long)size_bytes) {
        bytes = hone__alloc((size_t)size_bytes);
        if (!bytes)
            return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
        wrong = unpack(sha256, data, data_bytes, bytes, (size_t)size_bytes);
    }
    if (!wrong)
        hone__text_append(out, bytes, (size_t)size_bytes);
    hone__free(bytes);
    return wrong ? hone__fail(err, HONE_ERR_DATABASE,
                              "database '%s' is damaged: %s %s: %s; tuning "
                              "again stores a good one",
                              db->path, what, which, wrong)
                 : hone__text_check(out, err);
}
