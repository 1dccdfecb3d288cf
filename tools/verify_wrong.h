/* SPDX-License-Identifier: Apache-2.0 */
/* hone verify: --show and --dump, and what they say of a wrong variant. */
#ifndef HONE_TOOLS_VERIFY_WRONG_H
#define HONE_TOOLS_VERIFY_WRONG_H

#include "tools/arguments.h"
#include "tools/json.h"

#include "tuner/tuner.h"

/* Into the request; makes the folder of --dump. HONE_ERR_ARGUMENT;
 * HONE_ERR_INPUT: there are files in it; HONE_ERR_IO. */
hone_status hone__verify_wrong_options(const hone_options *options,
                                       hone_tune_request *out, hone_error *err);
/* For a person: the elements of the first failures, or with --show of all.
 * `n_shown` counts the failures. */
void hone__verify_wrong_say(const hone_options *options, const char *op,
                            const hone_tune_trial *trial, int *n_shown);
/* The same for programs; null where there is nothing to show. */
json_t *hone__verify_wrong_json(const hone_wrong *wrong);

#endif
