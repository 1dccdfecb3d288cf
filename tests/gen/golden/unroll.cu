// SPDX-License-Identifier: Apache-2.0
/* Every directive, insert and kind of parameter. @{NOT} in a comment. */
#include <cuda_fp16.h> /* a comment that
   goes on */
#pragma hone op unroll(n, T in {f32, f16, f64} default f32) "it's a test"
#pragma hone arch sm >= 70
#pragma hone arg x: in T[n], y: out T[n], alpha: f32
#pragma hone param U in 1..4 default 3 // accumulators
#pragma hone param FORM in {scalar, vector} default vector
#pragma hone param ACC in {f32, f64}
#pragma hone param FAST: bool
#pragma hone param OFFSET in {-1, 0, 3G}
#pragma hone let SPAN = U * \
    256
#pragma hone let BIG = SPAN*1G
#pragma hone let LAST = n - 1 /* not known here */
#pragma hone require U != 2 || FORM == vector "two scalars are slow"
#pragma hone option maxrregcount(U == 4 ? 64 : 0) fmad(!FAST)
#pragma hone option use_fast_math(FAST) ftz(FAST)
#pragma hone workspace w: ACC[ceildiv(n, SPAN)] zero
#pragma hone launch unroll grid(ceildiv(n, SPAN)) block(256) shared(SPAN*4)
#pragma hone launch tail if(n % SPAN != 0) grid(1, 2, LAST > 0) \
    args(x, w, i32(U), i64(LAST))
#pragma hone work flops(2*n) bytes(n*2*sizeof(T))
#pragma hone check cpu.unroll tolerance(4) exact(8)
#pragma hone check none
#pragma hone baseline memcpy, cub.sum

extern "C" __global__ void unroll(const T *x, T *y, float alpha,
                                  long long n, ACC *w)
{
#pragma hone for I in 0..U-1
    @{ACC} a@{I} = 0; // @{I} stays
#pragma hone for J in I..0 step -1
    a@{I} += (@{ACC})x[@{J*SPAN + 1}];
#pragma hone endfor
#pragma hone endfor
#pragma hone if FORM == scalar
    y[0] = a0;
#pragma hone elif U > 1 && !FAST
    y[0] = (T)(a0 + a1); /* @{FORM} */ const char *form = "@{FORM} @@{U}";
#pragma hone else
    y[0] = (T)(a0 * alpha); // fast: @{FAST}
    asm volatile("// @{FORM}, @{T}, @{scalar}, @{FAST}, @{f16}");
#pragma hone endif
}

extern "C" __global__ void tail(const T *x, ACC *w, int u, long long last)
{
}

/* Named here, so that they are in the parameters: */
static_assert(U > 0 && OFFSET < 1 && BIG > 0 && FAST <= 1 &&
                  FORM <= FORM_values::vector,
              "declared values");
