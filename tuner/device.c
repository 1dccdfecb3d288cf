/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU in a worker process: see device.h. */
#include "tuner/device.h"

#include "tuner/worker.h"

#include <stdio.h>
#include <string.h>

int hone__cuda_is_fatal(int result)
{
    /* Codes after which cuda.h says that the process must be relaunched:
     * 700 illegal address, 702 launch timeout, 710 assert, 714 hardware
     * stack error, 715 illegal instruction, 716 misaligned address, 717
     * invalid address space, 718 invalid program counter, 719 launch
     * failed, 721 launch failure of the external kind, 999 unknown. */
    static const int codes[] = {700, 702, 710, 714, 715, 716,
                                717, 718, 719, 721, 999};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
        if (result == codes[i])
            return 1;
    }
    return 0;
}

hone_status hone__device_identify(hone_gpu *device, int ordinal,
                                  hone_error *err)
{
    int n = 0;
    const hone_cuda *cuda;

    memset(device, 0, sizeof *device);
    HONE_TRY(hone__cuda_get(&device->cuda, err));
    cuda = device->cuda;
    HONE_TRY(hone__cuda_check(cuda, cuda->device_count(&n),
                              "counting CUDA devices", err));
    if (ordinal < 0 || ordinal >= n)
        return hone__fail(err, HONE_ERR_NO_GPU,
                          "there is no CUDA device %d: the driver shows %d; "
                          "choose one with --device cuda:N",
                          ordinal, n);
    HONE_TRY(hone__cuda_check(cuda, cuda->device_get(&device->ordinal, ordinal),
                              "opening the CUDA device", err));
    HONE_TRY(hone__cuda_check(
        cuda,
        cuda->device_name(device->name, (int)sizeof device->name,
                          device->ordinal),
        "reading the device's name", err));
    HONE_TRY(hone__cuda_check(cuda,
                              cuda->driver_version(&device->driver_version),
                              "reading the driver's version", err));
    return hone__cuda_facts(cuda, device->ordinal, &device->facts, err);
}

static hone_status load_code(hone_gpu *device, const void *code,
                             hone_error *err)
{
    const struct {
        const char *symbol;
        hone_cu_function *function;
    } kernels[] = {
#define DEVICE_KERNEL(field, symbol) {symbol, &device->kernel.field},
        HONE_DEVICE_KERNEL_MAP(DEVICE_KERNEL)
#undef DEVICE_KERNEL
    };

    HONE_TRY(hone__cuda_check(device->cuda,
                              device->cuda->module_load(&device->code, code),
                              "loading the tuner's own kernels", err));
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i)
        HONE_TRY(hone__cuda_kernel(device->cuda, device->code,
                                   kernels[i].symbol, 0, kernels[i].function,
                                   err));
    return HONE_OK;
}

hone_status hone__device_open(hone_gpu *device, int ordinal,
                              const void *code, hone_error *err)
{
    const hone_cuda *cuda;

    HONE_TRY(hone__device_identify(device, ordinal, err));
    cuda = device->cuda;
    HONE_TRY(hone__cuda_check(
        cuda, cuda->primary_retain(&device->context, device->ordinal),
        "making a CUDA context", err));
    HONE_TRY(hone__cuda_check(cuda, cuda->context_set(device->context),
                              "making the CUDA context current", err));
    /* A blocking stream: copies from the host go through the legacy stream
     * and must be over before our kernels run. */
    HONE_TRY(hone__cuda_check(cuda, cuda->stream_create(&device->stream, 0),
                              "making a CUDA stream", err));
    HONE_TRY(hone__cuda_check(
        cuda, cuda->memory_alloc(&device->scratch, HONE_SCRATCH_BYTES),
        "allocating device memory", err));
    HONE_TRY(hone__nvml_open(cuda, device->ordinal, &device->nvml, err));
    return code ? load_code(device, code, err) : HONE_OK;
}

void hone__device_close(hone_gpu *device)
{
    if (!device->cuda)
        return;
    if (device->code)
        (void)device->cuda->module_unload(device->code);
    if (device->scratch)
        (void)device->cuda->memory_free(device->scratch);
    if (device->stream)
        (void)device->cuda->stream_destroy(device->stream);
    if (device->context)
        (void)device->cuda->primary_release(device->ordinal);
    hone__nvml_close(device->nvml);
    memset(device, 0, sizeof *device);
}

hone_status hone__device_run(hone_gpu *device, hone_cu_function kernel,
                             int64_t n, void **params, const char *what,
                             hone_error *err)
{
    enum { BLOCK = 256, MAX_BLOCKS = 132 * 16 };
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    const unsigned grid =
        blocks < 1 ? 1 : blocks > MAX_BLOCKS ? MAX_BLOCKS : (unsigned)blocks;

    return hone__cuda_check(device->cuda,
                            device->cuda->launch(kernel, grid, 1, 1, BLOCK, 1,
                                                 1, 0, device->stream, params,
                                                 NULL),
                            what, err);
}

hone_status hone__device_synchronize(hone_gpu *device, const char *what,
                                     hone_error *err)
{
    return hone__cuda_check(device->cuda,
                            device->cuda->stream_synchronize(device->stream),
                            what, err);
}

hone_status hone__device_warm_up(hone_gpu *device, double max_s,
                                 hone_error *err)
{
    const double start_s = hone__now_s();
    int64_t cycles = 50 * 1000 * 1000; /* about 25 ms at 2 GHz */
    void *params[] = {&cycles, &device->scratch};
    int last_mhz = 0;

    while (hone__now_s() - start_s < max_s) {
        hone_nvml_sample sample;

        HONE_TRY(hone__device_run(device, device->kernel.spin, INT32_MAX,
                                  params, "warming up", err));
        HONE_TRY(hone__device_synchronize(device, "warming up", err));
        hone__nvml_sample(device->nvml, &sample);
        /* Settled: two readings within 1 % after at least 100 ms. Without
         * NVML both are -1 and the whole time is spent. */
        if (hone__now_s() - start_s > 0.1 && last_mhz > 0 &&
            sample.sm_clock_mhz * 100 >= last_mhz * 99 &&
            sample.sm_clock_mhz * 99 <= last_mhz * 100)
            return HONE_OK;
        last_mhz = sample.sm_clock_mhz;
    }
    return HONE_OK;
}

hone_status hone__block_alloc(hone_gpu *device, size_t size_bytes,
                              hone_block *out, hone_error *err)
{
    const hone_cuda *cuda = device->cuda;
    /* Whole guards behind the last byte, whatever the size. */
    const size_t room = 2 * (size_t)HONE_GUARD_BYTES + size_bytes;

    *out = (hone_block){0, 0, 0};
    HONE_TRY(hone__cuda_check(cuda, cuda->memory_alloc(&out->base, room),
                              "allocating device memory", err));
    out->data = out->base + HONE_GUARD_BYTES;
    out->size_bytes = size_bytes;
    return hone__cuda_check(cuda,
                            cuda->fill8_async(out->base, 0xff, room,
                                              device->stream),
                            "filling device memory", err);
}

void hone__block_free(hone_gpu *device, hone_block *block)
{
    if (block->base)
        (void)device->cuda->memory_free(block->base);
    *block = (hone_block){0, 0, 0};
}

hone_status hone__block_check(hone_gpu *device, const hone_block *block,
                              const char *what, hone_error *err)
{
    const hone_cuda *cuda = device->cuda;
    hone_cu_ptr regions[] = {block->base, block->data + block->size_bytes};
    int64_t n = HONE_GUARD_BYTES;
    int value = 0xff;
    uint64_t n_written[2] = {0, 0};

    HONE_TRY(hone__cuda_check(
        cuda,
        cuda->fill8_async(device->scratch, 0, sizeof n_written,
                          device->stream),
        "clearing a counter", err));
    for (int i = 0; i < 2; ++i) {
        hone_cu_ptr count = device->scratch + 8 * (unsigned)i;
        void *params[] = {&regions[i], &n, &value, &count};

        HONE_TRY(hone__device_run(device, device->kernel.count_other, n,
                                  params, "checking guard bands", err));
    }
    HONE_TRY(hone__device_synchronize(device, "checking guard bands", err));
    HONE_TRY(hone__cuda_check(cuda,
                              cuda->copy_to_host(n_written, device->scratch,
                                                 sizeof n_written),
                              "reading guard bands", err));
    for (int i = 0; i < 2; ++i) {
        if (n_written[i])
            return hone__fail(err, HONE_ERR_CONSTRAINT,
                              "%llu bytes %s '%s' were written",
                              (unsigned long long)n_written[i],
                              i ? "behind" : "before", what);
    }
    return HONE_OK;
}
