/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms that are too long for the registers of a block, by the four-step
 * algorithm (Bailey, "FFTs in external or hierarchical memory", 1990), shared
 * by fft/two_passes and fft/cluster.
 *
 * n = N1*N2. The elements j = j1*N2 + j2 are a matrix of N1 rows and N2
 * columns. Its columns are transformed, element k1 of column j2 is turned by
 * exp(-2*pi*i * j2*k1/n), and the rows are transformed: element k2 of row k1
 * is element k1 + k2*N1 of the whole transform. All are forward transforms
 * (transform.cuh).
 *
 * Neighbouring threads have neighbouring columns, then neighbouring rows, so
 * that global memory is read and written in lines although the elements of a
 * column, and the results of a row, stand far apart. No name of a template
 * parameter: see hone_device.cuh. */
#ifndef HONE_FFT_FOUR_STEP_CUH
#define HONE_FFT_FOUR_STEP_CUH

#include "transform.cuh"

namespace hone {
namespace fft {

/* Logarithm of the radix of a pass (0: there is none), where as few passes as
 * possible share 2^LOG_N as evenly as possible. */
template <int LOG_N, int LOG_E, int PASS> constexpr int even_radix()
{
    int left = LOG_N, passes = (LOG_N + LOG_E - 1) / LOG_E, radix = 0;

    for (int pass = 0; pass <= PASS; pass++) {
        radix = passes ? (left + passes - 1) / passes : 0;
        left -= radix;
        passes -= passes > 0;
    }
    return radix;
}

/* TOGETHER transforms side by side, whose threads alternate. Where they cover
 * all banks of shared memory there is nothing to pad. */
template <int LOG_N, int LOG_E, int SOURCE, int TOGETHER, int EXCHANGE = PAIRS>
using strip = plan<LOG_N, LOG_E, even_radix<LOG_N, LOG_E, 0>(),
                   even_radix<LOG_N, LOG_E, 1>(), even_radix<LOG_N, LOG_E, 2>(),
                   even_radix<LOG_N, LOG_E, 3>(), 1,
                   TOGETHER < (EXCHANGE == PAIRS ? 16 : 32) ? 16 : 0, EXCHANGE,
                   SOURCE, TOGETHER>;

/* Turns what thread t of COLUMN, a strip, has of column j by its factors for a
 * transform of COLUMN::n * N2 elements: one for the thread, then one for each
 * bit of an element's number. More products than make_powers() has, and hardly
 * any registers. */
template <typename COLUMN, int N2>
__device__ inline void turn_column(float2 (&v)[COLUMN::elements], int t, int j)
{
    constexpr int E = COLUMN::elements;
    const float2 first = factor<COLUMN::n * N2>(j * t);

#pragma unroll
    for (int i = 0; i < E; i++)
        v[i] = mul(v[i], first);
#pragma unroll
    for (int bit = 1; bit < E; bit *= 2) {
        const float2 w = factor<N2 * E>(hone::afresh(j) * bit);

#pragma unroll
        for (int i = 0; i < E; i++) {
            if (i & bit)
                v[i] = mul(v[i], w);
        }
    }
}

} /* namespace fft */
} /* namespace hone */

#endif
