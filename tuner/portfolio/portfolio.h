/* SPDX-License-Identifier: Apache-2.0 */
/* A portfolio: variants of all implementations, and vendors' functions, timed
 * at every tuned problem of an operation; what a pack ships, and what the
 * runtime's chooser learns from. README.md has the steps. */
#ifndef HONE_TUNER_PORTFOLIO_H
#define HONE_TUNER_PORTFOLIO_H

#include "runtime/choose/chooser.h"
#include "tuner/session/tune.h"

/* Fewer problems are none: nothing could be left out. */
enum { HONE_PORTFOLIO_LEAST_PROBLEMS = 2 };
/* Members: with the last one the geometric mean, over the problems and likely
 * ones with their weights, still has to gain so much. */
enum { HONE_PORTFOLIO_LEAST = 8, HONE_PORTFOLIO_MOST = 32 };
#define HONE_PORTFOLIO_GAIN 0.002
/* Beside them, for a chooser, specialists: each still has to gain so much of
 * what likely problems cost. */
enum { HONE_PORTFOLIO_WITH_SPECIALISTS = 224 };
#define HONE_PORTFOLIO_SPECIALIST_GAIN 0.0002

/* X(NAME, what takes the time), in the order in which they begin first.
 * Settling goes back to earlier ones, whose seconds add up. */
#define HONE_PORTFOLIO_STEP_MAP(X)                                             \
    X(likely, "problems and candidates, and what is likely between them")      \
    X(spaces, "which candidates are valid where")                              \
    X(candidates, "candidates, chosen and timed at every problem")             \
    X(edges, "members, chosen and verified on edge shapes")                    \
    X(specialists, "specialists, chosen, timed at two problems and verified")  \
    X(homes, "specialists, timed near to where they are good")                 \
    X(reach, "all of these, verified at large sizes")                          \
    X(learning, "the chooser, trained and stored")

typedef enum hone_portfolio_step {
#define HONE_PORTFOLIO_STEP(name, what) HONE_STEP_##name,
    HONE_PORTFOLIO_STEP_MAP(HONE_PORTFOLIO_STEP)
#undef HONE_PORTFOLIO_STEP
        HONE_N_PORTFOLIO_STEPS
} hone_portfolio_step;

typedef struct hone_portfolio_member {
    char implementation[64];
    char config[256];
    int is_vendor;
    int is_default;
    size_t n_best;  /* problems at which no member is faster */
    size_t n_right; /* at which it was right */
} hone_portfolio_member;

/* How much slower a choice is than the best member at a problem that was left
 * out: 0.02 for 2 %. */
typedef struct hone_portfolio_loss {
    size_t n;    /* problems at which there was a choice */
    double mean; /* geometric, over them */
    double worst;
} hone_portfolio_loss;

/* Of all problems that have the same types. */
typedef struct hone_portfolio_result {
    const char *types; /* codes, comma-joined; "": the operation has none */
    size_t n_problems;
    size_t n_candidates; /* that were measured everywhere */
    int64_t n_measured;  /* trials of this run */
    int64_t n_known;     /* of before, of those candidates */
    int64_t n_failed;    /* of these in all: wrong, or not to be launched */
    int64_t n_compiles;  /* of the compiler: cubins that were not stored */
    size_t n_out;     /* candidates that were wrong, crashed or hung at one */
    size_t n_better;  /* problems that have another winner now */
    size_t n_skipped; /* problems that could not be set up */
    size_t n_members;
    hone_portfolio_member members[HONE_PORTFOLIO_MOST];
    size_t n_specialists; /* that a chooser knows beside them */
    /* How often variants were measured at a problem that is not tuned: where
     * they are good, or where it is as large as it may be for them. */
    size_t n_further;
    /* The best member's time over the best that is known of any variant. */
    double mean; /* geometric, over problems */
    double worst;
    double single; /* `mean`, were there only the best one */
    int has_chooser;
    char why_not[200]; /* the chooser */
    double error; /* standard deviation of log(time) of what was left out */
    hone_portfolio_loss chooser;
    hone_portfolio_loss nearest; /* of the winner of the nearest problem */
    double seconds;
    double step_s[HONE_N_PORTFOLIO_STEPS]; /* of `seconds` */
} hone_portfolio_result;

typedef struct hone_portfolio_request {
    /* As for tuning: implementations, device, mode, database, farm, timing and
     * on_progress count. While several problems are measured the database is
     * closed, and opened again afterwards: `tune->db` is another connection
     * then, or NULL after a failure. */
    hone_tune_request *tune;
    const char *db_path;
    /* Several devices of one model that measure together; else n_devices is 0.
     * `tune->device` is set to the first of them that is left. */
    const int *ordinals;
    size_t n_devices;
    /* Only problems of these types; none: of all that the database has. Of each
     * set of types those that were tuned last, up to HONE_CHOOSER_PROBLEMS. */
    const char *const *types;
    size_t n_types;
    /* A problem, "edge shapes" or "12 problems on 2 devices" are measured from
     * now on, and were: NULL. */
    void (*on_work)(void *user, const char *label);
    /* A problem, or what was decided about it, for a person. */
    void (*on_note)(void *user, const char *sentence);
    /* Once for each set of types, when it is stored. */
    void (*on_result)(void *user, const hone_portfolio_result *result);
    void *user;
} hone_portfolio_request;

/* "spaces" */
const char *hone__portfolio_step_name(hone_portfolio_step step);

/* Measure what is missing, choose, train, and store trials and choosers. Again
 * it goes on, and measures nothing twice. HONE_ERR_INTERRUPTED: all trials are
 * stored, and no chooser; the other errors are those of hone__tune(). Types of
 * which fewer than HONE_PORTFOLIO_LEAST_PROBLEMS problems have a winner are
 * left out. */
hone_status hone__portfolio(const hone_portfolio_request *request,
                            hone_error *err);

#endif
