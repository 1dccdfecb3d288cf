/* SPDX-License-Identifier: Apache-2.0 */
/* The two libraries of NVIDIA's that are opened when they are first needed,
 * CUDA's driver (driver.h) and NVRTC (nvrtc_api.h): where they and CUDA's
 * headers are looked for, and filling the tables. */
#define _GNU_SOURCE /* dladdr */
#include "runtime/base/text.h"
#include "runtime/driver/driver.h"
#include "runtime/driver/nvrtc_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first driver that has every symbol of HONE_CUDA_MAP. */
#define NEEDED_DRIVER "525.60 (CUDA 12.0)"

/* ---- a library and its table --------------------------------------------- */

typedef struct library_symbol {
    const char *name;
    size_t offset; /* of its field in the table */
    int is_optional;
} library_symbol;

/* Fill the table; the name of a function that is missing, or NULL. */
static const char *fill_table(void *library, const library_symbol *symbols,
                              size_t n_symbols, void *table)
{
    for (size_t i = 0; i < n_symbols; ++i) {
        void *address = dlsym(library, symbols[i].name);

        if (!address && !symbols[i].is_optional)
            return symbols[i].name;
        /* ISO C has no conversion from object to function pointers; POSIX
         * promises that they have the same representation. */
        memcpy((char *)table + symbols[i].offset, &address, sizeof address);
    }
    return NULL;
}

typedef struct once {
    atomic_int is_done;
    pthread_mutex_t lock;
} once;

/* A failure is not remembered: the next call tries again. */
static hone_status load_once(once *state, hone_status (*load)(hone_error *err),
                             hone_error *err)
{
    hone_status status = HONE_OK;

    if (atomic_load_explicit(&state->is_done, memory_order_acquire))
        return HONE_OK;
    (void)pthread_mutex_lock(&state->lock);
    if (!atomic_load_explicit(&state->is_done, memory_order_relaxed)) {
        status = load(err);
        if (status == HONE_OK)
            atomic_store_explicit(&state->is_done, 1, memory_order_release);
    }
    (void)pthread_mutex_unlock(&state->lock);
    return status;
}

/* ---- CUDA's driver ------------------------------------------------------- */

static hone_driver cuda;

static hone_status start_driver(hone_error *err)
{
    const hone_cu_result result = cuda.init(0);
    int n_devices = 0;

    if (result == HONE_CU_NO_DEVICE ||
        (!result && (cuda.device_count(&n_devices) || n_devices == 0)))
        return hone__fail_native(
            err, HONE_ERR_NO_GPU, HONE_DOMAIN_CUDA, HONE_CU_NO_DEVICE,
            "the NVIDIA driver is installed but shows no CUDA device; check "
            "nvidia-smi and CUDA_VISIBLE_DEVICES, and in a container that "
            "the GPU is passed in (docker run --gpus all)");
    if (result) {
        const char *name = NULL;

        (void)cuda.error_name(result, &name);
        return hone__fail_native(
            err, HONE_ERR_NO_GPU, HONE_DOMAIN_CUDA, result,
            "the NVIDIA driver does not start: cuInit failed with %s (%d); "
            "check that nvidia-smi works on this machine",
            name ? name : "an unknown error", result);
    }
    return HONE_OK;
}

static hone_status load_cuda(hone_error *err)
{
    static const library_symbol symbols[] = {
#define SYMBOL_ROW(field, symbol, parameters)                                  \
    {#symbol, offsetof(hone_driver, field), 0},
        HONE_CUDA_MAP(SYMBOL_ROW)
#undef SYMBOL_ROW
#define SYMBOL_ROW(field, symbol, parameters)                                  \
    {#symbol, offsetof(hone_driver, field), 1},
            HONE_CUDA_OPTIONAL_MAP(SYMBOL_ROW)
#undef SYMBOL_ROW
    };
    const char *chosen = getenv("HONE_CUDA_LIBRARY");
    const char *path = chosen && *chosen ? chosen : "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *missing;

    if (!library) {
        const char *why = dlerror();

        return hone__fail(err, HONE_ERR_NO_GPU,
                          "no NVIDIA driver: %s; install driver " NEEDED_DRIVER
                          " or newer on a machine with an NVIDIA GPU",
                          why ? why : path);
    }
    /* Never closed again: the driver does not survive dlclose(). */
    missing =
        fill_table(library, symbols, sizeof symbols / sizeof symbols[0], &cuda);
    if (missing)
        return hone__fail(err, HONE_ERR_NO_GPU,
                          "'%s' has no function %s: the NVIDIA driver is too "
                          "old; install driver " NEEDED_DRIVER " or newer",
                          path, missing);
    return start_driver(err);
}

hone_status hone__cuda_get(const hone_driver **out, hone_error *err)
{
    static once state = {0, PTHREAD_MUTEX_INITIALIZER};
    const hone_status status = load_once(&state, load_cuda, err);

    *out = status == HONE_OK ? &cuda : NULL;
    return status;
}

/* ---- NVRTC --------------------------------------------------------------- */

static hone_nvrtc nvrtc;

static const char *const sonames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};

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
    for (size_t i = 0; i < N_ROOTS * n_names && !library; ++i) {
        const char *root = roots[i / n_names];
        char path[1024];

        (void)snprintf(path, sizeof path, "%s/lib64/%s", root ? root : "",
                       sonames[i % n_names]);
        if (root)
            library = try_open(path, tried);
    }
    return library;
}

/* The path without links and "..", if there is room for it; else "". */
static int copy_real_path(char *out, size_t size_bytes, const char *path)
{
    char *real = realpath(path, NULL);
    const int fits = real && strlen(real) < size_bytes;

    (void)snprintf(out, size_bytes, "%s", fits ? real : "");
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
    return copy_real_path(nvrtc.includes, sizeof nvrtc.includes, folder);
}

static void find_includes(void)
{
    /* Beside the library: toolkits, and the packages of pip. */
    static const char *const beside[] = {"../include",
                                         "../../cuda_runtime/include"};
    const char *chosen = getenv("HONE_CUDA_INCLUDE");
    const char *slash = strrchr(nvrtc.library, '/');
    const char *roots[N_ROOTS];
    char folder[1200];

    nvrtc.includes[0] = '\0';
    if (chosen && *chosen && take_includes(chosen))
        return;
    for (size_t i = 0; slash && i < sizeof beside / sizeof beside[0]; ++i) {
        (void)snprintf(folder, sizeof folder, "%.*s/%s",
                       (int)(slash - nvrtc.library), nvrtc.library, beside[i]);
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

    (void)snprintf(nvrtc.cccl, sizeof nvrtc.cccl, "%s/cccl", nvrtc.includes);
    (void)snprintf(path, sizeof path, "%s/cuda/std/__cccl/version.h",
                   nvrtc.cccl);
    if (!nvrtc.includes[0] || access(path, R_OK))
        nvrtc.cccl[0] = '\0';
}

static void find_library_path(void)
{
    void *address = NULL;
    Dl_info info;

    memcpy(&address, &nvrtc.version, sizeof address);
    nvrtc.library[0] = '\0';
    if (dladdr(address, &info) && info.dli_fname)
        (void)copy_real_path(nvrtc.library, sizeof nvrtc.library,
                             info.dli_fname);
}

static hone_status load_nvrtc(hone_error *err)
{
    static const library_symbol symbols[] = {
#define SYMBOL_ROW(field, symbol, type, parameters)                            \
    {#symbol, offsetof(hone_nvrtc, field), 0},
        HONE_NVRTC_MAP(SYMBOL_ROW)
#undef SYMBOL_ROW
            {"nvrtcSetPCHHeapSize", offsetof(hone_nvrtc, set_pch_heap_bytes),
             1}};
    hone_text tried = {0};
    void *library = open_library(&tried);
    hone_status status = HONE_OK;
    const char *missing;

    if (!library)
        status = hone__fail(
            err, HONE_ERR_NO_NVRTC,
            "NVRTC not found (tried %s); install the CUDA toolkit's NVRTC "
            "(package cuda-nvrtc-13-0 or nvidia-cuda-nvrtc), or set "
            "HONE_NVRTC_LIBRARY to the file",
            hone__text_str(&tried));
    hone__text_free(&tried);
    if (status != HONE_OK)
        return status;
    missing = fill_table(library, symbols, sizeof symbols / sizeof symbols[0],
                         &nvrtc);
    if (missing)
        return hone__fail(err, HONE_ERR_NO_NVRTC,
                          "the NVRTC library has no function %s; install "
                          "NVRTC of CUDA 12.0 or newer",
                          missing);
    if (nvrtc.version(&nvrtc.version_major, &nvrtc.version_minor))
        return hone__fail(err, HONE_ERR_NO_NVRTC,
                          "nvrtcVersion failed: the library does not work");
    find_library_path();
    find_includes();
    find_cccl();
    return HONE_OK;
}

hone_status hone__nvrtc_get(const hone_nvrtc **out, hone_error *err)
{
    static once state = {0, PTHREAD_MUTEX_INITIALIZER};
    const hone_status status = load_once(&state, load_nvrtc, err);

    *out = status == HONE_OK ? &nvrtc : NULL;
    return status;
}
