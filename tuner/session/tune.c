/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning one problem: proposals to the compile farm, cubins to the device
 * worker, outcomes to the database, all at the same time in one poll loop. */
#include "tuner/session/tune_scales.h"
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"
#include "tuner/judge/statistics.h"

#include <stdio.h>
#include <string.h>

int hone__tune_stopped(const hone_tune_run *run)
{
    return run->request->farm.stop && *run->request->farm.stop;
}

double hone__tune_elapsed_s(const hone_tune_run *run)
{
    return hone__now_s() - run->start_s - run->result->locked_s -
           run->result->awaited_s;
}

void hone__tune_show_progress(hone_tune_run *run, const char *stage)
{
    run->progress.elapsed_s = hone__tune_elapsed_s(run);
    run->progress.stage = stage;
    if (run->request->on_progress)
        run->request->on_progress(run->request->user, &run->progress);
}

void hone__tune_note(hone_tune_run *run, const char *sentence)
{
    char *notes = run->result->notes;
    const size_t used = strlen(notes);

    if (!sentence[0] || strstr(notes, sentence))
        return; /* said before: by an earlier worker */
    (void)snprintf(notes + used, sizeof run->result->notes - used, "%s%s",
                   used ? "; " : "", sentence);
}

/* Nothing more to do: neither now nor in what was put off. */
static int is_over(const hone_tune_run *run)
{
    if (hone__tune_under_way(run))
        return 0;
    return hone__tune_is_enough(run) || (run->exhausted && !run->deferred.n);
}

/* Compile processes, and processes of devices. The device has nothing to try
 * before it is over: for want of compiled variants, or of proposals. */
static hone_status wait_for_news(hone_tune_run *run, hone_error *err)
{
    hone_worker *processes[HONE_TUNE_MOST_WORKERS];
    const hone_tune_worker *own = &run->workers[0];
    const int is_starved = own->is_ready && !own->trying.n && run->compiling.n;
    const double start_s = hone__now_s();
    hone_status status;

    for (size_t i = 0; i < run->n_workers; ++i)
        processes[i] = &run->workers[i].process;
    status = hone__farm_turn(run->farm, processes, run->n_workers, err);
    run->clock_s += hone__watched_s(&run->looked_s);
    if (is_starved)
        run->result->starved_s += hone__now_s() - start_s;
    return status;
}

/* The system killed compilers for want of memory. */
static void note_fewer_compilers(hone_tune_run *run, int n_before)
{
    const int n = hone__farm_n_workers(run->farm);
    char text[96];

    if (n >= n_before)
        return;
    (void)snprintf(text, sizeof text,
                   "memory ran out: %d compile processes from then on, not %d",
                   n, n_before);
    hone__tune_note(run, text);
}

static hone_status loop(hone_tune_run *run, hone_error *err)
{
    while (!is_over(run)) {
        HONE_TRY(hone__tune_loans_take(run, err));
        HONE_TRY(hone__tune_propose(run, err));
        HONE_TRY(hone__tune_worker_feed(run, err));
        if (is_over(run)) /* the last ones never got past the gate */
            return HONE_OK;
        HONE_TRY(wait_for_news(run, err));
        if (run->pending_status != HONE_OK) {
            *err = run->pending_error;
            return run->pending_status;
        }
        HONE_TRY(hone__tune_worker_code(run, err));
        HONE_TRY(hone__tune_workers_pump(run, err));
    }
    return HONE_OK;
}

/* Are the numbers believable as a whole? */
static hone_status check_session(hone_tune_run *run, hone_error *err)
{
    double *times_ns = hone__alloc((run->n_candidates + 1) * sizeof *times_ns);
    char sentence[256] = "";
    hone_alarm alarm;

    if (!times_ns)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < run->n_candidates; ++i)
        times_ns[i] = run->candidates[i].time_ns;
    alarm = hone__selfcheck_session(times_ns, run->n_candidates, sentence,
                                    sizeof sentence);
    hone__free(times_ns);
    if (alarm == HONE_ALARM_NONE)
        return HONE_OK;
    hone__tune_note(run, sentence);
    return hone__tune_record_decision(run, "alarm", sentence, err);
}

/* Of those that no earlier run had tried, how many this one came to. */
static int64_t count_tried(const hone_tune_impl *impl, const hone_seed *seeds,
                           size_t n)
{
    int64_t n_tried = 0;

    for (size_t i = 0; i < n && impl->search; ++i)
        n_tried += seeds[i].was_new &&
                   hone__search_is_known(impl->search, seeds[i].index);
    return n_tried;
}

/* Before the final, for which there are none. */
static void count_first(hone_tune_run *run)
{
    for (size_t i = 0; i < run->n_impls; ++i) {
        const hone_tune_impl *impl = &run->impls[i];

        run->result->n_seeded += count_tried(impl, impl->seeds, impl->n_seeds);
        run->result->n_started +=
            count_tried(impl, impl->starts, impl->n_starts);
    }
}

static hone_status settle_scales(const hone_tune_run *run, hone_error *err)
{
    for (size_t i = 0; i < run->n_impls; ++i)
        HONE_TRY(hone__tune_settle_scales(
            &(hone_scales){.db = run->request->db,
                           .tmpl = run->impls[i].tmpl,
                           .template_id = run->impls[i].template_id,
                           .dims = run->request->dims,
                           .arch = run->impls[i].compile_arch},
            err));
    return HONE_OK;
}

static hone_status run_phases(hone_tune_run *run, hone_error *err)
{
    hone_tune_result *result = run->result;
    double final_start_s;
    hone_status status = hone__tune_setup(run, err);

    if (status == HONE_OK) {
        const int n_compilers = hone__farm_n_workers(run->farm);

        status = loop(run, err);
        note_fewer_compilers(run, n_compilers);
    }
    count_first(run);
    hone__tune_loans_end(run);
    final_start_s = hone__now_s();
    if (run->ready_s > 0) {
        result->setup_s = run->ready_s - run->start_s - result->awaited_s;
        result->trials_s = final_start_s - run->ready_s;
    }
    if (hone__tune_is_recorded(run)) {
        hone_error *why = status == HONE_OK ? err : NULL;
        hone_status stored = hone__tune_record_untried(run, why);

        if (stored == HONE_OK)
            stored = hone__tune_stop(run, status, why);
        if (stored == HONE_OK)
            stored = hone__tune_record_settle(run, why);
        status = status == HONE_OK ? stored : status;
    }
    if (status == HONE_OK && !run->request->verify_only && !run->request->list)
        status = check_session(run, err);
    if (status == HONE_OK &&
        (!run->request->list ||
         (!run->request->list_unranked && hone__tune_list_is_better(run))))
        status = hone__tune_final(run, err);
    if (hone__tune_is_recorded(run) &&
        (status == HONE_OK || status == HONE_ERR_INTERRUPTED)) {
        const hone_status stored =
            settle_scales(run, status == HONE_OK ? err : NULL);

        status = status == HONE_OK ? stored : status;
    }
    result->final_s = hone__now_s() - final_start_s;
    return status == HONE_OK ? hone__tune_learned_keep(run, err) : status;
}

/* Of those that are right, as far as is known by now; 0: there is none. */
static double best_time(const hone_tune_run *run, const hone_tune_impl *impl)
{
    double best_ns = 0;

    for (size_t i = 0; i < run->n_candidates; ++i) {
        const hone_candidate *c = &run->candidates[i];

        if (c->impl == impl && c->time_ns > 0 &&
            (best_ns <= 0 || c->time_ns < best_ns))
            best_ns = c->time_ns;
    }
    return best_ns;
}

static void finish_result(hone_tune_run *run)
{
    hone_tune_result *result = run->result;
    hone_resolved *resolved = hone__alloc(sizeof *resolved);

    result->n_trials = run->progress.n_done;
    for (size_t i = 0, part = 0; i < run->n_impls; ++i, ++part) {
        while (!result->parts[part].applies)
            ++part;
        result->parts[part].n_trials = run->impls[i].share.n_told;
        result->parts[part].best_ns = best_time(run, &run->impls[i]);
    }
    result->n_resumed = run->progress.n_resumed;
    result->n_compiled = run->progress.n_compiled;
    memcpy(result->outcomes, run->progress.outcomes, sizeof result->outcomes);
    result->seconds = hone__tune_elapsed_s(run) + result->locked_s;
    if (resolved && run->n_impls &&
        hone__launch_spec_resolve(
            &(hone_launch_case){run->impls[0].default_spec, run->request->dims,
                                run->request->tmpl->n_dims,
                                &run->device.properties},
            resolved, NULL) == HONE_OK) {
        result->flops = (double)resolved->flops;
        result->bytes = (double)resolved->bytes;
    }
    hone__free(resolved);
}

/* What cannot be stored then is said; the run ends as interrupted. */
static void end_interrupted(hone_tune_run *run)
{
    hone_error why = {0};

    if (hone__tune_keep_best(run, &why) != HONE_OK)
        hone__tune_note(run, why.text);
    (void)hone__tune_explain(run, 1, NULL);
}

int hone__tune_is_of_the_problem(hone_status status)
{
    return status == HONE_ERR_CONSTRAINT || status == HONE_ERR_NO_MEMORY ||
           status == HONE_ERR_OVERFLOW || status == HONE_ERR_DIMS;
}

int hone__tune_may_be_left_out(hone_status status)
{
    return hone__tune_is_of_the_problem(status) || status == HONE_ERR_INPUT ||
           status == HONE_ERR_KERNEL || status == HONE_ERR_UNSUPPORTED;
}

hone_status hone__tune(const hone_tune_request *request, hone_tune_result *out,
                       hone_error *err)
{
    hone_tune_run *run = hone__alloc(sizeof *run);
    hone_status status;

    memset(out, 0, sizeof *out);
    if (!run)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    run->request = request;
    run->result = out;
    run->start_s = run->looked_s = hone__now_s();
    run->lock.fd = -1;
    run->only_index = -1;
    run->until.gain = request->until_gain;
    out->noise_floor = -1;
    status = hone__references_check(request->tmpl, request->references,
                                    request->n_references, err);
    if (status == HONE_OK)
        status = run_phases(run, err);
    finish_result(run);
    if (status == HONE_OK && hone__tune_is_recorded(run))
        status = hone__tune_database_check(run, err);
    if (status == HONE_OK)
        status = hone__tune_explain(run, 0, err);
    else if (status == HONE_ERR_INTERRUPTED || status == HONE_ERR_CUDA)
        end_interrupted(run);
    for (size_t i = 0; i < run->n_impls && run->impls[i].session_id; ++i) {
        const hone_status finished =
            hone__db_session_finish(request->db, run->impls[i].session_id,
                                    status == HONE_OK ? "done" : "interrupted",
                                    status == HONE_OK ? err : NULL);

        status = status == HONE_OK ? finished : status;
    }
    hone__tune_teardown(run);
    hone__free(run);
    return status;
}
