/* SPDX-License-Identifier: Apache-2.0 */
/* One execution of a baseline by one of its algorithms. */
#ifndef HONE_TESTS_ENQUEUE_ALGORITHM_H
#define HONE_TESTS_ENQUEUE_ALGORITHM_H

#include "tuner/baselines/baseline.h"

static inline hone_status enqueue_algorithm(hone_baseline *baseline,
                                            size_t algorithm, void *const *args,
                                            hone_stream stream, hone_error *err)
{
    baseline->algorithm = algorithm;
    return hone__baseline_enqueue(baseline, args, stream, err);
}

#endif
