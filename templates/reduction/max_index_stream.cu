/* SPDX-License-Identifier: Apache-2.0 */
/* max_index/stream: wide accesses, several under way; see reduction.cuh. What is
 * tuned is how many bytes each thread keeps in flight, how many threads there
 * are, and how the finds of blocks become one. */
#include "extreme.cuh"
#include "max_index.cuh"
#include "reduction.cuh"

#pragma hone implements max_index/stream "wide accesses, several in flight, any device"

#pragma hone let IN_FLIGHT = 1
#pragma hone let PART_WORDS = 2
#include "reduction_space.cuh"
#pragma hone launch max_index grid(GRID) block(BLOCK) cluster(FINISH == cluster ? CLUSTER : 1) args(x, value, index, blocks, ticket, i64(n))
#pragma hone launch max_index_join if(FINISH == two_launch) grid(1) block(BLOCK) args(x, blocks, value, index, i32(GRID), i64(n))
#pragma hone launch max_index_join if(FINISH == two_launch_early) grid(1) block(BLOCK) args(x, blocks, value, index, i32(GRID), i64(n)) early

constexpr bool LARGEST = true;
#include "extreme_kernels.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
max_index(const T *x, T *value, long long *index, void *blocks, unsigned *ticket, long long n)
{
    find_first(x, value, index, blocks, ticket, n);
}

#if HONE_JOINS
extern "C" __global__ void __launch_bounds__(BLOCK)
max_index_join(const T *x, const void *blocks, T *value, long long *index, int count, long long n)
{
    join_finds(x, blocks, value, index, count, n);
}
#endif
