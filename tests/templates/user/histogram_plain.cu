// SPDX-License-Identifier: Apache-2.0
// What histogram.cu must give: each thread counts one value.
#pragma hone op histogram_plain(n) "count[v] = how many of x are v"
#pragma hone arg x: in u8[n] from 0..255, count: out u32[256]
#pragma hone param BLOCK in {32}
#pragma hone launch histogram_plain grid(256/BLOCK) block(BLOCK)
#pragma hone check none

extern "C" __global__ void histogram_plain(const unsigned char *x,
                                           unsigned *count, long long n)
{
    const unsigned value = blockIdx.x * BLOCK + threadIdx.x;
    unsigned found = 0;

    for (long long i = 0; i < n; ++i)
        found += x[i] == value;
    count[value] = found;
}
