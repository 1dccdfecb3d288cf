/* SPDX-License-Identifier: Apache-2.0 */
/* The worker process of the cpu device: see cpu_worker.h. */
#include "tuner/cpu/cpu_worker.h"

#include "runtime/base/alloc.h"
#include "tuner/judge/trial_race.h"

#include <stdio.h>
#include <string.h>

/* ---- the requests -------------------------------------------------------
 */

typedef struct server {
    const hone_worker_setup *setup;
    hone_cpu_problem *problem;
    hone_cpu_edge_shapes *edge_shapes;
    int to_parent;
} server;

static hone_status answer_trial(const server *s, hone_unpack *in, int verify,
                                int *out_leave, hone_error *err)
{
    hone_trial_report report = {.sm_clock_mhz = -1};
    hone_trial_job job;
    hone_text payload = {0};
    hone_status status;

    hone__trial_job_unpack(in, &job);
    if (in->broken)
        return hone__fail(err, HONE_ERR_INTERNAL, "a trial arrived broken");
    if (verify) {
        hone_verdict verdict;

        HONE_TRY(
            hone__cpu_edge_shapes_check(s->edge_shapes, &job, &verdict, err));
        report.id = job.id;
        hone__trial_take_verdict(&report, &verdict);
    } else {
        HONE_TRY(hone__cpu_trial_run(s->problem, &job, &report, err));
    }
    hone__trial_report_pack(&payload, &report);
    status =
        hone__message_send(s->to_parent, HONE_DEVICE_RESULT, &payload, err);
    hone__text_free(&payload);
    *out_leave = report.leaving;
    return status;
}

static hone_status serve(const server *s, int from_parent, hone_error *err)
{
    hone_text request = {0};
    hone_status status = HONE_OK;
    uint32_t kind = 0;
    int leave = 0;

    while (status == HONE_OK && !leave &&
           hone__message_receive(from_parent, &kind, &request, NULL) ==
               HONE_OK) {
        hone_unpack in = {request.data, request.data + request.length, 0};

        if (kind == HONE_DEVICE_FINAL)
            status = hone__cpu_final(s->problem, &s->setup->problem, &in,
                                     s->to_parent, err);
        else
            status =
                answer_trial(s, &in, kind == HONE_DEVICE_VERIFY, &leave, err);
    }
    hone__text_free(&request);
    return status;
}

/* Checks by other templates that were left out. That vendors' libraries are
 * not for this device is no news. */
static void describe(const hone_cpu_problem *problem, char *out, size_t size)
{
    size_t at = 0;

    for (size_t i = 0; i < problem->n_checks && at < size; ++i) {
        const hone_cpu_check *check = &problem->checks[i];

        if (hone__reference_template_is(check->name) && check->skipped[0])
            at += (size_t)snprintf(out + at, size - at,
                                   "%scheck %s was left out: %s",
                                   at ? "; " : "", check->name, check->skipped);
    }
}

int hone__cpu_worker(void *user, int from_parent, int to_parent)
{
    const double start_s = hone__now_s();
    server s = {user, hone__alloc(sizeof *s.problem), NULL, to_parent};
    hone_error err = {.status = HONE_OK};
    hone_text payload = {0};
    hone_status status =
        s.problem ? HONE_OK
                  : hone__fail(&err, HONE_ERR_NO_MEMORY, "out of memory");

    hone__worker_name("hone-trial");
    if (status == HONE_OK && s.setup->verify_only)
        s.problem->guarded = !s.setup->sanitized;
    else if (status == HONE_OK)
        status = hone__cpu_problem_open(&s.setup->problem, !s.setup->sanitized,
                                        s.problem, &err);
    if (status == HONE_OK)
        status = hone__cpu_edge_shapes_open(
            &s.setup->problem, !s.setup->sanitized, &s.edge_shapes, &err);
    if (status == HONE_OK) {
        hone_ready_report ready = {.setup_s = hone__now_s() - start_s,
                                   .n_sets = 1,
                                   .n_sets_wanted = 1};

        describe(s.problem, ready.notes, sizeof ready.notes);
        hone__ready_report_pack(&payload, &ready);
        (void)hone__message_send(to_parent, HONE_DEVICE_READY, &payload, NULL);
        status = serve(&s, from_parent, &err);
        hone__cpu_edge_shapes_close(s.edge_shapes);
        hone__cpu_problem_close(s.problem);
    }
    if (status != HONE_OK)
        hone__device_worker_failed(to_parent, &err);
    hone__text_free(&payload);
    hone__free(s.problem);
    return status == HONE_OK ? 0 : 1;
}
