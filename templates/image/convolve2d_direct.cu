/* SPDX-License-Identifier: Apache-2.0 */
/* convolve2d/direct: a thread keeps as many rows of its windows in registers as
 * it has rows of outputs. With each row of weights it takes a new row at the
 * bottom and drops the one on top: so a row is read once for all the outputs
 * that need it, and a weight serves PX*PY multiply-adds. */
#include "image_tiles.cuh"
#include "convolve2d.cuh"

#pragma hone implements convolve2d/direct "windows of rows in registers, any device"

// Pixels of an access, which rows must be multiples of.
#pragma hone param VEC in {1, 2, 4, 8, 16} default 1
// Pixels of a thread along the row and down the column; threads of a block.
#pragma hone param PX in {1, 2, 4, 8, 16} default 4
#pragma hone param PY in {1, 2, 4, 6, 8} default 4
#pragma hone param BLOCK_X in {16, 32, 64, 128} default 32
#pragma hone param BLOCK_Y in {1, 2, 4, 8} default 4
// Rows of weights that are unrolled: one; PY, so that windows do not move; all.
#pragma hone param UNROLL in {one, ring, all}
// Tiles go through shared memory; else windows come through the caches.
#pragma hone param SHARED: bool default false
#pragma hone param READ in {normal, l2, stream} when SHARED
#pragma hone param WRITE in {normal, stream}
// Bytes become f32 by arithmetic, not by conversions.
#pragma hone param MAGIC: bool default false when T == u8
#pragma hone param FILTER in {shared, constant}
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2, 4} default 1

#pragma hone let R = SIZE/2
#pragma hone let PER = T == u8 && VEC % 4 == 0 ? 4 : 1
#pragma hone let WANTED = ceildiv(R, PER)
#pragma hone let EDGE = min(VEC/PER, 1 << log2(2*WANTED - 1))
#pragma hone let HALO = align(WANTED, EDGE)*PER
#pragma hone let SPAN = BLOCK_X*PX + 2*align(HALO, VEC)
#pragma hone let SMEM = SHARED ? (BLOCK_Y*PY + 2*R)*SPAN*sizeof(T) : 0
#pragma hone let UNROLL_ROWS = UNROLL == one ? 1 : UNROLL == ring ? PY : SIZE
// Weights of a row, as the kernel keeps them.
#pragma hone let PITCH_H = align(SIZE, 4)

#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require PX % VEC == 0 "a thread has whole accesses"
#pragma hone require PX*sizeof(T) <= 32 && (PX <= 2*VEC || VEC == 1 && PX <= 4) "a thread has one or two accesses of a row, or four small ones"
#pragma hone require VEC*sizeof(T) >= 4 || pitch % (2*VEC) != 0 || pitch_out % (2*VEC) != 0 || height*width < 4096 "rows allow wider accesses"
#pragma hone require pitch % VEC == 0 && pitch_out % VEC == 0 "rows are not multiples of VEC pixels"
#pragma hone require BLOCK_X*BLOCK_Y >= 64 && BLOCK_X*BLOCK_Y <= 256 "blocks have 64 to 256 threads"
#pragma hone require BLOCK_X*BLOCK_Y*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require MIN_BLOCKS == 1 || PX*PY >= 16 "few registers are used: launch bounds change nothing"
#pragma hone require PY*(2*PX + 2*R) <= 192 "the windows do not fit a thread's registers"
#pragma hone require UNROLL_ROWS*SIZE*PX*PY <= 4096 "the loop does not fit the instruction cache"
#pragma hone require UNROLL != ring || PY > 1 && PY < SIZE "unrolled are one row, or all"
#pragma hone require SIZE <= 5 || PX*PY >= 4 || height*width < 4096 "few multiply-adds for each weight and pixel that is loaded"
#pragma hone require !SHARED || BLOCK_Y*PY >= R || height < 64 "most of a tile are its edges"
#pragma hone require (MIN_BLOCKS > 1) + (WRITE == stream) + (READ == stream) + (BLOCK_X*BLOCK_Y == 64) + (FILTER == constant) <= 1 "what seldom helps is tried one at a time"
#pragma hone require SMEM + 2048 <= device.smem_optin "the tile does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 2048) <= device.smem_sm "MIN_BLOCKS tiles do not fit a multiprocessor"

#pragma hone let TILES = ceildiv(height, BLOCK_Y*PY)*batch
#pragma hone constant weights_memory: f32[SIZE*SIZE] from h if(FILTER == constant)
#pragma hone launch convolve_image grid(ceildiv(width, BLOCK_X*PX), min(TILES, 65535)) block(BLOCK_X, BLOCK_Y) shared(SMEM) args(x, h, y, i64(height), i64(width), i64(pitch), i64(pitch_out), i64(batch))

using window = hone::window<T, hone::unit<T, VEC>::type, PX, VEC, HALO, EDGE>;
constexpr int kColumns = PX + 2 * R; /* of a window that are used */

struct form {
    using pixel = T;
    static constexpr int BORDER = ::BORDER, VEC = ::VEC;
    static constexpr int HALO = ::HALO, EDGE = ::EDGE;
    static constexpr int PX = ::PX, PY = ::PY;
    static constexpr int BLOCK_X = ::BLOCK_X, BLOCK_Y = ::BLOCK_Y;
    static constexpr int SPAN = ::SPAN;
    static constexpr bool SHARED = ::SHARED;
    static constexpr hone::access READ =
        ::READ == READ_values::l2       ? hone::access::l2
        : ::READ == READ_values::stream ? hone::access::stream
                                        : hone::access::normal;
    static constexpr hone::access WRITE = ::WRITE == WRITE_values::stream
                                              ? hone::access::stream
                                              : hone::access::normal;
};

#if HONE_FILTER == HONE_FILTER_constant
__constant__ float weights_memory[SIZE * SIZE];
#endif

/* Row k of the weights, k and columns in the order of the pixels that they
 * meet. `of_block` has them in this order. */
__device__ inline void row_of_weights(float (&to)[PITCH_H],
                                      const float *of_block, int k)
{
#if HONE_FILTER == HONE_FILTER_constant
#pragma unroll
    for (int j = 0; j < SIZE; j++)
        to[j] = weights_memory[(SIZE - 1 - k) * SIZE + SIZE - 1 - j];
#else
#pragma unroll
    for (int j = 0; j < PITCH_H; j += 4) {
        const float4 v =
            *reinterpret_cast<const float4 *>(of_block + k * PITCH_H + j);

        to[j] = v.x;
        to[j + 1] = v.y;
        to[j + 2] = v.z;
        to[j + 3] = v.w;
    }
#endif
}

template <typename ROWS>
__device__ inline void read_row(float (&to)[kColumns], const ROWS &rows, int i)
{
    window w;

    rows.read(w, i);
#pragma unroll
    for (int c = 0; c < kColumns; c++)
        to[c] = hone::pixel<MAGIC>(w.at, HALO - R + c);
}

/* The sums of PX x PY outputs, whose windows begin with row 0 of `rows`. */
template <typename ROWS>
__device__ inline void convolve(float (&sum)[PY][PX], const ROWS &rows,
                                const float *of_block)
{
    float in[PY][kColumns];

#pragma unroll
    for (int o = 0; o < PY; o++)
#pragma unroll
        for (int p = 0; p < PX; p++)
            sum[o][p] = 0.0f;
#pragma unroll
    for (int o = 0; o + 1 < PY; o++)
        read_row(in[o + 1], rows, o);

#pragma unroll UNROLL_ROWS
    for (int k = 0; k < SIZE; k++) {
        float h[PITCH_H];

#pragma unroll
        for (int o = 0; o + 1 < PY; o++)
#pragma unroll
            for (int c = 0; c < kColumns; c++)
                in[o][c] = in[o + 1][c];
        read_row(in[PY - 1], rows, k + PY - 1);
        row_of_weights(h, of_block, k);
#pragma unroll
        for (int j = 0; j < SIZE; j++)
#pragma unroll
            for (int o = 0; o < PY; o++)
#pragma unroll
                for (int p = 0; p < PX; p++)
                    sum[o][p] += h[j] * in[o][p + j];
    }
}

extern "C" __global__ void
__launch_bounds__(BLOCK_X *BLOCK_Y, MIN_BLOCKS)
convolve_image(const T *__restrict__ x, const float *__restrict__ h,
               T *__restrict__ y, long long height, long long width,
               long long pitch, long long pitch_out, long long batch)
{
    extern __shared__ __align__(16) unsigned char tile[];
#if HONE_FILTER == HONE_FILTER_constant
    const float *of_block = nullptr;
#else
    __shared__ __align__(16) float of_block[SIZE * PITCH_H];

    for (int i = (int)(threadIdx.y * BLOCK_X + threadIdx.x);
         i < SIZE * PITCH_H; i += BLOCK_X * BLOCK_Y)
        of_block[i] =
            i % PITCH_H < SIZE
                ? h[(SIZE - 1 - i / PITCH_H) * SIZE + SIZE - 1 - i % PITCH_H]
                : 0.0f;
    __syncthreads();
#endif

    hone::for_tiles<form, R, HALO, window>(
        x, reinterpret_cast<T *>(tile),
        {height, width, pitch, pitch_out, batch},
        [&](const auto &rows, long long image, long long row,
            long long column) {
            const hone::sums_to_image<T, VEC, form::WRITE> to = {
                y + (image * height + row) * pitch_out + column, pitch_out,
                rows.limit(width - column)};
            const long long left = rows.limit(height - row);
            float sum[PY][PX];

            convolve(sum, rows, of_block);
#pragma unroll
            for (int o = 0; o < PY; o++) {
                if (o < left)
                    to(o, sum[o]);
            }
        });
}
