/* SPDX-License-Identifier: Apache-2.0 */
/* What trees learn of trials: by how much each is slower than the fastest at
 * its problem, or, of a template with an estimate of its own (`feature COST`),
 * what that leaves of it. */
#ifndef HONE_TUNER_MODEL_TARGETS_H
#define HONE_TUNER_MODEL_TARGETS_H

#include "tuner/model/model.h"

/* A value for each row of a subject, which the caller frees.
 * HONE_ERR_NO_MEMORY.
 */
hone_status hone__model_targets(const hone_model_subject *subject, double **out,
                                hone_error *err);

/* What a trial counts: those near the fastest are what a search wants to tell
 * apart. */
double hone__model_weight(const hone_model_trial *trial);

#endif
