/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers of a block and operations of a warp. In a warp operation every
 * lane of the mask leaves its arguments and waits; the last one to arrive
 * computes the results of all. Lanes that a block does not have are left out
 * of every mask; a lane that has left the kernel is an error, except in
 * barriers and votes, which do not ask it for a value. A value that is read
 * from a lane outside the mask has all bits set (NaN). */
#ifndef HONE_TUNER_HOST_WARP_H
#define HONE_TUNER_HOST_WARP_H

#include <host_fibers.h>

namespace hone_host
{

void race_at_barrier(worker &w);
void race_at_syncwarp(thread **lanes, unsigned arrived);

/* --- the block ---------------------------------------------------------- */

/* A name that the compiler wrote here: mostly the same object, and a sanitizer
 * makes every strcmp() a slow one. */
HONE_HOST_PLAIN inline bool same_name(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

/* How many threads of the block came with `vote` set. */
__attribute__((noinline)) HONE_HOST_PLAIN inline unsigned
meet_block(bool vote, const char *name, const char *file, int line)
{
    worker &w = *here.at;
    block_barrier &b = w.barrier;

    if (b.arrived == 0) {
        b.name = name;
        b.file = file;
        b.line = line;
        b.votes = 0;
    } else if (b.line != line || !same_name(b.name, name) ||
               !same_name(b.file, file)) {
        const thread *t = b.waiting.first;
        fail_with(HONE_HOST_BARRIER, here.self, file, line,
                  "arrives at %s, but thread (%u,%u,%u) waits in %s at "
                  "%s:%d",
                  name, t->index.x, t->index.y, t->index.z, b.name,
                  base_name(b.file), b.line);
    }
    b.votes += vote;
    if (++b.arrived < w.n_threads) {
        append(b.waiting, here.self);
        suspend(name, file, line);
    } else {
        b.arrived = 0;
        b.result = b.votes;
        race_at_barrier(w);
        append_all(w.ready, b.waiting);
    }
    return b.result;
}

/* --- the warp ----------------------------------------------------------- */

inline void finish_meeting(worker &w, warp &of, int place, const thread *me)
{
    const meeting m = of.open[place];

    of.open[place] = of.open[--of.n_open];
    m.finish(of.lanes, m.arrived);
    for (unsigned left = m.arrived; left; left &= left - 1) {
        thread *t = of.lanes[__builtin_ctz(left)];
        if (t != me)
            append(w.ready, t);
    }
}

/* Meets the lanes of `mask`; what `finish` reads and writes is `args`. With
 * `lenient`, lanes that have left the kernel count as arrived. */
__attribute__((noinline)) HONE_HOST_PLAIN inline void
meet_warp(unsigned mask, bool lenient, void *args,
          void (*finish)(thread **lanes, unsigned arrived), const char *name,
          const char *file, int line)
{
    thread *t = here.self;
    warp &of = *t->of;
    const unsigned me = 1u << t->lane;
    const unsigned needed =
        lenient ? mask & of.exists & ~of.done : mask & of.exists;

    if (!(mask & me))
        fail_with(HONE_HOST_DIVERGENCE, t, file, line,
                  "calls %s with mask 0x%08x, which lacks its own lane %u",
                  name, mask, t->lane);
    if (needed & of.done)
        fail_with(HONE_HOST_DIVERGENCE, t, file, line,
                  "calls %s with mask 0x%08x, but lane %u left the kernel",
                  name, mask, unsigned(__builtin_ctz(needed & of.done)));
    t->args = args;
    int place = 0;

    for (; place < of.n_open; place++) {
        meeting &m = of.open[place];
        if (m.mask == (mask & of.exists) && m.finish == finish)
            break;
        /* Somebody this lane is to wait for waits for this lane. */
        if (!(m.mask & me) || !(m.arrived & needed))
            continue;
        const thread *other = of.lanes[__builtin_ctz(m.arrived & needed)];
        fail_with(HONE_HOST_DIVERGENCE, t, file, line,
                  "calls %s with mask 0x%08x, but lane %u waits in %s with "
                  "mask 0x%08x at %s:%d",
                  name, mask, other->lane, m.name, m.mask,
                  base_name(other->file), other->line);
    }
    if (place == of.n_open)
        of.open[of.n_open++] = {mask & of.exists, 0, finish, name};
    of.open[place].arrived |= me;
    if (of.open[place].arrived == needed)
        finish_meeting(*here.at, of, place, t);
    else
        suspend(name, file, line);
}

/* What a lane brings and gets. */
struct gathered {
    uint64_t value, result;
};

/* Of the first of these lanes. */
inline gathered &gathered_of(thread **lanes, unsigned mask)
{
    return *static_cast<gathered *>(lanes[__builtin_ctz(mask)]->args);
}

inline void finish_ballot(thread **lanes, unsigned arrived)
{
    unsigned set = 0;

    for (unsigned left = arrived; left; left &= left - 1)
        set |= gathered_of(lanes, left).value ? left & -left : 0;
    for (unsigned left = arrived; left; left &= left - 1)
        gathered_of(lanes, left).result = set;
}

/* A thread has returned from the kernel. */
HONE_HOST_PLAIN inline void end_thread(worker &w, thread *t)
{
    warp &of = *t->of;
    const unsigned me = 1u << t->lane;

    w.n_done++;
    of.done |= me;
    for (int i = of.n_open - 1; i >= 0; i--) {
        const meeting &m = of.open[i];
        const bool lenient =
            m.finish == finish_ballot || m.finish == race_at_syncwarp;
        if (!(m.mask & me))
            continue;
        if (!lenient) {
            const thread *first = of.lanes[__builtin_ctz(m.arrived)];
            fail_with(HONE_HOST_DIVERGENCE, first, first->file, first->line,
                      "waits in %s with mask 0x%08x, but lane %u left the "
                      "kernel",
                      m.name, m.mask, t->lane);
        }
        if (m.arrived == (m.mask & ~of.done))
            finish_meeting(w, of, i, nullptr);
    }
}

inline unsigned ballot(unsigned mask, bool set, const char *name,
                       const char *file, int line)
{
    gathered g = {set, 0};

    meet_warp(mask, true, &g, finish_ballot, name, file, line);
    return unsigned(g.result);
}

/* --- values from lane to lane ------------------------------------------- */

struct shuffle {
    uint64_t value, result;
    unsigned source; /* a lane, or WARP: a lane that does not exist */
};

inline void finish_shuffle(thread **lanes, unsigned arrived)
{
    for (unsigned left = arrived; left; left &= left - 1) {
        shuffle *s = static_cast<shuffle *>(lanes[__builtin_ctz(left)]->args);
        s->result = ~uint64_t(0);
        if (arrived >> s->source & 1)
            s->result = static_cast<shuffle *>(lanes[s->source]->args)->value;
    }
}

/* Values of 1 to 8 bytes, padded with zeros. */
template <typename T> inline uint64_t to_bits(const T &v)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;

    __builtin_memcpy(&bits, &v, sizeof(T));
    return bits;
}

template <typename T> inline T from_bits(uint64_t bits)
{
    T v;

    __builtin_memcpy(&v, &bits, sizeof(T));
    return v;
}

template <typename T>
inline T shuffle_from(unsigned mask, T v, unsigned source, const char *name,
                      const char *file, int line)
{
    shuffle s = {to_bits(v), 0, source};

    meet_warp(mask, false, &s, finish_shuffle, name, file, line);
    return from_bits<T>(s.result);
}

/* --- all lanes into one value ------------------------------------------- */

template <typename T, typename OP>
void finish_reduce(thread **lanes, unsigned arrived)
{
    T sum = from_bits<T>(gathered_of(lanes, arrived).value);

    for (unsigned left = arrived & (arrived - 1); left; left &= left - 1)
        sum = OP::of(sum, from_bits<T>(gathered_of(lanes, left).value));
    for (unsigned left = arrived; left; left &= left - 1)
        gathered_of(lanes, left).result = to_bits(sum);
}

inline void finish_match(thread **lanes, unsigned arrived)
{
    for (unsigned left = arrived; left; left &= left - 1) {
        gathered &mine = gathered_of(lanes, left);
        mine.result = 0;
        for (unsigned rest = arrived; rest; rest &= rest - 1) {
            if (gathered_of(lanes, rest).value == mine.value)
                mine.result |= rest & -rest;
        }
    }
}

template <typename T>
inline T meet_values(unsigned mask, T v, void (*finish)(thread **, unsigned),
                     const char *name, const char *file, int line)
{
    gathered g = {to_bits(v), 0};

    meet_warp(mask, false, &g, finish, name, file, line);
    return from_bits<T>(g.result);
}

#define HONE_HOST_OP(name, expression)                                         \
    struct name {                                                              \
        template <typename T> static T of(T a, T b)                            \
        {                                                                      \
            return expression;                                                 \
        }                                                                      \
    };
HONE_HOST_OP(op_add, T(unsigned(a) + unsigned(b)))
HONE_HOST_OP(op_min, b < a ? b : a)
HONE_HOST_OP(op_max, b > a ? b : a)
HONE_HOST_OP(op_and, a &b)
HONE_HOST_OP(op_or, a | b)
HONE_HOST_OP(op_xor, a ^ b)
#undef HONE_HOST_OP

} /* namespace hone_host */

/* --- CUDA's names ------------------------------------------------------- */

HONE_HOST_FN(void, __syncthreads, (HONE_HOST_AT),
             void(hone_host::meet_block(false, "__syncthreads()", file, line)))
HONE_HOST_FN(int, __syncthreads_count, (int p, HONE_HOST_AT),
             int(hone_host::meet_block(p != 0, "__syncthreads_count()", file,
                                       line)))
HONE_HOST_FN(int, __syncthreads_and, (int p, HONE_HOST_AT),
             hone_host::meet_block(p != 0, "__syncthreads_and()", file, line) ==
                 hone_host::here.at->n_threads)
HONE_HOST_FN(int, __syncthreads_or, (int p, HONE_HOST_AT),
             hone_host::meet_block(p != 0, "__syncthreads_or()", file, line) !=
                 0)

HONE_HOST_FN(void, __syncwarp, (unsigned mask = 0xffffffffu, HONE_HOST_AT),
             hone_host::meet_warp(mask, true, nullptr,
                                  hone_host::race_at_syncwarp, "__syncwarp()",
                                  file, line))
HONE_HOST_FN(unsigned, __ballot_sync, (unsigned mask, int p, HONE_HOST_AT),
             hone_host::ballot(mask, p != 0, "__ballot_sync()", file, line))
HONE_HOST_FN(int, __any_sync, (unsigned mask, int p, HONE_HOST_AT),
             hone_host::ballot(mask, p != 0, "__any_sync()", file, line) != 0)
HONE_HOST_FN(int, __all_sync, (unsigned mask, int p, HONE_HOST_AT),
             hone_host::ballot(mask, p == 0, "__all_sync()", file, line) == 0)
inline int __uni_sync(unsigned mask, int p, HONE_HOST_AT)
{
    const unsigned set =
        hone_host::ballot(mask, p != 0, "__uni_sync()", file, line);

    return set == 0 || set == (mask & hone_host::here.self->of->exists);
}

/* Lanes may run one by one at any moment: only the caller is sure to be
 * active, and code that expects more is wrong on a GPU too. */
HONE_HOST_FN(unsigned, __activemask, (), 1u << hone_host::here.self->lane)

/* From which lane: `by` is the lane's argument, and its group of `width` lanes
 * begins at `first` and ends before `end`. */
#define HONE_HOST_SHUFFLE(name, D, source)                                     \
    template <typename T>                                                      \
    inline T name(unsigned mask, T v, D by, int width = 32, HONE_HOST_AT)      \
    {                                                                          \
        const unsigned lane = hone_host::here.self->lane;                      \
        const unsigned first = lane & ~(unsigned(width) - 1);                  \
        const unsigned end = first + unsigned(width);                          \
        (void)end;                                                             \
        return hone_host::shuffle_from(mask, v, source, #name "()", file,      \
                                       line);                                  \
    }
HONE_HOST_SHUFFLE(__shfl_sync, int, first + (unsigned(by) & (end - first - 1)))
HONE_HOST_SHUFFLE(__shfl_up_sync, unsigned,
                  lane - first < by ? lane : lane - by)
HONE_HOST_SHUFFLE(__shfl_down_sync, unsigned,
                  by > end - 1 - lane ? lane : lane + by)
/* Earlier groups may be read, later ones not. */
HONE_HOST_SHUFFLE(__shfl_xor_sync, int,
                  (lane ^ unsigned(by)) < end ? lane ^ unsigned(by) : lane)
#undef HONE_HOST_SHUFFLE

template <typename T>
HONE_HOST_FN(unsigned, __match_any_sync, (unsigned mask, T v, HONE_HOST_AT),
             unsigned(hone_host::meet_values(mask, hone_host::to_bits(v),
                                             hone_host::finish_match,
                                             "__match_any_sync()", file, line)))
template <typename T>
inline unsigned __match_all_sync(unsigned mask, T v, int *all, HONE_HOST_AT)
{
    const unsigned same = unsigned(hone_host::meet_values(
        mask, hone_host::to_bits(v), hone_host::finish_match,
        "__match_all_sync()", file, line));
    const unsigned needed = mask & hone_host::here.self->of->exists;

    *all = same == needed;
    return same == needed ? mask : 0;
}

#define HONE_HOST_REDUCE(name, op, T)                                          \
    inline T name(unsigned mask, T v, HONE_HOST_AT)                            \
    {                                                                          \
        return hone_host::meet_values(                                         \
            mask, v, hone_host::finish_reduce<T, hone_host::op>, #name "()",   \
            file, line);                                                       \
    }
HONE_HOST_REDUCE(__reduce_add_sync, op_add, unsigned)
HONE_HOST_REDUCE(__reduce_add_sync, op_add, int)
HONE_HOST_REDUCE(__reduce_min_sync, op_min, unsigned)
HONE_HOST_REDUCE(__reduce_min_sync, op_min, int)
HONE_HOST_REDUCE(__reduce_max_sync, op_max, unsigned)
HONE_HOST_REDUCE(__reduce_max_sync, op_max, int)
HONE_HOST_REDUCE(__reduce_and_sync, op_and, unsigned)
HONE_HOST_REDUCE(__reduce_or_sync, op_or, unsigned)
HONE_HOST_REDUCE(__reduce_xor_sync, op_xor, unsigned)
#undef HONE_HOST_REDUCE

#endif
