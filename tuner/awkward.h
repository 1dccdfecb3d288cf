/* SPDX-License-Identifier: Apache-2.0 */
/* Verification on shapes that divide nothing, with another seed. */
#ifndef HONE_TUNER_AWKWARD_H
#define HONE_TUNER_AWKWARD_H

#include "tuner/gpu_worker.h"
#include "tuner/verify.h"

enum { HONE_N_AWKWARD = 4 };

/* The shapes, 0 .. HONE_N_AWKWARD - 1; type dimensions are those of `dims`. */
void hone__awkward_dims(const hone_template *tmpl, const int64_t *dims,
                        size_t row, int64_t *out);
/* Put the shape in front of the verdict's message. */
void hone__awkward_say(const hone_template *tmpl, const int64_t *dims,
                       hone_verdict *verdict);

/* Run `job` on several small, odd shapes of the template, as far as its
 * constraints allow them. The verdict is the first that is not ok. */
hone_status hone__awkward_verify(hone_gpu *device,
                                 const hone_problem_setup *setup,
                                 const hone_trial_job *job, hone_verdict *out,
                                 hone_error *err);

#endif
