/* SPDX-License-Identifier: Apache-2.0 */
/* Maps and products of gemm_sm90_across.cu, on the host (hopper_host.cuh): products are
 * computed by each thread for its own sums; it has the other threads' elements of X from
 * their registers, those of Y from where the descriptor says. */
#ifndef ACROSS_HOST_CUH
#define ACROSS_HOST_CUH
#include "hopper_host.cuh"

namespace hone {

/* A tensor map of f32, boxes of 32 elements. */
struct across_map {
    const float *at;
    long long across, down, matrices, pitch_bytes, step_bytes;
    int box_rows;
};
__device__ inline void tensor_prefetch(const across_map &) {}
__device__ inline void tensor_load(unsigned to, const across_map &map, int x,
                                   int y, int z, unsigned barrier)
{
    if (map.pitch_bytes % 16 != 0 || map.step_bytes % 16 != 0 ||
        to % 1024 != 0 || map.across < 1 || map.down < 1)
        __builtin_trap();
    for (int row = 0; row < map.box_rows; row++)
        for (int e = 0; e < 32; e++) {
            const bool is_there = x + e < map.across && y + row < map.down &&
                                  z < map.matrices;

            *in_block<float>(exchanged(to + row * 128 + e * 4)) =
                is_there ? map.at[z * (map.step_bytes / 4) +
                                  (y + row) * (map.pitch_bytes / 4) + x + e]
                         : 0.0f;
        }
    barrier_got(barrier, map.box_rows * 128);
}
__device__ inline void tensor_load_all(unsigned, const across_map &, int, int,
                                       int, unsigned, unsigned short)
{
}

/* A thread's sums of 64 rows, COUNT*2 columns and 8 of K: its own elements of X are
 * those of k = lane % 4, and 4 further, of rows lane / 4 and lane / 4 + 8. */
template <int COUNT>
__device__ inline void wgmma_imitated(float (&d)[COUNT], const unsigned (&x)[4],
                                      unsigned long long b, int sum)
{
    const unsigned y = (b & 0xffff) << 4;
    const int lane = threadIdx.x % 32;
    float of_x[2][8];

    for (int k = 0; k < 8; k++)
        for (int high = 0; high < 2; high++)
            of_x[high][k] = __uint_as_float(__shfl_sync(
                0xffffffff, x[k / 4 * 2 + high], lane / 4 * 4 + k % 4));
    for (int i = 0; i < COUNT; i++) {
        const int col = i / 4 * 8 + lane % 4 * 2 + i % 2;

        d[i] = sum ? d[i] : 0.0f;
        for (int k = 0; k < 8; k++)
            d[i] += of_x[i % 4 / 2][k] *
                    *in_block<float>(exchanged(y + col * 128 + k * 4));
    }
}

} /* namespace hone */

#endif
