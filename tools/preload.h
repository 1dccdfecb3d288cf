/* SPDX-License-Identifier: Apache-2.0 */
/* A program with libhone_blas.so preloaded (blas/README.md). */
#ifndef HONE_TOOLS_PRELOAD_H
#define HONE_TOOLS_PRELOAD_H

#include "tools/base/commands.h"

/* Become the program that the arguments name. `mode` is that of HONE_BLAS.
 * Returns only if that fails: why. */
hone_status hone__preload(const hone_options *options, const char *mode,
                          hone_error *err);

#endif
