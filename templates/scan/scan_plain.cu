/* SPDX-License-Identifier: Apache-2.0 */
/* scan/plain: x is one row for the walks of scan_plain.cuh. Any n and type,
 * any device. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "scan.cuh"

#pragma hone implements scan/plain reference "a thread for each part, sums in f64, any device"

// As many parts of a row as elements of a part, more or less: one thread walks
// along either.
#pragma hone let PART = max(64, 1 << log2(max(n, 1))/2)
#pragma hone let PARTS = ceildiv(n, PART)
#pragma hone workspace of_part: u64[PARTS]
#pragma hone launch scan_sums grid(min(ceildiv(PARTS, 128), 1G)) block(128) args(x, of_part, i64(n), i64(PART), i64(PARTS))
#pragma hone launch scan_parts grid(1) block(1) args(of_part, i64(PARTS))
#pragma hone launch scan_scans grid(min(ceildiv(PARTS, 128), 1G)) block(128) args(x, y, exclusive, of_part, i64(n), i64(PART), i64(PARTS))

using element = T;

#include "scan_plain.cuh"

extern "C" __global__ void scan_sums(const element *__restrict__ x,
                                     unsigned long long *of_part,
                                     long long columns, long long part,
                                     long long n_parts)
{
    walk_sums(x, of_part, 1LL, columns, part, n_parts);
}

extern "C" __global__ void scan_parts(unsigned long long *of_part,
                                      long long n_parts)
{
    walk_parts(of_part, 1LL, n_parts);
}

extern "C" __global__ void scan_scans(const element *__restrict__ x,
                                      element *__restrict__ y, int exclusive,
                                      const unsigned long long *of_part,
                                      long long columns, long long part,
                                      long long n_parts)
{
    walk_scans(x, y, exclusive, of_part, 1LL, columns, part, n_parts);
}
