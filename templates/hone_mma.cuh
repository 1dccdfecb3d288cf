/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products of a warp on tensor cores, 16 bits with sums in f32 and bytes
 * with sums in i32, and loads of their operands from shared memory: mma.sync and
 * ldmatrix, compute capability 8.0 and newer, each next to its form for the host
 * (HONE_HOST).
 * All lanes of a warp call each of them.
 * No name of a template parameter: see hone_device.cuh. */
#ifndef HONE_MMA_CUH
#define HONE_MMA_CUH

#include "hone_device.cuh"
#include "hone_pack.cuh"

namespace hone {

template <typename E> struct is_bf16 {
    static constexpr bool value = false;
};
template <> struct is_bf16<__nv_bfloat16> {
    static constexpr bool value = true;
};

/* A place in shared memory, to which bytes are added. */
#ifdef HONE_HOST
using shared_place = const char *;
#else
using shared_place = unsigned;
#endif
__device__ inline shared_place place_of(const void *p)
{
#ifdef HONE_HOST
    return static_cast<const char *>(p);
#else
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
#endif
}

/* copy_async_part() to such a place, of all bytes or none: zeros. */
template <int SIZE>
__device__ inline void copy_async_to(shared_place to, const void *global,
                                     bool valid, bool wanted)
{
    static_assert(SIZE == 4 || SIZE == 8 || SIZE == 16, "4, 8 or 16 bytes");
#ifdef HONE_HOST
    copy_async_part<SIZE>(const_cast<char *>(to), global, valid ? SIZE : 0,
                          wanted);
#else
    if constexpr (SIZE == 16)
        asm volatile("{\n"
                     ".reg .pred wanted;\n"
                     "setp.ne.b32 wanted, %3, 0;\n"
                     "@wanted cp.async.cg.shared.global [%0], [%1], 16, %2;\n"
                     "}"
                     :
                     : "r"(to), "l"(global), "r"(valid ? 16 : 0),
                       "r"((int)wanted)
                     : "memory");
    else
        asm volatile("{\n"
                     ".reg .pred wanted;\n"
                     "setp.ne.b32 wanted, %3, 0;\n"
                     "@wanted cp.async.ca.shared.global [%0], [%1], %4, %2;\n"
                     "}"
                     :
                     : "r"(to), "l"(global), "r"(valid ? SIZE : 0),
                       "r"((int)wanted), "n"(SIZE)
                     : "memory");
#endif
}

/* Four 8 x 8 matrices of 16 bits: lane l says where row l%8 of matrix l/8 lies,
 * 16 bytes at a multiple of 16. Lane 4*g + t gets elements 2*t and 2*t + 1 of
 * row g of each, or with TURNED of column g. */
#ifdef HONE_HOST
template <bool TURNED> struct matrices_of_lane {
    unsigned *v;
    unsigned short row[8];

    static void exchange(hone_host::thread **lanes, unsigned)
    {
        const matrices_of_lane *of[32];

        for (int i = 0; i < 32; i++)
            of[i] = static_cast<const matrices_of_lane *>(lanes[i]->args);
        for (int i = 0; i < 32; i++)
            for (int m = 0; m < 4; m++) {
                const int g = i / 4, t = i % 4 * 2;
                const unsigned low = TURNED ? of[8 * m + t]->row[g]
                                            : of[8 * m + g]->row[t];
                const unsigned high = TURNED ? of[8 * m + t + 1]->row[g]
                                             : of[8 * m + g]->row[t + 1];

                of[i]->v[m] = low | high << 16;
            }
    }
};
#endif
template <bool TURNED>
__device__ inline void load_matrices(unsigned (&v)[4], shared_place row)
{
#ifdef HONE_HOST
    matrices_of_lane<TURNED> own = {v, {}};

    if (reinterpret_cast<unsigned long long>(row) % 16)
        __builtin_trap();
    for (int i = 0; i < 8; i++)
        own.row[i] = reinterpret_cast<const unsigned short *>(row)[i];
    hone_host::meet_warp(~0u, false, &own, own.exchange, "load_matrices()",
                         __FILE__, __LINE__);
#else
    if (TURNED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                     "{%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(row)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                     "{%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(row)
                     : "memory");
#endif
}

/* c += a*b, 16 x 16 by 16 x 8. Lane 4*g + t has, of two neighbours in a word, of
 * a k = 2*t, 2*t + 1 of rows g (a[0]) and g + 8 (a[1]), then the same of k + 8; of b
 * these k of column g (b0), and k + 8 (b1); of c columns 2*t and 2*t + 1 of row g,
 * then of row g + 8. E is __half or __nv_bfloat16. */
#ifdef HONE_HOST
template <typename E> struct pairs_of_lane {
    float *c;
    const unsigned *a;
    unsigned b[2];

    static float half_of(unsigned pair, int upper)
    {
        const unsigned short bits = (unsigned short)(pair >> 16 * upper);
        E v;

        memcpy(&v, &bits, sizeof v);
        return widen(v);
    }
    static void multiply(hone_host::thread **lanes, unsigned)
    {
        const pairs_of_lane *of[32];
        float a[16][16], b[16][8], c[16][8];

        for (int i = 0; i < 32; i++)
            of[i] = static_cast<const pairs_of_lane *>(lanes[i]->args);
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 8; j++) {
                const int k = i % 4 * 2 + j / 4 * 8 + j % 2;

                a[i / 4 + j / 2 % 2 * 8][k] = half_of(of[i]->a[j / 2], j % 2);
                if (j / 2 % 2 == 0)
                    b[k][i / 4] = half_of(of[i]->b[j / 4], j % 2);
            }
        for (int i = 0; i < 32 * 4; i++)
            c[i / 16 + i / 2 % 2 * 8][i / 4 % 4 * 2 + i % 2] =
                of[i / 4]->c[i % 4];
        for (int row = 0; row < 16; row++)
            for (int k = 0; k < 16; k++)
                for (int column = 0; column < 8; column++)
                    c[row][column] += a[row][k] * b[k][column];
        for (int i = 0; i < 32 * 4; i++)
            of[i / 4]->c[i % 4] =
                c[i / 16 + i / 2 % 2 * 8][i / 4 % 4 * 2 + i % 2];
    }
};
#endif
template <typename E>
__device__ inline void multiply_pairs(float (&c)[4], const unsigned (&a)[4],
                                      unsigned b0, unsigned b1)
{
#ifdef HONE_HOST
    pairs_of_lane<E> own = {c, a, {b0, b1}};

    hone_host::meet_warp(~0u, false, &own, own.multiply, "multiply_pairs()",
                         __FILE__, __LINE__);
#else
    static_assert(sizeof(E) == 2, "16 bits");
    if constexpr (is_bf16<E>::value)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/* c += a*b of signed bytes, 16 x 32 by 32 x 8, in words of four along K. Lane
 * 4*g + t has of a word t of rows g (a[0]) and g + 8 (a[1]), then of word t + 4; of
 * b words t and t + 4 of column g; of c columns 2*t and 2*t + 1 of row g, then of
 * row g + 8. */
#ifdef HONE_HOST
struct signed_bytes_of_lane {
    int *c;
    const unsigned *a, *b;

    static unsigned product(unsigned a, unsigned b)
    {
        int sum = 0;

        for (int i = 0; i < 32; i += 8)
            sum += (int)(signed char)(a >> i & 255u) *
                   (int)(signed char)(b >> i & 255u);
        return (unsigned)sum;
    }
    static void multiply(hone_host::thread **lanes, unsigned)
    {
        const signed_bytes_of_lane *of[32];

        for (int i = 0; i < 32; i++)
            of[i] = static_cast<const signed_bytes_of_lane *>(lanes[i]->args);
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 4; j++) {
                unsigned sum = (unsigned)of[i]->c[j];

                for (int t = 0; t < 8; t++)
                    sum += product(
                        of[i / 4 * 4 + t % 4]->a[t / 4 * 2 + j / 2],
                        of[(i % 4 * 2 + j % 2) * 4 + t % 4]->b[t / 4]);
                of[i]->c[j] = (int)sum;
            }
    }
};
#endif
__device__ inline void multiply_signed_bytes(int (&c)[4], const unsigned (&a)[4],
                                             const unsigned (&b)[2])
{
#ifdef HONE_HOST
    signed_bytes_of_lane own = {c, a, b};

    hone_host::meet_warp(~0u, false, &own, own.multiply,
                         "multiply_signed_bytes()", __FILE__, __LINE__);
#else
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

} /* namespace hone */

#endif
