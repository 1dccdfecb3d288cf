/* SPDX-License-Identifier: Apache-2.0 */
/* What `hone run` and `hone bench` begin with. */
#ifndef HONE_TOOLS_TUNED_H
#define HONE_TOOLS_TUNED_H

#include "tools/arguments.h"
#include "tuner/tuner.h"

/* From the argument OP and its options. Free with hone__tuned_free(), also
 * after a failure. */
hone_status hone__tuned_read(const hone_options *options, hone_tuned *out,
                             hone_error *err);
void hone__tuned_free(hone_tuned *tuned);

/* The command at the end of a message of the runtime ("run: hone tune OP ..")
 * with the template, the folders and the files of this command line. */
void hone__tuned_mend_hint(const hone_options *options, const hone_tuned *tuned,
                           hone_error *err);

#endif
