/* SPDX-License-Identifier: Apache-2.0 */
/* attention/simt: multiply-adds of threads, any device: where tensor cores do not take
 * the type, or are older than compute capability 8.0.
 *
 * A block has BM rows, queries of a group of heads (attention_parts.cuh), in shared
 * memory; tiles of BN keys, then of BN values, pass by in one other place there. 16
 * threads share a row: of scores thread x has keys x, x + 16, .., of sums x, x + 16, .. of
 * its groups of four elements. Weights pass through shared memory, as f32. A thread has
 * BM / (2*WARPS) rows. It reads four numbers at once; rows in shared memory are two words
 * longer than need be, so that those of 16 neighbours lie in different banks.
 *
 * Maximum and sum of a row run along, as in attention/mma. */
#include "hone_device.cuh"
#include "hone_pack.cuh"
#include "attention_parts.cuh"
#include "attention.cuh"

#pragma hone implements attention/simt "multiply-adds of threads, any device"

#pragma hone param WARPS in {2, 4, 8} default 4
#pragma hone param BM in {16, 32, 64, 128} default 32
#pragma hone param BN in {16, 32, 64} default 32
#pragma hone param MIN_BLOCKS in {1, 2, 3, 4}
#pragma hone param ORDER in {tiles_first, heads_first}

#pragma hone let THREADS = WARPS*32
#pragma hone let DOWN = WARPS*2
#pragma hone let OWN = BM/DOWN
#pragma hone let PITCH = D + 4
#pragma hone let SMEM = (BM + BN)*PITCH*2 + BM*BN*4
#pragma hone let TILES = ceildiv(rows*group, BM)
#pragma hone let REGISTERS = OWN*(BN/16 + D/16 + 4) + D/16 + 32

#pragma hone require BM % DOWN == 0 && OWN >= 1 && OWN <= 8 "a thread has 1 to 8 rows"
#pragma hone require REGISTERS <= 240 && MIN_BLOCKS*THREADS*align(REGISTERS, 8) <= device.regs_sm "registers for MIN_BLOCKS blocks"
#pragma hone require SMEM <= device.smem_optin "tiles do not fit shared memory"
#pragma hone require MIN_BLOCKS == 1 || MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS times the tiles do not fit a multiprocessor"
#pragma hone require BM <= 2*rows*group || BM <= 32 "more than half of each tile would lie outside"
#pragma hone require device.sm < 80 || batch*HEADS*rows*keys <= 16M "tensor cores do more"

#pragma hone launch attention_simt grid(TILES*batch*heads) block(THREADS) shared(SMEM) args(q, k, v, rows_of, keys_of, scale, out, lse, i32(rows), i32(heads), i32(group), i32(batch), i32(keys), i32(TILES), i32(ORDER == tiles_first))

constexpr int COLUMNS = BN / 16, FOURS = D / 64;

using head_of = hone::head<D, CAUSAL != 0>;
using four = hone::pack<T, 4>;

/* Rows of 16-byte pieces to shared memory, zeros from row `end` on; at(r) is where
 * row r begins. */
template <typename AT>
__device__ inline void copy_rows(T *to, const T *from, int count, int first,
                                 int end, AT at)
{
    for (int i = threadIdx.x; i < count * (D / 8); i += THREADS) {
        const int r = i / (D / 8), c = i % (D / 8) * 8;
        hone::pack<unsigned, 4> piece = {};

        if (first + r < end)
            piece = hone::read_pack<4>(
                reinterpret_cast<const unsigned *>(from + at(first + r) + c));
#pragma unroll
        for (int n = 0; n < 2; n++) {
            const hone::pack<unsigned, 2> half = {
                {piece.at[2 * n], piece.at[2 * n + 1]}};

            hone::write_pack<hone::access::shared>(
                reinterpret_cast<unsigned *>(to + r * PITCH + c) + 2 * n, half);
        }
    }
}

__device__ inline float4 four_of(const T *p)
{
    const four v = hone::read_pack<4>(p);

    return make_float4(hone::widen(v.at[0]), hone::widen(v.at[1]),
                       hone::widen(v.at[2]), hone::widen(v.at[3]));
}

/* Scores of the thread's rows y + DOWN*i and keys x + 16*j. */
__device__ inline void multiply_keys(float (&s)[OWN][COLUMNS], const T *queries,
                                     const T *tile, int x, int y)
{
#pragma unroll
    for (int i = 0; i < OWN; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            s[i][j] = 0.0f;
#pragma unroll 2
    for (int d = 0; d < D; d += 4) {
        float4 b[COLUMNS];

#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            b[j] = four_of(tile + (x + 16 * j) * PITCH + d);
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            const float4 a = four_of(queries + (y + DOWN * i) * PITCH + d);

#pragma unroll
            for (int j = 0; j < COLUMNS; j++)
                s[i][j] = fmaf(a.x, b[j].x,
                               fmaf(a.y, b[j].y,
                                    fmaf(a.z, b[j].z,
                                         fmaf(a.w, b[j].w, s[i][j]))));
        }
    }
}

__device__ inline float largest_of_row(float v)
{
#pragma unroll
    for (int by = 8; by > 0; by /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, by));
    return v;
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
attention_simt(const T *q, const T *k, const T *v, const int *rows_of,
               const int *keys_of, float scale, T *out, float *lse, int rows,
               int heads, int group, int batch, int keys, int tiles,
               int tiles_first)
{
    extern __shared__ __align__(16) unsigned char shared[];
    float *weights = reinterpret_cast<float *>(shared);
    T *queries = reinterpret_cast<T *>(shared + BM * BN * 4);
    T *tile = queries + BM * PITCH;
    const hone::sequences all = {rows, heads, group, keys,
                                 RAGGED ? rows_of : nullptr,
                                 RAGGED ? keys_of : nullptr};
    const hone::tile_of_rows mine(blockIdx.x, tiles, heads, batch * heads,
                                  tiles_first != 0, CAUSAL != 0);
    const head_of of(all, mine.sequence, mine.head);
    const int first_row = mine.tile * BM;
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const int seen_by_any = of.seen_by_any(first_row, BM);
    const float scale2 = scale * hone::LOG2E;
    float4 sums[OWN][FOURS];
    float top[OWN], sum[OWN];
    int seen[OWN];

#pragma unroll
    for (int i = 0; i < OWN; i++) {
        top[i] = hone::minus_infinity();
        sum[i] = 0.0f;
        seen[i] = of.seen(first_row + y + DOWN * i);
#pragma unroll
        for (int n = 0; n < FOURS; n++)
            sums[i][n] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    copy_rows(queries, q, BM, first_row, of.rows,
              [&](int r) { return of.q_of(r); });
#pragma unroll 1
    for (int first = 0; first < seen_by_any; first += BN) {
        float s[OWN][COLUMNS];

        __syncthreads(); /* the last values were read */
        copy_rows(tile, k + of.kv, BN, first, of.keys,
                  [&](int r) { return r * of.key_step; });
        __syncthreads();
        multiply_keys(s, queries, tile, x, y);
        __syncthreads(); /* the keys were read */
        copy_rows(tile, v + of.kv, BN, first, of.keys,
                  [&](int r) { return r * of.key_step; });
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            float now = top[i];

#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
                if (first + x + 16 * j >= seen[i])
                    s[i][j] = hone::minus_infinity();
                now = fmaxf(now, s[i][j]);
            }
            now = largest_of_row(now);

            /* Of a row without keys so far all weights are 0. */
            const float from =
                now == hone::minus_infinity() ? 0.0f : now * scale2;
            const float factor = hone::exp2_fast(fmaf(top[i], scale2, -from));

            top[i] = now;
            sum[i] *= factor;
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
                const float weight =
                    hone::exp2_fast(fmaf(s[i][j], scale2, -from));

                sum[i] += weight;
                weights[(y + DOWN * i) * BN + x + 16 * j] = weight;
            }
#pragma unroll
            for (int n = 0; n < FOURS; n++) {
                sums[i][n].x *= factor;
                sums[i][n].y *= factor;
                sums[i][n].z *= factor;
                sums[i][n].w *= factor;
            }
        }
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < BN; j++) {
            float4 b[FOURS];

#pragma unroll
            for (int n = 0; n < FOURS; n++)
                b[n] = four_of(tile + j * PITCH + 4 * (x + 16 * n));
#pragma unroll
            for (int i = 0; i < OWN; i++) {
                const float a = weights[(y + DOWN * i) * BN + j];

#pragma unroll
                for (int n = 0; n < FOURS; n++) {
                    sums[i][n].x = fmaf(a, b[n].x, sums[i][n].x);
                    sums[i][n].y = fmaf(a, b[n].y, sums[i][n].y);
                    sums[i][n].z = fmaf(a, b[n].z, sums[i][n].z);
                    sums[i][n].w = fmaf(a, b[n].w, sums[i][n].w);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < OWN; i++)
#pragma unroll
        for (int by = 8; by > 0; by /= 2)
            sum[i] += __shfl_xor_sync(~0u, sum[i], by);
#pragma unroll
    for (int i = 0; i < OWN; i++) {
        const int r = first_row + y + DOWN * i;

        if (r >= of.all_rows)
            continue;

        const float share = sum[i] > 0.0f ? 1.0f / sum[i] : 0.0f;

#pragma unroll
        for (int n = 0; n < FOURS; n++) {
            const four v = {{hone::narrow<T>(sums[i][n].x * share),
                             hone::narrow<T>(sums[i][n].y * share),
                             hone::narrow<T>(sums[i][n].z * share),
                             hone::narrow<T>(sums[i][n].w * share)}};

            hone::write_pack(out + of.q_of(r) + 4 * (x + 16 * n), v);
        }
        if (x == 0)
            lse[of.lse_of(r)] = sum[i] > 0.0f
                                    ? fmaf(top[i], scale, logf(sum[i]))
                                    : hone::minus_infinity();
    }
}
