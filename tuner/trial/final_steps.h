/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a final (judge/final.h) on a device. */
#ifndef HONE_TUNER_FINAL_STEPS_H
#define HONE_TUNER_FINAL_STEPS_H

#include "tuner/process/wire.h"
#include "tuner/trial/edge_shapes.h"
#include "tuner/trial/problem.h"

/* Answer HONE_DEVICE_FINAL. HONE_ERR_KERNEL, or a fatal error of CUDA: a
 * runner ruined this process. */
hone_status hone__final_answer(hone_problem *problem,
                               const hone_problem_setup *setup,
                               hone_edge_shapes *edge_shapes, hone_unpack *in,
                               int to_parent, hone_error *err);

#endif
