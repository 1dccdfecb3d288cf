/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner's own kernels (device_code.cu), through the same compile farm and
 * cache as every variant. */
#ifndef HONE_TUNER_OWN_CODE_H
#define HONE_TUNER_OWN_CODE_H

#include "tuner/farm.h"

/* Append the cubin for `arch`. */
hone_status hone__own_code_compile(const hone_farm_options *options,
                                   const char *arch, hone_text *out,
                                   hone_error *err);

#endif
