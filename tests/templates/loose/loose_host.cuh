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
/* Copies under way, and bytes that are expected (from nowhere). Where a block has them
 * says its first thread, in global memory too; nowhere: bytes are not counted. */
struct bulk_copies {
    struct {
        unsigned barrier, to, bytes;
        const void *from;
    } all[256];
    int count;
};
static thread_local bulk_copies *block_copies;

__device__ inline void bulk_add(unsigned to, const void *from, unsigned bytes,
                                unsigned barrier)
{
    if (block_copies->count == 256)
        __builtin_trap();
    block_copies->all[block_copies->count++] = {barrier, to, bytes, from};
}
__device__ inline void bulk_load(unsigned to, const void *from, unsigned bytes,
                                 unsigned barrier)
{
    if (bytes == 0 ||
        (to | bytes | reinterpret_cast<unsigned long long>(from)) % 16 != 0)
        __builtin_trap();
    bulk_add(to, from, bytes, barrier);
}
/* Those of a phase that is over. */
__device__ inline void bulk_arrive(unsigned barrier)
{
    unsigned missing = 0;
    int left = 0;

    for (int i = 0; i < block_copies->count; i++) {
        const auto copy = block_copies->all[i];

        if (copy.barrier != barrier) {
            block_copies->all[left++] = copy;
        } else if (copy.from == nullptr) {
            missing += copy.bytes;
        } else {
            memcpy(block_memory + copy.to, copy.from, copy.bytes);
            missing -= copy.bytes;
        }
    }
    block_copies->count = left;
    if (missing != 0)
        __builtin_trap();
}
/* Tensors are copied at once, bytes of those are not counted. */
__device__ inline void barrier_expect(unsigned barrier, unsigned bytes)
{
    if (block_copies != nullptr)
        bulk_add(0, nullptr, bytes, barrier);
    barrier_arrive(barrier);
}
__device__ inline void barrier_arrive_at(unsigned, unsigned) {}
__device__ inline void barrier_wait(unsigned barrier, unsigned parity)
{
    while (in_block<volatile int>(barrier)[1] == (int)parity)
        __nanosleep(20);
    if (block_copies != nullptr)
        bulk_arrive(barrier);
}
template <int = 2> __device__ inline void group_sync(int) {}
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
__device__ inline void copy16_async_part(unsigned to, unsigned long long from,
                                         int bytes)
{
    if ((to | from) % 16 != 0 || bytes <= 0 || bytes > 16)
        __builtin_trap();
    hone_host_copy16_async(in_block<void>(to),
                           reinterpret_cast<const void *>(from), bytes);
}
__device__ inline void copy16_async_all(unsigned to, unsigned long long from)
{
    copy16_async_part(to, from, 16);
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
template <bool STREAM>
__device__ inline void store_if(bool is_mine, uint4 *p, const uint4 &v)
{
    if (is_mine)
        *p = v;
}

/* Words that blocks tell each other; threads take turns where they wait. */
__device__ inline void async_fence_global() {}
__device__ inline void acquire_fence() {}
__device__ inline void count_release(unsigned *count) { atomicAdd(count, 1u); }
__device__ inline unsigned load_count(const unsigned *count)
{
    return __atomic_load_n(count, __ATOMIC_ACQUIRE);
}
__device__ inline unsigned take_number(unsigned *next)
{
    return atomicAdd(next, 1u);
}

} /* namespace hone */

#endif
