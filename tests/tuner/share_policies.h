/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to share a budget between implementations, for bench_shares.c. */
#ifndef HONE_TESTS_TUNER_SHARE_POLICIES_H
#define HONE_TESTS_TUNER_SHARE_POLICIES_H

#include "tuner/session/rules.h"

enum { SHARE_MOST_ARMS = 5, SHARE_MOST_TRIALS = 300, SHARE_MOST_KEPT = 16 };

/* One implementation as a policy sees it. */
typedef struct share_arm {
    hone_turn share;    /* what the rules of hone know */
    int is_exhausted;   /* all of it was asked for */
    int64_t n_asked;    /* answered or not */
    int64_t n_told;     /* answers */
    double doubled_log; /* as hone_turn had it once: best at half .. */
    int64_t doubled_at; /* .. of the answers */
    double gain;        /* log of what the last doubling gained */
    int n_kept;         /* the fastest so far: */
    double kept[SHARE_MOST_KEPT]; /* logs of times, ascending */
} share_arm;

typedef struct share_policy share_policy;
struct share_policy {
    const char *name;
    /* Which asks next; at least one is not exhausted. */
    int (*next)(const share_policy *policy, const share_arm *arms, size_t n,
                int64_t budget_left);
    double first; /* trials that each begins with .. */
    double share; /* .. of the budget at most, for all */
    double a, b, c;
};

/* An answer; 0: it failed. */
void share_arm_tell(share_arm *arm, double time_ns);

/* Ends with one without a name. */
extern const share_policy share_policies[];

#endif
