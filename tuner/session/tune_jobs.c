/* SPDX-License-Identifier: Apache-2.0 */
/* Variants on their way through a tuning run: proposed, past the gate,
 * compiled, past the second gate, in the queue for the device. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/gate.h"

#include <stdio.h>

/* ---- queues ------------------------------------------------------------- */

void hone__tune_queue_add(hone_tune_queue *queue, hone_tune_job *job)
{
    job->next = NULL;
    if (queue->tail)
        queue->tail->next = job;
    else
        queue->head = job;
    queue->tail = job;
    ++queue->n;
}

/* Least spills first: the likeliest to be any good. */
static void add_by_spills(hone_tune_queue *queue, hone_tune_job *job)
{
    hone_tune_job **at = &queue->head;

    while (*at && (*at)->compiled.spill_bytes <= job->compiled.spill_bytes)
        at = &(*at)->next;
    job->next = *at;
    *at = job;
    if (!job->next)
        queue->tail = job;
    ++queue->n;
}

static hone_tune_job *take_by_id(hone_tune_queue *queue, int64_t id)
{
    hone_tune_job *before = NULL;

    for (hone_tune_job *job = queue->head; job; before = job, job = job->next) {
        if (job->id != id)
            continue;
        if (before)
            before->next = job->next;
        else
            queue->head = job->next;
        if (queue->tail == job)
            queue->tail = before;
        job->next = NULL;
        --queue->n;
        return job;
    }
    return NULL;
}

hone_tune_job *hone__tune_queue_take(hone_tune_queue *queue)
{
    return queue->head ? take_by_id(queue, queue->head->id) : NULL;
}

/* ---- how much more ------------------------------------------------------ */

int64_t hone__tune_under_way(const hone_tune_run *run)
{
    return run->compiling.n + run->queued.n + hone__tune_n_trying(run);
}

/* A library's list ends with the first answer that says so: it is asked for no
 * more than the device's worker is at. */
static int has_to_wait(const hone_tune_impl *impl)
{
    return impl->tmpl->call &&
           impl->share.n_asked - impl->share.n_answered >= HONE_TUNE_AHEAD;
}

/* The implementation that goes next, by the rules; NULL: none has more, or
 * none now (`*out_wait`). */
static hone_tune_impl *next_impl(hone_tune_run *run, int *out_wait)
{
    hone_turn *shares[HONE_MAX_IMPLS];
    int next;

    *out_wait = 0;
    for (size_t i = 0; i < run->n_impls; ++i) {
        hone_tune_impl *impl = &run->impls[i];

        impl->exhausted |= run->request->budget_each &&
                           impl->share.n_asked >= run->request->budget_each;
        shares[i] =
            impl->exhausted || has_to_wait(impl) ? NULL : &run->impls[i].share;
        *out_wait |= !impl->exhausted && !shares[i];
    }
    next = hone__turn_next(
        shares, run->n_impls,
        run->request->budget_trials > 0 ? hone__tune_budget_left(run) : 0);
    return next < 0 ? NULL : &run->impls[next];
}

/* A strategy of one's own that fails ends the trials, and not the run: what was
 * found meets in the final. */
static hone_status search_next(hone_tune_run *run, hone_tune_impl *impl,
                               int64_t *out_index, hone_error *err)
{
    const hone_status status = hone__search_next(impl->search, out_index, err);

    if (status == HONE_OK || !hone__search_failure(impl->search))
        return status;
    run->strategy_why = hone__search_failure(impl->search);
    hone__error_clear(err);
    for (size_t i = 0; i < run->n_impls; ++i)
        run->impls[i].exhausted = 1;
    *out_index = -1;
    return HONE_OK;
}

/* *out_impl NULL: there is no more, which `exhausted` says, or not now. */
static hone_status next_index(hone_tune_run *run, hone_tune_impl **out_impl,
                              int64_t *out_index, hone_error *err)
{
    int wait = 0;

    if (run->only_index >= 0) {
        *out_impl = run->next_job ? NULL : &run->impls[0];
        *out_index = run->only_index;
        run->exhausted = !*out_impl;
        return HONE_OK;
    }
    if (run->request->list)
        return hone__tune_list_next(run, out_impl, out_index, err);
    while ((*out_impl = next_impl(run, &wait))) {
        HONE_TRY(search_next(run, *out_impl, out_index, err));
        if (*out_index >= 0)
            return HONE_OK;
        (*out_impl)->exhausted = 1;
    }
    run->exhausted = !wait;
    return HONE_OK;
}

/* ---- before compiling --------------------------------------------------- */

/* A trial that ended before it reached the device. */
static hone_status record_early(hone_tune_run *run, hone_tune_job *job,
                                hone_outcome outcome, const char *message,
                                hone_error *err)
{
    hone_trial_report report = {.outcome = outcome, .clocks.sm_clock_mhz = -1};
    hone_status status;

    job->is_gated = outcome == HONE_OUTCOME_LIMITS;
    (void)snprintf(report.message, sizeof report.message, "%.300s", message);
    status = hone__tune_record_trial(run, job, &report, err);
    hone__tune_job_free(job);
    return status;
}

/* Limits are asked about the launch at `dims`; on small shapes (verify_only)
 * it is another one. On the cpu a block's threads are fibers and its shared
 * memory is the heap's: there are no limits. */
static int has_gates(const hone_tune_run *run)
{
    return hone__tune_kind(run)->has_limits && !run->request->verify_only;
}

static hone_launch_case launch_case(const hone_tune_run *run,
                                    const hone_tune_job *job)
{
    return (hone_launch_case){job->plan, run->request->dims,
                              job->impl->tmpl->n_dims, &run->device.properties};
}

static hone_gate first_gate(const hone_tune_run *run, const hone_tune_job *job,
                            char *why, size_t size)
{
    const hone_device_kind *kind = hone__tune_kind(run);
    const hone_launch_case launch = launch_case(run, job);

    if (!kind->gate || (kind->has_limits && run->request->verify_only))
        return HONE_GATE_PASS;
    return kind->gate(&launch, hone__text_str(&job->options), why, size);
}

/* What is needed, or good elsewhere although it spills, is tried now. */
static int may_wait(const hone_tune_run *run, const hone_tune_job *job)
{
    return !run->request->list && job->index != job->impl->default_index &&
           !hone__tune_seed_origin(job);
}

/* There is code of it: past the second gate. */
static hone_status take_code(hone_tune_run *run, hone_tune_job *job,
                             hone_error *err)
{
    const hone_launch_case launch = launch_case(run, job);
    char why[256] = "";
    hone_gate gate = HONE_GATE_PASS;

    ++run->progress.n_compiled;
    if (has_gates(run))
        gate = hone__gate_compiled(&launch, &job->compiled, why, sizeof why);
    /* The default is what others are compared with, however poor. */
    if (gate == HONE_GATE_LIMITS ||
        (gate == HONE_GATE_REJECT && job->index != job->impl->default_index))
        return record_early(run, job, HONE_OUTCOME_LIMITS, why, err);
    if (gate == HONE_GATE_DEFER && may_wait(run, job)) {
        ++run->result->n_deferred;
        add_by_spills(&run->deferred, job);
        return HONE_OK;
    }
    hone__tune_queue_add(&run->queued, job);
    return HONE_OK;
}

static hone_status submit(hone_tune_run *run, hone_tune_job *job,
                          hone_error *err)
{
    const hone_template *tmpl = job->impl->tmpl;
    const hone_compile_input input = {
        hone__text_str(&job->source),  tmpl->path,    job->impl->compile_arch,
        hone__text_str(&job->options), tmpl->headers, tmpl->source};
    char why[256];

    if (tmpl->call) { /* nothing to compile */
        job->compiled.ok = 1;
        hone__tune_queue_add(&run->queued, job);
        return HONE_OK;
    }
    if (job->refusal.length) {
        ++run->result->n_gated;
        return record_early(run, job, HONE_OUTCOME_LIMITS, job->refusal.data,
                            err);
    }
    if (first_gate(run, job, why, sizeof why) == HONE_GATE_LIMITS) {
        ++run->result->n_gated;
        return record_early(run, job, HONE_OUTCOME_LIMITS, why, err);
    }
    if (run->request->list) {
        int found;
        const hone_status status =
            hone__tune_list_stored(run, job, &found, err);

        if (status != HONE_OK) { /* it is in no queue */
            hone__tune_job_free(job);
            return status;
        }
        if (found)
            return take_code(run, job, err);
    }
    job->submitted_s = hone__now_s();
    hone__tune_queue_add(&run->compiling, job);
    return hone__farm_submit(run->farm, job->id, &input, err);
}

/* Jobs that wait for the compile of another take no compiler, and many may
 * come in a row. Their number is limited in rounds of what may be ahead: one
 * compile of theirs then feeds the device for longer, so that a search that
 * learns needs no more than two. */
enum { MOST_WAITING = 16, MOST_WAITING_LEARNING = 2 };

/* Does what any of them proposes next depend on answers? */
static int learns(const hone_tune_run *run)
{
    for (size_t i = 0; i < run->n_impls; ++i) {
        if (!run->impls[i].exhausted &&
            hone__search_is_learning(run->impls[i].search))
            return 1;
    }
    return 0;
}

static int may_propose(const hone_tune_run *run)
{
    const int is_learning = learns(run);
    const int ahead =
        (int)run->n_workers * hone__look_ahead(&run->pace,
                                               hone__farm_n_workers(run->farm),
                                               is_learning);
    const int waiting =
        ahead * (is_learning ? MOST_WAITING_LEARNING : MOST_WAITING);

    return !run->exhausted && hone__farm_n_idle(run->farm) > 0 &&
           run->queued.n + hone__farm_n_busy(run->farm) < ahead &&
           run->compiling.n < waiting && !hone__tune_is_enough(run);
}

hone_status hone__tune_propose(hone_tune_run *run, hone_error *err)
{
    while (may_propose(run)) {
        hone_tune_job *job = NULL;
        hone_tune_impl *impl;
        int64_t index;

        HONE_TRY(next_index(run, &impl, &index, err));
        if (!impl)
            return HONE_OK;
        ++impl->share.n_asked;
        HONE_TRY(hone__tune_job_make(run, impl, index, &job, err));
        HONE_TRY(submit(run, job, err));
    }
    return HONE_OK;
}

/* ---- after compiling ---------------------------------------------------- */

static hone_status take_compiled(hone_tune_run *run, hone_tune_job *job,
                                 hone_compile_output *output, hone_error *err)
{
    job->compiled = *output;
    output->cubin = (hone_text){0}; /* moved */
    output->log = (hone_text){0};
    run->result->n_compiles += !job->compiled.cached;
    if (job->compiled.interrupted && !run->request->verify_only)
        return hone__tune_record_interrupted(
            run, job, hone__text_str(&job->compiled.log), err);
    if (!job->compiled.ok)
        return record_early(run, job,
                            job->compiled.timed_out ? HONE_OUTCOME_TIMEOUT
                                                    : HONE_OUTCOME_COMPILE,
                            hone__text_str(&job->compiled.log), err);
    return take_code(run, job, err);
}

void hone__tune_compiled(void *user, int64_t id, hone_compile_output *output)
{
    hone_tune_run *run = user;
    hone_tune_job *job = take_by_id(&run->compiling, id);

    if (id == HONE_HELPER_KERNELS_JOB)
        hone__helper_kernels_take(&run->helper_kernels, output);
    if (!job)
        return;
    hone__pace_add(&run->pace.compile_s, hone__now_s() - job->submitted_s);
    if (run->pending_status == HONE_OK)
        run->pending_status =
            take_compiled(run, job, output, &run->pending_error);
    else
        hone__tune_job_free(job);
}
