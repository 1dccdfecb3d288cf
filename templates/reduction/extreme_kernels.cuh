/* SPDX-License-Identifier: Apache-2.0 */
/* The two kernels of max_index/stream and min_index/stream, which say what
 * LARGEST is in front of it. */
#pragma once

using counter = hone::count_for<static_cast<hone::finish>(FINISH)>::type;
using first_of_x = hone::first_extreme<T, static_cast<hone::access>(READ), LARGEST, counter>;

__device__ inline void find_first(const T *x, T *value, long long *index, void *blocks, unsigned *ticket, long long n)
{
    constexpr auto how = static_cast<hone::finish>(FINISH);

    hone::begin_grid<how>();
    auto v = first_of_x::of_share<VEC, UNROLL>(x, (counter)n, blockIdx.x * (counter)BLOCK + threadIdx.x,
                                               gridDim.x * (counter)BLOCK);

    if (hone::join_grid<BLOCK, how>(first_of_x{}, v, blocks, ticket))
        first_of_x::tell(v, x, (counter)n, value, index);
}

#if HONE_JOINS
__device__ inline void join_finds(const T *x, const void *blocks, T *value, long long *index, int count, long long n)
{
    const auto *const of_block = static_cast<const first_of_x::value *>(blocks);

    hone::wait_for_previous();

    const auto v = hone::join_blocks<BLOCK>(first_of_x{}, of_block, count);

    if (threadIdx.x == 0)
        first_of_x::tell(v, x, (counter)n, value, index);
}
#endif
