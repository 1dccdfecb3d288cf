/* SPDX-License-Identifier: Apache-2.0 */
/* What templates want of hone_hopper.cuh, on the host: addresses of shared memory
 * count from a block's ring, which lies in global memory, where the cpu device's look for
 * races, which knows none of these barriers, does not reach. Bytes of copies arrive at
 * once and are counted all the same. Clusters are not imitated. Maps and products are
 * those of thin_host.cuh and across_host.cuh. */
#ifndef HOPPER_HOST_CUH
#define HOPPER_HOST_CUH
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
__device__ inline bool group_any(int group, bool mine)
{
    static thread_local bool any[4];

    any[group] = false;
    group_sync(group);
    any[group] |= mine;
    group_sync(group);
    mine = any[group];
    group_sync(group);
    return mine;
}
__device__ inline void cluster_sync() {}
__device__ inline void cluster_arrive() {}
__device__ inline void cluster_wait() {}
__device__ inline void cluster_leave() {}
__device__ inline void async_fence() {}
__device__ inline void async_fence_global() {}
__device__ inline float load_shared(unsigned, unsigned) { return nanf(""); }
__device__ inline float4 load_shared4(unsigned, unsigned)
{
    return make_float4(nanf(""), 0, 0, 0);
}
template <typename V> __device__ inline void shared_load(unsigned from, V &v)
{
    v = *in_block<V>(from);
}
template <typename V> __device__ inline void shared_store(unsigned to, const V &v)
{
    *in_block<V>(to) = v;
}
template <int> __device__ inline void registers_grow() {}
template <int> __device__ inline void registers_shrink() {}

/* Where the byte of this address lies: pieces of 16 bytes are exchanged by the number of
 * the 128 bytes that they are in. */
__device__ inline unsigned exchanged(unsigned address)
{
    return address ^ (address >> 7 & 7) << 4;
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

} /* namespace hone */

#endif
