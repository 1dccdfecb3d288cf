/* SPDX-License-Identifier: Apache-2.0 */
/* Before the loop of a tuning run: device, space, farm, the tuner's own
 * kernels; and the text of one variant. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/host_unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static hone_status open_space(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;
    const hone_template *tmpl = request->tmpl;
    int64_t dims[HONE_MAX_DIMS];

    hone__template_known_dims(tmpl, request->dims,
                              !request->verify_only || request->space_of_dims,
                              dims);
    HONE_TRY(hone__space_create(tmpl, dims, &run->device.properties,
                                &run->space, err));
    HONE_TRY(hone__default_plan(tmpl, run->space, &run->default_index,
                                &run->default_spec, err));
    run->result->space_raw = run->space->raw;
    run->result->space_valid = run->space->count;
    return HONE_OK;
}

/* How many trials there will be, with those of earlier runs. Without any
 * limit: all. */
static int64_t planned_trials(const hone_tune_run *run)
{
    const hone_tune_request *request = run->request;

    if (request->budget_trials > 0)
        return request->budget_trials;
    return request->budget_s > 0 || request->until_gain > 0
               ? 0
               : run->result->space_valid;
}

/* The default first, so that every run knows what tuning gains. */
static hone_status open_search(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;
    const hone_search_space view = hone__search_space_of(run->space);
    int64_t first[1 + HONE_TUNE_RANKED + 1 + HONE_MOST_SEEDS] = {
        run->default_index};
    size_t n_first = 1;

    HONE_TRY(hone__tune_seeds_find(run, err));
    for (size_t i = 0; i < run->n_again; ++i)
        first[n_first++] = run->again[i];
    for (size_t i = 0; i < run->n_seeds; ++i)
        first[n_first++] = run->seeds[i].index;
    return hone__search_open(request->strategy, &view,
                             &(hone_search_options){request->seed, first,
                                                    n_first,
                                                    planned_trials(run)},
                             &run->search, err);
}

/* What is in the database, and a search that knows it. */
static hone_status remember(hone_tune_run *run, hone_error *err)
{
    if (run->request->db) {
        HONE_TRY(hone__tune_record_open(run, err));
        HONE_TRY(hone__tune_carry(run, err));
        HONE_TRY(hone__tune_earlier_read(run, err));
    }
    HONE_TRY(open_search(run, err));
    HONE_TRY(hone__tune_earlier_tell(run, err));
    for (size_t i = 0; i < run->n_seeds; ++i) /* that no earlier run tried */
        run->result->n_seeded +=
            hone__search_is_new(run->search, run->seeds[i].index);
    return HONE_OK;
}

static void plan_progress(hone_tune_run *run)
{
    hone_tune_progress *p = &run->progress;

    p->budget_s = run->request->budget_s;
    p->n_planned = run->only_index >= 0 ? 1 : run->result->space_valid;
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
            .tmpl = request->tmpl,
            .spec = run->default_spec,
            .dims = request->dims,
            .every_size = request->verify_only && !request->space_of_dims,
            .properties = &run->device.properties,
            .arch = run->device.arch,
            .farm = &request->farm},
        &run->reference_templates, err);
}

static void say_waiting(void *user, long holder)
{
    char stage[64];

    (void)snprintf(stage, sizeof stage,
                   "waiting for process %ld, which uses this device", holder);
    hone__tune_show_progress(user, stage);
}

/* A GPU belongs to one measuring process at a time. On the cpu only tuners
 * of one database take turns: its numbers are nobody's release. */
static hone_status lock_device(hone_tune_run *run, hone_error *err)
{
    char name[64];
    struct stat file;

    if (run->request->verify_only)
        return HONE_OK;
    if (!hone__tune_kind(run)->is_shared)
        (void)snprintf(name, sizeof name, "%s", run->device.id);
    else if (stat(run->request->db->path, &file) == 0)
        (void)snprintf(name, sizeof name, "cpu-%llx-%llx",
                       (unsigned long long)file.st_dev,
                       (unsigned long long)file.st_ino);
    else
        return HONE_OK;
    return hone__device_lock_take(name, run->request->farm.stop, say_waiting,
                                  run, &run->lock, err);
}

/* Only the configuration that was asked for. */
static hone_status choose_one(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;

    run->only_index = -1;
    if (!request->config)
        return HONE_OK;
    run->only_index = hone__space_find(run->space, request->config);
    return run->only_index >= 0
               ? HONE_OK
               : hone__fail(err, HONE_ERR_CONSTRAINT,
                            "the configuration is not in the space of this "
                            "problem and device; 'hone space' with --list "
                            "shows what is");
}

hone_status hone__tune_setup(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;

    /* The compilers load while the device is asked what it is. */
    HONE_TRY(hone__farm_start(&request->farm, hone__tune_compiled, run,
                              &run->farm, err));
    HONE_TRY(hone__device_describe(request->farm.backend, request->device,
                                   request->farm.stop, &run->device, err));
    HONE_TRY(lock_device(run, err));
    (void)snprintf(run->compile_arch, sizeof run->compile_arch, "%.14s%s",
                   run->device.arch,
                   request->tmpl->needs_arch_features ? "a" : "");
    (void)snprintf(run->result->device_name, sizeof run->result->device_name,
                   "%s", run->device.name);
    (void)snprintf(run->result->arch, sizeof run->result->arch, "%s",
                   run->device.arch);
    hone__tune_show_progress(run, "building the search space");
    HONE_TRY(open_space(run, err));
    HONE_TRY(choose_one(run, err));
    plan_progress(run);
    HONE_TRY(hone__farm_wait(run->farm, err));
    HONE_TRY(open_others(run, err));
    run->worker_setup = (hone_worker_setup){
        .kind = hone__tune_kind(run),
        .device = request->device,
        .timing = request->timing,
        .sanitized = request->farm.host_build == HONE_HOST_SANITIZED,
        .verify_only = request->verify_only,
        .verbose = request->verbose,
        .problem = {.tmpl = request->tmpl,
                    .spec = run->default_spec,
                    .dims = request->dims,
                    .mode = request->mode,
                    .rotation = HONE_ROTATION_TRIAL,
                    .seed = request->seed,
                    .references = request->references,
                    .n_references = request->n_references,
                    .show = request->show,
                    .dump = request->dump,
                    .reference_templates = run->reference_templates}};
    if (run->worker_setup.sanitized)
        run->worker_log = tmpfile();
    HONE_TRY(hone__tune_worker_start(run, err));
    if (hone__tune_kind(run)->needs_code)
        HONE_TRY(hone__helper_kernels_submit(run->farm, run->device.arch, err));
    return remember(run, err);
}

void hone__tune_teardown(hone_tune_run *run)
{
    hone_tune_queue *const queues[] = {&run->compiling, &run->queued,
                                       &run->deferred, &run->trying};

    if (hone__tune_stopped(run))
        hone__worker_kill(&run->worker);
    else
        (void)hone__worker_stop(&run->worker, run->trying.n ? 0 : 2.0, NULL, 0);
    if (run->worker_log)
        (void)fclose(run->worker_log);
    hone__farm_close(run->farm);
    for (int i = 0; i < 4; ++i)
        while (queues[i]->n)
            hone__tune_job_free(hone__tune_queue_take(queues[i]));
    (void)hone__worker_stop(&run->disk, HONE_DISK_SYNC_S, NULL, 0);
    hone__device_lock_drop(&run->lock);
    hone__free(run->candidates);
    hone__free(run->earlier);
    hone__free(run->carried);
    hone__meaning_free(run->meaning);
    hone__search_close(run->search);
    hone__space_free(run->space);
    hone__helper_kernels_free(&run->helper_kernels);
    hone__reference_templates_close(run->reference_templates);
    hone__launch_spec_free(run->default_spec);
}
