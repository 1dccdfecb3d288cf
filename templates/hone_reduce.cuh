/* SPDX-License-Identifier: Apache-2.0 */
/* Many values to one, over the threads of a warp, of a block and over blocks:
 * sums, maxima, pairs of a value and its place. Any type that is copied byte
 * by byte, of 4, 8, 12, .. bytes; OP(a, b) is associative but for rounding,
 * and called with the operands in the order of the threads. The order of the
 * calls depends on nothing but the template arguments: a sum is the same in
 * every run.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_REDUCE_CUH
#define HONE_REDUCE_CUH

namespace hone {

struct op_sum {
    template <typename V> __device__ V operator()(V a, V b) const
    {
        return a + b;
    }
};
struct op_max {
    template <typename V> __device__ V operator()(V a, V b) const
    {
        return a < b ? b : a;
    }
};
struct op_min {
    template <typename V> __device__ V operator()(V a, V b) const
    {
        return b < a ? b : a;
    }
};

/* The value that lane `lane ^ step` holds. */
template <typename V> __device__ inline V from_lane_xor(V v, int step)
{
    static_assert(sizeof(V) % 4 == 0, "words of 4 bytes are exchanged");
    constexpr int words = sizeof(V) / 4;
    unsigned bits[words];

    memcpy(bits, &v, sizeof v);
#pragma unroll
    for (int i = 0; i < words; i++)
        bits[i] = __shfl_xor_sync(0xffffffffu, bits[i], step);
    memcpy(&v, bits, sizeof v);
    return v;
}

/* Over LANES neighbouring lanes, a power of two up to 32; every lane of them
 * gets it. All 32 lanes of the warp call it. */
template <int LANES, typename V, typename OP>
__device__ inline V lanes_reduce(V v, OP op)
{
#pragma unroll
    for (int step = 1; step < LANES; step *= 2) {
        const V other = from_lane_xor(v, step);

        v = threadIdx.x & step ? op(other, v) : op(v, other);
    }
    return v;
}

/* Over groups of THREADS neighbouring threads of a block of one dimension;
 * every thread gets its group's. THREADS is a power of two up to BLOCK, or
 * BLOCK itself, a multiple of 32. All threads of the block call it. The
 * threads of a block share `of_warp`; a call may follow another at once. */
template <int THREADS, int BLOCK, typename V, typename OP>
__device__ inline V group_reduce(V v, OP op)
{
    v = lanes_reduce<(THREADS < 32 ? THREADS : 32)>(v, op);
    if constexpr (THREADS > 32) {
        /* A plain array of bytes: V may have a constructor. */
        __shared__ alignas(16) unsigned char bytes[BLOCK / 32 * sizeof(V)];
        V *const of_warp = reinterpret_cast<V *>(bytes);
        const int warp = threadIdx.x / 32;
        const int first = threadIdx.x / THREADS * (THREADS / 32);

        __syncthreads(); /* nobody reads what an earlier call left */
        if (threadIdx.x % 32 == 0)
            of_warp[warp] = v;
        __syncthreads();
        constexpr int warps = THREADS / 32;

        if constexpr (warps >= 16 && (warps & (warps - 1)) == 0) {
            v = lanes_reduce<warps>(of_warp[first + threadIdx.x % warps], op);
        } else {
            v = of_warp[first];
#pragma unroll
            for (int i = 1; i < warps; i++)
                v = op(v, of_warp[first + i]);
        }
    }
    return v;
}

/* Over all BLOCK threads of a block of one dimension, a power of two from 32
 * on; the threads of warp 0 get it. All threads call it; a call may follow
 * another at once. Shorter than group_reduce() where one thread goes on. */
template <int BLOCK, typename V, typename OP>
__device__ inline V block_reduce(V v, OP op)
{
    static_assert(BLOCK >= 32 && (BLOCK & (BLOCK - 1)) == 0, "whole warps");
    v = lanes_reduce<32>(v, op);
    if constexpr (BLOCK > 32) {
        __shared__ alignas(16) unsigned char bytes[BLOCK / 32 * sizeof(V)];
        V *const of_warp = reinterpret_cast<V *>(bytes);

        __syncthreads(); /* nobody reads what an earlier call left */
        if (threadIdx.x % 32 == 0)
            of_warp[threadIdx.x / 32] = v;
        __syncthreads();
        if (threadIdx.x < 32)
            v = lanes_reduce<BLOCK / 32>(of_warp[threadIdx.x % (BLOCK / 32)],
                                         op);
    }
    return v;
}

/* Has every block of the grid (of `blocks`) come here? True in all threads of
 * the last one alone, which sees what the others wrote to global memory before
 * they called. `ticket` is zero at the start and again at the end: a workspace
 * marked `zero`. A relaxed counter would not do: what was written is fenced,
 * then the ticket is drawn, and the last block fences again before it reads.
 * Two runs that share a ticket must not overlap. */
__device__ inline bool is_last_block(unsigned *ticket, unsigned blocks)
{
    __shared__ bool is_last;

    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicInc(ticket, blocks - 1) == blocks - 1;
        __threadfence();
    }
    __syncthreads();
    return is_last;
}

} /* namespace hone */

#endif
