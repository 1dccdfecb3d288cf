/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled variants on disk, found by the content they were made from. The
 * same folder may be used by any number of processes, copied between machines
 * (paths are no part of a key) and deleted at any time.
 *
 *   CACHEDIR.TAG   backup programs pass it over
 *   ab/<key>       an entry; appears whole or not at all
 *   tmp/           entries being written; old ones are swept
 *   lock           a byte per key: one process at a time compiles a key
 *   trimmed        when a limit was last seen to
 *
 * On a folder that machines share nothing depends on locks, which network disks
 * may not have: without one a key may be compiled twice, and the same bytes
 * replace the same. Entries appear by rename, and one that goes while it is
 * read is a miss.
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

/* Who may write to the cache may write to what is in it, whatever the umask of
 * the user who made it: what `fd`, a file or a folder of the cache's, needs
 * more than it has. Somebody else's is left as it is. */
void hone__cache_share(const char *folder, int fd);

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

/* ---- how much there is (cache_room.c) -------------------------------------
 */

typedef struct hone_cache_entry {
    char key[HONE_SHA256_HEX];
    int64_t size_bytes;
    int64_t used_unix_s; /* when it was last used, to a day */
} hone_cache_entry;

typedef struct hone_cache_entries {
    hone_cache_entry *items; /* the one used longest ago first */
    size_t n;
    int64_t size_bytes;
} hone_cache_entries;

/* All entries, by their names and sizes. Free with hone__cache_entries_free(),
 * also on failure. HONE_ERR_IO; HONE_ERR_INPUT: the folder is no cache. */
hone_status hone__cache_entries(const char *folder, hone_cache_entries *out,
                                hone_error *err);
void hone__cache_entries_free(hone_cache_entries *entries);

typedef struct hone_cache_trimmed {
    int64_t n_before, n_gone;
    int64_t bytes_before, bytes_gone;
} hone_cache_trimmed;

/* Remove entries that were used longest ago until at most `most_bytes` are
 * left; with `is_tried` only count. What others remove meanwhile is gone as
 * well. As hone__cache_entries(); HONE_ERR_IO if one cannot be removed. */
hone_status hone__cache_trim(const char *folder, int64_t most_bytes,
                             int is_tried, hone_cache_trimmed *out,
                             hone_error *err);
/* The same, unless somebody did it within the hour, to nine tenths, so that it
 * is not done again at once. What cannot be done is left. */
void hone__cache_keep_below(const char *folder, int64_t most_bytes);

#endif
