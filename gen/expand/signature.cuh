/* SPDX-License-Identifier: Apache-2.0 */
/* What the asserts of signature.c are made of, in front of a template's code.
 * Enumerators, since constants in classes would be in the cubin. */
namespace hone__signature
{
struct none;
template <char K> struct is {
    enum { k = K };
};
template <class T>
struct kind : is<__is_class(T) || __is_union(T) ? 'c'
                 : __is_enum(T)                 ? 'i'
                                                : '?'> {
};
template <> struct kind<none> : is<'?'> {
};
template <> struct kind<void> : is<'v'> {
};
template <> struct kind<bool> : is<'b'> {
};
template <> struct kind<float> : is<'f'> {
};
template <> struct kind<double> : is<'f'> {
};
template <> struct kind<char> : is<'i'> {
};
template <> struct kind<signed char> : is<'i'> {
};
template <> struct kind<short> : is<'i'> {
};
template <> struct kind<int> : is<'i'> {
};
template <> struct kind<long> : is<'i'> {
};
template <> struct kind<long long> : is<'i'> {
};
template <> struct kind<unsigned char> : is<'u'> {
};
template <> struct kind<unsigned short> : is<'u'> {
};
template <> struct kind<unsigned int> : is<'u'> {
};
template <> struct kind<unsigned long> : is<'u'> {
};
template <> struct kind<unsigned long long> : is<'u'> {
};

template <class T> struct bytes {
    enum { n = sizeof(T) };
};
template <> struct bytes<void> {
    enum { n = 0 };
};
template <> struct bytes<none> {
    enum { n = 0 };
};

template <class T> struct bare {
    using type = T;
    enum { is_const = 0 };
};
template <class T> struct bare<const T> {
    using type = T;
    enum { is_const = 1 };
};
template <class T> struct bare<volatile T> {
    using type = T;
    enum { is_const = 0 };
};
template <class T> struct bare<const volatile T> {
    using type = T;
    enum { is_const = 1 };
};

template <class T> struct target {
    using type = none;
};
template <class T> struct target<T *> {
    using type = T;
};

template <int I, class... P> struct nth {
    using type = none;
};

template <int I, class H, class... R>
struct nth<I, H, R...> : nth<I - 1, R...> {
};
template <class H, class... R> struct nth<0, H, R...> {
    using type = H;
};

template <class F> struct kernel;
template <class R, class... P> struct kernel<R(P...)> {
    enum { n = sizeof...(P) };
    template <int I> using at = typename nth<I, P...>::type;
};
#if defined(__cpp_noexcept_function_type)
template <class R, class... P>
struct kernel<R(P...) noexcept> : kernel<R(P...)> {
};
#endif

constexpr bool fits(char k, int s, char want, int n)
{
    return want == 'f'   ? (k == 'f' || (k == 'c' && n == 2)) && s == n
           : want == 'i' ? (k == 'i' || k == 'u') && s == n
                         : k == 'c' && s == n;
}

constexpr bool holds(char k, int s, char want, int n)
{
    return k == 'v' ||
           (want == 'r' && k != '?'
                ? s == n || (n < 4 && s > n) || (k == 'c' && s >= n)
            : k == 'c' ? s >= n
            : k == 'u' ? s == n || (n < 4 && s > n)
            : k == 'i' ? want == 'i' && s == n
            : k == 'b' ? n == 1 && want == 'i'
                       : k == 'f' && (want == 'f' ? s == n
                                                  : want == 'c' && 2 * s == n));
}

template <class F, int I, char K, int N> constexpr bool value()
{
    using T = typename kernel<F>::template at<I>;
    return fits(kind<T>::k, bytes<T>::n, K, N);
}

template <class F, int I, char K, int N> constexpr bool array()
{
    using B = typename bare<
        typename target<typename kernel<F>::template at<I>>::type>::type;
    return holds(kind<B>::k, bytes<B>::n, K, N);
}

template <class F, int I> constexpr bool writes()
{
    return !bare<
        typename target<typename kernel<F>::template at<I>>::type>::is_const;
}

template <class F, int N> constexpr bool counts()
{
    return kernel<F>::n == N;
}

} // namespace hone__signature
