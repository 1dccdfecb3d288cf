/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's side of a final: see final_client.h. */
#include "tuner/final_client.h"

#include "tuner/cpu_worker.h"

#include <poll.h>
#include <string.h>

enum { TIMEOUT_S = 180 };

typedef struct client {
    hone_worker worker;
    const volatile sig_atomic_t *stop;
} client;

static int is_stopped(const client *c)
{
    return c->stop && *c->stop;
}

static hone_status send_jobs(const client *c, const hone_trial_job *jobs,
                             int n_jobs, hone_error *err)
{
    hone_text payload = {0};
    hone_status status;

    hone__pack_i64(&payload, n_jobs);
    for (int i = 0; i < n_jobs; ++i)
        hone__trial_job_pack(&payload, &jobs[i]);
    status = hone__message_send(c->worker.to, HONE_GPU_FINAL, &payload, err);
    hone__text_free(&payload);
    return status;
}

static hone_status take_failure(hone_unpack *in, hone_error *err)
{
    const hone_status status = (hone_status)hone__unpack_i64(in);
    const hone_domain domain = (hone_domain)hone__unpack_i64(in);
    const int native = (int)hone__unpack_i64(in);

    return hone__fail_native(err, status, domain, native, "%s",
                             hone__unpack_string(in));
}

static hone_status take_report(hone_unpack *in, hone_final_report *out,
                               hone_error *err)
{
    size_t size_bytes = 0;
    const void *bytes = hone__unpack_bytes(in, &size_bytes);

    if (in->broken || size_bytes != sizeof *out)
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "the report of a final has the wrong size");
    memcpy(out, bytes, sizeof *out);
    return HONE_OK;
}

/* Wait for READY or RANKED. HONE_ERR_CUDA if the worker ends before. */
static hone_status wait_for(client *c, uint32_t wanted,
                            hone_final_report *out, hone_error *err)
{
    const double deadline_s = hone__now_s() + TIMEOUT_S;

    while (hone__now_s() < deadline_s && !is_stopped(c)) {
        struct pollfd ready = {c->worker.from, POLLIN, 0};
        uint32_t kind = 0;
        hone_unpack in;
        int open;

        if (poll(&ready, 1, 100) <= 0)
            continue;
        open = hone__inbox_fill(&c->worker.inbox, c->worker.from);
        while (hone__inbox_next(&c->worker.inbox, &kind, &in)) {
            if (kind == HONE_GPU_FAILED)
                return take_failure(&in, err);
            if (kind == wanted)
                return kind == HONE_GPU_RANKED ? take_report(&in, out, err)
                                               : HONE_OK;
        }
        if (!open)
            return hone__fail(err, HONE_ERR_CUDA,
                              "the process that runs the final ended");
    }
    return is_stopped(c)
               ? hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted")
               : hone__fail(err, HONE_ERR_CUDA,
                            "the final did not finish within %d s",
                            TIMEOUT_S);
}

hone_status hone__final_ask(hone_backend backend, hone_gpu_setup *setup,
                            const hone_trial_job *jobs, int n_jobs,
                            const volatile sig_atomic_t *stop,
                            hone_final_report *out, hone_error *err)
{
    hone_worker_main *run =
        backend == HONE_BACKEND_CPU ? hone__cpu_worker : hone__gpu_worker;
    hone_status status = HONE_ERR_CUDA;

    for (int attempt = 0; attempt < 2 && status == HONE_ERR_CUDA; ++attempt) {
        client c = {.stop = stop};

        HONE_TRY(hone__worker_start(&c.worker, run, setup, -1, err));
        status = wait_for(&c, HONE_GPU_READY, out, err);
        if (status == HONE_OK)
            status = send_jobs(&c, jobs, n_jobs, err);
        if (status == HONE_OK)
            status = wait_for(&c, HONE_GPU_RANKED, out, err);
        hone__worker_stop(&c.worker, status == HONE_OK ? 2.0 : 0, NULL, 0);
    }
    return status;
}
