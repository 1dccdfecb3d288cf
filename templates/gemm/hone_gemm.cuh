/* SPDX-License-Identifier: Apache-2.0 */
/* What implementations of gemm share: elements of any type as floats and back,
 * rows at multiples of 16 bytes, tiles of C that are asked for early, and
 * adding up parts of a product. E is f16, bf16 or, but for packing, f32.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_GEMM_CUH
#define HONE_GEMM_CUH

#include <cstring>
#include "hone_device.cuh"

namespace hone {

/* The `i`-th V of an array: a float, or four of them. */
template <typename V, typename E>
__device__ inline V get_floats(const E *from, long long i)
{
    if constexpr (sizeof(E) == sizeof(float)) {
        return reinterpret_cast<const V *>(from)[i];
    } else if constexpr (sizeof(V) == sizeof(float)) {
        return static_cast<float>(from[i]);
    } else {
        const uint2 bits = reinterpret_cast<const uint2 *>(from)[i];
        E v[4];

        memcpy(v, &bits, sizeof(v));
        return make_float4(v[0], v[1], v[2], v[3]);
    }
}

/* And back, rounded once. */
template <typename V, typename E>
__device__ inline void put_floats(E *to, long long i, const V &v)
{
    if constexpr (sizeof(E) == sizeof(float)) {
        reinterpret_cast<V *>(to)[i] = v;
    } else if constexpr (sizeof(V) == sizeof(float)) {
        to[i] = E(v);
    } else {
        const E rounded[4] = {E(v.x), E(v.y), E(v.z), E(v.w)};
        uint2 bits;

        memcpy(&bits, rounded, sizeof(bits));
        reinterpret_cast<uint2 *>(to)[i] = bits;
    }
}

/* Matrices whose rows need not start at multiples of 16 bytes, one `stride`
 * elements behind the other: `rows` rows of `cols` elements each, `pitch`
 * elements from row to row. */
template <typename E> struct loose_matrices {
    const E *at;
    unsigned rows;
    int cols, pitch;
    long long stride;

    /* Copies them, as far as this block goes, to rows of whole groups of eight
     * elements, the last ones zero, that follow each other; `size` elements
     * in all, at most 16 G. THREADS of a block, blocks along x. */
    template <int THREADS> __device__ void pack(E *to, long long size) const
    {
        const unsigned groups = (cols + 7) / 8;
        const unsigned total = static_cast<unsigned>(size / 8);

#pragma unroll 1
        for (unsigned g = blockIdx.x * THREADS + threadIdx.x; g < total;
             g += gridDim.x * THREADS) {
            const unsigned row = g / groups; /* of all matrices */
            const int col = g % groups * 8;
            const unsigned short *in =
                reinterpret_cast<const unsigned short *>(
                    at + row / rows * stride +
                    static_cast<long long>(row % rows) * pitch + col);
            unsigned v[8];

#pragma unroll
            for (int i = 0; i < 8; i++)
                v[i] = col + i < cols ? in[i] : 0;
            reinterpret_cast<uint4 *>(to)[g] =
                make_uint4(v[0] | v[1] << 16, v[2] | v[3] << 16,
                           v[4] | v[5] << 16, v[6] | v[7] << 16);
        }
    }
};

/* Ask for a tile of ROWS x COLS, of which `rows` x `cols` lie in the matrix,
 * some time before it is needed. */
template <int ROWS, int COLS, int THREADS, typename E>
__device__ inline void prefetch_tile(const E *tile, int rows, int cols,
                                     long long pitch)
{
    constexpr int LINE = 128 / sizeof(E);
    constexpr int LINES = (COLS + LINE - 1) / LINE;

#pragma unroll 1
    for (int i = threadIdx.x; i < ROWS * LINES; i += THREADS) {
        const int r = i / LINES;
        const int c = i % LINES * LINE;

        if (r < rows && c < cols)
            prefetch(tile + r * pitch + c);
    }
}

/* Whether all other of the `blocks` that share the ticket have been here, what
 * they wrote before then being visible. The last one leaves the ticket at 0. */
__device__ inline bool is_last(unsigned *ticket, unsigned blocks)
{
    bool last = false;

    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(ticket, 1u) == blocks - 1;
        if (last)
            *ticket = 0;
    }
    last = __syncthreads_or(last);
    __threadfence();
    return last;
}

/* Parts of products in f32, each `step` floats behind the one before; the
 * matrices of a part have `rows` rows of `pitch` floats. */
struct gemm_parts {
    const float *at;
    long long step;
    int parts, rows, pitch;

    /* C = f(alpha*(sum of the parts, in their order) + beta*C) for `batch`
     * matrices M x N, `pitch_c` elements from row to row and `stride_c` from
     * matrix to matrix. THREADS of a block; blocks along x share rows, blocks
     * along y have rows of their own. */
    template <int THREADS, typename E, typename F>
    __device__ void add_up(E *C, float alpha, float beta, int M, int N,
                           int pitch_c, long long stride_c, int batch,
                           const F &f) const
    {
#pragma unroll 1
        for (int r = blockIdx.y; r < M * batch; r += gridDim.y) {
            const int matrix = r / M, row = r % M;
            const float *of_row =
                at + (static_cast<long long>(matrix) * rows + row) * pitch;
            E *to =
                C + matrix * stride_c + static_cast<long long>(row) * pitch_c;

#pragma unroll 1
            for (int c = blockIdx.x * THREADS + threadIdx.x; c < N;
                 c += gridDim.x * THREADS) {
                const float old =
                    beta != 0.0f ? static_cast<float>(to[c]) : 0.0f;
                float sum = 0.0f;

#pragma unroll 2
                for (int part = 0; part < parts; part++)
                    sum += __ldcg(of_row + c + part * step);
                put_floats(to, c,
                           f.finish(alpha * sum + beta * old, f.of(c)));
            }
        }
    }
};

} /* namespace hone */

#endif
