/* SPDX-License-Identifier: Apache-2.0 */
/* Verification on shapes that divide nothing, with another seed. */
#ifndef HONE_TUNER_EDGE_SHAPES_H
#define HONE_TUNER_EDGE_SHAPES_H

#include "tuner/trial/device_worker.h"
#include "tuner/trial/verify.h"

enum { HONE_N_EDGE_SHAPES = 4 };

/* Shape `row`, 0 .. HONE_N_EDGE_SHAPES - 1, for the variant with this launch
 * plan. Types are those of the problem. Where the plan's constraints do not
 * allow the row as it stands, as few dimensions as possible are changed: to
 * that of the problem, else to a power of two, as long as the arguments stay
 * small. If nothing helps, the row as it stands. */
hone_status hone__edge_dims(const hone_problem_setup *setup,
                            const char *launch_spec,
                            const hone_properties *properties, size_t row,
                            int64_t *out, hone_error *err);
/* Put the shape in front of the verdict's message. */
void hone__edge_shapes_say(const hone_template *tmpl, const int64_t *dims,
                           hone_verdict *verdict);

/* The problems of the shapes, made when they are first needed and kept for
 * the next variant: their references cost more than a variant's run. */
typedef struct hone_edge_shapes hone_edge_shapes;

/* `setup` is borrowed until the end. */
hone_status hone__edge_shapes_open(hone_gpu *device,
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

/* The three of them for one job. */
hone_status hone__edge_shapes_verify(hone_gpu *device,
                                     const hone_problem_setup *setup,
                                     const hone_trial_job *job,
                                     hone_verdict *out, hone_error *err);

#endif
