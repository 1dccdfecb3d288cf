/* SPDX-License-Identifier: Apache-2.0 */
/* Content hashes (SHA-256, from libmd) for what is stored, and a fast hash
 * (XXH3, from xxHash) for tables in memory. */
#ifndef HONE_RUNTIME_HASH_H
#define HONE_RUNTIME_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HONE_SHA256_HEX = 65 }; /* 64 hex digits and NUL */

void hone__sha256_hex(const void *bytes, size_t size_bytes,
                      char out_hex[HONE_SHA256_HEX]);
uint64_t hone__hash64(const void *bytes, size_t size_bytes);

#endif
