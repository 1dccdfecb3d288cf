/* SPDX-License-Identifier: Apache-2.0 */
/* The host as a device: the driver of runtime/driver/host_driver.c, and helper
 * kernels that are C functions. */
#include "tuner/cpu/cpu_device.h"

#include "runtime/base/hash.h"
#include "tuner/judge/check_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- helper kernels ------------------------------------------------------
 * Parameters and results are those of cuda/device_code.cu; hashes are others,
 * which nobody compares with a GPU's. */

#define PARAM(type, i) (*(type *)params[i])

static void *pointer_at(void **params, int i)
{
    return (void *)(uintptr_t)PARAM(hone_cu_ptr, i);
}

static void fill(void **params)
{
    const int type = PARAM(int, 0);

    for (int64_t i = 0; i < PARAM(int64_t, 2); ++i)
        hone__element_store(
            type, pointer_at(params, 1), i,
            hone__inputs_value(params[4], PARAM(uint64_t, 3), (uint64_t)i));
}

static void absolute(void **params)
{
    const int type = PARAM(int, 0);

    for (int64_t i = 0; i < PARAM(int64_t, 3); ++i)
        hone__element_store(
            type, pointer_at(params, 1), i,
            fabs(hone__element_load(type, pointer_at(params, 2), i)));
}

static void perturb(void **params)
{
    const int type = PARAM(int, 0);

    for (int64_t i = 0; i < PARAM(int64_t, 3); ++i)
        hone__element_store(
            type, pointer_at(params, 1), i,
            hone__magnitude_perturbed(
                hone__element_load(type, pointer_at(params, 2), i),
                PARAM(uint64_t, 4), (uint64_t)i, PARAM(double, 5)));
}

static void spread(void **params)
{
    double *const squares = pointer_at(params, 1);
    const double *const value = pointer_at(params, 2);

    for (int64_t i = 0; i < PARAM(int64_t, 4); ++i)
        squares[i] += hone__magnitude_square(
            value[i],
            hone__element_load(PARAM(int, 0), pointer_at(params, 3), i),
            PARAM(double, 5));
}

static void magnitude(void **params)
{
    double *const squares = pointer_at(params, 0);
    const double *const value = pointer_at(params, 1);

    for (int64_t i = 0; i < PARAM(int64_t, 2); ++i)
        squares[i] = hone__magnitude(value[i], squares[i]);
}

static void to_double(void **params)
{
    double *const to = pointer_at(params, 1);
    const double most = PARAM(double, 4);

    for (int64_t i = 0; i < PARAM(int64_t, 3); ++i) {
        to[i] = hone__element_load(PARAM(int, 0), pointer_at(params, 2), i);
        if (to[i] > most)
            to[i] = most;
    }
}

static void norms(void **params)
{
    double *const to = pointer_at(params, 0);
    const double *const from = pointer_at(params, 1);
    const int64_t lanes = PARAM(int64_t, 2);

    for (int64_t row = 0; row < PARAM(int64_t, 3); ++row) {
        double sum = 0;

        for (int64_t i = row * lanes; i < (row + 1) * lanes; ++i)
            sum += from[i] * from[i];
        for (int64_t i = row * lanes; i < (row + 1) * lanes; ++i)
            to[i] = sqrt(sum);
    }
}

static uint64_t damage_of(hone_cu_ptr guard, size_t guard_bytes)
{
    const unsigned char *bytes = (const unsigned char *)(uintptr_t)guard;
    uint64_t n = 0;

    for (size_t i = 0; i < guard_bytes; ++i)
        n += bytes[i] != 0xff;
    return n;
}

static void audit(void **params)
{
    hone_audit_row *const rows = pointer_at(params, 0);

    for (int i = 0; i < PARAM(int, 1); ++i) {
        hone_audit_row *r = &rows[i];
        const size_t guard_bytes = (size_t)(r->data - r->base);

        r->hash = hone__hash64((const void *)(uintptr_t)r->data,
                               (size_t)r->size_bytes);
        r->n_before = damage_of(r->base, guard_bytes);
        r->n_behind =
            damage_of(r->data + (hone_cu_ptr)r->size_bytes, guard_bytes);
    }
}

/* |a - b| of 64-bit integers, of which a double does not hold all. */
static double distance(int type, const void *out, int64_t at, const void *ref,
                       int64_t i)
{
    const uint64_t a = ((const uint64_t *)out)[at];
    const uint64_t b = ((const uint64_t *)ref)[i];
    const int below = type == HONE_TYPE_I64 ? (int64_t)a < (int64_t)b : a < b;

    return (double)(below ? b - a : a - b);
}

/* A reference as the output's type holds it. */
static double rounded(int type, double value)
{
    uint64_t cell = 0;

    hone__element_store(type, &cell, 0, value);
    return hone__element_load(type, &cell, 0);
}

/* One element that must be `want` and is `v`. */
static void judge(double v, double want, double error, double bound,
                  float *worst, int64_t at, hone_compared *out)
{
    if (isinf(want) && v == want) /* the difference is no number */
        return;
    out->value2 += want * want;
    out->error2 += error * error;
    out->n_loose += want != 0 && bound >= fabs(want);
    out->n_tight += want != 0 && bound < fabs(want);
    if (bound > 0 && error / bound > (double)*worst)
        *worst = (float)(error / bound);
    if (error <= bound)
        return;
    out->n_nan += isnan(v) != 0;
    out->n_unbounded += !(bound > 0);
    if (!out->n_bad++)
        out->first_bad = (uint64_t)at;
}

static void compare(void **params)
{
    const int type = PARAM(int, 0);
    const void *out = pointer_at(params, 1);
    const int64_t *index = pointer_at(params, 2);
    const double *ref = pointer_at(params, 3);
    const double *magnitude = pointer_at(params, 4);
    const int exact = PARAM(int, 9);
    const int is_long = hone__type_is_long(type);
    hone_compared *result = pointer_at(params, 10);
    float worst = 0;

    for (int64_t i = 0; i < PARAM(int64_t, 5); ++i) {
        const int64_t at = index ? index[i] : i;
        const double v = hone__element_load(type, out, at);
        const double want = is_long ? hone__element_load(type, ref, i)
                            : exact ? rounded(type, ref[i])
                                    : ref[i];
        const double m = exact ? 0 : magnitude[i];
        const double bound = exact ? 0
                             : m >= 0 && m < 1e308
                                 ? PARAM(double, 6) * m +
                                       PARAM(double, 7) * fabs(want) +
                                       PARAM(double, 8)
                                 : NAN;
        const double error =
            is_long ? distance(type, out, at, ref, i) : fabs(v - want);

        result->magnitude2 += m * m;
        judge(v, want, error, bound, &worst, at, result);
    }
    memcpy(&result->worst_ratio, &worst, sizeof worst);
}

const hone_cpu_kernel hone__cpu_kernels[HONE_N_CPU_KERNELS] = {
    {"hone_fill", fill},           {"hone_absolute", absolute},
    {"hone_perturb", perturb},     {"hone_spread", spread},
    {"hone_magnitude", magnitude}, {"hone_to_double", to_double},
    {"hone_norms", norms},         {"hone_audit", audit},
    {"hone_compare", compare},
};

/* ---- the row ------------------------------------------------------------- */

static hone_status identify(hone_device *device, int ordinal, hone_error *err)
{
    device->driver = hone__host_driver();
    device->ordinal = ordinal;
    device->n_devices = 1;
    hone__properties_of_host(&device->properties);
    return hone__host_name(device->name, sizeof device->name, err);
}

static void describe(const hone_device *device, hone_device_report *out)
{
    (void)device;
    (void)snprintf(out->arch, sizeof out->arch, "cpu");
    (void)snprintf(out->id, sizeof out->id, "cpu");
}

static hone_cu_function find_kernel(const char *name)
{
    static hone_host_function functions[HONE_N_CPU_KERNELS];

    for (int i = 0; i < HONE_N_CPU_KERNELS; ++i) {
        functions[i].run = hone__cpu_kernels[i].run;
        if (strcmp(hone__cpu_kernels[i].name, name) == 0)
            return hone__host_kernel(&functions[i]);
    }
    return NULL;
}

static hone_status begin(hone_device *device, const void *code, hone_error *err)
{
    (void)code;
    (void)err;
#define FIND_KERNEL(field, symbol) device->kernel.field = find_kernel(symbol);
    HONE_DEVICE_KERNEL_MAP(FIND_KERNEL)
#undef FIND_KERNEL
    return HONE_OK;
}

const hone_device_kind hone__cpu_device = {
    .name = "cpu",
    .is_shared = 1,
    .timing = HONE_TIMING_EVENT,
    .trial_s = 0.5,
    .race_s = 5, /* slow variants: fewer rounds */
    .guard_bytes = 256,
    .gate = hone__gate_host,
    .identify = identify,
    .describe = describe,
    .begin = begin,
};
