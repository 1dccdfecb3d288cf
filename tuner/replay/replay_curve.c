/* SPDX-License-Identifier: Apache-2.0 */
/* Curves over evaluations: see replay_curve.h. */
#include "tuner/replay/replay_curve.h"

#include "tuner/judge/statistics.h"

static double fraction_of(const hone_recording *recording,
                          const hone_replay_trace *trace, int64_t evaluations)
{
    const size_t n =
        trace->n < (size_t)evaluations ? trace->n : (size_t)evaluations;
    const double best_ns = n ? trace->points[n - 1].best_ns : 0;

    return best_ns > 0 ? recording->best_ns / best_ns : 0;
}

hone_status hone__replay_fraction_at(const hone_recording *recording,
                                     const hone_replay_traces *traces,
                                     int64_t evaluations,
                                     hone_replay_fraction *out, hone_error *err)
{
    double *values = hone__alloc((traces->n + 1) * sizeof *values);
    double sum = 0;

    *out = (hone_replay_fraction){0, 0};
    if (!values)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory for a curve");
    for (size_t i = 0; i < traces->n; ++i) {
        values[i] = fraction_of(recording, &traces->runs[i], evaluations);
        sum += values[i];
    }
    if (traces->n) {
        out->mean = sum / (double)traces->n;
        out->median = hone__median(values, traces->n);
    }
    hone__free(values);
    return HONE_OK;
}
