/* SPDX-License-Identifier: Apache-2.0 */
/* How close to the optimum a strategy is after so many evaluations. */
#ifndef HONE_TUNER_REPLAY_CURVE_H
#define HONE_TUNER_REPLAY_CURVE_H

#include "tuner/replay/replay_traces.h"

/* One mark of a curve: the optimum's time over the best time found so far,
 * 0 for a run that has found no valid configuration yet. */
typedef struct hone_replay_fraction {
    double mean;
    double median;
} hone_replay_fraction;

/* The fraction after `evaluations`, over the runs; failed configurations are
 * evaluations too. A run that ended earlier has tried the whole space. The
 * recording has a valid configuration. HONE_ERR_NO_MEMORY. */
hone_status hone__replay_fraction_at(const hone_recording *recording,
                                     const hone_replay_traces *traces,
                                     int64_t evaluations,
                                     hone_replay_fraction *out,
                                     hone_error *err);

#endif
