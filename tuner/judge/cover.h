/* SPDX-License-Identifier: Apache-2.0 */
/* Which combinations of types and listed values a template is verified for:
 * all of them where they are few, and otherwise a sample in which every two
 * values of two dimensions meet. Pure. */
#ifndef HONE_TUNER_COVER_H
#define HONE_TUNER_COVER_H

#include "runtime/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* So many combinations, or fewer, are all taken. */
enum { HONE_COVER_ALL = 16 };

typedef struct hone_cover hone_cover;

/* `n` dimensions with n_values[i] values each; the first combination is
 * `first`. What follows depends on nothing but these and `seed`, and goes
 * where most is new, so that a part of the sample covers much of it. */
hone_status hone__cover_open(size_t n, const size_t *n_values,
                             const size_t *first, uint64_t seed,
                             hone_cover **out, hone_error *err);
void hone__cover_close(hone_cover *cover);

/* The next combination, as indexes of values. `*out_more` is 0 if there is
 * none. */
hone_status hone__cover_next(hone_cover *cover, size_t *out_choice,
                             int *out_more, hone_error *err);
/* The last one is not possible: what it covered is tried in others. */
void hone__cover_refuse(hone_cover *cover);
/* Combinations there are, saturated. */
int64_t hone__cover_count(const hone_cover *cover);

#endif
