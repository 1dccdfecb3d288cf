/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes: see hash.h. */
#include "runtime/base/hash.h"

#include <string.h>
#include <sys/types.h>

#include <sha256.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void hone__sha256_hex(const void *bytes, size_t size_bytes,
                      char out_hex[HONE_SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[32];
    SHA256_CTX state;

    SHA256Init(&state);
    SHA256Update(&state, bytes, size_bytes);
    SHA256Final(digest, &state);
    for (size_t i = 0; i < sizeof digest; ++i) {
        out_hex[2 * i] = digits[digest[i] >> 4];
        out_hex[2 * i + 1] = digits[digest[i] & 15];
    }
    out_hex[HONE_SHA256_HEX - 1] = '\0';
}

uint64_t hone__hash64(const void *bytes, size_t size_bytes)
{
    return XXH3_64bits(bytes, size_bytes);
}
