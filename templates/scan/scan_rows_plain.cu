/* SPDX-License-Identifier: Apache-2.0 */
/* scan_rows/plain: the walks of scan_plain.cuh. Any shape and type, any
 * device. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "scan_rows.cuh"

#pragma hone implements scan_rows/plain reference "a thread for each part of a row, sums in f64, any device"

// As many parts of a row as elements of a part, more or less: one thread walks
// along either.
#pragma hone let PART = max(64, 1 << log2(max(columns, 1))/2)
#pragma hone let PARTS = ceildiv(columns, PART)
#pragma hone workspace of_part: u64[rows*PARTS]
#pragma hone launch scan_rows_sums grid(min(ceildiv(rows*PARTS, 128), 1G)) block(128) args(x, of_part, i64(rows), i64(columns), i64(PART), i64(PARTS))
#pragma hone launch scan_rows_parts grid(min(ceildiv(rows, 128), 1G)) block(128) args(of_part, i64(rows), i64(PARTS))
#pragma hone launch scan_rows_scans grid(min(ceildiv(rows*PARTS, 128), 1G)) block(128) args(x, y, exclusive, of_part, i64(rows), i64(columns), i64(PART), i64(PARTS))

using element = T;

#include "scan_plain.cuh"

extern "C" __global__ void scan_rows_sums(const element *__restrict__ x,
                                          unsigned long long *of_part,
                                          long long rows, long long columns,
                                          long long part, long long n_parts)
{
    walk_sums(x, of_part, rows, columns, part, n_parts);
}

extern "C" __global__ void scan_rows_parts(unsigned long long *of_part,
                                           long long rows, long long n_parts)
{
    walk_parts(of_part, rows, n_parts);
}

extern "C" __global__ void scan_rows_scans(const element *__restrict__ x,
                                           element *__restrict__ y,
                                           int exclusive,
                                           const unsigned long long *of_part,
                                           long long rows, long long columns,
                                           long long part, long long n_parts)
{
    walk_scans(x, y, exclusive, of_part, rows, columns, part, n_parts);
}
