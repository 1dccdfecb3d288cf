// SPDX-License-Identifier: Apache-2.0
// EXAMPLE
#pragma hone op fill(n, T in {f32, f64} default f32) "y[i] = UNROLL"
#pragma hone arg y: out T[n]
#pragma hone param BLOCK in {64, 256}
#pragma hone param UNROLL in {1, 2}
#pragma hone launch fill grid(1) block(1)
#pragma hone check none
extern "C" __global__ void fill(T *y, long long n)
{
    static_assert(BLOCK % 64 == 0, "known in both ways");
    for (long long i = 0; i < n; ++i)
        y[i] = UNROLL;
}
