/* SPDX-License-Identifier: Apache-2.0 */
/* host_axpb/chunks: chunks of x come in, are computed and go out, several at a
 * time, so that both directions of the bus are busy.
 *
 * What is tuned is the pipeline: small chunks begin and end sooner, and cost
 * more calls; two streams keep one copy of each direction going, more of them
 * cover what lies between. STAGING copies through page-locked buffers: for
 * arrays that are page-locked it never gains, so it is left out there. The
 * kernel takes a hundredth of the time of the copies: it reads and writes as
 * wide as the chunk allows (the device's buffers begin at multiples of 256
 * bytes, the rest of a row is done one by one), and nothing about it is tuned. */
#include "host_axpb.cuh"

#pragma hone implements host_axpb/chunks "copies and kernels of several chunks at a time"

#pragma hone param CHUNK_KB in pow2 64..65536 default 8192
#pragma hone param STREAMS in {1, 2, 3, 4, 6, 8} default 3
#pragma hone param STAGING : bool

#pragma hone require !STAGING || !PINNED "page-locked arrays need no copies through page-locked buffers"
#pragma hone require STREAMS == 1 || CHUNK_KB*256*(STREAMS - 1) < n || (CHUNK_KB == 64 && STREAMS == 2) || (CHUNK_KB == 8192 && STREAMS == 3) "there are fewer chunks than streams"
#pragma hone require CHUNK_KB*256 < 2*n || CHUNK_KB == 64 || CHUNK_KB == 8192 "a smaller chunk holds everything"
#pragma hone require n <= CHUNK_KB*256*65536 || CHUNK_KB == 8192 "more than 65536 chunks: all the time goes to calls"

#pragma hone pipeline chunks(n, CHUNK_KB*256) streams(STREAMS) staging(STAGING)
#pragma hone launch host_axpb_chunk grid(min(ceildiv(n, 1024), 1G)) block(256) args(a, b, x, y, i64(n))

extern "C" __global__ void __launch_bounds__(256)
host_axpb_chunk(float a, float b, const float *__restrict__ x,
                float *__restrict__ y, long long n)
{
    const long long threads = gridDim.x * 256LL;
    const long long packs = n / 4;
    long long i = blockIdx.x * 256LL + threadIdx.x;

    for (long long p = i; p < packs; p += threads) {
        const float4 v = ((const float4 *)x)[p];

        ((float4 *)y)[p] = make_float4(a * v.x + b, a * v.y + b, a * v.z + b,
                                       a * v.w + b);
    }
    if (i < n - 4 * packs)
        y[4 * packs + i] = a * x[4 * packs + i] + b;
}
