/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of fibers, and how one hands the thread of the operating system to
 * another. */
#ifndef HONE_TUNER_HOST_SWITCH_H
#define HONE_TUNER_HOST_SWITCH_H

#include <host_state.h>
#include <sys/mman.h>
#include <unistd.h>

/* Elsewhere, or when asked for, the C library switches: much slower. */
#if defined(__x86_64__) && !defined(HONE_HOST_UCONTEXT)
#define HONE_HOST_OWN_SWITCH 1
#else
#include <ucontext.h>
#endif

#ifdef HONE_HOST_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* --- switching ---------------------------------------------------------- */

#ifdef HONE_HOST_OWN_SWITCH
/* Saves what a callee must keep on the old stack, whose pointer goes to
 * *from, and goes on where `to` was saved. */
extern "C" __attribute__((visibility("hidden"))) void
hone_host_switch(void **from, void *to);
asm(".pushsection .text\n"
    ".globl hone_host_switch\n"
    ".hidden hone_host_switch\n"
    ".type hone_host_switch, @function\n"
    "hone_host_switch:\n"
    "    pushq %rbp\n"
    "    pushq %rbx\n"
    "    pushq %r12\n"
    "    pushq %r13\n"
    "    pushq %r14\n"
    "    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n"
    "    popq %r14\n"
    "    popq %r13\n"
    "    popq %r12\n"
    "    popq %rbx\n"
    "    popq %rbp\n"
    "    ret\n"
    ".size hone_host_switch, . - hone_host_switch\n"
    ".popsection\n");
#endif

namespace hone_host
{

enum {
    STACK_BYTES = 64 * 1024,
    GUARD_BYTES = 4096,
    STACKS_OF_CHUNK = 32,
    CHUNK_BYTES = STACKS_OF_CHUNK * (STACK_BYTES + GUARD_BYTES) + GUARD_BYTES,
    COLORS = 16, /* stacks start at different cache lines */
    COLOR_BYTES = 320
};

#ifdef HONE_HOST_OWN_SWITCH
/* A context that calls `entry` on `s`; the caller's frame is null, which
 * ends every backtrace. */
inline void *new_context(stack *s, void (*entry)(), unsigned color)
{
    uintptr_t top = reinterpret_cast<uintptr_t>(s->bottom) + s->size_bytes;
    void **at = reinterpret_cast<void **>((top - color) & ~uintptr_t(63));

    *--at = nullptr; /* where entry would return to */
    *--at = reinterpret_cast<void *>(entry);
    for (int i = 0; i < 6; i++)
        *--at = nullptr;
    return at;
}

inline void swap_context(void **from, void *to)
{
    hone_host_switch(from, to);
}
#else
/* The context lies in the frame that waits, or on top of a fresh stack. */
inline void *new_context(stack *s, void (*entry)(), unsigned color)
{
    unsigned char *top = s->bottom + s->size_bytes - color;
    ucontext_t *c = reinterpret_cast<ucontext_t *>(
        reinterpret_cast<uintptr_t>(top - sizeof(ucontext_t)) & ~uintptr_t(63));

    getcontext(c);
    c->uc_stack.ss_sp = s->bottom;
    c->uc_stack.ss_size =
        size_t(reinterpret_cast<unsigned char *>(c) - s->bottom);
    c->uc_link = nullptr;
    makecontext(c, entry, 0);
    return c;
}

inline void swap_context(void **from, void *to)
{
    ucontext_t mine;

    *from = &mine;
    swapcontext(&mine, static_cast<ucontext_t *>(to));
}
#endif

/* Leaves `from` (a context and AddressSanitizer's word of it) for `to`.
 * `ends`: nobody comes back. */
inline void go(void **from, [[maybe_unused]] void **from_fake, void *to,
               [[maybe_unused]] const void *bottom,
               [[maybe_unused]] size_t size_bytes, [[maybe_unused]] bool ends)
{
#ifdef HONE_HOST_ASAN
    __sanitizer_start_switch_fiber(ends ? nullptr : from_fake, bottom,
                                   size_bytes);
#endif
    swap_context(from, to);
    asm volatile("" : : : "memory");
#ifdef HONE_HOST_ASAN
    __sanitizer_finish_switch_fiber(*from_fake, nullptr, nullptr);
#endif
}

/* --- stacks ------------------------------------------------------------- */

/* A chunk holds its stacks and, at its end, their descriptions. Each stack
 * lies above a page that nobody may touch. Chunks live as long as their
 * worker, which lives as long as the object is loaded. */
inline bool more_stacks(worker &w)
{
    const size_t each = STACK_BYTES + GUARD_BYTES;
    void *p = mmap(nullptr, CHUNK_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        return false;
    w.chunks[w.n_chunks++] = p;
    unsigned char *chunk = static_cast<unsigned char *>(p);
    stack *s = reinterpret_cast<stack *>(chunk + STACKS_OF_CHUNK * each);

    for (int i = STACKS_OF_CHUNK - 1; i >= 0; i--) {
        /* Without the guard (too many mappings) the stack serves as well. */
        (void)mprotect(chunk + i * each, GUARD_BYTES, PROT_NONE);
        s[i].bottom = chunk + i * each + GUARD_BYTES;
        s[i].size_bytes = STACK_BYTES;
        s[i].next = w.free_stacks;
        w.free_stacks = &s[i];
    }
    return true;
}

inline void give_stack(worker &w, thread *t)
{
    t->on->next = w.free_stacks;
    w.free_stacks = t->on;
    t->on = nullptr;
}

} /* namespace hone_host */

#endif
