/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries that the program would have called. */
#ifndef HONE_BLAS_REAL_H
#define HONE_BLAS_REAL_H

#include "blas/functions.h"

typedef struct hone_real {
#define HONE_REAL_FIELD(id, symbol, form, INT, type, compute)                  \
    hone_blas_result(*id) HONE_FORM_##form(INT);
    HONE_MET_MAP(HONE_REAL_FIELD)
#undef HONE_REAL_FIELD
    hone_blas_result (*get_stream)(hone_blas_handle h, hone_stream *out);
    hone_blas_result (*get_pointer_mode)(hone_blas_handle h, int *out);
    hone_blas_result (*get_math_mode)(hone_blas_handle h, int *out);
} hone_real;

typedef struct hone_real_lt {
    hone_blas_result(*matmul) HONE_FORM_MATMUL;
    hone_blas_result (*desc_get)(hone_lt_desc d, int attribute, void *out,
                                 size_t size_bytes, size_t *written);
    hone_blas_result (*layout_get)(hone_lt_layout l, int attribute, void *out,
                                   size_t size_bytes, size_t *written);
    size_t (*version)(void);
} hone_real_lt;

/* For a call from the code at `caller`. Fields are NULL where the library lacks
 * them. NULL: there is no such library, which no program that got here can say.
 * Thread-safe; valid for ever. */
const hone_real *hone__real_blas(const void *caller);
const hone_real_lt *hone__real_lt(const void *caller);

#endif
