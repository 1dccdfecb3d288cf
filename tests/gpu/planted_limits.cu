// SPDX-License-Identifier: Apache-2.0
// saxpy with variants that cannot run, or hardly can. KIND good is right;
// what is wrong with the others is decided before the GPU sees them:
//   spilling        keeps 96 numbers in 40 registers: tried last, and right
//   many_registers  more than 64 registers, 1024 threads: not tried
//   many_threads    2048 threads per block: not compiled
//   much_shared     1 MB of shared memory per block: not compiled
//   many_blocks     100000 blocks along y: not compiled
#pragma hone op planted_limits(n, T in {f32} default f32) "y = alpha*x + y, with variants at the device's limits"
#pragma hone arg alpha: T, x: in T[n], y: inout T[n]
#pragma hone param KIND in {spilling, many_registers, many_threads, much_shared, many_blocks, good} default good
#pragma hone param SPAN in {1, 2, 4, 96}
#pragma hone let IS_LONG = KIND == spilling || KIND == many_registers
#pragma hone require (SPAN == 96) == IS_LONG "96 numbers per thread are for those that keep them"
#pragma hone require KIND == good || IS_LONG || SPAN == 1 "one of each"
#pragma hone let BLOCK = KIND == many_threads ? 2048 : KIND == many_registers ? 1024 : 256
#pragma hone option maxrregcount(KIND == spilling ? 40 : 0)
#pragma hone launch planted_limits grid(ceildiv(n, BLOCK*SPAN), KIND == many_blocks ? 100000 : 1) block(BLOCK) shared(KIND == much_shared ? 1M : 0) args(alpha, x, y, i64(n))
#pragma hone work flops(2*n) bytes(3*n*sizeof(T))
#pragma hone check cpu.saxpy tolerance(4) exact(8)

extern "C" __global__ void planted_limits(T alpha, const T *x, T *y,
                                          long long n)
{
    const long long first = blockIdx.x * (long long)BLOCK * SPAN + threadIdx.x;
    T v[SPAN];

#pragma unroll
    for (int k = 0; k < SPAN; ++k) {
        const long long i = first + k * BLOCK;

        v[k] = i < n ? alpha * x[i] + y[i] : T(0);
    }
    // Behind a barrier none of them can be computed again: all are kept.
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SPAN; ++k) {
        const long long i = first + k * BLOCK;

        if (i < n)
            y[i] = v[k];
    }
}
