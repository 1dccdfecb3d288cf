/* SPDX-License-Identifier: Apache-2.0 */
/* The process that owns the GPU: sets the problem up, then answers jobs. */
#include "tuner/trial/device_worker.h"

#include "runtime/base/alloc.h"
#include "tuner/judge/final.h"
#include "tuner/cuda/warm_up.h"

#include <stdio.h>
#include <string.h>

void hone__device_worker_failed(int to_parent, const hone_error *err)
{
    hone_text payload = {0};

    hone__pack_i64(&payload, err->status);
    hone__pack_i64(&payload, err->domain);
    hone__pack_i64(&payload, err->native);
    hone__pack_string(&payload, err->text);
    (void)hone__message_send(to_parent, HONE_DEVICE_FAILED, &payload, NULL);
    hone__text_free(&payload);
}

/* Checks that could not be made, and a smaller set-up, for a person. */
static void describe(const hone_problem *problem, char *out, size_t size)
{
    char note[256] = "";
    size_t at = 0;

    for (size_t i = 0; i < problem->n_checks && at < size; ++i) {
        if (problem->checks[i].skipped[0])
            at += (size_t)snprintf(out + at, size - at,
                                   "%scheck %s was left out: %s",
                                   at ? "; " : "", problem->checks[i].name,
                                   problem->checks[i].skipped);
    }
    if (problem->n_sets)
        hone__problem_note(problem, note, sizeof note);
    if (note[0] && at < size)
        (void)snprintf(out + at, size - at, "%s%s", at ? "; " : "", note);
}

static void say_ready(const hone_problem *problem, const hone_warm_up *warm_up,
                      double start_s, int to_parent)
{
    hone_ready_report ready = {.event_floor_ns =
                                   problem->device->event_floor_ns,
                               .warm_up_s = warm_up->seconds,
                               .n_sets = (int)problem->n_sets,
                               .n_sets_wanted = (int)problem->n_sets_wanted};
    hone_roofline peak = hone__problem_roofline(problem);
    hone_text payload = {0};

    describe(problem, ready.notes, sizeof ready.notes);
    ready.peak_bytes_per_s = peak.bytes_per_s;
    ready.peak_flops = peak.flops_per_s;
    ready.setup_s = hone__now_s() - start_s;
    hone__ready_report_pack(&payload, &ready);
    (void)hone__message_send(to_parent, HONE_DEVICE_READY, &payload, NULL);
    hone__text_free(&payload);
}

/* A context that is lost, or memory that is damaged, makes the report the
 * last thing this process says: the caller leaves. */
static hone_status answer_trial(hone_problem *problem,
                                const hone_problem_setup *setup,
                                hone_unpack *in, int verify, int to_parent,
                                int *out_leave, hone_error *err)
{
    hone_trial_job job;
    hone_trial_report report;
    hone_text payload = {0};
    hone_status status;

    hone__trial_job_unpack(in, &job);
    if (in->broken)
        return hone__fail(err, HONE_ERR_INTERNAL, "a trial arrived broken");
    if (verify)
        HONE_TRY(hone__trial_verify(problem, setup, &job, &report, err));
    else
        HONE_TRY(hone__trial_run(problem, &job, &report, err));
    hone__trial_report_pack(&payload, &report);
    status = hone__message_send(to_parent, HONE_DEVICE_RESULT, &payload, err);
    hone__text_free(&payload);
    *out_leave = report.leaving;
    return status;
}

static hone_status serve(hone_problem *problem, const hone_problem_setup *setup,
                         int from_parent, int to_parent, hone_error *err)
{
    hone_text request = {0};
    hone_status status = HONE_OK;
    uint32_t kind = 0;
    int leave = 0;

    while (status == HONE_OK && !leave &&
           hone__message_receive(from_parent, &kind, &request, NULL) ==
               HONE_OK) {
        hone_unpack in = {request.data, request.data + request.length, 0};

        if (kind == HONE_DEVICE_TRIAL || kind == HONE_DEVICE_VERIFY)
            status =
                answer_trial(problem, setup, &in, kind == HONE_DEVICE_VERIFY,
                             to_parent, &leave, err);
        else if (kind == HONE_DEVICE_FINAL)
            status = hone__final_answer(problem, setup, &in, to_parent, err);
        else
            status = hone__fail(err, HONE_ERR_INTERNAL,
                                "unknown request %u to the GPU worker",
                                (unsigned)kind);
    }
    hone__text_free(&request);
    return status;
}

/* The tuner's own kernels, from the parent. */
static hone_status receive_code(hone_gpu *device, int from_parent,
                                hone_error *err)
{
    hone_text message = {0};
    uint32_t kind = 0;
    hone_status status =
        hone__message_receive(from_parent, &kind, &message, err);

    if (status == HONE_OK && kind != HONE_DEVICE_CODE_JOB)
        status = hone__fail(err, HONE_ERR_INTERNAL,
                            "the GPU worker waits for its kernels and got "
                            "request %u",
                            (unsigned)kind);
    if (status == HONE_OK)
        status = hone__device_load(device, message.data, err);
    hone__text_free(&message);
    return status;
}

static hone_status set_up(const hone_worker_setup *setup, int from_parent,
                          hone_gpu *device, hone_problem *problem,
                          hone_warm_up *warm_up, hone_error *err)
{
    HONE_TRY(hone__device_open(device, setup->device, setup->device_code, err));
    if (!setup->device_code)
        HONE_TRY(receive_code(device, from_parent, err));
    if (setup->verify_only) {
        problem->device = device;
        return HONE_OK;
    }
    HONE_TRY(hone__problem_open(device, &setup->problem, problem, err));
    problem->timing = setup->timing;
    return hone__device_warm_up(device, warm_up, err);
}

int hone__device_worker(void *user, int from_parent, int to_parent)
{
    const hone_worker_setup *setup = user;
    const double start_s = hone__now_s();
    hone_problem *problem = hone__alloc(sizeof *problem);
    hone_warm_up warm_up = {0, 0, 0};
    hone_gpu device = {.driver = NULL};
    hone_error err = {.status = HONE_OK};
    hone_status status =
        problem ? HONE_OK
                : hone__fail(&err, HONE_ERR_NO_MEMORY, "out of memory");

    hone__worker_name("hone-trial");
    if (status == HONE_OK)
        status = set_up(setup, from_parent, &device, problem, &warm_up, &err);
    if (status == HONE_OK)
        say_ready(problem, &warm_up, start_s, to_parent);
    if (status == HONE_OK)
        status = serve(problem, &setup->problem, from_parent, to_parent, &err);
    if (status != HONE_OK)
        hone__device_worker_failed(to_parent, &err);
    /* No clean-up: the process ends, and a lost context could hang in it. */
    return status == HONE_OK ? 0 : 1;
}
