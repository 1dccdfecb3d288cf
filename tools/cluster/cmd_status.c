/* SPDX-License-Identifier: Apache-2.0 */
/* hone status: what ran of a run of hone submit, what failed and why. */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/output.h"
#include "tools/cluster/run_state.h"

#include <stdio.h>
#include <time.h>

static void time_text(int64_t unix_s, char out[32])
{
    const time_t at = (time_t)unix_s;
    struct tm utc;

    out[0] = '\0';
    if (unix_s && gmtime_r(&at, &utc))
        (void)strftime(out, 32, "%Y-%m-%d %H:%M:%S", &utc);
}

static int is_over(const hone_run_task *task)
{
    return task->state == HONE_TASK_DONE || task->state == HONE_TASK_NEGATIVE;
}

static void put_step(hone_output *output, const hone_run_step *step)
{
    int n_over = 0;
    char text[64];

    for (int i = 0; i < step->n_tasks; ++i)
        n_over += is_over(&step->tasks[i]);
    (void)snprintf(text, sizeof text, "%d of %d done", n_over, step->n_tasks);
    hone__output_row(output,
                     hone__json("step:s job:s task:s state:s done:i tasks:i",
                                step->name, step->job, "all", text, n_over,
                                step->n_tasks));
}

static void put_task(hone_output *output, const hone_run_step *step, int number,
                     const hone_run_task *task)
{
    char number_text[16], began[32];

    (void)snprintf(number_text, sizeof number_text, "%d", number);
    time_text(task->began_unix_s, began);
    hone__output_row(
        output,
        hone__json("step:s job:s task:s state:s host:s began_at:s seconds:P "
                   "restarts:i code:o why:s",
                   step->name, step->job, number_text,
                   hone__task_state_name(task->state),
                   task->host[0] ? task->host : NULL, began[0] ? began : NULL,
                   task->ended_unix_s ? task->ended_unix_s - task->began_unix_s
                                      : (int64_t)0,
                   task->n_begun > 1 ? task->n_begun - 1 : 0,
                   task->ended_unix_s ? json_integer(task->code) : json_null(),
                   task->why[0] ? task->why : NULL));
}

static hone_exit say(const hone_options *options, const char *folder,
                     const hone_run_state *state)
{
    const int is_full = options->text[HONE_OPT_FULL] != NULL;
    int n_open = 0, n_negative = 0;
    hone_exit code;
    hone_output *output = hone__output_begin(
        options, "tasks",
        "step, task, state, host, began_at=began, seconds:n, restarts:n, why",
        hone__json("folder:s scheduler_asked:b", folder, state->is_asked));

    for (size_t i = 0; i < state->n_steps; ++i) {
        const hone_run_step *step = &state->steps[i];

        put_step(output, step);
        for (int k = 0; k < step->n_tasks; ++k) {
            const hone_run_task *task = &step->tasks[k];

            n_open += !is_over(task);
            n_negative += task->state == HONE_TASK_NEGATIVE;
            if (is_full || task->state != HONE_TASK_DONE)
                put_task(output, step, k + 1, task);
        }
    }
    code = hone__output_end(output, hone__json("open:i", n_open));
    if (!state->is_asked)
        hone__message_note("Slurm was not asked what waits and runs: %s",
                           state->not_asked);
    return code == HONE_EXIT_DONE && n_open + n_negative ? HONE_EXIT_NEGATIVE
                                                         : code;
}

hone_exit hone__cmd_status(const hone_options *options)
{
    const char *folder = hone__options_arg(options, 0);
    hone_run_state state;
    hone_error err = {0};
    hone_exit code;
    const hone_status status = hone__run_state_read(folder, &state, &err);

    code = status == HONE_OK ? say(options, folder, &state)
                             : hone__message_error(&err);
    hone__run_state_free(&state);
    return code;
}
