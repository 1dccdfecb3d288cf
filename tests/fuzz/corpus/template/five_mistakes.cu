/* SPDX-License-Identifier: Apache-2.0 */
/* Five different mistakes; all of them are reported at once. */
#pragma hone op five(n) "y = x"
#pragma hone arg y: out f32[n], x: in f31[n]
#pragma hone param BLOCK in {64, 128, 128 default 128
#pragma hone param VEC in {1, 2} default 3
#pragma hone require BLOK*VEC <= 512 "too much per block"
#pragma hone launch five grid(ceildiv(n, BLOCK)) block(BLOCK) args(y)
#pragma hone werk flops(n) bytes(4*n)

extern "C" __global__ void five(float *y)
{
    y[0] = 0;
}
