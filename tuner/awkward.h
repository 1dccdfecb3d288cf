/* SPDX-License-Identifier: Apache-2.0 */
/* Verification on shapes that divide nothing, with another seed. */
#ifndef HONE_TUNER_AWKWARD_H
#define HONE_TUNER_AWKWARD_H

#include "tuner/gpu_worker.h"
#include "tuner/verify.h"

/* Run `job` on several small, odd shapes of the template, as far as its
 * constraints allow them. The verdict is the first that is not ok. */
hone_status hone__awkward_verify(hone_gpu *device,
                                 const hone_problem_setup *setup,
                                 const hone_trial_job *job, hone_verdict *out,
                                 hone_error *err);

#endif
