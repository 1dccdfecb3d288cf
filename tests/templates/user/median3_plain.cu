// SPDX-License-Identifier: Apache-2.0
// What median3.cu must give: nine pixels, sorted by insertion.
#pragma hone op median3_plain(height, width, T in {u8, f32} default u8) "y = median of 3 x 3 of x"
#pragma hone arg x: in T[height][width] from 0..255, y: out T[height][width]
#pragma hone param BLOCK in {128}
#pragma hone launch median3_plain grid(ceildiv(height*width, BLOCK)) block(BLOCK)
#pragma hone check none

extern "C" __global__ void median3_plain(const T *x, T *y, long long height,
                                         long long width)
{
    const long long at = (long long)blockIdx.x * BLOCK + threadIdx.x;
    T v[9];

    if (at >= height * width)
        return;
    for (int i = 0; i < 9; ++i) {
        const long long r = min(max(at / width + i / 3 - 1, 0LL), height - 1);
        const long long c = min(max(at % width + i % 3 - 1, 0LL), width - 1);
        const T pixel = x[r * width + c];
        int to = i;

        for (; to > 0 && v[to - 1] > pixel; --to)
            v[to] = v[to - 1];
        v[to] = pixel;
    }
    y[at] = v[4];
}
