/* SPDX-License-Identifier: Apache-2.0 */
/* Error records: see error.h. */
#include "runtime/base/error.h"

#include <stdarg.h>
#include <stdio.h>

static void record(hone_error *err, hone_status status, hone_domain domain,
                   int native, const char *format, va_list args)
    __attribute__((format(printf, 5, 0)));

static void record(hone_error *err, hone_status status, hone_domain domain,
                   int native, const char *format, va_list args)
{
    if (!err)
        return;
    err->status = status;
    err->domain = domain;
    err->native = native;
    (void)vsnprintf(err->text, sizeof err->text, format, args);
}

hone_status hone__fail(hone_error *err, hone_status status, const char *format,
                       ...)
{
    va_list args;

    va_start(args, format);
    record(err, status, HONE_DOMAIN_NONE, 0, format, args);
    va_end(args);
    return status;
}

hone_status hone__fail_native(hone_error *err, hone_status status,
                              hone_domain domain, int native,
                              const char *format, ...)
{
    va_list args;

    va_start(args, format);
    record(err, status, domain, native, format, args);
    va_end(args);
    return status;
}

void hone__error_clear(hone_error *err)
{
    if (!err)
        return;
    err->status = HONE_OK;
    err->domain = HONE_DOMAIN_NONE;
    err->native = 0;
    err->text[0] = '\0';
}

const char *hone__domain_name(hone_domain domain)
{
    static const char *const names[] = {"", "cuda", "nvrtc", "sqlite", "errno"};
    const size_t index = (size_t)domain;

    return index < sizeof names / sizeof names[0] ? names[index] : "";
}
