/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels get for a standard header that is in no folder of the
 * template's. Private to gen/. */
#ifndef HONE_GEN_STANDARD_H
#define HONE_GEN_STANDARD_H

#include "runtime/base/text.h"

/* The text of kernel_std.cuh. */
extern const char hone__kernel_std[];

/* Append what an include of <name> stands for on both devices; 0 if it is the
 * compiler's own affair. Includes in it are the compilers'. What others wrote
 * for more than kernels is given what there is and refused nothing. */
int hone__standard_header(const char *name, int is_foreign, hone_text *out);

#endif
