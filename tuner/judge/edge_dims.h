/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes at the edges: those that divide nothing, on which a variant is
 * verified beside the problem; pure. */
#ifndef HONE_TUNER_EDGE_DIMS_H
#define HONE_TUNER_EDGE_DIMS_H

#include "gen/parse/template.h"
#include "runtime/launch/launch_spec.h"

enum {
    HONE_N_EDGE_SHAPES = 7,
    HONE_EDGE_BEYOND = 4 /* rows from here on have a size beyond any block: a
                            variant need not have room for that */
};

/* Shape `row`, 0 .. HONE_N_EDGE_SHAPES - 1, for the variant with this launch
 * plan: ones, primes, a size beyond any block in each of the first three
 * dimensions, and a long one for operations of one dimension. Types are those
 * of the problem that the plan is for. Where the plan's constraints do not
 * allow the row as it stands, as few dimensions as possible are changed: to
 * that of the problem, else to a power of two, as long as the arguments stay
 * small. If nothing helps, the row as it stands. Returns 0 if the operation
 * has no such row. */
int hone__edge_dims(const hone_template *tmpl, const hone_launch_case *plan,
                    size_t row, int64_t *out);

#endif
