/* SPDX-License-Identifier: Apache-2.0 */
/* Which build of NVRTC it is: two of one version may compile differently, as
 * updates of a toolkit do. */
#ifndef HONE_TUNER_LIBRARY_BUILD_H
#define HONE_TUNER_LIBRARY_BUILD_H

#include "runtime/base/text.h"
#include "runtime/driver/nvrtc_api.h"

/* Append to `out` what tells builds of a library apart: its size and its build
 * id, which a copy has too, or where it has none the time of its last change.
 * Nothing if it cannot be read. */
void hone__library_build(const char *path, hone_text *out);

/* Those of NVRTC and of the libnvrtc-builtins beside it, which it loads when it
 * compiles. */
void hone__nvrtc_build(const hone_nvrtc *nvrtc, hone_text *out);

#endif
