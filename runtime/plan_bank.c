/* SPDX-License-Identifier: Apache-2.0 */
/* Constant memory of plans: one module, or one address of the cpu device, per
 * stream, and whether it is filled. See plan_special.h. */
#include "runtime/plan_special.h"

#include <stdio.h>

/* Where the constants are in the bank's own module. */
static hone_status find_constants(const hone_special *special, hone_bank *bank,
                                  hone_error *err)
{
    const hone_driver *driver = special->device->driver;

    for (unsigned i = 0; i < special->n_constants; ++i) {
        size_t size_bytes = 0;

        HONE_TRY(hone__driver_check(
            driver,
            driver->module_global(&bank->to[i], &size_bytes, bank->module,
                                  special->constants[i].name),
            "finding constant memory (cuModuleGetGlobal)", err));
    }
    return HONE_OK;
}

static hone_status fill_bank(const hone_special *special, hone_bank *bank,
                             hone_error *err)
{
    const hone_device *device = special->device;
    const hone_driver *driver = device->driver;

    HONE_TRY(hone__driver_check(
        driver, driver->module_load(&bank->module, special->code.data),
        "loading the kernels for one more stream (cuModuleLoadData; while a "
        "stream is captured, call hone_plan_prepare() before)",
        err));
    HONE_TRY(find_constants(special, bank, err));
    for (unsigned i = 0; i < special->n_launches; ++i) {
        const hone_resolved_launch *launch = &special->launches[i];

        HONE_TRY(hone__driver_kernel(driver, bank->module, launch->kernel, 0,
                                     &bank->functions[i], err));
        HONE_TRY(hone__driver_prepare(driver, bank->functions[i],
                                      launch->kernel, &special->shapes[i],
                                      &device->target.properties, err));
    }
    return HONE_OK;
}

hone_status hone__plan_bank_create(const hone_special *special, hone_bank **out,
                                   hone_error *err)
{
    hone_status status = HONE_OK;
    hone_bank *bank;

    *out = NULL;
    if (!special || !special->n_constants)
        return HONE_OK;
    bank = hone__alloc(sizeof *bank);
    if (!bank || pthread_mutex_init(&bank->lock, NULL)) {
        hone__free(bank);
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for constant memory of a stream");
    }
    if (special->device->driver)
        status = fill_bank(special, bank, err);
    if (status == HONE_OK)
        *out = bank;
    else
        hone__plan_bank_free(bank, special->device);
    return status;
}

void hone__plan_bank_free(hone_bank *bank, const hone_device *device)
{
    if (!bank)
        return;
    if (device && device->driver && bank->module)
        (void)device->driver->module_unload(bank->module);
    (void)pthread_mutex_destroy(&bank->lock);
    hone__free(bank);
}

unsigned hone__plan_bank_stale(const hone_plan *plan, hone_bank *bank,
                               void *const *args, uint64_t capture)
{
    const hone_special *special = plan->owner->special;
    /* Both only grow: their sum changes if one of them does. */
    const uint64_t n_refreshed =
        atomic_load_explicit(&special->n_refreshed, memory_order_acquire) +
        atomic_load_explicit(&plan->owner->ctx->n_refreshed,
                             memory_order_acquire);
    unsigned stale = 0;

    bank->was_captured |= capture != 0;
    if (bank->n_refreshed != n_refreshed || bank->capture != capture ||
        (bank->was_captured && !capture))
        bank->filled = 0;
    for (unsigned i = 0; i < special->n_constants; ++i) {
        hone_cu_ptr from;

        memcpy(&from, args[special->constants[i].arg], sizeof from);
        if (!(bank->filled >> i & 1) || bank->from[i] != from)
            stale |= 1u << i;
        bank->from[i] = from;
    }
    bank->n_refreshed = n_refreshed;
    bank->capture = capture;
    bank->filled |= stale;
    return stale;
}

void hone__plan_bank_forget(hone_bank *bank)
{
    bank->filled = 0;
}
