/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for test_host_wmma.c: D = A*B + C of one fragment by one warp, for
 * every type, shape and layout. Elements come as the type stands in memory,
 * with rows (columns) that are longer than the matrix. */
#include "hone_cuda_host.h"

#include <mma.h>

namespace wmma = nvcuda::wmma;

template <typename T, typename S, typename TC, typename SC, int M, int N,
          int K, typename LA, typename LB>
__device__ void product(const S *a, const S *b, const SC *c, SC *d, int lda,
                        int ldb, int ldc, int ldd, int by_columns)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, TC> fc, fd;
    const wmma::layout_t layout =
        by_columns ? wmma::mem_col_major : wmma::mem_row_major;

    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(fc, c, ldc, layout);
    wmma::mma_sync(fd, fa, fb, fc);
    /* Twice the product: element by element, and C as D of its own. */
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] = SC(2) * (fd.x[i] - fc.x[i]);
    wmma::fill_fragment(fb, S(0));
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, ldd, layout);
}

#define PRODUCT(name, T, S, TC, SC, M, N, K)                                \
    extern "C" __global__ void name(const S *a, const S *b, const SC *c,    \
                                    SC *d, int lda, int ldb, int ldc,       \
                                    int ldd, int layout)                    \
    {                                                                       \
        const int by = layout >> 2;                                         \
                                                                            \
        if ((layout & 3) == 0)                                              \
            product<T, S, TC, SC, M, N, K, wmma::row_major,                 \
                    wmma::row_major>(a, b, c, d, lda, ldb, ldc, ldd, by);   \
        else if ((layout & 3) == 1)                                         \
            product<T, S, TC, SC, M, N, K, wmma::col_major,                 \
                    wmma::row_major>(a, b, c, d, lda, ldb, ldc, ldd, by);   \
        else if ((layout & 3) == 2)                                         \
            product<T, S, TC, SC, M, N, K, wmma::row_major,                 \
                    wmma::col_major>(a, b, c, d, lda, ldb, ldc, ldd, by);   \
        else                                                                \
            product<T, S, TC, SC, M, N, K, wmma::col_major,                 \
                    wmma::col_major>(a, b, c, d, lda, ldb, ldc, ldd, by);   \
    }
#define SHAPES(name, T, TC)                                                 \
    PRODUCT(name##_16_16_16, T, T, TC, TC, 16, 16, 16)                      \
    PRODUCT(name##_32_8_16, T, T, TC, TC, 32, 8, 16)                        \
    PRODUCT(name##_8_32_16, T, T, TC, TC, 8, 32, 16)

SHAPES(f16_f32, __half, float)
SHAPES(f16_f16, __half, __half)
SHAPES(bf16_f32, __nv_bfloat16, float)
SHAPES(i8_i32, signed char, int)
SHAPES(u8_i32, unsigned char, int)
PRODUCT(tf32_f32_16_16_8, wmma::precision::tf32, float, float, float, 16, 16,
        8)
PRODUCT(f64_f64_8_8_4, double, double, double, double, 8, 8, 4)

HONE_HOST_KERNELS(f16_f32_16_16_16, f16_f32_32_8_16, f16_f32_8_32_16,
                  f16_f16_16_16_16, f16_f16_32_8_16, f16_f16_8_32_16,
                  bf16_f32_16_16_16, bf16_f32_32_8_16, bf16_f32_8_32_16,
                  i8_i32_16_16_16, i8_i32_32_8_16, i8_i32_8_32_16,
                  u8_i32_16_16_16, u8_i32_32_8_16, u8_i32_8_32_16,
                  tf32_f32_16_16_8, f64_f64_8_8_4)
