/* SPDX-License-Identifier: Apache-2.0 */
/* Error records: see error.h. Statuses and the version: see hone.h. */
#include "runtime/base/error.h"

#include <stdarg.h>
#include <stdio.h>

hone_status hone__fail_native(hone_error *err, hone_status status,
                              hone_domain domain, int native,
                              const char *format, ...)
{
    va_list args;

    if (!err)
        return status;
    err->status = status;
    err->domain = domain;
    err->native = native;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return status;
}

void hone__error_clear(hone_error *err)
{
    if (err)
        *err = (hone_error){.status = HONE_OK};
}

const char *hone__domain_name(hone_domain domain)
{
    static const char *const names[] = {"",      "cuda",   "nvrtc", "sqlite",
                                        "errno", "cublas", "cufft"};
    const size_t index = (size_t)domain;

    return index < sizeof names / sizeof names[0] ? names[index] : "";
}

int hone_version_number(void)
{
    return 10000 * HONE_VERSION_MAJOR + 100 * HONE_VERSION_MINOR +
           HONE_VERSION_PATCH;
}

const char *hone_status_name(hone_status status)
{
    switch (status) {
#define STATUS_NAME(name, value, text)                                         \
    case name:                                                                 \
        return #name;
        HONE_STATUS_MAP(STATUS_NAME)
#undef STATUS_NAME
    }
    return "HONE_?";
}

const char *hone_status_text(hone_status status)
{
    switch (status) {
#define STATUS_TEXT(name, value, text)                                         \
    case name:                                                                 \
        return text;
        HONE_STATUS_MAP(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "unknown status";
}
