/* SPDX-License-Identifier: Apache-2.0 */
/* Energy of one execution, by the device's counter. */
#ifndef HONE_TUNER_ENERGY_H
#define HONE_TUNER_ENERGY_H

#include "tuner/trial/timer.h"

typedef struct hone_energy {
    double energy_uj; /* of one execution; 0: the counter did not move */
    int64_t n_runs;   /* between the two readings */
    double seconds;
} hone_energy;

/* The counter moves in steps of 20 to 100 ms: it is read at two of them, about
 * a second apart, while the subject runs again and again, after a third of a
 * second in which clock and power settle. */
hone_status hone__energy_measure(hone_timer *timer, hone_energy *out,
                                 hone_error *err);

#endif
