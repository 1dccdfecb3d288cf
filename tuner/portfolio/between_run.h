/* SPDX-License-Identifier: Apache-2.0 */
/* What between.c and between_beyond.c share. */
#ifndef HONE_TUNER_PORTFOLIO_BETWEEN_RUN_H
#define HONE_TUNER_PORTFOLIO_BETWEEN_RUN_H

#include "tuner/portfolio/between_kinds.h"

/* What the list has of one dimension. */
typedef struct between_size {
    int is_drawn; /* a size that is not the same everywhere */
    int64_t least, most;
    int is_power; /* always of two */
} between_size;

typedef struct between_run {
    const hone_between_request *request;
    between_size sizes[HONE_MAX_DIMS];
    uint64_t n_draws;
} between_run;

/* The power of two that a size is a multiple of, up to 64. */
int64_t hone__between_unit(int64_t value);
/* A multiple of that of `parent`, or a power of two where all are. */
int64_t hone__between_align(int64_t value, int64_t parent,
                            const between_size *size);
int hone__between_is_among(const hone_template *tmpl, const int64_t *dims,
                           const int64_t (*list)[HONE_MAX_DIMS], size_t n);

/* Problems with so many times the most of a size, behind the first `n`, at most
 * half of what is wanted. How many there are now. */
enum { HONE_BETWEEN_BEYOND = 4, HONE_BETWEEN_FAR = 16 };
size_t hone__between_draw_beyond(const between_run *run, int64_t times,
                                 int64_t (*out)[HONE_MAX_DIMS], size_t n);

#endif
