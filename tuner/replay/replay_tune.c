/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning on a recording: see replay_tune.h. */
#include "tuner/replay/replay_tune.h"

#include "tuner/judge/outcome.h"

#include <stdio.h>
#include <string.h>

enum { TRIALS_PER_COMMIT = 1000 };

typedef struct replay_session {
    const hone_replay_tune_request *request;
    hone_replay_tune_result *result;
    int64_t template_id;
    int64_t toolchain_id;
    int64_t session_id;
    hone_text config;
    char best[256];  /* configuration of the fastest so far */
    const char *why; /* the strategy's program failed; NULL: no */
} replay_session;

void hone__recording_label(const hone_recording *recording, hone_text *out)
{
    for (size_t i = 0; i < recording->n_dims; ++i)
        hone__text_printf(out, "%s%lld", i ? " x " : "",
                          (long long)recording->dims[i]);
}

void hone__recording_device(const hone_recording *recording, hone_text *out)
{
    hone__text_puts(out,
                    recording->device[0] ? recording->device : recording->file);
}

/* ---- the rows around the trials ----------------------------------------- */

typedef struct row_texts {
    hone_text device;
    hone_text about; /* the source of the template */
    hone_text label;
} row_texts;

/* The recording as a device: its contents are its version, so that rows of
 * two recordings never meet, nor do they meet those of real devices. */
static hone_status put_rows(replay_session *s, const row_texts *texts,
                            hone_db_session *session, hone_error *err)
{
    hone_db *db = s->request->db;
    const hone_recording *recording = s->request->recording;
    const hone_db_device device = {.kind = "replay",
                                   .name = hone__text_str(&texts->device),
                                   .arch = "replay",
                                   .sm_count = 1,
                                   .driver_version = recording->sha256};

    HONE_TRY(hone__text_check(&texts->device, err));
    HONE_TRY(hone__text_check(&texts->about, err));
    HONE_TRY(hone__text_check(&texts->label, err));
    HONE_TRY(hone__db_device_put(db, &device, &session->device_id, err));
    HONE_TRY(hone__db_template_put(
        db,
        &(hone_db_template){recording->op, recording->file, NULL,
                            recording->sha256, texts->about.data,
                            texts->about.length},
        &session->template_id, err));
    HONE_TRY(hone__db_toolchain_put(db, "replay", recording->format,
                                    &s->toolchain_id, err));
    HONE_TRY(hone__db_problem_put(
        db,
        &(hone_db_problem){recording->op, recording->dims, recording->n_dims,
                           hone__text_str(&texts->label)},
        &session->problem_id, err));
    s->template_id = session->template_id;
    return hone__db_session_begin(db, session, &s->session_id, err);
}

static hone_status begin_session(replay_session *s, hone_error *err)
{
    const hone_replay_tune_request *request = s->request;
    const hone_recording *recording = request->recording;
    row_texts texts = {.device = {0}};
    char budget[64] = "";
    hone_db_session session = {.mode = hone__mode_name(recording->mode),
                               .strategy = request->strategy,
                               .seed = request->seed,
                               .budget = budget};
    hone_status status;

    if (request->budget.seconds > 0)
        (void)snprintf(budget, sizeof budget, "%gs", request->budget.seconds);
    else if (request->budget.evaluations > 0)
        (void)snprintf(budget, sizeof budget, "%lld",
                       (long long)request->budget.evaluations);
    hone__text_puts(&texts.device, "replay of ");
    hone__recording_device(recording, &texts.device);
    hone__text_printf(&texts.about, "replay of %s (%s)\n", recording->file,
                      recording->format);
    hone__recording_label(recording, &texts.label);
    (void)snprintf(s->result->tune.device_name,
                   sizeof s->result->tune.device_name, "%s",
                   hone__text_str(&texts.device));
    status = put_rows(s, &texts, &session, err);
    hone__text_free(&texts.device);
    hone__text_free(&texts.about);
    hone__text_free(&texts.label);
    return status;
}

/* ---- trials ------------------------------------------------------------- */

static int64_t nanoseconds(double seconds)
{
    return seconds < 9e9 ? (int64_t)(1e9 * seconds) : INT64_MAX;
}

static hone_status put_trial(replay_session *s, const hone_replay_step *step,
                             int64_t *out_id, hone_error *err)
{
    const hone_recorded_trial *trial = step->trial;
    const int was_compiled = trial->outcome != HONE_OUTCOME_COMPILE &&
                             trial->outcome != HONE_OUTCOME_CONSTRAINT;
    const hone_db_variant variant = {
        .template_id = s->template_id,
        .toolchain_id = s->toolchain_id,
        .config = hone__text_str(&s->config),
        .arch = "replay",
        .outcome = was_compiled ? "ok" : hone__outcome_name(trial->outcome),
        .registers = -1,
        .spill_bytes = -1,
        .static_shared_bytes = -1,
        .compile_time_ns = nanoseconds(trial->cost_s[HONE_COST_COMPILE]),
        .is_default = step->index == s->request->recording->default_index};
    hone_db_trial row = {.session_id = s->session_id,
                         .outcome = hone__outcome_name(trial->outcome),
                         .time_ns = trial->time_ns,
                         .error_ratio = -1,
                         .device_time_ns =
                             nanoseconds(trial->cost_s[HONE_COST_RUNS])};

    s->result->tune.n_compiled += was_compiled;
    HONE_TRY(
        hone__db_variant_put(s->request->db, &variant, &row.variant_id, err));
    return hone__db_trial_put(s->request->db, &row, out_id, err);
}

/* Keep the fastest, ties in the order in which they were tried. */
static void rank(hone_replay_tune_result *result,
                 const hone_replay_rank *candidate)
{
    size_t at = result->n_ranked;

    while (at > 0 && result->ranked[at - 1].time_ns > candidate->time_ns)
        --at;
    if (at == HONE_REPLAY_RANKS)
        return;
    if (result->n_ranked < HONE_REPLAY_RANKS)
        ++result->n_ranked;
    memmove(&result->ranked[at + 1], &result->ranked[at],
            (result->n_ranked - 1 - at) * sizeof *candidate);
    result->ranked[at] = *candidate;
}

static void show_progress(const replay_session *s, const hone_replay_step *step)
{
    const hone_replay_tune_request *request = s->request;
    const int64_t limit = request->budget.evaluations;
    const int64_t most = request->recording->n_configs;

    if (request->on_progress)
        request->on_progress(
            request->user,
            &(hone_tune_progress){.n_done = step->n,
                                  .n_planned =
                                      limit > 0 && limit < most ? limit : most,
                                  .best_ns = step->best_ns,
                                  .best_config = s->best,
                                  .stage = "tuning"});
}

static hone_status on_step(void *user, const hone_replay_step *step,
                           hone_error *err)
{
    replay_session *s = user;
    hone_replay_tune_result *result = s->result;
    const hone_recording *recording = s->request->recording;
    hone_replay_rank candidate = {
        .index = step->index, .step = step->n, .time_ns = step->trial->time_ns};

    hone__text_clear(&s->config);
    hone__recording_config(recording, step->index, &s->config);
    HONE_TRY(hone__text_check(&s->config, err));
    HONE_TRY(put_trial(s, step, &candidate.trial_id, err));
    ++result->tune.outcomes[step->trial->outcome];
    result->tune.n_trials = step->n;
    result->simulated_s = step->simulated_s;
    if (step->trial->outcome == HONE_OUTCOME_OK) {
        rank(result, &candidate);
        if (result->ranked[0].index == step->index)
            (void)snprintf(s->best, sizeof s->best, "%s",
                           hone__text_str(&s->config));
        if (step->index == recording->default_index)
            result->tune.default_ns = step->trial->time_ns;
    }
    if (step->n % TRIALS_PER_COMMIT == 0) {
        HONE_TRY(hone__db_commit(s->request->db, err));
        HONE_TRY(hone__db_begin(s->request->db, err));
        show_progress(s, step);
    }
    if (s->request->stop && *s->request->stop)
        return hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted");
    return HONE_OK;
}

/* ---- the end ------------------------------------------------------------ */

static hone_status put_ranking(const replay_session *s, hone_error *err)
{
    const hone_replay_tune_result *result = s->result;
    hone_db_ranked ranked[HONE_REPLAY_RANKS];

    for (size_t i = 0; i < result->n_ranked; ++i)
        ranked[i] =
            (hone_db_ranked){.trial_id = result->ranked[i].trial_id,
                             .time_ns = result->ranked[i].time_ns,
                             .decided_by = "the fastest of the recorded times"};
    return hone__db_ranking_put(s->request->db, s->session_id, ranked,
                                result->n_ranked, err);
}

/* Recordings have outcomes and no sentences. */
static void explain(hone_tune_result *tune)
{
    hone_failures failures = {.n_complaints = 0};

    for (int i = 0; i < HONE_N_OUTCOMES; ++i)
        hone__failures_add(&failures, (hone_outcome)i, "", tune->outcomes[i]);
    hone__failures_text(&failures, tune->message, sizeof tune->message);
    if (!tune->message[0])
        (void)snprintf(tune->message, sizeof tune->message,
                       "no trial came to its end");
}

static void describe(const replay_session *s)
{
    const hone_recording *recording = s->request->recording;
    hone_tune_result *tune = &s->result->tune;

    (void)snprintf(tune->arch, sizeof tune->arch, "replay");
    tune->space_raw = 1;
    for (size_t i = 0; i < recording->n_params; ++i) {
        const int64_t n = (int64_t)recording->params[i].n_values;

        tune->space_raw = n && tune->space_raw > INT64_MAX / n
                              ? INT64_MAX
                              : tune->space_raw * n;
    }
    tune->space_valid = recording->n_configs;
    tune->sm_clock_mhz = -1;
    if (s->result->n_ranked == 0) {
        explain(tune);
        return;
    }
    tune->has_winner = 1;
    tune->time_ns = s->result->ranked[0].time_ns;
    (void)snprintf(tune->winner, sizeof tune->winner, "%s", s->best);
    (void)snprintf(tune->decided_by, sizeof tune->decided_by,
                   "the fastest of the recorded times");
}

static const char *stop_reason(const replay_session *s, hone_status ran)
{
    const hone_replay_tune_result *result = s->result;
    const int64_t n = result->tune.n_trials;

    if (ran != HONE_OK)
        return "interrupted";
    if (s->why)
        return "strategy";
    if (n >= s->request->recording->n_configs)
        return "exhausted";
    return hone__replay_is_spent(&s->request->budget, n, result->simulated_s)
               ? "budget"
               : "unlikely";
}

/* Store what was done, also after an interruption. */
static hone_status end_session(const replay_session *s, hone_status ran,
                               hone_error *err)
{
    const char *stopped = s->result->tune.stopped;
    const hone_db_session_summary properties = {-1, -1,   -1,     -1,
                                                -1, NULL, stopped};

    (void)snprintf(s->result->tune.stopped, sizeof s->result->tune.stopped,
                   "%s", stop_reason(s, ran));
    HONE_TRY(hone__db_session_measured(s->request->db, s->session_id,
                                       &properties, err));
    HONE_TRY(put_ranking(s, err));
    HONE_TRY(hone__db_session_finish(s->request->db, s->session_id,
                                     ran == HONE_OK ? "done" : "interrupted",
                                     err));
    return hone__db_commit(s->request->db, err);
}

hone_status hone__replay_tune(const hone_replay_tune_request *request,
                              hone_replay_tune_result *out, hone_error *err)
{
    replay_session s = {.request = request, .result = out};
    hone_replay_step last = {.index = -1};
    hone_status status, stored;
    int64_t *start = NULL;

    *out = (hone_replay_tune_result){0};
    if (request->start)
        HONE_TRY(hone__replay_start(request->recording, request->start, &start,
                                    err));
    status = hone__db_begin(request->db, err);
    if (status == HONE_OK)
        status = begin_session(&s, err);
    if (status == HONE_OK)
        status = hone__replay_run(
            &(hone_replay_request){.recording = request->recording,
                                   .strategy = request->strategy,
                                   .first = request->recording->default_index,
                                   .start = start,
                                   .n_start = start ? request->start->n : 0,
                                   .seed = request->seed,
                                   .answer_s = request->answer_s,
                                   .stop = request->stop,
                                   .budget = request->budget,
                                   .until_gain = request->until_gain},
            on_step, &s, &last, err);
    if (status != HONE_OK && status != HONE_ERR_INTERRUPTED && last.why[0]) {
        hone__error_clear(err);
        s.why = last.why;
        (void)snprintf(out->tune.stopped_why, sizeof out->tune.stopped_why,
                       "after %lld trials %s", (long long)last.n, s.why);
        status = HONE_OK;
    }
    if (status == HONE_OK || status == HONE_ERR_INTERRUPTED) {
        stored = end_session(&s, status, err);
        if (stored != HONE_OK)
            status = stored;
    }
    hone__db_rollback(request->db); /* of a failure; else there is nothing */
    describe(&s);
    hone__text_free(&s.config);
    hone__free(start);
    return status;
}
