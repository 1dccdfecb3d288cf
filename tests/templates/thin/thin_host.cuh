/* SPDX-License-Identifier: Apache-2.0 */
/* Maps and products of gemm_sm90_thin.cu, on the host (hopper_host.cuh): products are
 * computed by each thread for its own sums, from where the descriptors say. */
#ifndef THIN_HOST_CUH
#define THIN_HOST_CUH
#include "hopper_host.cuh"

namespace hone {

/* A tensor map of 16-bit elements, boxes of 64, of every so many-th row of an array:
 * what a box has of other rows than its own, and of what lies between rows, is NaN. Which
 * is its own says who asks for it. */
static thread_local int own_row;
struct thin_map {
    const unsigned short *at;
    long long across, down, pitch_bytes;
    int box_rows;
    long long pitch, length; /* of the array's rows, elements */
};
__device__ inline void tensor_prefetch(const thin_map &) {}
__device__ inline void tensor_load(unsigned to, const thin_map &map, int x,
                                   int y, int, unsigned barrier)
{
    if (x % 8 != 0 || map.pitch_bytes % 16 != 0 || to % 1024 != 0 ||
        map.across > 1ll << 32 || map.across < 1 || map.down < 1)
        __builtin_trap();
    const long long begin = own_row * map.pitch;

    for (int row = 0; row < map.box_rows; row++)
        for (int e = 0; e < 64; e++) {
            const bool is_there = x + e >= 0 && x + e < map.across &&
                                  y + row >= 0 && y + row < map.down;
            const bool is_own = x + e >= begin && x + e < begin + map.length;

            *in_block<unsigned short>(exchanged(to + row * 128 + e * 2)) =
                !is_there ? 0
                : is_own  ? map.at[(y + row) * (map.pitch_bytes / 2) + x + e]
                          : 0x7fff;
        }
    barrier_got(barrier, map.box_rows * 128);
}
__device__ inline void tensor_load_all(unsigned, const thin_map &, int, int, int,
                                       unsigned, unsigned short)
{
}

/* A thread's sums of 64 rows, COUNT*2 columns and 16 of K. */
template <typename V, bool ACROSS, int COUNT>
__device__ inline void wgmma_imitated(float (&d)[COUNT], unsigned long long a,
                                      unsigned long long b, int sum)
{
    const unsigned x = (a & 0xffff) << 4, y = (b & 0xffff) << 4;
    const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;

    for (int i = 0; i < COUNT; i++) {
        const int row = warp * 16 + lane / 4 + i % 4 / 2 * 8;
        const int col = i / 4 * 8 + lane % 4 * 2 + i % 2;

        d[i] = sum ? d[i] : 0.0f;
        for (int k = 0; k < 16; k++) {
            const unsigned of_x = ACROSS ? x + k * 128 + row * 2 : x + row * 128 + k * 2;

            d[i] += widen(*in_block<V>(exchanged(of_x))) *
                    widen(*in_block<V>(exchanged(y + col * 128 + k * 2)));
        }
    }
}

} /* namespace hone */

#endif
