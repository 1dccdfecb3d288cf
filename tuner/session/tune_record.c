/* SPDX-License-Identifier: Apache-2.0 */
/* A tuning run and its database: every outcome the moment it is known. */
#include "tuner/session/tune_state.h"

#include "runtime/base/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hone_status add_candidate(hone_tune_run *run,
                                 const hone_candidate *candidate,
                                 const char *config, hone_error *err)
{
    if (!HONE_GROW(run->candidates, run->n_candidates))
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    run->candidates[run->n_candidates++] = *candidate;
    if (run->progress.best_ns <= 0 ||
        candidate->time_ns < run->progress.best_ns) {
        run->progress.best_ns = candidate->time_ns;
        run->best_trial_id = candidate->trial_id;
        (void)snprintf(run->best_config, sizeof run->best_config, "%.255s",
                       config);
    }
    return HONE_OK;
}

hone_status hone__tune_take_outcome(hone_tune_run *run, hone_tune_impl *impl,
                                    const hone_candidate *candidate,
                                    hone_outcome outcome, const char *config,
                                    hone_error *err)
{
    hone_candidate valued = *candidate;
    double told = 0;

    if (outcome == HONE_OUTCOME_OK) {
        HONE_TRY(hone__tune_objective_set(run, &valued, err));
        told = hone__tune_objective_told(run, &valued);
    }
    HONE_TRY(hone__search_tell(impl->search, candidate->index, told, err));
    hone__turn_add(&impl->share, told);
    hone__until_add(&run->until, told);
    ++run->progress.n_done;
    ++run->progress.outcomes[outcome];
    return outcome == HONE_OUTCOME_OK ? add_candidate(run, &valued, config, err)
                                      : HONE_OK;
}

/* ---- variants ----------------------------------------------------------- */

void hone__tune_types(const hone_template *tmpl, const int64_t *dims,
                      hone_text *out)
{
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        if (tmpl->dims[i].n_types)
            hone__text_printf(out, "%s%lld", out->length ? "," : "",
                              (long long)dims[i]);
    }
}

/* Of the compiler. Nothing that it wrote and no log: it was not asked. */
static const char *variant_outcome(const hone_compile_output *compiled)
{
    if (compiled->ok)
        return "ok";
    if (compiled->timed_out)
        return "timeout";
    return compiled->log.length ? "compile" : "limits";
}

static hone_status put_variant(hone_tune_run *run, hone_tune_job *job,
                               hone_error *err)
{
    const hone_compile_output *compiled = &job->compiled;
    char log[HONE_SHA256_HEX] = "";
    hone_text types = {0};
    hone_db_variant row = {
        .template_id = job->impl->template_id,
        .toolchain_id = run->toolchain_id,
        .config = hone__text_str(&job->config),
        .arch = job->impl->compile_arch,
        .options = hone__text_str(&job->options),
        .compile_key = job->key,
        .compiler_warnings = compiled->warnings,
        .outcome = variant_outcome(compiled),
        .registers = compiled->registers,
        .spill_bytes = compiled->spill_bytes,
        .static_shared_bytes = compiled->static_shared_bytes,
        .compile_time_ns =
            compiled->cached ? 0 : (int64_t)(1e6 * compiled->compile_ms),
        .launch_plan = hone__text_str(&job->spec),
        .is_default = job->index == job->impl->default_index};
    hone_status status;

    hone__tune_types(job->impl->tmpl, run->request->dims, &types);
    row.types = types.length ? types.data : NULL;
    status = hone__text_check(&types, err);
    if (status == HONE_OK && compiled->ok && compiled->cubin.length)
        status = hone__db_artifact_put(
            run->request->db, "cubin", compiled->cubin.data,
            compiled->cubin.length, job->cubin_sha256, err);
    if (status == HONE_OK && compiled->log.length)
        status =
            hone__db_artifact_put(run->request->db, "log", compiled->log.data,
                                  compiled->log.length, log, err);
    row.cubin_sha256 = job->cubin_sha256[0] ? job->cubin_sha256 : NULL;
    row.log_sha256 = log[0] ? log : NULL;
    if (status == HONE_OK)
        status =
            hone__db_variant_put(run->request->db, &row, &job->variant_id, err);
    hone__text_free(&types);
    return status;
}

static const char *timing_text(const hone_tune_run *run,
                               const hone_trial_report *report)
{
    if (!report->n_samples)
        return NULL;
    return hone__tune_kind(run)->is_shared
               ? "host"
               : hone__timing_name((hone_timing)report->timing);
}

/* ---- trials ------------------------------------------------------------- */

static hone_status put_trial(hone_tune_run *run, const hone_tune_job *job,
                             const hone_trial_report *report, int64_t *out_id,
                             hone_error *err)
{
    const hone_db_trial row = {
        .session_id = job->impl->session_id,
        .variant_id = job->variant_id,
        .outcome = hone__outcome_name(report->outcome),
        .message = report->message[0] ? report->message : NULL,
        .time_ns = report->outcome == HONE_OUTCOME_OK ? report->time_ns : 0,
        .spread_ns = report->spread_ns,
        .samples_ns = report->samples_ns,
        .n_samples = (size_t)report->n_samples,
        .launches_per_sample = report->n_launches,
        .timing = timing_text(run, report),
        .n_discarded = report->n_discarded,
        .sample_time_ns = (int64_t)(1e9 * report->sample_s),
        .error_ratio = report->error_ratio,
        .verified = report->verified,
        .sm_clock_mhz = report->clocks.sm_clock_mhz,
        .power_mw = report->clocks.power_mw,
        .temperature_c = report->clocks.temperature_c,
        .throttle_reasons = report->clocks.clock_reasons > 0
                                ? (uint64_t)report->clocks.clock_reasons
                                : 0,
        .device_time_ns = (int64_t)(1e9 * report->device_s)};

    return hone__db_trial_put(run->request->db, &row, out_id, err);
}

/* Variant, trial and decision in one step: one wait for the disk, and never
 * one without the others. */
static hone_status store_trial(hone_tune_run *run, hone_tune_job *job,
                               const hone_trial_report *report, int64_t *out_id,
                               hone_error *err)
{
    hone_db *db = run->request->db;
    hone_status status;

    HONE_TRY(hone__db_begin(db, err));
    status = job->variant_id ? HONE_OK : put_variant(run, job, err);
    if (status == HONE_OK)
        status = put_trial(run, job, report, out_id, err);
    if (status == HONE_OK)
        status = hone__tune_record_reasons(run, job, *out_id, report, err);
    status = hone__db_end(db, status, err);
    if (status == HONE_OK || status == HONE_ERR_DATABASE ||
        status == HONE_ERR_IO) /* it says best why SQLite failed */
        HONE_TRY(hone__tune_database_check(run, err));
    HONE_TRY(status);
    return run->disk.pid && !hone__disk_sync_soon(&run->disk)
               ? hone__tune_record_settle(run, err)
               : HONE_OK;
}

/* The plan of a vendor's function says what was measured, not only its place in
 * the library's list. */
static hone_status settle_plan(hone_tune_job *job,
                               const hone_trial_report *report, hone_error *err)
{
    const char *old = strstr(hone__text_str(&job->spec), "\nvendor ");
    const char *rest = old ? strstr(old, "\nvendor-rank ") : NULL;
    hone_text spec = {0};
    hone_status status;

    if (!report->vendor[0] || !rest)
        return HONE_OK;
    hone__text_append(&spec, job->spec.data,
                      (size_t)(old + 1 - job->spec.data));
    hone__text_puts(&spec, report->vendor);
    rest = strchr(rest + 1, '\n');
    hone__text_puts(&spec, rest ? rest + 1 : "");
    status = hone__text_check(&spec, err);
    if (status != HONE_OK)
        return status;
    hone__text_free(&job->spec);
    job->spec = spec; /* moved */
    return HONE_OK;
}

hone_status hone__tune_record_trial(hone_tune_run *run, hone_tune_job *job,
                                    const hone_trial_report *report,
                                    hone_error *err)
{
    hone_candidate candidate = {.impl = job->impl,
                                .index = job->index,
                                .time_ns = report->time_ns,
                                .registers = job->compiled.registers,
                                .static_shared_bytes =
                                    job->compiled.static_shared_bytes};

    ++job->impl->share.n_answered;
    /* The library's list ends here. */
    if (job->impl->tmpl->call && report->outcome == HONE_OUTCOME_LIMITS)
        job->impl->exhausted = 1;
    HONE_TRY(settle_plan(job, report, err));
    if (run->request->db)
        HONE_TRY(store_trial(run, job, report, &candidate.trial_id, err));
    candidate.variant_id = job->variant_id;
    memcpy(candidate.cubin_sha256, job->cubin_sha256,
           sizeof candidate.cubin_sha256);
    if (run->request->on_trial)
        run->request->on_trial(
            run->request->user,
            &(hone_tune_trial){
                job->impl->tmpl, hone__text_str(&job->config), report->outcome,
                report->outcome == HONE_OUTCOME_COMPILE && !job->compiled.ok
                    ? hone__text_str(&job->compiled.log)
                    : report->message,
                &report->coverage, &report->wrong});
    HONE_TRY(hone__tune_take_outcome(run, job->impl, &candidate,
                                     report->outcome,
                                     hone__text_str(&job->config), err));
    hone__tune_show_progress(run, "tuning");
    return HONE_OK;
}

/* ---- what the machine ended ---------------------------------------------- */

hone_status hone__tune_record_interrupted(hone_tune_run *run,
                                          hone_tune_job *job, const char *why,
                                          hone_error *err)
{
    char text[512];
    hone_status status;

    ++job->impl->share.n_answered;
    ++run->result->n_interrupted;
    (void)snprintf(text, sizeof text, "%.160s: interrupted: %.300s",
                   hone__text_str(&job->config), why);
    status = hone__search_tell(job->impl->search, job->index, 0, err);
    if (status == HONE_OK)
        status = hone__tune_decide(
            run, job->impl,
            &(hone_db_decision){.kind = "interrupted", .text = text}, err);
    hone__tune_note(run, "variants were interrupted by the machine and have no "
                         "outcome: the same command tries them again");
    hone__tune_job_free(job);
    return status;
}

/* ---- what was compiled and not tried ------------------------------------ */

static hone_status put_untried(hone_tune_run *run, const hone_tune_queue *queue,
                               const char *why, hone_error *err)
{
    for (hone_tune_job *job = queue->head; job; job = job->next) {
        if (!job->variant_id)
            HONE_TRY(put_variant(run, job, err));
        if (why)
            HONE_TRY(hone__tune_decide(
                run, job->impl,
                &(hone_db_decision){.variant_id = job->variant_id,
                                    .kind = "deferred",
                                    .text = why},
                err));
    }
    return HONE_OK;
}

hone_status hone__tune_record_untried(hone_tune_run *run, hone_error *err)
{
    hone_db *db = run->request->db;
    hone_status status;

    if (!run->queued.n && !run->deferred.n && !hone__tune_n_trying(run))
        return HONE_OK;
    HONE_TRY(hone__db_begin(db, err));
    status = HONE_OK;
    for (size_t i = 0; i < run->n_workers && status == HONE_OK; ++i)
        status = put_untried(run, &run->workers[i].trying, NULL, err);
    if (status == HONE_OK)
        status = put_untried(run, &run->queued, NULL, err);
    if (status == HONE_OK)
        status = put_untried(run, &run->deferred,
                             "put off because it spills registers or the "
                             "compiler warned of it; the run ended before "
                             "its turn",
                             err);
    return hone__db_end(db, status, err);
}
