/* SPDX-License-Identifier: Apache-2.0 */
/* gaussian/tensor: images of bytes on tensor cores, compute capability 8.0 and
 * newer, in whole numbers. Each step is a product of matrices of bytes, one of
 * which has the weights along a band:
 *
 *   columns x 8 rows = weights (columns x columns and halo) * pixels,
 *   16 rows x 8 columns = weights (16 rows x 32 rows) * sums of the step before.
 *
 * Weights are 2^16 times themselves, rounded, and two bytes, of which each is a
 * product of its own. Sums along a row are rounded to 8 bits behind the point
 * and are two bytes again, the lower one with a sign; the product of lower bytes
 * is left out. So a sum is off by SIZE/2 * 255 * 2^-16 for the weights of either
 * step, 2^-9 for the rounding between them and SIZE * 128*255 * 2^-24 for what
 * is left out, (6*SIZE + 2)/1024 at most together, before it is rounded to a
 * byte, halves upwards.
 *
 * Which pixel a row or column of a matrix stands for is free. It is chosen so
 * that a lane has 16 neighbouring bytes of a row whenever it reads or writes, and
 * that the sums of the first product are what the second one takes of a lane:
 * a warp has 64 columns, lane 4*g + t columns 16*t + .. of row g.
 *
 * A block's tile goes through shared memory; blocks take tiles in turn. */
#include "hone_device.cuh"
#include "image_tiles.cuh"
#include "tensor_weights.cuh"
#include "gaussian.cuh"

#pragma hone implements gaussian/tensor "bytes on tensor cores, in whole numbers"
#pragma hone arch sm >= 80

// Pixels of an access to images, which rows must be multiples of.
#pragma hone param VEC in {1, 4, 16} default 1
// Warps of a block along a row, 64 columns each, and down; rows of a warp.
#pragma hone param WARPS_X in {2, 4, 8} default 4
#pragma hone param WARPS_Y in {1, 2, 4} default 1
#pragma hone param ROWS in {32, 64, 128} default 32
// Blocks that a multiprocessor has at once.
#pragma hone param BLOCKS_PER_SM in {1, 2, 3, 4, 6, 8} default 4
// Tiles in shared memory: the next one is copied while one is computed.
#pragma hone param BUFFERS in {1, 2} default 2 when VEC == 16
#pragma hone param WRITE in {normal, stream}

#pragma hone let R = SIZE/2
#pragma hone let THREADS = WARPS_X*WARPS_Y*32
#pragma hone let COLUMNS = WARPS_X*64
#pragma hone let SPAN = COLUMNS + 32
#pragma hone let TILE_ROWS = WARPS_Y*ROWS + 2*R
#pragma hone let SMEM = TILE_ROWS*SPAN*(VEC == 16 ? BUFFERS : 1)

#pragma hone require T == u8 "pixels are not bytes"
#pragma hone require pitch % VEC == 0 && pitch_out % VEC == 0 "rows are not multiples of VEC pixels"
#pragma hone require VEC == 16 || pitch % (4*VEC) != 0 || pitch_out % (4*VEC) != 0 || height*width < 4096 "rows allow wider accesses"
#pragma hone require THREADS <= 256 "blocks have at most 256 threads"
#pragma hone require THREADS*BLOCKS_PER_SM >= 256 && THREADS*BLOCKS_PER_SM <= 512 "a multiprocessor has 8 to 16 warps, whose registers suffice"
#pragma hone require SMEM <= device.smem_optin "the tile does not fit shared memory"
#pragma hone require BLOCKS_PER_SM*(SMEM + 2048) <= device.smem_sm "BLOCKS_PER_SM tiles do not fit a multiprocessor"

#pragma hone let TILES_X = ceildiv(width, COLUMNS)
#pragma hone let TILES_Y = ceildiv(height, WARPS_Y*ROWS)
#pragma hone launch smooth grid(min(TILES_X*TILES_Y*batch, BLOCKS_PER_SM*device.sm_count)) block(THREADS) shared(SMEM) args(x, sigma, y, i64(height), i64(width), i64(pitch), i64(pitch_out), i64(batch), i64(TILES_X), i64(TILES_Y))

constexpr int kTile = TILE_ROWS * SPAN;
constexpr int kBuffers = VEC == 16 ? BUFFERS : 1;
constexpr hone::access kWrite = WRITE == WRITE_values::stream
                                    ? hone::access::stream
                                    : hone::access::normal;

/* A lane's window of a row: its own pixels are words 2 to 5, the halo's the two
 * before and behind. Of the columns 4*j .. 4*j + 3 of a lane, word 2 + j + d is
 * needed if any of its pixels is in reach. */
constexpr int kWindow = 8;
__device__ constexpr bool needed(int d)
{
    return 4 * d <= R + 3 && 4 * d >= -R - 3;
}
using matrices = hone::weight_matrices<SIZE>;

/* Sums along two times 16 rows of 64 columns, the lower bytes and the upper: word
 * j of a lane has two rows of eight, then two of the eight below, of column
 * 16*(g/2) + g%2 + 2*j. */
struct sums_of_rows {
    unsigned part[2][8][2];
};

/* Sums of columns 4*j .. of lanes, of eight rows; 2^16 of a pixel's. */
__device__ inline void sum_columns(int (&sum)[4], const matrices &w,
                                   const unsigned (&window)[kWindow], int j)
{
    /* Half of the last bit that is kept, and as the lower byte has a sign. */
    constexpr int ROUND = 128 + 128 * 256;
    int part[2][4];

#pragma unroll
    for (int p = 0; p < 2; p++) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            part[p][i] = p == 1 ? ROUND : 0;
        /* Pairs of words as they lie in registers. */
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int d = 2 * i - 2 - j;
            const unsigned(&of)[2][4] = w.along[p][j % 2];

            if (needed(d) && needed(d + 1)) {
                const unsigned b[2] = {window[2 * i], window[2 * i + 1]};

                hone::multiply_bytes<false>(part[p], of[d > -1], b);
            } else if (needed(d)) {
                /* d is 1 or 2. */
                const unsigned(&from)[4] = w.along[p][1][1];
                const unsigned a[2] = {from[2 * d - 2], from[2 * d - 1]};
                const unsigned b[1] = {window[2 * i]};

                hone::multiply_bytes<false>(part[p], a, b);
            } else if (needed(d + 1)) {
                /* d + 1 is -1 or -2. */
                const unsigned(&from)[4] = w.along[p][0][0];
                const unsigned a[2] = {from[2 * d + 6], from[2 * d + 7]};
                const unsigned b[1] = {window[2 * i + 1]};

                hone::multiply_bytes<false>(part[p], a, b);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        sum[i] = part[0][i] * 256 + part[1][i];
}

/* The window of a lane of row `row`; `at` is its first pixel. */
__device__ inline void read_window(unsigned (&window)[kWindow], const T *at)
{
    const hone::pack<unsigned, 4> own =
        hone::read_pack<4>(reinterpret_cast<const unsigned *>(at));
    const unsigned *before = reinterpret_cast<const unsigned *>(at) - 1;

#pragma unroll
    for (int i = 0; i < 4; i++)
        window[2 + i] = own.at[i];
    window[1] = before[0];
    window[6] = before[5];
    window[0] = needed(-2) ? before[-1] : 0;
    window[7] = needed(2) ? before[6] : 0;
}

/* The sums of 16 rows of a tile, of which `first` is the lane's first, as 16 rows
 * `slot` of `to`; `tile` is the lane's first pixel of the warp's row 0. Rows that it
 * lacks meet no weights: others stand for them. */
__device__ inline void sum_rows(sums_of_rows &to, int slot,
                                const matrices &w, const T *tile,
                                int first)
{
    unsigned window[2][kWindow];

#pragma unroll
    for (int h = 0; h < 2; h++)
        read_window(window[h],
                    tile + min(max(first + 8 * h, 0), ROWS + 2 * R - 1) * SPAN);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int sum[2][4];

#pragma unroll
        for (int h = 0; h < 2; h++)
            sum_columns(sum[h], w, window[h], j);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            unsigned half[2];

            /* Of a sum bytes 1 and 2 count. */
#pragma unroll
            for (int h = 0; h < 2; h++)
                half[h] = __byte_perm((unsigned)sum[h][2 * i],
                                      (unsigned)sum[h][2 * i + 1], 0x6251);
            to.part[0][2 * j + i][slot] =
                __byte_perm(half[0], half[1], 0x5410) ^ 0x80808080u;
            to.part[1][2 * j + i][slot] =
                __byte_perm(half[0], half[1], 0x7632);
        }
    }
}

/* 16 rows of outputs: 16 bytes of row g, and of row g + 8. The older sums are in
 * slot `odd`. */
__device__ inline void sum_down(unsigned (&out)[2][4], const matrices &w,
                                const sums_of_rows &of, int odd)
{
#pragma unroll
    for (int q = 0; q < 4; q++) {
        unsigned pair[2][2]; /* of bytes */

#pragma unroll
        for (int i = 0; i < 2; i++) {
            int first[4] = {};
            int second[4] = {32768, 32768, 32768, 32768};

            hone::multiply_bytes<false>(first, w.down[0][odd],
                                        of.part[1][2 * q + i]);
            hone::multiply_bytes<false>(second, w.down[1][odd],
                                        of.part[1][2 * q + i]);
            hone::multiply_bytes<true>(second, w.down[0][odd],
                                       of.part[0][2 * q + i]);
#pragma unroll
            for (int h = 0; h < 2; h++)
                pair[h][i] = __byte_perm(
                    (unsigned)(first[2 * h] * 256 + second[2 * h]),
                    (unsigned)(first[2 * h + 1] * 256 + second[2 * h + 1]),
                    0x62);
        }
#pragma unroll
        for (int h = 0; h < 2; h++)
            out[h][q] = __byte_perm(pair[h][0], pair[h][1], 0x5410);
    }
}

/* 16 bytes, or the first `left` of them. */
__device__ inline void write_words(T *to, const unsigned (&words)[4],
                                   long long left)
{
    if constexpr (VEC >= 4) {
        hone::write_pixels<VEC, kWrite>(to, words, left);
    } else {
        T bytes[16];

#pragma unroll
        for (int i = 0; i < 16; i++)
            bytes[i] = (T)(words[i / 4] >> 8 * (i % 4) & 255u);
        hone::write_pixels<1, kWrite>(to, bytes, left);
    }
}

/* Start copying a tile to shared memory: pixels from `row` and `column` on. */
__device__ inline void copy_tile(T *tile, const hone::image<const T> &from,
                                 long long row, long long column)
{
    constexpr int PACKS = SPAN / 16;

    if (VEC == 16 && row >= 0 && row + TILE_ROWS <= from.height &&
        column >= 0 && column + SPAN <= from.width) {
        const T *corner = from.first + row * from.pitch + column;

#pragma unroll 4
        for (int i = (int)threadIdx.x; i < TILE_ROWS * PACKS; i += THREADS)
            hone::copy16_async(
                tile + 16 * i,
                corner + i / PACKS * from.pitch + i % PACKS * 16, true, true);
    } else {
        hone::stage_tile<BORDER, TILE_ROWS, SPAN, VEC, R, THREADS,
                         hone::access::normal>(tile, from, row, column,
                                               (int)threadIdx.x);
    }
    hone::copy_commit();
}

/* Outputs of a warp: `tile` is the lane's first pixel of its row 0, y that of the
 * outputs, of which `rows` and `columns` exist, none or less being possible. */
__device__ inline void smooth_tile(const matrices &w, const T *tile,
                                   T *y, long long pitch, long long rows,
                                   long long columns, int g)
{
    sums_of_rows sums;

    sum_rows(sums, 0, w, tile, hone::row_of_eight(g) + R - 8);
#pragma unroll 1
    for (int r = 0; r < ROWS; r += 32) {
#pragma unroll
        for (int odd = 0; odd < 2; odd++) {
            const int row = r + 16 * odd;
            unsigned out[2][4];

            if (row >= rows)
                break;

            sum_rows(sums, !odd, w, tile, row + hone::row_of_eight(g) + R + 8);
            sum_down(out, w, sums, odd);
#pragma unroll
            for (int h = 0; h < 2; h++)
                if (row + 8 * h + g < rows && columns > 0)
                    write_words(y + (row + 8 * h + g) * pitch, out[h],
                                columns);
        }
    }
}

extern "C" __global__ void
__launch_bounds__(THREADS, BLOCKS_PER_SM)
smooth(const T *__restrict__ x, float sigma, T *__restrict__ y,
       long long height, long long width, long long pitch, long long pitch_out,
       long long batch, long long tiles_x, long long tiles_y)
{
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ hone::weight_words<SIZE> words;
    T *tiles = reinterpret_cast<T *>(memory);
    const int lane = (int)threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int warp = (int)threadIdx.x / 32;
    const int warp_column = warp % WARPS_X * 64;
    const int warp_row = warp / WARPS_X * ROWS;
    const long long n_tiles = tiles_x * tiles_y * batch;
    matrices w;

    const auto copy = [&](long long i, int buffer) {
        const hone::tile_place at = hone::place_of_tile(i / tiles_x, tiles_y);

        copy_tile(tiles + buffer * kTile,
                  {x + at.image * height * pitch, height, width, pitch},
                  at.row * (WARPS_Y * ROWS) - R, i % tiles_x * COLUMNS - 16);
    };

    hone::write_weights<THREADS>(sigma, words, (int)threadIdx.x);
    __syncthreads();
    w.load(words, g, t);

    /* With two buffers a first turn has nothing to compute. */
    const long long ahead = (kBuffers - 1) * (long long)gridDim.x;
    int buffer = 0;

    for (long long i = blockIdx.x - ahead; i < n_tiles; i += gridDim.x) {
        const bool more = i + ahead < n_tiles;

        if (more)
            copy(i + ahead, buffer);
        buffer ^= kBuffers - 1;
        if (i < 0)
            continue;
        hone::copy_wait(kBuffers == 2 && more ? 1 : 0);
        __syncthreads();

        const hone::tile_place at = hone::place_of_tile(i / tiles_x, tiles_y);
        const long long row = at.row * (WARPS_Y * ROWS) + warp_row;
        const long long column = i % tiles_x * COLUMNS + warp_column;

        if (row < height && column < width)
            smooth_tile(w,
                        tiles + buffer * kTile + warp_row * SPAN + 16 +
                            warp_column + 16 * t,
                        y + (at.image * height + row) * pitch_out + column +
                            16 * t,
                        pitch_out, height - row, width - column - 16 * t, g);
        __syncthreads(); /* nobody reads the tile any more */
    }
}
