/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between host and device, page-locked memory and events of the fake
 * driver: done at once, and noted in the order in which they were asked for. */
#include "tests/runtime/fake_cuda_parts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_long n_events;
static atomic_long n_host_blocks;
static atomic_size_t n_host_bytes;
static struct {
    long n;
    fake_step steps[FAKE_KEPT_STEPS];
} log_of;

long fake_n_events(void)
{
    return n_events;
}

long fake_n_host_blocks(void)
{
    return n_host_blocks;
}

size_t fake_n_host_bytes(void)
{
    return n_host_bytes;
}

long fake_n_steps(void)
{
    return log_of.n;
}

const fake_step *fake_step_at(long index)
{
    return &log_of.steps[index % FAKE_KEPT_STEPS];
}

void fake_forget_steps(void)
{
    log_of.n = 0;
}

void fake_step_add(fake_step step)
{
    log_of.steps[log_of.n++ % FAKE_KEPT_STEPS] = step;
}

hone_cu_result cuMemcpyHtoDAsync_v2(hone_cu_ptr to, const void *from,
                                    size_t size_bytes, hone_stream s)
{
    FAKE_ENTER();
    memcpy((void *)(uintptr_t)to, from, size_bytes);
    fake_step_add((fake_step){
        .kind = FAKE_COPY_IN, .stream = s, .to = to, .size_bytes = size_bytes});
    return 0;
}

hone_cu_result cuMemcpyDtoHAsync_v2(void *to, hone_cu_ptr from,
                                    size_t size_bytes, hone_stream s)
{
    FAKE_ENTER();
    memcpy(to, (const void *)(uintptr_t)from, size_bytes);
    fake_step_add((fake_step){.kind = FAKE_COPY_OUT,
                              .stream = s,
                              .to = (uintptr_t)to,
                              .size_bytes = size_bytes});
    return 0;
}

/* The size stands before the block. */
hone_cu_result cuMemHostAlloc(void **out, size_t size_bytes, unsigned flags)
{
    unsigned char *block;

    FAKE_ENTER();
    if (flags != HONE_CU_HOST_SHARED)
        return FAKE_INVALID_VALUE;
    block = malloc(size_bytes + 256);
    if (!block)
        return HONE_CU_OUT_OF_MEMORY;
    memcpy(block, &size_bytes, sizeof size_bytes);
    *out = block + 256;
    n_host_blocks++;
    n_host_bytes += size_bytes;
    return 0;
}

hone_cu_result cuMemFreeHost(void *p)
{
    unsigned char *const block = (unsigned char *)p - 256;
    size_t size_bytes;

    memcpy(&size_bytes, block, sizeof size_bytes);
    n_host_bytes -= size_bytes;
    n_host_blocks--;
    free(block);
    FAKE_ENTER();
    return 0;
}

hone_cu_result cuEventCreate(hone_cu_event *out, unsigned flags)
{
    FAKE_ENTER();
    *out = malloc(8);
    n_events++;
    return flags == HONE_CU_EVENT_NO_TIMING ? 0 : FAKE_INVALID_VALUE;
}

hone_cu_result cuEventDestroy_v2(hone_cu_event e)
{
    free(e);
    n_events--;
    FAKE_ENTER();
    return 0;
}

hone_cu_result cuEventRecord(hone_cu_event e, hone_stream s)
{
    FAKE_ENTER();
    fake_step_add((fake_step){.kind = FAKE_RECORD, .stream = s, .event = e});
    return 0;
}

hone_cu_result cuStreamQuery(hone_stream s)
{
    (void)s;
    FAKE_ENTER();
    return 0;
}

hone_cu_result cuStreamWaitEvent(hone_stream s, hone_cu_event e, unsigned flags)
{
    FAKE_ENTER();
    fake_step_add((fake_step){.kind = FAKE_WAIT, .stream = s, .event = e});
    return flags ? FAKE_INVALID_VALUE : 0;
}

hone_cu_result cuEventSynchronize(hone_cu_event e)
{
    FAKE_ENTER();
    fake_step_add((fake_step){.kind = FAKE_HOST_WAIT, .event = e});
    return 0;
}
