/* SPDX-License-Identifier: Apache-2.0 */
/* The table of cuFFT: see fft_api.h. Filled once, its library never unloaded,
 * as those of cuBLAS. */
#include "tuner/baselines/fft_api.h"

#include "tuner/process/library.h"

#include <dlfcn.h>
#include <pthread.h>

static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", NULL};
static const hone_library_search search = {
    "cuFFT", "HONE_CUFFT_LIBRARY", names, 1,
    "Install it (libcufft, package libcufft-13-0 or the wheel "
    "nvidia-cufft)."};
static const hone_library_symbol symbols[] = {
#define FFT_SYMBOL(field, symbol, parameters)                                  \
    {#symbol, offsetof(hone_fft, field), 0},
    HONE_FFT_MAP(FFT_SYMBOL)
#undef FFT_SYMBOL
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hone_fft table;
static int loaded;

static hone_status load(hone_error *err)
{
    void *library = NULL;
    hone_status status;

    HONE_TRY(hone__library_open(&search, &library, err));
    status =
        hone__library_bind(library, search.what, symbols,
                           sizeof symbols / sizeof symbols[0], &table, err);
    if (status == HONE_OK)
        loaded = 1;
    else
        (void)dlclose(library);
    return status;
}

hone_status hone__fft_get(const hone_fft **out, hone_error *err)
{
    hone_status status = HONE_OK;

    *out = NULL;
    (void)pthread_mutex_lock(&lock);
    if (!loaded)
        status = load(err);
    (void)pthread_mutex_unlock(&lock);
    if (status == HONE_OK)
        *out = &table;
    return status;
}

/* cuFFT has no function for this. */
static const char *text_of(hone_fft_result result)
{
    static const char *const texts[] = {
        [1] = "invalid plan",      [2] = "allocation failed",
        [3] = "invalid type",      [4] = "invalid value",
        [5] = "internal error",    [6] = "execution failed",
        [7] = "set-up failed",     [8] = "invalid size",
        [9] = "unaligned data",    [0xb] = "invalid device",
        [0xd] = "no workspace",    [0xe] = "not implemented",
        [0x10] = "not supported",  [0x11] = "a dependency is missing",
        [0x12] = "NVRTC failed",   [0x13] = "nvJitLink failed",
        [0x14] = "NVSHMEM failed",
    };
    const int n = (int)(sizeof texts / sizeof texts[0]);

    return result > 0 && result < n && texts[result] ? texts[result]
                                                     : "unknown status";
}

hone_status hone__fft_check(hone_fft_result result, const char *what,
                            hone_error *err)
{
    hone_status status = HONE_ERR_CUDA;

    if (!result)
        return HONE_OK;
    if (result == HONE_FFT_ALLOC_FAILED)
        status = HONE_ERR_NO_MEMORY;
    if (result == HONE_FFT_INVALID_SIZE || result == HONE_FFT_NOT_IMPLEMENTED ||
        result == HONE_FFT_NOT_SUPPORTED)
        status = HONE_ERR_UNSUPPORTED;
    return hone__fail(err, status, "%s failed: %s (code %d)", what,
                      text_of(result), result);
}
