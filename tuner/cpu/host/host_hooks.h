/* SPDX-License-Identifier: Apache-2.0 */
/* What code compiled with -fsanitize=thread calls, for the race build. The
 * hooks belong to this object alone. */
#ifndef HONE_TUNER_HOST_HOOKS_H
#define HONE_TUNER_HOST_HOOKS_H

#include <host_race.h>

#define HONE_HOST_HOOK                                                         \
    extern "C" __attribute__((visibility("hidden"), used)) HONE_HOST_PLAIN
#define HONE_HOST_HOOK_FN(R, name, parameters, ...)                            \
    HONE_HOST_HOOK HONE_HOST_FN(R, name, parameters, __VA_ARGS__)

/* --- calls -------------------------------------------------------------- */

HONE_HOST_HOOK_FN(void, __tsan_init, (), void())
HONE_HOST_HOOK inline void __tsan_func_entry(void *from)
{
    hone_host::thread *t = hone_host::here.self;

    if (!t)
        return;
    if (t->n_calls < hone_host::MAX_CALLS)
        t->calls[t->n_calls] = from;
    t->n_calls++;
}
HONE_HOST_HOOK inline void __tsan_func_exit()
{
    hone_host::thread *t = hone_host::here.self;

    if (t && t->n_calls > 0)
        t->n_calls--;
}
HONE_HOST_HOOK_FN(void, __tsan_ignore_thread_begin, (), void())
HONE_HOST_HOOK_FN(void, __tsan_ignore_thread_end, (), void())

/* --- loads and stores --------------------------------------------------- */

#define HONE_HOST_ACCESS(name, n, writes)                                      \
    HONE_HOST_HOOK_FN(                                                         \
        void, name, (void *p),                                                 \
        hone_host::race_note(p, n, writes, __builtin_return_address(0)))
#define HONE_HOST_ACCESSES(n)                                                  \
    HONE_HOST_ACCESS(__tsan_read##n, n, false)                                 \
    HONE_HOST_ACCESS(__tsan_write##n, n, true)                                 \
    HONE_HOST_ACCESS(__tsan_volatile_read##n, n, false)                        \
    HONE_HOST_ACCESS(__tsan_volatile_write##n, n, true)
#define HONE_HOST_UNALIGNED(n)                                                 \
    HONE_HOST_ACCESS(__tsan_unaligned_read##n, n, false)                       \
    HONE_HOST_ACCESS(__tsan_unaligned_write##n, n, true)                       \
    HONE_HOST_ACCESS(__tsan_unaligned_volatile_read##n, n, false)              \
    HONE_HOST_ACCESS(__tsan_unaligned_volatile_write##n, n, true)
HONE_HOST_ACCESSES(1)
HONE_HOST_ACCESSES(2)
HONE_HOST_ACCESSES(4)
HONE_HOST_ACCESSES(8)
HONE_HOST_ACCESSES(16)
HONE_HOST_UNALIGNED(2)
HONE_HOST_UNALIGNED(4)
HONE_HOST_UNALIGNED(8)
HONE_HOST_UNALIGNED(16)
HONE_HOST_ACCESS(__tsan_vptr_read, 8, false)
#undef HONE_HOST_ACCESS
#undef HONE_HOST_ACCESSES
#undef HONE_HOST_UNALIGNED

HONE_HOST_HOOK_FN(void, __tsan_vptr_update, (void **p, void *),
                  hone_host::race_note(p, sizeof(*p), true,
                                       __builtin_return_address(0)))
HONE_HOST_HOOK_FN(void, __tsan_read_range, (void *p, unsigned long n),
                  hone_host::race_note(p, n, false,
                                       __builtin_return_address(0)))
HONE_HOST_HOOK_FN(void, __tsan_write_range, (void *p, unsigned long n),
                  hone_host::race_note(p, n, true, __builtin_return_address(0)))
HONE_HOST_HOOK inline void *__tsan_memcpy(void *to, const void *from,
                                          unsigned long n)
{
    hone_host::race_note(from, n, false, __builtin_return_address(0));
    hone_host::race_note(to, n, true, __builtin_return_address(0));
    return __builtin_memcpy(to, from, n);
}
HONE_HOST_HOOK inline void *__tsan_memmove(void *to, const void *from,
                                           unsigned long n)
{
    hone_host::race_note(from, n, false, __builtin_return_address(0));
    hone_host::race_note(to, n, true, __builtin_return_address(0));
    return __builtin_memmove(to, from, n);
}
HONE_HOST_HOOK inline void *__tsan_memset(void *to, int byte, unsigned long n)
{
    hone_host::race_note(to, n, true, __builtin_return_address(0));
    return __builtin_memset(to, byte, n);
}

/* --- atomics: done, not checked ------------------------------------------
 */

#define HONE_HOST_FETCH(bits, T, name)                                         \
    HONE_HOST_HOOK_FN(T, __tsan_atomic##bits##_fetch_##name,                   \
                      (volatile void *p, T v, int),                            \
                      __atomic_fetch_##name(static_cast<volatile T *>(p), v,   \
                                            __ATOMIC_SEQ_CST))
#define HONE_HOST_ATOMIC_HOOKS(bits, T)                                        \
    HONE_HOST_HOOK_FN(                                                         \
        T, __tsan_atomic##bits##_load, (const volatile void *p, int),          \
        __atomic_load_n(static_cast<const volatile T *>(p), __ATOMIC_SEQ_CST)) \
    HONE_HOST_HOOK_FN(                                                         \
        void, __tsan_atomic##bits##_store, (volatile void *p, T v, int),       \
        __atomic_store_n(static_cast<volatile T *>(p), v, __ATOMIC_SEQ_CST))   \
    HONE_HOST_HOOK_FN(T, __tsan_atomic##bits##_exchange,                       \
                      (volatile void *p, T v, int),                            \
                      __atomic_exchange_n(static_cast<volatile T *>(p), v,     \
                                          __ATOMIC_SEQ_CST))                   \
    HONE_HOST_HOOK_FN(                                                         \
        bool, __tsan_atomic##bits##_compare_exchange_strong,                   \
        (volatile void *p, void *expected, T v, int, int),                     \
        __atomic_compare_exchange_n(static_cast<volatile T *>(p),              \
                                    static_cast<T *>(expected), v, false,      \
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))       \
    HONE_HOST_HOOK_FN(                                                         \
        bool, __tsan_atomic##bits##_compare_exchange_weak,                     \
        (volatile void *p, void *expected, T v, int, int),                     \
        __tsan_atomic##bits##_compare_exchange_strong(p, expected, v, 0, 0))   \
    HONE_HOST_HOOK inline T __tsan_atomic##bits##_compare_exchange_val(        \
        volatile void *p, T expected, T v, int, int)                           \
    {                                                                          \
        __tsan_atomic##bits##_compare_exchange_strong(p, &expected, v, 0, 0);  \
        return expected;                                                       \
    }                                                                          \
    HONE_HOST_FETCH(bits, T, add)                                              \
    HONE_HOST_FETCH(bits, T, sub)                                              \
    HONE_HOST_FETCH(bits, T, and)                                              \
    HONE_HOST_FETCH(bits, T, or)                                               \
    HONE_HOST_FETCH(bits, T, xor)                                              \
    HONE_HOST_FETCH(bits, T, nand)
HONE_HOST_ATOMIC_HOOKS(8, unsigned char)
HONE_HOST_ATOMIC_HOOKS(16, unsigned short)
HONE_HOST_ATOMIC_HOOKS(32, unsigned)
HONE_HOST_ATOMIC_HOOKS(64, unsigned long)
#undef HONE_HOST_ATOMIC_HOOKS
#undef HONE_HOST_FETCH

HONE_HOST_HOOK_FN(void, __tsan_atomic_thread_fence, (int),
                  __atomic_thread_fence(__ATOMIC_SEQ_CST))
HONE_HOST_HOOK_FN(void, __tsan_atomic_signal_fence, (int), void())

#undef HONE_HOST_HOOK_FN
#undef HONE_HOST_HOOK

#endif
