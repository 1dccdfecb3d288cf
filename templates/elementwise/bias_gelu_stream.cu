/* SPDX-License-Identifier: Apache-2.0 */
/* bias_gelu/stream: tiles of packs, several packs of a thread under way. */
#include "hone_device.cuh"
#include "bias.cuh"
#include "bias_gelu.cuh"

#pragma hone implements bias_gelu/stream "wide accesses, several in flight, any device"

// Bytes of an access; packs that a thread has under way along a row, rows.
#pragma hone param BYTES in {1, 2, 4, 8, 16} default 16
#pragma hone param ACROSS in {1, 2, 4, 8} default 1
#pragma hone param DOWN in {1, 2, 4, 8} default 2
// Threads of a block, and of them along a row.
#pragma hone param BLOCK in pow2 64..1024 default 256
#pragma hone param LANES in pow2 4..1024 default 32
// Where packs begin: `cut`, in each row where memory has their multiples;
// `aligned`, at the first column.
#pragma hone param ROWS in {cut, aligned} default cut
// 0: a block for each tile. Else so many blocks for each multiprocessor,
// which walk over the tiles together.
#pragma hone param BLOCKS_PER_SM in {0, 2, 4, 8, 16} default 0
// How inputs are read and the output written (hone::access).
#pragma hone param READ in {normal, stream, constant} default normal
#pragma hone param WRITE in {normal, stream} default normal

#pragma hone let VEC = BYTES/sizeof(T)
#pragma hone let TILES_X = ceildiv(columns, LANES*ACROSS*max(VEC, 1))
#pragma hone let TILES_Y = ceildiv(rows, BLOCK/LANES*DOWN)
#pragma hone let MOST = BLOCKS_PER_SM > 0 ? device.sm_count*BLOCKS_PER_SM : 2G - 1
#pragma hone let GRID_X = min(TILES_X, MOST)
#pragma hone let GRID_Y = min(TILES_Y, BLOCKS_PER_SM > 0 ? max(1, MOST/max(1, GRID_X)) : 65535)

#pragma hone require BYTES >= sizeof(T) "an access has at least one element"
#pragma hone require ROWS != aligned || (pitch_x % VEC == 0 && pitch_y % VEC == 0) "rows do not begin at multiples of a pack"
#pragma hone require ROWS != cut || VEC > 1 || BYTES == 16 "single elements are always aligned"
#pragma hone require LANES <= BLOCK "a row is dealt to the threads of a block"
#pragma hone require LANES <= 32 || LANES*VEC < 2*columns "most threads would have nothing of a row"
#pragma hone require LANES >= 32 || columns <= 512 "so few threads are for short rows"
#pragma hone require ACROSS == 1 || LANES*ACROSS*VEC < 2*columns "a thread would have fewer packs of a row"
#pragma hone require DOWN <= 2 || BLOCK/LANES*DOWN < 2*rows "a thread would have fewer rows"
#pragma hone require ACROSS*DOWN <= 8 && BYTES*ACROSS*DOWN <= 64 "a thread holds at most 8 packs and 64 bytes of an input"
#pragma hone require BYTES >= 4 || VEC == 1 "accesses are too narrow"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid that walks does not fit the device"
#pragma hone require BLOCKS_PER_SM == 0 || BLOCK*BLOCKS_PER_SM >= 512 "too few threads to keep the memory busy"
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
