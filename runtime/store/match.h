/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of hone__match_find(), see store.h: candidates for a problem, the
 * answer that is chosen of them, and why, as sentences. */
#ifndef HONE_RUNTIME_MATCH_H
#define HONE_RUNTIME_MATCH_H

#include "runtime/launch/launch_body.h"
#include "runtime/store/code_arch.h"
#include "runtime/store/store.h"

/* The problem as one of the stores understands it. */
typedef struct hone_match_source {
    hone_store *store;
    size_t place; /* in the order of the query's stores */
    hone_store_op *op;
    const hone_launch_spec *spec; /* of any row: all have the same dims; NULL:
                                     this store has nothing to say */
    const hone_store_row *sample; /* whose it is */
    int64_t dims[HONE_MAX_DIMS];  /* completed */
    size_t n_dims;
    int is_nothing;                     /* any row will do: none is launched */
    unsigned followers;                 /* see hone__match_followers() */
    char types[HONE_MAX_DIMS * 21 + 1]; /* codes of the type dims, as rows
                                           spell them */
} hone_match_source;

/* What a chooser says of a problem. */
typedef struct hone_chosen {
    const hone_store_chooser *by;
    hone_chooser_decision decision;
} hone_chosen;

/* A row that may answer; better ones compare lower. */
typedef struct hone_candidate {
    const hone_match_source *source;
    hone_store_row *row;
    hone_match_kind kind;
    hone_code_form form;
    int is_preferred; /* as a default, by its preference */
    double distance;  /* of neighbours and of other devices' rows: sum of |log
                        ratio| over the dims, and of multiprocessors; of
                        defaults the preference */
    int mismatch;     /* other device name, mode, driver */
    int n_older;      /* minor versions from its architecture to this one */
    const hone_chosen *chosen; /* NULL: it is of no chooser */
} hone_candidate;

/* Preferences of defaults (db/FORMAT.md): up to this of templates and vendors,
 * above it of references. */
#define HONE_PREFERENCE_OF_OTHERS 2.0

/* What every step reads. */
typedef struct hone_matcher {
    const hone_query *query;
    const hone_target *target; /* the query's */
    hone_match_source *sources;
    size_t n_sources;
    const hone_match_source *about; /* whose dims sentences have */
    char arch[16];                  /* of the device: "sm_90", "cpu" */
    char device[64];                /* "sm_90 with 132 multiprocessors" */
    size_t n_waiting;               /* rows that LATER leaves out */
    size_t n_outdated;              /* kernels of an older template */
    char outdated[80]; /* " (3 kernels of an older template are left out)",
                          or nothing */
    size_t most;       /* neighbours that are looked at */
    size_t n_damaged;  /* better ones that were left out for that */
    const hone_store *damaged_in; /* the last of them */
    size_t n_refused;   /* better functions of vendors that cannot be used */
    hone_error refusal; /* why the best of them */
    hone_error why;     /* the best row does not answer */
    const char *no_chooser; /* why the first of the choosers is not used */
} hone_matcher;

/* The dims whose default is an expression, and that have it: such a leading
 * dimension says nothing about a shape that the others do not. */
unsigned hone__match_followers(const hone_launch_spec *spec,
                               const int64_t *dims);
/* Does its code run here, as far as its architecture says? */
int hone__match_runs_here(const hone_matcher *m, const hone_store_row *row);
/* How unlike the device, the mode and the driver are in which something was
 * measured. */
int hone__match_mismatches(const hone_matcher *m, const char *device_name,
                           int is_cold, const char *driver_version);
/* Candidates of one kind, best first, from all sources. */
hone_status hone__match_candidates(const hone_matcher *m, hone_match_kind kind,
                                   hone_candidate **out, size_t *out_n,
                                   hone_error *err);

/* What became of looking through candidates. */
typedef enum hone_outcome {
    HONE_OUTCOME_NOBODY, /* answers */
    HONE_OUTCOME_FOUND,
    HONE_OUTCOME_AGAIN /* there are more rows now, and all have to be sorted
                          again */
} hone_outcome;

/* Does this candidate answer? Where it does not, `m->why` tells the best one's
 * reason. */
hone_status hone__match_try(hone_matcher *m, const hone_candidate *c,
                            hone_answer *out, hone_outcome *result,
                            hone_error *err);
/* The members that choosers prefer: of devices like this one as
 * HONE_MATCH_CHOSEN, of others as HONE_MATCH_FAMILY. `*result` begins as
 * HONE_OUTCOME_NOBODY. */
hone_status hone__match_choose(hone_matcher *m, hone_match_kind kind,
                               hone_answer *out, hone_outcome *result,
                               hone_error *err);

/* Which row answers, and why. */
void hone__match_explain(const hone_matcher *m, const hone_candidate *c,
                         hone_answer *answer);
/* Errors that say what to run: no candidate answers, the best one for what
 * `m->why` says; there is no such operation. */
hone_status hone__match_nothing_runs(const hone_matcher *m, hone_error *err);
hone_status hone__match_unknown_op(const hone_matcher *m, hone_error *err);

#endif
