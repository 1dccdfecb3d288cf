/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a device what it is, in a child process, so that the caller stays
 * free of CUDA and can fork. */
#include "tuner/trial/device_worker.h"
#include "tuner/trial/devices.h"

#include <stdio.h>
#include <string.h>

typedef struct question {
    const hone_device_kind *kind;
    int ordinal;
} question;

static hone_status identify(const question *q, hone_device_report *out,
                            hone_error *err)
{
    hone_device device;

    memset(&device, 0, sizeof device);
    memset(out, 0, sizeof *out);
    HONE_TRY(q->kind->identify(&device, q->ordinal, err));
    memcpy(out->name, device.name, sizeof out->name);
    out->driver_version = device.driver_version;
    out->properties = device.properties;
    q->kind->describe(&device, out);
    return HONE_OK;
}

static int describe(void *user, int from_parent, int to_parent)
{
    hone_device_report report;
    hone_error err = {.status = HONE_OK};
    hone_text payload = {0};

    (void)from_parent;
    if (identify(user, &report, &err) != HONE_OK) {
        hone__device_worker_failed(to_parent, &err);
        return 1;
    }
    hone__pack_bytes(&payload, &report, sizeof report);
    (void)hone__message_send(to_parent, HONE_DEVICE_READY, &payload, NULL);
    hone__text_free(&payload);
    return 0;
}

hone_status hone__worker_ask(hone_worker_main *run, void *user, void *out,
                             size_t out_bytes, hone_error *err)
{
    hone_worker worker;
    hone_text payload = {0};
    hone_unpack in;
    uint32_t kind = 0;
    char how[128];
    hone_status status = hone__worker_start(&worker, run, user, -1, err);

    if (status != HONE_OK)
        return status;
    status = hone__message_receive(worker.from, &kind, &payload, err);
    in = (hone_unpack){payload.data, payload.data + payload.length, 0};
    hone__worker_stop(&worker, 2.0, how, sizeof how);
    if (status == HONE_ERR_NOT_FOUND || status == HONE_ERR_IO) {
        status = hone__fail(err, HONE_ERR_CUDA,
                            "a process that used the GPU ended without an "
                            "answer: %s",
                            how);
    } else if (status == HONE_OK && kind == HONE_DEVICE_FAILED) {
        const hone_status code = (hone_status)hone__unpack_i64(&in);
        const hone_domain domain = (hone_domain)hone__unpack_i64(&in);
        const int native = (int)hone__unpack_i64(&in);

        status = hone__fail_native(err, code, domain, native, "%s",
                                   hone__unpack_string(&in));
    } else if (status == HONE_OK) {
        size_t size_bytes = 0;
        const void *bytes = hone__unpack_bytes(&in, &size_bytes);

        if (size_bytes == out_bytes)
            memcpy(out, bytes, out_bytes);
        else
            status = hone__fail(err, HONE_ERR_INTERNAL,
                                "a worker's answer has the wrong size");
    }
    hone__text_free(&payload);
    return status;
}

hone_status hone__device_describe(hone_backend backend, int ordinal,
                                  hone_device_report *out, hone_error *err)
{
    question q = {hone__device_kind(backend), ordinal};

    /* A driver that is started here could not be used in a child. */
    return q.kind->needs_code
               ? hone__worker_ask(describe, &q, out, sizeof *out, err)
               : identify(&q, out, err);
}
