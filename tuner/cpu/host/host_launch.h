/* SPDX-License-Identifier: Apache-2.0 */
/* One launch: workers take blocks until none is left. Shared memory, static and
 * dynamic, is filled with 0xff before every block: what a kernel does not
 * write it reads as NaN. */
#ifndef HONE_TUNER_HOST_LAUNCH_H
#define HONE_TUNER_HOST_LAUNCH_H

#include <host_workers.h>
#include <sched.h>

/* The kernels of the object; HONE_HOST_KERNELS defines them, outside our
 * namespace, whose names a kernel may have too. */
extern const hone_host::kernel_entry hone_host_kernel_table[];
extern const char *const hone_host_kernel_names;

namespace hone_host
{

bool race_prepare(worker &w, const fixed_memory &fixed);
void race_begin_block(worker &w);

/* --- blocks ------------------------------------------------------------- */

inline void begin_block(worker &w, unsigned long long number)
{
    const hone_host_launch *in = w.of->in;
    const unsigned long long row = number / in->grid[0];

    here.block = {unsigned(number % in->grid[0]), unsigned(row % in->grid[1]),
                  unsigned(row / in->grid[1])};
    w.n_started = w.n_done = 0;
    w.ready = w.barrier.waiting = {};
    w.barrier.arrived = 0;
    for (unsigned i = 0; i * WARP < w.n_threads; i++) {
        const unsigned left = w.n_threads - i * WARP;
        w.warps[i].exists = left >= WARP ? ~0u : (1u << left) - 1;
        w.warps[i].done = 0;
        w.warps[i].n_open = 0;
    }
    if (in->shared_bytes > 0)
        memset(w.dynamic, 0xff, in->shared_bytes);
    for (const dynamic_pointer *p = dynamic_pointers; p; p = p->next)
        p->set(w.dynamic);
    race_begin_block(w);
}

/* After an error: the stacks of all who had not come to an end. */
inline void drop_threads(worker &w)
{
    for (unsigned i = 0; i < w.n_started; i++) {
        thread *t = &w.threads[i];
        if (t->on)
            give_stack(w, t);
    }
}

__attribute__((noinline)) HONE_HOST_PLAIN inline void
run_block(worker &w, unsigned long long number)
{
    begin_block(w, number);
    thread *first = begin_thread(w);

    if (!give_context(w, first))
        __atomic_store_n(&w.of->failed, -1, __ATOMIC_RELEASE);
    else {
        here.self = first;
        go(&w.home, &w.home_fake_stack, first->context, first->on->bottom,
           first->on->size_bytes, false);
    }
    if (w.of->failed) {
        drop_threads(w);
        return;
    }
    const unsigned char *bad = written_margin(w, w.of->in->shared_bytes);

    if (bad && is_first_error(w, HONE_HOST_BOUNDS)) {
        hone_host_report &r = *w.of->report;
        snprintf(r.text, sizeof(r.text),
                 "block (%u,%u,%u) wrote byte %lld of its %u bytes of "
                 "dynamic shared memory",
                 here.block.x, here.block.y, here.block.z,
                 static_cast<long long>(bad - w.dynamic),
                 w.of->in->shared_bytes);
    }
}

/* What each thread of the operating system does. */
inline void *work(void *data)
{
    launch &l = *static_cast<launch *>(data);
    worker *w = take_worker();

    if (!w || !prepare_dynamic(*w, l.in->shared_bytes)) {
        __atomic_store_n(&l.failed, -1, __ATOMIC_RELEASE);
        if (w)
            give_worker(w);
        return nullptr;
    }
    w->of = &l;
    w->n_threads = l.n_threads;
    w->home_bottom = nullptr;
    here.at = w;
    here.block_dim = dim3(l.in->block[0], l.in->block[1], l.in->block[2]);
    here.grid_dim = dim3(l.in->grid[0], l.in->grid[1], l.in->grid[2]);
    if (!find_fixed(w->fixed) && is_first_error(*w, HONE_HOST_MEMORY))
        snprintf(l.report->text, sizeof(l.report->text),
                 "static shared memory is not where this loader says");
    if (!race_prepare(*w, w->fixed))
        __atomic_store_n(&l.failed, -1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&l.failed, __ATOMIC_ACQUIRE)) {
        unsigned long long number =
            __atomic_fetch_add(&l.next_block, 1, __ATOMIC_RELAXED);
        if (number >= l.n_blocks)
            break;
        for (int i = 0; i < 2; i++) {
            if (w->fixed.size_bytes[i] > 0)
                memset(w->fixed.begin[i], 0xff, w->fixed.size_bytes[i]);
        }
        run_block(*w, number);
    }
    here.at = nullptr;
    give_worker(w);
    return nullptr;
}

/* --- the launch --------------------------------------------------------- */

/* The kernel of this name: its place in a text "one, two, three". */
inline const kernel_entry *find_kernel(const char *name)
{
    const size_t length = strlen(name);
    const kernel_entry *k = hone_host_kernel_table;

    for (const char *p = hone_host_kernel_names; *p; k++) {
        p += strspn(p, " \t\n");
        const size_t end = strcspn(p, ",");
        size_t own = end;
        while (own > 0 && strchr(" \t\n", p[own - 1]))
            own--;
        if (own == length && memcmp(p, name, length) == 0)
            return k;
        p += end;
        p += *p == ',';
    }
    return nullptr;
}

inline int param(const char *kernel, unsigned long index,
                 unsigned long *out_bytes)
{
    const kernel_entry *k = find_kernel(kernel);

    if (!k)
        return HONE_HOST_NO_KERNEL;
    for (const unsigned long *bytes = k->param_bytes; *bytes; bytes++) {
        if (!index--) {
            *out_bytes = *bytes;
            return HONE_HOST_OK;
        }
    }
    return HONE_HOST_NO_PARAM;
}

inline unsigned count_processors()
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    return unsigned(CPU_COUNT(&set));
}

inline void run_workers(launch &l)
{
    enum { MAX_WORKERS = 512 };
    pthread_t others[MAX_WORKERS];
    unsigned n =
        l.in->n_workers > 0 ? unsigned(l.in->n_workers) : count_processors();
    unsigned started = 0;

#ifdef HONE_HOST_ASAN
    n = 1;
#endif
    if (n > MAX_WORKERS)
        n = MAX_WORKERS;
    if (n > l.n_blocks)
        n = unsigned(l.n_blocks);
    while (started + 1 < n &&
           pthread_create(&others[started], nullptr, work, &l) == 0)
        started++;
    work(&l);
    while (started > 0)
        pthread_join(others[--started], nullptr);
}

inline int run(const hone_host_launch *in, hone_host_report *report)
{
    launch l = {};

    *report = {};
    l.in = in;
    l.report = report;
    l.kernel = find_kernel(in->kernel);
    l.n_threads = in->block[0] * in->block[1] * in->block[2];
    l.n_blocks = 1ull * in->grid[0] * in->grid[1] * in->grid[2];
    if (!l.kernel) {
        report->kind = HONE_HOST_NO_KERNEL;
        snprintf(report->text, sizeof(report->text),
                 "this object has no kernel '%.100s'; it has: %.150s",
                 in->kernel, hone_host_kernel_names);
        return report->kind;
    }
    if (l.n_threads == 0 || l.n_threads > MAX_THREADS || l.n_blocks == 0) {
        report->kind = HONE_HOST_MEMORY;
        snprintf(report->text, sizeof(report->text),
                 "a launch of %llu blocks of %u threads; a block has 1 to "
                 "%d threads",
                 l.n_blocks, l.n_threads, int(MAX_THREADS));
        return report->kind;
    }
    run_workers(l);
    if (l.failed < 0) {
        report->kind = HONE_HOST_MEMORY;
        snprintf(report->text, sizeof(report->text),
                 "no memory for the stacks and %u bytes of shared memory of "
                 "a block of %u threads",
                 in->shared_bytes, l.n_threads);
    }
    return report->kind;
}

/* Dynamic shared memory of the running block. */
template <typename T> inline T *dynamic_shared()
{
    return reinterpret_cast<T *>(here.at->dynamic);
}

} /* namespace hone_host */

/* `extern __shared__ T NAME[];` outside of functions. */
#define HONE_HOST_DYNAMIC(name, ...)                                           \
    static thread_local __VA_ARGS__ *name;                                     \
    static const hone_host::dynamic_pointer name##_is_dynamic(                 \
        [](unsigned char *dynamic) HONE_HOST_PLAIN {                           \
            name = reinterpret_cast<__VA_ARGS__ *>(dynamic);                   \
        });

/* After the kernels: makes them launchable by name. */
#define HONE_HOST_KERNELS(...)                                                 \
    const hone_host::kernel_entry hone_host_kernel_table[] = {__VA_ARGS__};    \
    const char *const hone_host_kernel_names = #__VA_ARGS__;                   \
    extern "C" __attribute__((visibility("default"))) int hone_host_run(       \
        const hone_host_launch *in, hone_host_report *report)                  \
    {                                                                          \
        return hone_host::run(in, report);                                     \
    }                                                                          \
    extern "C" __attribute__((visibility("default"))) int hone_host_param(     \
        const char *kernel, unsigned long index, unsigned long *out_bytes)     \
    {                                                                          \
        return hone_host::param(kernel, index, out_bytes);                     \
    }

/* After the kernels: constant memory that can be found by name. */
namespace hone_host
{
struct constant_entry {
    const char *name;
    void *at;
    unsigned long size_bytes;
};
} /* namespace hone_host */

#define HONE_HOST_CONSTANT(name) {#name, (void *)&::name, sizeof(::name)},
#define HONE_HOST_CONSTANTS(...)                                               \
    extern "C" __attribute__((visibility("default"))) void *                   \
    hone_host_constant(const char *name, unsigned long *out_bytes)             \
    {                                                                          \
        static const hone_host::constant_entry table[] = {__VA_ARGS__};        \
                                                                               \
        for (const hone_host::constant_entry &entry : table) {                 \
            if (strcmp(entry.name, name) != 0)                                 \
                continue;                                                      \
            *out_bytes = entry.size_bytes;                                     \
            return entry.at;                                                   \
        }                                                                      \
        return nullptr;                                                        \
    }

#endif
