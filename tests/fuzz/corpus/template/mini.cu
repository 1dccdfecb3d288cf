/* SPDX-License-Identifier: Apache-2.0 */
/* A small template whose space can be counted by hand. */
#pragma hone op mini(n, T in {f32, f64} default f32) "x = x + 1"
#pragma hone arg x: inout T[n]
#pragma hone param BLOCK in {64, 128, 256} default 128
#pragma hone param VEC in {1, 2, 4} default 1
#pragma hone param FAST: bool default false
#pragma hone require BLOCK*VEC <= 512 "too much per block"
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone launch mini grid(ceildiv(n, BLOCK*VEC)) block(BLOCK) args(x, i64(n))
#pragma hone work flops(n) bytes(2*n*sizeof(T))

extern "C" __global__ void mini(T *x, long long n)
{
    const long long first = ((long long)blockIdx.x * BLOCK + threadIdx.x) * VEC;

    for (long long i = first; i < first + VEC && i < n; i++)
        x[i] += T(1);
}
