/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of the machine: see machine_fault.h. In the table's order cuda.h calls
 * them DEVICE_UNAVAILABLE, NO_DEVICE, INVALID_DEVICE, ECC_UNCORRECTABLE,
 * NVLINK_UNCORRECTABLE, OPERATING_SYSTEM, CONTAINED, SYSTEM_NOT_READY,
 * SYSTEM_DRIVER_MISMATCH, COMPAT_NOT_SUPPORTED_ON_DEVICE,
 * MPS_CONNECTION_FAILED, MPS_RPC_FAILURE, MPS_SERVER_NOT_READY and
 * MPS_CLIENT_TERMINATED. Rejected: UNKNOWN (999) and LAUNCH_FAILED (719), with
 * which a lost card ends a kernel, too: so does the kernel itself. There a
 * new process says which it was, for its set-up fails with one of these. */
#include "tuner/device/machine_fault.h"

#include <stddef.h>

const char *hone__machine_fault(const hone_error *err)
{
    static const struct {
        int code;
        const char *says;
    } rows[] = {
#define ROW(code, says) {code, says},
        HONE_MACHINE_FAULT_MAP(ROW)
#undef ROW
    };

    /* No place for a kernel, no memory for a file, no descriptor left. */
    if (err->domain == HONE_DOMAIN_ERRNO && err->status == HONE_ERR_IO)
        return "a call into the system failed";
    if (err->domain != HONE_DOMAIN_CUDA)
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (err->native == rows[i].code)
            return rows[i].says;
    }
    return NULL;
}
