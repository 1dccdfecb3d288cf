/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch on the host is made of. A launch has workers (threads of the
 * operating system); a worker runs one block at a time; the threads of that
 * block are fibers of the worker. `here` is where the running code stands;
 * it is thread-local, and a block never changes its worker. */
#ifndef HONE_TUNER_HOST_STATE_H
#define HONE_TUNER_HOST_STATE_H

#include <host_abi.h>
#include <host_vectors.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define HONE_HOST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HONE_HOST_ASAN 1
#endif
#endif

/* Copies of copy16_async happen at the wait that asks for them. */
#ifndef HONE_HOST_DELAY_COPIES
#define HONE_HOST_DELAY_COPIES 1
#endif

/* The race build compiles with -fsanitize=thread, but what stands in these
 * headers is not a kernel's access. */
#if defined(HONE_HOST_RACE_BUILD) && defined(__clang__)
#define HONE_HOST_PLAIN __attribute__((disable_sanitizer_instrumentation))
#elif defined(HONE_HOST_RACE_BUILD)
#define HONE_HOST_PLAIN __attribute__((no_sanitize("thread")))
#else
#define HONE_HOST_PLAIN
#endif

/* Where a barrier or a warp operation was called. */
#define HONE_HOST_AT                                                           \
    const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace hone_host
{

enum { WARP = 32, MAX_THREADS = 1024, MAX_CALLS = 32 };

/* A kernel by name: how to call it with cuLaunchKernel's parameters. */
struct kernel_entry {
    void (*call)(void (*kernel)(), void *const *params);
    void (*kernel)();
    const unsigned long *param_bytes; /* up to a 0 */

    template <typename... A> struct caller {
        template <size_t... I> struct places {
        };
        template <size_t N, size_t... I>
        struct count : count<N - 1, N - 1, I...> {
        };
        template <size_t... I> struct count<0, I...> {
            static void call(void (*kernel)(), void *const *params)
            {
                (void)params;
                reinterpret_cast<void (*)(A...)>(kernel)(
                    *static_cast<A *>(params[I])...);
            }
        };
        static constexpr unsigned long bytes[] = {sizeof(A)..., 0};
    };

    template <typename... A>
    kernel_entry(void (*f)(A...))
        : call(caller<A...>::template count<sizeof...(A)>::call),
          kernel(reinterpret_cast<void (*)()>(f)),
          param_bytes(caller<A...>::bytes)
    {
    }
};

/* A stack of a fiber; `bottom` is its lowest usable byte. */
struct stack {
    unsigned char *bottom;
    size_t size_bytes;
    stack *next;
};

struct thread;

/* Lanes of a warp on their way into one operation. `finish` runs when the
 * last one has arrived and sees the arguments of all. */
struct meeting {
    unsigned mask, arrived;
    void (*finish)(thread **lanes, unsigned arrived);
    const char *name;
};

struct warp {
    thread *lanes[WARP];
    unsigned exists, done;
    int n_open;
    meeting open[WARP];
};

/* An asynchronous copy that has not happened yet. */
struct pending_copy {
    void *to;
    const void *from;
    unsigned group;
    int bytes;
};

struct copy_queue {
    pending_copy *copies;
    unsigned n_slots; /* a power of two */
    unsigned begin, end;
    unsigned group; /* number of the open group */
};

/* A thread of the block. */
struct thread {
    uint3 index;
    unsigned number, lane;
    warp *of;
    thread *next; /* in the list it waits in */
    stack *on;    /* null: not started, or gone */
    void *context;
    void *fake_stack;     /* AddressSanitizer's */
    void *args;           /* of the warp operation it waits in */
    const char *waits_in; /* null: it does not wait */
    const char *file;
    int line;
    unsigned fragment_moves; /* matrix loads and stores so far */
    copy_queue copies;
    /* Of the race build: what it has seen of the lanes of its warp, and the
     * calls it is in. */
    unsigned clock[WARP];
    const void *calls[MAX_CALLS];
    unsigned n_calls;
};

struct thread_list {
    thread *first, *last;
};

struct block_barrier {
    thread_list waiting;
    unsigned arrived;
    const char *name, *file;
    int line;
    unsigned votes;  /* of this round */
    unsigned result; /* votes of the round before */
};

struct launch {
    const hone_host_launch *in;
    const kernel_entry *kernel;
    unsigned long long n_blocks, next_block;
    unsigned n_threads;
    hone_host_report *report;
    int failed;
};

struct race_state;

/* Every static __shared__ object is thread-local: all lie in this object's
 * block of thread-local memory, with `here` somewhere between them. Only
 * AddressSanitizer, which does not watch such memory, gets them as ordinary
 * static objects and one worker. */
struct fixed_memory {
    unsigned char *begin[2];
    size_t size_bytes[2];
};

struct worker {
    launch *of;
    thread *threads;
    warp *warps;
    unsigned n_threads, n_started, n_done;
    thread_list ready;
    block_barrier barrier;
    void *home; /* context of the worker outside fibers */
    void *home_fake_stack;
    const void *home_bottom;
    size_t home_size_bytes;
    stack *free_stacks;
    void *chunks[MAX_THREADS / 32]; /* of 32 stacks each */
    int n_chunks;
    unsigned char *dynamic; /* dynamic shared memory of this launch */
    unsigned char *buffer;  /* what holds it */
    size_t buffer_bytes;
    fixed_memory fixed; /* static shared memory */
    race_state *race;
    worker *next; /* of the idle ones */
};

struct position {
    worker *at;
    thread *self;
    uint3 block;
    dim3 block_dim, grid_dim;
};

/* Not static: the compiler has to expect that a switch to another fiber
 * changes it. */
inline __attribute__((visibility("hidden"))) thread_local position here = {
    nullptr, nullptr, {0, 0, 0}, dim3(1, 1, 1), dim3(1, 1, 1)};

inline void append(thread_list &list, thread *t)
{
    t->next = nullptr;
    if (list.last)
        list.last->next = t;
    else
        list.first = t;
    list.last = t;
}

inline void append_all(thread_list &list, thread_list &more)
{
    if (!more.first)
        return;
    if (list.last)
        list.last->next = more.first;
    else
        list.first = more.first;
    list.last = more.last;
    more.first = more.last = nullptr;
}

inline thread *take_first(thread_list &list)
{
    thread *t = list.first;

    if (t) {
        list.first = t->next;
        if (!list.first)
            list.last = nullptr;
    }
    return t;
}

/* The launch ends with this error, unless another came first. `what` goes on
 * after "block (..), thread (..), file:line: ". Returns to the worker, never
 * to the kernel. `t` is whom the report names. */
[[noreturn]] void fail(int kind, const thread *t, const char *file, int line,
                       const char *what);

/* Give way until somebody puts this thread on the ready list. */
void suspend(const char *waits_in, const char *file, int line);

} /* namespace hone_host */

#endif
