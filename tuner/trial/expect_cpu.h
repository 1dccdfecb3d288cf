/* SPDX-License-Identifier: Apache-2.0 */
/* What the outputs must be by a CPU reference ("cpu.NAME"). */
#ifndef HONE_TUNER_EXPECT_CPU_H
#define HONE_TUNER_EXPECT_CPU_H

#include "tuner/trial/problem.h"

/* Fill a statement's checks for all passes they want. HONE_ERR_INPUT: there is
 * no such reference, or it does not compute every array that is written. */
hone_status hone__expect_cpu(hone_problem *problem, hone_check *checks,
                             const hone_problem_setup *setup, hone_error *err);

#endif
