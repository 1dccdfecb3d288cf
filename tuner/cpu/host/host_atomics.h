/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics on global and shared memory, correct between all workers. The
 * forms for a block and for the system are the same as the plain ones.
 * Operations that processors lack (floating point, Inc, Dec) repeat a
 * compare-and-swap. */
#ifndef HONE_TUNER_HOST_ATOMICS_H
#define HONE_TUNER_HOST_ATOMICS_H

#include <host_half.h>

namespace hone_host
{

template <size_t BYTES> struct bits_of_size;
template <> struct bits_of_size<2> {
    using type = uint16_t;
};
template <> struct bits_of_size<4> {
    using type = uint32_t;
};
template <> struct bits_of_size<8> {
    using type = uint64_t;
};

/* Replaces *at by change(*at); returns what was there. */
template <typename T, typename F> inline T change_atomically(T *at, F change)
{
    using bits = typename bits_of_size<sizeof(T)>::type;
    bits *p = reinterpret_cast<bits *>(at);
    bits old = __atomic_load_n(p, __ATOMIC_RELAXED);

    while (!__atomic_compare_exchange_n(
        p, &old, bits_as<bits>(T(change(bits_as<T>(old)))), false,
        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
    return bits_as<T>(old);
}

} /* namespace hone_host */

/* One operation with its three scopes. */
#define HONE_HOST_ATOMIC(name, T, body)                                        \
    HONE_HOST_FN(T, name, (T * at, T v), body)                                 \
    HONE_HOST_FN(T, name##_block, (T * at, T v), name(at, v))                  \
    HONE_HOST_FN(T, name##_system, (T * at, T v), name(at, v))
#define HONE_HOST_ATOMIC_CHANGE(name, T, expression)                           \
    HONE_HOST_ATOMIC(name, T, hone_host::change_atomically(at, [v](T old) {    \
                         return expression;                                    \
                     }))
#define HONE_HOST_ATOMIC_FETCH(name, T, builtin)                               \
    HONE_HOST_ATOMIC(name, T, builtin(at, v, __ATOMIC_ACQ_REL))
#define HONE_HOST_ATOMIC_CAS(T)                                                \
    inline T atomicCAS(T *at, T expected, T v)                                 \
    {                                                                          \
        __atomic_compare_exchange_n(at, &expected, v, false, __ATOMIC_ACQ_REL, \
                                    __ATOMIC_ACQUIRE);                         \
        return expected;                                                       \
    }                                                                          \
    HONE_HOST_FN(T, atomicCAS_block, (T * at, T expected, T v),                \
                 atomicCAS(at, expected, v))                                   \
    HONE_HOST_FN(T, atomicCAS_system, (T * at, T expected, T v),               \
                 atomicCAS(at, expected, v))
#define HONE_HOST_ATOMIC_INTEGER(T)                                            \
    HONE_HOST_ATOMIC_FETCH(atomicAdd, T, __atomic_fetch_add)                   \
    HONE_HOST_ATOMIC_FETCH(atomicSub, T, __atomic_fetch_sub)                   \
    HONE_HOST_ATOMIC_FETCH(atomicAnd, T, __atomic_fetch_and)                   \
    HONE_HOST_ATOMIC_FETCH(atomicOr, T, __atomic_fetch_or)                     \
    HONE_HOST_ATOMIC_FETCH(atomicXor, T, __atomic_fetch_xor)                   \
    HONE_HOST_ATOMIC_FETCH(atomicExch, T, __atomic_exchange_n)                 \
    HONE_HOST_ATOMIC_CHANGE(atomicMin, T, v < old ? v : old)                   \
    HONE_HOST_ATOMIC_CHANGE(atomicMax, T, v > old ? v : old)                   \
    HONE_HOST_ATOMIC_CAS(T)

HONE_HOST_ATOMIC_INTEGER(int)
HONE_HOST_ATOMIC_INTEGER(unsigned)
HONE_HOST_ATOMIC_INTEGER(long long)
HONE_HOST_ATOMIC_INTEGER(unsigned long long)
HONE_HOST_ATOMIC_CAS(unsigned short)

/* Up to v and then 0; down to 0 and then v. */
HONE_HOST_ATOMIC_CHANGE(atomicInc, unsigned, old >= v ? 0 : old + 1)
HONE_HOST_ATOMIC_CHANGE(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)

HONE_HOST_ATOMIC_CHANGE(atomicAdd, float, old + v)
HONE_HOST_ATOMIC_CHANGE(atomicAdd, double, old + v)
HONE_HOST_ATOMIC_CHANGE(atomicExch, float, ((void)old, v))
HONE_HOST_ATOMIC_CHANGE(atomicAdd, __half, old + v)
HONE_HOST_ATOMIC_CHANGE(atomicAdd, __half2, old + v)
HONE_HOST_ATOMIC_CHANGE(atomicAdd, __nv_bfloat16, old + v)
HONE_HOST_ATOMIC_CHANGE(atomicAdd, __nv_bfloat162, old + v)

#undef HONE_HOST_ATOMIC_INTEGER
#undef HONE_HOST_ATOMIC_CAS
#undef HONE_HOST_ATOMIC_FETCH
#undef HONE_HOST_ATOMIC_CHANGE
#undef HONE_HOST_ATOMIC

HONE_HOST_FN(void, __threadfence, (), __atomic_thread_fence(__ATOMIC_SEQ_CST))
HONE_HOST_FN(void, __threadfence_block, (),
             __atomic_thread_fence(__ATOMIC_SEQ_CST))
HONE_HOST_FN(void, __threadfence_system, (),
             __atomic_thread_fence(__ATOMIC_SEQ_CST))

#endif
