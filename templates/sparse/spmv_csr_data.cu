/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices that spmv_csr is verified and tuned with: a band and an uneven
 * one. Random ones (DATA 2) stay as they were drawn. */
#pragma hone op spmv_csr_data(rows, columns, nnz from 0, T in {f32, f64} default f32, DATA in {0, 1, 2} default 0, I in {i32, i64} default i32) \
    "inputs of spmv_csr: a band, or rows of uneven lengths"
#pragma hone arg start: inout I[rows + 1] offsets of nnz, column: inout i32[nnz] from 0..columns - 1, \
    value: in T[nnz], x: in T[columns], y: in T[rows]
#pragma hone launch spmv_csr_starts if(DATA < 2) grid(min(ceildiv(rows + 1, 256), 1G)) block(256) args(start, i64(rows), i64(nnz))
#pragma hone launch spmv_csr_columns if(DATA < 2) grid(min(ceildiv(rows, 256), 1G)) block(256) \
    args(start, column, i64(rows), i64(columns))
#pragma hone check none

/* The sum of 2^min(t(i), 12) over i = 1 .. r, t(i) being the number of trailing
 * zeros of i: for every 2^k numbers one more has k of them. */
__device__ inline double weight_up_to(long long r)
{
    long long sum = 0;

    for (int k = 0; k < 12; k++)
        sum += ((r >> k) - (r >> (k + 1))) << k;
    return (double)(sum + ((r >> 12) << 12));
}

extern "C" __global__ void __launch_bounds__(256)
spmv_csr_starts(I *start, long long rows, long long nnz)
{
    for (long long r = blockIdx.x * 256LL + threadIdx.x; r <= rows;
         r += gridDim.x * 256LL) {
        if (DATA == 0) {
            const long long rest = nnz % rows;

            start[r] = (I)(r * (nnz / rows) + (r < rest ? r : rest));
        } else {
            /* Ascending, and nnz at the end: each step is monotonic. */
            start[r] = (I)(r == rows ? nnz
                                     : (long long)(weight_up_to(r) /
                                                   weight_up_to(rows) *
                                                   (double)nnz));
        }
    }
}

/* Bits that look like chance (the finalizer of SplitMix64). */
__device__ inline unsigned long long mixed(unsigned long long k)
{
    k += 0x9e3779b97f4a7c15ull;
    k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9ull;
    k = (k ^ (k >> 27)) * 0x94d049bb133111ebull;
    return k ^ (k >> 31);
}

extern "C" __global__ void __launch_bounds__(256)
spmv_csr_columns(const I *start, int *column, long long rows,
                 long long columns)
{
    for (long long r = blockIdx.x * 256LL + threadIdx.x; r < rows;
         r += gridDim.x * 256LL) {
        const long long begin = start[r], end = start[r + 1];
        /* The diagonal is in the middle, as far as the matrix goes. */
        const long long middle =
            (long long)((double)r / (double)rows * (double)columns);
        const long long most = columns - (end - begin);
        long long first = middle - (end - begin) / 2;

        first = first > most ? most : first;
        first = first < 0 ? 0 : first;
        for (long long k = begin; k < end; k++)
            column[k] = DATA == 0 ? (int)((first + k - begin) % columns)
                                  : (int)(mixed(k) % columns);
    }
}
