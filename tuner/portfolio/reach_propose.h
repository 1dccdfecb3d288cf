/* SPDX-License-Identifier: Apache-2.0 */
/* Problems at which variants might be verified to reach further: the tuned ones
 * that are the largest in a size, and of each size and each variant one that is
 * as large as it is valid, and else like the problem at which this variant is
 * good, or like the smallest. */
#ifndef HONE_TUNER_REACH_PROPOSE_H
#define HONE_TUNER_REACH_PROPOSE_H

#include "tuner/portfolio/portfolio_parts.h"

/* What a problem nobody tunes may take: as much as the largest tuned one of
 * these types, and as one of other types, but of these no more than so much. */
#define HONE_REACH_OTHER_BYTES 2e9
#define HONE_REACH_OTHER_FLOPS 2e12

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

/* Does a dim say something of its own, as types and pitches do not? */
static inline int hone__portfolio_is_size(const hone_template *tmpl, size_t dim)
{
    return !tmpl->dims[dim].n_types && !tmpl->dims[dim].default_expr.expr;
}

#endif
