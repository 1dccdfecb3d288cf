/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels use of the standard headers, for NVRTC, which has none: the
 * whole of <cstdint>, <climits>, <cfloat> and <cstddef>, the functions of
 * <cmath> that CUDA has, and parts of <limits>, <type_traits>, <utility>,
 * <algorithm> and <array>. Macros are spelled as in libcu++, which a kernel
 * may include as well. */
#ifndef HONE_KERNEL_STD
#define HONE_KERNEL_STD

/* --- stdint.h, stddef.h --------------------------------------------------- */

using int8_t = signed char;
using int16_t = signed short;
using int32_t = signed int;
using int64_t = signed long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
#define HONE_STD_SIZES(X) X(8) X(16) X(32) X(64)
#define HONE_STD_SIZE(n)                                                       \
    using int_fast##n##_t = int##n##_t;                                        \
    using uint_fast##n##_t = uint##n##_t;                                      \
    using int_least##n##_t = int##n##_t;                                       \
    using uint_least##n##_t = uint##n##_t;
HONE_STD_SIZES(HONE_STD_SIZE)
#undef HONE_STD_SIZE
using intptr_t = int64_t;
using uintptr_t = uint64_t;
using intmax_t = int64_t;
using uintmax_t = uint64_t;

#ifndef INT8_MIN
#define INT8_MIN SCHAR_MIN
#define INT16_MIN SHRT_MIN
#define INT32_MIN INT_MIN
#define INT64_MIN LLONG_MIN
#define INT8_MAX SCHAR_MAX
#define INT16_MAX SHRT_MAX
#define INT32_MAX INT_MAX
#define INT64_MAX LLONG_MAX
#define UINT8_MAX UCHAR_MAX
#define UINT16_MAX USHRT_MAX
#define UINT32_MAX UINT_MAX
#define UINT64_MAX ULLONG_MAX
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#define SIZE_MAX UINT64_MAX
#endif
#ifndef offsetof
#define offsetof(type, member)                                                 \
    (::size_t)((char *)&(((type *)0)->member) - (char *)0)
#endif

/* --- limits.h, float.h ---------------------------------------------------- */

#ifndef CHAR_BIT
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-SHRT_MAX - 1)
#define SHRT_MAX 0x7fff
#define USHRT_MAX 0xffff
#define INT_MIN (-INT_MAX - 1)
#define INT_MAX 0x7fffffff
#define UINT_MAX 0xffffffff
#define LONG_MIN (-LONG_MAX - 1)
#define LONG_MAX LLONG_MAX
#define ULONG_MAX ULLONG_MAX
#define LLONG_MIN (-LLONG_MAX - 1)
#define LLONG_MAX 0x7fffffffffffffffLL
#define ULLONG_MAX 0xffffffffffffffffUL
#endif
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define DBL_MANT_DIG 53
#define FLT_DIG 6
#define DBL_DIG 15
#define FLT_MIN_EXP (-125)
#define DBL_MIN_EXP (-1021)
#define FLT_MIN_10_EXP (-37)
#define DBL_MIN_10_EXP (-307)
#define FLT_MAX_EXP 128
#define DBL_MAX_EXP 1024
#define FLT_MAX_10_EXP 38
#define DBL_MAX_10_EXP 308
#define FLT_MAX 3.40282346638528859811704183484516925e+38F
#define DBL_MAX 1.79769313486231570814527423731704357e+308
#define FLT_EPSILON 1.19209289550781250000000000000000000e-7F
#define DBL_EPSILON 2.22044604925031308084726333618164062e-16
#define FLT_MIN 1.17549435082228750796873653722234568e-38F
#define DBL_MIN 2.22507385850720138309023271733240406e-308
#define FLT_TRUE_MIN 1.40129846432481707092372958328991613e-45F
#define DBL_TRUE_MIN 4.94065645841246544176568792868221372e-324
#endif

/* --- math.h --------------------------------------------------------------- */

#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#define NAN __builtin_bit_cast(float, 0x7fffffff)
#define HUGE_VALF INFINITY
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000LL)
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif

namespace std
{

using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intmax_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintmax_t;
using ::uintptr_t;
#define HONE_STD_SIZE(n)                                                       \
    using ::int_fast##n##_t;                                                   \
    using ::uint_fast##n##_t;                                                  \
    using ::int_least##n##_t;                                                  \
    using ::uint_least##n##_t;
HONE_STD_SIZES(HONE_STD_SIZE)
#undef HONE_STD_SIZE
#undef HONE_STD_SIZES
using nullptr_t = decltype(nullptr);
enum class byte : unsigned char {};

/* --- cmath, cstdio, cstdlib, cstring ---------------------------------------
 */

using ::abs, ::acos, ::acosh, ::asin, ::asinh, ::atan, ::atan2, ::atanh, ::cbrt,
    ::ceil, ::copysign, ::cos, ::cosh, ::erf, ::erfc, ::exp, ::exp2, ::expm1,
    ::fabs, ::fdim, ::floor, ::fma, ::fmax, ::fmin, ::fmod, ::frexp, ::hypot,
    ::ilogb, ::isfinite, ::isinf, ::isnan, ::ldexp, ::lgamma, ::llrint,
    ::llround, ::log, ::log10, ::log1p, ::log2, ::logb, ::lrint, ::lround,
    ::modf, ::nearbyint, ::nextafter, ::pow, ::remainder, ::rint, ::round,
    ::scalbn, ::signbit, ::sin, ::sinh, ::sqrt, ::tan, ::tanh, ::tgamma,
    ::trunc;
using ::acosf, ::acoshf, ::asinf, ::asinhf, ::atan2f, ::atanf, ::atanhf,
    ::cbrtf, ::ceilf, ::copysignf, ::cosf, ::coshf, ::erfcf, ::erff, ::exp2f,
    ::expf, ::expm1f, ::fabsf, ::fdimf, ::floorf, ::fmaf, ::fmaxf, ::fminf,
    ::fmodf, ::hypotf, ::log10f, ::log1pf, ::log2f, ::logf, ::powf, ::rintf,
    ::roundf, ::sinf, ::sinhf, ::sqrtf, ::tanf, ::tanhf, ::truncf;
using ::free, ::labs, ::llabs, ::malloc, ::memcpy, ::memset, ::printf;

/* --- type_traits ------------------------------------------------------------
 */

template <class T, T v> struct integral_constant {
    static constexpr T value = v;
    using value_type = T;
    using type = integral_constant;
    constexpr operator T() const noexcept
    {
        return v;
    }
};
template <bool b> using bool_constant = integral_constant<bool, b>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <bool b, class T = void> struct enable_if {
};
template <class T> struct enable_if<true, T> {
    using type = T;
};
template <bool b, class T = void>
using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class T, class U> struct conditional {
    using type = T;
};
template <class T, class U> struct conditional<false, T, U> {
    using type = U;
};
template <bool b, class T, class U>
using conditional_t = typename conditional<b, T, U>::type;
template <class...> using void_t = void;

template <class T, class U> struct is_same : false_type {
};
template <class T> struct is_same<T, T> : true_type {
};
template <class T, class U>
inline constexpr bool is_same_v = is_same<T, U>::value;

#define HONE_STD_REMOVE(name, pattern)                                         \
    template <class T> struct name {                                           \
        using type = T;                                                        \
    };                                                                         \
    template <class T> struct name<pattern> {                                  \
        using type = T;                                                        \
    };
HONE_STD_REMOVE(remove_const, const T)
HONE_STD_REMOVE(remove_volatile, volatile T)
HONE_STD_REMOVE(remove_reference, T &)
template <class T> struct remove_reference<T &&> {
    using type = T;
};
HONE_STD_REMOVE(remove_pointer, T *)
HONE_STD_REMOVE(remove_extent, T[])
template <class T, size_t n> struct remove_extent<T[n]> {
    using type = T;
};
#undef HONE_STD_REMOVE
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> struct remove_cv {
    using type = remove_const_t<remove_volatile_t<T>>;
};
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using decay_t = remove_cv_t<remove_reference_t<T>>;
template <class T> struct make_unsigned;
template <class T> struct make_signed;

#define HONE_STD_TRAIT(name, ...)                                              \
    template <class T> struct name : bool_constant<(__VA_ARGS__)> {            \
    };                                                                         \
    template <class T> inline constexpr bool name##_v = name<T>::value;
template <class T> struct hone_is_integral : false_type {
};
#define HONE_STD_INTEGERS(X)                                                   \
    X(char, signed char, unsigned char)                                        \
    X(signed char, signed char, unsigned char)                                 \
    X(unsigned char, signed char, unsigned char)                               \
    X(short, short, unsigned short)                                            \
    X(unsigned short, short, unsigned short)                                   \
    X(int, int, unsigned int)                                                  \
    X(unsigned int, int, unsigned int)                                         \
    X(long, long, unsigned long)                                               \
    X(unsigned long, long, unsigned long)                                      \
    X(long long, long long, unsigned long long)                                \
    X(unsigned long long, long long, unsigned long long)
#define HONE_STD_INTEGER(T, with_sign, without)                                \
    template <> struct hone_is_integral<T> : true_type {                       \
    };                                                                         \
    template <> struct make_signed<T> {                                        \
        using type = with_sign;                                                \
    };                                                                         \
    template <> struct make_unsigned<T> {                                      \
        using type = without;                                                  \
    };
HONE_STD_INTEGERS(HONE_STD_INTEGER)
#undef HONE_STD_INTEGER
template <> struct hone_is_integral<bool> : true_type {
};
template <class T> using make_signed_t = typename make_signed<T>::type;
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
HONE_STD_TRAIT(is_integral, hone_is_integral<remove_cv_t<T>>::value)
HONE_STD_TRAIT(is_floating_point, is_same_v<remove_cv_t<T>, float> ||
                                      is_same_v<remove_cv_t<T>, double>)
HONE_STD_TRAIT(is_arithmetic, is_integral_v<T> || is_floating_point_v<T>)
HONE_STD_TRAIT(is_void, is_same_v<remove_cv_t<T>, void>)
HONE_STD_TRAIT(is_const, !is_same_v<T, remove_const_t<T>>)
HONE_STD_TRAIT(is_reference, !is_same_v<T, remove_reference_t<T>>)
HONE_STD_TRAIT(is_pointer,
               !is_same_v<remove_cv_t<T>, remove_pointer_t<remove_cv_t<T>>>)
HONE_STD_TRAIT(is_class, __is_class(T))
HONE_STD_TRAIT(is_enum, __is_enum(T))
HONE_STD_TRAIT(is_empty, __is_empty(T))
HONE_STD_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
template <class T, bool = is_arithmetic_v<T>>
struct hone_is_signed : bool_constant<(T(-1) < T(0))> {
};
template <class T> struct hone_is_signed<T, false> : false_type {
};
HONE_STD_TRAIT(is_signed, hone_is_signed<T>::value)
HONE_STD_TRAIT(is_unsigned, is_arithmetic_v<T> && !is_signed_v<T>)
#undef HONE_STD_TRAIT
template <class T, class U>
struct is_base_of : bool_constant<__is_base_of(T, U)> {
};
template <class T, class U>
inline constexpr bool is_base_of_v = is_base_of<T, U>::value;
template <class T, class U>
struct is_convertible : bool_constant<__is_convertible_to(T, U)> {
};
template <class T, class U>
inline constexpr bool is_convertible_v = is_convertible<T, U>::value;
template <class T> using underlying_type_t = __underlying_type(T);

/* --- limits -----------------------------------------------------------------
 */

template <class T> struct numeric_limits {
    static constexpr bool is_specialized = false;
};
template <class T> struct numeric_limits<const T> : numeric_limits<T> {
};
#define HONE_STD_LIMIT(name, value)                                            \
    static constexpr auto name() noexcept                                      \
    {                                                                          \
        return value;                                                          \
    }
#define HONE_STD_LIMITS(T, of_integer, bits, lowest_one, least, most,          \
                        rounding)                                              \
    static constexpr bool is_specialized = true;                               \
    static constexpr bool is_integer = of_integer;                             \
    static constexpr bool is_exact = of_integer;                               \
    static constexpr bool is_signed = (T)(-1) < (T)(0);                        \
    static constexpr bool has_infinity = !(of_integer);                        \
    static constexpr bool has_quiet_NaN = !(of_integer);                       \
    static constexpr int radix = 2;                                            \
    static constexpr int digits = bits;                                        \
    HONE_STD_LIMIT(lowest, (T)(lowest_one))                                    \
    HONE_STD_LIMIT(min, (T)(least))                                            \
    HONE_STD_LIMIT(max, (T)(most))                                             \
    HONE_STD_LIMIT(epsilon, (T)(rounding))
/* All bits but the sign are the greatest; what is left is the least. */
#define HONE_STD_INTEGER(T, with_sign, without)                                \
    template <> struct numeric_limits<T> {                                     \
        using bits = without;                                                  \
        static constexpr T most =                                              \
            (T)(bits(-1)) < (T)(0) ? (T)(bits(-1) >> 1) : (T)(bits(-1));       \
        HONE_STD_LIMITS(T, true, int(8 * sizeof(T)) - is_signed, ~most, ~most, \
                        most, 0)                                               \
    };
HONE_STD_INTEGERS(HONE_STD_INTEGER)
#undef HONE_STD_INTEGER
#undef HONE_STD_INTEGERS
template <> struct numeric_limits<bool> {
    HONE_STD_LIMITS(bool, true, 1, 0, 0, 1, 0)
};
template <> struct numeric_limits<float> {
    HONE_STD_LIMITS(float, false, FLT_MANT_DIG, -FLT_MAX, FLT_MIN, FLT_MAX,
                    FLT_EPSILON)
    HONE_STD_LIMIT(infinity, INFINITY)
    HONE_STD_LIMIT(quiet_NaN, NAN)
    HONE_STD_LIMIT(denorm_min, FLT_TRUE_MIN)
};
template <> struct numeric_limits<double> {
    HONE_STD_LIMITS(double, false, DBL_MANT_DIG, -DBL_MAX, DBL_MIN, DBL_MAX,
                    DBL_EPSILON)
    HONE_STD_LIMIT(infinity, HUGE_VAL)
    HONE_STD_LIMIT(quiet_NaN, __builtin_bit_cast(double, 0x7ff8000000000000LL))
    HONE_STD_LIMIT(denorm_min, DBL_TRUE_MIN)
};
#undef HONE_STD_LIMITS
#undef HONE_STD_LIMIT

/* --- utility, algorithm, array ----------------------------------------------
 */

template <class T> constexpr void swap(T &a, T &b)
{
    T kept = std::move(a);

    a = std::move(b);
    b = std::move(kept);
}
template <class T, class U = T> constexpr T exchange(T &a, U &&b)
{
    T before = std::move(a);

    a = std::forward<U>(b);
    return before;
}
template <class T> constexpr const T &min(const T &a, const T &b)
{
    return b < a ? b : a;
}
template <class T> constexpr const T &max(const T &a, const T &b)
{
    return a < b ? b : a;
}
template <class T>
constexpr const T &clamp(const T &x, const T &least, const T &most)
{
    return x < least ? least : most < x ? most : x;
}
template <class T, class U> struct pair {
    T first;
    U second;
};
template <class T, class U> pair(T, U) -> pair<T, U>;
template <class T, T... values> struct integer_sequence {
    static constexpr size_t size()
    {
        return sizeof...(values);
    }
};
template <size_t... values>
using index_sequence = integer_sequence<size_t, values...>;
template <class T, size_t n, T... values>
struct hone_sequence : hone_sequence<T, n - 1, T(n - 1), values...> {
};
template <class T, T... values> struct hone_sequence<T, 0, values...> {
    using type = integer_sequence<T, values...>;
};
template <class T, T n>
using make_integer_sequence = typename hone_sequence<T, n>::type;
template <size_t n>
using make_index_sequence = make_integer_sequence<size_t, n>;

template <class T, size_t n> struct array {
    using value_type = T;
    T elements[n ? n : 1];
    constexpr T &operator[](size_t i)
    {
        return elements[i];
    }
    constexpr const T &operator[](size_t i) const
    {
        return elements[i];
    }
    constexpr T *data()
    {
        return elements;
    }
    constexpr const T *data() const
    {
        return elements;
    }
    constexpr T *begin()
    {
        return elements;
    }
    constexpr const T *begin() const
    {
        return elements;
    }
    constexpr T *end()
    {
        return elements + n;
    }
    constexpr const T *end() const
    {
        return elements + n;
    }
    static constexpr size_t size()
    {
        return n;
    }
    constexpr void fill(const T &value)
    {
        for (size_t i = 0; i < n; ++i)
            elements[i] = value;
    }
};

} /* namespace std */

#endif
