/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm_sm90_loose.cuh wants of hone_hopper.cuh, on the host: addresses of shared
 * memory count from a block's first byte, barriers are three words there. Copies
 * bring nothing. */
#ifndef LOOSE_HOST_CUH
#define LOOSE_HOST_CUH

namespace hone {

static thread_local unsigned char *block_memory;

template <typename V> __device__ inline V *in_block(unsigned address)
{
    return reinterpret_cast<V *>(block_memory + address);
}
__device__ inline unsigned shared_address(const void *) { return 0; }

/* Arrivals of a phase, those that are missing, and the parity of the phase. */
__device__ inline void barrier_init(unsigned barrier, unsigned arrivals)
{
    in_block<short>(barrier)[0] = in_block<short>(barrier)[1] = (short)arrivals;
    in_block<int>(barrier)[1] = 0;
}
__device__ inline void barrier_init_done() {}
__device__ inline void barrier_arrive(unsigned barrier)
{
    short *at = in_block<short>(barrier);

    if (--at[1] == 0) {
        at[1] = at[0];
        in_block<int>(barrier)[1] ^= 1;
    }
}
__device__ inline void barrier_expect(unsigned barrier, unsigned)
{
    barrier_arrive(barrier);
}
__device__ inline void barrier_arrive_at(unsigned, unsigned) {}
__device__ inline void barrier_wait(unsigned barrier, unsigned parity)
{
    while (in_block<volatile int>(barrier)[1] == (int)parity)
        __nanosleep(20);
}
__device__ inline void group_sync(int) {}
__device__ inline bool group_any(int, bool mine) { return mine; }
__device__ inline void cluster_sync() {}
__device__ inline void cluster_arrive() {}
__device__ inline void cluster_wait() {}
__device__ inline void async_fence() {}
__device__ inline void tensor_prefetch(const CUtensorMap &) {}
__device__ inline void tensor_load(unsigned, const CUtensorMap &, int, int, int,
                                   unsigned)
{
}
__device__ inline void tensor_load_all(unsigned, const CUtensorMap &, int, int,
                                       int, unsigned, unsigned short)
{
}
__device__ inline void wgmma_begin() {}
__device__ inline void wgmma_commit() {}
template <int PENDING> __device__ inline void wgmma_wait() {}
template <int COUNT> __device__ inline void wgmma_result(float (&)[COUNT]) {}

__device__ inline void copy16_async(unsigned to, const void *from, bool valid)
{
    hone_host_copy16_async(in_block<void>(to), from, valid ? 16 : 0);
}
__device__ inline void copy16_wait(int pending)
{
    hone_host_copy_wait(pending);
}
template <typename V> __device__ inline void shared_store(unsigned to, V v)
{
    *in_block<V>(to) = v;
}
template <typename V> __device__ inline void shared_load(unsigned from, V &v)
{
    v = *in_block<V>(from);
}

} /* namespace hone */

#endif
