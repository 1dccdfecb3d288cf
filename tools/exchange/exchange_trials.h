/* SPDX-License-Identifier: Apache-2.0 */
/* Trials row by row, for the formats that hold all of them. */
#ifndef HONE_TOOLS_EXCHANGE_TRIALS_H
#define HONE_TOOLS_EXCHANGE_TRIALS_H

#include "tools/exchange/exchange.h"

/* The first field of every row. */
#define HONE_TRIALS_FORMAT "hone-trials/1"

typedef hone_status hone_trials_fn(hone_export *export,
                                   const hone_db_value *values,
                                   hone_error *err);
/* Hand every trial to `write`, its counters as the text that
 * hone__import_counters() takes. */
hone_status hone__trials_each(hone_export *export, hone_trials_fn *write,
                              hone_error *err);

#endif
