/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled variants on disk, found by the content they were made from. The
 * same folder may be used by any number of processes, copied between machines
 * (paths are no part of a key) and deleted at any time.
 *
 *   CACHEDIR.TAG   backup programs pass it over
 *   ab/<key>       an entry; appears whole or not at all
 *   tmp/           entries being written; old ones are swept
 *   lock           a byte per key: one process at a time compiles a key
 */
#ifndef HONE_TUNER_CUBIN_CACHE_H
#define HONE_TUNER_CUBIN_CACHE_H

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "tuner/compile/compiler.h"

/* Key of a compile: SHA-256 over everything that the compiler is given and
 * over the compiler. HONE_ERR_NO_MEMORY. */
hone_status hone__cache_key(const hone_compile_input *input,
                            const hone_toolchain *toolchain,
                            char out_key[HONE_SHA256_HEX], hone_error *err);

/* Make the folder ready, and remove what writers that were killed an hour ago
 * or longer left behind. HONE_ERR_IO with the path. */
hone_status hone__cache_prepare(const char *folder, hone_error *err);

/* Wait up to `patience_s` for the key's lock, which hone__cache_unlock() gives
 * back. -1 if it was not to be had, or the folder cannot be locked: compile
 * without. */
int hone__cache_lock(const char *folder, const char *key, double patience_s);
void hone__cache_unlock(int lock);

/* HONE_ERR_NOT_FOUND if there is no entry; a damaged one counts as none. */
hone_status hone__cache_load(const char *folder, const char *key,
                             hone_compile_output *out, hone_error *err);
hone_status hone__cache_store(const char *folder, const char *key,
                              const hone_compile_output *output,
                              hone_error *err);

#endif
