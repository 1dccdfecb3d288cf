/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes that ascend, for scatter_add with SORTED = 1: one from each of n
 * equal parts of 0..m-1. With SORTED = 0 they stay as they were drawn. */
#pragma hone op scatter_add_data(n from 0, m, W, T in {f32, f64, i32} default f32, SORTED in {0, 1} default 0, I in {i32, i64} default i32) \
    "inputs of scatter_add: indexes that ascend"
#pragma hone arg x: in T[n][W], index: inout I[n] from 0..m - 1, y: in T[m][W]
#pragma hone launch scatter_add_data if(SORTED) grid(max(1, min(ceildiv(n, 256), 1G))) block(256) args(index, i64(n), i64(m))
#pragma hone check none

extern "C" __global__ void __launch_bounds__(256)
scatter_add_data(I *index, long long n, long long m)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n;
         i += gridDim.x * 256LL) {
        /* What was drawn says where in its part: uniform in 0 .. 1. */
        const double at = ((double)i + (double)index[i] / (double)m) /
                          (double)n * (double)m;

        index[i] = at < (double)m ? (I)at : (I)(m - 1);
    }
}
