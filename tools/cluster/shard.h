/* SPDX-License-Identifier: Apache-2.0 */
/* A list of problems among machines that share nothing: which shard this is,
 * and what each has. Everybody who has the same list and the same templates
 * comes to the same answer. */
#ifndef HONE_TOOLS_SHARD_H
#define HONE_TOOLS_SHARD_H

#include "tools/base/arguments.h"

#include <stddef.h>

enum { HONE_MOST_SHARDS = 1000000 };

typedef struct hone_shard {
    int index; /* 1 .. n */
    int n;     /* 0: nothing is shared out */
} hone_shard;

/* --shard I/N, auto, or auto/N (schedulers.def). HONE_ERR_ARGUMENT says what
 * is wrong with it, or which variables were looked for. */
hone_status hone__option_shard(const hone_options *options, hone_shard *out,
                               hone_error *err);

/* What a problem is given to: one shard; or, where there are fewer problems
 * than shards, `n_parts` of them from `shard` on, which share its
 * configurations. */
typedef struct hone_dealt {
    int shard; /* 1 .. */
    int n_parts;
} hone_dealt;

/* Deal `n` problems by what they are expected to take: the longest first, each
 * to the shard with the least so far, of equal ones to the first. With fewer
 * problems than shards each gets one, and what is left of the shards goes one
 * by one to the problem with the most for each of its own. Costs that are no
 * positive number count as very little. HONE_ERR_NO_MEMORY. */
hone_status hone__shard_deal(const double *costs, size_t n, int n_shards,
                             hone_dealt *out, hone_error *err);

#endif
