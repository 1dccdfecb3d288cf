/* SPDX-License-Identifier: Apache-2.0 */
/* Which parameters matter: functional analysis of variance of the logarithm
 * of the time, by a forest of regression trees (Hutter, Hoos and
 * Leyton-Brown, "An Efficient Approach for Assessing Hyperparameter
 * Importance", ICML 2014). Every value that was tried of a parameter counts
 * alike, together with every value of the others, also where the template
 * allows no such configuration: what was tried often does not count for more.
 */
#ifndef HONE_TOOLS_IMPORTANCE_H
#define HONE_TOOLS_IMPORTANCE_H

#include "tools/analysis/trials.h"

enum {
    HONE_IMPORTANCE_FEWEST = 40, /* trials; of fewer nothing is said */
    HONE_IMPORTANCE_MOST =
        HONE_TRIALS_MOST_PARAMS +
        HONE_TRIALS_MOST_PARAMS * (HONE_TRIALS_MOST_PARAMS - 1) / 2
};

typedef struct hone_importance_share {
    size_t params[2]; /* of the trials; of one parameter both are the same */
    double share;     /* of the variance, 0 to 1; of a pair what the two explain
                         together beyond each alone */
    size_t best;      /* of one parameter: the level that is fastest in the
                         mean over all others */
} hone_importance_share;

typedef struct hone_importance {
    size_t n_trials; /* 0: too few, and nothing else is set */
    size_t n_seen;   /* of them, evenly spread, by the trees */
    double fit;      /* share of the variance of trials that a tree has not
                        seen which the forest explains (R squared; below 0.3 it
                        has not understood much) */
    hone_importance_share shares[HONE_IMPORTANCE_MOST]; /* the largest first */
    size_t n;
} hone_importance;

/* The same trials give the same shares. HONE_ERR_NO_MEMORY. */
hone_status hone__importance(const hone_trials *trials, hone_importance *out,
                             hone_error *err);

#endif
