/* SPDX-License-Identifier: Apache-2.0 */
/* attention/mma: FlashAttention-2 by mma.sync and ldmatrix, compute capability 8.0
 * and newer. A block has WARPS*FRAGS*16 rows, queries of a group of heads, a warp FRAGS times 16 of
 * them with all of their sums in registers; tiles of BN keys and values pass by in
 * shared memory (attention_tiles.cuh has these, attention_warp.cuh what a warp does).
 *
 * A warp reads each tile of keys and values once for FRAGS products. Of 16 x 8 x 16 each
 * takes 256 bytes of it, 2 clocks of shared memory for a multiprocessor, and 2048
 * multiply-adds, 2 clocks of tensor cores that do 1024 a clock: with FRAGS=1 shared memory
 * is as busy as they are, with FRAGS=2 half the time, for twice the registers. KEEP_Q:
 * queries stay in registers too, or are read again for each tile.
 *
 * STAGES=1: a tile of values is copied during the scores, the next keys during the
 * product with values; two barriers a tile. Else a ring of STAGES tiles of both, one
 * barrier. Neither copies nor ldmatrix meet conflicts (attention_tiles.cuh).
 *
 * CAUSAL: tiles that no row sees are not read, those that all rows see have no mask.
 * ORDER says which blocks are neighbours: tiles of a head, or the same tile of all heads,
 * where those with most keys come first.
 *
 * Where queries are few, PARTS blocks share the keys of a tile of them, and a second
 * launch merges what they have (flash-decoding).
 *
 * Rows of a tile are queries of all heads of a group: keys are read once for these, and a
 * single query of a group of heads fills part of a tile.
 *
 * Of a tile's 128 x 64 scores with D=128 and 4 warps, a warp has 256 products, 2048 clocks
 * of its tensor core, and 80 reads of matrices; 64 powers of 2, 512 clocks of another unit;
 * some 400 other instructions. So two warps of a scheduler, of one block or of two, fill
 * each other's gaps. */
#include "hone_device.cuh"
#include "attention_join.cuh"
#include "attention_tiles.cuh"
#include "attention_warp.cuh"
#include "attention.cuh"

#pragma hone implements attention/mma "tensor cores by mma.sync, sums in registers"
#pragma hone arch sm >= 80

// Warps, and times 16 queries of each; keys of a tile.
#pragma hone param WARPS in {2, 4, 8} default 4
#pragma hone param FRAGS in {1, 2} default 2
#pragma hone param BN in {32, 64, 128} default 64
#pragma hone param STAGES in {1, 2, 3} default 1
#pragma hone param KEEP_Q: bool when FRAGS == 1 || D == 64
#pragma hone param MIN_BLOCKS in {1, 2, 3, 4} default 2
#pragma hone param ORDER in {tiles_first, heads_first}
#pragma hone param PARTS in {1, 2, 4, 8, 16, 32, 64} default 1

#pragma hone let THREADS = WARPS*32
#pragma hone let BM = WARPS*FRAGS*16
#pragma hone let TILE = BN*D*2
#pragma hone let SMEM = BM*D*2 + 2*STAGES*TILE
#pragma hone let TILES = ceildiv(rows*group, BM)
/* Of a thread: sums, scores, queries, and what belongs to rows and addresses. */
#pragma hone let REGISTERS = FRAGS*(D/2 + BN/2 + (KEEP_Q ? D/4 : 4) + 6) + 28
/* Tiles of keys of a part. */
#pragma hone let SPAN = ceildiv(ceildiv(keys, BN), PARTS)

#pragma hone require REGISTERS <= 248 "sums and scores do not fit registers"
#pragma hone require MIN_BLOCKS*THREADS*align(REGISTERS, 8) <= device.regs_sm "registers for MIN_BLOCKS blocks"
#pragma hone require SMEM <= device.smem_optin "tiles do not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm || (MIN_BLOCKS == 2 && BM*BN == 128*64 && STAGES == 1) "MIN_BLOCKS times the tiles do not fit a multiprocessor"
#pragma hone require MIN_BLOCKS*THREADS >= 128 && MIN_BLOCKS*THREADS <= 512 "4 to 16 warps of a multiprocessor"
#pragma hone require BM <= 2*rows*group || BM*BN == 128*64 || BM == 32 "more than half of each tile would lie outside"
/* Each block reads all keys: of 32 rows, 64 bytes a clock for each multiprocessor whose
 * tensor cores do 1024 multiply-adds, more than a level 2 cache has for all. */
#pragma hone require BM >= 64 || rows*group <= 1024 || ceildiv(rows*group, 128)*batch*heads < 2*device.sm_count "there are enough blocks of more rows"
#pragma hone require STAGES == 1 || keys > BN || rows*group*keys < 64K "a single tile needs no ring"
#pragma hone require PARTS == 1 || ceildiv(keys, BN) >= PARTS "keys are too few for so many parts"
#pragma hone require PARTS == 1 || TILES*batch*heads*PARTS <= 8*device.sm_count "enough blocks without parts"

#pragma hone workspace sums: f32[PARTS > 1 ? PARTS*batch*HEADS*rows*D : 0]
#pragma hone workspace logs: f32[PARTS > 1 ? PARTS*batch*HEADS*rows : 0]
#pragma hone launch attention_mma grid(TILES*batch*heads, PARTS) block(THREADS) shared(SMEM) args(q, k, v, rows_of, keys_of, scale, out, lse, sums, logs, i32(rows), i32(heads), i32(group), i32(batch), i32(keys), i32(TILES), i32(ORDER == tiles_first), i32(SPAN), i32(PARTS))
#pragma hone launch attention_join if(PARTS > 1) grid(min(batch*HEADS*rows, 1G)) block(D/2) args(sums, logs, out, lse, i32(batch), i32(HEADS), i32(rows), i32(PARTS))

using head_of = hone::head<D, CAUSAL != 0>;
using warp_rows = hone::warp_rows<T, D, BN, FRAGS, KEEP_Q>;
using key_copies = hone::key_copies<T, D, BN, THREADS>;
constexpr int ROW = hone::tile_rows<D>::BYTES;

/* Where a block works, from its number; what is needed again behind the loop over
 * tiles is found again there, since registers are for sums. */
struct block_place {
    hone::tile_of_rows mine;
    head_of of;
    int first_row;

    __device__ block_place(const hone::sequences &all, unsigned place, int tiles,
                           int batch, int tiles_first)
        : mine(place, tiles, all.heads, batch * all.heads, tiles_first != 0,
               CAUSAL != 0),
          of(all, mine.sequence, mine.head), first_row(mine.tile * BM)
    {
    }
    /* Of all warps that come before this one, too. */
    __device__ int warp_row() const
    {
        return first_row + (int)threadIdx.x / 32 * FRAGS * 16;
    }
};

/* Tiles of keys that a block takes, and what lies in shared memory. */
struct walk {
    int tile, last; /* the next one, and behind the last */
    int at;         /* of the ring: 0 to STAGES - 1 */
    hone::shared_place queries, place; /* the warp's queries; the ring */
    unsigned char *ring; /* STAGES times a tile of keys and one of values */
    key_copies copies;   /* the next ones */

    /* Where this tile lies, and where the one STAGES - 1 ahead of it will. */
    __device__ hone::shared_place tile_place() const
    {
        return place + (STAGES > 1 ? at * 2 * TILE : 0);
    }
    __device__ unsigned char *copy_place() const
    {
        return ring + (STAGES > 1 ? (at == 0 ? STAGES - 1 : at - 1) * 2 * TILE : 0);
    }
    __device__ void next()
    {
        tile++;
        if (STAGES > 1)
            at = at + 1 == STAGES ? 0 : at + 1;
    }
};

/* Keys that a lane's rows see, and that some row of the warp does. */
struct sight {
    int of_rows[FRAGS][2], of_warp;

    __device__ sight(const block_place &b)
        : of_warp(b.of.seen_by_any(b.warp_row(), FRAGS * 16))
    {
#pragma unroll
        for (int f = 0; f < FRAGS; f++)
#pragma unroll
            for (int h = 0; h < 2; h++)
                of_rows[f][h] = b.of.seen(b.warp_row() + threadIdx.x % 32 / 4 +
                                          f * 16 + h * 8);
    }
};

/* One tile. With STAGES > 1 what is copied meanwhile is STAGES - 1 ahead. Copies
 * stand between the weights and the product with values for the compiler, too: it
 * does not mix them, so that there are registers for values read ahead. */
template <bool MASKED>
__device__ inline void take_tile(warp_rows &own, walk &w, const sight *sees,
                                 float scale2)
{
    /* The whole warp's answer. */
    const bool takes = !MASKED || w.tile * BN < sees->of_warp;
    const bool more = w.tile + max(STAGES - 1, 1) < w.last;
    unsigned char *to = w.copy_place();
    const hone::shared_place at = w.tile_place();
    typename warp_rows::scores s;
    typename warp_rows::weights p;

    hone::copy_wait(STAGES == 1 ? 0 : STAGES - 2);
    __syncthreads(); /* its keys are here, and the tile before was read */
    if (STAGES == 1) {
        w.copies.start(to + TILE, true);
        w.copies.next();
    } else if (more) {
        w.copies.start(to, false);
    }
    if (STAGES == 1)
        hone::copy_commit();
    if (takes) {
        own.multiply_keys(s, w.queries, at);
        if constexpr (MASKED) {
            int left[FRAGS][2];

#pragma unroll
            for (int f = 0; f < FRAGS; f++)
#pragma unroll
                for (int h = 0; h < 2; h++)
                    left[f][h] = sees->of_rows[f][h] - w.tile * BN;
            own.mask(s, left);
        }
        own.raise(s, scale2);
        own.weigh(p, s, scale2);
    }
    if (STAGES == 1) {
        hone::copy_wait(0);
        __syncthreads(); /* its values are here, and its keys were read */
    }
    if (more) {
        w.copies.start(STAGES == 1 ? to : to + TILE, STAGES > 1);
        if (STAGES > 1)
            w.copies.next();
    }
    hone::copy_commit();
    if (takes)
        own.multiply_values(p, at + TILE);
    w.next();
}

/* The block's queries and its first tiles of keys. */
__device__ inline void start_copies(walk &w, const block_place &b, const T *q,
                                    unsigned char *queries)
{
    hone::copy_queries<BM, THREADS>(queries, q, b.of, b.first_row);
    if (STAGES == 1) {
        w.copies.start(w.ring, false);
        hone::copy_commit();
        return;
    }
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        if (w.tile + i < w.last) {
            w.copies.start(w.ring + i * 2 * TILE, false);
            w.copies.start(w.ring + i * 2 * TILE + TILE, true);
            w.copies.next();
        }
        hone::copy_commit();
    }
}

/* What a block has of its rows, where others have other keys. */
__device__ inline void write_part(const warp_rows &own, float *sums, float *logs,
                                  const head_of &of, int row, long long part)
{
    const int lane = threadIdx.x % 32;

#pragma unroll
    for (int f = 0; f < FRAGS; f++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int r = row + lane / 4 + f * 16 + h * 8;

            if (r >= of.all_rows)
                continue;

            const long long place = part + of.lse_of(r);
            float2 *to =
                reinterpret_cast<float2 *>(sums + place * D) + lane % 4;

#pragma unroll
            for (int n = 0; n < D / 8; n++)
                to[n * 4] = make_float2(own.out[f][n][2 * h],
                                        own.out[f][n][2 * h + 1]);
            if (lane % 4 == 0)
                logs[place] = own.log_of(f, h);
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
attention_mma(const T *q, const T *k, const T *v, const int *rows_of,
              const int *keys_of, float scale, T *out, float *lse, float *sums,
              float *logs, int rows, int heads, int group, int batch, int keys,
              int tiles, int tiles_first, int span, int parts)
{
    extern __shared__ __align__(256) unsigned char shared[];
    const hone::sequences all = {rows, heads, group, keys,
                                 RAGGED ? rows_of : nullptr,
                                 RAGGED ? keys_of : nullptr};
    unsigned char *queries = shared + threadIdx.x / 32 * FRAGS * 16 * ROW;
    const float scale2 = scale * hone::LOG2E;
    warp_rows own;

    own.clear();
    {
        const block_place b(all, blockIdx.x, tiles, batch, tiles_first);
        const int seen = b.of.seen_by_any(b.first_row, BM);
        const int first = (int)blockIdx.y * span;
        walk w = {first,
                  min(first + span, (seen + BN - 1) / BN),
                  0,
                  hone::place_of(queries),
                  hone::place_of(shared + BM * ROW),
                  shared + BM * ROW,
                  key_copies(k, v, b.of.kv, b.of.key_step, first * BN, b.of.keys)};
        /* Tiles that even the first row sees whole; a sequence of fewer rows than
         * the block has: those behind see no key. */
        const int whole = b.first_row + BM <= b.of.rows
                              ? min(w.last, b.of.seen(b.first_row) / BN)
                              : 0;

        if (w.tile < w.last) {
            start_copies(w, b, q, shared);
            if constexpr (KEEP_Q) {
                hone::copy_wait(0);
                __syncthreads();
                own.keep_queries(w.queries);
            }
        }
#pragma unroll 1
        while (w.tile < whole)
            take_tile<false>(own, w, nullptr, scale2);
        if (w.tile < w.last) {
            const block_place again(all, hone::afresh((int)blockIdx.x), tiles,
                                    batch, tiles_first);
            const sight sees(again);

#pragma unroll 1
            while (w.tile < w.last)
                take_tile<true>(own, w, &sees, scale2);
        }
    }
    own.divide();

    const block_place b(all, hone::afresh((int)blockIdx.x), tiles, batch,
                        tiles_first);
    const int row = b.warp_row();

    if (parts > 1) {
        write_part(own, sums, logs, b.of, row,
                   (long long)blockIdx.y * batch * heads * b.of.all_rows);
        return;
    }
    __syncwarp();
    own.put(queries);
    __syncwarp();
    hone::write_rows<FRAGS * 16>(out, queries, b.of, row);
#pragma unroll
    for (int f = 0; f < FRAGS; f++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int r = row + threadIdx.x % 32 / 4 + f * 16 + h * 8;

            if (threadIdx.x % 4 == 0 && r < b.of.all_rows)
                lse[b.of.lse_of(r)] = own.log_of(f, h);
        }
}

extern "C" __global__ void __launch_bounds__(D / 2)
attention_join(const float *sums, const float *logs, T *out, float *lse,
               int batch, int heads, int rows, int parts)
{
    hone::join_parts<D>(sums, logs, out, lse, batch, heads, rows, parts);
}
