/* SPDX-License-Identifier: Apache-2.0 */
/* Brings matrices of f32 to where wgmma reads them: rows along K that begin at
 * multiples of 16 bytes, turned where they lie across K, as they are or as three
 * numbers of bf16 for each element. Behind hone_device.cuh; no name of a template
 * parameter: see hone_device.cuh. */
#ifndef GEMM_SM90_F32_PACK_CUH
#define GEMM_SM90_F32_PACK_CUH

#include <cuda_bf16.h>

namespace hone {
namespace gemm {

/* x as the sum of three numbers of bf16, each the nearest one to what those
 * before it leave. That is x itself, 24 bits by 8 at a time, where its last bit is
 * one of bf16: for |x| from 2^-110 up, and of 0. Below, what is left is less than
 * the smallest bf16, 2^-133. Where the nearest would be infinite the first one is
 * cut off. Of what is no finite number the others are 0. */
struct three_numbers {
    __nv_bfloat16 of[3];

    __device__ explicit three_numbers(float x)
    {
        const unsigned bits = __float_as_uint(x);
        const bool is_finite = (bits & 0x7f800000) != 0x7f800000;
        const bool is_largest = (bits & 0x7fffffff) >= 0x7f7f8000;
        const unsigned short cut = static_cast<unsigned short>(bits >> 16);

        of[0] = is_finite && is_largest ? __ushort_as_bfloat16(cut)
                                        : __float2bfloat16_rn(x);
#pragma unroll
        for (int i = 1; i < 3; i++) {
            x = is_finite ? x - __bfloat162float(of[i - 1]) : 0.0f;
            of[i] = __float2bfloat16_rn(x);
        }
    }
};

/* `batches` matrices of op(A), or the transpose of op(B): `rows` x `depth`, of
 * which (r, k) is `pitch` elements from the next row, or where they lie across K
 * from the next k; matrices are `step` apart. What they become has rows of
 * `pitch_to`, an even number, and no gaps between matrices; the three numbers of
 * an element are in matrices that follow each other. */
struct f32_matrices {
    const float *from;
    void *to;
    int rows, depth, batches, pitch_to;
    long long pitch, step;

    static constexpr int HIGH = 32, WIDE = 64; /* of a tile: rows, and along K */

    __device__ long long tiles() const
    {
        return (long long)((rows + HIGH - 1) / HIGH) *
               ((depth + WIDE - 1) / WIDE) * batches;
    }
};

/* A tile of them by 256 threads, all of which call it: through shared memory, so
 * that a warp reads neighbours and writes neighbours. Of a row's end as many
 * elements are written as make an even number. */
template <bool ACROSS, bool SPLIT>
__device__ __forceinline__ void pack_f32(const f32_matrices &m,
                                         long long number)
{
    constexpr int HIGH = f32_matrices::HIGH, WIDE = f32_matrices::WIDE;
    __shared__ float tile[HIGH][WIDE + 1];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int along = (m.depth + WIDE - 1) / WIDE;
    const int down = (m.rows + HIGH - 1) / HIGH;
    const int k0 = (int)(number % along) * WIDE;
    const int r0 = (int)(number / along % down) * HIGH;
    const int batch = (int)(number / along / down);
    const float *from = m.from + batch * m.step;
    float v[8];

#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int r = r0 + (ACROSS ? lane : warp + i / 2 * 8);
        const int k = k0 + (ACROSS ? warp + i * 8 : lane + i % 2 * 32);

        v[i] = 0.0f;
        if (r < m.rows && k < m.depth)
            v[i] = ACROSS ? from[k * m.pitch + r] : from[r * m.pitch + k];
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        tile[ACROSS ? lane : warp + i / 2 * 8]
            [ACROSS ? warp + i * 8 : lane + i % 2 * 32] = v[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < HIGH / 8; i++) {
        const int r = r0 + warp + i * 8, k = k0 + lane * 2;
        const float a = tile[warp + i * 8][lane * 2];
        const float b = tile[warp + i * 8][lane * 2 + 1];
        const long long line = (long long)batch * (SPLIT ? 3 : 1) * m.rows + r;

        if (r >= m.rows || k >= m.depth)
            continue;
        if constexpr (SPLIT) {
            const three_numbers of_a(a), of_b(b);

#pragma unroll
            for (int j = 0; j < 3; j++)
                reinterpret_cast<__nv_bfloat162 *>(
                    m.to)[((line + (long long)j * m.rows) * m.pitch_to + k) /
                          2] = __nv_bfloat162(of_a.of[j], of_b.of[j]);
        } else {
            reinterpret_cast<float2 *>(m.to)[(line * m.pitch_to + k) / 2] =
                make_float2(a, b);
        }
    }
    __syncthreads();
}

} /* namespace gemm */
} /* namespace hone */

#endif
