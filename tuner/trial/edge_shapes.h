/* SPDX-License-Identifier: Apache-2.0 */
/* Verification on the shapes of edge_dims.h, with another seed. */
#ifndef HONE_TUNER_EDGE_SHAPES_H
#define HONE_TUNER_EDGE_SHAPES_H

#include "tuner/judge/trial_protocol.h"
#include "tuner/judge/verdict.h"
#include "tuner/trial/problem.h"

/* The problems of the shapes, made when they are first needed and kept for
 * the next variant: their references cost more than a variant's run. */
typedef struct hone_edge_shapes hone_edge_shapes;

/* `setup` is borrowed until the end. */
hone_status hone__edge_shapes_open(hone_device *device,
                                   const hone_problem_setup *setup,
                                   hone_edge_shapes **out, hone_error *err);
void hone__edge_shapes_close(hone_edge_shapes *edge_shapes);

/* Run `job` on each shape, as far as its constraints allow them. The verdict
 * is the first that is not ok; then the problems are made anew for the next
 * variant, since this one may have written into them. HONE_ERR_NO_MEMORY: no
 * room, which says nothing about the variant. */
hone_status hone__edge_shapes_check(hone_edge_shapes *edge_shapes,
                                    const hone_trial_job *job,
                                    hone_verdict *out, hone_error *err);

#endif
