/* SPDX-License-Identifier: Apache-2.0 */
/* One source through a compile farm of its own: for what a command needs once
 * beside its variants. */
#ifndef HONE_TUNER_COMPILE_ONE_H
#define HONE_TUNER_COMPILE_ONE_H

#include "tuner/compile/farm.h"

/* As hone__farm_open() and hone__farm_submit(); HONE_ERR_INTERRUPTED. A
 * source that does not compile is HONE_OK with `ok` 0 and a log. Free `out`
 * with hone__compile_output_free(), in any case. */
hone_status hone__compile_one(const hone_farm_options *options,
                              const hone_compile_input *input,
                              hone_compile_output *out, hone_error *err);

#endif
