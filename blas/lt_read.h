/* SPDX-License-Identifier: Apache-2.0 */
/* What descriptions of cuBLASLt say. */
#ifndef HONE_BLAS_LT_READ_H
#define HONE_BLAS_LT_READ_H

#include "blas/call.h"
#include "blas/real.h"

/* The descriptions of one product. */
typedef struct hone_lt_product {
    hone_lt_desc desc;
    hone_lt_layout a, b, c, out;
} hone_lt_product;

/* Its shape, and where its bias is; `*out_is_same`: C is laid out as the result
 * is. What cannot be read is HONE_ODDITY_DESCRIPTION. */
void hone__lt_read(const hone_real_lt *real, const hone_lt_product *product,
                   hone_blas_call *out, int *out_is_same);

#endif
