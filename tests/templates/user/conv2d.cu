// SPDX-License-Identifier: Apache-2.0
// conv2d: a K x K filter over an image, zeros beyond its edges; K is 3, 5 or 7
// and compiled in, so that the loops over the filter unroll.
//
// A thread makes DOWN pixels below each other, a block WIDE x HIGH threads.
// INPUT: the image is read where it lies, or a tile with its rim is first
// brought to shared memory. TAPS: the filter is in constant or global memory.

#pragma hone op conv2d(height, width, K in 3..7 step 2) "y = x correlated with a K x K filter, zero-padded"
#pragma hone arg x: in f32[height][width], filter: in f32[K][K], y: out f32[height][width]

#pragma hone param WIDE in {16, 32, 64} default 32
#pragma hone param HIGH in {2, 4, 8, 16} default 8
#pragma hone param DOWN in {1, 2, 4}
#pragma hone param INPUT in {direct, tile}
#pragma hone param TAPS in {constant_memory, global_memory}

#pragma hone let RIM = K/2
#pragma hone let ROWS = HIGH*DOWN
#pragma hone require WIDE*HIGH >= 64 "too few threads in a block"
#pragma hone constant taps: f32[K*K] from filter if(TAPS == constant_memory)

#pragma hone launch conv2d grid(ceildiv(width, WIDE)*ceildiv(height, ROWS)) block(WIDE, HIGH)
#pragma hone work flops(2*K*K*height*width) bytes(8*height*width + 4*K*K)
#pragma hone check template.conv2d_plain tolerance(2*K*K) exact(8)
#pragma hone baseline template.conv2d_plain

#if HONE_TAPS == HONE_TAPS_constant_memory
__constant__ float taps[K * K];
#endif

extern "C" __global__ void __launch_bounds__(WIDE * HIGH)
conv2d(const float *__restrict__ x, const float *__restrict__ filter,
       float *__restrict__ y, long long height, long long width)
{
    const long long across = (width + WIDE - 1) / WIDE;
    const long long x0 = blockIdx.x % across * WIDE;
    const long long y0 = blockIdx.x / across * ROWS;
    const auto pixel = [&](long long r, long long c) {
        return r >= 0 && r < height && c >= 0 && c < width ? x[r * width + c]
                                                           : 0.0f;
    };
    const auto tap = [&](int i) {
#if HONE_TAPS == HONE_TAPS_constant_memory
        return taps[i];
#else
        return filter[i];
#endif
    };
    float sum[DOWN] = {};

    if constexpr (INPUT == INPUT_values::tile) {
        __shared__ float tile[ROWS + 2 * RIM][WIDE + 2 * RIM];

        for (int i = threadIdx.y; i < ROWS + 2 * RIM; i += HIGH)
            for (int j = threadIdx.x; j < WIDE + 2 * RIM; j += WIDE)
                tile[i][j] = pixel(y0 + i - RIM, x0 + j - RIM);
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DOWN; ++d)
#pragma unroll
            for (int i = 0; i < K; ++i)
#pragma unroll
                for (int j = 0; j < K; ++j)
                    sum[d] += tap(i * K + j) *
                              tile[threadIdx.y + d * HIGH + i][threadIdx.x + j];
    } else {
#pragma unroll
        for (int d = 0; d < DOWN; ++d)
#pragma unroll
            for (int i = 0; i < K; ++i)
#pragma unroll
                for (int j = 0; j < K; ++j)
                    sum[d] += tap(i * K + j) *
                              pixel(y0 + threadIdx.y + d * HIGH + i - RIM,
                                    x0 + threadIdx.x + j - RIM);
    }
    const long long c = x0 + threadIdx.x;

#pragma unroll
    for (int d = 0; d < DOWN; ++d) {
        const long long r = y0 + threadIdx.y + d * HIGH;

        if (r < height && c < width)
            y[r * width + c] = sum[d];
    }
}
