/* SPDX-License-Identifier: Apache-2.0 */
/* RTLD_NEXT does not do: a program may have loaded the library with RTLD_LOCAL,
 * and there may be several of them in a process (versions 12 and 13). Taken is
 * the one that a look-up in the calling object and in what it needs leads to:
 * what the program would have called. It is asked once for each place that
 * calls. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr, RTLD_NEXT, dladdr */
#endif
#include "blas/real.h"

#include "runtime/base/alloc.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8, PATH = 1024, SITES = 1024 /* a power of two */ };

/* One of the two libraries: how it is called, what is wanted of it. */
typedef struct library_kind {
    const char *prefix; /* of the file's name */
    const char *probe;  /* a function that every version has */
    const char *symbols;
    size_t table_bytes;
} library_kind;

typedef struct loaded {
    char path[PATH];
    const void *base; /* where it is; NULL: it cannot be used */
    void *table;
} loaded;

/* Who called, and what for; `table` is there before `caller`. */
typedef struct site {
    _Atomic(const void *) caller;
    const void *table;
} site;

typedef struct found {
    const library_kind *kind;
    pthread_mutex_t lock; /* for all that is written */
    size_t n;
    loaded of[MOST];
    site sites[SITES];
} found;

/* In the order of hone_real and hone_real_lt. */
#define MET_NAME(id, symbol, form, INT, type, compute)                         \
    HONE_LIBRARY_OPTIONAL_NAME(symbol)
static const char blas_symbols[] =
    HONE_MET_MAP(MET_NAME) HONE_LIBRARY_OPTIONAL_NAME(cublasGetStream_v2)
        HONE_LIBRARY_OPTIONAL_NAME(cublasGetPointerMode_v2)
            HONE_LIBRARY_OPTIONAL_NAME(cublasGetMathMode);
static const char lt_symbols[] = HONE_LIBRARY_OPTIONAL_NAME(cublasLtMatmul)
    HONE_LIBRARY_OPTIONAL_NAME(cublasLtMatmulDescGetAttribute)
        HONE_LIBRARY_OPTIONAL_NAME(cublasLtMatrixLayoutGetAttribute)
            HONE_LIBRARY_OPTIONAL_NAME(cublasLtGetVersion);
static const library_kind blas_kind = {"libcublas.so", "cublasCreate_v2",
                                       blas_symbols, sizeof(hone_real)};
static const library_kind lt_kind = {"libcublasLt.so", "cublasLtCreate",
                                     lt_symbols, sizeof(hone_real_lt)};

/* A name that is new goes behind those that are known. */
static int note_library(struct dl_phdr_info *info, size_t size, void *user)
{
    found *f = user;
    const char *path = info->dlpi_name;
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    (void)size;
    if (f->n == MOST || strlen(path) >= PATH ||
        strncmp(name, f->kind->prefix, strlen(f->kind->prefix)) != 0)
        return 0;
    for (size_t i = 0; i < f->n; ++i)
        if (strcmp(f->of[i].path, path) == 0)
            return 0;
    strcpy(f->of[f->n++].path, path);
    return 0;
}

static const void *base_of(const void *code)
{
    Dl_info info;

    return code && dladdr(code, &info) ? info.dli_fbase : NULL;
}

/* Lock held. */
static void look_for_new(found *f)
{
    const size_t known = f->n;

    (void)dl_iterate_phdr(note_library, f);
    for (size_t i = known; i < f->n; ++i) {
        loaded *l = &f->of[i];
        /* Kept open: what is called must not go. */
        void *handle = dlopen(l->path, RTLD_LAZY | RTLD_NOLOAD);

        l->table = handle ? hone__alloc(f->kind->table_bytes) : NULL;
        if (!l->table)
            continue;
        (void)hone__library_fill(handle, f->kind->symbols, l->table);
        l->base = base_of(dlsym(handle, f->kind->probe));
    }
}

/* What the object that has this code finds; of the program itself, what is
 * behind us in everybody's search. */
static const void *base_for(const found *f, const void *caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    const void *base;
    void *handle;

    if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return NULL;
    if (!map->l_name || !*map->l_name)
        return base_of(dlsym(RTLD_NEXT, f->kind->probe));
    handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    base = handle ? base_of(dlsym(handle, f->kind->probe)) : NULL;
    if (handle)
        (void)dlclose(handle);
    return base;
}

/* Lock held. An object that does not name the library itself takes the only
 * one there is; of several the one that is behind us in everybody's search, or
 * any: a call is never refused while there is one. */
static const void *resolve(found *f, const void *caller)
{
    const void *base;

    look_for_new(f);
    base = base_for(f, caller);
    for (size_t i = 0; i < f->n; ++i)
        if (f->of[i].base && (f->of[i].base == base || (!base && f->n == 1)))
            return f->of[i].table;
    if (!base)
        base = base_of(dlsym(RTLD_NEXT, f->kind->probe));
    for (size_t i = 0; i < f->n; ++i)
        if (f->of[i].base && f->of[i].base == base)
            return f->of[i].table;
    for (size_t i = 0; i < f->n; ++i)
        if (f->of[i].base)
            return f->of[i].table;
    return NULL;
}

static site *site_of(found *f, const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    size_t i = (size_t)(at ^ at >> 10);

    for (size_t n = 0; n < 8; ++n, ++i) {
        site *s = &f->sites[i & (SITES - 1)];
        const void *known =
            atomic_load_explicit(&s->caller, memory_order_acquire);

        if (!known || known == caller)
            return s;
    }
    return NULL;
}

static const void *table_for(found *f, const void *caller)
{
    site *s = site_of(f, caller);
    const void *table;

    if (s && atomic_load_explicit(&s->caller, memory_order_acquire) == caller)
        return s->table;
    (void)pthread_mutex_lock(&f->lock);
    table = resolve(f, caller);
    s = site_of(f, caller);
    if (table && s && !atomic_load_explicit(&s->caller, memory_order_relaxed)) {
        s->table = table;
        atomic_store_explicit(&s->caller, caller, memory_order_release);
    }
    (void)pthread_mutex_unlock(&f->lock);
    return table;
}

static found blas = {.kind = &blas_kind, .lock = PTHREAD_MUTEX_INITIALIZER};
static found lt = {.kind = &lt_kind, .lock = PTHREAD_MUTEX_INITIALIZER};

const hone_real *hone__real_blas(const void *caller)
{
    return table_for(&blas, caller);
}

const hone_real_lt *hone__real_lt(const void *caller)
{
    return table_for(&lt, caller);
}
