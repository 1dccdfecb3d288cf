/* SPDX-License-Identifier: Apache-2.0 */
/* hone tune --device replay:FILE: no GPU, no compiler and no template; the
 * trials are answered from a recording and stored like those of a real run.
 */
#include "tools/tune_parts.h"

#include "tools/base/process.h"
#include "tools/inputs/inputs.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/base/progress.h"
#include "tools/base/start_file.h"
#include "tuner/process/worker.h"

#include "tuner/replay/replay_tune.h"

#include <string.h>

static const char prefix[] = "replay:";

typedef struct replay_command {
    const hone_options *options;
    hone_recordings recordings;
    hone_start_file start;
    hone_replay_tune_request request; /* all but the recording */
    hone_text db_path;
    hone_output *output; /* begun by the first result */
    int n_tuned;
    int n_without_winner;
    int n_cut; /* whose trials ended with the strategy's program */
} replay_command;

int hone__device_is_replay(const hone_options *options)
{
    const char *text = options->text[HONE_OPT_DEVICE];

    return text && strncmp(text, prefix, strlen(prefix)) == 0;
}

/* ---- one result ---------------------------------------------------------
 */

static json_t *config_json(const hone_recording *recording, int64_t index)
{
    hone_text text = {0};

    hone__recording_config(recording, index, &text);
    return hone__json_text(&text);
}

static json_t *ranking_json(const hone_recording *recording,
                            const hone_replay_tune_result *result)
{
    json_t *array = json_array();

    for (size_t i = 0; i < result->n_ranked; ++i)
        array = hone__json_append(
            array, hone__json("config:o time_ns:f",
                              config_json(recording, result->ranked[i].index),
                              result->ranked[i].time_ns));
    return array;
}

static json_t *dims_json(const hone_recording *recording)
{
    json_t *array = json_array();

    for (size_t i = 0; i < recording->n_dims; ++i)
        array = hone__json_append(array, json_integer(recording->dims[i]));
    return array;
}

static json_t *result_row(const hone_recording *recording,
                          const hone_replay_tune_result *result, double seconds)
{
    const hone_tune_result *tune = &result->tune;
    hone_text label = {0};
    json_t *row;

    hone__recording_label(recording, &label);
    row = hone__json("op:s dims:o label:o device:s arch:s mode:s recording:s "
                     "recording_format:s recording_interrupted:b",
                     recording->op, dims_json(recording),
                     hone__json_text(&label), tune->device_name, tune->arch,
                     hone__mode_name(recording->mode), recording->path,
                     recording->format, recording->interrupted);
    row = hone__json_add(
        row,
        "winner:o time_ns:F ci_low_ns:n ci_high_ns:n default_ns:p error:n "
        "decided_by:s",
        tune->has_winner ? config_json(recording, result->ranked[0].index)
                         : json_null(),
        tune->has_winner, tune->time_ns, tune->default_ns, tune->decided_by);
    return hone__json_add(
        row,
        "trials:I resumed:I compiled:I raw:I valid:I outcomes:o baselines:o "
        "baselines_text:s sm_clock_mhz:i ranking:o simulated_s:f seconds:f "
        "message:s stopped:s",
        tune->n_trials, tune->n_resumed, tune->n_compiled, tune->space_raw,
        tune->space_valid, hone__outcomes_json(tune->outcomes), json_array(),
        "", tune->sm_clock_mhz, ranking_json(recording, result),
        result->simulated_s, seconds, tune->message, tune->stopped);
}

static void print_row(replay_command *command, json_t *row)
{
    static const char columns[] =
        "op, label=problem, device, time_ns:t=time, default_ns:t=default, "
        "trials:n, simulated_s:n=simulated s, outcomes, winner";

    if (!command->output)
        command->output = hone__output_begin(
            command->options, "shapes", columns,
            hone__json("db:s", hone__text_str(&command->db_path)));
    hone__output_row(command->output, row);
}

/* ---- the run ------------------------------------------------------------
 */

/* Is the recording asked for? Without names all are. */
static int is_wanted(const hone_options *options,
                     const hone_recording *recording)
{
    int found = options->n_args == 0;

    if (options->text[HONE_OPT_MODE] &&
        hone__option_mode(options) != recording->mode)
        return 0;
    for (size_t i = 0; i < options->n_args; ++i)
        found |= strcmp(hone__options_arg(options, i), recording->op) == 0;
    return found;
}

static hone_status check_use(const hone_options *options, hone_error *err)
{
    if (!options->text[HONE_OPT_DEVICE][strlen(prefix)])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--device replay: needs a file: replay:FILE");
    if (options->text[HONE_OPT_OBJECTIVE])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--objective has no meaning with --device replay: "
                          "recordings have times alone");
    if (options->text[HONE_OPT_DIMS] || options->text[HONE_OPT_SHAPES])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--dims and --shapes have no meaning with --device "
                          "replay: the recording has its problems");
    return HONE_OK;
}

/* Names that select nothing are a mistake. */
static hone_status check_names(const replay_command *command, hone_error *err)
{
    const hone_recordings *recordings = &command->recordings;
    hone_text ops = {0};

    for (size_t i = 0; i < recordings->n; ++i) {
        if (is_wanted(command->options, recordings->items[i]))
            return HONE_OK;
        if (i == 0 ||
            strcmp(recordings->items[i]->op, recordings->items[i - 1]->op) != 0)
            hone__text_printf(&ops, "%s%s", ops.length ? ", " : "",
                              recordings->items[i]->op);
    }
    (void)hone__fail(err, HONE_ERR_NOT_FOUND,
                     "%s has no recording of that operation%s; it has: "
                     "%.500s",
                     recordings->items[0]->path,
                     command->options->text[HONE_OPT_MODE] ? " and mode" : "",
                     hone__text_str(&ops));
    hone__text_free(&ops);
    return HONE_ERR_NOT_FOUND;
}

static hone_status prepare(replay_command *command, hone_error *err)
{
    const hone_options *options = command->options;
    hone_replay_tune_request *request = &command->request;

    HONE_TRY(check_use(options, err));
    HONE_TRY(hone__option_strategy(options, &request->strategy, err));
    HONE_TRY(hone__option_budget(options, &request->budget.evaluations,
                                 &request->budget.seconds, err));
    HONE_TRY(hone__option_until(options, &request->until_gain, err));
    HONE_TRY(hone__start_read(options, &command->start, err));
    request->start = command->start.n ? &command->start.start : NULL;
    HONE_TRY(
        hone__recordings_read(options->text[HONE_OPT_DEVICE] + strlen(prefix),
                              &command->recordings, err));
    HONE_TRY(check_names(command, err));
    HONE_TRY(hone__locate_db(options, &command->db_path, err));
    HONE_TRY(hone__db_open(hone__text_str(&command->db_path), HONE_DB_CREATE,
                           &request->db, err));
    request->seed = hone__option_seed(options);
    request->answer_s = (double)options->number[HONE_OPT_ANSWER_TIMEOUT];
    request->stop = hone__interrupt_flag();
    return HONE_OK;
}

static hone_status tune_one(replay_command *command,
                            const hone_recording *recording, hone_error *err)
{
    hone_replay_tune_request request = command->request;
    hone_replay_tune_result result;
    const double start_s = hone__now_s();
    hone_status status;

    request.recording = recording;
    if (recording->interrupted)
        hone__message_note("%s ends early: it has %lld trials", recording->path,
                           (long long)recording->n_configs);
    hone__progress_begin(recording->op);
    status = hone__replay_tune(&request, &result, err);
    hone__progress_end();
    if (status != HONE_OK && status != HONE_ERR_INTERRUPTED)
        return status;
    print_row(command, result_row(recording, &result, hone__now_s() - start_s));
    ++command->n_tuned;
    if (strcmp(result.tune.stopped, "strategy") == 0) {
        ++command->n_cut;
        hone__message_negative("%s: %s", recording->path,
                               result.tune.stopped_why);
    }
    if (result.tune.has_winner)
        return status;
    ++command->n_without_winner;
    hone__message_negative("%s has no winner: %s", recording->path,
                           result.tune.message);
    return status;
}

hone_exit hone__tune_replay(const hone_options *options,
                            void (*on_progress)(void *user,
                                                const hone_tune_progress *p))
{
    replay_command command = {.options = options};
    hone_error err = {0};
    hone_status status = prepare(&command, &err);
    hone_exit code;

    command.request.on_progress = on_progress;
    for (size_t i = 0; status == HONE_OK && i < command.recordings.n; ++i) {
        const hone_recording *recording = command.recordings.items[i];

        if (is_wanted(options, recording))
            status = tune_one(&command, recording, &err);
    }
    code = hone__tune_finish(
        &(hone_tune_end){command.output, hone__text_str(&command.db_path), "",
                         "recordings have no winner: no trial was valid",
                         command.n_without_winner, command.n_tuned, options,
                         NULL, NULL, NULL},
        status, &err);
    if (code == HONE_EXIT_DONE && command.n_cut)
        code = HONE_EXIT_NEGATIVE;
    hone__db_close(command.request.db);
    hone__recordings_free(&command.recordings);
    hone__start_free(&command.start);
    hone__text_free(&command.db_path);
    return code;
}
