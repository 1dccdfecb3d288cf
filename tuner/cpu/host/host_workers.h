/* SPDX-License-Identifier: Apache-2.0 */
/* Workers, which run blocks: what they keep from launch to launch, stacks among
 * it, and the shared memory of the block that they run. */
#ifndef HONE_TUNER_HOST_WORKERS_H
#define HONE_TUNER_HOST_WORKERS_H

#include <host_warp.h>
#include <link.h>
#include <new>

namespace hone_host
{

void race_release(worker &w);

/* --- workers ------------------------------------------------------------ */

struct idle_workers {
    pthread_mutex_t lock;
    worker *first;
};
inline idle_workers idle = {PTHREAD_MUTEX_INITIALIZER, nullptr};

inline void free_worker(worker *w)
{
    for (unsigned i = 0; i < MAX_THREADS; i++)
        delete[] w->threads[i].copies.copies;
    race_release(*w);
    for (int i = 0; i < w->n_chunks; i++) {
#ifdef HONE_HOST_ASAN
        /* Its marks outlive the mapping, and the next object may be loaded
         * at this place. */
        ASAN_UNPOISON_MEMORY_REGION(w->chunks[i], CHUNK_BYTES);
#endif
        munmap(w->chunks[i], CHUNK_BYTES);
    }
    delete[] w->threads;
    delete[] w->warps;
    delete[] w->buffer;
    delete w;
}

inline worker *take_worker()
{
    pthread_mutex_lock(&idle.lock);
    worker *w = idle.first;
    if (w)
        idle.first = w->next;
    pthread_mutex_unlock(&idle.lock);
    if (w)
        return w;
    w = new (std::nothrow) worker();
    if (!w)
        return nullptr;
    w->threads = new (std::nothrow) thread[MAX_THREADS]();
    w->warps = new (std::nothrow) warp[MAX_THREADS / WARP]();
    if (!w->threads || !w->warps) {
        delete[] w->threads;
        delete[] w->warps;
        delete w;
        return nullptr;
    }
    for (unsigned i = 0; i < MAX_THREADS; i++) {
        thread &t = w->threads[i];
        t.number = i;
        t.lane = i % WARP;
        t.of = &w->warps[i / WARP];
        t.of->lanes[t.lane] = &t;
    }
    return w;
}

inline void give_worker(worker *w)
{
    pthread_mutex_lock(&idle.lock);
    w->next = idle.first;
    idle.first = w;
    pthread_mutex_unlock(&idle.lock);
}

__attribute__((destructor)) static void free_idle_workers()
{
    while (idle.first) {
        worker *w = idle.first;
        idle.first = w->next;
        free_worker(w);
    }
}

/* --- dynamic shared memory ---------------------------------------------- */

enum { MARGIN = 128, MARGIN_BYTE = 0xa5 };

/* Between two margins that are checked after every block; those and what is
 * left of the buffer nobody may touch when AddressSanitizer watches. */
inline bool prepare_dynamic(worker &w, size_t size)
{
    if (w.buffer_bytes < size + 3 * MARGIN) {
        delete[] w.buffer;
        w.buffer_bytes = size + 3 * MARGIN;
        w.buffer = new (std::nothrow) unsigned char[w.buffer_bytes];
        if (!w.buffer) {
            w.buffer_bytes = 0;
            return false;
        }
    }
    uintptr_t at = reinterpret_cast<uintptr_t>(w.buffer + 2 * MARGIN - 1);

    w.dynamic = reinterpret_cast<unsigned char *>(at & ~uintptr_t(MARGIN - 1));
#ifdef HONE_HOST_ASAN
    ASAN_POISON_MEMORY_REGION(w.buffer, w.buffer_bytes);
    ASAN_UNPOISON_MEMORY_REGION(w.dynamic, size);
#else
    memset(w.dynamic - MARGIN, MARGIN_BYTE, MARGIN);
    memset(w.dynamic + size, MARGIN_BYTE, MARGIN);
#endif
    return true;
}

/* First byte of a margin that a kernel wrote, or null. */
inline const unsigned char *written_margin([[maybe_unused]] const worker &w,
                                           [[maybe_unused]] size_t size)
{
#ifndef HONE_HOST_ASAN
    for (int i = 0; i < MARGIN; i++) {
        if (w.dynamic[size + size_t(i)] != MARGIN_BYTE)
            return w.dynamic + size + i;
        if (w.dynamic[-1 - i] != MARGIN_BYTE)
            return w.dynamic - 1 - i;
    }
#endif
    return nullptr;
}

/* A pointer at namespace scope to dynamic shared memory, one for each thread of
 * the operating system: set before every block. */
struct dynamic_pointer {
    void (*set)(unsigned char *dynamic);
    const dynamic_pointer *next;

    explicit dynamic_pointer(void (*setter)(unsigned char *));
};
inline const dynamic_pointer *dynamic_pointers = nullptr;

inline dynamic_pointer::dynamic_pointer(void (*setter)(unsigned char *))
    : set(setter), next(dynamic_pointers)
{
    dynamic_pointers = this;
}

/* --- static shared memory ----------------------------------------------- */

/* A thread's block of thread-local memory is asked for by the number of the
 * object. What dl_iterate_phdr() says of it, dlpi_tls_data, is null in threads
 * from before the object was loaded, if the loader found room beside theirs, as
 * it does for descriptors (-mtls-dialect=gnu2). The function is the loader's: a
 * program without one cannot have such an object. */
struct tls_index {
    unsigned long module, offset;
};
extern "C" void *__tls_get_addr(tls_index *);

struct tls_part {
    tls_index index;
    size_t size_bytes;
};

inline int find_tls_part(struct dl_phdr_info *info, size_t, void *data)
{
    tls_part *out = static_cast<tls_part *>(data);
    const uintptr_t at =
        reinterpret_cast<uintptr_t>(&find_tls_part) - info->dlpi_addr;
    size_t size = 0;
    bool is_ours = false;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &part = info->dlpi_phdr[i];

        if (part.p_type == PT_TLS)
            size = part.p_memsz;
        is_ours |= part.p_type == PT_LOAD && at - part.p_vaddr < part.p_memsz;
    }
    if (is_ours)
        *out = {{info->dlpi_tls_modid, 0}, size};
    return is_ours;
}

/* Asked for outside of dl_iterate_phdr(), which holds a lock of the loader's.
 * False: it is not where `here` is, as where loaders count from elsewhere. */
inline bool find_fixed(fixed_memory &out)
{
    unsigned char *mine = reinterpret_cast<unsigned char *>(&here);
    unsigned char *after = mine + sizeof(here);
    tls_part part = {};

    if (!dl_iterate_phdr(find_tls_part, &part))
        return false;
    unsigned char *block =
        static_cast<unsigned char *>(__tls_get_addr(&part.index));

    if (mine < block || after > block + part.size_bytes)
        return false;
    out = {{block, after},
           {size_t(mine - block), size_t(block + part.size_bytes - after)}};
    return true;
}

} /* namespace hone_host */

#endif
