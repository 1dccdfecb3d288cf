/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm_sm90_thin.cu wants of hone_hopper.cuh, on the host: addresses of shared memory
 * count from a block's ring, which lies in global memory, where the cpu device's look for
 * races, which knows none of these barriers, does not reach. Copies arrive at once, bytes
 * are counted all the same; products are computed by each thread for its own sums, from
 * where the descriptors say. Clusters are not imitated. */
#ifndef THIN_HOST_CUH
#define THIN_HOST_CUH
#include "hone_pack.cuh"

namespace hone {

static thread_local unsigned char *block_memory;
/* Of threads that wait for each other: those that are there, and how often all were. */
static thread_local struct {
    int there, times;
} block_meetings[8];

template <typename V> __device__ inline V *in_block(unsigned address)
{
    return reinterpret_cast<V *>(block_memory + address);
}
__device__ inline unsigned shared_address(const void *) { return 0; }
__device__ inline void begin_block(unsigned char *memory)
{
    if (threadIdx.x == 0) {
        block_memory = memory;
        for (auto &m : block_meetings)
            m = {0, 0};
    }
    __syncthreads();
}

__device__ inline void meet(int number, int count)
{
    auto &m = block_meetings[number];
    const int times = m.times;

    if (++m.there == count) {
        m.there = 0;
        m.times++;
    }
    while (*(volatile int *)&m.times == times)
        __nanosleep(20);
}
template <int NUMBER, int COUNT> __device__ inline void threads_sync()
{
    meet(NUMBER, COUNT);
}
template <int = 2> __device__ inline void group_sync(int group)
{
    meet(group, 128);
}

/* A barrier: arrivals of a phase, those that are missing, and twice the bytes that are,
 * with the parity. */
__device__ inline void barrier_init(unsigned barrier, unsigned arrivals)
{
    in_block<short>(barrier)[0] = in_block<short>(barrier)[1] = (short)arrivals;
    in_block<int>(barrier)[1] = 0;
}
__device__ inline void barrier_init_done() {}
__device__ inline void barrier_end(unsigned barrier)
{
    short *const at = in_block<short>(barrier);
    int *const state = in_block<int>(barrier) + 1;

    if (at[1] < 0 || *state < 0)
        __builtin_trap();
    if (at[1] == 0 && *state < 2) {
        at[1] = at[0];
        *state ^= 1;
    }
}
__device__ inline void barrier_arrive(unsigned barrier)
{
    in_block<short>(barrier)[1]--;
    barrier_end(barrier);
}
__device__ inline void barrier_expect(unsigned barrier, unsigned bytes)
{
    in_block<int>(barrier)[1] += 2 * (int)bytes;
    barrier_arrive(barrier);
}
__device__ inline void barrier_got(unsigned barrier, unsigned bytes)
{
    in_block<int>(barrier)[1] -= 2 * (int)bytes;
    barrier_end(barrier);
}
__device__ inline void barrier_wait(unsigned barrier, unsigned parity)
{
    while ((in_block<volatile int>(barrier)[1] & 1) == (int)parity)
        __nanosleep(20);
}
__device__ inline void barrier_arrive_at(unsigned, unsigned) {}
__device__ inline bool group_any(int, bool mine) { return mine; }
__device__ inline void cluster_sync() {}
__device__ inline void cluster_arrive() {}
__device__ inline void cluster_wait() {}
__device__ inline void async_fence() {}
__device__ inline void async_fence_global() {}
__device__ inline float load_shared(unsigned, unsigned) { return nanf(""); }

/* Where the byte of this address lies: pieces of 16 bytes are exchanged by the number of
 * the 128 bytes that they are in. */
__device__ inline unsigned exchanged(unsigned address)
{
    return address ^ (address >> 7 & 7) << 4;
}

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
__device__ inline void bulk_load(unsigned to, const void *from, unsigned bytes,
                                 unsigned barrier)
{
    if ((to | bytes | reinterpret_cast<unsigned long long>(from)) % 16 != 0)
        __builtin_trap();
    memcpy(block_memory + to, from, bytes);
    barrier_got(barrier, bytes);
}

__device__ inline unsigned wgmma_address(unsigned operand) { return operand >> 4; }
__device__ inline void wgmma_begin() {}
__device__ inline void wgmma_commit() {}
template <int PENDING> __device__ inline void wgmma_wait() { __syncwarp(); }
template <int COUNT> __device__ inline void wgmma_result(float (&)[COUNT]) {}

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
