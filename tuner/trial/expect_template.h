/* SPDX-License-Identifier: Apache-2.0 */
/* What the output must be by another template ("template.NAME"). */
#ifndef HONE_TUNER_EXPECT_OTHER_H
#define HONE_TUNER_EXPECT_OTHER_H

#include "tuner/trial/problem.h"
#include "tuner/trial/variant.h"

/* Fill a statement's checks for all passes they want by running the other
 * template on the same inputs. Where it is not for this problem,
 * `checks->skipped` says so. */
hone_status hone__expect_template(hone_problem *problem, hone_check *checks,
                                  const hone_problem_setup *setup,
                                  hone_error *err);

/* Load its default variant for a problem, whose arguments it must have.
 * `*out_why` is a sentence, and `out` empty, where it refuses the problem. */
hone_status hone__reference_template_load(
    const hone_problem *problem, const hone_reference_templates *templates,
    const char *name, hone_variant *out, char out_why[256], hone_error *err);

/* "check NAME: " in front of what went wrong while it ran. */
hone_status hone__expect_template_failed(const char *name, hone_status status,
                                         hone_error *err);

#endif
