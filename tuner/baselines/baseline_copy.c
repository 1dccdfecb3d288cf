/* SPDX-License-Identifier: Apache-2.0 */
/* Baseline "memcpy": the driver's device-to-device copy of half of the bytes
 * that the operation declares with `work bytes`, so that bytes read plus
 * bytes written are those of the operation (to within 16). It copies between
 * buffers of its own, since half of the traffic need not fit one argument;
 * the arguments stay as they are. When the caller's first array is another
 * one than in the call before (cold measuring rotates buffers), the copy
 * moves on too, through a ring over 3x the L2; else it stays (hot). */
#include "tuner/baselines/baseline.h"

#include <stdio.h>

enum { SLOT_ALIGNMENT = 256, COPY_GRANULE = 16 };

typedef struct copy_state {
    hone_cu_ptr memory;
    size_t copy_bytes;
    size_t half_slot_bytes; /* source, then target */
    size_t n_slots;
    size_t slot;
    int array; /* the argument that is watched, or -1 */
    hone_cu_ptr last;
} copy_state;

static size_t round_up(size_t value, size_t granule)
{
    return (value + granule - 1) / granule * granule;
}

static int first_array(const hone_resolved *problem)
{
    for (size_t i = 0; i < problem->n_args; i++)
        if (problem->args[i].mode != HONE_ARG_SCALAR)
            return (int)i;
    return -1;
}

/* Bytes of level 2 cache of the current context's device. */
static hone_status cache_size(const hone_driver *driver, size_t *out,
                              hone_error *err)
{
    hone_cu_device device = 0;
    int bytes = 0;

    HONE_TRY(hone__driver_check(driver, driver->context_device(&device),
                                "cuCtxGetDevice", err));
    HONE_TRY(hone__driver_check(
        driver, driver->device_attribute(&bytes, HONE_CU_ATTR_L2_BYTES, device),
        "cuDeviceGetAttribute", err));
    *out = bytes > 0 ? (size_t)bytes : 0;
    return HONE_OK;
}

/* Written once: a copy of memory that was never written is no fair baseline,
 * and a checker would complain of it. */
static hone_status allocate(const hone_driver *driver, copy_state *state,
                            hone_error *err)
{
    const size_t size_bytes = state->n_slots * 2 * state->half_slot_bytes;

    HONE_TRY(hone__driver_check(
        driver, driver->memory_alloc(&state->memory, size_bytes),
        "allocating the buffers of memcpy", err));
    HONE_TRY(hone__driver_check(
        driver,
        driver->fill32_async(state->memory, 0x3f9d70a4u, size_bytes / 4, NULL),
        "cuMemsetD32Async", err));
    return hone__driver_check(driver, driver->context_synchronize(),
                              "cuCtxSynchronize", err);
}

static hone_status copy_open(hone_baseline *self, const hone_resolved *problem,
                             hone_error *err)
{
    copy_state *const state = self->state;
    size_t cache_bytes = 0;

    if (problem->bytes <= 0)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "baseline 'memcpy' copies as much as operation '%s' "
                          "moves, but its template declares no 'work' with "
                          "bytes(..)",
                          self->op);
    state->copy_bytes = round_up(
        (size_t)(problem->bytes / 2 + problem->bytes % 2), COPY_GRANULE);
    state->half_slot_bytes = round_up(state->copy_bytes, SLOT_ALIGNMENT);
    HONE_TRY(cache_size(self->driver, &cache_bytes, err));
    state->n_slots = 1 + 3 * cache_bytes / (2 * state->half_slot_bytes);
    state->array = first_array(problem);
    HONE_TRY(allocate(self->driver, state, err));
    (void)snprintf(self->label, sizeof self->label,
                   "memory copy (cuMemcpyDtoDAsync) of the same traffic");
    return HONE_OK;
}

static void copy_close(hone_baseline *self)
{
    const copy_state *const state = self->state;

    if (state->memory)
        (void)self->driver->memory_free(state->memory);
}

static hone_status copy_enqueue(hone_baseline *self, void *const *args,
                                hone_stream stream, hone_error *err)
{
    copy_state *const state = self->state;
    hone_cu_ptr source;

    if (state->array >= 0) {
        const hone_cu_ptr now = *(const hone_cu_ptr *)args[state->array];

        if (now != state->last)
            state->slot = (state->slot + 1) % state->n_slots;
        state->last = now;
    }
    source = state->memory + state->slot * 2 * state->half_slot_bytes;
    return hone__driver_check(
        self->driver,
        self->driver->copy_async(source + state->half_slot_bytes, source,
                                 state->copy_bytes, stream),
        "cuMemcpyDtoDAsync", err);
}

const hone_baseline_kind hone__baseline_memcpy = {
    0, sizeof(copy_state), copy_open, copy_close, copy_enqueue};
