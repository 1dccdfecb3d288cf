/* SPDX-License-Identifier: Apache-2.0 */
/* nvcuda::wmma. A fragment of R x C elements lies in row-major order over
 * the lanes: lane l holds the C*R/32 elements from l*C*R/32 on, which is as
 * good a mapping as any, since CUDA names none. A load or store moves the
 * lane's own elements at once, without waiting for the others: a missing
 * __syncwarp gives wrong numbers. mma_sync waits for the warp; the last lane
 * computes the product. Sums are kept in float, from k = 0 on. */
#ifndef HONE_TUNER_HOST_WMMA_H
#define HONE_TUNER_HOST_WMMA_H

#include <host_half.h>
#include <host_warp.h>

namespace nvcuda::wmma
{

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

} /* namespace nvcuda::wmma */

namespace nvcuda::wmma::precision
{
struct tf32;
}

namespace hone_host
{

namespace wm = nvcuda::wmma;

/* Which shapes exist for elements stored as T. */
template <typename T, int M, int N, int K> struct wmma_shape {
    static constexpr bool known =
        (sizeof(T) <= 2 && K == 16 &&
         ((M == 16 && N == 16) || (M == 32 && N == 8) ||
          (M == 8 && N == 32))) ||
        (sizeof(T) == 4 && M == 16 && N == 16 && K == 8) ||
        (sizeof(T) == 4 && M * N == 256 && K == 16 && M % 8 == 0 &&
         N % 8 == 0 && M <= 32 && N <= 32) ||
        (sizeof(T) == 8 && M == 8 && N == 8 && K == 4);
};

/* What stands in memory, and what products are computed in: the types that
 * these would return. */
template <typename T> T wmma_stored(T *);
float wmma_stored(wm::precision::tf32 *);
template <typename T> float wmma_wide(T *);
int wmma_wide(signed char *);
int wmma_wide(unsigned char *);
int wmma_wide(int *);
double wmma_wide(double *);
template <typename T> struct wmma_element {
    using stored = decltype(wmma_stored(static_cast<T *>(nullptr)));
    using wide = decltype(wmma_wide(static_cast<T *>(nullptr)));
};

template <typename USE, int M, int N, int K> struct wmma_extent;
template <int M, int N, int K> struct wmma_extent<wm::matrix_a, M, N, K> {
    enum { ROWS = M, COLS = K };
};
template <int M, int N, int K> struct wmma_extent<wm::matrix_b, M, N, K> {
    enum { ROWS = K, COLS = N };
};
template <int M, int N, int K> struct wmma_extent<wm::accumulator, M, N, K> {
    enum { ROWS = M, COLS = N };
};

/* The bits a tensor core looks at: tf32 has 10 bits of fraction. */
template <typename T, typename S> struct wmma_operand {
    static typename wmma_element<T>::wide of(S v)
    {
        return static_cast<typename wmma_element<T>::wide>(v);
    }
};
template <> struct wmma_operand<wm::precision::tf32, float> {
    static float of(float v)
    {
        return bits_as<float>(bits_as<uint32_t>(v) & 0xffffe000u);
    }
};

} /* namespace hone_host */

namespace nvcuda::wmma
{

template <typename USE, int M, int N, int K, typename T, typename LAYOUT = void>
struct fragment {
    using extent = hone_host::wmma_extent<USE, M, N, K>;
    using element_type = typename hone_host::wmma_element<T>::stored;
    using storage_element_type = element_type;

    static_assert(hone_host::wmma_shape<element_type, M, N, K>::known,
                  "no matrix operation has this shape");
    enum { num_elements = extent::ROWS * extent::COLS / 32 };
    enum { num_storage_elements = num_elements };
    element_type x[num_elements];
};

} /* namespace nvcuda::wmma */

namespace hone_host
{

template <typename U, int M, int N, int K, typename T, typename L>
using wmma_fragment = nvcuda::wmma::fragment<U, M, N, K, T, L>;

/* Where element `i` of this lane stands in memory. */
template <typename F> inline size_t wmma_place(int i, unsigned ldm, bool row)
{
    const unsigned e = here.self->lane * F::num_elements + unsigned(i);
    const unsigned r = e / F::extent::COLS;
    const unsigned c = e % F::extent::COLS;

    return row ? size_t(r) * ldm + c : size_t(c) * ldm + r;
}

template <typename F, typename S>
__attribute__((always_inline)) inline void wmma_load(F &f, const S *p,
                                                     unsigned ldm, bool row)
{
    const size_t step = row ? 1 : ldm;

    p += wmma_place<F>(0, ldm, row); /* a lane's elements share a row */
    for (int i = 0; i < F::num_elements; i++)
        f.x[i] = p[size_t(i) * step];
    here.self->fragment_moves++;
}

template <typename F, typename S>
__attribute__((always_inline)) inline void wmma_store(S *p, const F &f,
                                                      unsigned ldm, bool row)
{
    const size_t step = row ? 1 : ldm;

    p += wmma_place<F>(0, ldm, row);
    for (int i = 0; i < F::num_elements; i++)
        p[size_t(i) * step] = f.x[i];
    here.self->fragment_moves++;
}

/* Lanes that did not load and store as often as the others did not all take
 * part in some load or store. */
__attribute__((noinline)) inline void check_moves(thread **lanes,
                                                  unsigned arrived)
{
    const thread *first = lanes[0];

    for (unsigned lane = 0; lane < WARP; lane++) {
        if (!(arrived >> lane & 1))
            fail_with(HONE_HOST_DIVERGENCE, first, first->file, first->line,
                      "calls mma_sync without lane %u of its warp", lane);
        if (lanes[lane]->fragment_moves != first->fragment_moves)
            fail_with(HONE_HOST_DIVERGENCE, first, first->file, first->line,
                      "calls mma_sync after %u loads and stores of "
                      "fragments, lane %u after %u",
                      first->fragment_moves, lane, lanes[lane]->fragment_moves);
    }
}

/* What a lane hands to the one that computes. */
template <typename D, typename A, typename B, typename C> struct product {
    D *d;
    const A *a;
    const B *b;
    const C *c;
};

/* All lanes' elements as one row-major matrix. */
template <typename T, typename F, typename W>
HONE_HOST_PLAIN inline void gather(const F &f, unsigned lane, W *to)
{
    to += lane * F::num_elements;
    for (int i = 0; i < F::num_elements; i++)
        to[i] = wmma_operand<T, typename F::element_type>::of(f.x[i]);
}

/* c += a*b for row-major M x K and K x N, N a multiple of 8, in vectors of
 * four that every compiler turns into instructions. */
template <int M, int N, int K, typename W>
HONE_HOST_PLAIN inline void multiply(W *c, const W *a, const W *b)
{
    typedef W four __attribute__((vector_size(4 * sizeof(W)), may_alias,
                                  aligned(sizeof(W))));
    enum { FOURS = 2 };

    for (int j = 0; j < N; j += 4 * FOURS) {
        for (int i = 0; i < M; i++) {
            four *to = reinterpret_cast<four *>(c + i * N + j);
            four sum0 = to[0], sum1 = to[1];
            for (int k = 0; k < K; k++) {
                const four *from =
                    reinterpret_cast<const four *>(b + k * N + j);
                const W v = a[i * K + k];
                sum0 += v * from[0];
                sum1 += v * from[1];
            }
            to[0] = sum0;
            to[1] = sum1;
        }
    }
}

template <typename D, typename A, typename B, typename C, typename TA,
          typename TB, int M, int N, int K>
HONE_HOST_PLAIN void finish_product(thread **lanes, unsigned arrived)
{
    using W = typename wmma_element<TA>::wide;
    using P = product<D, A, B, C>;
    alignas(32) W a[M * K], b[K * N], c[M * N];

    check_moves(lanes, arrived);
    for (unsigned lane = 0; lane < WARP; lane++) {
        const P *p = static_cast<const P *>(lanes[lane]->args);
        gather<TA>(*p->a, lane, a);
        gather<TB>(*p->b, lane, b);
        gather<W>(*p->c, lane, c);
    }
    multiply<M, N, K>(c, a, b);
    for (unsigned lane = 0; lane < WARP; lane++) {
        D *d = static_cast<const P *>(lanes[lane]->args)->d;
        for (int i = 0; i < D::num_elements; i++)
            d->x[i] = static_cast<typename D::element_type>(
                c[lane * D::num_elements + unsigned(i)]);
    }
}

} /* namespace hone_host */

namespace nvcuda::wmma
{

template <typename U, int M, int N, int K, typename T, typename L, typename V>
inline void fill_fragment(fragment<U, M, N, K, T, L> &f, const V &v)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] =
            static_cast<typename fragment<U, M, N, K, T, L>::element_type>(v);
}

template <typename U, int M, int N, int K, typename T, typename S>
inline void load_matrix_sync(fragment<U, M, N, K, T, row_major> &f, const S *p,
                             unsigned ldm)
{
    hone_host::wmma_load(f, p, ldm, true);
}
template <typename U, int M, int N, int K, typename T, typename S>
inline void load_matrix_sync(fragment<U, M, N, K, T, col_major> &f, const S *p,
                             unsigned ldm)
{
    hone_host::wmma_load(f, p, ldm, false);
}
template <int M, int N, int K, typename T, typename S>
inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const S *p,
                             unsigned ldm, layout_t layout)
{
    hone_host::wmma_load(f, p, ldm, layout == mem_row_major);
}
template <int M, int N, int K, typename T, typename S>
inline void store_matrix_sync(S *p, const fragment<accumulator, M, N, K, T> &f,
                              unsigned ldm, layout_t layout)
{
    hone_host::wmma_store(p, f, ldm, layout == mem_row_major);
}

template <int M, int N, int K, typename TD, typename TA, typename LA,
          typename TB, typename LB, typename TC>
inline void mma_sync(fragment<accumulator, M, N, K, TD> &d,
                     const fragment<matrix_a, M, N, K, TA, LA> &a,
                     const fragment<matrix_b, M, N, K, TB, LB> &b,
                     const fragment<accumulator, M, N, K, TC> &c,
                     bool saturate = false, HONE_HOST_AT)
{
    using D = fragment<accumulator, M, N, K, TD>;
    using A = fragment<matrix_a, M, N, K, TA, LA>;
    using B = fragment<matrix_b, M, N, K, TB, LB>;
    using C = fragment<accumulator, M, N, K, TC>;
    hone_host::product<D, A, B, C> p = {&d, &a, &b, &c};

    (void)saturate; /* for integers of 4 bits and less */
    hone_host::meet_warp(0xffffffffu, false, &p,
                         hone_host::finish_product<D, A, B, C, TA, TB, M, N, K>,
                         "mma_sync()", file, line);
}

/* Rounds to the nearest tf32, ties away from zero, as cvt.rna does. */
inline float __float_to_tf32(float f)
{
    const uint32_t bits = hone_host::bits_as<uint32_t>(f);

    if ((bits & 0x7f800000u) == 0x7f800000u)
        return f;
    return hone_host::bits_as<float>((bits + 0x1000u) & 0xffffe000u);
}

} /* namespace nvcuda::wmma */

HONE_HOST_FN(float, __float_to_tf32, (float f),
             nvcuda::wmma::__float_to_tf32(f))

#endif
