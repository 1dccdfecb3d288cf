/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread that fills slots finds in the rows that the warps of
 * gemm_sm90_meanwhile.cuh pack beside it: it copies to SLOTS what the copy engine would
 * bring when it has waited for it. Rows hold something else before. */
#include "loose_slots.cuh"
#include "hone_device.cuh"
#include "loose_host.cuh"
#include "gemm_sm90_pack.cuh"
#include "gemm_sm90_parts.cuh"
#include "gemm_sm90_slots.cuh"
#include "gemm_sm90_patches.cuh"
#include "gemm_sm90_meanwhile.cuh"

#pragma hone implements loose_slots/meanwhile
#pragma hone param PARTS in {1, 2, 3} default 1
#pragma hone param UNITS in {1, 3} default 1
#pragma hone param RAWS in {2, 3, 4} default 2
#pragma hone param GROUP in {2, 8} default 2
#pragma hone param ALONG_N: bool default false
#pragma hone let GROUPS_X = ceildiv(COLS_X, 8) + 1
#pragma hone let GROUPS_Y = ceildiv(COLS_Y, 8) + 1
#pragma hone let BYTES = align(3*(RAWS*2112 + 128), 1024)
#pragma hone workspace memory: u8[UNITS*BYTES]
#pragma hone workspace packed_x: f16[BATCH*ROWS_X*GROUPS_X*8]
#pragma hone workspace packed_y: f16[BATCH*ROWS_Y*GROUPS_Y*8]
#pragma hone workspace packing: u32[32 + BATCH*(ceildiv(ROWS_X, 128)*ceildiv(COLS_X, 256) + ceildiv(ROWS_Y, 128)*ceildiv(COLS_Y, 256))] zero each
#pragma hone require PARTS <= STEPS "a part has a step"
#pragma hone launch forget grid(64) block(128) args(packed_x, packed_y, i64(BATCH*ROWS_X*GROUPS_X*8), i64(BATCH*ROWS_Y*GROUPS_Y*8))
#pragma hone launch fill grid(UNITS) block(128) args(X, Y, SLOTS, memory, packed_x, packed_y, packing, i32(M), i32(N), i32(K), i32(GROUPS_X), i32(GROUPS_Y), i64(PITCH_X), i64(PITCH_Y), i64(STEP_X), i64(STEP_Y), i32(BATCH))

namespace gemm = hone::gemm;

using operand_x = gemm::operand<ACROSS_X != 0, BM, BK, 64, 1>;
using operand_y = gemm::operand<ACROSS_Y != 0, BN, BK, 64, 1>;

struct products : gemm::tiling<operand_x, operand_y, 64, 1, false> {
    using walk = gemm::tile_walk<BM, BN, 1, 1, 1>;
};

struct source {
    const __half *x, *y;
    __half *to_x, *to_y;
    int M, N, K, groups_x, groups_y;
    long long pitch_x, pitch_y, step_x, step_y;
    int batches;

    __device__ gemm::patches<operand_x> cut_x() const
    {
        return {WHICH & 1 ? ACROSS_X ? K : M : 0, ACROSS_X ? M : K};
    }
    __device__ gemm::patches<operand_y> cut_y() const
    {
        return {WHICH & 2 ? ACROSS_Y ? K : N : 0, ACROSS_Y ? N : K};
    }
    __device__ gemm::loose_matrices matrices(bool is_y) const
    {
        return {reinterpret_cast<const unsigned short *>(is_y ? y : x),
                reinterpret_cast<uint4 *>(is_y ? to_y : to_x),
                is_y ? cut_y().lines : cut_x().lines,
                is_y ? cut_y().cols : cut_x().cols, batches,
                is_y ? groups_y : groups_x, is_y ? pitch_y : pitch_x,
                is_y ? step_y : step_x};
    }
    __device__ gemm::packing_order<products> order() const
    {
        return {products::walk(M, N, batches, PARTS, GROUP, ALONG_N), cut_x(),
                cut_y(), K, PARTS};
    }
};

/* An operand's part of a slot, from what is packed. */
template <typename P>
static __device__ void bring(__half *to, const __half *packed, int groups,
                             const gemm::patches<P> &m, int row, int k,
                             int batch)
{
    for (int i = 0; i < P::BOXES * P::BOX_ROWS * 64; i++) {
        const int e = i % 64, line = i / 64 % P::BOX_ROWS;
        const int box = i / 64 / P::BOX_ROWS;
        const int x = (P::IS_ACROSS ? row : k) + box * 64 + e;
        const int y = (P::IS_ACROSS ? k : row) + line;

        to[i / 64 * 64 + ((e / 8 ^ line % 8) * 8 + e % 8)] =
            x < m.cols && y < m.lines
                ? packed[((long long)batch * m.lines + y) * groups * 8 + x]
                : __half(0.0f);
    }
}

extern "C" __global__ void forget(__half *x, __half *y, long long size_x,
                                  long long size_y)
{
    for (long long i = blockIdx.x * 128LL + threadIdx.x; i < size_x + size_y;
         i += 64 * 128)
        (i < size_x ? x + i : y + i - size_x)[0] = __half(12345.0f);
}

extern "C" __global__ void
fill(const __half *X, const __half *Y, __half *slots, unsigned char *memory,
     __half *packed_x, __half *packed_y, unsigned *packing, int M, int N, int K,
     int groups_x, int groups_y, long long pitch_x, long long pitch_y,
     long long step_x, long long step_y, int batches)
{
    const source from = {X, Y, packed_x, packed_y, M, N, K, groups_x, groups_y,
                         pitch_x, pitch_y, step_x, step_y, batches};
    const int steps = (K + BK - 1) / BK;
    const int across = (N + BN - 1) / BN, down = (M + BM - 1) / BM;

    if (threadIdx.x == 0) {
        hone::block_memory = memory + (long long)blockIdx.x * BYTES;
        hone::block_copies = nullptr;
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
        gemm::pack_meanwhile<products>(from, packing, 0u, RAWS,
                                       (int)threadIdx.x / 32 - 1);
        return;
    }
    products::walk walk(M, N, batches, PARTS, GROUP, ALONG_N);
    gemm::awaited_step<products> packed(from.cut_x(), from.cut_y(), packing,
                                        batches);
    gemm::tile t;

    while (walk.take(&t)) {
        packed.begin_tile();
        for (int step = steps * t.part / PARTS;
             step < steps * (t.part + 1) / PARTS; step++) {
            const long long tile =
                ((long long)t.batch * down + t.row / BM) * across + t.col / BN;
            __half *to = slots + (tile * steps + step) * (SLOT_X + SLOT_Y);

            packed.wait(t, step * BK);
            if (threadIdx.x != 0)
                continue;
            bring<operand_x>(to, packed_x, groups_x, from.cut_x(), t.row,
                             step * BK, t.batch);
            bring<operand_y>(to + SLOT_X, packed_y, groups_y, from.cut_y(),
                             t.col, step * BK, t.batch);
        }
    }
}
