/* SPDX-License-Identifier: Apache-2.0 */
/* An activation of x + bias, where the bias is one number for each column.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_BIAS_CUH
#define HONE_BIAS_CUH

#include "elementwise.cuh"

namespace hone {

/* F(x + bias) in f32, rounded once. CUT: packs may begin at any column, where
 * those of the bias need not. It is read again for every row: by the cache. */
template <typename E, bool CUT, typename F> struct biased {
    const E *bias;

    template <int WIDTH>
    __device__ pack<E, WIDTH> operator()(long long column,
                                         const pack<E, WIDTH> (&x)[1]) const
    {
        pack<E, WIDTH> b, y;

        if constexpr (CUT) {
#pragma unroll
            for (int i = 0; i < WIDTH; i++)
                b.at[i] = __ldg(bias + column + i);
        } else {
            b = read_pack<WIDTH, access::constant>(bias + column);
        }
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
            y.at[i] = narrow<E>(F()(widen(x[0].at[i]) + widen(b.at[i])));
        return y;
    }
};

} /* namespace hone */

#endif
