/* SPDX-License-Identifier: Apache-2.0 */
/* Draws x for histogram_u8: as it is drawn already (DATA 0), one value but for
 * one element in 4096 (1), or by Zipf's law, the frequent values apart (2). */
#include "histogram_inputs.cuh"

#pragma hone op histogram_u8_inputs(n from 0, C in {u32, i64} default u32, DATA in {0, 1, 2} default 0) "x as DATA says"
#pragma hone arg x: inout u8[n] from 0..255, counts: out C[256]
#pragma hone launch histogram_u8_inputs grid(max(1, min(ceildiv(n, 256), 65536))) block(256) args(x, counts, i64(n))
#pragma hone check none

extern "C" __global__ void histogram_u8_inputs(unsigned char *x, C *counts,
                                               long long n)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n;
         i += gridDim.x * 256LL) {
        const unsigned random = mixed((unsigned)i * 256u + x[i]);

        if (DATA == 1 && random % 4096 != 0)
            x[i] = 173;
        else if (DATA == 2)
            x[i] = (unsigned char)(zipf(random, 256) * 167 + 13);
    }
    if (blockIdx.x == 0)
        counts[threadIdx.x] = 0;
}
