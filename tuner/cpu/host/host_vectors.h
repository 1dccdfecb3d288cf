/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's vector types: char1 to double4 with the alignment they have on a
 * GPU, their make_ functions, and dim3. A pair or a quadruple is aligned to
 * its size, at most 16 bytes, so that UBSan finds an access that would fault
 * on the device. */
#ifndef HONE_TUNER_HOST_VECTORS_H
#define HONE_TUNER_HOST_VECTORS_H

/* A function that is one expression: most of what CUDA has a name for. */
#define HONE_HOST_FN(R, name, parameters, ...)                                 \
    inline R name parameters                                                   \
    {                                                                          \
        return __VA_ARGS__;                                                    \
    }

#define HONE_HOST_VECTOR(name, alignment, T, ...)                              \
    struct __attribute__((aligned(alignment))) name {                          \
        T __VA_ARGS__;                                                         \
    };
#define HONE_HOST_VECTORS(name, T)                                             \
    HONE_HOST_VECTOR(name##1, alignof(T), T, x)                                \
    HONE_HOST_VECTOR(name##2, 2 * sizeof(T), T, x, y)                          \
    HONE_HOST_VECTOR(name##3, alignof(T), T, x, y, z)                          \
    HONE_HOST_VECTOR(name##4, sizeof(T) == 8 ? 16 : 4 * sizeof(T), T, x, y, z, \
                     w)                                                        \
    HONE_HOST_FN(name##1, make_##name##1, (T x), {x})                          \
    HONE_HOST_FN(name##2, make_##name##2, (T x, T y), {x, y})                  \
    HONE_HOST_FN(name##3, make_##name##3, (T x, T y, T z), {x, y, z})          \
    HONE_HOST_FN(name##4, make_##name##4, (T x, T y, T z, T w), {x, y, z, w})

HONE_HOST_VECTORS(char, signed char)
HONE_HOST_VECTORS(uchar, unsigned char)
HONE_HOST_VECTORS(short, short)
HONE_HOST_VECTORS(ushort, unsigned short)
HONE_HOST_VECTORS(int, int)
HONE_HOST_VECTORS(uint, unsigned int)
HONE_HOST_VECTORS(long, long)
HONE_HOST_VECTORS(ulong, unsigned long)
HONE_HOST_VECTORS(longlong, long long)
HONE_HOST_VECTORS(ulonglong, unsigned long long)
HONE_HOST_VECTORS(float, float)
HONE_HOST_VECTORS(double, double)
#undef HONE_HOST_VECTORS
#undef HONE_HOST_VECTOR

struct dim3 {
    unsigned x, y, z;

    constexpr dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1)
        : x(nx), y(ny), z(nz)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return {x, y, z};
    }
};

#endif
