// SPDX-License-Identifier: Apache-2.0
// saxpy with variants that are right at the size that they are tuned for and
// not at another, or not in every run. KIND good is right; of the others
// only any_order is:
//   hang_odd      never ends where n is odd
//   hang_larger   never ends beyond 600000 elements
//   last_element  at one size alone, and there in the last element
//   sometimes     in every second run, by the clock
//   any_order     adds with atomics, in another order each time: other bits,
//                 and always within the tolerance
#pragma hone op planted_sizes(n, T in {f32} default f32) "y = alpha*x + y, with variants that are right at some sizes"
#pragma hone arg alpha: T, x: in T[n], y: inout T[n]
#pragma hone param KIND in {hang_odd, hang_larger, last_element, sometimes, any_order, good} default good
#pragma hone param VEC in {1, 2, 4}
#pragma hone require KIND == good || VEC == 1 "one of each defect"
#pragma hone launch planted_sizes grid(ceildiv(n, 256*VEC), KIND == any_order ? 3 : 1) block(256) args(alpha, x, y, i64(n))
#pragma hone work flops(2*n) bytes(3*n*sizeof(T))
#pragma hone check cpu.saxpy tolerance(4) exact(8)

extern "C" __global__ void planted_sizes(T alpha, const T *x, T *y, long long n)
{
    const long long first = (blockIdx.x * 256ll + threadIdx.x) * VEC;
    T error = T(0);

#if HONE_KIND == HONE_KIND_hang_odd || HONE_KIND == HONE_KIND_hang_larger
    if (KIND == KIND_values::hang_odd ? n % 2 : n > 600000) {
        volatile T *p = y;
        while (p[0] != T(1e30))
            p[0] = T(0.5);
    }
#elif HONE_KIND == HONE_KIND_sometimes
    error = T(clock64() >> 5 & 1);
#endif
    for (int k = 0; k < VEC; ++k) {
        const long long i = first + k;

        if (i >= n)
            return;
#if HONE_KIND == HONE_KIND_any_order
        atomicAdd(&y[i], alpha * x[i] * (blockIdx.y ? T(0.25) : T(0.5)));
#elif HONE_KIND == HONE_KIND_last_element
        y[i] = alpha * x[i] + y[i] + T(n == 1000003 && i == n - 1);
#else
        y[i] = alpha * x[i] + y[i] + (i == 0 ? error : T(0));
#endif
    }
}
