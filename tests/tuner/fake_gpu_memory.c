/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the fake GPU: that of the fake driver, with a limit. */
#include "tests/tuner/fake_gpu_parts.h"

#include <assert.h>
#include <string.h>

enum { MAX_BLOCKS = 4096 };

static struct {
    hone_cu_ptr at;
    size_t size_bytes;
} blocks[MAX_BLOCKS];

static hone_cu_result memory_alloc(hone_cu_ptr *out, size_t size_bytes)
{
    int i = 0;

    if (fake_gpu_limit_bytes &&
        fake_gpu_live_bytes + fake_gpu_taken_bytes + size_bytes >
            fake_gpu_limit_bytes)
        return HONE_CU_OUT_OF_MEMORY;
    while (blocks[i].at)
        ++i;
    assert(i < MAX_BLOCKS);
    if (fake_driver.memory_alloc(out, size_bytes))
        return HONE_CU_OUT_OF_MEMORY;
    blocks[i].at = *out;
    blocks[i].size_bytes = size_bytes;
    fake_gpu_live_bytes += size_bytes;
    return 0;
}

static hone_cu_result memory_free(hone_cu_ptr p)
{
    for (int i = 0; i < MAX_BLOCKS; ++i) {
        if (blocks[i].at == p) {
            fake_gpu_live_bytes -= blocks[i].size_bytes;
            blocks[i].at = 0;
            return fake_driver.memory_free(p);
        }
    }
    return 1;
}

static hone_cu_result memory_info(size_t *free_bytes, size_t *total)
{
    *total = fake_gpu_limit_bytes ? fake_gpu_limit_bytes : (size_t)1 << 40;
    *free_bytes = *total - fake_gpu_live_bytes;
    return 0;
}

static hone_cu_result copy_to_device(hone_cu_ptr to, const void *from,
                                     size_t size_bytes)
{
    memcpy((void *)(uintptr_t)to, from, size_bytes);
    return 0;
}

static hone_cu_result copy_to_host(void *to, hone_cu_ptr from,
                                   size_t size_bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, size_bytes);
    return 0;
}

static hone_cu_result fill8_async(hone_cu_ptr to, unsigned char value,
                                  size_t count, hone_stream s)
{
    (void)s;
    memset((void *)(uintptr_t)to, value, count);
    return 0;
}

static hone_cu_result copy_in_async(hone_cu_ptr to, const void *from,
                                    size_t size_bytes, hone_stream s)
{
    (void)s;
    return copy_to_device(to, from, size_bytes);
}

static hone_cu_result copy_out_async(void *to, hone_cu_ptr from,
                                     size_t size_bytes, hone_stream s)
{
    (void)s;
    return copy_to_host(to, from, size_bytes);
}

static hone_cu_result host_alloc(void **out, size_t size_bytes, unsigned flags)
{
    hone_cu_ptr block = 0;
    const hone_cu_result result = memory_alloc(&block, size_bytes);

    (void)flags;
    *out = (void *)(uintptr_t)block;
    return result;
}

static hone_cu_result host_free(void *block)
{
    return memory_free((hone_cu_ptr)(uintptr_t)block);
}

void fake_gpu_memory_rows(hone_driver *table)
{
    table->memory_alloc = memory_alloc;
    table->memory_free = memory_free;
    table->memory_info = memory_info;
    table->copy_to_device = copy_to_device;
    table->copy_to_host = copy_to_host;
    table->copy_in_async = copy_in_async;
    table->copy_out_async = copy_out_async;
    table->host_alloc = host_alloc;
    table->host_free = host_free;
    table->fill8_async = fill8_async;
}
