/* SPDX-License-Identifier: Apache-2.0 */
/* attention/mma: FlashAttention-2 by mma.sync and ldmatrix, compute capability 8.0
 * and newer. A block has WARPS*FRAGS*16 rows, queries of a group of heads, a warp FRAGS times 16 of
 * them with all of their sums in registers; tiles of BN keys and values pass by in
 * shared memory. Scores become weights where they are: what a lane has of a product's
 * result is what the next one takes of it.
 *
 * A lane reads each tile of keys and values once for FRAGS products: with FRAGS=1 shared
 * memory, 128 bytes a cycle, is what bounds, as a product of 16 x 8 x 16 takes 256 bytes
 * of it; FRAGS=2 needs half, and twice the registers. KEEP_Q: queries stay in registers
 * too, or are read again for each tile.
 *
 * STAGES=1: a tile of keys is copied during the weights and the product with values, a
 * tile of values during the scores; two barriers a tile. Else a ring of STAGES tiles of
 * both, one barrier. Rows lie in shared memory as they are, their pieces of 16 bytes
 * exchanged by the row's number, so that neither copies nor ldmatrix meet conflicts.
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
 * Scores and maxima are in units of log2(e)*scale only inside of exp2. */
#include "hone_device.cuh"
#include "hone_mma.cuh"
#include "attention_parts.cuh"
#include "attention.cuh"

#pragma hone implements attention/mma "tensor cores by mma.sync, sums in registers"
#pragma hone arch sm >= 80

// Warps, and times 16 queries of each; keys of a tile.
#pragma hone param WARPS in {2, 4, 8} default 4
#pragma hone param FRAGS in {1, 2} default 2
#pragma hone param BN in {32, 64, 128} default 64
#pragma hone param STAGES in {1, 2, 3} default 1
#pragma hone param KEEP_Q: bool when FRAGS == 1
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
#pragma hone require STAGES == 1 || keys > BN || rows*group*keys < 64K "a single tile needs no ring"
#pragma hone require PARTS == 1 || ceildiv(keys, BN) >= PARTS "keys are too few for so many parts"
#pragma hone require PARTS == 1 || TILES*batch*heads*PARTS <= 8*device.sm_count "enough blocks without parts"

#pragma hone workspace sums: f32[PARTS > 1 ? PARTS*batch*HEADS*rows*D : 0]
#pragma hone workspace logs: f32[PARTS > 1 ? PARTS*batch*HEADS*rows : 0]
#pragma hone launch attention_mma grid(TILES*batch*heads, PARTS) block(THREADS) shared(SMEM) args(q, k, v, rows_of, keys_of, scale, out, lse, sums, logs, i32(rows), i32(heads), i32(group), i32(batch), i32(keys), i32(TILES), i32(ORDER == tiles_first), i32(SPAN), i32(PARTS))
#pragma hone launch attention_join if(PARTS > 1) grid(min(batch*HEADS*rows, 1G)) block(D/2) args(sums, logs, out, lse, i32(batch), i32(HEADS), i32(rows), i32(PARTS))

constexpr int CHUNKS = D / 8; /* pieces of 16 bytes of a row */
constexpr int ROW = D * 2;    /* bytes of it */
constexpr float LOG2E = 1.44269504f;

using head_of = hone::head<D, CAUSAL != 0>;

/* Where piece `chunk` of a row lies in shared memory, from the first row on. */
__device__ inline int piece(int row, int chunk)
{
    return row * ROW + ((chunk ^ (row & 7)) << 4);
}

/* Start copying a tile of keys or values, zeros from key `end` on. What is computed
 * once for all tiles would take registers that sums need: all of it afresh. */
__device__ inline void copy_keys(unsigned char *to, const T *from, int first,
                                 int end, long long step)
{
    constexpr int DOWN = THREADS / CHUNKS;
    const int thread = hone::afresh((int)threadIdx.x);
    const int row = thread / CHUNKS, chunk = thread % CHUNKS;

    static_assert(BN * CHUNKS % THREADS == 0, "whole rounds");
    from += (first + row) * step + chunk * 8;
#pragma unroll
    for (int i = 0; i < BN / DOWN; i++) {
        hone::copy16_async(to + piece(row + i * DOWN, chunk), from,
                           first + row + i * DOWN < end, true);
        from += DOWN * step;
    }
}

/* The same of the block's queries. */
__device__ inline void copy_queries(unsigned char *to, const T *q,
                                    const head_of &of, int first)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < BM * CHUNKS; i += THREADS) {
        const int r = i / CHUNKS, chunk = i % CHUNKS;
        const bool valid = first + r < of.rows;

        hone::copy16_async(to + piece(r, chunk),
                           q + of.q_of(valid ? first + r : first) + chunk * 8,
                           valid, true);
    }
}

/* What a warp has of its rows. */
struct state {
    float out[FRAGS][D / 8][4];
    float top[FRAGS][2], sum[FRAGS][2]; /* sum: of this lane's columns */
    int seen[FRAGS][2];                 /* keys */
    int seen_by_any;                    /* keys that some row of the warp sees */
    unsigned q[KEEP_Q ? FRAGS : 1][KEEP_Q ? D / 16 : 1][4];
};

__device__ inline void load_queries(unsigned (&q)[4], hone::shared_place rows,
                                    int f, int step)
{
    const int lane = hone::afresh((int)threadIdx.x) % 32;

    hone::load_matrices<false>(
        q, rows + f * 16 * ROW + piece(lane % 16, 2 * step + lane / 16));
}

/* Scores of a tile of keys: columns 8*n + .. of lanes. */
__device__ inline void multiply_keys(float (&s)[FRAGS][BN / 8][4],
                                     const state &own,
                                     hone::shared_place queries,
                                     hone::shared_place tile)
{
    const int lane = hone::afresh((int)threadIdx.x) % 32;

#pragma unroll
    for (int f = 0; f < FRAGS; f++)
#pragma unroll
        for (int n = 0; n < BN / 8; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                s[f][n][i] = 0.0f;
#pragma unroll
    for (int step = 0; step < D / 16; step++) {
        unsigned a[FRAGS][4];

#pragma unroll
        for (int f = 0; f < FRAGS; f++) {
            if constexpr (KEEP_Q) {
#pragma unroll
                for (int i = 0; i < 4; i++)
                    a[f][i] = own.q[f][step][i];
            } else {
                load_queries(a[f], queries, f, step);
            }
        }
        const int at = piece(lane % 8 + lane / 16 * 8,
                             2 * step + lane / 8 % 2);

#pragma unroll
        for (int n = 0; n < BN / 16; n++) {
            unsigned b[4];

            hone::load_matrices<false>(b, tile + at + n * 16 * ROW);
#pragma unroll
            for (int f = 0; f < FRAGS; f++) {
                hone::multiply_pairs<T>(s[f][2 * n], a[f], b[0], b[1]);
                hone::multiply_pairs<T>(s[f][2 * n + 1], a[f], b[2], b[3]);
            }
        }
    }
}

/* Keys that rows do not see, of a tile from `first` on, get no weight. */
__device__ inline void mask(float (&s)[FRAGS][BN / 8][4], const state &own,
                            int first)
{
    const int column = first + threadIdx.x % 4 * 2;

#pragma unroll
    for (int f = 0; f < FRAGS; f++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int seen = own.seen[f][h] - column;

#pragma unroll
            for (int n = 0; n < BN / 8; n++)
#pragma unroll
                for (int i = 0; i < 2; i++)
                    if (8 * n + i >= seen)
                        s[f][n][2 * h + i] = hone::minus_infinity();
        }
}

/* Scores become weights, packed as a product takes them; sums so far are brought
 * to the new maximum. */
__device__ inline void weigh(unsigned (&p)[FRAGS][BN / 16][4],
                             float (&s)[FRAGS][BN / 8][4], state &own,
                             float scale2)
{
#pragma unroll
    for (int f = 0; f < FRAGS; f++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float top = own.top[f][h];

#pragma unroll
            for (int n = 0; n < BN / 8; n++)
                top = fmaxf(top, fmaxf(s[f][n][2 * h], s[f][n][2 * h + 1]));
            top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
            top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));

            /* Of a row without keys so far all weights are 0. */
            const float from = top == hone::minus_infinity() ? 0.0f : top * scale2;
            const float factor =
                hone::exp2_fast(fmaf(own.top[f][h], scale2, -from));
            float sum = own.sum[f][h] * factor;

            own.top[f][h] = top;
#pragma unroll
            for (int n = 0; n < BN / 8; n++) {
                const float low =
                    hone::exp2_fast(fmaf(s[f][n][2 * h], scale2, -from));
                const float high =
                    hone::exp2_fast(fmaf(s[f][n][2 * h + 1], scale2, -from));

                sum += low + high;
                p[f][n / 2][n % 2 * 2 + h] = hone::pair_of<T>(low, high);
            }
            own.sum[f][h] = sum;
#pragma unroll
            for (int n = 0; n < D / 8; n++) {
                own.out[f][n][2 * h] *= factor;
                own.out[f][n][2 * h + 1] *= factor;
            }
        }
}

__device__ inline void multiply_values(state &own,
                                       const unsigned (&p)[FRAGS][BN / 16][4],
                                       hone::shared_place tile)
{
    const int lane = hone::afresh((int)threadIdx.x) % 32;

#pragma unroll
    for (int step = 0; step < BN / 16; step++)
#pragma unroll
        for (int n = 0; n < D / 16; n++) {
            unsigned b[4];

            hone::load_matrices<true>(b, tile + step * 16 * ROW +
                                             piece(lane % 16,
                                                   2 * n + lane / 16));
#pragma unroll
            for (int f = 0; f < FRAGS; f++) {
                hone::multiply_pairs<T>(own.out[f][2 * n], p[f][step], b[0],
                                        b[1]);
                hone::multiply_pairs<T>(own.out[f][2 * n + 1], p[f][step], b[2],
                                        b[3]);
            }
        }
}

/* Tiles of keys of a block, and where they come from. */
struct walk {
    const T *k, *v;
    unsigned char *ring; /* STAGES times a tile of keys and one of values */
    int first, last;     /* tiles */

    __device__ void copy(const head_of &of, int tile, bool values) const
    {
        copy_keys(ring + ((tile - first) % STAGES * 2 + values) * TILE,
                  (values ? v : k) + of.kv, tile * BN, of.keys, of.key_step);
    }
};

/* One tile. With STAGES > 1 what is copied meanwhile is STAGES - 1 ahead. */
template <bool MASKED>
__device__ inline void take_tile(state &own, const walk &w, const head_of &of,
                                 int tile, hone::shared_place queries,
                                 float scale2)
{
    /* The whole warp's answer. */
    const bool takes = !MASKED || tile * BN < own.seen_by_any;
    const hone::shared_place at =
        hone::place_of(w.ring) + (tile - w.first) % STAGES * 2 * TILE;
    float s[FRAGS][BN / 8][4];
    unsigned p[FRAGS][BN / 16][4];

    hone::copy_wait(STAGES == 1 ? 0 : STAGES - 2);
    __syncthreads(); /* its keys are here, and the tile before was read */
    if (STAGES == 1) {
        w.copy(of, tile, true);
    } else if (tile + STAGES - 1 < w.last) {
        w.copy(of, tile + STAGES - 1, false);
        w.copy(of, tile + STAGES - 1, true);
    }
    hone::copy_commit();
    if (takes)
        multiply_keys(s, own, queries, at);
    if (STAGES == 1) {
        hone::copy_wait(0);
        __syncthreads(); /* its values are here, and its keys were read */
        if (tile + 1 < w.last)
            w.copy(of, tile + 1, false);
        hone::copy_commit();
    }
    if (!takes)
        return;
    if (MASKED)
        mask(s, own, tile * BN);
    weigh(p, s, own, scale2);
    multiply_values(own, p, at + TILE);
}

/* All tiles of a block; `queries` are the warp's. */
__device__ inline void take_tiles(state &own, const walk &w, const head_of &of,
                                  const T *q, unsigned char *all_queries,
                                  int first_row, hone::shared_place queries,
                                  float scale2)
{
    /* Tiles that even the block's first row sees whole. */
    const int whole = min(w.last, of.seen(first_row) / BN);
    int tile = w.first;

    copy_queries(all_queries, q, of, first_row);
    w.copy(of, tile, false);
    if (STAGES > 1) {
        w.copy(of, tile, true);
        hone::copy_commit();
#pragma unroll
        for (int i = 1; i < STAGES - 1; i++) {
            if (tile + i < w.last) {
                w.copy(of, tile + i, false);
                w.copy(of, tile + i, true);
            }
            hone::copy_commit();
        }
    } else {
        hone::copy_commit();
    }
    if constexpr (KEEP_Q) {
        hone::copy_wait(0);
        __syncthreads();
#pragma unroll
        for (int f = 0; f < FRAGS; f++)
#pragma unroll
            for (int step = 0; step < D / 16; step++)
                load_queries(own.q[f][step], queries, f, step);
    }
    /* A sequence of fewer rows than the tile: those behind see no key. */
#pragma unroll 1
    for (; first_row + BM <= of.rows && tile < whole; tile++)
        take_tile<false>(own, w, of, tile, queries, scale2);
#pragma unroll 1
    for (; tile < w.last; tile++)
        take_tile<true>(own, w, of, tile, queries, scale2);
}

/* The sums of a lane's columns to those of rows. */
__device__ inline void add_up(state &own)
{
#pragma unroll
    for (int f = 0; f < FRAGS; f++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float sum = own.sum[f][h];

            sum += __shfl_xor_sync(~0u, sum, 1);
            sum += __shfl_xor_sync(~0u, sum, 2);
            own.sum[f][h] = sum;

            const float share = sum > 0.0f ? 1.0f / sum : 0.0f;

#pragma unroll
            for (int n = 0; n < D / 8; n++) {
                own.out[f][n][2 * h] *= share;
                own.out[f][n][2 * h + 1] *= share;
            }
        }
}

/* Logarithms of sums; `row` is the lane's first one. */
__device__ inline void write_logs(const state &own, float *lse,
                                  const head_of &of, int row, float scale)
{
#pragma unroll
    for (int f = 0; f < FRAGS; f++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int r = row + f * 16 + h * 8;

            if (threadIdx.x % 4 == 0 && r < of.all_rows)
                lse[of.lse_of(r)] =
                    own.sum[f][h] > 0.0f
                        ? fmaf(own.top[f][h], scale, logf(own.sum[f][h]))
                        : hone::minus_infinity();
        }
}

/* Through shared memory, where the warp's queries were: whole pieces of rows. */
__device__ inline void write_rows(const state &own, unsigned char *queries,
                                  T *out, const head_of &of, int first_row)
{
    const int lane = threadIdx.x % 32;

    __syncwarp();
#pragma unroll
    for (int f = 0; f < FRAGS; f++)
#pragma unroll
        for (int n = 0; n < D / 8; n++)
#pragma unroll
            for (int h = 0; h < 2; h++)
                *reinterpret_cast<unsigned *>(
                    queries + piece(f * 16 + h * 8 + lane / 4, n) +
                    lane % 4 * 4) =
                    hone::pair_of<T>(own.out[f][n][2 * h],
                                     own.out[f][n][2 * h + 1]);
    __syncwarp();
#pragma unroll 1
    for (int i = lane; i < FRAGS * 16 * CHUNKS; i += 32) {
        const int r = i / CHUNKS, chunk = i % CHUNKS;

        if (first_row + r < of.all_rows)
            hone::write_pack(out + of.q_of(first_row + r) + chunk * 8,
                             hone::read_pack<8>(reinterpret_cast<const T *>(
                                 queries + piece(r, chunk))));
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
attention_mma(const T *q, const T *k, const T *v, const int *rows_of,
              const int *keys_of, float scale, T *out, float *lse, float *sums,
              float *logs, int rows, int heads, int group, int batch, int keys,
              int tiles, int tiles_first, int span, int parts)
{
    extern __shared__ __align__(128) unsigned char shared[];
    const hone::sequences all = {rows, heads, group, keys,
                                 RAGGED ? rows_of : nullptr,
                                 RAGGED ? keys_of : nullptr};
    const hone::tile_of_rows mine(blockIdx.x, tiles, heads, batch * heads,
                                  tiles_first != 0, CAUSAL != 0);
    const head_of of(all, mine.sequence, mine.head);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int first_row = mine.tile * BM;
    const int warp_row = first_row + warp * FRAGS * 16;
    const int row = warp_row + lane / 4;
    unsigned char *queries = shared + warp * FRAGS * 16 * ROW;
    const int seen = of.seen_by_any(first_row, BM);
    const int first = (int)blockIdx.y * span;
    const walk w = {k, v, shared + BM * ROW, first,
                    min(first + span, (seen + BN - 1) / BN)};
    state own;

    own.seen_by_any = of.seen_by_any(warp_row, FRAGS * 16);
#pragma unroll
    for (int f = 0; f < FRAGS; f++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            own.top[f][h] = hone::minus_infinity();
            own.sum[f][h] = 0.0f;
            own.seen[f][h] = of.seen(row + f * 16 + h * 8);
        }
#pragma unroll
        for (int n = 0; n < D / 8; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                own.out[f][n][i] = 0.0f;
    }
    if (w.first < w.last)
        take_tiles(own, w, of, q, shared, first_row, hone::place_of(queries),
                   scale * LOG2E);
    add_up(own);
    if (parts == 1) {
        write_logs(own, lse, of, row, scale);
        write_rows(own, queries, out, of, warp_row);
        return;
    }
    const long long part =
        (long long)blockIdx.y * batch * heads * of.all_rows;

    write_logs(own, logs + part, of, row, scale);
#pragma unroll
    for (int f = 0; f < FRAGS; f++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int r = row + f * 16 + h * 8;
            float *to = sums + (part + of.lse_of(r)) * D + lane % 4 * 2;

#pragma unroll
            for (int n = 0; n < D / 8; n++)
                if (r < of.all_rows)
                    *reinterpret_cast<float2 *>(to + n * 8) = make_float2(
                        own.out[f][n][2 * h], own.out[f][n][2 * h + 1]);
        }
}

/* A block merges the parts of a row, in their order. */
extern "C" __global__ void __launch_bounds__(D / 2)
attention_join(const float *sums, const float *logs, T *out, float *lse,
               int batch, int heads, int rows, int parts)
{
    const long long all = (long long)batch * heads * rows;

    for (long long i = blockIdx.x; i < all; i += gridDim.x) {
        float top = hone::minus_infinity(), sum = 0.0f;
        float2 value = make_float2(0.0f, 0.0f);

        for (int p = 0; p < parts; p++)
            top = fmaxf(top, logs[p * all + i]);
        for (int p = 0; p < parts && top > hone::minus_infinity(); p++) {
            const float weight =
                hone::exp2_fast((logs[p * all + i] - top) * LOG2E);
            const float2 of = reinterpret_cast<const float2 *>(
                sums + (p * all + i) * D)[threadIdx.x];

            sum += weight;
            value.x = fmaf(weight, of.x, value.x);
            value.y = fmaf(weight, of.y, value.y);
        }
        const float share = sum > 0.0f ? 1.0f / sum : 0.0f;
        const long long sequence = i / rows / heads, head = i / rows % heads;

        reinterpret_cast<unsigned *>(
            out + ((sequence * rows + i % rows) * heads + head) *
                      D)[threadIdx.x] =
            hone::pair_of<T>(value.x * share, value.y * share);
        if (threadIdx.x == 0)
            lse[i] = sum > 0.0f ? top + logf(sum) : hone::minus_infinity();
    }
}
