/* SPDX-License-Identifier: Apache-2.0 */
/* When it is unlikely that a search gains another so-and-so many percent: a
 * pure rule. */
#ifndef HONE_TUNER_UNTIL_H
#define HONE_TUNER_UNTIL_H

#include <stdint.h>

typedef struct hone_until {
    double gain;       /* 0.01: another percent; 0: never stop */
    double anchor_ns;  /* the best when it last counted as a gain */
    int64_t n_told;    /* answers */
    int64_t last_gain; /* the answer that was one; 0: none was valid */
} hone_until;

/* An answer of the search: 0 if it failed. Many small gains add up to one. */
void hone__until_add(hone_until *until, double time_ns);

/* Is another gain unlikely now? */
int hone__until_is_reached(const hone_until *until);

#endif
