/* SPDX-License-Identifier: Apache-2.0 */
/* What dims.c and dims_text.c say about wrong dimensions. Private to them. */
#ifndef HONE_GEN_DIMS_H
#define HONE_GEN_DIMS_H

#include "gen/parse/template.h"

/* The beginning of a sentence: "gemm_f16(M, N, K): ". */
hone_text hone__dims_sentence(const hone_template *tmpl);
/* So many dimensions are too many, or too few. */
hone_status hone__dims_refuse_count(const hone_template *tmpl, size_t n_dims,
                                    hone_error *err);
/* "the dimension T is an element type, f32 or f64"; and what it is not, where
 * there is such a word. */
hone_status hone__dims_refuse_kind(const hone_template *tmpl,
                                   const hone_template_dim *dim,
                                   const char *word, size_t length,
                                   hone_error *err);

#endif
