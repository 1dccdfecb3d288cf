/* SPDX-License-Identifier: Apache-2.0 */
/* The exported function of cuBLASLt. */
#include "blas/enter.h"
#include "blas/lt_read.h"
#include "blas/number.h"

enum { NOT_INITIALIZED = 1 };

/* out = alpha*A*B + beta*C, and gemm adds to where its result is. */
static int is_apart(const hone_blas_call *call, const void *c, int is_same)
{
    if (c == call->c && is_same)
        return 0;
    return !call->beta ||
           hone__number_at(hone__scalar_type(call->shape.compute), call->beta,
                           0) != 0;
}

hone_blas_result cublasLtMatmul HONE_FORM_MATMUL
{
    const hone_real_lt *real = hone__real_lt(__builtin_return_address(0));
    const hone_lt_product product = {desc, a_layout, b_layout, c_layout,
                                     out_layout};
    hone_blas_call call = {.met = HONE_MET_matmul,
                           .alpha = alpha,
                           .beta = beta,
                           .a = a,
                           .b = b,
                           .c = out,
                           .stream = stream};
    hone_blas_result result;
    int is_same = 0;

    if (!real || !real->matmul)
        return NOT_INITIALIZED;
    if (!hone__blas_is_through() && real->desc_get && real->layout_get &&
        real->version && h) {
        hone__lt_read(real, &product, &call, &is_same);
        if (call.shape.oddity == HONE_ODDITY_NONE &&
            is_apart(&call, c, is_same))
            call.shape.oddity = HONE_ODDITY_APART;
        if (hone__blas_begin(&call, NULL))
            return 0;
    }
    result = real->matmul(h, desc, alpha, a, a_layout, b, b_layout, beta, c,
                          c_layout, out, out_layout, algorithm, workspace,
                          workspace_bytes, stream);
    hone__blas_end(&call, result);
    return result;
}
