/* SPDX-License-Identifier: Apache-2.0 */
/* The race build: compiled with -fsanitize=thread and HONE_HOST_RACE, linked
 * without its library. The compiler calls a hook of ours before every access
 * to memory; those to shared memory are checked: two threads of a block that
 * touch the same byte, one of them writing, must have a barrier between
 * them, or, in one warp, a __syncwarp that both took part in. Atomics do not
 * count as accesses, and do not order any.
 *
 * For every byte the last write and two reads are kept, each as the number
 * of barriers so far, the thread, its own clock (counted by __syncwarp), and
 * the two innermost calls. The four bytes of a word share those of the first
 * until a part of the word is accessed. */
#ifndef HONE_TUNER_HOST_RACE_H
#define HONE_TUNER_HOST_RACE_H

#include <host_memory.h>

#ifndef HONE_HOST_RACE_BUILD

namespace hone_host
{

HONE_HOST_FN(void, race_at_barrier, (worker &), void())
HONE_HOST_FN(void, race_at_syncwarp, (thread **, unsigned), void())
HONE_HOST_FN(bool, race_prepare, (worker &, const fixed_memory &), true)
HONE_HOST_FN(void, race_begin_block, (worker &), void())
HONE_HOST_FN(void, race_release, (worker &), void())
HONE_HOST_FN(void, race_copy, (void *), void())

} /* namespace hone_host */

#else

#include <host_lines.h>

namespace hone_host
{

struct race_access {
    uint32_t epoch; /* barriers of the launch so far; 0: no access */
    uint32_t clock : 22;
    uint32_t thread : 10;
    uint32_t place[2]; /* in the object: the access, and the call of it */
};

struct race_cell {
    race_access write, read[2];
};

enum { RACE_WORD = 4 };

/* A word of shared memory: its bytes, and the barriers of the launch when they
 * got cells of their own; before and after, the first stands for all. */
struct race_word {
    race_cell byte[RACE_WORD];
    uint32_t apart;
};

/* What is shared: the two parts of static memory and the dynamic one. */
struct race_state {
    const unsigned char *begin[3];
    size_t size_bytes[3];
    size_t first[3]; /* word of each range's first byte */
    race_word *words;
    size_t n_words, mapped_bytes;
    uint32_t epoch;
};

HONE_HOST_PLAIN inline bool race_map(race_state &r)
{
    const size_t size = (r.n_words + 1) * sizeof(race_word);

    if (size <= r.mapped_bytes)
        return true;
    if (r.words)
        munmap(r.words, r.mapped_bytes);
    r.words = nullptr;
    r.mapped_bytes = 0;
    void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return false;
    r.words = static_cast<race_word *>(p);
    r.mapped_bytes = size;
    return true;
}

HONE_HOST_PLAIN inline bool race_prepare(worker &w, const fixed_memory &fixed)
{
    race_state *r = w.race;

    if (!r)
        r = w.race = new (std::nothrow) race_state();
    if (!r)
        return false;
    r->n_words = 0;
    for (int i = 0; i < 3; i++) {
        r->begin[i] = i < 2 ? fixed.begin[i] : w.dynamic;
        r->size_bytes[i] = i < 2 ? fixed.size_bytes[i] : w.of->in->shared_bytes;
        r->first[i] = r->n_words;
        r->n_words += (r->size_bytes[i] + RACE_WORD - 1) / RACE_WORD;
    }
    return race_map(*r);
}

inline void race_release(worker &w)
{
    if (w.race && w.race->words)
        munmap(w.race->words, w.race->mapped_bytes);
    delete w.race;
    w.race = nullptr;
}

/* Every access so far is over for all threads. */
HONE_HOST_PLAIN inline void race_at_barrier(worker &w)
{
    race_state &r = *w.race;

    if (++r.epoch == 0) {
        memset(r.words, 0, r.mapped_bytes);
        r.epoch = 1;
    }
}

HONE_HOST_PLAIN inline void race_begin_block(worker &w)
{
    race_at_barrier(w);
    for (unsigned i = 0; i < w.n_threads; i++) {
        memset(w.threads[i].clock, 0, sizeof(w.threads[i].clock));
        w.threads[i].clock[w.threads[i].lane] = 1;
    }
}

/* Each lane has seen what the others had seen; what they do from now on is
 * later. */
HONE_HOST_PLAIN inline void race_at_syncwarp(thread **lanes, unsigned arrived)
{
    unsigned seen[WARP] = {0};

    for (unsigned left = arrived; left; left &= left - 1) {
        const unsigned *clock = lanes[__builtin_ctz(left)]->clock;
        for (int i = 0; i < WARP; i++)
            seen[i] = clock[i] > seen[i] ? clock[i] : seen[i];
    }
    for (unsigned left = arrived; left; left &= left - 1) {
        thread *t = lanes[__builtin_ctz(left)];
        memcpy(t->clock, seen, sizeof(seen));
        t->clock[t->lane]++;
    }
}

/* Whether `a` may have happened at the same time as what `t` does now. */
HONE_HOST_PLAIN inline bool is_concurrent(const race_state &r,
                                          const race_access &a, const thread *t)
{
    if (a.epoch != r.epoch || a.thread == t->number)
        return false;
    return a.thread / WARP != t->number / WARP ||
           t->clock[a.thread % WARP] < a.clock;
}

[[noreturn]] __attribute__((noinline)) HONE_HOST_PLAIN inline void
report_race(thread *t, const race_access &mine, bool writes,
            const race_access &other, bool other_writes, size_t byte,
            bool dynamic)
{
    const thread *o = &here.at->threads[other.thread];
    source_line at, before;
    char place[100] = "";
    char where[64] = "static shared memory";

    find_line(mine.place, 2, at);
    find_line(other.place, 2, before);
    if (before.line > 0)
        snprintf(place, sizeof(place), " at %.70s:%d", base_name(before.file),
                 before.line);
    if (dynamic)
        snprintf(where, sizeof(where), "byte %zu of dynamic shared memory",
                 byte);
    fail_with(HONE_HOST_RACE, t, at.line > 0 ? at.file : nullptr, at.line,
              "%s %s, which thread (%u,%u,%u) %s%s, with no barrier between "
              "them",
              writes ? "writes" : "reads", where, o->index.x, o->index.y,
              o->index.z, other_writes ? "wrote" : "read", place);
}

/* One cell. A reader that comes after a kept read replaces it. */
HONE_HOST_PLAIN inline void race_cell_note(const race_state &r, race_cell &c,
                                           thread *t, const race_access &mine,
                                           bool writes, size_t byte,
                                           bool dynamic)
{
    if (is_concurrent(r, c.write, t))
        report_race(t, mine, writes, c.write, true, byte, dynamic);
    if (writes) {
        for (int i = 0; i < 2; i++) {
            if (is_concurrent(r, c.read[i], t))
                report_race(t, mine, true, c.read[i], false, byte, dynamic);
        }
        c.write = mine;
    } else if (!is_concurrent(r, c.read[0], t)) {
        c.read[0] = mine;
    } else if (!is_concurrent(r, c.read[1], t)) {
        c.read[1] = mine;
    }
}

/* `n` bytes from `byte` of one of the three ranges on. */
HONE_HOST_PLAIN inline void race_bytes(const race_state &r, int range,
                                       size_t byte, size_t n, thread *t,
                                       const race_access &mine, bool writes)
{
    const size_t end =
        n < r.size_bytes[range] - byte ? byte + n : r.size_bytes[range];

    while (byte < end) {
        race_word &word = r.words[r.first[range] + byte / RACE_WORD];
        const bool is_whole = byte % RACE_WORD == 0 && end - byte >= RACE_WORD;

        if (word.apart != r.epoch && !is_whole) {
            for (int i = 1; i < RACE_WORD; i++)
                word.byte[i] = word.byte[0];
            word.apart = r.epoch;
        }
        race_cell_note(r, word.byte[byte % RACE_WORD], t, mine, writes, byte,
                       range == 2);
        byte += word.apart != r.epoch ? RACE_WORD : 1;
    }
}

/* The object begins here; places are counted from it. */
extern "C" const char __ehdr_start __attribute__((visibility("hidden")));

HONE_HOST_PLAIN inline uint32_t place_of(const void *pc)
{
    return uint32_t(static_cast<const char *>(pc) - 1 - &__ehdr_start);
}

HONE_HOST_PLAIN inline void race_note(const void *p, size_t n, bool writes,
                                      const void *pc)
{
    worker *w = here.at;
    thread *t = here.self;

    if (!w || !t || !w->race)
        return;
    const race_state &r = *w->race;

    for (int i = 0; i < 3; i++) {
        const size_t offset =
            size_t(static_cast<const unsigned char *>(p) - r.begin[i]);
        if (offset >= r.size_bytes[i])
            continue;
        const unsigned depth = t->n_calls < MAX_CALLS ? t->n_calls : MAX_CALLS;
        race_access mine = {r.epoch,
                            t->clock[t->lane] & 0x3fffffu,
                            t->number & 1023u,
                            {place_of(pc), 0}};

        if (depth > 0)
            mine.place[1] = place_of(t->calls[depth - 1]);
        race_bytes(r, i, offset, n, t, mine, writes);
        return;
    }
}

__attribute__((noinline)) HONE_HOST_PLAIN inline void race_copy(void *to)
{
    race_note(to, 16, true, __builtin_return_address(0));
}

} /* namespace hone_host */

/* --- hooks: what code compiled with -fsanitize=thread calls -------------
 * They belong to this object alone. */

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
#define HONE_HOST_ACCESSES(way, n)                                             \
    HONE_HOST_ACCESS(__tsan_##way##read##n, n, false)                          \
    HONE_HOST_ACCESS(__tsan_##way##write##n, n, true)
#define HONE_HOST_SIZES(way)                                                   \
    HONE_HOST_ACCESSES(way, 2)                                                 \
    HONE_HOST_ACCESSES(way, 4)                                                 \
    HONE_HOST_ACCESSES(way, 8)                                                 \
    HONE_HOST_ACCESSES(way, 16)
HONE_HOST_ACCESSES(, 1)
HONE_HOST_ACCESSES(volatile_, 1)
HONE_HOST_SIZES()
HONE_HOST_SIZES(volatile_)
HONE_HOST_SIZES(unaligned_)
HONE_HOST_SIZES(unaligned_volatile_)
HONE_HOST_ACCESS(__tsan_vptr_read, 8, false)
#undef HONE_HOST_ACCESS
#undef HONE_HOST_ACCESSES
#undef HONE_HOST_SIZES

HONE_HOST_HOOK_FN(void, __tsan_vptr_update, (void **p, void *),
                  hone_host::race_note(p, sizeof(*p), true,
                                       __builtin_return_address(0)))
HONE_HOST_HOOK_FN(void, __tsan_read_range, (void *p, unsigned long n),
                  hone_host::race_note(p, n, false,
                                       __builtin_return_address(0)))
HONE_HOST_HOOK_FN(void, __tsan_write_range, (void *p, unsigned long n),
                  hone_host::race_note(p, n, true, __builtin_return_address(0)))
#define HONE_HOST_MOVE(name)                                                   \
    HONE_HOST_HOOK inline void *__tsan_##name(void *to, const void *from,      \
                                              unsigned long n)                 \
    {                                                                          \
        hone_host::race_note(from, n, false, __builtin_return_address(0));     \
        hone_host::race_note(to, n, true, __builtin_return_address(0));        \
        return __builtin_##name(to, from, n);                                  \
    }
HONE_HOST_MOVE(memcpy)
HONE_HOST_MOVE(memmove)
#undef HONE_HOST_MOVE
HONE_HOST_HOOK inline void *__tsan_memset(void *to, int byte, unsigned long n)
{
    hone_host::race_note(to, n, true, __builtin_return_address(0));
    return __builtin_memset(to, byte, n);
}

/* ---- atomics: done, not checked ----------------------------------------- */

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
#endif
