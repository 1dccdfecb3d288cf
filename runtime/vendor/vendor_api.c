/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of vendors' libraries: see vendor_api.h. */
#include "runtime/vendor/vendor_api.h"

#include <dlfcn.h>
#include <pthread.h>

hone_status hone__vendor_load(const hone_library_search *search,
                              const char *symbols, void *table, int *loaded,
                              hone_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    hone_status status = HONE_OK;
    void *library = NULL;

    (void)pthread_mutex_lock(&lock);
    if (!*loaded)
        status = hone__library_open(search, &library, err);
    if (library) {
        status = hone__library_bind(library, search->what, symbols, table, err);
        *loaded = status == HONE_OK;
        if (!*loaded)
            (void)dlclose(library);
    }
    (void)pthread_mutex_unlock(&lock);
    return status;
}

hone_status hone__blas_get(const hone_blas **out, hone_error *err)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12",
                                        NULL};
    static const hone_library_search search = {
        "cuBLAS", "HONE_CUBLAS_LIBRARY", names, 1,
        "Install it (libcublas, package libcublas-13-0 or the wheel "
        "nvidia-cublas)."};
#define BLAS_NAME(field, symbol, type, parameters) HONE_LIBRARY_NAME(symbol)
    static const char symbols[] = HONE_BLAS_MAP(BLAS_NAME);
#undef BLAS_NAME
    static hone_blas table;
    static int loaded;

    *out = &table;
    return hone__vendor_load(&search, symbols, &table, &loaded, err);
}

hone_status hone__lt_get(const hone_lt **out, hone_error *err)
{
    static const char *const names[] = {"libcublasLt.so.13",
                                        "libcublasLt.so.12", NULL};
    static const hone_library_search search = {
        "cuBLASLt", "HONE_CUBLASLT_LIBRARY", names, 1,
        "Install it (libcublasLt comes with cuBLAS: package libcublas-13-0 or "
        "the wheel nvidia-cublas)."};
#define LT_NAME(field, symbol, type, parameters) HONE_LIBRARY_NAME(symbol)
    static const char symbols[] = HONE_LT_MAP(LT_NAME);
#undef LT_NAME
    static hone_lt table;
    static int loaded;

    *out = &table;
    return hone__vendor_load(&search, symbols, &table, &loaded, err);
}

hone_status hone__fft_get(const hone_fft **out, hone_error *err)
{
    static const char *const names[] = {"libcufft.so.12", "libcufft.so.11",
                                        NULL};
    static const hone_library_search search = {
        "cuFFT", "HONE_CUFFT_LIBRARY", names, 1,
        "Install it (libcufft, package libcufft-13-0 or the wheel "
        "nvidia-cufft)."};
#define FFT_NAME(field, symbol, parameters) HONE_LIBRARY_NAME(symbol)
    static const char symbols[] = HONE_FFT_MAP(FFT_NAME);
#undef FFT_NAME
    static hone_fft table;
    static int loaded;

    *out = &table;
    return hone__vendor_load(&search, symbols, &table, &loaded, err);
}

static hone_status failed(hone_status status, hone_domain domain,
                          const char *what, const char *text, int result,
                          hone_error *err)
{
    return hone__fail_native(err, status, domain, result,
                             "%s failed: %s (code %d)", what,
                             text ? text : "unknown status", result);
}

static hone_status check_blas(const char *(*text_of)(hone_blas_result),
                              hone_blas_result result, const char *what,
                              hone_error *err)
{
    hone_status status = HONE_ERR_CUDA;

    if (!result)
        return HONE_OK;
    if (result == HONE_BLAS_NOT_SUPPORTED)
        status = HONE_ERR_UNSUPPORTED;
    if (result == HONE_BLAS_ALLOC_FAILED)
        status = HONE_ERR_NO_MEMORY;
    return failed(status, HONE_DOMAIN_CUBLAS, what, text_of(result), result,
                  err);
}

hone_status hone__blas_check(const hone_blas *blas, hone_blas_result result,
                             const char *what, hone_error *err)
{
    return check_blas(blas->status_string, result, what, err);
}

hone_status hone__lt_check(const hone_lt *lt, hone_blas_result result,
                           const char *what, hone_error *err)
{
    return check_blas(lt->status_string, result, what, err);
}

hone_status hone__fft_check(hone_fft_result result, const char *what,
                            hone_error *err)
{
    /* cuFFT has no function for this. */
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
    hone_status status = HONE_ERR_CUDA;

    if (!result)
        return HONE_OK;
    if (result == HONE_FFT_ALLOC_FAILED)
        status = HONE_ERR_NO_MEMORY;
    if (result == HONE_FFT_INVALID_SIZE || result == HONE_FFT_NOT_IMPLEMENTED ||
        result == HONE_FFT_NOT_SUPPORTED)
        status = HONE_ERR_UNSUPPORTED;
    return failed(status, HONE_DOMAIN_CUFFT, what,
                  result > 0 && result < n ? texts[result] : NULL, result, err);
}
