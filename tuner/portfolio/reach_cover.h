/* SPDX-License-Identifier: Apache-2.0 */
/* At which problems variants are to be verified so that they may be launched at
 * larger sizes. Pure. */
#ifndef HONE_TUNER_REACH_COVER_H
#define HONE_TUNER_REACH_COVER_H

#include "gen/parse/template.h"

typedef struct hone_reach_request {
    size_t n_dims, n_variants, n_problems;
    const int64_t (*reach)[HONE_MAX_DIMS]; /* n_variants: verified so far */
    const int64_t (*dims)[HONE_MAX_DIMS];  /* n_problems that are proposed */
    const unsigned char *is_valid;         /* n_problems x n_variants */
    const int64_t *most; /* n_dims: as far as anybody is to reach; 0 of what is
                            no size */
    size_t n_most;       /* problems, at most */
    double gain;         /* octaves that a problem has to add to all reaches */
} hone_reach_request;

/* One after the other that adds most, of equal ones the first. `out` has room
 * for n_most. HONE_ERR_NO_MEMORY. */
hone_status hone__reach_choose(const hone_reach_request *request, size_t *out,
                               size_t *out_n, hone_error *err);

/* What being right at `dims` adds to a reach, in octaves over all sizes. */
double hone__reach_gain(const hone_reach_request *request, const int64_t *reach,
                        const int64_t *dims);
/* Each size the larger of both. */
void hone__reach_extend(size_t n_dims, int64_t *reach, const int64_t *dims);

#endif
