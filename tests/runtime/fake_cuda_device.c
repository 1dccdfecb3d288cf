/* SPDX-License-Identifier: Apache-2.0 */
/* What the fake driver says about its device and its errors. */
#include "tests/runtime/fake_cuda_parts.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
    int sm;
    int sm_count;
    char name[64];
    int no_device;
    int is_started;
    int is_forked;
} fake;

static void in_child(void)
{
    fake.is_forked = 1;
}

int fake_is_forked(void)
{
    return fake.is_forked;
}

void fake_device(int sm, int sm_count, const char *name)
{
    fake.sm = sm;
    fake.sm_count = sm_count;
    (void)snprintf(fake.name, sizeof fake.name, "%s", name);
}

void fake_no_device(int on)
{
    fake.no_device = on;
}

hone_cu_result cuInit(unsigned flags)
{
    (void)flags;
    if (fake.is_forked)
        return HONE_CU_NOT_INITIALIZED;
    if (fake.no_device)
        return HONE_CU_NO_DEVICE;
    if (!fake.is_started)
        (void)pthread_atfork(NULL, NULL, in_child);
    fake.is_started = 1;
    return 0;
}

hone_cu_result cuDriverGetVersion(int *out)
{
    FAKE_ENTER();
    *out = 13000;
    return 0;
}

hone_cu_result cuGetErrorName(hone_cu_result r, const char **out)
{
    *out = r == HONE_CU_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
           : r == HONE_CU_NOT_FOUND   ? "CUDA_ERROR_NOT_FOUND"
                                      : "CUDA_ERROR_FAKE";
    return 0;
}

hone_cu_result cuGetErrorString(hone_cu_result r, const char **out)
{
    (void)r;
    *out = "the fake driver was told to fail";
    return 0;
}

hone_cu_result cuDeviceGetCount(int *out)
{
    *out = 1;
    return 0;
}

hone_cu_result cuDeviceGet(hone_cu_device *out, int ordinal)
{
    FAKE_ENTER();
    *out = ordinal;
    return ordinal == 0 ? 0 : FAKE_INVALID_VALUE;
}

hone_cu_result cuDeviceGetName(char *out, int size, hone_cu_device d)
{
    FAKE_ENTER();
    (void)d;
    (void)snprintf(out, (size_t)size, "%s", fake.name);
    return 0;
}

hone_cu_result cuDeviceGetUuid_v2(unsigned char *out16, hone_cu_device d)
{
    FAKE_ENTER();
    (void)d;
    memset(out16, 7, 16);
    return 0;
}

hone_cu_result cuDeviceTotalMem_v2(size_t *out, hone_cu_device d)
{
    FAKE_ENTER();
    (void)d;
    *out = (size_t)1 << 37;
    return 0;
}

hone_cu_result cuDeviceGetAttribute(int *out, int attribute, hone_cu_device d)
{
    FAKE_ENTER();
    (void)d;
    switch (attribute) {
    case HONE_CU_ATTR_CC_MAJOR:
        *out = fake.sm / 10;
        break;
    case HONE_CU_ATTR_CC_MINOR:
        *out = fake.sm % 10;
        break;
    case HONE_CU_ATTR_SM_COUNT:
        *out = fake.sm_count;
        break;
    case HONE_CU_ATTR_MAX_SHARED_OPTIN:
        *out = FAKE_OPTIN_SHARED;
        break;
    case HONE_CU_ATTR_MAX_SHARED_PER_BLOCK:
        *out = FAKE_DEFAULT_SHARED;
        break;
    default:
        *out = 1024;
    }
    return 0;
}
