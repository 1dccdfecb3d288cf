/* SPDX-License-Identifier: Apache-2.0 */
/* Search strategies: which configuration is tried next. */
#ifndef HONE_TUNER_SEARCH_H
#define HONE_TUNER_SEARCH_H

#include "gen/space.h"
#include "runtime/error.h"

#include <stdint.h>

typedef struct hone_search hone_search;

/* `name` is one of hone__search_names. `first` is the index that comes first:
 * that of the default configuration, so that every run knows what tuning
 * gains. HONE_ERR_ARGUMENT lists the strategies. */
hone_status hone__search_open(const char *name, const hone_space *space,
                              int64_t first, uint64_t seed, hone_search **out,
                              hone_error *err);
void hone__search_close(hone_search *search);

/* Index of the next configuration, each exactly once; -1 when the space is
 * exhausted. The same name, space and seed give the same order. */
int64_t hone__search_next(hone_search *search);

/* "exhaustive, random": for messages and help. */
const char *hone__search_names(void);

#endif
