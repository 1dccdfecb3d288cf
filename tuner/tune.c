/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning one problem: proposals to the compile farm, cubins to the GPU
 * worker, outcomes to the database, all at the same time in one poll loop. */
#include "tuner/tune_state.h"

#include "runtime/alloc.h"

#include <stdio.h>
#include <string.h>

int hone__tune_stopped(const hone_tune_run *run)
{
    return run->request->farm.stop && *run->request->farm.stop;
}

void hone__tune_show_progress(hone_tune_run *run, const char *stage)
{
    run->progress.elapsed_s = hone__now_s() - run->start_s;
    run->progress.stage = stage;
    if (run->request->on_progress)
        run->request->on_progress(run->request->user, &run->progress);
}

static int is_seen(const hone_tune_run *run, int64_t index)
{
    return run->seen[index / 8] >> (index % 8) & 1;
}

/* Jobs that are under way and will become trials. */
static int64_t n_under_way(const hone_tune_run *run)
{
    return run->n_queued + (run->gpu_job != NULL) + run->n_compiling;
}

static int budget_is_spent(const hone_tune_run *run)
{
    const hone_tune_request *request = run->request;

    if (request->budget_s > 0 &&
        hone__now_s() - run->start_s >= request->budget_s)
        return 1;
    return request->budget_trials > 0 &&
           run->progress.n_done + n_under_way(run) >= request->budget_trials;
}

/* Keep the compilers busy, but not further ahead of the GPU than four rounds
 * of the farm: what is compiled must also be tried. */
static hone_status propose(hone_tune_run *run, int *out_exhausted,
                           hone_error *err)
{
    const int ahead = 4 * hone__farm_n_workers(run->farm);

    while (!*out_exhausted && hone__farm_n_idle(run->farm) > 0 &&
           run->n_queued + run->n_compiling < ahead &&
           !budget_is_spent(run)) {
        const hone_template *tmpl = run->request->tmpl;
        const int64_t index = hone__search_next(run->search);
        hone_compile_input input;
        hone_tune_job *job = NULL;

        if (index < 0) {
            *out_exhausted = 1;
            break;
        }
        if (is_seen(run, index))
            continue;
        HONE_TRY(hone__tune_job_make(run, index, &job, err));
        job->next = run->compiling;
        run->compiling = job;
        ++run->n_compiling;
        input = (hone_compile_input){hone__text_str(&job->source), tmpl->path,
                                     run->compile_arch,
                                     hone__text_str(&job->options),
                                     hone__text_str(&run->folder),
                                     tmpl->sha256};
        HONE_TRY(hone__farm_submit(run->farm, job->id, &input, err));
    }
    return HONE_OK;
}

static void wait_for_news(hone_tune_run *run)
{
    struct pollfd fds[257];
    const size_t n = hone__farm_descriptors(run->farm, fds, 256);

    fds[n] = (struct pollfd){run->gpu.from, POLLIN, 0};
    (void)poll(fds, n + 1, 50);
}

static hone_status loop(hone_tune_run *run, hone_error *err)
{
    int exhausted = 0;

    for (;;) {
        if (hone__tune_stopped(run))
            return hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted");
        HONE_TRY(propose(run, &exhausted, err));
        HONE_TRY(hone__tune_gpu_feed(run, err));
        if (n_under_way(run) == 0 && (exhausted || budget_is_spent(run)))
            return HONE_OK;
        wait_for_news(run);
        HONE_TRY(hone__farm_pump(run->farm, err));
        if (run->pending_status != HONE_OK) {
            *err = run->pending_error;
            return run->pending_status;
        }
        HONE_TRY(hone__tune_gpu_pump(run, err));
    }
}

static void finish_result(hone_tune_run *run)
{
    hone_tune_result *result = run->result;
    hone_launch_spec *spec = NULL;
    hone_resolved *resolved = hone__alloc(sizeof *resolved);

    memcpy(result->notes, run->notes, sizeof run->notes);
    result->n_trials = run->progress.n_done;
    result->n_resumed = run->progress.n_resumed;
    result->n_compiled = run->progress.n_compiled;
    memcpy(result->outcomes, run->progress.outcomes,
           sizeof result->outcomes);
    result->seconds = hone__now_s() - run->start_s;
    if (resolved &&
        hone__launch_spec_parse(hone__text_str(&run->default_spec), &spec,
                                NULL) == HONE_OK &&
        hone__launch_spec_resolve(spec, run->request->dims,
                                  run->request->tmpl->n_dims,
                                  &run->device.facts, resolved,
                                  NULL) == HONE_OK) {
        result->flops = (double)resolved->flops;
        result->bytes = (double)resolved->bytes;
    }
    hone__launch_spec_free(spec);
    hone__free(resolved);
}

hone_status hone__tune(const hone_tune_request *request,
                       hone_tune_result *out, hone_error *err)
{
    hone_tune_run *run = hone__alloc(sizeof *run);
    hone_status status;

    memset(out, 0, sizeof *out);
    if (!run)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    run->request = request;
    run->result = out;
    run->start_s = hone__now_s();
    status = hone__cpu_can_run(request->tmpl, request->farm.backend, err);
    if (status == HONE_OK)
        status = hone__tune_setup(run, err);
    if (status == HONE_OK)
        status = loop(run, err);
    if (status == HONE_OK)
        status = hone__tune_final(run, err);
    finish_result(run);
    if (run->session_id) {
        const hone_status finished = hone__db_session_finish(
            request->db, run->session_id,
            status == HONE_OK ? "done" : "interrupted",
            status == HONE_OK ? err : NULL);

        status = status == HONE_OK ? finished : status;
    }
    hone__tune_teardown(run);
    hone__free(run);
    return status;
}
