// SPDX-License-Identifier: Apache-2.0
// saxpy with variants that misbehave on purpose: what a tuning run must
// survive. KIND good is right, and faster with VEC 4; every other KIND has
// one defect, after which it is named.
#pragma hone op planted(n, T in {f32} default f32) "y = alpha*x + y, with broken variants"
#pragma hone arg alpha: T, x: in T[n], y: inout T[n]
#pragma hone param KIND in {good, out_of_bounds, endless, wrong, greedy, off_by_one} default good
#pragma hone param VEC in {1, 4}
#pragma hone require KIND == good || VEC == 1 "one of each defect"
#pragma hone launch planted grid(ceildiv(n, 256*VEC)) block(256) shared(KIND == greedy ? 1M : 0) args(alpha, x, y, i64(n))
#pragma hone work flops(2*n) bytes(3*n*sizeof(T))
#pragma hone check cpu.saxpy tolerance(4) exact(8)

extern "C" __global__ void planted(T alpha, const T *x, T *y, long long n)
{
    const long long first = (blockIdx.x * 256ll + threadIdx.x) * VEC;

    for (int k = 0; k < VEC; ++k) {
        const long long i = first + k;
#if HONE_KIND == HONE_KIND_off_by_one
        if (i + 1 >= n)
            return;
#else
        if (i >= n)
            return;
#endif
#if HONE_KIND == HONE_KIND_out_of_bounds
        y[i] = alpha * x[i + (1ll << 40)] + y[i];
#elif HONE_KIND == HONE_KIND_endless
        volatile T *p = y;
        while (p[i] != T(1e30))
            p[i] = T(0.5);
#elif HONE_KIND == HONE_KIND_wrong
        y[i] = alpha * x[i] + y[i] + T(i == 4097);
#else
        y[i] = alpha * x[i] + y[i];
#endif
    }
}
