/* SPDX-License-Identifier: Apache-2.0 */
/* What the plain references of scans are made of: sums in f64 or wrapping
 * integers, in which a thread adds up neighbours one after the other. The
 * contract stands in front of this file: it knows T. */
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
