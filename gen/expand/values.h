/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share: the value vector of one variant, and the
 * parts of its source. Private to gen/. */
#ifndef HONE_GEN_VALUES_H
#define HONE_GEN_VALUES_H

#include "gen/parse/template.h"

/* A value vector. A let that cannot be evaluated, which its slot in `lacks`
 * says (NULL: none is), fails where it is needed and nowhere else. */
typedef struct hone_values {
    int64_t *slots;
    unsigned char *lacks;
} hone_values;

/* Type dimensions, parameters and the lets that need nothing else;
 * properties, integer dimensions and the other lets are 0. Has room for the
 * loop variables of the body. `dims` completed. A let that the code names and
 * that cannot be evaluated is a failure. */
hone_status hone__values_create(const hone_template *tmpl,
                                const int64_t *config, const int64_t *dims,
                                hone_values *out, hone_error *err);
void hone__values_free(hone_values *values);
/* Evaluate; a failure names path, line and column. */
hone_status hone__values_eval(const hone_template *tmpl,
                              const hone_template_expr *expr,
                              const hone_values *values, int64_t *out,
                              hone_error *err);
/* Is it fixed once parameters and type dimensions are? */
int hone__values_is_fixed(const hone_template_expr *expr);

/* The parameters as C++; `values` from hone__values_create(). */
void hone__block_write(const hone_template *tmpl, const int64_t *config,
                       const int64_t *dims, const hone_values *values,
                       hone_text *out);
/* What the asserts of kernels' signatures are made of (signature.cuh): comes
 * before the code, whose macros it must not meet. */
extern const char hone__signature[];
/* Whether kernels take what `launch` passes, checked by the compiler where the
 * code does not say it in plain words: asserts on the types of the kernels,
 * which change nothing in the cubin. They go behind the code, which is what
 * `out` holds, what they are made of to the offset `at`; each has the line of
 * its launch. */
void hone__signature_add(const hone_template *tmpl, const hone_values *values,
                         size_t at, hone_text *out);

#endif
