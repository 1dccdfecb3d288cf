/* SPDX-License-Identifier: Apache-2.0 */
/* One value of those of all threads that share a row, in a block or a cluster.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_NORMALISE_ROW_REDUCE_CUH
#define HONE_NORMALISE_ROW_REDUCE_CUH

#include "hone_reduce.cuh"
#include "rows.cuh"

namespace hone {

#ifdef HONE_ROWS_BULK
/* Barriers for what the blocks of a cluster send each other: a row's two
 * reductions have one each, and neighbouring rows have different ones. */
constexpr int CLUSTER_BARRIERS = 4;

__device__ inline unsigned cluster_barriers()
{
    __shared__ unsigned long long barriers[CLUSTER_BARRIERS];

    return shared_address(barriers);
}

/* group_reduce() of a block, then over the blocks of a cluster, in their order:
 * each sends its value to all, and none waits for more than these. A barrier
 * comes again when all blocks have sent what is between, and so are done with
 * what it was for before. */
template <int CLUSTER, int BLOCK, typename V, typename OP>
__device__ inline V cluster_reduce(V v, OP op, unsigned turn, unsigned reduction)
{
    __shared__ alignas(16) unsigned char bytes[CLUSTER_BARRIERS][CLUSTER * sizeof(V)];
    const unsigned which = turn % 2 * 2 + reduction;
    const unsigned barrier = cluster_barriers() + 8 * which;
    const V *const of_block = reinterpret_cast<const V *>(bytes[which]);

    v = group_reduce<BLOCK, BLOCK>(v, op);
    if (threadIdx.x == 0)
        barrier_expect(barrier, CLUSTER * sizeof(V));
    if (threadIdx.x < CLUSTER) {
        const unsigned to = shared_address(of_block + blockIdx.x % CLUSTER);
        unsigned words[sizeof(V) / 4];

        memcpy(words, &v, sizeof v);
#pragma unroll
        for (int i = 0; i < int(sizeof(V) / 4); i++)
            store_async(to + 4 * i, barrier, threadIdx.x, words[i]);
    }
    barrier_wait(barrier, turn / 2 % 2);
    v = of_block[0];
#pragma unroll
    for (int i = 1; i < CLUSTER; i++)
        v = op(v, of_block[i]);
    return v;
}
#endif

/* Before the first row: all threads of the block call it. */
template <typename P> __device__ inline void begin_reductions()
{
#ifdef HONE_ROWS_BULK
    if constexpr (P::cluster > 1) {
        if (threadIdx.x < CLUSTER_BARRIERS)
            barrier_init(cluster_barriers() + 8 * threadIdx.x, 1);
        barrier_init_done();
        __syncwarp();
        cluster_sync();
    }
#endif
}

/* Over the threads that share row x; every one gets it. All threads of the
 * block, or of the cluster, call it, at most twice for a row. */
template <int BLOCK, typename P, typename V, typename OP>
__device__ inline V row_reduce(P &x, V v, OP op)
{
#ifdef HONE_ROWS_BULK
    if constexpr (P::cluster > 1)
        return cluster_reduce<P::cluster, BLOCK>(v, op, x.turn, x.reductions++);
#endif
    return group_reduce<P::threads, BLOCK>(v, op);
}

} /* namespace hone */

#endif
