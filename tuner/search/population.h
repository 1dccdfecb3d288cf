/* SPDX-License-Identifier: Apache-2.0 */
/* A population without generations: whatever is answered joins it if it is
 * faster than the slowest member. When it has made no progress for long it is
 * drawn anew. */
#ifndef HONE_TUNER_SEARCH_POPULATION_H
#define HONE_TUNER_SEARCH_POPULATION_H

#include "tuner/search/elite.h"

typedef struct hone_population {
    hone_elite members;
    double best_ns;        /* of this population */
    int64_t neighbourhood; /* how many neighbours one can have */
    int64_t n_stall;       /* trials since it became faster */
    int64_t n_barren;      /* trials since the last that joined */
    int *child;            /* space for one */
} hone_population;

/* HONE_ERR_NO_MEMORY */
hone_status hone__population_open(hone_search *search,
                                  hone_population *population, size_t size,
                                  hone_error *err);
void hone__population_close(hone_population *population);
/* A trial was answered. */
void hone__population_learn(hone_search *search, hone_population *population,
                            int64_t slot);

#endif
