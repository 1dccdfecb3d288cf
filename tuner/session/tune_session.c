/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a tuning run's session: what it tunes, with what and on what,
 * and why its trials are what they are; and when they reach the disk. */
#include "tuner/process/process_mark.h"
#include "tuner/session/tune_state.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

static hone_status put_problem(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;
    hone_text label = {0};
    hone_db_problem problem = {.op = request->tmpl->op,
                               .dims = request->dims,
                               .n_dims = request->tmpl->n_dims};
    hone_status status;

    hone__template_label_dims(request->tmpl, request->dims, &label);
    problem.label = hone__text_str(&label);
    status = hone__text_check(&label, err);
    if (status == HONE_OK)
        status =
            hone__db_problem_put(request->db, &problem, &run->problem_id, err);
    hone__text_free(&label);
    return status;
}

static hone_status put_device(hone_tune_run *run, hone_error *err)
{
    const hone_properties *properties = &run->device.properties;
    char driver[16];
    hone_text json = {0};
    hone_db_device device = {
        .kind = hone__tune_kind(run)->name,
        .name = run->device.name,
        .arch = run->device.arch,
        .sm_count = properties->value[HONE_PROPERTY_sm_count],
        .memory_bytes = properties->value[HONE_PROPERTY_memory],
        .l2_bytes = properties->value[HONE_PROPERTY_l2],
        .driver_version = driver};
    hone_status status;

    if (run->device.driver_version > 0)
        (void)snprintf(driver, sizeof driver, "%d", run->device.driver_version);
    else
        driver[0] = '\0';
    for (int i = 0; i < HONE_N_PROPERTIES; ++i)
        hone__text_printf(&json, "%c\"%s\":%lld", i ? ',' : '{',
                          hone__property_names[i],
                          (long long)properties->value[i]);
    hone__text_puts(&json, "}");
    device.properties_json = hone__text_str(&json);
    status = hone__text_check(&json, err);
    if (status == HONE_OK)
        status = hone__db_device_put(run->request->db, &device, &run->device_id,
                                     err);
    hone__text_free(&json);
    return status;
}

/* Where that is not possible, every trial waits for the disk. */
static hone_status sync_elsewhere(hone_tune_run *run, hone_error *err)
{
    const char *path = hone__db_sync_elsewhere(run->request->db);

    if (!path || hone__disk_sync_start(&run->disk, path, NULL) == HONE_OK)
        return HONE_OK;
    return hone__db_sync_here(run->request->db, err);
}

static hone_status begin_session(hone_tune_run *run, hone_tune_impl *impl,
                                 hone_db_session *session, hone_error *err)
{
    const hone_template *tmpl = impl->tmpl;

    HONE_TRY(hone__db_template_put(
        run->request->db,
        &(hone_db_template){.op = tmpl->op,
                            .name = impl->name,
                            .kind = hone__template_kind(tmpl),
                            .sha256 = tmpl->sha256,
                            .source = tmpl->source,
                            .source_bytes = tmpl->source_bytes},
        &impl->template_id, err));
    session->template_id = impl->template_id;
    return hone__db_session_begin(run->request->db, session, &impl->session_id,
                                  err);
}

/* Which machine and which card of its model: devices are one row by model and
 * driver, and cards of one model differ all the same ('hone show fleet'). And
 * which process: one that is killed cannot say that it ended. */
static hone_status put_place(hone_tune_run *run, hone_error *err)
{
    struct utsname system;
    char text[200], mark[HONE_PROCESS_MARK];
    hone_status status = HONE_OK;

    (void)snprintf(text, sizeof text, "host=%.120s card=%s",
                   uname(&system) == 0 ? system.nodename : "?",
                   run->device.id[0] ? run->device.id : "?");
    hone__process_mark_write(mark, sizeof mark);
    for (size_t i = 0; i < run->n_impls && status == HONE_OK; ++i) {
        status = hone__tune_decide(
            run, &run->impls[i],
            &(hone_db_decision){.kind = "place", .text = text}, err);
        if (status == HONE_OK)
            status = hone__tune_decide(
                run, &run->impls[i],
                &(hone_db_decision){.kind = "process", .text = mark}, err);
    }
    return status;
}

hone_status hone__tune_record_open(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;
    const hone_toolchain *toolchain = hone__farm_toolchain(run->farm);
    char budget[160] = "";
    hone_db_session session = {.mode = hone__mode_name(request->mode),
                               .strategy = request->strategy,
                               .seed = request->seed,
                               .budget = budget};

    if (request->budget_s > 0)
        (void)snprintf(budget, sizeof budget, "%gs", request->budget_s);
    else if (request->budget_trials > 0)
        (void)snprintf(budget, sizeof budget, "%lld",
                       (long long)request->budget_trials);
    if (request->until_gain > 0)
        (void)snprintf(budget + strlen(budget), sizeof budget - strlen(budget),
                       "%suntil %g%%", budget[0] ? " " : "",
                       100 * request->until_gain);
    if (request->shard)
        (void)snprintf(budget + strlen(budget), sizeof budget - strlen(budget),
                       "%s%s", budget[0] ? ", " : "", request->shard);
    HONE_TRY(put_device(run, err));
    HONE_TRY(put_problem(run, err));
    HONE_TRY(hone__db_toolchain_put(request->db, toolchain->name,
                                    toolchain->version, &run->toolchain_id,
                                    err));
    session.device_id = run->device_id;
    session.problem_id = run->problem_id;
    for (size_t i = 0; i < run->n_impls; ++i)
        HONE_TRY(begin_session(run, &run->impls[i], &session, err));
    HONE_TRY(put_place(run, err));
    HONE_TRY(hone__tune_objective_ask(run, err));
    HONE_TRY(sync_elsewhere(run, err));
    return hone__tune_database_check(run, err);
}

hone_db_trial_key hone__tune_trial_key(const hone_tune_run *run,
                                       const hone_tune_impl *impl)
{
    return (hone_db_trial_key){.device_id = run->device_id,
                               .problem_id = run->problem_id,
                               .template_id = impl->template_id,
                               .toolchain_id = run->toolchain_id,
                               .mode = hone__mode_name(run->request->mode)};
}

int hone__tune_is_recorded(const hone_tune_run *run)
{
    return run->n_impls && run->impls[0].session_id;
}

hone_status hone__tune_record_settle(hone_tune_run *run, hone_error *err)
{
    if (!run->disk.pid)
        return HONE_OK;
    (void)hone__worker_stop(&run->disk, HONE_DISK_SYNC_S, NULL, 0);
    return hone__db_sync_here(run->request->db, err);
}

/* ---- decisions ---------------------------------------------------------- */

hone_status hone__tune_decide(const hone_tune_run *run,
                              const hone_tune_impl *impl,
                              const hone_db_decision *decision, hone_error *err)
{
    hone_db_decision row = *decision;
    int64_t id = 0;

    row.session_id = impl->session_id;
    return impl->session_id
               ? hone__db_decision_put(run->request->db, &row, &id, err)
               : HONE_OK;
}

hone_status hone__tune_record_decision(hone_tune_run *run, const char *kind,
                                       const char *text, hone_error *err)
{
    return hone__tune_decide(run, &run->impls[0],
                             &(hone_db_decision){.kind = kind, .text = text},
                             err);
}

/* What was decided about a trial, and why; "" kind: nothing worth a row. */
static const char *decide(const hone_tune_run *run, const hone_tune_job *job,
                          const hone_trial_report *report, char *text,
                          size_t size)
{
    const double best_ns = run->progress.best_ns;

    if (report->alarm != HONE_ALARM_NONE) {
        (void)snprintf(text, size, "%s", report->message);
        return "alarm";
    }
    if (job->is_gated) {
        (void)snprintf(text, size, "%s: %s",
                       job->compiled.ok ? "not tried" : "not compiled",
                       report->message);
        return "gated";
    }
    if (report->outcome != HONE_OUTCOME_OK)
        return "";
    if (report->screened) {
        (void)snprintf(text, size,
                       "dropped after %d samples: %.3g times the best so far",
                       report->n_samples, report->screen_ratio);
        return "screened";
    }
    if (best_ns > 0 && report->time_ns >= best_ns) {
        (void)snprintf(text, size,
                       "kept through %d samples: %.4g times the best so far",
                       report->n_samples, report->time_ns / best_ns);
        return "contender";
    }
    (void)snprintf(text, size, "the best so far: %.6g ns in %d samples",
                   report->time_ns, report->n_samples);
    return "incumbent";
}

static hone_status put_seeded(hone_tune_run *run, const hone_tune_job *job,
                              int64_t trial_id, hone_error *err)
{
    const char *origin = hone__tune_seed_origin(job);
    char text[200];

    if (!origin)
        return HONE_OK;
    (void)snprintf(text, sizeof text, "went first: %s", origin);
    return hone__tune_decide(run, job->impl,
                             &(hone_db_decision){.trial_id = trial_id,
                                                 .variant_id = job->variant_id,
                                                 .kind = "seeded",
                                                 .text = text},
                             err);
}

hone_status hone__tune_record_reasons(hone_tune_run *run,
                                      const hone_tune_job *job,
                                      int64_t trial_id,
                                      const hone_trial_report *report,
                                      hone_error *err)
{
    char text[400];
    const double best_ns = run->progress.best_ns;
    hone_db_decision row = {.trial_id = trial_id,
                            .variant_id = job->variant_id,
                            .against_trial_id = run->best_trial_id,
                            .n_samples = report->n_samples,
                            .text = text};

    HONE_TRY(put_seeded(run, job, trial_id, err));
    row.kind = decide(run, job, report, text, sizeof text);
    if (best_ns > 0 && report->time_ns > 0)
        row.ratio = report->time_ns / best_ns;
    if (row.kind[0])
        HONE_TRY(hone__tune_decide(run, job->impl, &row, err));
    if (!report->n_discarded)
        return HONE_OK;
    row.kind = "discarded";
    row.n_samples = report->n_discarded;
    (void)snprintf(text, sizeof text,
                   "%d samples were taken while the card slowed itself down: "
                   "thrown away and repeated",
                   report->n_discarded);
    return hone__tune_decide(run, job->impl, &row, err);
}
