/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores with cache hints (plain ones here), asynchronous copies to
 * shared memory, and atomics. A copy happens only when its thread waits for it,
 * as late as CUDA allows, so that a missing wait or barrier gives wrong
 * numbers on the host too. HONE_HOST_DELAY_COPIES 0 copies at once. */
#ifndef HONE_TUNER_HOST_MEMORY_H
#define HONE_TUNER_HOST_MEMORY_H

#include <host_half.h>
#include <host_launch.h>

namespace hone_host
{

/* What has a cache hint is for global memory only: a GPU stops the kernel. */
HONE_HOST_PLAIN inline void need_global(const void *p, const char *what)
{
    const worker *w = here.at;
    const unsigned char *at = static_cast<const unsigned char *>(p);
    bool is_shared = false;

    if (!w)
        return;
    is_shared = w->dynamic && size_t(at - w->dynamic) < w->of->in->shared_bytes;
    for (int i = 0; i < 2; i++)
        is_shared |= size_t(at - w->fixed.begin[i]) < w->fixed.size_bytes[i];
    if (is_shared)
        fail(HONE_HOST_BOUNDS, here.self, nullptr, 0, what);
}

} /* namespace hone_host */

#define HONE_HOST_LOAD(name)                                                   \
    template <typename T> inline T name(const T *p)                            \
    {                                                                          \
        hone_host::need_global(p, #name "() reads shared memory, but is for "  \
                                        "global memory only");                 \
        return *p;                                                             \
    }
#define HONE_HOST_STORE(name)                                                  \
    template <typename T> inline void name(T *p, T v)                          \
    {                                                                          \
        hone_host::need_global(p, #name "() writes shared memory, but is for " \
                                        "global memory only");                 \
        *p = v;                                                                \
    }
HONE_HOST_LOAD(__ldg)
HONE_HOST_LOAD(__ldcs)
HONE_HOST_LOAD(__ldcg)
HONE_HOST_LOAD(__ldca)
HONE_HOST_LOAD(__ldlu)
HONE_HOST_LOAD(__ldcv)
HONE_HOST_STORE(__stcs)
HONE_HOST_STORE(__stcg)
HONE_HOST_STORE(__stwb)
HONE_HOST_STORE(__stwt)
#undef HONE_HOST_LOAD
#undef HONE_HOST_STORE

HONE_HOST_FN(size_t, __cvta_generic_to_shared, (const void *p),
             reinterpret_cast<size_t>(p))
HONE_HOST_FN(size_t, __cvta_generic_to_global, (const void *p),
             reinterpret_cast<size_t>(p))

namespace hone_host
{

struct alignas(16) copied {
    unsigned char bytes[16];
};

/* In the kernel's name: sanitizers and the race build see these accesses. */
__attribute__((always_inline)) inline void copy_now(void *to, const void *from,
                                                    int bytes)
{
    copied part = copied();

    if (bytes == 16) {
        *static_cast<copied *>(to) = *static_cast<const copied *>(from);
        return;
    }
    for (int i = 0; i < bytes; i++)
        part.bytes[i] = static_cast<const copied *>(from)->bytes[i];
    *static_cast<copied *>(to) = part;
}

/* Room for one more; the queue of a thread keeps its size for ever. */
inline bool grow_copies(copy_queue &q)
{
    const unsigned n = q.end - q.begin;
    const unsigned n_slots = q.n_slots ? 2 * q.n_slots : 64;
    pending_copy *more = new (std::nothrow) pending_copy[n_slots];

    if (!more)
        return false;
    for (unsigned i = 0; i < n; i++)
        more[i] = q.copies[(q.begin + i) & (q.n_slots - 1)];
    delete[] q.copies;
    q.copies = more;
    q.n_slots = n_slots;
    q.begin = 0;
    q.end = n;
    return true;
}

/* The race build counts the copy as a write now and when it happens. */
void race_copy(void *to);

/* The access a wrong address is reported for is this one, not the wait. */
__attribute__((always_inline)) inline void
copy_later(void *to, const void *from, int bytes)
{
    thread *t = here.self;
    copy_queue &q = t->copies;

    if (q.end - q.begin == q.n_slots && !grow_copies(q))
        fail(HONE_HOST_MEMORY, t, nullptr, 0,
             "no memory for the asynchronous copies under way");
#ifdef HONE_HOST_ASAN
    if (__asan_region_is_poisoned(to, 16) ||
        (bytes &&
         __asan_region_is_poisoned(const_cast<void *>(from), size_t(bytes))))
        copy_now(to, from, bytes);
#endif
    race_copy(to);
    q.copies[q.end++ & (q.n_slots - 1)] = {to, from, q.group, bytes};
}

} /* namespace hone_host */

/* 16 bytes of shared memory: so many from global memory, 0 to 16, then zeros.
 */
__attribute__((always_inline)) inline void
hone_host_copy16_async(void *to, const void *from, int bytes)
{
#if HONE_HOST_DELAY_COPIES
    hone_host::copy_later(to, from, bytes);
#else
    hone_host::copy_now(to, from, bytes);
#endif
}

/* Closes this thread's group of copies. */
inline void hone_host_copy_commit()
{
    hone_host::here.self->copies.group++;
}

/* All but the latest `pending` closed groups of this thread arrive. */
__attribute__((always_inline)) inline void hone_host_copy_wait(int pending)
{
    hone_host::copy_queue &q = hone_host::here.self->copies;

    while (q.begin != q.end) {
        const hone_host::pending_copy c = q.copies[q.begin & (q.n_slots - 1)];
        if (int(q.group - c.group) <= pending)
            break;
        q.begin++;
        hone_host::race_copy(c.to);
        hone_host::copy_now(c.to, c.from, c.bytes);
    }
}

/* --- atomics --------------------------------------------------------------
 * On global and shared memory, correct between all workers. The forms for a
 * block and for the system are the same as the plain ones. Operations that
 * processors lack (floating point, Inc, Dec) repeat a compare-and-swap. */

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
