/* SPDX-License-Identifier: Apache-2.0 */
/* What the warp groups of gemm_sm90_loose.cuh write to a ring; another one copies slot
 * after slot from there to SLOTS. The ring is in global memory, where the cpu device's look
 * for races, which knows none of its barriers, does not reach. */
#include "loose_slots.cuh"
#include "hone_device.cuh"
#include "loose_host.cuh"
#include "gemm_sm90_pack.cuh"
#include "gemm_sm90_parts.cuh"
#include "gemm_sm90_slots.cuh"
#include "gemm_sm90_raw.cuh"
#include "gemm_sm90_loose.cuh"

#pragma hone implements loose_slots/ring
#pragma hone param STAGES in {2, 3} default 2
#pragma hone param PARTS in {1, 2, 3} default 1
#pragma hone param UNITS in {1, 3} default 1
#pragma hone param RAWS in {2, 3, 4} default 2
#pragma hone param FILLERS in {1, 2} default 2
#pragma hone let RAW_X = WHICH & 1 ? SLOT_X*2 + (ACROSS_X ? BK : BM)*16 : 0
#pragma hone let RAW_Y = WHICH & 2 ? SLOT_Y*2 + (ACROSS_Y ? BK : BN)*16 : 0
#pragma hone let BYTES = 1024 + STAGES*(SLOT_X + SLOT_Y)*2 + 384 + FILLERS*128 + FILLERS*RAWS*(RAW_X + RAW_Y)
#pragma hone workspace rings: u8[UNITS*BYTES]
#pragma hone require PARTS <= STEPS "a part has a step"
#pragma hone launch fill grid(UNITS) block((1 + FILLERS)*128) args(X, Y, SLOTS, rings, i32(M), i32(N), i32(K), i64(PITCH_X), i64(PITCH_Y), i64(STEP_X), i64(STEP_Y), i32(BATCH))

namespace gemm = hone::gemm;

using operand_x = gemm::operand<ACROSS_X != 0, BM, BK, 64, 1>;
using operand_y = gemm::operand<ACROSS_Y != 0, BN, BK, 64, 1>;

struct products : gemm::tiling<operand_x, operand_y, 64, 1, false> {
    using walk = gemm::tile_walk<BM, BN, 1, 1, 1>;
    struct steps {
        int first, end;

        __device__ steps(int K, const gemm::tile &t, int parts)
        {
            const int n = (K + BK - 1) / BK;

            first = n * t.part / parts;
            end = n * (t.part + 1) / parts;
        }
    };
    static constexpr int ARRIVALS = 5;
};

extern "C" __global__ void fill(const __half *X, const __half *Y, __half *slots,
                                unsigned char *rings, int M, int N, int K, long long pitch_x,
                                long long pitch_y, long long step_x,
                                long long step_y, int batches)
{
    const CUtensorMap none = {};
    const int steps = (K + BK - 1) / BK;
    const int tiles_across = (N + BN - 1) / BN, tiles_down = (M + BM - 1) / BM;
    products::walk walk(M, N, batches, PARTS, 4, false);
    gemm::tile t;

    if (threadIdx.x == 0) {
        hone::block_memory = rings + (long long)blockIdx.x * BYTES;
        hone::block_copies = nullptr;
    }
    __syncthreads();
    gemm::ring_place place = gemm::ring_in<products, 16>(rings, STAGES, 0);
    gemm::begin<products, 4, 1>(place, place.writes + 16);
    if (threadIdx.x < 128 || threadIdx.x >= 256) {
        const gemm::loose_array x(X, ACROSS_X ? K : M, ACROSS_X ? M : K,
                                  pitch_x, step_x, batches);
        const gemm::loose_array y(Y, ACROSS_Y ? K : N, ACROSS_Y ? N : K,
                                  pitch_y, step_y, batches);

        gemm::produce_loose<products, FILLERS>(
            place, walk, none, none, x, y, (WHICH & 1) != 0, (WHICH & 2) != 0,
            K, PARTS, place.writes + 16 + 64, RAWS, threadIdx.x >= 256);
        return;
    }
    while (walk.take(&t)) {
        const products::steps mine(K, t, PARTS);

        for (int step = mine.first; step < mine.end; step++) {
            const long long tile =
                ((long long)t.batch * tiles_down + t.row / BM) * tiles_across +
                t.col / BN;
            __half *to =
                slots + (tile * steps + step) * (SLOT_X + SLOT_Y);

            hone::barrier_wait(place.own_full(), place.round);
            for (int i = threadIdx.x - 128; i < SLOT_X + SLOT_Y; i += 128) {
                const bool is_y = i >= SLOT_X;
                __half v;

                hone::shared_load(place.slots + place.slot * products::SLOT +
                                      i * 2,
                                  v);
                to[i] = WHICH >> is_y & 1 ? v : __half(0.0f);
            }
            __syncwarp();
            gemm::release<1>(place, place.slot);
            place.advance();
        }
    }
}
