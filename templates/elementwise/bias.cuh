/* SPDX-License-Identifier: Apache-2.0 */
/* An activation of x + bias, where the bias is one number for each column.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_BIAS_CUH
#define HONE_BIAS_CUH

#include "elementwise.cuh"

namespace hone {

/* F(x + bias) in f32, rounded once. CUT: packs may begin at any column, where
 * those of the bias need not. */
template <typename E, bool CUT, typename F> struct biased {
    const E *bias;

    template <int WIDTH> struct columns {
        pack<E, WIDTH> bias;
    };

    /* WIDTH neighbours that begin at any of them: elements of 16 bits as the
     * words that hold them, which are shifted by one where `column` is odd. */
    template <int WIDTH>
    __device__ pack<E, WIDTH> read_anywhere(long long column) const
    {
        pack<E, WIDTH> v;

        if constexpr (sizeof(E) == 2 && WIDTH > 1) {
            const unsigned odd = column & 1;
            const unsigned *from =
                reinterpret_cast<const unsigned *>(bias + (column - odd));
            unsigned w[WIDTH / 2 + 1];

#pragma unroll
            for (int i = 0; i < WIDTH / 2; i++)
                w[i] = __ldg(from + i);
            w[WIDTH / 2] = 0;
            if (odd)
                w[WIDTH / 2] = __ldg(
                    reinterpret_cast<const unsigned short *>(from + WIDTH / 2));
#pragma unroll
            for (int i = 0; i < WIDTH / 2; i++)
                w[i] = __funnelshift_r(w[i], w[i + 1], odd * 16);
            memcpy(&v, w, sizeof v);
        } else {
#pragma unroll
            for (int i = 0; i < WIDTH; i++)
                v.at[i] = __ldg(bias + column + i);
        }
        return v;
    }

    template <int WIDTH> __device__ columns<WIDTH> look(long long column) const
    {
        if constexpr (CUT)
            return {read_anywhere<WIDTH>(column)};
        else
            return {read_pack<WIDTH, access::constant>(bias + column)};
    }

    template <int WIDTH>
    __device__ pack<E, WIDTH> operator()(const columns<WIDTH> &c,
                                         const pack<E, WIDTH> (&x)[1]) const
    {
        pack<E, WIDTH> y;

#pragma unroll
        for (int i = 0; i < WIDTH; i++)
            y.at[i] = narrow<E>(F()(widen(x[0].at[i]) + widen(c.bias.at[i])));
        return y;
    }
};

} /* namespace hone */

#endif
