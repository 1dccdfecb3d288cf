/* SPDX-License-Identifier: Apache-2.0 */
/* A file of winners as the runtime reads it, a database or a pack: opened
 * read-only, what was read of an operation kept in memory. What differs between
 * the two is a row of functions (store_kind.h). Not thread-safe: the owner
 * locks. */
#ifndef HONE_RUNTIME_STORE_H
#define HONE_RUNTIME_STORE_H

#include "runtime/base/alloc.h"
#include "runtime/base/table.h"
#include "runtime/choose/chooser.h"
#include "runtime/store/launch_hash.h"

/* A launch plan, shared by the rows whose text is the same. */
typedef struct hone_store_plan {
    const char *text; /* these two are NULL until hone__store_spec() */
    hone_launch_spec *spec;
    uint32_t blob; /* of a pack: where the text is */
    struct hone_store_plan *next;
} hone_store_plan;

/* A winner, a lower place of its ranking, or a default. Strings belong to the
 * op or the store and are never NULL, but for launch_sha256 and damage. */
typedef struct hone_store_row {
    int64_t rank;   /* in the ranking of its problem, 1: the winner; 0: a
                       default */
    int is_default; /* the template's default configuration */
    int is_member;  /* of a chooser, with a rank of 0: not said by a view of
                       winners or defaults */
    int is_cold;    /* measured in cold mode */
    int64_t id;     /* trial_id of a winner, variant_id of a default; of a
                       pack the number of its variant */
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
    const char *launch_sha256;  /* NULL: from before format version 4 */
    hone_store_plan *plan;
    int64_t problem_id; /* these two and the mode: its ranking */
    int64_t device_id;
    const char *damage;   /* why it must not be launched; NULL: nothing is
                             known to be wrong */
    int is_plan_checked;  /* by hone__store_spec() */
    int is_cubin_checked; /* by hone__store_check_cubin() */
    int has_runners_up;   /* hone__store_runners_up() was called */
    uint64_t refused_by;  /* the number of the query that cannot use it */
} hone_store_row;

/* What was learned of an operation on one device: which of a few variants is
 * the fastest where nobody tuned. Strings as in a row. */
typedef struct hone_store_chooser {
    const char *types; /* codes of the type dims */
    const char *device_name;
    const char *driver_version;
    const char *arch;
    int64_t sm_count;
    int is_cold;
    int64_t id;       /* of the record that has its text */
    int is_loaded;    /* by hone__store_load_chooser() */
    const char *lack; /* why it cannot be used; NULL: nothing is known */
    hone_chooser *chooser;
    hone_store_row *rows[HONE_CHOOSER_MEMBERS]; /* of the chooser's members;
                                                   NULL: it is not there */
    struct hone_store_chooser *next;
} hone_store_chooser;

/* What was read of one operation. Rows stay where they are until the op is
 * forgotten. */
typedef struct hone_store_op {
    hone_arena arena;
    const char *name;
    const char *config; /* rows of this configuration alone; NULL: all that
                           may be the best */
    const char *implementation; /* and of this one; NULL: of any */
    size_t n_rows;              /* those that were gathered last */
    hone_store_row **rows;
    int has_more;        /* rows of the kind that were not gathered */
    size_t n_outdated;   /* kernels of an older template, left out of rows */
    size_t n_unreadable; /* rows that make no sense, left out as well */
    hone_store_plan *plans;
    hone_table kept;  /* of a pack: its rows and plans that were read */
    const void *self; /* of a pack: its record; NULL: it has none */
    /* Of a database: all rows, or one that tells the dims and those of the last
     * problem that was asked for, then of those near it, then defaults. */
    int is_whole;
    const char *problem; /* its dims as text; NULL: none yet */
    int has_near;
    int has_defaults;
    int n_near;       /* problems whose neighbours were looked for */
    int has_choosers; /* they were read */
    hone_store_chooser *choosers;
    struct hone_store_op *next;
} hone_store_op;

typedef struct hone_store {
    const struct hone_store_kind *kind; /* database or pack: store_kind.h */
    char *path;                         /* as sentences name it */
    hone_store_op *ops;
    hone_store_op *configured; /* of the last configuration asked for */
    const char *device_kind;   /* whose rows are read: "cuda" or "cpu" */
    uint64_t n_queries;        /* so far, for hone_store_row.refused_by */
} hone_store;

/* Where winners come from. */
typedef struct hone_store_source {
    const char *path; /* a database or a pack; NULL: `pack` */
    const void *pack; /* in memory, stays there while it is open */
    size_t pack_bytes;
    const char *sha256; /* the pack's, 64 hex digits; NULL: any */
} hone_store_source;

/* HONE_ERR_NOT_FOUND: no such file; HONE_ERR_DATABASE: not one of ours, of a
 * newer hone, damaged, or not the one with this SHA-256; HONE_ERR_ARGUMENT: a
 * SHA-256 that is none, or of a database. */
hone_status hone__store_open_source(const hone_store_source *source,
                                    hone_store **out, hone_error *err);
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
 * database was changed meanwhile. An unknown operation has no rows; others have
 * some at least, of which one tells the dims. */
hone_status hone__store_op(hone_store *store, const char *name,
                           hone_store_op **out, hone_error *err);

/* Its rows of one configuration, which may be written in any order, in every
 * place of a ranking; `implementation` NULL: of any. None: there is no such
 * row. Valid until the next call. */
hone_status hone__store_op_configured(hone_store *store, const char *name,
                                      const char *implementation,
                                      const char *config, hone_store_op **out,
                                      hone_error *err);
/* Is a row with these one of the op's? */
int hone__store_op_takes(const hone_store_op *op, const char *implementation,
                         const char *config);

/* Which rows are wanted for a problem. */
typedef struct hone_wanted {
    hone_match_kind kind; /* may answer like this */
    int is_any;           /* or any way: nothing will be launched */
    const char *arch;     /* of the device */
    int64_t sm_count;
    const char *types; /* codes of the type dims, as rows have them */
    const int64_t *dims;
    size_t n_dims;
    /* How far rows with these dims are, negative: they must not stand in; the
     * nearest `most` are enough. SIZE_MAX: all of the kind. */
    double (*distance)(const void *user, const int64_t *dims);
    const void *user;
    size_t most;
} hone_wanted;

/* Let `op->rows` have all rows that may answer; more of them do no harm. NULL:
 * as hone__store_op() gives it. */
hone_status hone__store_gather(hone_store *store, hone_store_op *op,
                               const hone_wanted *wanted, hone_error *err);

/* Let `op->rows` have more rows that tell the op's dims, where those that
 * hone__store_op() gave are damaged. */
hone_status hone__store_widen(hone_store *store, hone_store_op *op,
                              hone_error *err);

/* The row's launch plan, parsed on first use; belongs to the op. It is the
 * one that was stored with the rest of the row (launch_sha256), of this
 * operation and for the row's configuration; else HONE_ERR_DATABASE, the row
 * has `damage` from then on, and only it is affected. HONE_ERR_INPUT: this
 * hone cannot read it. */
hone_status hone__store_spec(hone_store *store, hone_store_op *op,
                             hone_store_row *row, const hone_launch_spec **out,
                             hone_error *err);

/* Is the row's cubin there, with its SHA-256? A plan with a vendor's function
 * has none. HONE_ERR_DATABASE as above. */
hone_status hone__store_check_cubin(const hone_store *store, hone_store_op *op,
                                    hone_store_row *row, hone_error *err);
/* The row is damaged, as showed when it was made use of: `why`, whose status is
 * returned (HONE_ERR_NO_MEMORY if that cannot be kept). */
hone_status hone__store_blame(hone_store_op *op, hone_store_row *row,
                              hone_error *why);
/* Append the row's cubin, checked against its SHA-256. */
hone_status hone__store_cubin(const hone_store *store,
                              const hone_store_row *row, hone_text *out,
                              hone_error *err);

/* Add the lower places of a winner's ranking to the op: what is launched in
 * its stead. A database of format version 3 or older shows none; those that a
 * pack has are gathered with the winner. */
hone_status hone__store_runners_up(hone_store *store, hone_store_op *op,
                                   hone_store_row *winner, hone_error *err);

/* Let `op->choosers` have all there are, in the order in which they are stored.
 */
hone_status hone__store_choosers(hone_store *store, hone_store_op *op,
                                 hone_error *err);
/* Read its text and the rows of its members, once. What is not as it was stored
 * or of another hone is no error: it has a `lack` then. `plan` is of the op,
 * its dims are not read. */
hone_status hone__store_load_chooser(hone_store *store, hone_store_op *op,
                                     hone_store_chooser *chooser,
                                     const hone_launch_case *plan,
                                     hone_error *err);

/* Gets names, one after the other; each is valid during the call. */
typedef struct hone_name_visitor {
    hone_status (*visit)(void *user, const char *name, hone_error *err);
    void *user;
} hone_name_visitor;

/* The operations there are, in alphabetical order. */
hone_status hone__store_visit_ops(hone_store *store,
                                  const hone_name_visitor *visitor,
                                  hone_error *err);
/* The implementations that an op has rows of; the same one may come again. */
hone_status hone__store_visit_implementations(hone_store *store,
                                              const hone_store_op *op,
                                              const hone_name_visitor *visitor,
                                              hone_error *err);
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
    const hone_store *store;
    const hone_store_row *row;
    hone_resolved resolved;
    hone_vendor_algorithm library; /* what `resolved` has instead of the row's,
                                   where that is for another shape */
    hone_match match;
    size_t n_left_out; /* better ones, damaged or of no use here */
    char note[160];    /* of `use`: what is not as it was stored; "": nothing */
    int64_t compile_ns; /* of `use`: what compiling its code took, once */
    int is_waiting;     /* there is PTX that would answer, once compiled */
} hone_answer;

/* When code is compiled that is there as PTX. LATER: as long as anything else
 * answers, only what is compiled by now does. */
typedef enum hone_compile_when {
    HONE_COMPILE_NOW,
    HONE_COMPILE_LATER,
    HONE_COMPILE_NEVER
} hone_compile_when;

/* What is asked for. */
typedef struct hone_query {
    hone_store *const *stores; /* the first one goes before the others */
    size_t n_stores;
    const hone_target *target;
    const char *op;
    const int64_t *dims;
    size_t n_dims;
    /* This configuration, of this implementation or, NULL, any. NULL: the best
     * there is. */
    const char *config;
    const char *implementation;
    /* Makes use of an answer, all but its match, of which there is the kind.
     * Where that fails and the
     * answer is a function of a vendor's library, the next best one is tried;
     * any other failure is the caller's. NULL: every answer will do. */
    hone_status (*use)(void *user, hone_answer *answer, hone_error *err);
    void *user;
    hone_compile_when compile;
    /* Was the PTX of a row compiled? Not asked where it is NOW. */
    int (*is_compiled)(void *user, const hone_store_row *row);
} hone_query;

/* HONE_ERR_NOT_FOUND says what there is and what to do; HONE_ERR_DIMS also
 * for shapes that nobody tuned. */
hone_status hone__match_find(const hone_query *query, hone_answer *out,
                             hone_error *err);

#endif
