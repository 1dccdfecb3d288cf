/* SPDX-License-Identifier: Apache-2.0 */
/* Before the loop of a tuning run: device, spaces, farm, the worker; and behind
 * it, what goes. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/compiler_kind.h"

#include <stdio.h>
#include <string.h>

static hone_status open_space(const hone_tune_run *run,
                              const hone_template *tmpl, hone_space **out,
                              hone_error *err)
{
    const hone_tune_request *request = run->request;
    int64_t dims[HONE_MAX_DIMS];

    hone__template_known_dims(tmpl, request->dims,
                              !request->verify_only || request->space_of_dims,
                              dims);
    if (request->list)
        HONE_TRY(hone__tune_list_space(run, tmpl, dims, out, err));
    if (*out)
        return HONE_OK;
    return (request->list || request->config ? hone__space_create_whole
                                             : hone__space_create)(
        tmpl, dims, &run->device.properties, out, err);
}

static hone_status open_impl(const hone_tune_run *run, hone_tune_impl *impl,
                             hone_error *err)
{
    const hone_tune_request *request = run->request;
    const hone_template *tmpl = impl->tmpl;

    HONE_TRY(hone__backend_takes(request->farm.backend, tmpl, err));
    impl->name = hone__template_name(tmpl);
    hone__arch_for(tmpl, run->device.arch, impl->compile_arch);
    HONE_TRY(open_space(run, tmpl, &impl->space, err));
    return hone__default_plan(tmpl, impl->space, &impl->default_index,
                              &impl->default_spec, err);
}

static void close_impl(hone_tune_impl *impl)
{
    hone__free(impl->earlier);
    hone__free(impl->carried);
    hone__free(impl->starts);
    hone__meaning_free(impl->meaning);
    hone__search_close(impl->search);
    hone__space_free(impl->space);
    hone__launch_spec_free(impl->default_spec);
    *impl = (hone_tune_impl){0};
}

/* It has no variant for this problem on this device; others may. */
static int does_not_apply(hone_status status)
{
    return status == HONE_ERR_CONSTRAINT || status == HONE_ERR_NOT_FOUND ||
           status == HONE_ERR_UNSUPPORTED;
}

int hone__tune_is_beside(const hone_tune_run *run, const hone_tune_impl *impl)
{
    return run->request->only && impl->tmpl != run->request->only;
}

static int asks(const hone_tune_run *run, const hone_template *tmpl)
{
    for (size_t i = 0; i < run->n_impls; ++i) {
        if (run->impls[i].tmpl == tmpl)
            return 1;
    }
    return 0;
}

static const char *reason_of(const hone_tune_result *result, const char *name)
{
    size_t i = 0;

    while (i + 1 < result->n_parts && strcmp(result->parts[i].name, name) != 0)
        ++i;
    return result->parts[i].reason;
}

/* Those that apply. With one it is an error if it does not, with several if
 * none does. */
static hone_status open_impls(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;
    hone_tune_result *result = run->result;
    const size_t n = request->n_impls ? request->n_impls : 1;
    hone_status status = HONE_OK;

    for (size_t i = 0; i < n; ++i) {
        hone_tune_impl *impl = &run->impls[run->n_impls];
        hone_tune_part *part = &result->parts[result->n_parts++];
        hone_error why = {0};

        impl->tmpl = request->n_impls ? request->impls[i] : request->tmpl;
        (void)snprintf(part->name, sizeof part->name, "%s",
                       hone__template_name(impl->tmpl));
        status = open_impl(run, impl, &why);
        if (status == HONE_OK && hone__tune_is_beside(run, impl))
            impl->exhausted = 1;
        if (status == HONE_OK) {
            result->space_raw += impl->space->raw;
            result->space_valid += impl->space->count;
            part->applies = 1;
            ++run->n_impls;
            continue;
        }
        close_impl(impl);
        *err = why;
        if (!does_not_apply(status))
            return status;
        (void)snprintf(part->reason, sizeof part->reason, "%.255s", why.text);
    }
    if (!run->n_impls)
        return err->status;
    if (request->only && !asks(run, request->only))
        return hone__fail(
            err, HONE_ERR_CONSTRAINT, "%s",
            reason_of(result, hone__template_name(request->only)));
    hone__error_clear(err);
    return HONE_OK;
}

static void plan_progress(hone_tune_run *run)
{
    hone_tune_progress *p = &run->progress;

    p->budget_s = run->request->budget_s;
    p->n_planned = run->only_index >= 0 ? 1 : hone__tune_part_of_space(run);
    if (run->request->budget_trials > 0 &&
        run->request->budget_trials < p->n_planned)
        p->n_planned = run->request->budget_trials;
    p->best_config = run->best_config;
}

const hone_device_kind *hone__tune_kind(const hone_tune_run *run)
{
    return hone__device_kind(run->request->farm.backend);
}

/* Before the process that owns the device, which inherits them. */
static hone_status open_others(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;

    return hone__reference_templates_open(
        &(hone_reference_templates_request){
            .tmpl = run->impls[0].tmpl,
            .spec = run->impls[0].default_spec,
            .dims = request->dims,
            .every_size = request->verify_only && !request->space_of_dims,
            .properties = &run->device.properties,
            .arch = run->device.arch,
            .farm = &request->farm},
        &run->reference_templates, err);
}

static void say_waiting(void *user, long holder)
{
    char stage[192] = "waiting for the process that uses this device";
    char who[128];

    hone__device_lock_holder(holder, who, sizeof who);
    if (holder)
        (void)snprintf(stage, sizeof stage,
                       "waiting for %s, which uses this device", who);
    hone__tune_show_progress(user, stage);
}

/* The cpu is one device, too. */
void hone__tune_lock_name(const hone_device_kind *kind,
                          const hone_device_report *device, char *out,
                          size_t size)
{
    (void)snprintf(out, size, "%s", kind->is_shared ? kind->name : device->id);
}

/* A device belongs to one measuring process at a time. */
static hone_status lock_device(hone_tune_run *run, hone_error *err)
{
    const double start_s = hone__now_s();
    char name[64];
    hone_status status;

    if (run->request->verify_only || run->request->is_locked)
        return HONE_OK;
    hone__tune_lock_name(hone__tune_kind(run), &run->device, name, sizeof name);
    status = hone__device_lock_take(name, run->request->farm.stop, say_waiting,
                                    run, &run->lock, err);
    run->result->locked_s = hone__now_s() - start_s;
    return status;
}

/* Only the configuration that was asked for; if it is not there, which
 * constraint rejects it. */
static hone_status choose_one(hone_tune_run *run, hone_error *err)
{
    const hone_space *space = run->impls[0].space;
    const int64_t *config = run->request->config;

    if (!config)
        return HONE_OK;
    run->only_index = hone__space_find(space, config);
    if (run->only_index >= 0)
        return HONE_OK;
    HONE_TRY(hone__space_check(space, config, err));
    return hone__fail(err, HONE_ERR_CONSTRAINT,
                      "the configuration is not in the space of this problem "
                      "and device; 'hone space' with --list shows what is");
}

static void describe_worker(hone_tune_run *run)
{
    const hone_tune_request *request = run->request;

    run->n_workers = 1;
    run->workers[0].setup = (hone_worker_setup){
        .kind = hone__tune_kind(run),
        .device = request->device,
        .timing = request->timing,
        .wants_energy =
            hone__objectives_use(request->objectives, HONE_FACT_energy_uj),
        .sanitized = request->farm.host_build == HONE_HOST_SANITIZED,
        .verify_only = request->verify_only,
        .verbose = request->verbose,
        .problem = {.tmpl = run->impls[0].tmpl,
                    .spec = run->impls[0].default_spec,
                    .dims = request->dims,
                    .mode = request->mode,
                    .rotation = HONE_ROTATION_TRIAL,
                    .seed = request->seed,
                    .references = request->references,
                    .n_references = request->n_references,
                    .show = request->show,
                    .dump = request->dump,
                    .verifies_dims =
                        request->verify_only && request->space_of_dims,
                    .dims_alone = request->dims_alone,
                    .reference_templates = run->reference_templates}};
    if (run->workers[0].setup.sanitized)
        run->worker_log = tmpfile();
}

static hone_status take_turn(hone_tune_run *run, hone_error *err)
{
    HONE_TRY(hone__tune_await_turn(run, err));
    run->is_ahead = 0;
    hone__tune_show_progress(run, "setting up the device");
    return lock_device(run, err);
}

/* The process that owns the device sets itself up while the searches open. A
 * run whose turn it is not yet is ready by then. */
static hone_status start_worker(hone_tune_run *run, hone_error *err)
{
    describe_worker(run);
    if (run->is_ahead && !hone__tune_awaits_turn(run))
        HONE_TRY(take_turn(run, err));
    if (!run->is_ahead)
        HONE_TRY(hone__tune_worker_start(run, &run->workers[0], err));
    if (hone__tune_kind(run)->needs_code)
        HONE_TRY(hone__helper_kernels_submit(run->farm, run->device.arch, err));
    HONE_TRY(hone__tune_remember(run, err));
    if (!run->is_ahead)
        return HONE_OK;
    HONE_TRY(take_turn(run, err));
    return hone__tune_worker_start(run, &run->workers[0], err);
}

hone_status hone__tune_setup(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;

    HONE_TRY(hone__tune_check_objectives(hone__tune_kind(run),
                                         request->objectives, err));
    /* The compilers load while the device is asked what it is. */
    HONE_TRY(hone__farm_start(&request->farm, hone__tune_compiled, run,
                              &run->farm, err));
    if (request->described)
        run->device = *request->described;
    else
        HONE_TRY(hone__device_describe(request->farm.backend, request->device,
                                       HONE_ANSWER_S, request->farm.stop,
                                       &run->device, err));
    run->is_ahead = hone__tune_awaits_turn(run);
    if (!run->is_ahead)
        HONE_TRY(lock_device(run, err));
    (void)snprintf(run->result->device_name, sizeof run->result->device_name,
                   "%s", run->device.name);
    (void)snprintf(run->result->arch, sizeof run->result->arch, "%s",
                   run->device.arch);
    hone__tune_show_progress(run, "building the search space");
    HONE_TRY(open_impls(run, err));
    HONE_TRY(choose_one(run, err));
    plan_progress(run);
    HONE_TRY(hone__farm_wait(run->farm, err));
    HONE_TRY(open_others(run, err));
    return start_worker(run, err);
}

void hone__tune_teardown(hone_tune_run *run)
{
    hone_tune_worker *const w = &run->workers[0];
    hone_tune_queue *const queues[] = {&run->compiling, &run->queued,
                                       &run->deferred, &w->trying};

    hone__tune_loans_end(run);
    if (hone__tune_stopped(run))
        hone__worker_kill(&w->process);
    else
        (void)hone__worker_stop(&w->process, w->trying.n ? 0 : 2.0, NULL, 0);
    if (run->worker_log)
        (void)fclose(run->worker_log);
    hone__farm_close(run->farm);
    for (int i = 0; i < 4; ++i)
        while (queues[i]->n)
            hone__tune_job_free(hone__tune_queue_take(queues[i]));
    (void)hone__worker_stop(&run->disk, HONE_DISK_SYNC_S, NULL, 0);
    hone__device_lock_drop(&run->lock);
    hone__free(run->candidates);
    hone__tune_learned_close(run);
    for (size_t i = 0; i < run->n_impls; ++i)
        close_impl(&run->impls[i]);
    hone__helper_kernels_free(&run->helper_kernels);
    hone__reference_templates_close(run->reference_templates);
}
