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

/* Key of a compile: SHA-256 over everything that the compiler is given, over
 * what it opens itself (`opened`, a digest; "" if nothing) and over the
 * compiler. HONE_ERR_NO_MEMORY. */
hone_status hone__cache_key(const hone_compile_input *input,
                            const hone_toolchain *toolchain, const char *opened,
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

typedef struct hone_cache_checked {
    int is_cache; /* it has a CACHEDIR.TAG */
    int64_t n;    /* entries */
    int64_t n_damaged;
    char first[80]; /* of those: ab/<key> */
} hone_cache_checked;

/* Read every entry. Nothing is written. HONE_ERR_IO; HONE_ERR_INPUT: the folder
 * is no cache. */
hone_status hone__cache_check(const char *folder, hone_cache_checked *out,
                              hone_error *err);

/* ---- temporary folders ---------------------------------------------------
 * Temporary folders of compile processes, for precompiled headers and units:
 * one each, since shared ones race. A process keeps a lock on a file in its
 * folder for as long as it lives, so that others, also in another container
 * or on another machine with the same disk, see which folders are left
 * behind. */

/* Make this process's folder below $TMPDIR or /tmp. Returns `path`, or NULL
 * if none can be made (compiles then go without). The lock is let go when the
 * process ends. */
const char *hone__work_folder_make(char *path, size_t size);
/* Remove it and what is in it; NULL is a no-op. */
void hone__work_folder_remove(const char *path);
/* Remove this user's folders of processes that are gone, e.g. killed. */
void hone__work_folder_sweep(void);

#endif
