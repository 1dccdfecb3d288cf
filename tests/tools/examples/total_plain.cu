// SPDX-License-Identifier: Apache-2.0
#pragma hone op total_plain(n) "the sum of x"
#pragma hone arg x: in i32[n], y: out i32[1]
#pragma hone launch total args(x, y, i64(n))
#pragma hone check none
extern "C" __global__ void total(const int *x, int *y, long long n)
{
    int sum = 0;

    for (long long i = 0; i < n; ++i)
        sum += x[i];
    y[0] = sum;
}
