/* SPDX-License-Identifier: Apache-2.0 */
/* scan/plain: x in PARTS parts of PART elements; a thread adds up each, one
 * thread adds up their sums, a thread scans each. Sums in f64, so that what
 * others round is seen. Any n and type, any device. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "scan.cuh"

#pragma hone implements scan/plain reference "a thread for each part, sums in f64, any device"

// As many parts as elements of a part, more or less: both are walked along by
// one thread.
#pragma hone let PART = max(64, 1 << log2(n)/2)
#pragma hone let PARTS = ceildiv(n, PART)
#pragma hone workspace of_part: u64[PARTS]
#pragma hone launch scan_plain_sums grid(ceildiv(PARTS, 128)) block(128) args(x, of_part, i64(n), i64(PART), i64(PARTS))
#pragma hone launch scan_plain_parts grid(1) block(1) args(of_part, i64(PARTS))
#pragma hone launch scan_plain grid(ceildiv(PARTS, 128)) block(128) args(x, y, exclusive, of_part, i64(n), i64(PART), i64(PARTS))

#include "scan_plain.cuh"

using sum_type = plain_sum<T>::type;

/* A word of the workspace as a sum, and back. */
__device__ inline sum_type sum_of(unsigned long long word)
{
    sum_type sum;

    memcpy(&sum, &word, sizeof sum);
    return sum;
}
__device__ inline unsigned long long word_of(sum_type sum)
{
    unsigned long long word = 0;

    memcpy(&word, &sum, sizeof sum);
    return word;
}

extern "C" __global__ void
scan_plain_sums(const T *__restrict__ x, unsigned long long *of_part,
                long long n, long long part, long long n_parts)
{
    const long long at = blockIdx.x * 128LL + threadIdx.x;

    if (at < n_parts)
        of_part[at] =
            word_of(plain_add_up(x, at * part, min(n, (at + 1) * part)));
}

/* From the sums of the parts: what stands in front of each. */
extern "C" __global__ void scan_plain_parts(unsigned long long *of_part,
                                            long long n_parts)
{
    sum_type sum = 0;

    for (long long at = 0; at < n_parts; at++) {
        const sum_type of_this = sum_of(of_part[at]);

        of_part[at] = word_of(sum);
        sum += of_this;
    }
}

extern "C" __global__ void
scan_plain(const T *__restrict__ x, T *__restrict__ y, int exclusive,
           const unsigned long long *of_part, long long n, long long part,
           long long n_parts)
{
    const long long at = blockIdx.x * 128LL + threadIdx.x;

    if (at < n_parts)
        plain_scan(x, y, (exclusive & 1) != 0, at * part,
                   min(n, (at + 1) * part), sum_of(of_part[at]));
}
