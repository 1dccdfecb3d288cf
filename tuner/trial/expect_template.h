/* SPDX-License-Identifier: Apache-2.0 */
/* What the output must be by another template ("template.NAME"). */
#ifndef HONE_TUNER_EXPECT_OTHER_H
#define HONE_TUNER_EXPECT_OTHER_H

#include "tuner/cpu/cpu_problem.h"
#include "tuner/trial/problem.h"
#include "tuner/trial/variant.h"

/* Fill `check` for all passes it wants by running the other template on the
 * same inputs. Where it is not for this problem, `check->skipped` says so. */
hone_status hone__expect_template(hone_problem *problem, hone_check *check,
                                  const hone_problem_setup *setup,
                                  hone_error *err);
/* On the cpu device (cpu_expect.c). */
hone_status hone__cpu_expect_template(hone_cpu_problem *problem,
                                      hone_cpu_check *check,
                                      const hone_problem_setup *setup,
                                      hone_error *err);

/* Load its default variant for a problem, whose arguments it must have.
 * `*out_why` is a sentence, and `out` empty, where it refuses the problem. */
hone_status hone__reference_template_load(
    const hone_problem *problem, const hone_reference_templates *others,
    const char *name, hone_variant *out, char out_why[256], hone_error *err);
hone_status
hone__cpu_reference_template_load(const hone_cpu_problem *problem,
                                  const hone_reference_templates *others,
                                  const char *name, hone_cpu_variant *out,
                                  char out_why[256], hone_error *err);

/* "check NAME: " in front of what went wrong while it ran. */
hone_status hone__expect_template_failed(const char *name, hone_status status,
                                         hone_error *err);

#endif
