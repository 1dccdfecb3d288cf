/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels between cuFFT's transforms in the baseline cufft.image_pipeline:
 * each reads its images and writes them, as a program has them that was put
 * together of parts. Packs of 16 bytes where pixels follow each other. */

/* Four times `total` pixels. */
__global__ void __launch_bounds__(256)
pipeline_threshold(const float4 *x, float threshold, float4 *y, long long total)
{
    const long long i = blockIdx.x * 256LL + threadIdx.x;

    if (i >= total)
        return;

    const float4 v = x[i];

    y[i] = make_float4(v.x < threshold ? 0.0f : v.x,
                       v.y < threshold ? 0.0f : v.y,
                       v.z < threshold ? 0.0f : v.z,
                       v.w < threshold ? 0.0f : v.w);
}

/* A block for each row of half a spectrum. */
__global__ void __launch_bounds__(256)
pipeline_filter(float2 *spectrum, int rows, int columns, int cutoff)
{
    const int half = columns / 2 + 1;
    const int longer = rows > columns ? rows : columns;
    const int row = int(blockIdx.x % unsigned(rows));
    const int u = (row <= rows / 2 ? row : rows - row) * (longer / rows);
    const float scale = 1.0f / (float(rows) * float(columns));
    float2 *const at = spectrum + (long long)blockIdx.x * half;

    for (int k = int(threadIdx.x); k < half; k += 256) {
        const int v = k * (longer / columns);
        float2 a = make_float2(0.0f, 0.0f);

        if (u * u + v * v < cutoff * cutoff) {
            a = at[k];
            a = make_float2(a.x * scale, a.y * scale);
        }
        at[k] = a;
    }
}

/* The sum and the sum of squares of each of `shares` equal parts of an image,
 * of `size` packs each, a multiple of 256. */
__global__ void __launch_bounds__(256)
pipeline_sums(const float4 *y, double2 *sums, int size)
{
    __shared__ double2 of_warp[8];
    const float4 *const from = y + (long long)blockIdx.x * size;
    double2 sum = make_double2(0.0, 0.0);

    for (int i = int(threadIdx.x); i < size; i += 256) {
        const float4 v = from[i];

        sum.x += double(v.x + v.y + v.z + v.w);
        sum.y += double(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
    }
    for (int step = 16; step > 0; step /= 2) {
        sum.x += __shfl_xor_sync(0xffffffffu, sum.x, step);
        sum.y += __shfl_xor_sync(0xffffffffu, sum.y, step);
    }
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++) {
            sum.x += of_warp[warp].x;
            sum.y += of_warp[warp].y;
        }
        sums[blockIdx.x] = sum;
    }
}

/* The same parts, brought to mean 0 and variance 1. */
__global__ void __launch_bounds__(256)
pipeline_normalise(float4 *y, const double2 *sums, float eps, int size,
                   int shares)
{
    __shared__ float2 both; /* mean, factor */
    float4 *const at = y + (long long)blockIdx.x * size;

    if (threadIdx.x < 32) {
        const double2 *const mine = sums + blockIdx.x / unsigned(shares) * shares;
        double2 sum = make_double2(0.0, 0.0);

        for (int i = int(threadIdx.x); i < shares; i += 32) {
            sum.x += mine[i].x;
            sum.y += mine[i].y;
        }
        for (int step = 16; step > 0; step /= 2) {
            sum.x += __shfl_xor_sync(0xffffffffu, sum.x, step);
            sum.y += __shfl_xor_sync(0xffffffffu, sum.y, step);
        }
        if (threadIdx.x == 0) {
            const double pixels = 4.0 * size * shares;
            const double mean = sum.x / pixels;
            const double variance = sum.y / pixels - mean * mean;

            both = make_float2(
                float(mean),
                float(1.0 / sqrt((variance > 0.0 ? variance : 0.0) + eps)));
        }
    }
    __syncthreads();

    const float mean = both.x, factor = both.y;

    for (int i = int(threadIdx.x); i < size; i += 256) {
        const float4 v = at[i];

        at[i] = make_float4((v.x - mean) * factor, (v.y - mean) * factor,
                            (v.z - mean) * factor, (v.w - mean) * factor);
    }
}
