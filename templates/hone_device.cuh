/* SPDX-License-Identifier: Apache-2.0 */
/* Device helpers shared by the templates: vectors of 1, 2 or 4 elements with
 * plain and streaming access, sums over a warp and a block, and asynchronous
 * copies from global to shared memory. Every line of inline PTX stands in
 * this file, next to its form for the host (HONE_HOST).
 * No include and no name of a template parameter: it is part of the
 * precompiled header that all variants of a template share. */
#ifndef HONE_DEVICE_CUH
#define HONE_DEVICE_CUH

/* A tensor map as a kernel parameter: `const __grid_constant__ CUtensorMap M`
 * whose address the TMA instructions take. NVRTC cannot read <cuda.h>, which
 * declares it; who compiles by hand and needs that header includes it first. */
#ifndef __cuda_cuda_h__
struct alignas(128) CUtensorMap {
    unsigned long long opaque[16];
};
#endif

namespace hone {

/* --- vectors ------------------------------------------------------------ */

template <typename E, int WIDTH> struct vector;
template <> struct vector<float, 1> {
    using type = float;
};
template <> struct vector<float, 2> {
    using type = float2;
};
template <> struct vector<float, 4> {
    using type = float4;
};
template <> struct vector<double, 1> {
    using type = double;
};
template <> struct vector<double, 2> {
    using type = double2;
};

/* a*x + y in each lane. */
__device__ inline float axpy(float a, float x, float y)
{
    return a * x + y;
}
__device__ inline float2 axpy(float a, float2 x, float2 y)
{
    return make_float2(a * x.x + y.x, a * x.y + y.y);
}
__device__ inline float4 axpy(float a, float4 x, float4 y)
{
    return make_float4(a * x.x + y.x, a * x.y + y.y, a * x.z + y.z,
                       a * x.w + y.w);
}
__device__ inline double axpy(double a, double x, double y)
{
    return a * x + y;
}
__device__ inline double2 axpy(double a, double2 x, double2 y)
{
    return make_double2(a * x.x + y.x, a * x.y + y.y);
}

/* The greater or the lesser number; a NaN if one of them is. */
template <typename N> __device__ inline N max_or_nan(N a, N b)
{
    return a > b || a != a ? a : b;
}
template <typename N> __device__ inline N min_or_nan(N a, N b)
{
    return a < b || a != a ? a : b;
}
#if !defined(HONE_HOST) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <> __device__ inline float max_or_nan(float a, float b)
{
    float v;

    asm("max.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    return v;
}
template <> __device__ inline float min_or_nan(float a, float b)
{
    float v;

    asm("min.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    return v;
}
#endif

/* Read or write what will not be used again soon (STREAM), or normally. */
template <bool STREAM, typename V> __device__ inline V load(const V *p)
{
    if constexpr (STREAM)
        return __ldcs(p);
    else
        return *p;
}
template <bool STREAM, typename V> __device__ inline void store(V *p, V v)
{
    if constexpr (STREAM)
        __stcs(p, v);
    else
        *p = v;
}

/* The same number, which the compiler takes for another one: what is computed
 * from it is computed here, and not kept in registers from before. */
__device__ inline int afresh(int i)
{
#ifndef HONE_HOST
    asm volatile("" : "+r"(i));
#endif
    return i;
}

__device__ inline unsigned afresh(unsigned i)
{
#ifndef HONE_HOST
    asm volatile("" : "+r"(i));
#endif
    return i;
}

template <typename E> __device__ inline const E *afresh(const E *p)
{
#ifndef HONE_HOST
    asm volatile("" : "+l"(p));
#endif
    return p;
}

/* --- arithmetic ----------------------------------------------------------- */

/* 2^x by one instruction, within 2^-22 of it; below 2^-126 it is 0. */
__device__ inline float exp2_fast(float x)
{
#ifdef HONE_HOST
    return exp2f(x);
#else
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#endif
}

/* 1/x by one instruction, within 2^-23 of it; below 2^-126 it is 0. */
__device__ inline float reciprocal_fast(float x)
{
#ifdef HONE_HOST
    return 1.0f / x;
#else
    float y;

    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#endif
}

/* sum + the products of the two numbers of 16 bits of `a` and the two lower
 * bytes of `b`, or the two upper ones: one instruction. */
__device__ inline unsigned dot_low(unsigned a, unsigned b, unsigned sum)
{
#ifdef HONE_HOST
    return sum + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
#else
    return __dp2a_lo(a, b, sum);
#endif
}
__device__ inline unsigned dot_high(unsigned a, unsigned b, unsigned sum)
{
#ifdef HONE_HOST
    return dot_low(a, b >> 16, sum);
#else
    return __dp2a_hi(a, b, sum);
#endif
}

/* a * b + c, by a multiply-add whatever a and b are. */
__device__ inline unsigned multiply_add(unsigned a, unsigned b, unsigned c)
{
#ifdef HONE_HOST
    return a * b + c;
#else
    unsigned v;

    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(v) : "r"(a), "r"(b), "r"(c));
    return v;
#endif
}

/* --- caches and registers --------------------------------------------------- */

/* Bring the line at `p` to the level 2 cache; p is valid, nothing waits. */
__device__ inline void prefetch(const void *p)
{
#ifdef HONE_HOST
    (void)p;
#else
    asm volatile("prefetch.global.L2 [%0];" : : "l"(p));
#endif
}

/* --- launches that begin early --------------------------------------------- */

/* In a launch that is `early` (gen/TEMPLATE.md): until everything in front of
 * it on the stream has ended and is visible. Nothing of global memory is read
 * or written before. Elsewhere it does nothing. */
__device__ inline void wait_for_previous()
{
#if !defined(HONE_HOST) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
}

/* This block lets the `early` launch behind it start; when all have. */
__device__ inline void start_next()
{
#if !defined(HONE_HOST) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}

/* --- words that blocks tell each other ------------------------------------ */

/* Loads and stores of 8 bytes that are whole, at the scope of the device, in
 * no order with others: a word that carries everything needs none. */
__device__ inline unsigned long long load_relaxed(const unsigned long long *p)
{
#ifdef HONE_HOST
    return __atomic_load_n(p, __ATOMIC_RELAXED);
#else
    unsigned long long v;

    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p));
    return v;
#endif
}

/* Two neighbouring words, p being a multiple of 16 bytes: each is whole. */
__device__ inline void load_relaxed(const unsigned long long *p,
                                    unsigned long long &a,
                                    unsigned long long &b)
{
#ifdef HONE_HOST
    a = load_relaxed(p);
    b = load_relaxed(p + 1);
#else
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(a), "=l"(b)
                 : "l"(p));
#endif
}

__device__ inline void store_relaxed(unsigned long long *p,
                                     unsigned long long v)
{
#ifdef HONE_HOST
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
#else
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(p), "l"(v));
#endif
}

/* --- tensor cores --------------------------------------------------------- */

/* c += a*b of bytes, those of b with a sign if SIGNED: 16 x K by K x 8, K 32 or,
 * of one word of b, 16; compute capability 8.0. All lanes of a warp call it. Lane
 * 4*g + t has of a, from low to high bits, k = 4*t .. 4*t + 3 of rows g (a[0])
 * and g + 8 (a[1]), then (a[2], a[3]) the same of k + 16; of b these k of column
 * g; of c columns 2*t and 2*t + 1 of row g, then of row g + 8. */
#ifdef HONE_HOST
template <bool SIGNED, int WORDS> struct bytes_of_lane {
    int *c;
    const unsigned *a, *b;

    static int product(unsigned a, unsigned b)
    {
        int sum = 0;

        for (int i = 0; i < 32; i += 8)
            sum += (int)(a >> i & 255u) *
                   (SIGNED ? (int)(signed char)(b >> i & 255u)
                           : (int)(b >> i & 255u));
        return sum;
    }
    static void multiply(hone_host::thread **lanes, unsigned)
    {
        const bytes_of_lane *of[32];

        for (int i = 0; i < 32; i++)
            of[i] = static_cast<const bytes_of_lane *>(lanes[i]->args);
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 4; j++)
                for (int t = 0; t < 4 * WORDS; t++)
                    of[i]->c[j] += product(
                        of[i / 4 * 4 + t % 4]->a[t / 4 * 2 + j / 2],
                        of[(i % 4 * 2 + j % 2) * 4 + t % 4]->b[t / 4]);
    }
};
template <bool SIGNED, int WORDS, int WORDS_A>
inline void multiply_bytes(int (&c)[4], const unsigned (&a)[WORDS_A],
                           const unsigned (&b)[WORDS])
{
    bytes_of_lane<SIGNED, WORDS> own = {c, a, b};

    static_assert(WORDS_A == 2 * WORDS, "two words of a for each of b");
    hone_host::meet_warp(~0u, false, &own, own.multiply, "multiply_bytes()",
                         __FILE__, __LINE__);
}
#else
template <bool SIGNED>
__device__ inline void multiply_bytes(int (&c)[4], const unsigned (&a)[4],
                                      const unsigned (&b)[2])
{
    if (SIGNED)
        asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
              "r"(b[1]));
    else
        asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
              "r"(b[1]));
}
template <bool SIGNED>
__device__ inline void multiply_bytes(int (&c)[4], const unsigned (&a)[2],
                                      const unsigned (&b)[1])
{
    static_assert(!SIGNED, "nobody needs it");
    asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}
#endif

/* --- global to shared memory -------------------------------------------- */

/* If `wanted`, start copying 16 bytes; both addresses are multiples of 16.
 * Behind the first `bytes`, 0 to 16, nothing is read and zeros arrive. */
__device__ inline void copy16_async_part(void *shared, const void *global,
                                         int bytes, bool wanted)
{
#ifdef HONE_HOST
    if (wanted)
        hone_host_copy16_async(shared, global, bytes);
#else
    const unsigned to =
        static_cast<unsigned>(__cvta_generic_to_shared(shared));

    asm volatile("{\n"
                 ".reg .pred wanted;\n"
                 "setp.ne.b32 wanted, %3, 0;\n"
                 "@wanted cp.async.cg.shared.global [%0], [%1], 16, %2;\n"
                 "}"
                 :
                 : "r"(to), "l"(global), "r"(bytes), "r"((int)wanted)
                 : "memory");
#endif
}

/* The same of 4, 8 or 16 bytes, of which addresses are multiples; those of
 * copies of nothing, too, or a GPU stops, as the host does here. */
template <int SIZE>
__device__ inline void copy_async_part(void *shared, const void *global,
                                       int bytes, bool wanted)
{
    static_assert(SIZE == 4 || SIZE == 8 || SIZE == 16, "4, 8 or 16 bytes");
#ifdef HONE_HOST
    if (wanted && (reinterpret_cast<unsigned long long>(shared) % SIZE ||
                   reinterpret_cast<unsigned long long>(global) % SIZE))
        __builtin_trap();
#endif
    if constexpr (SIZE == 16) {
        copy16_async_part(shared, global, bytes, wanted);
    } else {
#if defined(HONE_HOST)
        for (int i = 0; wanted && i < SIZE; i++)
            static_cast<char *>(shared)[i] =
                i < bytes ? static_cast<const char *>(global)[i] : 0;
#else
        const unsigned to =
            static_cast<unsigned>(__cvta_generic_to_shared(shared));

        asm volatile("{\n"
                     ".reg .pred wanted;\n"
                     "setp.ne.b32 wanted, %3, 0;\n"
                     "@wanted cp.async.ca.shared.global [%0], [%1], %4, %2;\n"
                     "}"
                     :
                     : "r"(to), "l"(global), "r"(bytes), "r"((int)wanted),
                       "n"(SIZE)
                     : "memory");
#endif
    }
}

/* All of them, or with `valid` false none. */
__device__ inline void copy16_async(void *shared, const void *global,
                                    bool valid, bool wanted)
{
    copy16_async_part(shared, global, valid ? 16 : 0, wanted);
}

/* Close a group of copies of this thread. */
__device__ inline void copy_commit()
{
#ifdef HONE_HOST
    hone_host_copy_commit();
#else
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}

/* Wait until at most `pending` (0 to 3, the same in all threads) of this
 * thread's latest groups are under way. A barrier must follow before other
 * threads read what arrived. */
__device__ inline void copy_wait(int pending)
{
#ifdef HONE_HOST
    hone_host_copy_wait(pending);
#else
    if (pending == 0)
        asm volatile("cp.async.wait_group 0;" : : : "memory");
    else if (pending == 1)
        asm volatile("cp.async.wait_group 1;" : : : "memory");
    else if (pending == 2)
        asm volatile("cp.async.wait_group 2;" : : : "memory");
    else
        asm volatile("cp.async.wait_group 3;" : : : "memory");
#endif
}

} /* namespace hone */

#endif
