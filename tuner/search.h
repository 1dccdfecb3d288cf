/* SPDX-License-Identifier: Apache-2.0 */
/* Search strategies: which configuration is tried next. */
#ifndef HONE_TUNER_SEARCH_H
#define HONE_TUNER_SEARCH_H

#include "gen/space.h"
#include "runtime/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hone_search hone_search;

/* What a strategy sees of a space, be it a template's or a recorded one. */
typedef struct hone_search_space {
    int64_t count;
    size_t n_params;
    /* Configuration `index` (0 .. count-1) as one number per parameter; equal
     * values have equal numbers. */
    void (*get)(const void *user, int64_t index, int64_t *out_values);
    const void *user;
} hone_search_space;

/* The view of a template's space, which must outlive it. */
hone_search_space hone__search_space_of(const hone_template *tmpl,
                                        const hone_space *space);

/* `name` is one of hone__search_names. `first` is the index that comes first:
 * that of the default configuration, so that every run knows what tuning
 * gains; -1: none does. HONE_ERR_ARGUMENT lists the strategies. */
hone_status hone__search_open(const char *name,
                              const hone_search_space *space, int64_t first,
                              uint64_t seed, hone_search **out,
                              hone_error *err);
void hone__search_close(hone_search *search);

/* Index of the next configuration, each exactly once; -1 when the space is
 * exhausted. The same name, space and seed give the same order. */
int64_t hone__search_next(hone_search *search);

/* "exhaustive, random": for messages and help. */
const char *hone__search_names(void);

#endif
