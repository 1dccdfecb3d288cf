/* SPDX-License-Identifier: Apache-2.0 */
/* How slots of the ring are filled and given back, in gemm/sm90 and
 * gemm_grouped/sm90. Behind hone_hopper.cuh and gemm_sm90_parts.cuh; no name of a
 * template parameter: see hone_device.cuh. */
#ifndef GEMM_SM90_SLOTS_CUH
#define GEMM_SM90_SLOTS_CUH

namespace hone {
namespace gemm {

/* One operand's part of a slot: ROWS of M or N by DEEP of K, as boxes of 64 elements
 * or 128 bytes a row. SHARED blocks of the cluster read the same one: each
 * asks for its part of every box, for all of them. */
template <bool ACROSS, int ROWS, int DEEP, int SHARED>
__device__ __forceinline__ void load(unsigned to, const CUtensorMap &map,
                                     int row, int k, int batch, int rank,
                                     unsigned barrier)
{
    constexpr int BOXES = ACROSS ? (ROWS + 63) / 64 : DEEP / 64;
    constexpr int LINES = ACROSS ? DEEP : ROWS; /* of a box */
    constexpr int OWN = LINES / SHARED;
    const int first = SHARED > 1 ? rank * OWN : 0;

#pragma unroll
    for (int i = 0; i < BOXES; i++) {
        const unsigned at = to + (i * LINES + first) * 128;
        const int x = (ACROSS ? row : k) + i * 64;
        const int y = (ACROSS ? k : row) + first;

        if constexpr (SHARED > 1)
            hone::tensor_load_all(at, map, x, y, batch, barrier,
                                  (1 << SHARED) - 1);
        else
            hone::tensor_load(at, map, x, y, batch, barrier);
    }
}

/* A warp is done with a slot and says so to all BLOCKS that fill it. */
template <int BLOCKS>
__device__ __forceinline__ void release(const ring_place &place, int slot)
{
    const int lane = threadIdx.x % 32;

    if constexpr (BLOCKS > 1) {
        if (lane < BLOCKS)
            hone::barrier_arrive_at(place.empty + 8 * slot, lane);
    } else if (lane == 0) {
        hone::barrier_arrive(place.empty + 8 * slot);
    }
}

} /* namespace gemm */
} /* namespace hone */

#endif
