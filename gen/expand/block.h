/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a variant as C++. Private to gen/. */
#ifndef HONE_GEN_BLOCK_H
#define HONE_GEN_BLOCK_H

#include "gen/parse/template.h"

/* `slots` from hone__values_create(). */
void hone__block_write(const hone_template *tmpl, const int64_t *config,
                       const int64_t *dims, const int64_t *slots,
                       hone_text *out);

#endif
