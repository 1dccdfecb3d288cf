/* SPDX-License-Identifier: Apache-2.0 */
/* The process that owns a device: sets the problem up, then answers jobs. */
#include "tuner/trial/device_worker.h"

#include "runtime/base/alloc.h"
#include "tuner/process/guard.h"
#include "tuner/process/sandbox.h"
#include "tuner/trial/trial.h"
#include "tuner/trial/verify.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* That vendors' libraries are not for a device without them is no news. */
static int is_news(const hone_problem *problem, const hone_check *check)
{
    return check->skipped[0] && (problem->device->kind->has_vendors ||
                                 strncmp(check->name, "cpu.", 4) == 0 ||
                                 hone__reference_template_is(check->name));
}

/* Checks that could not be made, and a smaller set-up, for a person. */
static void describe(const hone_problem *problem, char *out, size_t size)
{
    char note[256] = "";
    size_t at = 0;

    for (size_t i = 0; i < problem->n_checks && at < size;
         i += problem->n_outputs) {
        if (is_news(problem, &problem->checks[i]))
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
                      int to_parent)
{
    hone_ready_report ready = {.event_floor_ns =
                                   problem->device->event_floor_ns,
                               .warm_up_s = warm_up->seconds};

    describe(problem, ready.notes, sizeof ready.notes);
    (void)hone__struct_send(to_parent, HONE_DEVICE_READY, &ready, sizeof ready,
                            NULL);
}

/* What a worker has. */
typedef struct server {
    const hone_worker_setup *setup;
    hone_device device;
    hone_problem_setup problem_setup; /* with whom to tell */
    hone_problem problem;
    hone_edge_shapes edge_shapes;
    hone_warm_up warm_up;
    int to_parent;
} server;

/* The parent then knows whose fault it is if this process says no more. */
static void say_reference(void *user, const char *name)
{
    const server *s = user;

    (void)hone__struct_send(s->to_parent, HONE_DEVICE_REFERENCE, name,
                            strlen(name) + 1, NULL);
}

/* A context that is lost, or memory that is damaged, makes the report the
 * last thing this process says: the caller leaves. */
static hone_status answer_trial(server *s, hone_unpack *in, int verify,
                                int *out_leave, hone_error *err)
{
    hone_trial_job job;
    hone_trial_report report;
    hone_status status;

    hone__trial_job_unpack(in, &job);
    if (in->broken)
        return hone__fail(err, HONE_ERR_INTERNAL, "a trial arrived broken");
    HONE_TRY(hone__launch_spec_parse(job.launch_spec, &job.spec, err));
    status = verify ? hone__trial_verify(&s->edge_shapes, &job, &report, err)
                    : hone__trial_run(&s->problem, &job, &report, err);
    hone__launch_spec_free(job.spec);
    HONE_TRY(status);
    *out_leave = report.leaving;
    return hone__struct_send(s->to_parent, HONE_DEVICE_RESULT, &report,
                             sizeof report, err);
}

static hone_status answer(void *user, uint32_t kind, hone_unpack *in,
                          int *out_leave, hone_error *err)
{
    server *s = user;

    switch (kind) {
    case HONE_DEVICE_TRIAL:
    case HONE_DEVICE_VERIFY:
        return answer_trial(s, in, kind == HONE_DEVICE_VERIFY, out_leave, err);
    case HONE_DEVICE_FINAL:
        return hone__final_answer(&s->problem, &s->edge_shapes, in,
                                  s->to_parent, err);
    default:
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "unknown request %u to the device's worker",
                          (unsigned)kind);
    }
}

/* The helper kernels, from the parent. */
static hone_status receive_code(hone_device *device, int from_parent,
                                hone_error *err)
{
    hone_text message = {0};
    uint32_t kind = 0;
    hone_status status =
        hone__message_receive(from_parent, &kind, &message, err);

    if (status == HONE_OK && kind != HONE_DEVICE_CODE_JOB)
        status = hone__fail(err, HONE_ERR_INTERNAL,
                            "the device's worker waits for its kernels and "
                            "got request %u",
                            (unsigned)kind);
    if (status == HONE_OK)
        status = hone__device_load(device, message.data, err);
    hone__text_free(&message);
    return status;
}

/* Before anything is tried for it. */
static hone_status check_energy(server *s, hone_error *err)
{
    int64_t mj;

    if (!s->setup->wants_energy || hone__device_energy(&s->device, &mj))
        return HONE_OK;
    return hone__fail(
        err, HONE_ERR_NO_GPU,
        "the energy of this device cannot be measured: NVML has "
        "no counter of it here (GPUs since Volta have one, slices "
        "of a card do not); 'hone doctor' says whether NVML is "
        "there");
}

static hone_status set_up(server *s, int from_parent, hone_error *err)
{
    const hone_worker_setup *setup = s->setup;
    hone_device *device = &s->device;

    HONE_TRY(hone__device_open(setup->kind, setup->device, setup->device_code,
                               device, err));
    HONE_TRY(check_energy(s, err));
    if (setup->sanitized)
        device->guard_bytes = 0;
    if (setup->kind->needs_code && !setup->device_code)
        HONE_TRY(receive_code(device, from_parent, err));
    s->edge_shapes.device = device;
    s->edge_shapes.setup = &s->problem_setup;
    s->problem.device = device;
    if (setup->verify_only)
        return HONE_OK;
    HONE_TRY(hone__problem_open(device, &s->problem_setup, &s->problem, err));
    s->problem.timing = setup->timing;
    return hone__device_warm_up(device, &s->warm_up, err);
}

/* Under a memory checker everything is given back; else the process ends, and
 * a lost context could hang in it. */
static void close_all(server *s)
{
    if (!s->setup->kind->is_shared)
        return;
    hone__edge_shapes_forget(&s->edge_shapes);
    if (!s->setup->verify_only)
        hone__problem_close(&s->problem);
    hone__device_close(&s->device);
}

/* Kernels print to this process's stdout: a GPU's driver does so whenever it
 * is waited for. What they print is out before a kernel can crash. Rejected:
 * line by line, of which nothing came with glibc 2.39 on the cpu device. */
static void direct_output(int verbose)
{
    const int nowhere = verbose ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)setvbuf(stdout, NULL, _IONBF, 0);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)close(nowhere);
    }
}

int hone__device_worker(void *user, int from_parent, int to_parent)
{
    server *s = hone__alloc(sizeof *s);
    hone_error err = {.status = HONE_OK};
    hone_status status =
        s ? HONE_OK : hone__fail(&err, HONE_ERR_NO_MEMORY, "out of memory");

    hone__worker_name("hone-trial");
    if (status == HONE_OK) {
        s->setup = user;
        s->to_parent = to_parent;
        s->problem_setup = s->setup->problem;
        s->problem_setup.on_reference = say_reference;
        s->problem_setup.user = s;
        direct_output(s->setup->verbose);
        if (s->setup->sanitized)
            hone__fault_place_install();
        if (s->setup->kind->is_shared) { /* native code of a template */
            hone__guard_start(NULL);
            (void)hone__sandbox_enter(&s->problem_setup.dump, 1);
        }
        status = set_up(s, from_parent, &err);
    }
    if (status == HONE_OK)
        say_ready(&s->problem, &s->warm_up, to_parent);
    if (status == HONE_OK)
        status = hone__serve(from_parent, answer, s, &err);
    if (status == HONE_OK)
        close_all(s);
    else
        hone__serve_failed(to_parent, HONE_DEVICE_FAILED, &err);
    hone__free(s);
    return status == HONE_OK ? 0 : 1;
}
