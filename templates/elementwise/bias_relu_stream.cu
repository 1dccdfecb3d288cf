/* SPDX-License-Identifier: Apache-2.0 */
/* bias_relu/stream: tiles of packs, several packs of a thread under way. */
#include "bias.cuh"
#include "bias_relu.cuh"

#pragma hone implements bias_relu/stream "wide accesses, several in flight, any device"

#include "bias_space.cuh"
#pragma hone launch bias_relu grid(GRID_X, GRID_Y) block(BLOCK) \
    args(x, bias, y, i64(columns), i64(rows), i64(pitch_x), i64(pitch_y))

/* max(0, s), and NaN of NaN. */
struct activation {
    __device__ float operator()(float s) const
    {
        return s < 0 ? 0.0f : s;
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
bias_relu(const T *__restrict__ x, const T *__restrict__ bias, T *__restrict__ y,
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
