/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of scan/plain and scan_rows/plain do: rows of `columns`
 * elements, of which `scan` has one, in n_parts parts of `part` elements. A
 * thread adds up each part, one thread for each row adds up their sums, a
 * thread scans each part. Sums are f64, so that what others round is seen, or
 * integers that wrap around. Included below the parameters: it reads T. */
#pragma once

/* Sums of integers may wrap around, which signed ones must not. */
template <typename E> struct plain_sum {
    using type = double;
};
template <> struct plain_sum<int> {
    using type = unsigned;
};
template <> struct plain_sum<long long> {
    using type = unsigned long long;
};

/* One rounding, to nearest. */
template <typename E>
__device__ inline E plain_result(typename plain_sum<E>::type sum)
{
    return (E)sum;
}
template <> __device__ inline __half plain_result<__half>(double sum)
{
    return __double2half(sum);
}
template <> __device__ inline __nv_bfloat16
plain_result<__nv_bfloat16>(double sum)
{
    return __double2bfloat16(sum);
}

template <typename E>
__device__ inline typename plain_sum<E>::type plain_term(E x)
{
    if constexpr (sizeof(E) == 2)
        return (double)(float)x;
    else
        return (typename plain_sum<E>::type)x;
}

/* The sum of x[first] to x[end - 1]. */
template <typename E>
__device__ inline typename plain_sum<E>::type
plain_add_up(const E *x, long long first, long long end)
{
    typename plain_sum<E>::type sum = 0;

    for (long long i = first; i < end; i++)
        sum += plain_term(x[i]);
    return sum;
}

/* The scan of x[first] to x[end - 1], `sum` being what stands in front. */
template <typename E>
__device__ inline void plain_scan(const E *x, E *y, bool exclusive,
                                  long long first, long long end,
                                  typename plain_sum<E>::type sum)
{
    for (long long i = first; i < end; i++) {
        const typename plain_sum<E>::type next = sum + plain_term(x[i]);

        y[i] = plain_result<E>(exclusive ? sum : next);
        sum = next;
    }
}

using sum_type = plain_sum<T>::type;

/* A word of the workspace as a sum, and back. */
__device__ inline sum_type sum_of(unsigned long long word)
{
    sum_type sum;

    memcpy(&sum, &word, sizeof sum);
    return sum;
}
__device__ inline unsigned long long word_of(sum_type sum)
{
    unsigned long long word = 0;

    memcpy(&word, &sum, sizeof sum);
    return word;
}

__device__ inline void
walk_sums(const T *__restrict__ x, unsigned long long *of_part,
           long long rows, long long columns, long long part,
           long long n_parts)
{
    for (long long i = blockIdx.x * 128LL + threadIdx.x; i < rows * n_parts;
         i += gridDim.x * 128LL) {
        const long long first = i % n_parts * part;

        of_part[i] =
            word_of(plain_add_up(x + i / n_parts * columns, first,
                                 min(columns, first + part)));
    }
}

/* From the sums of the parts: what stands in front of each in its row. */
__device__ inline void walk_parts(unsigned long long *of_part,
                                       long long rows, long long n_parts)
{
    for (long long row = blockIdx.x * 128LL + threadIdx.x; row < rows;
         row += gridDim.x * 128LL) {
        sum_type sum = 0;

        for (long long at = row * n_parts; at < (row + 1) * n_parts; at++) {
            const sum_type of_this = sum_of(of_part[at]);

            of_part[at] = word_of(sum);
            sum += of_this;
        }
    }
}

__device__ inline void
walk_scans(const T *__restrict__ x, T *__restrict__ y, int exclusive,
            const unsigned long long *of_part, long long rows,
            long long columns, long long part, long long n_parts)
{
    for (long long i = blockIdx.x * 128LL + threadIdx.x; i < rows * n_parts;
         i += gridDim.x * 128LL) {
        const long long row = i / n_parts * columns;
        const long long first = i % n_parts * part;

        plain_scan(x + row, y + row, (exclusive & 1) != 0, first,
                   min(columns, first + part), sum_of(of_part[i]));
    }
}
