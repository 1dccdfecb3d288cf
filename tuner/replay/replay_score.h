/* SPDX-License-Identifier: Apache-2.0 */
/* How good a strategy is on a recorded space, as a number that compares
 * spaces with each other: the score of the autotuning methodology of
 * Willemsen et al. (2024). 0 is random search, 1 the optimum at once.
 *
 * Both sides get the time that random search needs to come 95 % of the way
 * from the median to the optimum. Over that time, from the moment at which
 * random search has come 1 % of the way, the strategy's mean best-so-far F is
 * compared with that of random search, B, which is known analytically:
 * (B - F) / (B - optimum), averaged over 1000 equal steps of time. */
#ifndef HONE_TUNER_REPLAY_SCORE_H
#define HONE_TUNER_REPLAY_SCORE_H

#include "tuner/replay/replay_run.h"

/* What random search needs to come the fraction `cutoff` of the way from the
 * median to the optimum: evaluations, and as many times the median cost of a
 * configuration. Zero seconds if no costs were recorded. HONE_ERR_INPUT says
 * why there is none (fewer than two different times). */
hone_status hone__replay_cutoff(const hone_recording *recording, double cutoff,
                                hone_replay_budget *out, hone_error *err);

/* The cut-offs between which the score is taken. */
#define HONE_SCORE_START 0.01
#define HONE_SCORE_END 0.95

/* The mean score of these runs, which must not know of a budget and go on for
 * the seconds of HONE_SCORE_END at least. HONE_ERR_INPUT says why this
 * recording gives none. */
hone_status hone__replay_score(const hone_recording *recording,
                               const hone_replay_traces *traces,
                               double *out_score, hone_error *err);

/* Isotonic regression, for the score and its test: replace values[0 .. n-1]
 * by the sequence that never rises and is closest to it (least squares).
 * HONE_ERR_NO_MEMORY. */
hone_status hone__isotonic_falling(double *values, const double *weights,
                                   size_t n, hone_error *err);

#endif
