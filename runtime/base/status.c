/* SPDX-License-Identifier: Apache-2.0 */
/* Names and texts of the status codes, and the version. */
#include "runtime/hone.h"

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

const char *hone_status_str(hone_status status)
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
