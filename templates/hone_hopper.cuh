/* SPDX-License-Identifier: Apache-2.0 */
/* Device helpers for compute capability 9.0: barriers in shared memory,
 * tensor copies (TMA), matrix products of a warp group (wgmma) and what keeps
 * them in order. Addresses of shared memory are 32-bit numbers, as the
 * instructions want them. Every line of inline PTX of the templates that use
 * them stands in this file, except the forms of wgmma itself, which a
 * template expands for its tile.
 * No include and no name of a template parameter: see hone_device.cuh. */
#ifndef HONE_HOPPER_CUH
#define HONE_HOPPER_CUH

namespace hone {

/* Address of something in this block's shared memory. */
__device__ inline unsigned shared_address(const void *p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/* --- barriers in shared memory (8 bytes each) --------------------------- */

__device__ inline void barrier_init(unsigned barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :
                 : "r"(barrier), "r"(arrivals)
                 : "memory");
}

/* After the last init and before the barrier that tells other threads, the
 * blocks of the cluster and the copy engine among them. */
__device__ inline void barrier_init_done()
{
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

/* Arrive, and say how many bytes of copies this phase has to see. */
__device__ inline void barrier_expect(unsigned barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(barrier), "r"(bytes)
                 : "memory");
}

__device__ inline void barrier_arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                 :
                 : "r"(barrier)
                 : "memory");
}

/* Arrive at the barrier that block `rank` of the cluster has at this
 * address. Orders no accesses to memory: a release at the scope of the
 * cluster took a third of the speed of a matrix product. */
__device__ inline void barrier_arrive_at(unsigned barrier, unsigned rank)
{
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
                 "}"
                 :
                 : "r"(barrier), "r"(rank)
                 : "memory");
}

/* Wait until the phase with this parity is over. Of a new barrier the phase
 * "before the first", parity 1, is. */
__device__ inline void barrier_wait(unsigned barrier, unsigned parity)
{
    unsigned over;

    do {
        asm volatile("{\n"
                     ".reg .pred over;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], "
                     "%2;\n"
                     "selp.b32 %0, 1, 0, over;\n"
                     "}"
                     : "=r"(over)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!over);
}

/* So many threads of the block, whole warps, wait for each other at barrier `NUMBER`. */
template <int NUMBER, int COUNT> __device__ inline void threads_sync()
{
    asm volatile("bar.sync %0, %1;" : : "n"(NUMBER), "n"(COUNT) : "memory");
}

/* The 128 threads of a warp group wait for each other: group 1 to MOST of the
 * block. With the group's number as the barrier's, ptxas reserves all 16: only
 * where there are three, in blocks that are alone on their multiprocessor. */
template <int MOST = 2> __device__ inline void group_sync(int group)
{
    if constexpr (MOST > 2)
        asm volatile("bar.sync %0, 128;" : : "r"(group) : "memory");
    else if (group == 1)
        asm volatile("bar.sync 1, 128;" : : : "memory");
    else
        asm volatile("bar.sync 2, 128;" : : : "memory");
}

/* The same, and whether any of them says so. */
__device__ inline bool group_any(int group, bool mine)
{
    unsigned any;

    if (group == 1)
        asm volatile("{\n"
                     ".reg .pred any;\n"
                     "setp.ne.b32 any, %1, 0;\n"
                     "bar.red.or.pred any, 1, 128, any;\n"
                     "selp.b32 %0, 1, 0, any;\n"
                     "}"
                     : "=r"(any)
                     : "r"((unsigned)mine)
                     : "memory");
    else
        asm volatile("{\n"
                     ".reg .pred any;\n"
                     "setp.ne.b32 any, %1, 0;\n"
                     "bar.red.or.pred any, 2, 128, any;\n"
                     "selp.b32 %0, 1, 0, any;\n"
                     "}"
                     : "=r"(any)
                     : "r"((unsigned)mine)
                     : "memory");
    return any != 0;
}

/* All threads of all blocks of the cluster; warps call it whole. */
__device__ inline void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;"
                 :
                 :
                 : "memory");
}

/* They wait for each other in two steps, which order no accesses to memory. */
__device__ inline void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" : : : "memory");
}
__device__ inline void cluster_wait()
{
    asm volatile("barrier.cluster.wait.aligned;" : : : "memory");
}

/* The first step, and what the thread has read of other blocks has arrived: these may end
 * behind cluster_wait(). */
__device__ inline void cluster_leave()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory");
}

/* What stands at this address in the shared memory of block `rank` of the cluster. */
__device__ inline float load_shared(unsigned address, unsigned rank)
{
    float v;

    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %1, %2;\n"
                 "ld.shared::cluster.f32 %0, [there];\n"
                 "}"
                 : "=f"(v)
                 : "r"(address), "r"(rank)
                 : "memory");
    return v;
}

/* The same of 16 bytes, at a multiple of that. */
__device__ inline float4 load_shared4(unsigned address, unsigned rank)
{
    float4 v;

    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %4, %5;\n"
                 "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n"
                 "}"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(address), "r"(rank)
                 : "memory");
    return v;
}

/* Write to this address in the shared memory of block `rank` of the cluster. */
__device__ inline void store_shared(unsigned address, unsigned rank, float2 v)
{
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "st.shared::cluster.v2.f32 [there], {%2, %3};\n"
                 "}"
                 :
                 : "r"(address), "r"(rank), "f"(v.x), "f"(v.y)
                 : "memory");
}

/* The same of one word, which the barrier at `barrier` there counts as 4 bytes of
 * a copy: who waits for it sees the word, and nothing else is ordered. */
__device__ inline void store_async(unsigned address, unsigned barrier,
                                   unsigned rank, unsigned v)
{
    asm volatile("{\n"
                 ".reg .b32 there, counter;\n"
                 "mapa.shared::cluster.u32 there, %0, %2;\n"
                 "mapa.shared::cluster.u32 counter, %1, %2;\n"
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
                 "[there], %3, [counter];\n"
                 "}"
                 :
                 : "r"(address), "r"(barrier), "r"(rank), "r"(v)
                 : "memory");
}

/* The same of 16 bytes, at a multiple of that. */
__device__ inline void store_async(unsigned address, unsigned barrier,
                                   unsigned rank, const float4 &v)
{
    asm volatile("{\n"
                 ".reg .b32 there, counter;\n"
                 "mapa.shared::cluster.u32 there, %0, %2;\n"
                 "mapa.shared::cluster.u32 counter, %1, %2;\n"
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 "
                 "[there], {%3, %4, %5, %6}, [counter];\n"
                 "}"
                 :
                 : "r"(address), "r"(barrier), "r"(rank), "f"(v.x), "f"(v.y),
                   "f"(v.z), "f"(v.w)
                 : "memory");
}

/* --- tensor copies ------------------------------------------------------ */

/* `map` is a parameter of the kernel (const __grid_constant__). */
__device__ inline void tensor_prefetch(const CUtensorMap &map)
{
    asm volatile("prefetch.tensormap [%0];" : : "l"(&map) : "memory");
}

/* The box at element (x, y) of matrix z, x along rows, to `to`; `barrier` gets
 * its bytes. What lies outside of the tensor becomes zero, and counts. */
__device__ inline void tensor_load(unsigned to, const CUtensorMap &map, int x,
                                   int y, int z, unsigned barrier)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
                 "[%5];"
                 :
                 : "r"(to), "l"(&map), "r"(x), "r"(y), "r"(z), "r"(barrier)
                 : "memory");
}

/* To the same address of every block of the cluster whose bit is set, each
 * block's barrier gets the bytes. */
__device__ inline void tensor_load_all(unsigned to, const CUtensorMap &map,
                                       int x, int y, int z, unsigned barrier,
                                       unsigned short blocks)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3, %4}], [%5], %6;"
                 :
                 : "r"(to), "l"(&map), "r"(x), "r"(y), "r"(z), "r"(barrier),
                   "h"(blocks)
                 : "memory");
}

/* `bytes` neighbours from global memory to this block's shared memory; all three
 * are multiples of 16; `barrier` gets the bytes. No tensor map is needed. */
__device__ inline void bulk_load(unsigned to, const void *from, unsigned bytes,
                                 unsigned barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(to), "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

/* Start copying 16 bytes to shared memory, both addresses multiples of 16; if not
 * `valid`, nothing is read and zeros arrive. The level 2 cache gets 256 bytes around
 * them. copy_commit() is for these, too. */
__device__ inline void copy16_async(unsigned to, const void *from, bool valid)
{
    asm volatile("{\n"
                 ".reg .pred none;\n"
                 "setp.eq.b32 none, %2, 0;\n"
                 "cp.async.cg.shared.global.L2::256B [%0], [%1], 16, none;\n"
                 "}"
                 :
                 : "r"(to), "l"(from), "r"((int)valid)
                 : "memory");
}

/* The same of addresses that are numbers, and of the first `bytes` alone: behind them
 * nothing is read. */
__device__ inline void copy16_async_all(unsigned to, unsigned long long from)
{
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;"
                 :
                 : "r"(to), "l"(from)
                 : "memory");
}
__device__ inline void copy16_async_part(unsigned to, unsigned long long from,
                                         int bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(to), "l"(from), "r"(bytes)
                 : "memory");
}

/* copy_wait() of 1 to 3, without a branch. */
__device__ inline void copy16_wait(int pending)
{
    asm volatile("{\n"
                 ".reg .pred one, two, three;\n"
                 "setp.eq.s32 one, %0, 1;\n"
                 "setp.eq.s32 two, %0, 2;\n"
                 "setp.eq.s32 three, %0, 3;\n"
                 "@one cp.async.wait_group 1;\n"
                 "@two cp.async.wait_group 2;\n"
                 "@three cp.async.wait_group 3;\n"
                 "}"
                 :
                 : "r"(pending)
                 : "memory");
}

/* From shared memory; what lies outside of the tensor is not written, but for the rest
 * of 16 bytes in which a row ends. The threads that wrote it pass async_fence() and a barrier before. With STREAM the
 * level 2 cache keeps it no longer than it must. */
template <bool STREAM>
__device__ inline void tensor_store(const CUtensorMap &map, int x, int y,
                                    int z, unsigned from)
{
    if constexpr (STREAM)
        asm volatile(
            "{\n"
            ".reg .b64 policy;\n"
            "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
            "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group"
            ".L2::cache_hint [%0, {%1, %2, %3}], [%4], policy;\n"
            "}"
            :
            : "l"(&map), "r"(x), "r"(y), "r"(z), "r"(from)
            : "memory");
    else
        asm volatile(
            "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group "
            "[%0, {%1, %2, %3}], [%4];"
            :
            : "l"(&map), "r"(x), "r"(y), "r"(z), "r"(from)
            : "memory");
}

__device__ inline void tensor_store_commit()
{
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}

/* Until all but the last PENDING groups of this thread have read shared
 * memory: it may be overwritten. */
template <int PENDING> __device__ inline void tensor_store_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(PENDING)
                 : "memory");
}

__device__ inline void tensor_store_wait()
{
    asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
}

/* What this thread wrote to shared memory becomes visible to copies. */
__device__ inline void async_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

/* What this thread wrote to global memory becomes visible to copies, or what it has
 * acquired there to copies that it asks for from here on. */
__device__ inline void async_fence_global()
{
    asm volatile("fence.proxy.async.global;" : : : "memory");
}

/* --- words that blocks tell each other ------------------------------------ */

/* One more, after everything that this thread has seen. */
__device__ inline void count_release(unsigned *count)
{
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;"
                 :
                 : "l"(count)
                 : "memory");
}

/* The number that is next, which is one more then. The compiler would have a warp wait
 * for an addition at once, to deal numbers to all lanes that count. */
__device__ inline unsigned take_number(unsigned *next)
{
    unsigned v;

    asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], 0xfffffffe;"
                 : "=r"(v)
                 : "l"(next)
                 : "memory");
    return v;
}

/* In no order with other accesses, until acquire_fence(): what is in front of the
 * counts that were read is visible behind it. */
__device__ inline unsigned load_count(const unsigned *count)
{
    unsigned v;

    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                 : "=r"(v)
                 : "l"(count)
                 : "memory");
    return v;
}
__device__ inline void acquire_fence()
{
    asm volatile("fence.acq_rel.gpu;" : : : "memory");
}

/* --- matrix products of a warp group ------------------------------------ */

/* Registers of a thread from here on; all warps of a group call it. */
template <int REGISTERS> __device__ inline void registers_grow()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(REGISTERS));
}
template <int REGISTERS> __device__ inline void registers_shrink()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(REGISTERS));
}

/* The field of a matrix descriptor for an operand at a multiple of 16. In a
 * cluster the upper bits of an address say which block it belongs to; left
 * in, they end up in the descriptor's strides. */
__device__ inline unsigned wgmma_address(unsigned operand)
{
    return (operand & 0x3ffff) >> 4;
}

__device__ inline void wgmma_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

__device__ inline void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

/* Until all but the last PENDING groups are done. */
template <int PENDING> __device__ inline void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(PENDING)
                 : "memory");
}

/* Keeps the compiler from reading the sums of a product before the wait. */
template <int COUNT> __device__ inline void wgmma_result(float (&sums)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : "+f"(sums[i]) : : "memory");
}

/* Four 8 x 8 matrices of 16-bit elements, in the layout that wgmma leaves its
 * sums in, to shared memory: lane l gives the address of row l%8 of matrix
 * l/8. */
__device__ inline void store_matrices(unsigned to, unsigned a, unsigned b,
                                      unsigned c, unsigned d)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], "
                 "{%1, %2, %3, %4};"
                 :
                 : "r"(to), "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
}

/* The same, each matrix turned: lane l gives the address of what was column l%8. */
__device__ inline void store_matrices_turned(unsigned to, unsigned a,
                                             unsigned b, unsigned c,
                                             unsigned d)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], "
                 "{%1, %2, %3, %4};"
                 :
                 : "r"(to), "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
}

/* Two of them: lanes 0 to 15 give the addresses. */
__device__ inline void store_matrices_turned(unsigned to, unsigned a,
                                             unsigned b)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], "
                 "{%1, %2};"
                 :
                 : "r"(to), "r"(a), "r"(b)
                 : "memory");
}

/* 2, 4, 8 or 16 bytes to shared memory and from it, at multiples of that. */
__device__ inline void shared_store(unsigned to, float a, float b)
{
    asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
                 :
                 : "r"(to), "f"(a), "f"(b)
                 : "memory");
}
__device__ inline void shared_store(unsigned to, float v)
{
    asm volatile("st.shared.f32 [%0], %1;" : : "r"(to), "f"(v) : "memory");
}
__device__ inline void shared_store(unsigned to, unsigned short v)
{
    asm volatile("st.shared.u16 [%0], %1;" : : "r"(to), "h"(v) : "memory");
}
__device__ inline void shared_store(unsigned to, const uint4 &v)
{
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}
#define HONE_SHARED_LOAD(TYPE, FORM, PLACES, FROM, ...)                        \
    __device__ inline void shared_load(unsigned from, TYPE &v)                 \
    {                                                                          \
        asm volatile("ld.shared" FORM " " PLACES ", [" FROM "];"               \
                     : __VA_ARGS__                                             \
                     : "r"(from)                                               \
                     : "memory");                                              \
    }
HONE_SHARED_LOAD(uint4, ".v4.u32", "{%0, %1, %2, %3}", "%4", "=r"(v.x),
                 "=r"(v.y), "=r"(v.z), "=r"(v.w))
HONE_SHARED_LOAD(uint2, ".v2.u32", "{%0, %1}", "%2", "=r"(v.x), "=r"(v.y))
HONE_SHARED_LOAD(float4, ".v4.f32", "{%0, %1, %2, %3}", "%4", "=f"(v.x),
                 "=f"(v.y), "=f"(v.z), "=f"(v.w))
HONE_SHARED_LOAD(float2, ".v2.f32", "{%0, %1}", "%2", "=f"(v.x), "=f"(v.y))
HONE_SHARED_LOAD(float, ".f32", "%0", "%1", "=f"(v))
HONE_SHARED_LOAD(unsigned, ".u32", "%0", "%1", "=r"(v))
HONE_SHARED_LOAD(unsigned short, ".u16", "%0", "%1", "=h"(v))
#undef HONE_SHARED_LOAD

/* --- memory, by some lanes -------------------------------------------------- */

/* v to p where `is_mine`, with STREAM as what is not read soon. A branch around a
 * store would have the compiler move there what makes v. */
#define HONE_STORE_IF(TYPE, FORM, PLACES, ...)                                 \
    template <bool STREAM>                                                     \
    __device__ __forceinline__ void store_if(bool is_mine, TYPE *p,            \
                                             const TYPE &v)                    \
    {                                                                          \
        if constexpr (STREAM)                                                  \
            asm volatile("{\n.reg .pred is_mine;\n"                            \
                         "setp.ne.b32 is_mine, %0, 0;\n"                       \
                         "@is_mine st.global.cs" FORM " [%1], " PLACES ";\n}"  \
                         :                                                     \
                         : "r"((int)is_mine), "l"(p), __VA_ARGS__              \
                         : "memory");                                          \
        else                                                                   \
            asm volatile("{\n.reg .pred is_mine;\n"                            \
                         "setp.ne.b32 is_mine, %0, 0;\n"                       \
                         "@is_mine st.global" FORM " [%1], " PLACES ";\n}"     \
                         :                                                     \
                         : "r"((int)is_mine), "l"(p), __VA_ARGS__              \
                         : "memory");                                          \
    }
HONE_STORE_IF(uint4, ".v4.u32", "{%2, %3, %4, %5}", "r"(v.x), "r"(v.y),
              "r"(v.z), "r"(v.w))
HONE_STORE_IF(unsigned short, ".u16", "%2", "h"(v))
HONE_STORE_IF(float, ".f32", "%2", "f"(v))
#undef HONE_STORE_IF

} /* namespace hone */

#endif
