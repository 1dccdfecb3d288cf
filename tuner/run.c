/* SPDX-License-Identifier: Apache-2.0 */
/* `hone run`: what a user of the runtime gets. A child process opens the
 * database through hone.h, makes a plan, verifies its result like any variant
 * and times it with the tuner's protocol. */
#include "tuner/stage.h"

#include "runtime/base/alloc.h"
#include "tuner/judge/statistics.h"
#include "tuner/process/ask.h"
#include "tuner/process/guard.h"
#include "tuner/process/sandbox.h"
#include "tuner/trial/timer.h"
#include "tuner/trial/verify.h"

#include <stdio.h>
#include <string.h>

/* Seconds that a step may take: as long as in a tuning run, whose trials are
 * checked and whose finals are timed by the same code. */
enum { SETUP_S = 180, CHECK_S = 60, TIMING_S = 180 };

typedef struct run_setup {
    const hone_stage *stage;
    double timeout_s; /* of the run that is checked */
    int to_parent;    /* of the child */
} run_setup;

/* Plans of one problem and the context they came from, as a subject. Each has
 * workspaces of its own, and executions take them in turn, as in the tuner
 * (variant.h says why). */
enum { N_PLANS = 4 };
typedef struct planned {
    hone_ctx *ctx;
    hone_plan *plans[N_PLANS];
    size_t n_args;
    size_t turn;
} planned;

static hone_status fail_from_runtime(hone_status status, hone_ctx *ctx,
                                     hone_error *err)
{
    const char *name = "";
    const int native = hone_error_native(ctx, &name);
    hone_domain domain = HONE_DOMAIN_ERRNO;

    while (domain && strcmp(hone__domain_name(domain), name) != 0)
        --domain;
    return hone__fail_native(err, status, domain, native, "%s",
                             hone_error_text(ctx));
}

static hone_status enqueue_plan(void *user, void *const *args,
                                hone_stream stream, hone_error *err)
{
    planned *p = user;
    const size_t turn = p->turn++ % N_PLANS;
    const hone_status status =
        hone_plan_run(p->plans[turn], args, p->n_args, stream);

    return status == HONE_OK ? HONE_OK : fail_from_runtime(status, p->ctx, err);
}

/* Tell the parent, which watches the time, what comes next. */
static void begin(const run_setup *setup, const hone_run_result *result,
                  const char *work, double more_s)
{
    char what[360];

    (void)snprintf(what, sizeof what, "the %s of %s %.250s", work,
                   setup->stage->tmpl->op, result->match.config);
    hone__ask_step(setup->to_parent,
                   &(hone_step){what,
                                "The kernel hangs or crashes, or needs more "
                                "time than --trial-timeout allows",
                                setup->timeout_s + more_s, HONE_ERR_KERNEL});
}

static hone_status time_plans(hone_problem *problem, hone_subject subject,
                              hone_run_result *result, hone_error *err)
{
    double samples[HONE_SERIES_SAMPLES];
    hone_timer timer;
    hone_status status;
    hone_rest rest = HONE_REST_UNKNOWN;

    HONE_TRY(hone__timer_open(problem, subject, 0, &timer, err));
    status =
        hone__timer_series(&timer, 0, &rest, HONE_SERIES_SAMPLES, samples, err);
    hone__timer_close(&timer);
    result->time_ns = hone__median(samples, HONE_SERIES_SAMPLES);
    result->spread_ns = hone__half_iqr(samples, HONE_SERIES_SAMPLES);
    return status;
}

static hone_status verify_and_time(const run_setup *setup,
                                   hone_problem *problem, planned *all,
                                   hone_run_result *result, hone_error *err)
{
    const hone_subject subject = {.enqueue = enqueue_plan, .user = all};
    hone_verdict verdict;

    begin(setup, result, "check", 0);
    HONE_TRY(hone__verify(problem, subject, HONE_VERIFY_FIRST, &verdict, err));
    result->error_ratio = verdict.error_ratio;
    result->correct = verdict.outcome == HONE_OUTCOME_OK;
    (void)snprintf(result->message, sizeof result->message, "%.255s",
                   verdict.message);
    begin(setup, result, "timing", TIMING_S);
    return result->correct ? time_plans(problem, subject, result, err)
                           : HONE_OK;
}

/* On the cpu device kernels are native code, which runs from the moment that it
 * is loaded: objects may have constructors. A list of all operations makes the
 * database open its files before that. */
static hone_status confine(const run_setup *setup, hone_ctx *ctx)
{
    hone_names *names = NULL;

    if (!setup->stage->kind->is_shared)
        return HONE_OK;
    HONE_TRY(hone_operation_list(ctx, &names));
    hone_names_free(names);
    hone__guard_start(NULL);
    (void)hone__sandbox_enter(NULL, 0);
    return HONE_OK;
}

static hone_status make_plans(const run_setup *setup, hone_device *device,
                              planned *to, hone_match *match)
{
    const hone_tuned *tuned = setup->stage->tuned;
    const hone_template *tmpl = setup->stage->tmpl;

    for (int p = 0; p < N_PLANS; ++p) {
        HONE_TRY(hone_plan_create(to->ctx, tmpl->op, tuned->dims, tmpl->n_dims,
                                  &to->plans[p], match));
        HONE_TRY(hone_plan_prepare(to->plans[p], device->stream));
    }
    return HONE_OK;
}

static hone_status run_plan(const run_setup *setup, hone_device *device,
                            hone_problem *problem, hone_run_result *result,
                            hone_error *err)
{
    planned all = {.ctx = NULL};
    hone_ctx *ctx = NULL;
    hone_warm_up warm_up;
    hone_status status =
        hone_open(hone__text_str(&setup->stage->tuned->db_path), &ctx);

    all.ctx = ctx;
    all.n_args = setup->stage->tmpl->n_args;
    if (status == HONE_OK)
        status = hone_device_select(ctx, device->kind->name);
    if (status == HONE_OK)
        status = confine(setup, ctx);
    if (status == HONE_OK)
        status = make_plans(setup, device, &all, &result->match);
    if (status != HONE_OK) {
        status = fail_from_runtime(status, ctx, err);
    } else {
        result->tuned_time_ns = (double)result->match.tuned_time_ns;
        status = hone__device_warm_up(device, &warm_up, err);
        if (status == HONE_OK)
            status = verify_and_time(setup, problem, &all, result, err);
    }
    for (int p = 0; p < N_PLANS; ++p)
        hone_plan_destroy(all.plans[p]);
    hone_close(ctx);
    return status;
}

static int run_child(void *user, int from_parent, int to_parent)
{
    run_setup *setup = user;
    const hone_stage *stage = setup->stage;
    const hone_problem_setup problem_setup = hone__stage_problem(stage);
    hone_problem *problem = hone__alloc(sizeof *problem);
    hone_device device = {.driver = NULL};
    hone_run_result result;
    hone_error err = {.status = HONE_OK};
    hone_status status =
        problem ? HONE_OK
                : hone__fail(&err, HONE_ERR_NO_MEMORY, "out of memory");

    (void)from_parent;
    setup->to_parent = to_parent;
    memset(&result, 0, sizeof result);
    if (status == HONE_OK)
        status = hone__device_open(stage->kind, stage->tuned->device,
                                   stage->device_code.data, &device, &err);
    if (status == HONE_OK) {
        memcpy(result.device_name, device.name, sizeof result.device_name);
        status = hone__problem_open(&device, &problem_setup, problem, &err);
    }
    if (status == HONE_OK)
        status = run_plan(setup, &device, problem, &result, &err);
    return hone__ask_answer(to_parent, &result, sizeof result, status, &err);
}

hone_status hone__run(const hone_tuned *tuned, double timeout_s,
                      hone_run_result *out, hone_error *err)
{
    hone_stage stage;
    hone_status status = hone__stage_open(tuned, &stage, err);

    memset(out, 0, sizeof *out);
    if (status == HONE_OK)
        status = hone__stage_prepare(&stage, err);
    if (status == HONE_OK) {
        run_setup setup = {.stage = &stage,
                           .timeout_s = timeout_s > 0 ? timeout_s : CHECK_S};

        status = hone__ask(
            &(hone_question){.run = run_child,
                             .user = &setup,
                             .first = {"the set-up of the problem",
                                       "Smaller dimensions need less time",
                                       SETUP_S, HONE_ERR_CUDA},
                             .stop = tuned->farm.stop},
            out, sizeof *out, err);
    }
    hone__stage_close(&stage);
    return status;
}
