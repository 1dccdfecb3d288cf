/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring elements that are read and written at once, of any element
 * type; numbers of 16 bits as f32 and back.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_PACK_CUH
#define HONE_PACK_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hone {

/* --- memory --------------------------------------------------------------- */

/* How memory is read or written: `normal`; `stream`, it is not needed again
 * soon (evicted first); `l2`, past the level 1 cache; `constant`, only for
 * reading: nobody writes it while the kernel runs; `shared`, shared memory, which
 * is written in no other way (the others' instructions are those of global
 * memory) and read in this or the normal one. */
enum class access { normal, stream, l2, constant, shared };

/* An unsigned word, or several, of so many bytes. */
template <int BYTES> struct word;
template <> struct word<1> {
    using type = unsigned char;
};
template <> struct word<2> {
    using type = unsigned short;
};
template <> struct word<4> {
    using type = unsigned;
};
template <> struct word<8> {
    using type = uint2;
};
template <> struct word<16> {
    using type = uint4;
};

/* WIDTH elements, 1 to 16 bytes together, a power of two, which memory holds
 * at a multiple of that. */
template <typename E, int WIDTH> struct alignas(sizeof(E) * WIDTH) pack {
    E at[WIDTH];
};

template <access HOW, typename W> __device__ inline W read_word(const W *p)
{
    if constexpr (HOW == access::stream)
        return __ldcs(p);
    else if constexpr (HOW == access::l2)
        return __ldcg(p);
    else if constexpr (HOW == access::constant)
        return __ldg(p);
    else
        return *p;
}

template <access HOW, typename W> __device__ inline void write_word(W *p, W v)
{
    if constexpr (HOW == access::stream)
        __stcs(p, v);
    else if constexpr (HOW == access::l2)
        __stcg(p, v);
    else if constexpr (HOW == access::shared)
        *p = v;
    else
        __stwb(p, v);
}

/* The WIDTH elements at p, a multiple of their size. */
template <int WIDTH, access HOW = access::normal, typename E>
__device__ inline pack<E, WIDTH> read_pack(const E *p)
{
    using W = typename word<sizeof(E) * WIDTH>::type;
    const W bits = read_word<HOW>(reinterpret_cast<const W *>(p));
    pack<E, WIDTH> v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

template <access HOW = access::normal, typename E, int WIDTH>
__device__ inline void write_pack(E *p, const pack<E, WIDTH> &v)
{
    using W = typename word<sizeof(E) * WIDTH>::type;
    W bits;

    memcpy(&bits, &v, sizeof v);
    write_word<HOW>(reinterpret_cast<W *>(p), bits);
}

/* Is p a multiple of BYTES? The base of an array is, in an operation whose
 * contract says so; a row of it need not be. */
template <int BYTES> __device__ inline bool is_aligned(const void *p)
{
    return reinterpret_cast<unsigned long long>(p) % BYTES == 0;
}

/* --- numbers -------------------------------------------------------------- */

/* What sums of E are kept in: f32 for 16 bits, else E itself. */
template <typename E> struct wide {
    using type = E;
};
template <> struct wide<__half> {
    using type = float;
};
template <> struct wide<__nv_bfloat16> {
    using type = float;
};

template <typename E> __device__ inline typename wide<E>::type widen(E v)
{
    return static_cast<typename wide<E>::type>(v);
}
template <> __device__ inline float widen(__half v)
{
    return __half2float(v);
}
template <> __device__ inline float widen(__nv_bfloat16 v)
{
    return __bfloat162float(v);
}

/* Rounded to nearest, ties to even. */
template <typename E> __device__ inline E narrow(typename wide<E>::type v)
{
    return static_cast<E>(v);
}
template <> __device__ inline __half narrow<__half>(float v)
{
    return __float2half_rn(v);
}
template <> __device__ inline __nv_bfloat16 narrow<__nv_bfloat16>(float v)
{
    return __float2bfloat16_rn(v);
}

/* Two numbers of 16 bits in a word, rounded to nearest, `low` in the lower half. */
template <typename E>
__device__ inline unsigned narrow_pair(float low, float high);
template <> __device__ inline unsigned narrow_pair<__half>(float low, float high)
{
    const __half2 both = __floats2half2_rn(low, high);
    unsigned pair;

    memcpy(&pair, &both, sizeof pair);
    return pair;
}
template <>
__device__ inline unsigned narrow_pair<__nv_bfloat16>(float low, float high)
{
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    unsigned pair;

    memcpy(&pair, &both, sizeof pair);
    return pair;
}

__device__ inline float minus_infinity()
{
    return __int_as_float((int)0xff800000u);
}

} /* namespace hone */

#endif
