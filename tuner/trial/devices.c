/* SPDX-License-Identifier: Apache-2.0 */
/* See devices.h; the table is HONE_BACKEND_MAP. */
#include "tuner/trial/devices.h"

#include "tuner/process/ask.h"

#include <string.h>

#define DECLARE(id, name, compiler)                                            \
    extern const hone_device_kind hone__##name##_device;
HONE_BACKEND_MAP(DECLARE)
#undef DECLARE

const hone_device_kind *hone__device_kind(hone_backend backend)
{
    static const hone_device_kind *const kinds[] = {
#define KIND(id, name, compiler) &hone__##name##_device,
        HONE_BACKEND_MAP(KIND)
#undef KIND
    };

    return kinds[backend];
}

typedef struct which_device {
    const hone_device_kind *kind;
    int ordinal;
} which_device;

static hone_status identify(const which_device *which, hone_device_report *out,
                            hone_error *err)
{
    hone_device device;

    memset(&device, 0, sizeof device);
    memset(out, 0, sizeof *out);
    HONE_TRY(which->kind->identify(&device, which->ordinal, err));
    memcpy(out->name, device.name, sizeof out->name);
    out->driver_version = device.driver_version;
    out->n_devices = device.n_devices;
    out->properties = device.properties;
    which->kind->describe(&device, out);
    return HONE_OK;
}

static int describe(void *user, int from_parent, int to_parent)
{
    hone_device_report report;
    hone_error err = {.status = HONE_OK};
    const hone_status status = identify(user, &report, &err);

    (void)from_parent;
    return hone__ask_answer(to_parent, &report, sizeof report, status, &err);
}

hone_status hone__device_describe(hone_backend backend, int ordinal,
                                  double at_most_s,
                                  const volatile sig_atomic_t *stop,
                                  hone_device_report *out, hone_error *err)
{
    which_device which = {hone__device_kind(backend), ordinal};
    const hone_question question = {
        .run = describe,
        .user = &which,
        .first = {"asking the driver for its devices",
                  "'nvidia-smi' says whether the driver answers at all",
                  at_most_s, HONE_ERR_CUDA},
        .stop = stop};

    /* A driver that is started here could not be used in a child. */
    return which.kind->driver ? hone__ask(&question, out, sizeof *out, err)
                              : identify(&which, out, err);
}
