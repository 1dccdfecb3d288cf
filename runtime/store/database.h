/* SPDX-License-Identifier: Apache-2.0 */
/* A database file of hone's as every part of hone opens it: the same checks,
 * the same settings of the connection, the same sentences. What is in it is
 * db/FORMAT.md's business. A connection belongs to one thread at a time and
 * must not be carried across fork(). */
#ifndef HONE_RUNTIME_DATABASE_H
#define HONE_RUNTIME_DATABASE_H

#include "runtime/base/hash.h"
#include "runtime/base/text.h"

/* Where there is none, with its path: also of libhone, which may have nothing
 * that reads databases. */
#define HONE_NO_DATABASE                                                       \
    "there is no database '%s'; `hone tune` makes one, HONE_DB names another"

struct sqlite3; /* of sqlite3.h */
struct sqlite3_stmt;

enum {
    HONE_DB_APPLICATION_ID = 0x686f6e65, /* "hone" */
    HONE_DB_VERSION = 11,                /* user_version that we write */
    HONE_DB_BUSY_TIMEOUT_MS = 5000       /* for another process's write */
};

/* How long one statement may compute. A file may come from anywhere, and a view
 * in it may never come to an end. */
enum {
    HONE_DB_READ_SECONDS = 20,   /* the slowest known take half a second */
    HONE_DB_SHOW_SECONDS = 60,   /* of commands, which read more of it */
    HONE_DB_WRITE_SECONDS = 7200 /* checks and merges of all of it */
};

typedef struct hone_database_clock {
    int64_t begun_ns; /* the statement, on the thread's clock of computing */
    int64_t limit_ns; /* 0: none */
    int is_over;
} hone_database_clock;

typedef struct hone_database {
    struct sqlite3 *handle; /* NULL: not open */
    char *path;
    hone_database_clock *clock;
    int lockless; /* SQLite's code of why it is read without locks; 0: with */
} hone_database;

/* Where the database is when nobody says. Append $HONE_DB, else
 * $XDG_DATA_HOME/hone/hone.db, else $HOME/.local/share/hone/hone.db; the file
 * need not exist. HONE_ERR_NOT_FOUND if none of the three is set. */
hone_status hone__default_database(hone_text *out, hone_error *err);

typedef enum hone_database_access {
    /* Works on read-only storage too, and where locks fail: the file is read
     * as it stands then, without locks. */
    HONE_DATABASE_READ,
    HONE_DATABASE_WRITE, /* an existing file */
    HONE_DATABASE_CREATE /* the same; the file and its folder may be missing */
} hone_database_access;

/* Open a file and look whether it is one of ours. `*out_version` gets its
 * format, 1 .. HONE_DB_VERSION, or 0 for one that is empty or was just made
 * (HONE_DATABASE_CREATE only). HONE_ERR_ARGUMENT (an empty name),
 * HONE_ERR_NOT_FOUND (no such file), HONE_ERR_DATABASE (not SQLite, not ours,
 * damaged, of a newer hone), HONE_ERR_IO, HONE_ERR_BUSY, HONE_ERR_NO_MEMORY;
 * nothing is open then. */
hone_status hone__database_open(const char *path, hone_database_access access,
                                hone_database *out, int64_t *out_version,
                                hone_error *err);
void hone__database_close(hone_database *db); /* back to {0} */

/* Seconds of computing from the next statement on; $HONE_DB_SECONDS, if it is
 * set, instead. */
void hone__database_limit(const hone_database *db, int64_t seconds);

/* A statement is prepared, and its time begins; while rows of another one are
 * read, it belongs to that one. */
void hone__database_begin(const hone_database *db);

/* Append the file's name as a URI for SQLite, without a query. */
void hone__database_uri(const char *path, hone_text *out);

/* The sentence for SQLite's code: what failed, why, how to mend it. `doing`
 * completes "cannot ..". */
hone_status hone__database_fail(const hone_database *db, int code,
                                const char *doing, hone_error *err);

/* A statement that the caller binds, steps and finalises. */
hone_status hone__database_prepare(const hone_database *db, const char *doing,
                                   const char *sql, struct sqlite3_stmt **out,
                                   hone_error *err);
/* The first column of the first row, 0 if there is none. */
hone_status hone__database_integer(const hone_database *db, const char *doing,
                                   const char *sql, int64_t *out,
                                   hone_error *err);

/* An artifact: one zstd frame whose name is the SHA-256 of its content. The
 * statement is at a row with its uncompressed size and the frame. Append the
 * content to `out`; HONE_ERR_DATABASE without a native code: it is damaged.
 * `what` and `which` follow "is damaged: ", e.g. "the cubin of", "BM=64". */
hone_status hone__artifact_unpack(const hone_database *db, const char *what,
                                  const char *which, const char *sha256,
                                  struct sqlite3_stmt *row, hone_text *out,
                                  hone_error *err);
enum { HONE_ARTIFACT_MOST_BYTES = 64 << 20 };

#endif
