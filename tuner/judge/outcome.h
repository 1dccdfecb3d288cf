/* SPDX-License-Identifier: Apache-2.0 */
/* What became of one variant on one problem. A variant that fails is data,
 * not an error of the tuner. */
#ifndef HONE_TUNER_OUTCOME_H
#define HONE_TUNER_OUTCOME_H

/* X(NAME, value, spelling, meaning). Spellings are in the database. */
#define HONE_OUTCOME_MAP(X)                                                    \
    X(OK, 0, "ok", "verified and timed")                                       \
    X(CONSTRAINT, 1, "constraint", "a constraint rejects it")                  \
    X(COMPILE, 2, "compile", "the compiler rejects it")                        \
    X(LIMITS, 3, "limits", "needs more than the device has")                   \
    X(LAUNCH, 4, "launch", "the driver refuses to load or launch it")          \
    X(FAULT, 5, "fault", "it killed its context or its process")               \
    X(TIMEOUT, 6, "timeout", "it did not finish in time")                      \
    X(WRONG, 7, "wrong", "its result is wrong or it writes out of bounds")     \
    X(UNSTABLE, 8, "unstable", "its time or result changes from run to run")

typedef enum hone_outcome {
#define HONE_OUTCOME_ENUM(name, value, spelling, meaning)                      \
    HONE_OUTCOME_##name = value,
    HONE_OUTCOME_MAP(HONE_OUTCOME_ENUM)
#undef HONE_OUTCOME_ENUM
        HONE_N_OUTCOMES
} hone_outcome;

const char *hone__outcome_name(hone_outcome outcome);
/* HONE_N_OUTCOMES if there is no such spelling. */
hone_outcome hone__outcome_find(const char *name);

/* On what a variant was verified beside its problem. */
typedef struct hone_coverage {
    int n_shapes;        /* that its constraints allow */
    int n_compared;      /* comparisons with a reference, on all of them */
    char shapes[320];    /* their integer dimensions: "n=1, n=61" */
    char unchecked[200]; /* a check that was left out there, and why; "" */
} hone_coverage;

#endif
