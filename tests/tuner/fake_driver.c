/* SPDX-License-Identifier: Apache-2.0 */
/* See fake_driver.h. */
#include "tests/tuner/fake_driver.h"

#include <stdlib.h>
#include <string.h>

int fake_driver_live;
int fake_driver_fail_alloc;
int fake_driver_l2_bytes;
hone_cu_ptr fake_driver_copy_from;
hone_cu_ptr fake_driver_copy_to;
size_t fake_driver_copy_bytes;

static hone_cu_result error_name(hone_cu_result r, const char **out)
{
    *out = r == HONE_CU_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_?";
    return 0;
}

static hone_cu_result memory_alloc(hone_cu_ptr *out, size_t size_bytes)
{
    void *block;

    if (fake_driver_fail_alloc)
        return HONE_CU_OUT_OF_MEMORY;
    block = aligned_alloc(256, (size_bytes + 255) / 256 * 256);
    if (!block)
        return HONE_CU_OUT_OF_MEMORY;
    *out = (hone_cu_ptr)(uintptr_t)block;
    fake_driver_live++;
    return 0;
}

static hone_cu_result memory_free(hone_cu_ptr p)
{
    free((void *)(uintptr_t)p);
    fake_driver_live--;
    return 0;
}

static hone_cu_result fill32_async(hone_cu_ptr to, unsigned value, size_t count,
                                   hone_stream s)
{
    unsigned *const words = (unsigned *)(uintptr_t)to;

    (void)s;
    for (size_t i = 0; i < count; i++)
        words[i] = value;
    return 0;
}

static hone_cu_result copy_async(hone_cu_ptr to, hone_cu_ptr from,
                                 size_t size_bytes, hone_stream s)
{
    (void)s;
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size_bytes);
    fake_driver_copy_from = from;
    fake_driver_copy_to = to;
    fake_driver_copy_bytes = size_bytes;
    return 0;
}

static hone_cu_result context_device(hone_cu_device *out)
{
    *out = 0;
    return 0;
}

static hone_cu_result context_synchronize(void)
{
    return 0;
}

/* The UUID 00 01 .. 0f at PCI address 0000:c1:02. */
static hone_cu_result device_uuid(unsigned char *out16, hone_cu_device d)
{
    if (d)
        return 101;
    for (int i = 0; i < 16; i++)
        out16[i] = (unsigned char)i;
    return 0;
}

static hone_cu_result device_attribute(int *out, int attribute,
                                       hone_cu_device d)
{
    (void)d;
    switch (attribute) {
    case HONE_CU_ATTR_L2_BYTES:
        *out = fake_driver_l2_bytes;
        return 0;
    case 33:
        *out = 0xc1;
        return 0;
    case 34:
        *out = 2;
        return 0;
    case 50:
        *out = 0;
        return 0;
    default:
        return 1;
    }
}

/* It captures nothing: rehearsals are left out. */
static hone_cu_result stream_create(hone_stream *out, unsigned flags)
{
    (void)flags;
    *out = NULL;
    return HONE_CU_NOT_SUPPORTED;
}

static hone_cu_result capture_info(hone_stream s, int *out_status,
                                   uint64_t *out_id)
{
    (void)s;
    *out_status = HONE_CU_CAPTURE_NONE;
    *out_id = 0;
    return 0;
}

const hone_driver fake_driver = {
    .capture_info = capture_info,
    .stream_create = stream_create,
    .error_name = error_name,
    .error_string = error_name,
    .memory_alloc = memory_alloc,
    .memory_free = memory_free,
    .fill32_async = fill32_async,
    .copy_async = copy_async,
    .context_device = context_device,
    .context_synchronize = context_synchronize,
    .device_uuid = device_uuid,
    .device_attribute = device_attribute,
};
