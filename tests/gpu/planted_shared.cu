// SPDX-License-Identifier: Apache-2.0
// saxpy with variants that take shared memory for zero before anybody wrote
// it, as it often is. They leave it so, for the next block. KIND good does
// not; of the others each has its sums in another part of shared memory:
//   small    1 KB, declared in the kernel
//   medium   the last KB of 48 KB
//   large    the last KB of 96 KB
#pragma hone op planted_shared(n, T in {f32} default f32) "y = alpha*x + y, with variants that read shared memory first"
#pragma hone arg alpha: T, x: in T[n], y: inout T[n]
#pragma hone param KIND in {small, medium, large, good} default good
#pragma hone param VEC in {1, 2, 4}
#pragma hone require KIND == good || VEC == 1 "one of each defect"
#pragma hone let BYTES = KIND == large ? 96K : KIND == medium ? 48K : 0
#pragma hone launch planted_shared grid(ceildiv(n, 256*VEC)) block(256) shared(BYTES) args(alpha, x, y, i64(n))
#pragma hone work flops(2*n) bytes(3*n*sizeof(T))
#pragma hone check cpu.saxpy tolerance(4) exact(8)

extern "C" __global__ void planted_shared(T alpha, const T *x, T *y,
                                          long long n)
{
    const long long first = (blockIdx.x * 256ll + threadIdx.x) * VEC;
#if HONE_KIND == HONE_KIND_small
    __shared__ T sums[256];
    volatile T *sum = sums + threadIdx.x;
#elif HONE_KIND != HONE_KIND_good
    extern __shared__ T sums[];
    volatile T *sum = sums + BYTES / sizeof(T) - 256 + threadIdx.x;
#else
    T zero = T(0);
    T *sum = &zero;
#endif

    for (int k = 0; k < VEC; ++k) {
        const long long i = first + k;

        if (i >= n)
            return;
        *sum += alpha * x[i];
        y[i] = *sum + y[i];
        *sum = T(0);
    }
}
