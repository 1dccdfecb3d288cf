/* SPDX-License-Identifier: Apache-2.0 */
/* Before the loop of a tuning run: device, space, farm, the tuner's own
 * kernels; and the text of one variant. */
#include "tuner/tune_state.h"

#include "runtime/alloc.h"
#include "tuner/default_plan.h"
#include "tuner/own_code.h"

#include <stdio.h>
#include <string.h>

static hone_status open_space(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;
    const hone_template *tmpl = request->tmpl;
    hone_search_space view;

    HONE_TRY(hone__space_create(tmpl,
                                request->verify_only ? NULL : request->dims,
                                &run->device.facts,
                                &run->space, err));
    HONE_TRY(hone__default_plan(tmpl, run->space, &run->default_index,
                                &run->default_spec, err));
    run->result->space_raw = hone__space_raw_count(run->space);
    run->result->space_valid = hone__space_count(run->space);
    run->seen =
        hone__alloc((size_t)(run->result->space_valid + 7) / 8 + 1);
    if (!run->seen)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    view = hone__search_space_of(tmpl, run->space);
    return hone__search_open(request->strategy, &view, run->default_index,
                             request->seed, &run->search, err);
}

static void plan_progress(hone_tune_run *run)
{
    hone_tune_progress *p = &run->progress;

    p->budget_s = run->request->budget_s;
    p->n_planned = run->result->space_valid;
    if (run->request->budget_trials > 0 &&
        run->request->budget_trials < p->n_planned)
        p->n_planned = run->request->budget_trials;
    p->best_config = run->best_config;
}

static void on_compiled(void *user, int64_t id, hone_compile_output *output);

static int is_cpu(const hone_tune_run *run)
{
    return run->request->farm.backend == HONE_BACKEND_CPU;
}

static hone_status describe_device(hone_tune_run *run, hone_error *err)
{
    if (!is_cpu(run))
        return hone__device_describe(run->request->device, &run->device, err);
    hone__host_describe(&run->device);
    return HONE_OK;
}

hone_status hone__tune_setup(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;

    HONE_TRY(describe_device(run, err));
    (void)snprintf(run->compile_arch, sizeof run->compile_arch, "%.14s%s",
                   run->device.arch,
                   request->tmpl->needs_arch_features ? "a" : "");
    (void)snprintf(run->result->device_name, sizeof run->result->device_name,
                   "%s", run->device.name);
    (void)snprintf(run->result->arch, sizeof run->result->arch, "%s",
                   run->device.arch);
    hone__folder_of(request->tmpl->path, &run->folder);
    HONE_TRY(open_space(run, err));
    plan_progress(run);
    if (!is_cpu(run))
        HONE_TRY(hone__own_code_compile(&request->farm, run->device.arch,
                                       &run->device_code, err));
    HONE_TRY(hone__farm_open(&request->farm, on_compiled, run, &run->farm,
                             err));
    run->gpu_setup = (hone_gpu_setup){
        .device = request->device,
        .device_code = run->device_code.data,
        .sanitized = request->farm.host_build == HONE_HOST_SANITIZED,
        .verify_only = request->verify_only,
        .problem = {.tmpl = request->tmpl,
                    .launch_spec = hone__text_str(&run->default_spec),
                    .dims = request->dims,
                    .mode = request->mode,
                    .want_sets = 1,
                    .seed = request->seed,
                    .references = request->references,
                    .n_references = request->n_references}};
    if (request->db)
        HONE_TRY(hone__tune_record_open(run, err));
    if (run->gpu_setup.sanitized)
        run->worker_log = tmpfile();
    return hone__tune_gpu_start(run, err);
}

static void free_jobs(hone_tune_job *job)
{
    while (job) {
        hone_tune_job *next = job->next;

        hone__tune_job_free(job);
        job = next;
    }
}

void hone__tune_teardown(hone_tune_run *run)
{
    hone__worker_stop(&run->gpu, run->gpu_job ? 0 : 2.0, NULL, 0);
    if (run->worker_log)
        (void)fclose(run->worker_log);
    hone__farm_close(run->farm);
    hone__tune_job_free(run->gpu_job);
    free_jobs(run->queue_head);
    free_jobs(run->compiling);
    hone__free(run->candidates);
    hone__free(run->seen);
    hone__search_close(run->search);
    hone__space_free(run->space);
    hone__text_free(&run->device_code);
    hone__text_free(&run->default_spec);
    hone__text_free(&run->folder);
}

/* ---- one variant -------------------------------------------------------- */

hone_status hone__tune_job_make(hone_tune_run *run, int64_t index,
                                hone_tune_job **out, hone_error *err)
{
    const hone_template *tmpl = run->request->tmpl;
    const int64_t *dims = run->request->dims;
    hone_tune_job *job = hone__alloc(sizeof *job);
    int64_t *config = hone__alloc((tmpl->n_params + 1) * sizeof *config);
    hone_status status = HONE_OK;

    if (!job || !config)
        status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (status == HONE_OK) {
        job->id = run->next_job++;
        job->index = index;
        hone__space_get(run->space, index, config);
        hone__config_format(tmpl, config, &job->config);
        status = hone__variant_source(tmpl, config, dims,
                                      run->request->farm.backend,
                                      &job->source, &job->options, err);
    }
    if (status == HONE_OK)
        status = hone__expand_launch_spec(tmpl, config, &job->spec, err);
    hone__free(config);
    if (status != HONE_OK) {
        hone__tune_job_free(job);
        job = NULL;
    }
    *out = job;
    return status;
}

void hone__tune_job_free(hone_tune_job *job)
{
    if (!job)
        return;
    hone__text_free(&job->config);
    hone__text_free(&job->source);
    hone__text_free(&job->options);
    hone__text_free(&job->spec);
    hone__compile_output_free(&job->compiled);
    hone__free(job);
}

/* The compiler's verdict: to the database, then to the GPU's queue or, as an
 * outcome, to the trials. */
static hone_status take_compiled(hone_tune_run *run, hone_tune_job *job,
                                 hone_compile_output *output, hone_error *err)
{
    hone_trial_report report = {.outcome = HONE_OUTCOME_COMPILE,
                                .sm_clock_mhz = -1};
    hone_status status;

    job->compiled = *output;
    output->cubin = (hone_text){0}; /* moved */
    output->log = (hone_text){0};
    status = hone__tune_record_variant(run, job, err);
    if (status == HONE_OK && job->compiled.ok) {
        ++run->progress.n_compiled;
        if (run->queue_tail)
            run->queue_tail->next = job;
        else
            run->queue_head = job;
        run->queue_tail = job;
        ++run->n_queued;
        return HONE_OK;
    }
    if (status == HONE_OK) {
        (void)snprintf(report.message, sizeof report.message, "%.300s",
                       hone__text_str(&job->compiled.log));
        status = hone__tune_record_trial(run, job, &report, err);
    }
    hone__tune_job_free(job);
    return status;
}

static void on_compiled(void *user, int64_t id, hone_compile_output *output)
{
    hone_tune_run *run = user;

    for (hone_tune_job **at = &run->compiling; *at; at = &(*at)->next) {
        hone_tune_job *job = *at;

        if (job->id != id)
            continue;
        *at = job->next;
        job->next = NULL;
        --run->n_compiling;
        if (run->pending_status == HONE_OK)
            run->pending_status =
                take_compiled(run, job, output, &run->pending_error);
        else
            hone__tune_job_free(job);
        return;
    }
}
