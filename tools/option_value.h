/* SPDX-License-Identifier: Apache-2.0 */
/* Option values that have a little grammar of their own. */
#ifndef HONE_TOOLS_OPTION_VALUE_H
#define HONE_TOOLS_OPTION_VALUE_H

#include "tools/arguments.h"
#include "tuner/search/search.h"
#include "tuner/tuner.h"

/* --device: "cuda", "cuda:N" or "cpu"; `otherwise` without it.
 * HONE_ERR_ARGUMENT. */
hone_status hone__option_device(const hone_options *options,
                                hone_backend otherwise,
                                hone_backend *out_backend, int *out_ordinal,
                                hone_error *err);
/* --budget: "200" trials, or "60s", "5m", "1h". HONE_ERR_ARGUMENT. */
hone_status hone__option_budget(const hone_options *options,
                                int64_t *out_trials, double *out_s,
                                hone_error *err);
/* --until: "1" or "1%" gives 0.01; 0 if it is not given.
 * HONE_ERR_ARGUMENT. */
hone_status hone__option_until(const hone_options *options, double *out_gain,
                               hone_error *err);
/* --mode; cold if it is not given. */
hone_mode hone__option_mode(const hone_options *options);
/* --mode for measuring on a device. The cpu device runs on the same arrays
 * each time and so is always hot: HONE_ERR_ARGUMENT for cold there. */
hone_status hone__option_device_mode(const hone_options *options,
                                     hone_backend backend, hone_mode *out,
                                     hone_error *err);
/* --timing; auto if it is not given. */
hone_timing hone__option_timing(const hone_options *options);
/* Several values of --strategy. */
enum { HONE_MOST_STRATEGIES = 64 };
typedef struct hone_strategies {
    const char *names[HONE_MOST_STRATEGIES]; /* of the table */
    size_t n;
} hone_strategies;

/* --strategy, the name of one; random if it is not given.
 * HONE_ERR_ARGUMENT. */
hone_status hone__option_strategy(const hone_options *options, const char **out,
                                  hone_error *err);
/* --strategy as a list: "local,genetic", or "all" of the table. Each comes
 * once. HONE_ERR_ARGUMENT. */
hone_status hone__option_strategies(const hone_options *options,
                                    hone_strategies *out, hone_error *err);
/* --seed; 1 if it is not given. */
uint64_t hone__option_seed(const hone_options *options);

#endif
