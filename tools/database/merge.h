/* SPDX-License-Identifier: Apache-2.0 */
/* What hone merge says of lists of problems that were shared out among machines
 * (db/db_shards.h): which shards are not there, and what they would hold. */
#ifndef HONE_TOOLS_MERGE_H
#define HONE_TOOLS_MERGE_H

#include "db/db_shards.h"
#include "tools/base/output.h"

typedef struct hone_merge_shard {
    char list[HONE_SHARD_LIST_ID];
    int shard, n_shards;
    int is_begun; /* else nothing of it is there */
    int64_t n_open;
    hone_text words;  /* the first problems, for people */
    json_t *problems; /* all */
} hone_merge_shard;

typedef struct hone_merge_open {
    hone_db_shards all;
    hone_merge_shard *items; /* with something open */
    size_t n;
    int64_t n_missing;             /* of these, not begun */
    char list[HONE_SHARD_LIST_ID]; /* that is read, and of its shards .. */
    size_t *places;                /* .. where each is, from 1 */
} hone_merge_open;

/* Note where two of the files are the same shard, and none is a copy. */
hone_status hone__merge_say_twice(const char *const *paths, size_t n,
                                  hone_error *err);

/* Free with hone__merge_open_free(), also after a failure. */
hone_status hone__merge_open_read(hone_db *db, hone_merge_open *out,
                                  hone_error *err);
void hone__merge_open_free(hone_merge_open *open);
void hone__merge_open_rows(hone_merge_open *open, hone_output *output);
void hone__merge_open_say(const hone_merge_open *open, const char *db);

#endif
