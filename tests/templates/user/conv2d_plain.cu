// SPDX-License-Identifier: Apache-2.0
// What conv2d.cu must give: one thread a pixel.
#pragma hone op conv2d_plain(height, width, K in 3..7 step 2) "y = x correlated with a K x K filter, zero-padded"
#pragma hone arg x: in f32[height][width], filter: in f32[K][K], y: out f32[height][width]
#pragma hone param BLOCK in {256}
#pragma hone launch conv2d_plain grid(ceildiv(height*width, BLOCK)) block(BLOCK)
#pragma hone check none

extern "C" __global__ void conv2d_plain(const float *x, const float *filter,
                                        float *y, long long height,
                                        long long width)
{
    const long long at = (long long)blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;

    if (at >= height * width)
        return;
    for (int i = 0; i < K; ++i) {
        for (int j = 0; j < K; ++j) {
            const long long r = at / width + i - K / 2;
            const long long c = at % width + j - K / 2;

            if (r >= 0 && r < height && c >= 0 && c < width)
                sum += filter[i * K + j] * x[r * width + c];
        }
    }
    y[at] = sum;
}
