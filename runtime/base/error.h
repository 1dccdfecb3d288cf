/* SPDX-License-Identifier: Apache-2.0 */
/* One error record, passed down as the last parameter of everything that can
 * fail and filled once, where the failure happens. */
#ifndef HONE_RUNTIME_ERROR_H
#define HONE_RUNTIME_ERROR_H

#include "runtime/hone.h"

typedef enum hone_domain {
    HONE_DOMAIN_NONE,
    HONE_DOMAIN_CUDA,
    HONE_DOMAIN_NVRTC,
    HONE_DOMAIN_SQLITE,
    HONE_DOMAIN_ERRNO,
    HONE_DOMAIN_CUBLAS, /* cuBLAS and cuBLASLt */
    HONE_DOMAIN_CUFFT
} hone_domain;

typedef struct hone_error {
    hone_status status;
    hone_domain domain; /* whose code `native` is */
    int native;
    char text[1024];
} hone_error;

/* Record the sentence, with the native code that caused the failure, and
 * return `status`. `err` may be NULL. */
hone_status hone__fail_native(hone_error *err, hone_status status,
                              hone_domain domain, int native,
                              const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same without such a code: hone__fail(err, status, format, ..). */
#define hone__fail(err, status, ...)                                           \
    hone__fail_native(err, status, HONE_DOMAIN_NONE, 0, __VA_ARGS__)

/* HONE_ERR_NO_MEMORY; `why` is a literal that completes "out of memory". */
#define hone__out_of_memory(err, why)                                          \
    hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory" why)

void hone__error_clear(hone_error *err);
const char *hone__domain_name(hone_domain domain);

/* Forward a failure to the caller. */
#define HONE_TRY(expression)                                                   \
    do {                                                                       \
        const hone_status hone_try_status = (expression);                      \
        if (hone_try_status != HONE_OK)                                        \
            return hone_try_status;                                            \
    } while (0)

#endif
