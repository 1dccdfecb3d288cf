/* SPDX-License-Identifier: Apache-2.0 */
/* What has to stand before a tuned problem is measured by `hone run` or `hone
 * bench`: the device, the space on it, the references, our own kernels. */
#ifndef HONE_TUNER_STAGE_H
#define HONE_TUNER_STAGE_H

#include "tuner/compile/reference_template.h"
#include "tuner/process/device_lock.h"
#include "tuner/trial/problem.h"
#include "tuner/tuner.h"

typedef struct hone_stage {
    const hone_tuned *tuned;
    /* The first implementation that applies: for arguments and checks. */
    const hone_template *tmpl;
    const hone_device_kind *kind;
    hone_device_report device;
    hone_space *space;
    hone_text device_code;  /* cubin of the helper kernels, if it needs one */
    hone_launch_spec *spec; /* of the template's default: the arguments */
    hone_reference_templates *reference_templates;
    hone_device_lock lock;
} hone_stage;

/* What the device is, which implementation applies there, and its space. Close
 * also after a failure, as of the next one. */
hone_status hone__stage_open(const hone_tuned *tuned, hone_stage *out,
                             hone_error *err);
/* Everything else: what takes long, and the device for this process alone. */
hone_status hone__stage_prepare(hone_stage *stage, hone_error *err);
void hone__stage_close(hone_stage *stage);

/* The problem, for a process that measures. */
hone_problem_setup hone__stage_problem(const hone_stage *stage);

#endif
