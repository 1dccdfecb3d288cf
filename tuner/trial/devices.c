/* SPDX-License-Identifier: Apache-2.0 */
/* See devices.h; the table is HONE_BACKEND_MAP. */
#include "tuner/trial/devices.h"

#define DECLARE(id, name, compiler)                                            \
    extern const hone_device_kind hone__##name##_device;
HONE_BACKEND_MAP(DECLARE)
#undef DECLARE

const hone_device_kind *hone__device_kind(hone_backend backend)
{
    static const hone_device_kind *const kinds[] = {
#define KIND(id, name, compiler) &hone__##name##_device,
        HONE_BACKEND_MAP(KIND)
#undef KIND
    };

    return kinds[backend];
}
