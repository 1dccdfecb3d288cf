/* SPDX-License-Identifier: Apache-2.0 */
/* Where the numbers of a body lie, and what it does to another one. */
#ifndef HONE_BODIES_CUH
#define HONE_BODIES_CUH

namespace hone {

/* The first number of body `i`, and how far apart its next ones lie; `each` of
 * them a body. See nbody.cuh for the layouts. */
template <int LAYOUT>
__device__ inline long long body_begin(long long i, int each)
{
    return LAYOUT == 0   ? i * each
           : LAYOUT == 1 ? i
                         : i / 32 * (32 * each) + i % 32;
}
template <int LAYOUT> __device__ inline long long body_step(long long n)
{
    return LAYOUT == 0 ? 1 : LAYOUT == 1 ? n : 32;
}

/* x, y, z and mass; without mass where there is no such body. */
template <int LAYOUT>
__device__ inline float4 load_body(const float *body, long long i, long long n)
{
    if (i >= n)
        return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if constexpr (LAYOUT == 0) {
        return reinterpret_cast<const float4 *>(body)[i];
    } else {
        const float *at = body + body_begin<LAYOUT>(i, 4);
        const long long step = body_step<LAYOUT>(n);

        return make_float4(at[0], at[step], at[2 * step], at[3 * step]);
    }
}

template <int LAYOUT>
__device__ inline void store_accel(float *accel, long long i, long long n,
                                   float x, float y, float z)
{
    float *at = accel + body_begin<LAYOUT>(i, 3);
    const long long step = body_step<LAYOUT>(n);

    at[0] = x;
    at[step] = y;
    at[2 * step] = z;
}

/* What `other` adds to the acceleration `a` of a body at `own`. */
template <bool PRECISE>
__device__ inline void attract(const float4 &own, const float4 &other,
                               float softening2, float3 &a)
{
    const float x = other.x - own.x;
    const float y = other.y - own.y;
    const float z = other.z - own.z;
    const float r2 = fmaf(z, z, fmaf(y, y, fmaf(x, x, softening2)));
    float inverse = rsqrtf(r2);

    if (PRECISE)
        inverse *= fmaf(-0.5f * r2, inverse * inverse, 1.5f);

    const float s = other.w * inverse * (inverse * inverse);

    a.x = fmaf(s, x, a.x);
    a.y = fmaf(s, y, a.y);
    a.z = fmaf(s, z, a.z);
}

/* A body's position times c, c, and softening^2*c^2, with 1/c^2 its mass and the
 * sign of c that of the mass: of one without mass nothing. */
struct scaled_body {
    float4 place;
    float softening2;
};
__device__ inline scaled_body scale(const float4 &body, float softening2)
{
    if (body.w == 0.0f)
        return {make_float4(0.0f, 0.0f, 0.0f, 0.0f), 1.0f};

    const float c = copysignf(1.0f / sqrtf(fabsf(body.w)), body.w);

    return {make_float4(c * body.x, c * body.y, c * body.z, c),
            c * (c * softening2)};
}

/* The same as attract() without a product by the mass: with d' = c*d and r' =
 * |c|*r, d'/r'^3 is d/r^3/c^2. Instead of the difference of two positions, which
 * is exact where they are near, there is that of their products: as if `other`
 * stood up to 2^-24 of its coordinates aside. */
__device__ inline void attract_scaled(const float4 &own, const float4 &other,
                                      float softening2, float3 &a)
{
    const float x = fmaf(-own.x, other.w, other.x);
    const float y = fmaf(-own.y, other.w, other.y);
    const float z = fmaf(-own.z, other.w, other.z);
    const float r2 = fmaf(z, z, fmaf(y, y, fmaf(x, x, softening2)));
    const float inverse = rsqrtf(r2);
    const float s = inverse * (inverse * inverse);

    a.x = fmaf(s, x, a.x);
    a.y = fmaf(s, y, a.y);
    a.z = fmaf(s, z, a.z);
}

/* All of body `i` in f64, one body after another; with SIZES the sums of the
 * sizes of all terms, with MOVED and, over 24, of what a term changes by where
 * the other body is moved by all of each of its coordinates. */
template <int LAYOUT, bool SIZES, bool MOVED = false>
__device__ inline void accelerate_plainly(const float *body, float softening,
                                          float *accel, long long i,
                                          long long n)
{
    const float4 own = load_body<LAYOUT>(body, i, n);
    double x = 0, y = 0, z = 0;

    for (long long j = 0; j < n; j++) {
        const float4 other = load_body<LAYOUT>(body, j, n);
        const double dx = (double)other.x - own.x;
        const double dy = (double)other.y - own.y;
        const double dz = (double)other.z - own.z;
        const double r2 = dx * dx + dy * dy + dz * dz +
                          (double)softening * softening;
        const double s = other.w / (r2 * sqrt(r2));
        double mx = 0, my = 0, mz = 0;

        if (MOVED) {
            const double turn = 3 / r2 * (fabs(dx * other.x) +
                                          fabs(dy * other.y) +
                                          fabs(dz * other.z));

            mx = fabs(s) / 24 * (fabs(other.x) + turn * fabs(dx));
            my = fabs(s) / 24 * (fabs(other.y) + turn * fabs(dy));
            mz = fabs(s) / 24 * (fabs(other.z) + turn * fabs(dz));
        }
        x += SIZES ? fabs(s * dx) + mx : s * dx;
        y += SIZES ? fabs(s * dy) + my : s * dy;
        z += SIZES ? fabs(s * dz) + mz : s * dz;
    }
    store_accel<LAYOUT>(accel, i, n, (float)x, (float)y, (float)z);
}

} // namespace hone

#endif
