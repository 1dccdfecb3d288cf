/* SPDX-License-Identifier: Apache-2.0 */
/* A guess that leads a search: a pool of configurations in its order, what it
 * is wrong by here, learned by trees from all trials, and which of its best
 * comes next. A search has one for each guess that it was given. */
#ifndef HONE_TUNER_SEARCH_LEAD_H
#define HONE_TUNER_SEARCH_LEAD_H

#include "tuner/search/strategy.h"

typedef struct hone_lead hone_lead;

enum {
    HONE_LEAD_FIRST = 12, /* answers until which what it chooses is to be unlike
                             all trials */
    HONE_LEAD_POINTS = 512 /* trials, the last ones, that it looks at */
};

/* By search->priors[number]. HONE_ERR_NO_MEMORY. */
hone_status hone__lead_create(hone_search *search, size_t number,
                              hone_lead **out, hone_error *err);
/* A new configuration; -1: it knows none. */
int64_t hone__lead_choose(hone_search *search, hone_lead *lead);
/* Its best guess of any; NAN: there are no configurations. */
double hone__lead_best(hone_search *search, hone_lead *lead);

#endif
