/* SPDX-License-Identifier: Apache-2.0 */
/* On what a template is verified beside the problem: combinations of types and
 * listed values, all of them where they are few, and otherwise a sample in
 * which every two values of two dimensions meet; and shapes at the edges, those
 * that divide nothing. Pure. */
#ifndef HONE_TUNER_COVER_H
#define HONE_TUNER_COVER_H

#include "gen/parse/template.h"
#include "runtime/launch/launch_spec.h"

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

/* ---- edge_dims.c --------------------------------------------------------- */

enum {
    HONE_N_EDGE_SHAPES = 10,
    HONE_EDGE_BEYOND = 4, /* rows from here on have a size beyond any block: a
                             variant need not have room for that */
    HONE_EDGE_APART = 7,  /* dimensions that follow others are larger */
    HONE_EDGE_EMPTY = 8,  /* sizes that may be 0 are */
    HONE_EDGE_ALIGNED = 9 /* what follows others is a multiple of 64 */
};

/* Shape `row`, 0 .. HONE_N_EDGE_SHAPES - 1, for the variant with this launch
 * plan: ones, primes, a size beyond any block (of a batch: beyond 130) in each
 * of the first three dimensions, and a long one for operations of one
 * dimension. Dimensions whose default is an expression (leading dimensions,
 * strides) have it, in one shape something more and in another the next
 * multiple of 64, as callers pad them, as far as that is allowed. In one, sizes
 * declared `from 0` are 0. Types are those of the problem that the plan is for.
 * Where the plan's constraints do not allow the row as it stands, as few
 * dimensions as possible are changed: to that of the problem, else to a power
 * of two, as long as the arguments stay small. If that is not enough, since a
 * constraint wants as many elements as the blocks of a grid take, a dimension
 * grows, in one row as far as 20 MB of arguments times `scale`: how much more
 * than one core the device does in the same time. If nothing helps, the row as
 * it stands. Where its arrays are large, sizes are halved. Returns 0 if the
 * operation has no such row. */
int hone__edge_dims(const hone_template *tmpl, const hone_launch_case *plan,
                    int scale, size_t row, int64_t *out);

/* ---- edge_hopeless.c ----------------------------------------------------- */

/* Does a constraint of the plan fail at its dims whatever those of the mask
 * `open`, and those that follow others, are changed to? 0: not known. */
int hone__edge_is_hopeless(const hone_launch_case *plan, unsigned open);

#endif
