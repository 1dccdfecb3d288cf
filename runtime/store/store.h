/* SPDX-License-Identifier: Apache-2.0 */
/* The database as the runtime reads it: opened read-only, the views winner_v1,
 * default_v2 and ranked_v1 (db/FORMAT.md), everything of one operation kept in
 * memory once it was asked for. Not thread-safe: the owner locks. */
#ifndef HONE_RUNTIME_STORE_H
#define HONE_RUNTIME_STORE_H

#include "runtime/base/alloc.h"
#include "runtime/store/database.h"

/* A launch plan, shared by the rows whose text is the same. */
typedef struct hone_store_plan {
    const char *text;
    hone_launch_spec *spec; /* NULL until hone__store_spec() */
    struct hone_store_plan *next;
} hone_store_plan;

/* One row of a view. Strings belong to the op and are never NULL, but for
 * launch_sha256 and damage. */
typedef struct hone_store_row {
    int64_t rank;   /* in the ranking of its problem, 1: of winner_v1; 0: of
                       default_v2 */
    int is_default; /* the template's default configuration */
    int is_cold;    /* measured in cold mode */
    int64_t id;     /* trial_id of a winner, variant_id of a default */
    size_t n_dims;  /* 0 for defaults */
    int64_t dims[HONE_MAX_DIMS];
    int64_t sm_count;  /* 0 for defaults */
    double time_ns;    /* 0 for defaults */
    double preference; /* of defaults: the lowest that applies is launched */
    const char *label;
    const char *device_name;
    const char *driver_version;
    const char *arch;         /* of the device: "sm_90" */
    const char *compile_arch; /* what the cubin is for: "sm_90a" */
    const char *types;        /* codes of the type dims: "4", "" if none */
    const char *config;
    const char *implementation; /* the template's name */
    const char *cubin_sha256;   /* "": a function of a vendor's library */
    const char *launch_sha256;  /* NULL: stored before format version 4 */
    hone_store_plan *plan;
    int64_t problem_id; /* these two and the mode: its ranking */
    int64_t device_id;
    const char *damage;   /* why it must not be launched; NULL: nothing is
                             known to be wrong */
    int is_plan_checked;  /* by hone__store_spec() */
    int is_cubin_checked; /* by hone__store_check_cubin() */
    int has_runners_up;   /* hone__store_runners_up() was called */
    int is_refused;       /* cannot be used, says the query that is answered */
} hone_store_row;

/* All that is known of one operation. */
typedef struct hone_store_op {
    hone_arena arena;
    const char *name;
    size_t n_rows;
    hone_store_row *rows;
    size_t n_outdated;   /* winners of an older template, left out of rows */
    size_t n_unreadable; /* rows that make no sense, left out as well */
    hone_store_plan *plans;
    struct hone_store_op *next;
} hone_store_op;

typedef struct hone_store {
    hone_database file;
    int64_t version;      /* of the format */
    int64_t data_version; /* of the file when `ops` were read */
    hone_store_op *ops;
    const char *device_kind; /* whose rows are read: "cuda" or "cpu" */
} hone_store;

/* What changes whenever another connection has written. */
#define HONE_STORE_CHANGES "PRAGMA data_version"

/* HONE_ERR_NOT_FOUND: no such file; HONE_ERR_DATABASE: not one of ours, or
 * of a newer hone. */
hone_status hone__store_open(const char *path, hone_store **out,
                             hone_error *err);
void hone__store_close(hone_store *store); /* NULL is a no-op */

/* Device kind and architecture of the cpu device, as rows have them. */
#define HONE_ARCH_CPU "cpu"

/* Which rows there are: those of GPUs (the default), or those of the cpu
 * device. Never both, their times and their code have nothing in common. */
void hone__store_select(hone_store *store, int is_host);

/* Forget what was read: what hone__store_op() gave is not valid any more. */
void hone__store_forget(hone_store *store);

/* Valid until the next call of this function: it starts again when the
 * database was changed meanwhile. An unknown operation has no rows. */
hone_status hone__store_op(hone_store *store, const char *name,
                           hone_store_op **out, hone_error *err);

/* The row's launch plan, parsed on first use; belongs to the op. It is the
 * one that was stored with the rest of the row (launch_sha256), of this
 * operation and for the row's configuration; else HONE_ERR_DATABASE, the row
 * has `damage` from then on, and only it is affected. HONE_ERR_INPUT: this
 * hone cannot read it. */
hone_status hone__store_spec(const hone_store *store, hone_store_op *op,
                             hone_store_row *row, const hone_launch_spec **out,
                             hone_error *err);

/* Is the row's cubin there, with its SHA-256? A plan with a vendor's function
 * has none. HONE_ERR_DATABASE as above. */
hone_status hone__store_check_cubin(const hone_store *store, hone_store_op *op,
                                    hone_store_row *row, hone_error *err);
/* Append the row's cubin, checked against its SHA-256. */
hone_status hone__store_cubin(const hone_store *store,
                              const hone_store_row *row, hone_text *out,
                              hone_error *err);

/* Add the lower places of a winner's ranking to the op: what is launched in
 * its stead. `op->rows` moves. A file of format version 3 or older shows
 * none. */
hone_status hone__store_runners_up(hone_store *store, hone_store_op *op,
                                   size_t winner, hone_error *err);

/* Append the operations there are: "gemm, saxpy". */
hone_status hone__store_list_ops(hone_store *store, hone_text *out,
                                 hone_error *err);

/* ---- match.c ---------------------------------------------------------------
 *
 * Which row answers a problem on a device: the exact shape, a guarded
 * neighbour, or the default variant; see README.md for the rules. */

/* The device a kernel is wanted for. */
typedef struct hone_target {
    int is_host; /* the cpu device: only what was compiled for it runs */
    hone_properties properties;
    char name[256];          /* "NVIDIA H200" */
    char driver_version[16]; /* "13000"; "" of the cpu device */
} hone_target;

/* An answer; `row` and the names in `resolved` belong to the store. */
typedef struct hone_answer {
    const hone_store_row *row;
    hone_resolved resolved;
    hone_vendor_choice library; /* what `resolved` has instead of the row's,
                                   where that is for another shape */
    hone_match match;
    char note[160]; /* of `use`: what is not as it was stored; "": nothing */
} hone_answer;

/* What is asked for. */
typedef struct hone_query {
    hone_store *store;
    const hone_target *target;
    const char *op;
    const int64_t *dims;
    size_t n_dims;
    /* Makes use of an answer, all but its match. Where that fails and the
     * answer is a function of a vendor's library, the next best one is tried;
     * any other failure is the caller's. NULL: every answer will do. */
    hone_status (*use)(void *user, hone_answer *answer, hone_error *err);
    void *user;
} hone_query;

/* HONE_ERR_NOT_FOUND says what there is and what to do; HONE_ERR_DIMS also
 * for shapes that nobody tuned. */
hone_status hone__match_find(const hone_query *query, hone_answer *out,
                             hone_error *err);

/* Does a cubin for `compile_arch` ("sm_90", "sm_90a") run on compute
 * capability `sm` (90)? */
int hone__arch_runs_on(const char *compile_arch, int64_t sm);

#endif
