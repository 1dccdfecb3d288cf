/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `hone doctor` share: its rows. */
#ifndef HONE_TOOLS_DOCTOR_PARTS_H
#define HONE_TOOLS_DOCTOR_PARTS_H

#include "tools/output.h"

/* One row. state: "ok", "missing", "none" for what nobody needs, or
 * "unusable". */
void hone__doctor_line(hone_output *output, const char *what, const char *state,
                       const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* What could not be found out for lack of memory is not missing. */
void hone__doctor_missing(hone_output *output, const char *what,
                          const hone_error *err);

/* The rows of NVRTC and CUDA's headers: which is taken and why, what it
 * compiles for, and which others there are. Is there one? */
int hone__doctor_nvrtc(hone_output *output);

#endif
