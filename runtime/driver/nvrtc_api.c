/* SPDX-License-Identifier: Apache-2.0 */
/* The NVRTC table: where the library and CUDA's headers are looked for. See
 * nvrtc_api.h. */
#define _GNU_SOURCE /* dladdr */
#include "runtime/driver/nvrtc_api.h"

#include "runtime/base/text.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct nvrtc_symbol {
    const char *name;
    size_t offset; /* of its field in hone_nvrtc */
} nvrtc_symbol;

static const nvrtc_symbol symbols[] = {
#define SYMBOL_ROW(field, symbol, type, parameters)                            \
    {#symbol, offsetof(hone_nvrtc, field)},
    HONE_NVRTC_MAP(SYMBOL_ROW)
#undef SYMBOL_ROW
};

static const char *const sonames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};

static hone_nvrtc table;
static _Atomic(const hone_nvrtc *) ready; /* NULL until `table` is usable */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* Toolkit roots in the order they are tried; unset ones are NULL. */
enum { N_ROOTS = 3 };

static void find_roots(const char *roots[N_ROOTS])
{
    const char *const from[N_ROOTS] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"),
                                       "/usr/local/cuda"};

    for (size_t i = 0; i < N_ROOTS; ++i)
        roots[i] = from[i] && *from[i] ? from[i] : NULL;
}

static void *try_open(const char *path, hone_text *tried)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        hone__text_printf(tried, "%s%s", tried->length ? ", " : "", path);
    return library;
}

static void *open_library(hone_text *tried)
{
    const char *chosen = getenv("HONE_NVRTC_LIBRARY");
    const size_t n_names = sizeof sonames / sizeof sonames[0];
    const char *roots[N_ROOTS];
    void *library = NULL;

    if (chosen && *chosen)
        return try_open(chosen, tried);
    for (size_t i = 0; i < n_names && !library; ++i)
        library = try_open(sonames[i], tried);
    find_roots(roots);
    for (size_t r = 0; r < N_ROOTS && !library; ++r) {
        for (size_t i = 0; roots[r] && i < n_names && !library; ++i) {
            char path[1024];

            (void)snprintf(path, sizeof path, "%s/lib64/%s", roots[r],
                           sonames[i]);
            library = try_open(path, tried);
        }
    }
    return library;
}

static hone_status fill_table(void *library, hone_error *err)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; ++i) {
        void *address = dlsym(library, symbols[i].name);

        if (!address)
            return hone__fail(err, HONE_ERR_NO_NVRTC,
                              "the NVRTC library has no function %s; install "
                              "NVRTC of CUDA 12.0 or newer",
                              symbols[i].name);
        /* See cuda_api.c on this conversion. */
        memcpy((char *)&table + symbols[i].offset, &address, sizeof address);
    }
    {
        void *address = dlsym(library, "nvrtcSetPCHHeapSize");

        memcpy(&table.set_pch_heap_bytes, &address, sizeof address);
    }
    return HONE_OK;
}

/* The path without links and "..", if there is room for it. */
static int copy_real_path(char *out, size_t size_bytes, const char *path)
{
    char *real = realpath(path, NULL);
    const int fits = real && strlen(real) < size_bytes;

    if (fits)
        memcpy(out, real, strlen(real) + 1);
    free(real);
    return fits;
}

/* Does `folder` hold the headers templates include? Then keep it. */
static int take_includes(const char *folder)
{
    static const char *const headers[] = {"cuda_fp16.h", "mma.h"};

    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; ++i) {
        char path[2048];

        (void)snprintf(path, sizeof path, "%s/%s", folder, headers[i]);
        if (access(path, R_OK))
            return 0;
    }
    return copy_real_path(table.includes, sizeof table.includes, folder);
}

static void find_includes(void)
{
    /* Beside the library: toolkits, and the packages of pip. */
    static const char *const beside[] = {"../include",
                                         "../../cuda_runtime/include"};
    const char *chosen = getenv("HONE_CUDA_INCLUDE");
    const char *slash = strrchr(table.library, '/');
    const char *roots[N_ROOTS];
    char folder[1200];

    table.includes[0] = '\0';
    if (chosen && *chosen && take_includes(chosen))
        return;
    for (size_t i = 0; slash && i < sizeof beside / sizeof beside[0]; ++i) {
        (void)snprintf(folder, sizeof folder, "%.*s/%s",
                       (int)(slash - table.library), table.library, beside[i]);
        if (take_includes(folder))
            return;
    }
    find_roots(roots);
    for (size_t i = 0; i < N_ROOTS; ++i) {
        if (!roots[i])
            continue;
        (void)snprintf(folder, sizeof folder, "%s/include", roots[i]);
        if (take_includes(folder))
            return;
    }
}

/* Of CUDA 13 and newer; before, they were beside the other headers. */
static void find_cccl(void)
{
    char path[1200];

    (void)snprintf(table.cccl, sizeof table.cccl, "%s/cccl", table.includes);
    (void)snprintf(path, sizeof path, "%s/cuda/std/__cccl/version.h",
                   table.cccl);
    if (!table.includes[0] || access(path, R_OK))
        table.cccl[0] = '\0';
}

static void find_library_path(void)
{
    void *address = NULL;
    Dl_info info;

    memcpy(&address, &table.version, sizeof address);
    table.library[0] = '\0';
    if (!dladdr(address, &info) || !info.dli_fname)
        return;
    if (!copy_real_path(table.library, sizeof table.library, info.dli_fname))
        table.library[0] = '\0';
}

static hone_status load(hone_error *err)
{
    hone_text tried = {0};
    void *library = open_library(&tried);
    hone_status status = HONE_OK;

    if (!library)
        status = hone__fail(
            err, HONE_ERR_NO_NVRTC,
            "NVRTC not found (tried %s); install the CUDA toolkit's NVRTC "
            "(package cuda-nvrtc-13-0 or nvidia-cuda-nvrtc), or set "
            "HONE_NVRTC_LIBRARY to the file",
            hone__text_str(&tried));
    hone__text_free(&tried);
    if (status == HONE_OK)
        status = fill_table(library, err);
    if (status != HONE_OK)
        return status;
    if (table.version(&table.version_major, &table.version_minor))
        return hone__fail(err, HONE_ERR_NO_NVRTC,
                          "nvrtcVersion failed: the library does not work");
    find_library_path();
    find_includes();
    find_cccl();
    return HONE_OK;
}

hone_status hone__nvrtc_get(const hone_nvrtc **out, hone_error *err)
{
    hone_status status = HONE_OK;

    *out = atomic_load_explicit(&ready, memory_order_acquire);
    if (*out)
        return HONE_OK;
    (void)pthread_mutex_lock(&loading);
    *out = atomic_load_explicit(&ready, memory_order_relaxed);
    if (!*out) {
        status = load(err);
        if (status == HONE_OK) {
            *out = &table;
            atomic_store_explicit(&ready, &table, memory_order_release);
        }
    }
    (void)pthread_mutex_unlock(&loading);
    return status;
}
