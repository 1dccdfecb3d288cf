/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products of a warp on tensor cores, tf32 with sums in f32: mma.sync,
 * compute capability 8.0 and newer, next to its form for the host (HONE_HOST).
 * All lanes of a warp call multiply_tf32().
 * No name of a template parameter: see hone_device.cuh. */
#ifndef HONE_TF32_CUH
#define HONE_TF32_CUH

#include "hone_mma.cuh"

namespace hone {

/* The bits of an f32, rounded to the nearest tf32, halves away from 0, where products
 * cut off the 13 bits behind those of a tf32. What would become infinite, infinities
 * and NaN are as they were. */
__device__ inline unsigned round_tf32(unsigned bits)
{
    return fabsf(__uint_as_float(bits)) < __uint_as_float(0x7f7ff000u)
               ? bits + 0x1000u
               : bits;
}

/* c += a*b, 16 x 8 by 8 x 8, of which the last 13 bits of each factor count for
 * nothing. Lane 4*g + t has of a k = t of rows g (a[0]) and g + 8 (a[1]), then the
 * same of k + 4; of b this k of column g (b0), and k + 4 (b1); of c columns 2*t and
 * 2*t + 1 of row g, then of row g + 8. */
#ifdef HONE_HOST
struct tf32_of_lane {
    float *c;
    const unsigned *a;
    unsigned b[2];

    static float cut(unsigned bits)
    {
        return __uint_as_float(bits & 0xffffe000u);
    }
    static void multiply(hone_host::thread **lanes, unsigned)
    {
        const tf32_of_lane *of[32];

        for (int i = 0; i < 32; i++)
            of[i] = static_cast<const tf32_of_lane *>(lanes[i]->args);
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 4; j++) {
                const int row = i / 4 + j / 2 * 8, column = i % 4 * 2 + j % 2;

                for (int k = 0; k < 8; k++)
                    of[i]->c[j] +=
                        cut(of[row % 8 * 4 + k % 4]->a[k / 4 * 2 + row / 8]) *
                        cut(of[column * 4 + k % 4]->b[k / 4]);
            }
    }
};
#endif
__device__ inline void multiply_tf32(float (&c)[4], const unsigned (&a)[4],
                                     unsigned b0, unsigned b1)
{
#ifdef HONE_HOST
    tf32_of_lane own = {c, a, {b0, b1}};

    hone_host::meet_warp(~0u, false, &own, own.multiply, "multiply_tf32()",
                         __FILE__, __LINE__);
#else
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/* A word of shared memory. */
__device__ inline unsigned load_word(shared_place at)
{
#ifdef HONE_HOST
    return *reinterpret_cast<const unsigned *>(at);
#else
    unsigned v;

    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
    return v;
#endif
}

} /* namespace hone */

#endif
