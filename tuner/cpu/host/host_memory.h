/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores with cache hints (plain ones here), and asynchronous
 * copies to shared memory. A copy happens only when its thread waits for it,
 * as late as CUDA allows, so that a missing wait or barrier gives wrong
 * numbers on the host too. HONE_HOST_DELAY_COPIES 0 copies at once. */
#ifndef HONE_TUNER_HOST_MEMORY_H
#define HONE_TUNER_HOST_MEMORY_H

#include <host_launch.h>

#define HONE_HOST_LOAD(name)                                                   \
    template <typename T> inline T name(const T *p)                            \
    {                                                                          \
        return *p;                                                             \
    }
#define HONE_HOST_STORE(name)                                                  \
    template <typename T> inline void name(T *p, T v)                          \
    {                                                                          \
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

inline size_t __cvta_generic_to_shared(const void *p)
{
    return reinterpret_cast<size_t>(p);
}
inline size_t __cvta_generic_to_global(const void *p)
{
    return reinterpret_cast<size_t>(p);
}

namespace hone_host
{

struct alignas(16) copied {
    unsigned char bytes[16];
};

/* In the kernel's name: sanitizers and the race build see these accesses. */
__attribute__((always_inline)) inline void copy_now(void *to, const void *from,
                                                    bool valid)
{
    if (valid)
        *static_cast<copied *>(to) = *static_cast<const copied *>(from);
    else
        *static_cast<copied *>(to) = copied();
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
copy_later(void *to, const void *from, bool valid)
{
    thread *t = here.self;
    copy_queue &q = t->copies;

    if (q.end - q.begin == q.n_slots && !grow_copies(q))
        fail(HONE_HOST_MEMORY, t, nullptr, 0,
             "no memory for the asynchronous copies under way");
#ifdef HONE_HOST_ASAN
    if (__asan_region_is_poisoned(to, 16) ||
        (valid && __asan_region_is_poisoned(const_cast<void *>(from), 16)))
        copy_now(to, from, valid);
#endif
    race_copy(to);
    q.copies[q.end++ & (q.n_slots - 1)] = {to, from, q.group, valid};
}

} /* namespace hone_host */

/* 16 bytes from global to shared memory; with `valid` false, zeros. */
__attribute__((always_inline)) inline void
hone_host_copy16_async(void *to, const void *from, bool valid)
{
#if HONE_HOST_DELAY_COPIES
    hone_host::copy_later(to, from, valid);
#else
    hone_host::copy_now(to, from, valid);
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
        hone_host::copy_now(c.to, c.from, c.valid);
    }
}

#endif
