/* SPDX-License-Identifier: Apache-2.0 */
/* What the plain implementations of this family share: what stands for pixels
 * behind the border, sums along a row and down a column, results as pixels.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_IMAGE_PLAIN_CUH
#define HONE_IMAGE_PLAIN_CUH

#include "hone_pack.cuh"

namespace hone {

/* BORDER 1: the nearest pixel; 2: reflected in the edge pixel. */
template <int BORDER>
__device__ inline long long plain_inside(long long i, long long n)
{
    if (BORDER == 1)
        return min(max(i, 0LL), n - 1);
    while (n > 1 && (i < 0 || i >= n))
        i = i < 0 ? -i : 2 * (n - 1) - i;
    return n > 1 ? i : 0;
}

/* The sum of h[k] * (column c + RADIUS - k) over a row; `row` is null where
 * zeros stand for all of it. */
template <int BORDER, int RADIUS, typename H, typename T>
__device__ inline double plain_along(const H *h, const T *row, long long c,
                                     long long width)
{
    double sum = 0.0;

    for (int k = 0; row && k <= 2 * RADIUS; k++) {
        const long long at = c + RADIUS - k;

        if (at >= 0 && at < width)
            sum += double(h[k]) * double(widen(row[at]));
        else if (BORDER != 0)
            sum += double(h[k]) *
                   double(widen(row[plain_inside<BORDER>(at, width)]));
    }
    return sum;
}

/* Row r of an image, null where zeros stand for it. */
template <int BORDER, typename T>
__device__ inline T *plain_row(T *image, long long r, long long height,
                               long long pitch)
{
    if (r < 0 || r >= height) {
        if (BORDER == 0)
            return nullptr;
        r = plain_inside<BORDER>(r, height);
    }
    return image + r * pitch;
}

/* The sum of h[k] * (row r + RADIUS - k) over column c of sums. */
template <int BORDER, int RADIUS, typename H>
__device__ inline double plain_down(const H *h, const double *sums,
                                    long long r, long long c, long long height,
                                    long long width)
{
    double sum = 0.0;

    for (int k = 0; k <= 2 * RADIUS; k++) {
        const double *row =
            plain_row<BORDER>(sums, r + RADIUS - k, height, width);

        if (row)
            sum += double(h[k]) * row[c];
    }
    return sum;
}

/* Rounded to nearest, ties to even; bytes are clamped. */
template <typename T> __device__ inline T plain_result(double v)
{
    return narrow<T>((float)v);
}
template <>
__device__ inline unsigned char plain_result<unsigned char>(double v)
{
    return (unsigned char)fmin(fmax(rint(v), 0.0), 255.0);
}

} /* namespace hone */

#endif
