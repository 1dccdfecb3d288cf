/* SPDX-License-Identifier: Apache-2.0 */
/* convolve2d_separable/march: threads go down columns with the latest results
 * of the row filter in registers (separable.cuh), in one pass over the image;
 * or, FORM two, the row filter writes its sums as f32 and a second launch
 * filters these down the columns. */
#include "separable.cuh"
#include "convolve2d_separable.cuh"

#pragma hone implements convolve2d_separable/march "down columns with sums of rows in registers, any device"

#include "march_space.cuh"
#pragma hone param FILTER in {global, constant}
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2, 4} default 1
#pragma hone let RARE = FILTER == constant
#include "march_limits.cuh"
#pragma hone constant along_memory: f32[SIZE] from along if(FILTER == constant)
#pragma hone constant down_memory: f32[SIZE] from down if(FILTER == constant)
#pragma hone launch filter_image if(FORM == one) grid(ceildiv(width, BLOCK_X*PX), min(TILES, 65535)) block(BLOCK_X, BLOCK_Y) shared(SMEM) args(x, along, down, y, i64(height), i64(width), i64(pitch), i64(pitch_out), i64(batch))
#pragma hone launch filter_along if(FORM == two) grid(ceildiv(width, BLOCK_X*PX), min(TILES, 65535)) block(BLOCK_X, BLOCK_Y) args(x, along, sums, i64(height), i64(width), i64(pitch), i64(PITCH_SUMS), i64(batch))
#pragma hone launch filter_down if(FORM == two) grid(ceildiv(width, BLOCK_X*PX), min(TILES, 65535)) block(BLOCK_X, BLOCK_Y) args(sums, down, y, i64(height), i64(width), i64(PITCH_SUMS), i64(pitch_out), i64(batch))

struct form {
    using pixel = T;
    static constexpr int BORDER = ::BORDER, VEC = ::VEC;
    static constexpr int HALO = ::HALO, EDGE = ::EDGE;
    static constexpr int PX = ::PX, PY = ::PY;
    static constexpr int BLOCK_X = ::BLOCK_X, BLOCK_Y = ::BLOCK_Y;
    static constexpr int SIZE = ::SIZE;
    static constexpr int UNROLL = ::UNROLL_ROWS, SPAN = ::SPAN;
    static constexpr int AHEAD = ::AHEAD;
    static constexpr bool MAGIC = ::MAGIC && sizeof(T) == 1;
    static constexpr bool WHOLE = false;
    static constexpr bool SHARED = ::SHARED, CLAMP = true;
    static constexpr hone::access READ =
        ::READ == READ_values::l2       ? hone::access::l2
        : ::READ == READ_values::stream ? hone::access::stream
                                        : hone::access::normal;
    static constexpr hone::access WRITE = ::WRITE == WRITE_values::stream
                                              ? hone::access::stream
                                              : hone::access::normal;
};

#if HONE_FILTER == HONE_FILTER_constant
__constant__ float along_memory[SIZE];
__constant__ float down_memory[SIZE];
#define TAPS_OF(name) name##_memory
#else
#define TAPS_OF(name) name
#endif

/* Weights in the order of the pixels that they meet. */
struct turned {
    const float *h;

    __device__ hone::taps<SIZE> operator()() const
    {
        hone::taps<SIZE> t;

#pragma unroll
        for (int k = 0; k < SIZE; k++)
            t.at[k] = h[SIZE - 1 - k];
        return t;
    }
};

#if HONE_FORM == HONE_FORM_one
extern "C" __global__ void
__launch_bounds__(BLOCK_X *BLOCK_Y, MIN_BLOCKS)
filter_image(const T *__restrict__ x, const float *__restrict__ along,
             const float *__restrict__ down, T *__restrict__ y,
             long long height, long long width, long long pitch,
             long long pitch_out, long long batch)
{
    extern __shared__ __align__(16) unsigned char tile[];

    hone::filter_both<form>(x, y, reinterpret_cast<T *>(tile),
                            turned{TAPS_OF(along)}, turned{TAPS_OF(down)},
                            {height, width, pitch, pitch_out, batch});
}
#else
extern "C" __global__ void
__launch_bounds__(BLOCK_X *BLOCK_Y, MIN_BLOCKS)
filter_along(const T *__restrict__ x, const float *__restrict__ along,
             float *__restrict__ sums, long long height, long long width,
             long long pitch, long long pitch_sums, long long batch)
{
    hone::filter_rows<form>(x, sums, turned{TAPS_OF(along)},
                            {height, width, pitch, pitch_sums, batch});
}

extern "C" __global__ void
__launch_bounds__(BLOCK_X *BLOCK_Y, MIN_BLOCKS)
filter_down(const float *__restrict__ sums, const float *__restrict__ down,
            T *__restrict__ y, long long height, long long width,
            long long pitch_sums, long long pitch_out, long long batch)
{
    hone::filter_columns<form>(sums, y, turned{TAPS_OF(down)},
                               {height, width, pitch_sums, pitch_out, batch});
}
#endif
