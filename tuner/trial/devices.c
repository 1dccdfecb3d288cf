/* SPDX-License-Identifier: Apache-2.0 */
/* The table of devices: one row for each kind. */
#include "tuner/trial/devices.h"

#include "tuner/cpu/cpu_device.h"
#include "tuner/cuda/cuda_device.h"

const hone_device_kind *hone__device_kind(hone_backend backend)
{
    static const hone_device_kind *const kinds[] = {
        [HONE_BACKEND_CUDA] = &hone__cuda_device,
        [HONE_BACKEND_CPU] = &hone__cpu_device,
    };

    return kinds[backend];
}
