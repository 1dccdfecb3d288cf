/* SPDX-License-Identifier: Apache-2.0 */
/* A guess at the time of a configuration from the nearest known ones. */
#ifndef HONE_TUNER_SEARCH_NEAREST_H
#define HONE_TUNER_SEARCH_NEAREST_H

#include "tuner/search/elite.h"

typedef struct hone_nearest {
    int *step;    /* distance of one step, by parameter */
    double worst; /* the largest log(time), which failed ones count as */
    int has_worst;
} hone_nearest;

/* HONE_ERR_NO_MEMORY */
hone_status hone__nearest_open(hone_search *search, hone_nearest *nearest,
                               hone_error *err);
void hone__nearest_close(hone_nearest *nearest);
/* A trial was answered. */
void hone__nearest_learn(const hone_search *search, hone_nearest *nearest,
                         int64_t slot);
/* log(time) of `values`, weighted by the inverse of the distance; of the
 * trials answered last and of the elite. 0 without any. */
double hone__nearest_guess(const hone_search *search,
                           const hone_nearest *nearest, const hone_elite *elite,
                           const int *values);

#endif
