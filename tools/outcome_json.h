/* SPDX-License-Identifier: Apache-2.0 */
/* How many trials had which outcome, as every command prints it. */
#ifndef HONE_TOOLS_OUTCOME_JSON_H
#define HONE_TOOLS_OUTCOME_JSON_H

#include "tools/json.h"
#include "tuner/judge/outcome.h"

#include <stdint.h>

/* {"ok": 12, "wrong": 1}: those that occurred, of HONE_N_OUTCOMES counts. */
json_t *hone__outcomes_json(const int64_t *counts);

#endif
