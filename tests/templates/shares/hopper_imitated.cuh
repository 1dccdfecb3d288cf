/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm_sm90_shares.cuh takes of hone_hopper.cuh, for the cpu device: rings of all
 * blocks lie one behind the other in memory, TILE bytes each, and blocks need not
 * run at once, since what they send is added up by another launch. The rest is named
 * by functions that are not called. */
#ifndef HOPPER_IMITATED_CUH
#define HOPPER_IMITATED_CUH

namespace hone {

/* The same for all threads of a launch. */
inline char *rings;
inline unsigned *arrived_bytes; /* of each block */
inline unsigned tile_bytes, cluster_blocks;

inline unsigned shared_address(const void *) { return 0; }
inline void barrier_init(unsigned, unsigned) {}
inline void barrier_init_done() {}
inline void tensor_prefetch(const CUtensorMap &) {}
inline void barrier_expect(unsigned, unsigned) {}
inline void barrier_arrive(unsigned) {}
inline void barrier_arrive_at(unsigned, unsigned) {}
inline void barrier_wait(unsigned, unsigned) {}
inline void cluster_sync() {}
inline void cluster_arrive() {}
inline void cluster_wait() {}
inline void wgmma_begin() {}
inline void wgmma_commit() {}
template <int PENDING> inline void wgmma_wait() {}
template <int COUNT> inline void wgmma_result(float (&)[COUNT]) {}
inline void tensor_load(unsigned, const CUtensorMap &, int, int, int, unsigned)
{
}
inline void tensor_load_all(unsigned, const CUtensorMap &, int, int, int,
                            unsigned, unsigned short)
{
}

/* All threads of the block call these, in the place of one group's. */
template <int = 2> inline void group_sync(int)
{
    __syncthreads();
}
inline bool group_any(int group, bool mine)
{
    const bool first = __syncthreads_or(group == 1 && mine);
    const bool second = __syncthreads_or(group == 2 && mine);

    return group == 1 ? first : group == 2 && second;
}

inline void store_async(unsigned address, unsigned barrier, unsigned rank,
                        const float4 &v)
{
    const unsigned there =
        blockIdx.x / cluster_blocks * cluster_blocks + rank;

    if (rank >= cluster_blocks || address % 16 || address + 16 > tile_bytes)
        __builtin_trap();
    *reinterpret_cast<float4 *>(rings + 1LL * there * tile_bytes + address) = v;
    atomicAdd(arrived_bytes + there + barrier, 16u);
}
inline void shared_load(unsigned address, float4 &v)
{
    v = *reinterpret_cast<const float4 *>(rings +
                                          1LL * blockIdx.x * tile_bytes +
                                          address);
}

} /* namespace hone */

#endif
