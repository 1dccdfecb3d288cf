/* SPDX-License-Identifier: Apache-2.0 */
/* Whether kernels take what `launch` passes, checked by the compiler: asserts
 * on the types of the kernels, which change nothing in the cubin. */
#ifndef HONE_GEN_SIGNATURE_H
#define HONE_GEN_SIGNATURE_H

#include "gen/parse/template.h"

/* What the asserts are made of: comes before the code, whose macros it must
 * not meet. */
void hone__signature_begin(hone_text *out);
/* The asserts: behind the code, which is what `out` holds. Each has the line
 * of its launch. */
void hone__signature_end(const hone_template *tmpl, int64_t *slots,
                         hone_text *out);

#endif
