/* SPDX-License-Identifier: Apache-2.0 */
/* dot/stream: wide accesses, several under way; see reduction.cuh. What is
 * tuned is how many bytes each thread keeps in flight, how many threads there
 * are, and how the sums of blocks become one. */
#include "accumulate.cuh"
#include "reduction.cuh"
#include "dot.cuh"

#pragma hone implements dot/stream "wide accesses, several in flight, any device"

#pragma hone let IN_FLIGHT = 2
#pragma hone let PART_WORDS = 1
#include "reduction_space.cuh"
#pragma hone launch dot grid(GRID) block(BLOCK) cluster(FINISH == cluster ? CLUSTER : 1) args(x, y, out, blocks, ticket, i64(n))
#pragma hone launch dot_join if(FINISH == two_launch) grid(1) block(BLOCK) args(blocks, out, i32(GRID))
#pragma hone launch dot_join if(FINISH == two_launch_early) grid(1) block(BLOCK) args(blocks, out, i32(GRID)) early

using dot_of_xy = hone::sum_of<hone::products<T, static_cast<hone::access>(READ)>>;

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
dot(const T *x, const T *y, T *out, void *blocks, unsigned *ticket, long long n)
{
    constexpr auto how = static_cast<hone::finish>(FINISH);
    using counter = hone::count_for<how>::type;
    const dot_of_xy r{{x, y}};

    hone::begin_grid<how>();

    auto v = hone::share_of<VEC, UNROLL>(r, counter(0), (counter)n, blockIdx.x * (counter)BLOCK + threadIdx.x,
                                         gridDim.x * (counter)BLOCK);

    if (hone::join_grid<BLOCK, how>(r, v, blocks, ticket))
        out[0] = hone::narrow<T>(v);
}

#if HONE_JOINS
extern "C" __global__ void __launch_bounds__(BLOCK)
dot_join(const void *blocks, T *out, int count)
{
    const dot_of_xy r{};

    hone::wait_for_previous();

    const auto v = hone::join_blocks<BLOCK>(r, static_cast<const hone::wide<T>::type *>(blocks), count);

    if (threadIdx.x == 0)
        out[0] = hone::narrow<T>(v);
}
#endif
