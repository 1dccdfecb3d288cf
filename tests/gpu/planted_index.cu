// SPDX-License-Identifier: Apache-2.0
// saxpy with variants that count in 32 bits: right up to 2^31 - 1 elements,
// wrong beyond. KIND good counts in 64 bits.
//   int_index   the element's number is an int: it becomes negative
//   int_size    n is: nothing is computed
#pragma hone op planted_index(n, T in {f32} default f32) "y = alpha*x + y, with variants that count in 32 bits"
#pragma hone arg alpha: T, x: in T[n], y: inout T[n]
#pragma hone param KIND in {int_index, int_size, good} default good
#pragma hone param VEC in {1, 2}
#pragma hone require KIND == good || VEC == 1 "one of each defect"
#pragma hone launch planted_index grid(ceildiv(n, 256*VEC)) block(256) args(alpha, x, y, i64(n))
#pragma hone work flops(2*n) bytes(3*n*sizeof(T))
#pragma hone check cpu.saxpy tolerance(4) exact(8)

#if HONE_KIND == HONE_KIND_int_index
using place = int;
using count = long long;
#elif HONE_KIND == HONE_KIND_int_size
using place = long long;
using count = int;
#else
using place = long long;
using count = long long;
#endif

extern "C" __global__ void planted_index(T alpha, const T *x, T *y,
                                         long long n)
{
    const place first = (place)(blockIdx.x * 256ll + threadIdx.x) * VEC;

    for (int k = 0; k < VEC; ++k) {
        const place i = first + k;

        if (i < (count)n)
            y[i] = alpha * x[i] + y[i];
    }
}
