/* SPDX-License-Identifier: Apache-2.0 */
/* median/network: threads go down columns. Of each new row of outputs they put
 * the columns of its windows in order, each once for all windows that it is part
 * of, and find the medians by a network of comparisons in registers, of two
 * neighbours together, and for up to two pixels in a word (LANES). */
#include "median_network.cuh"
#include "image_tiles.cuh"
#include "median.cuh"

#pragma hone implements median/network "columns in order, then a network, in registers, any device"

// Pixels of an access, which rows must be multiples of.
#pragma hone param VEC in {1, 2, 4, 8, 16} default 1
// Pixels of a word: one; two, as f16 or as integers of 16 bits, the second half
// of a thread's pixels farther along the row.
#pragma hone param LANES in {one} for device sm >= 80 in {halves} for device sm >= 90 in {shorts}
// Of bytes in order, the last found is the sum of all less the others, by
// multiply-adds: never, in columns, wherever all are used.
#pragma hone param SUMS in {none, columns, all} when T == u8
// Pixels of a thread along the row and down the column; threads of a block.
#pragma hone param PX in {1, 2, 4, 8, 16, 32} default 4
#pragma hone param PY in {1, 2, 4, 8, 16, 32} default 4
#pragma hone param BLOCK_X in {32, 64} default 32
#pragma hone param BLOCK_Y in {1, 2, 4, 8} default 4
// Rows of outputs whose columns are put in order together.
#pragma hone param ROWS in {1, 2} when SIZE == 5
// Rows of a thread's loop that are unrolled: as many as a window has, so that
// rows do not move; one; or all.
#pragma hone param UNROLL in {ring, one, all}
// Rows that are read before the medians of one are computed.
#pragma hone param AHEAD in {0, 1, 3}
#pragma hone param WRITE in {normal, stream}
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2, 4} default 1

#pragma hone let R = SIZE/2
#pragma hone let PER = T == u8 ? (VEC % 4 == 0 ? 4 : 1) : LANES == halves && T == f16 ? 2 : 1
#pragma hone let WANTED = ceildiv(R, PER)
#pragma hone let EDGE = min(max(VEC/PER, 1), 1 << log2(2*WANTED - 1))
#pragma hone let HALO = align(WANTED, EDGE)*PER
#pragma hone let WORDS = LANES == one ? PX : max(PX/2, 1)
#pragma hone let STEP = SIZE == 5 ? ROWS : 1
#pragma hone let UNROLL_ROWS = UNROLL == one ? 1 : UNROLL == ring ? (STEP == 1 ? SIZE : 3) : (PY + 2*R)/STEP

#pragma hone require LANES == one || PX >= 2 && (T == u8 || T == f16 && LANES == halves && VEC >= 2) "two pixels of a word are bytes, or f16 (halves) where accesses are of 2"
#pragma hone require LANES != one || T == f32 || PX == 1 || VEC == 1 || height*width < 4096 || device.sm < 80 "two pixels fit a word"
#pragma hone require LANES != halves || T != u8 || device.sm < 90 || height*width < 4096 "integers take fewer instructions"
#pragma hone require LANES != one || SUMS == none "few pixels: comparisons do"
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require PX % VEC == 0 "a thread has whole accesses"
#pragma hone require PX*sizeof(T) <= 32 && (PX <= 2*VEC || VEC == 1 && PX <= 8) "a thread has one or two accesses of a row, or eight small ones"
#pragma hone require VEC*sizeof(T) >= 4 || pitch % (2*VEC) != 0 || pitch_out % (2*VEC) != 0 || height*width < 4096 "rows allow wider accesses"
#pragma hone require pitch % VEC == 0 && pitch_out % VEC == 0 "rows are not multiples of VEC pixels"
#pragma hone require PY >= 4 && (PX*PY >= 64 || VEC == 1) || height*width*batch < 1M "threads of large images have many pixels"
#pragma hone require PX >= 8 || VEC == 1 || T != u8 || height*width < 4096 "most of a row would be computed by neighbours, too"
#pragma hone require BLOCK_X*BLOCK_Y >= 64 && BLOCK_X*BLOCK_Y <= 256 "blocks have 64 to 256 threads"
#pragma hone require BLOCK_X*BLOCK_Y*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require SIZE*(WORDS + 2*R) <= 100 "the rows do not fit a thread's registers"
#pragma hone require UNROLL != all || (PY + 2*R)*WORDS*(SIZE == 3 ? 1 : 6) <= 256 || PY <= 2 "the loop does not fit the instruction cache"
#pragma hone require UNROLL != one || SIZE == 5 && PY >= 8 "rows would move, in little code"
#pragma hone require STEP == 1 || LANES != one && PY >= 8 && AHEAD == 0 "two rows are for long loops"
#pragma hone require (MIN_BLOCKS > 1) + (WRITE == stream) + (BLOCK_X*BLOCK_Y != 128) <= 1 "what seldom helps is tried one at a time"
#pragma hone require AHEAD == 0 || PY > AHEAD && (AHEAD == 1 || SIZE == 3) "rows ahead are for long loops"

#pragma hone let TILES = ceildiv(height, BLOCK_Y*PY)*batch
#pragma hone launch median_image grid(ceildiv(width, BLOCK_X*PX), min(TILES, 65535)) block(BLOCK_X, BLOCK_Y) args(x, y, i64(height), i64(width), i64(pitch), i64(pitch_out), i64(batch), i32(1), i32(-1))

#if HONE_PER == 1
using unit = T;
#else
using unit = unsigned;
#endif
constexpr hone::lanes kLanes = LANES == LANES_values::one ? hone::lanes::one
                               : LANES == LANES_values::halves
                                   ? hone::lanes::halves
                                   : hone::lanes::shorts;
using word = hone::lane_word<T, kLanes>::type;
using window = hone::window<T, unit, PX, VEC, HALO, EDGE>;
using compare = hone::comparisons<kLanes, (hone::sums)(int)SUMS>;

constexpr hone::access kWrite = WRITE == WRITE_values::stream
                                    ? hone::access::stream
                                    : hone::access::normal;

/* The medians of STEP rows of outputs, `ring` being the rows of its windows. */
__device__ inline void medians(const compare &with,
                               const word (&ring)[SIZE + STEP - 1][WORDS + 2 * R],
                               word (&median)[STEP][WORDS])
{
    word column[STEP][WORDS + 2 * R][SIZE]; /* in order */

#pragma unroll
    for (int i = 0; i < WORDS + 2 * R; i++) {
        word v[SIZE + STEP - 1];

#pragma unroll
        for (int k = 0; k < SIZE + STEP - 1; k++)
            v[k] = ring[k][i];
        with.order_rows(v, column[0][i], column[STEP - 1][i]);
    }
#pragma unroll
    for (int i = 0; i < STEP; i++)
        hone::medians_of_columns(with, column[i], median[i]);
}

/* PY rows of outputs, of which `down` exist, of a thread, whose first pixel is
 * `to` and of which `across` columns exist; `rows` has their windows. */
template <typename ROWS_OF>
__device__ inline void march(const compare &with, const ROWS_OF &rows,
                             long long down, T *to, long long pitch_out,
                             long long across)
{
    const long long left = rows.limit(down);
    word ring[SIZE + STEP - 1][WORDS + 2 * R] = {};
    window ahead[AHEAD + 1];

#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        rows.read(ahead[i], i);
#pragma unroll UNROLL_ROWS
    for (int i = 0; i < PY + 2 * R; i += STEP) {
        word median[STEP][WORDS];

        if (i - 2 * R >= left)
            break;
#pragma unroll
        for (int k = 0; k + 1 < SIZE; k++)
#pragma unroll
            for (int c = 0; c < WORDS + 2 * R; c++)
                ring[k][c] = ring[k + STEP][c];
#pragma unroll
        for (int s = 0; s < STEP; s++) {
            if (i + s + AHEAD < PY + 2 * R)
                rows.read(ahead[AHEAD], i + s + AHEAD);
            hone::to_words<kLanes, PER, HALO - R, WORDS>(ahead[0].at,
                                                         ring[SIZE - 1 + s]);
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                ahead[k] = ahead[k + 1];
        }
        if (i < 2 * R)
            continue;
        medians(with, ring, median);
#pragma unroll
        for (int s = 0; s < STEP; s++) {
            unit out[PX / PER];

            if (s > 0 && i + s - 2 * R >= left)
                break;
            hone::to_units<kLanes, PER>(median[s], out);
            hone::write_pixels<VEC, kWrite>(to + (i + s - 2 * R) * pitch_out,
                                            out, rows.limit(across));
        }
    }
}

extern "C" __global__ void
__launch_bounds__(BLOCK_X *BLOCK_Y, MIN_BLOCKS)
median_image(const T *__restrict__ x, T *__restrict__ y, long long height,
             long long width, long long pitch, long long pitch_out,
             long long batch, int one, int minus)
{
    const compare with = {(unsigned)one, (unsigned)minus};
    const long long column =
        ((long long)blockIdx.x * BLOCK_X + threadIdx.x) * PX;
    const long long per_image = (height + BLOCK_Y * PY - 1) / (BLOCK_Y * PY);

    for (long long t = blockIdx.y; t < per_image * batch; t += gridDim.y) {
        const hone::tile_place place = hone::place_of_tile(t, per_image);
        const long long row =
            place.row * (BLOCK_Y * PY) + (long long)threadIdx.y * PY;
        const hone::image<const T> from = {x + place.image * height * pitch,
                                           height, width, pitch};
        T *to = y + (place.image * height + row) * pitch_out + column;

        if (column >= width || row >= height)
            continue;
        hone::with_rows<BORDER, hone::access::normal, R, PY, 32, window>(
            from, row, column, [&](const auto &rows) {
                march(with, rows, height - row, to, pitch_out, width - column);
            });
    }
}
