/* SPDX-License-Identifier: Apache-2.0 */
/* A list of problems that several tuners share out among databases of their
 * own: what a database keeps of it, so that a merge can say what is not there.
 *
 * The list is an artifact (FORMAT.md). A session that belongs to it says so at
 * the end of its budget: "200, shard 3/6 of 0123456789abcdef", or of a problem
 * that several shards have, "shard 3/6 of 0123456789abcdef part 2/4". */
#ifndef HONE_DB_DB_SHARDS_H
#define HONE_DB_DB_SHARDS_H

#include "db/db.h"

enum {
    HONE_SHARD_LIST_ID = 17, /* with its NUL: the beginning of the SHA-256 */
    HONE_SHARD_MARK = 96
};

/* A line of it. */
typedef struct hone_db_listed {
    int shard;   /* of 1 .. n_shards: the first that has some of it */
    int n_parts; /* so many have */
    const char *op;
    const char *dims; /* as the database has them */
    const char *name; /* what is tuned: the operation, or one implementation */
} hone_db_listed;

/* Begin the text of a list, append a line, and its id. */
void hone__db_shards_begin(int n_shards, hone_text *out);
void hone__db_shards_add(const hone_db_listed *line, hone_text *out);
void hone__db_shards_id(const hone_text *list, char out[HONE_SHARD_LIST_ID]);
/* The mark of a session of shard `shard`. */
void hone__db_shards_mark(int shard, int n_shards, const char *id,
                          const hone_db_listed *line,
                          char out[HONE_SHARD_MARK]);
/* Keep the list in the database; again it is kept once. */
hone_status hone__db_shards_put(hone_db *db, const hone_text *list,
                                hone_error *err);

/* A problem of a shard that has no session which came to its end. */
typedef struct hone_db_unshared {
    const char *list; /* its id */
    int shard;
    int n_shards;
    int is_begun;      /* the shard has some session */
    int part, n_parts; /* from 1 */
    const char *op, *dims, *name;
} hone_db_unshared;

/* Of all lists of the database, and how they are. */
typedef struct hone_db_shards {
    int64_t n_lists;
    int64_t n_shards;   /* that there should be */
    int64_t n_problems; /* a part of one counts as one */
    int64_t n_open;     /* of these, not tuned */
    int64_t
        n_lost; /* lists that sessions name and the database does not have */
} hone_db_shards;

typedef hone_status (*hone_db_unshared_fn)(void *user,
                                           const hone_db_unshared *row,
                                           hone_error *err);
/* Every problem that is open, list by list in the order of its lines. A session
 * of the list counts for the line and part that it was of; one that is of none,
 * on a device of the list, for every line with its problem, if it was tuned as
 * a whole. */
hone_status hone__db_shards_open(hone_db *db, hone_db_unshared_fn each,
                                 void *user, hone_db_shards *out,
                                 hone_error *err);

/* The marks of a database without their parts, "shard 3/6 of ID", each with
 * when its first session began (Unix seconds), in text order. */
typedef hone_status (*hone_db_mark_fn)(void *user, const char *mark,
                                       int64_t first_unix_s, hone_error *err);
hone_status hone__db_shards_marks(hone_db *db, hone_db_mark_fn each, void *user,
                                  hone_error *err);

#endif
