/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of cuBLAS and cuBLASLt: see blas_api.h. A table is filled once
 * and its library never unloaded: it registers kernels with the driver, and
 * loading it again costs a second. */
#include "tuner/baselines/blas_api.h"

#include "tuner/process/library.h"

#include <dlfcn.h>
#include <pthread.h>

static const char *const blas_names[] = {"libcublas.so.13", "libcublas.so.12",
                                         NULL};
static const hone_library_search blas_search = {
    "cuBLAS", "HONE_CUBLAS_LIBRARY", blas_names, 1,
    "Install it (libcublas, package libcublas-13-0 or the wheel "
    "nvidia-cublas)."};
static const hone_library_symbol blas_symbols[] = {
#define BLAS_SYMBOL(field, symbol, type, parameters)                           \
    {#symbol, offsetof(hone_blas, field), 0},
    HONE_BLAS_MAP(BLAS_SYMBOL)
#undef BLAS_SYMBOL
};

static const char *const lt_names[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                       NULL};
static const hone_library_search lt_search = {
    "cuBLASLt", "HONE_CUBLASLT_LIBRARY", lt_names, 1,
    "Install it (libcublasLt comes with cuBLAS: package libcublas-13-0 or "
    "the wheel nvidia-cublas)."};
static const hone_library_symbol lt_symbols[] = {
#define LT_SYMBOL(field, symbol, type, parameters)                             \
    {#symbol, offsetof(hone_lt, field), 0},
    HONE_LT_MAP(LT_SYMBOL)
#undef LT_SYMBOL
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hone_blas blas_table;
static hone_lt lt_table;
static int blas_loaded;
static int lt_loaded;

/* Fill `table` unless `*loaded`. */
static hone_status load(const hone_library_search *search,
                        const hone_library_symbol *symbols, size_t n_symbols,
                        void *table, int *loaded, hone_error *err)
{
    hone_status status = HONE_OK;

    (void)pthread_mutex_lock(&lock);
    if (!*loaded) {
        void *library = NULL;

        status = hone__library_open(search, &library, err);
        if (status == HONE_OK) {
            status = hone__library_bind(library, search->what, symbols,
                                        n_symbols, table, err);
            *loaded = status == HONE_OK;
            if (!*loaded)
                (void)dlclose(library);
        }
    }
    (void)pthread_mutex_unlock(&lock);
    return status;
}

hone_status hone__blas_get(const hone_blas **out, hone_error *err)
{
    const size_t n_symbols = sizeof blas_symbols / sizeof blas_symbols[0];

    *out = NULL;
    HONE_TRY(load(&blas_search, blas_symbols, n_symbols, &blas_table,
                  &blas_loaded, err));
    *out = &blas_table;
    return HONE_OK;
}

hone_status hone__lt_get(const hone_lt **out, hone_error *err)
{
    const size_t n_symbols = sizeof lt_symbols / sizeof lt_symbols[0];

    *out = NULL;
    HONE_TRY(
        load(&lt_search, lt_symbols, n_symbols, &lt_table, &lt_loaded, err));
    *out = &lt_table;
    return HONE_OK;
}

static hone_status check(const char *text, hone_blas_result result,
                         const char *what, hone_error *err)
{
    return hone__fail(err,
                      result == HONE_BLAS_NOT_SUPPORTED ? HONE_ERR_UNSUPPORTED
                                                        : HONE_ERR_CUDA,
                      "%s failed: %s (code %d)", what,
                      text ? text : "unknown status", result);
}

hone_status hone__blas_check(const hone_blas *blas, hone_blas_result result,
                             const char *what, hone_error *err)
{
    return result ? check(blas->status_string(result), result, what, err)
                  : HONE_OK;
}

hone_status hone__lt_check(const hone_lt *lt, hone_blas_result result,
                           const char *what, hone_error *err)
{
    return result ? check(lt->status_string(result), result, what, err)
                  : HONE_OK;
}
