/* SPDX-License-Identifier: Apache-2.0 */
/* Problems at which variants might be verified to reach further: the tuned ones
 * that are the largest in a size, and of each size and each variant one that is
 * as large as it is valid, and else like the problem at which this variant is
 * good, or like the smallest. */
#ifndef HONE_TUNER_REACH_PROPOSE_H
#define HONE_TUNER_REACH_PROPOSE_H

#include "tuner/portfolio/portfolio_parts.h"

typedef struct hone_reach_proposals {
    size_t n;
    int64_t (*dims)[HONE_MAX_DIMS];
    unsigned char *is_valid; /* n x n_members + n_specialists of the run */
    int64_t most[HONE_MAX_DIMS];
} hone_reach_proposals;

/* Free them, also after a failure. */
hone_status hone__reach_propose(const hone_portfolio_run *run,
                                hone_reach_proposals *out, hone_error *err);
void hone__reach_proposals_free(hone_reach_proposals *proposals);

#endif
