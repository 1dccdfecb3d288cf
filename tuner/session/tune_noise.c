/* SPDX-License-Identifier: Apache-2.0 */
/* How noisy the machine is, learnt from the trials as they come: what the
 * racing of the next ones allows for. */
#include "tuner/session/tune_state.h"
#include "tuner/judge/statistics.h"

#include <string.h>

/* Fewer samples say nothing about a spread; fewer trials nothing about the
 * machine. */
enum { LEAST_SAMPLES = 4, LEAST_TRIALS = 8 };

void hone__tune_noise_add(hone_tune_noise *noise,
                          const hone_trial_report *report)
{
    if (report->outcome != HONE_OUTCOME_OK ||
        report->n_samples < LEAST_SAMPLES || report->time_ns <= 0)
        return;
    noise->relative[noise->n++ % HONE_NOISE_WINDOW] =
        report->spread_ns / report->time_ns;
}

double hone__tune_noise_level(const hone_tune_noise *noise)
{
    double sorted[HONE_NOISE_WINDOW];
    const size_t n =
        noise->n < HONE_NOISE_WINDOW ? noise->n : HONE_NOISE_WINDOW;

    if (n < LEAST_TRIALS)
        return 0;
    memcpy(sorted, noise->relative, n * sizeof sorted[0]);
    return hone__median(sorted, n);
}
