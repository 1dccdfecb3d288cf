/* SPDX-License-Identifier: Apache-2.0 */
/* norm2/stream: wide accesses, several under way; see reduction.cuh. What is
 * tuned is how many bytes each thread keeps in flight, how many threads there
 * are, and how the sums of blocks become one. */
#include "accumulate.cuh"
#include "reduction.cuh"
#include "norm2.cuh"

#pragma hone implements norm2/stream "wide accesses, several in flight, any device"

#pragma hone let IN_FLIGHT = 1
#pragma hone let PART_WORDS = 1
#include "reduction_space.cuh"
#pragma hone launch norm2 grid(GRID) block(BLOCK) cluster(FINISH == cluster ? CLUSTER : 1) args(x, out, blocks, ticket, i64(n))
#pragma hone launch norm2_join if(FINISH == two_launch) grid(1) block(BLOCK) args(blocks, out, i32(GRID))
#pragma hone launch norm2_join if(FINISH == two_launch_early) grid(1) block(BLOCK) args(blocks, out, i32(GRID)) early

using squares_of_x = hone::sum_of<hone::squares<T, static_cast<hone::access>(READ)>>;

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
norm2(const T *x, T *out, void *blocks, unsigned *ticket, long long n)
{
    constexpr auto how = static_cast<hone::finish>(FINISH);
    using counter = hone::count_for<how>::type;
    const squares_of_x r{{{x}}};

    hone::begin_grid<how>();

    auto v = hone::share_of<VEC, UNROLL>(r, counter(0), (counter)n, blockIdx.x * (counter)BLOCK + threadIdx.x,
                                         gridDim.x * (counter)BLOCK);

    if (hone::join_grid<BLOCK, how>(r, v, blocks, ticket))
        out[0] = hone::narrow<T>(sqrt(v));
}

#if HONE_JOINS
extern "C" __global__ void __launch_bounds__(BLOCK)
norm2_join(const void *blocks, T *out, int count)
{
    const squares_of_x r{};

    hone::wait_for_previous();

    const auto v = hone::join_blocks<BLOCK>(r, static_cast<const hone::wide<T>::type *>(blocks), count);

    if (threadIdx.x == 0)
        out[0] = hone::narrow<T>(sqrt(v));
}
#endif
