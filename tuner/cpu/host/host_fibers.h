/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a block as fibers of one thread of the operating system. A
 * fiber runs until it waits; then the next ready one runs, or the next
 * thread of the block that has not begun. A thread that ends hands its stack
 * to the next one, so that a kernel that never waits needs one stack and no
 * switch. */
#ifndef HONE_TUNER_HOST_FIBERS_H
#define HONE_TUNER_HOST_FIBERS_H

#include <host_switch.h>
#include <stdarg.h>

namespace hone_host
{

/* --- starting and ending ------------------------------------------------ */

/* The next thread of the block that has not begun; there is one. */
inline thread *begin_thread(worker &w)
{
    const unsigned number = w.n_started++;
    const unsigned in_row = number % here.block_dim.x;
    const unsigned row = number / here.block_dim.x;
    thread *t = &w.threads[number];

    t->index = {in_row, row % here.block_dim.y, row / here.block_dim.y};
    t->waits_in = nullptr;
    t->fragment_moves = 0;
    t->n_calls = 0;
    t->copies.begin = t->copies.end = t->copies.group = 0;
    return t;
}

void end_thread(worker &w, thread *t);
[[noreturn]] void report_deadlock(worker &w);
[[noreturn]] void go_home(worker &w);
void fiber_main();

/* Makes `t`, which has begun, ready to run on a stack of its own. */
inline bool give_context(worker &w, thread *t)
{
    if (!w.free_stacks && !more_stacks(w))
        return false;
    stack *s = w.free_stacks;

    w.free_stacks = s->next;
#ifdef HONE_HOST_ASAN
    /* Frames that were left by a switch, not by a return, marked it. */
    ASAN_UNPOISON_MEMORY_REGION(s->bottom, s->size_bytes);
#endif
    t->on = s;
    t->fake_stack = nullptr;
    t->context = new_context(s, fiber_main, t->number % COLORS * COLOR_BYTES);
    return true;
}

inline thread *begin_with_context(worker &w)
{
    thread *t = begin_thread(w);

    if (!give_context(w, t))
        fail(HONE_HOST_MEMORY, t, nullptr, 0,
             "no memory for the stack of a thread; use fewer threads in a "
             "block, or fewer workers");
    return t;
}

/* Who runs now that the running fiber waits. */
inline thread *next_thread(worker &w)
{
    thread *t = take_first(w.ready);

    if (t)
        return t;
    if (w.n_started == w.n_threads)
        report_deadlock(w);
    return begin_with_context(w);
}

__attribute__((noinline)) HONE_HOST_PLAIN inline void
suspend(const char *waits_in, const char *file, int line)
{
    worker &w = *here.at;
    thread *t = here.self;

    t->waits_in = waits_in;
    t->file = file;
    t->line = line;
    thread *next = next_thread(w);

    if (next != t) {
        here.self = next;
        go(&t->context, &t->fake_stack, next->context, next->on->bottom,
           next->on->size_bytes, false);
    }
    t->waits_in = nullptr;
}

/* All other threads that can run do so first. */
HONE_HOST_PLAIN inline void give_way()
{
    worker &w = *here.at;

    if (w.n_started < w.n_threads)
        append(w.ready, begin_with_context(w));
    append(w.ready, here.self);
    suspend("__nanosleep()", "", 0);
}

/* What runs on a stack: one thread of the block after the other, as long as
 * no earlier one is ready to go on. */
__attribute__((noinline)) HONE_HOST_PLAIN inline void fiber_main()
{
    worker &w = *here.at;
    const kernel_entry *k = w.of->kernel;
    void *const *params = w.of->in->params;
#ifdef HONE_HOST_ASAN
    const void *bottom;
    size_t size_bytes;

    __sanitizer_finish_switch_fiber(nullptr, &bottom, &size_bytes);
    if (!w.home_bottom) {
        w.home_bottom = bottom;
        w.home_size_bytes = size_bytes;
    }
#endif
    for (;;) {
        thread *t = here.self;

        k->call(k->kernel, params);
        end_thread(w, t);
        thread *next = take_first(w.ready);

        if (!next && w.n_started < w.n_threads) {
            next = begin_thread(w);
            next->on = t->on;
            t->on = nullptr;
            here.self = next;
            continue;
        }
        if (!next && w.n_done < w.n_threads)
            report_deadlock(w);
        give_stack(w, t);
        if (!next)
            go_home(w);
        here.self = next;
        go(&t->context, &t->fake_stack, next->context, next->on->bottom,
           next->on->size_bytes, true);
    }
}

[[noreturn]] HONE_HOST_PLAIN inline void go_home(worker &w)
{
    void *nowhere;
    void *no_fake = nullptr;

    here.self = nullptr;
    go(&nowhere, &no_fake, w.home, w.home_bottom, w.home_size_bytes, true);
    __builtin_unreachable();
}

/* --- errors ------------------------------------------------------------- */

inline const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash ? slash + 1 : file;
}

/* Whether lines of this file are lines of a template. */
inline bool is_template_file(const char *file)
{
    const char *dot = strrchr(file, '.');

    return !dot || (strcmp(dot, ".cuh") != 0 && strcmp(dot, ".h") != 0);
}

/* Of several errors in a launch the first is reported, with its block. */
HONE_HOST_PLAIN inline bool is_first_error(const worker &w, int kind)
{
    hone_host_report &r = *w.of->report;

    if (__atomic_exchange_n(&w.of->failed, 1, __ATOMIC_ACQ_REL) != 0)
        return false;
    r.kind = kind;
    r.block[0] = here.block.x;
    r.block[1] = here.block.y;
    r.block[2] = here.block.z;
    return true;
}

[[noreturn]] __attribute__((noinline)) HONE_HOST_PLAIN inline void
fail(int kind, const thread *t, const char *file, int line, const char *what)
{
    worker &w = *here.at;
    hone_host_report &r = *w.of->report;

    if (is_first_error(w, kind)) {
        char place[96] = "";

        if (file && line > 0)
            snprintf(place, sizeof(place), ", %.70s:%d", base_name(file), line);
        r.thread[0] = t->index.x;
        r.thread[1] = t->index.y;
        r.thread[2] = t->index.z;
        r.line = file && is_template_file(file) ? line : 0;
        snprintf(r.text, sizeof(r.text),
                 "block (%u,%u,%u), thread (%u,%u,%u)%s: %s", here.block.x,
                 here.block.y, here.block.z, t->index.x, t->index.y, t->index.z,
                 place, what);
    }
    go_home(w);
}

/* As fail(), with the text from a format. */
[[noreturn]] __attribute__((noinline, format(printf, 5, 6)))
HONE_HOST_PLAIN inline void
fail_with(int kind, const thread *t, const char *file, int line,
          const char *format, ...)
{
    char what[256];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    fail(kind, t, file, line, what);
}

/* Nobody can go on, and not all are done: says who waits for whom. */
[[noreturn]] __attribute__((noinline)) HONE_HOST_PLAIN inline void
report_deadlock(worker &w)
{
    const thread *first = nullptr;

    for (unsigned i = 0; i < w.n_threads; i++) {
        const thread *t = &w.threads[i];
        if (!t->waits_in)
            continue;
        if (!first)
            first = t;
        for (int m = 0; m < t->of->n_open; m++) {
            const meeting &open = t->of->open[m];
            if (!(open.arrived >> t->lane & 1))
                continue;
            const unsigned missing = open.mask & ~open.arrived;
            const thread *other = t->of->lanes[__builtin_ctz(missing)];

            if (!other->waits_in)
                fail_with(HONE_HOST_DIVERGENCE, t, t->file, t->line,
                          "waits in %s with mask 0x%08x, but lane %u left "
                          "the kernel",
                          t->waits_in, open.mask, other->lane);
            fail_with(HONE_HOST_DIVERGENCE, t, t->file, t->line,
                      "waits in %s with mask 0x%08x, but lane %u waits in "
                      "%s at %s:%d",
                      t->waits_in, open.mask, other->lane, other->waits_in,
                      base_name(other->file), other->line);
        }
    }
    for (unsigned i = 0; i < w.n_threads; i++) {
        const thread *t = &w.threads[i];
        if (!t->waits_in)
            fail_with(HONE_HOST_BARRIER, first, first->file, first->line,
                      "waits in %s, but thread (%u,%u,%u) left the kernel "
                      "(%u of %u threads wait)",
                      first->waits_in, t->index.x, t->index.y, t->index.z,
                      w.n_threads - w.n_done, w.n_threads);
    }
    fail(HONE_HOST_BARRIER, first, first->file, first->line, "waits for ever");
}

} /* namespace hone_host */

#endif
