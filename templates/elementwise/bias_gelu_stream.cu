/* SPDX-License-Identifier: Apache-2.0 */
/* bias_gelu/stream: tiles of packs, several packs of a thread under way. */
#include "hone_device.cuh"
#include "bias.cuh"
#include "bias_gelu.cuh"

#pragma hone implements bias_gelu/stream "wide accesses, several in flight, any device"

#include "bias_space.cuh"
#pragma hone launch bias_gelu grid(GRID_X, GRID_Y) block(BLOCK) \
    args(x, bias, y, i64(columns), i64(rows), i64(pitch_x), i64(pitch_y))

/* gelu(s). Both forms are s/(1 + 2^-q(s)): with tanh q is a polynomial, as
 * (1 + tanh(u))/2 = 1/(1 + exp(-2*u)). That of the normal distribution is close
 * to one: log2(share below s/share above), of which bias_gelu.cuh says the
 * error. Leading terms have the sign of s, so far out it is 0 or s. */
struct activation {
    /* s/(1 + 2^-q). */
    __device__ static float share_of(float s, float minus_q)
    {
        return s * hone::reciprocal_fast(1.0f + hone::exp2_fast(minus_q));
    }

    __device__ float operator()(float s) const
    {
        const float t = s * s;

        if constexpr (TANH == 1) {
            return share_of(s, s * (-2.3022082f - 0.10294324f * t));
        } else if constexpr (sizeof(T) == 2) {
            float p = -4.49279636e-09f;

            p = p * t + 3.46947758e-07f;
            p = p * t - 1.07061351e-05f;
            p = p * t + 1.52631459e-04f;
            p = p * t + 1.24497717e-04f;
            p = p * t - 1.04891047e-01f;
            p = p * t - 2.30217886e+00f;
            return share_of(s, s * p);
        } else {
            return 0.5f * s * (1.0f + erff(s * 0.7071067812f));
        }
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
bias_gelu(const T *__restrict__ x, const T *__restrict__ bias, T *__restrict__ y,
          long long columns, long long rows, long long pitch_x,
          long long pitch_y)
{
    constexpr bool CUT = ROWS == ROWS_values::cut;
    using F = hone::biased<T, CUT, activation>;
    const hone::mapped<T, 1, hone::access::@{READ}, hone::access::@{WRITE}, F>
        arrays = {{x}, {{pitch_x, 0}}, y, {pitch_y, 0}, {bias}};

    hone::stream<VEC, ACROSS, DOWN, LANES, BLOCK, CUT>(arrays, columns, rows,
                                                       1);
}
